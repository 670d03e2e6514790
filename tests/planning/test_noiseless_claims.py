"""What plans without noise claim, against the proofs' formulas worked out piece by piece."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.strategies import staged, staged_shape
from tests.support.theory import sizes
from tests.support.trees import cheapest_tree

from feint import Domain, Problem
from feint.audit import audit
from feint.branches import success
from feint.planning import plan
from feint.planning.enumeration import enumerated
from feint.planning.noiseless import noiseless_methods
from feint.planning.noiseless.uniform import Wanted
from feint.planning.noiseless.whole import cheapest_whole, success_bound
from feint.planning.option import Option
from feint.planning.product import options, share
from feint.strategies import StagedShape

Integers = tuple[int, ...]
Steps = st.lists(st.integers(2, 4), max_size=2).map(tuple)


def caught(shape: StagedShape, values: int, window: Fraction) -> Fraction:
    """(C/L_p)·Σ_blocks Σ_pieces min(D, |piece|)/m, the pieces those of a block's longest part."""
    total = Fraction(0)
    for block in sizes(values, math.prod(shape.narrow)):
        pieces = sizes(max(sizes(block, shape.parts)), math.prod(shape.hide[:-1]))
        total += sum(min(window, Fraction(piece)) for piece in pieces)
    return Fraction(shape.parts, shape.kept) * total / values


@given(
    st.integers(0, 60),
    st.fractions(1, 9, max_denominator=3),
    Steps,
    st.integers(1, 6),
    st.integers(1, 6),
    Steps,
)
@examples(60)
def test_whole_values_claim_what_the_proof_says(
    more: int, window: Fraction, narrow: Integers, parts: int, kept: int, hide: Integers
) -> None:
    """proofs/hiding.md, to the last digit."""
    values = math.prod(narrow) * parts * math.ceil(window) + more
    shape = staged_shape(narrow, parts, min(kept, parts), (*hide, 3))
    assert success_bound(shape, values, window) == caught(shape, values, window)


@pytest.mark.parametrize(
    ("values", "window", "narrow", "parts", "kept"),
    [
        (11, 2, (), 3, 2),
        (23, 3, (2,), 3, 3),
        (17, 1, (), 5, 3),
        (19, 2, (3,), 2, 2),
        (20, 4, (), 4, 3),
    ],
)
def test_the_claim_holds_and_is_nearly_reached(
    values: int, window: int, narrow: tuple[int, ...], parts: int, kept: int
) -> None:
    longest = max(max(sizes(b, parts)) for b in sizes(values, math.prod(narrow)))
    shape = staged_shape(narrow, parts, kept, (2, -(-longest // 2)))
    problem = Problem(Fraction(1, values), Fraction(window, values), 2, values=values)
    claimed = success_bound(shape, values, window)
    found = success(staged(problem, values, narrow, parts, kept, shape.hide))
    assert found <= claimed
    assert found >= claimed * Fraction(2, 3)


@pytest.mark.parametrize("level", [2, Fraction(5, 2), 3, 4])
@pytest.mark.parametrize(("values", "window"), [(9, 2), (40, 3), (97, 7), (61, 1), (300, 11)])
def test_the_level_is_reached_by_the_claim(values: int, window: int, level: Fraction) -> None:
    """No plan of whole values claims more than 1/L, and with one kept part fewer it would."""
    found = cheapest_whole(values, window, level)
    assert found is not None
    if found.parts > 1:
        assert (
            min(min(sizes(b, found.parts)) for b in sizes(values, math.prod(found.narrow)))
            >= window
        )
    assert caught(found, values, Fraction(window)) * level <= 1 or found.hide == (values,)
    if found.kept > 1:
        fewer = staged_shape(found.narrow, found.parts, found.kept - 1, found.hide)
        assert caught(fewer, values, Fraction(window)) * level > 1
    wanted = Wanted(window=Fraction(window))
    tree = cheapest_tree(values, level, wanted, below=found.queries) if values < 257 else None
    if tree is not None:
        assert tree.success * level <= 1
        total, cells = Fraction(0), 0
        waiting = [tree.root]
        while waiting:
            node = waiting.pop()
            waiting += node.parts
            if isinstance(node.shape, StagedShape):  # cells that ride add nothing
                own = node.size - node.riders
                total += caught(node.shape, own, Fraction(window)) * own
            elif node.shape is not None:  # proofs/hiding.md
                total += Fraction(node.size - node.riders, node.shape.kept)
            cells += node.size if node.shape is not None else 0
        assert tree.success == total / values
        assert cells == values


def option(queries: int, part: Fraction) -> Option:
    strategy = plan(Problem("1/4", "1/2", 2)).strategy
    return Option(queries=queries, share=part, strategy=strategy, success=part)


@pytest.mark.parametrize("dim", [2, 3, 4, 7, 9])
@pytest.mark.parametrize("level", [2, 3, 5, 8, 25])
def test_shares_multiply_to_the_level_at_the_least_cost(level: int, dim: int) -> None:
    """Against every choice; with many coordinates at most two kinds are mixed."""
    shares = [Fraction(1), Fraction(1, 2), Fraction(2, 5), Fraction(1, 3), Fraction(1, 5)]
    choices = [option(4 + 3 * i + i * i, each) for i, each in enumerate(shares)]
    chosen = share(choices, level, dim)
    assert chosen is not None
    assert len(chosen) == dim
    assert math.prod(each.share for each in chosen) <= Fraction(1, level)
    best = {Fraction(1): 0}
    for _ in range(dim):
        after: dict[Fraction, int] = {}
        for product, asked in best.items():
            for each in choices:
                less = max(product * each.share, Fraction(1, 10**6))
                after[less] = min(after.get(less, 10**9), asked + each.queries)
        best = after
    cheapest = min(asked for product, asked in best.items() if product * level <= 1)
    asked = sum(each.queries for each in chosen)
    assert asked == cheapest if dim < 7 else asked <= cheapest + 4
    assert share(choices[:1], level, dim) is None
    assert share(choices[:2], 2**dim + 1, dim) is None
    assert share(choices[:2], 2**dim, dim) is not None


def test_the_options_of_a_coordinate_reach_the_level_alone() -> None:
    """Each is cheaper or hides more than its neighbours, and the last hides all that is asked."""

    def single(level: Fraction) -> Option | None:
        parts = math.ceil(level)
        return option(5 * parts, Fraction(1, parts))

    found = options(single, 12, 2, 4)
    assert [each.queries for each in found] == sorted({each.queries for each in found})
    assert [each.share for each in found] == sorted({each.share for each in found})[::-1]
    assert found[0].share == 1
    assert Fraction(1, 4) in [each.share for each in found]


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("values", [None, 40])
def test_a_plans_claim_is_the_product_of_what_enumeration_finds(
    values: int | None, dim: int
) -> None:
    """Successes multiply over coordinates, and the certificate says whether they come to 1/L."""
    epsilon = Fraction(1, 40)
    problem = Problem(epsilon, 4 * epsilon, 6, dim=dim, values=values)
    found = plan(problem)
    factors = getattr(found.strategy, "factors", (found.strategy,))
    assert len(factors) == dim
    exact = math.prod((success(each) for each in factors), start=Fraction(1))
    assert found.adversary_success == exact <= Fraction(1, 6)
    assert found.private


@pytest.mark.parametrize(
    ("least", "queries"), [(1, [5, 10, 15, 20]), (2, [10, 15, 20]), (4, [20]), (5, [])]
)
def test_a_coordinate_that_cannot_be_searched_bare_may_be_hidden(
    least: int, queries: list[int]
) -> None:
    """In so few rounds, say: there are options from a level on, and that of all alike in any case.

    With level 4 of two coordinates, all alike have level 2 each; here they are asked for 4.
    """

    def single(level: Fraction) -> Option | None:
        parts = math.ceil(level)
        return option(5 * parts, Fraction(1, parts)) if parts >= least else None

    assert [each.queries for each in options(single, 4, 2, 4)] == queries


def test_what_an_enumeration_promises_is_not_called_a_theorem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bounds say more than 1/16 of these trees, so only their enumeration promises anything.

    That holds even if the planner has no time to enumerate the plan once more.
    """
    domain = Domain(1, 39, step=1)
    problem = domain.problem(delta=2, level=16)
    option = noiseless_methods(problem)["tight"](problem, 16, None)
    assert option is not None
    assert (option.is_enumerated, option.success) == (True, option.share)
    monkeypatch.setattr("feint.planning.planner.enumerated", lambda *_, **__: None)
    found = plan(problem, domain=domain)
    assert (found.certificate, found.adversary_success) == ("exact", option.share)
    assert audit(found).adversary_success == option.share


def test_a_product_with_a_factor_that_is_only_bounded_is_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of these two numbers has a tree whose bound is too high; the other has a staged shape."""
    problem = Problem("1/47", "4/47", 9, values=47, dim=2)
    exact = plan(problem)
    monkeypatch.setattr("feint.planning.planner.enumerated", lambda *_, **__: None)
    found = plan(problem)
    assert exact.strategy == found.strategy
    assert exact.adversary_success is not None
    assert found.adversary_success is not None
    assert exact.certificate == "exact"
    assert found.certificate == "theorem"
    assert exact.adversary_success <= found.adversary_success <= Fraction(1, 9)
    assert audit(exact).adversary_success == exact.adversary_success


def test_enumerating_gives_up_beyond_a_limit() -> None:
    """Four cells, told apart by halving: she wins with 1/2, since nobody hears the last answer."""
    strategy = staged(Problem("1/4", "1/4", 2, values=4), 4, (), 1, 1, (2, 2))
    assert enumerated(strategy) == Fraction(1, 2)
    assert enumerated(strategy, limit=3) is None
    assert enumerated(strategy, work=4 * 2 - 1) is None
