"""Noisy plans at their limits: p near 1/2, whole numbers on average, rounds, and better answers."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.support.examples import examples
from tests.support.fixed import plan
from tests.support.noisy import Promised, claims
from tests.support.strategies import noisy_shape, staged_noisy

from feint import Problem
from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import ceil_div
from feint.planning import Plan, afford, methods
from feint.planning.noisy.certificates.theorem import Theorem
from feint.planning.noisy.claims import Division, Member
from feint.simulate import play
from feint.strategies import Pursuit, StagedNoisy, cut, law


def staged(found: Plan) -> StagedNoisy:
    assert isinstance(found.strategy, StagedNoisy)
    return found.strategy


@pytest.mark.parametrize("confidence", [None, "0.95"])
@pytest.mark.parametrize(
    "p",
    [
        *("0.6", "0.55", "0.52", "0.5001", "0.500001"),
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("0.505", "0.501")),
    ],
)
def test_every_p_has_a_plan_or_is_refused(p: str, confidence: str | None) -> None:
    problem = Problem("0.001", "0.02", 5, p=p, confidence=confidence)
    if Fraction(p) < Fraction("0.502"):
        with pytest.raises(TooLarge, match=r"at most 2\^24 questions"):
            plan(problem)
        return
    found = plan(problem)
    assert (found.certificate, found.private) == ("theorem", True)
    assert found.queries <= 1 << 24
    assert found.losses is not None
    assert found.losses["total"] <= found.losses["allowed"]


@pytest.mark.parametrize("dim", [1, 3])
def test_the_highest_confidence_has_a_plan_and_the_next_is_refused(dim: int) -> None:
    """A miss of 10^-11 a number: certificates are rounded up by 10^-12 at each stage."""
    highest = 1 - dim * Fraction(1, 10**11)
    found = plan(Problem("0.005", "0.02", 2, p="0.9", confidence=highest, dim=dim))
    assert (found.certificate, found.private) == ("theorem", True)
    assert found.losses is not None
    assert found.losses["total"] <= found.losses["allowed"]
    nearest = (
        r"^confidence = 0.9+[79]01: .* 10\^-11 .* the nearest that works is confidence = 0.9+[79]$"
    )
    higher = Problem("0.005", "0.02", 2, p="0.9", confidence=highest + Fraction(1, 10**13), dim=dim)
    for method in methods(higher):
        with pytest.raises(InvalidValue, match=nearest) as refused:
            plan(higher, method=method)
        assert Fraction(refused.value.remedy.split()[-1]) == highest
    with pytest.raises(InvalidValue, match="the nearest that works is confidence"):
        afford(
            queries=900, epsilon="0.005", delta="0.02", p="0.9", confidence=1 - Fraction(1, 10**12)
        )


@pytest.mark.long
@pytest.mark.parametrize("confidence", [None, "0.95"])
def test_questions_grow_as_the_inverse_square_of_the_margin(confidence: str | None) -> None:
    """Near p = 1/2 an answer tells (p − ½)²: halving the margin takes four times the questions."""
    counts = [
        plan(Problem("0.001", "0.02", 5, p=p, confidence=confidence)).queries
        for p in ("0.54", "0.52", "0.51")
    ]
    assert counts[1] / counts[0] == pytest.approx(4, rel=0.03)
    assert counts[2] / counts[1] == pytest.approx(4, rel=0.03)


@pytest.mark.parametrize("p", ["0.6", "0.9", "0.9999"])
def test_two_cells_are_a_majority(p: str) -> None:
    """However sure it is, a search of two cells asks about their boundary and finds the lead."""
    search = Pursuit(Fraction(p), "posterior")
    for answer in (False, True):
        state = search.start(np.array([2]))
        for _ in range(200):
            assert search.ask(state).tolist() == [1]
            state = search.tell(state, np.array([answer]))
            assert search.found(state).tolist() == [int(answer)]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_nearer_end_is_never_the_range_s_own(size: int) -> None:
    """X* is between the outer ends whatever they say: to ask about one would teach nothing."""
    search = Pursuit(Fraction("0.9"), "posterior")
    for answer in (False, True):
        state = search.start(np.array([size]))
        for _ in range(100):
            assert 0 < search.ask(state)[0] < size
            state = search.tell(state, np.array([answer]))


@pytest.mark.parametrize("miss", [0.4, 0.05, 1e-6])
@pytest.mark.parametrize("p", ["0.51", "0.55", "0.9"])
def test_the_fewest_answers_that_outvote(p: str, miss: float) -> None:
    """The fewest odd number of answers of which most are wrong with at most this chance."""
    count, lost, _ = Theorem(Fraction(p)).answers(2, miss)
    assert count % 2 == 1
    assert binom.cdf(count // 2, count, float(p)) <= lost <= miss
    assert count == 1 or binom.cdf(count // 2 - 1, count - 2, float(p)) > miss * (1 - 1e-6)


WHOLE = [
    (97, 7, 3, "0.9"),
    (97, 1, 5, "0.75"),
    (50, 3, 4, "0.8"),
    (1000, 7, 9, "0.9"),
    (23, 2, 3, "0.95"),
    (333, 20, 4, "0.7"),
]


def whole(values: int, reach: int, level: int, p: str, **more: Any) -> Problem:
    return Problem(Fraction(1, values), Fraction(reach, values), level, values=values, p=p, **more)


def wrong_parts(strategy: StagedNoisy) -> float:
    """What wrong parts cost on average over the real blocks, parts and values, by the vote's law.

    X̃ and X* lie at the far ends of their parts, at worst.
    """
    voted = law(strategy.shape.parts, strategy.shape.repeats, float(strategy.p))
    starts = cut(strategy.size, strategy.shape.blocks, np.arange(strategy.shape.blocks + 1))
    total = 0.0
    for low, high in pairwise(starts.tolist()):
        cuts = low + cut(high - low, strategy.shape.parts, np.arange(strategy.shape.parts + 1))
        first, last = cuts[:-1], cuts[1:] - 1
        far = np.maximum(last[:, None] - first, last - first[:, None])
        np.fill_diagonal(far, 0)
        total += float((np.diff(cuts)[:, None] * voted * far).sum())
    return total / strategy.size**2


@pytest.mark.parametrize("case", [*WHOLE[:-1], pytest.param(WHOLE[-1], marks=pytest.mark.long)])
def test_whole_numbers_on_average(case: tuple[int, int, int, str]) -> None:
    """The mean error, in the unit interval, is within the claim, and each stage within its own."""
    found = plan(whole(*case))
    budget = found.losses
    assert budget is not None
    assert budget["total"] <= budget["allowed"] == float(found.problem.epsilon / 2)
    assert wrong_parts(staged(found)) <= budget["cut"]
    random = np.random.default_rng(5)
    targets = random.integers(case[0], size=(4000, 1))
    point = play(found.strategy, targets, random).estimate.point
    assert (point % 1 == 0.5).all()  # a value stands for its middle
    error = np.abs(point - 0.5 - targets) / case[0]
    assert error.mean() - 5 * error.std() / np.sqrt(len(error)) <= budget["total"]


@given(
    st.integers(6, 400),
    st.integers(1, 5),
    st.integers(2, 7),
    st.integers(1, 40),
    st.sampled_from(["0.6", "0.75", "0.9"]),
)
@examples(60)
def test_uneven_parts_cost_no_more_than_claimed(
    values: int, blocks: int, parts: int, repeats: int, p: str
) -> None:
    """Any shape, not only those that plans choose: weights, lengths and laws as they are."""
    if values // blocks // parts < 1:
        return
    problem = whole(values, 1, 2, p)
    cells = ceil_div(ceil_div(values, blocks), parts)
    shape = Member(shape=noisy_shape(blocks, 0, parts, repeats, parts, 0), part_cells=cells)
    strategy = staged_noisy(problem, values, blocks, 0, parts, repeats, parts, 0)
    claimed = dict(claims(problem, shape).losses)["cut"]
    assert wrong_parts(strategy) <= claimed * (1 + 1e-12)


@pytest.mark.parametrize("ratio", ["1/3", "1/2", "2/3", "9/10", "1"])
@pytest.mark.parametrize(("parts", "repeats"), [(2, 1), (3, 2), (5, 3), (7, 6)])
def test_a_better_p_than_promised_is_safe(ratio: str, parts: int, repeats: int) -> None:
    """The claim at p covers every better p, and never fewer parts are kept than the level."""
    delta = Fraction(ratio) / parts

    def claim(p: Fraction) -> Fraction:
        problem = Problem(delta / 4, delta, 2, p=p)
        member = Member(shape=noisy_shape(1, 0, parts, repeats, parts, 0), part_cells=4)
        return claims(problem, member).success

    chances = [Fraction(each, 100) for each in range(51, 100, 3)]
    found = [claim(each) for each in chances]
    assert found == sorted(found, reverse=True)
    assert all(each >= Fraction(1, parts) for each in found)
    if Fraction(ratio) <= Fraction(1, 2):
        assert set(found) == {Fraction(1, parts)}
    for p in chances:
        problem = Problem(delta / 4, delta, 2, p=p)
        shape = Member(shape=noisy_shape(1, 0, parts, repeats, parts, 0), part_cells=4)
        assert Division.of(problem, shape).least_kept(repeats, Fraction(5, 2)) >= 3


ROUNDS = [
    Problem("0.001", "0.02", 5, p="0.9", confidence="0.95"),
    Problem("0.01", "0.04", 2, p="0.8"),
    whole(97, 5, 3, "0.9", confidence="0.9"),
    Problem("0.01", "0.05", 4, p="0.9", confidence="0.9", dim=2),
    Problem("1/84", "1/4", 3, p="0.75", confidence="0.9", dim=3),  # a bare search is too slow
]


@pytest.mark.parametrize("problem", ROUNDS, ids=range(len(ROUNDS)))
def test_rounds_can_be_bought_with_questions(problem: Problem) -> None:
    free = plan(problem)
    with pytest.raises(NoPlan, match="rounds") as refused:
        plan(problem, max_rounds=2)
    fewest = int(refused.value.remedy.split()[1])
    assert 2 < fewest < free.rounds
    limits = [fewest, (fewest + free.rounds) // 2, free.rounds - 1, free.rounds]
    queries = []
    for limit in limits:
        found = plan(problem, max_rounds=limit)
        assert found.rounds <= limit
        assert found.private
        assert found.losses is not None
        assert found.losses["total"] <= found.losses["allowed"] + 1e-12
        queries.append(found.queries)
    assert queries == sorted(queries, reverse=True)
    assert queries[-1] == free.queries
    with pytest.raises(NoPlan, match=f"allow {fewest}"):
        plan(problem, max_rounds=fewest - 1)


@pytest.mark.parametrize(("values", "reach", "level"), [(13, 1, 7), (26, 2, 7), (9, 1, 5)])
def test_whole_values_may_be_cut_into_parts_that_are_all_alike(
    values: int, reach: int, level: int
) -> None:
    """Nearly all fewer parts are uneven, and spoil privacy; where none is searched all are kept."""
    found = plan(whole(values, reach, level, "0.9", confidence="0.9"))
    assert found.private
    assert found.adversary_success is not None
    assert found.adversary_success <= Fraction(1, level)
    strategy = staged(found)
    assert strategy.shape.hide or strategy.shape.kept == strategy.shape.parts


def test_one_coordinate_may_hide_less_than_another() -> None:
    """Three places in each of two coordinates do not fit; five in all do."""
    problem = Problem("3/50", "3/10", 5, p="0.97", confidence="0.9", dim=2)
    found = plan(problem)
    assert (found.private, found.certificate) == (True, "theorem")
    with pytest.raises(NoPlan, match=f"allow {found.rounds}"):
        plan(problem, max_rounds=1)


@examples(40)
@given(
    level=st.integers(2, 12),
    values=st.integers(12, 300),
    stepped=st.booleans(),
    near=st.integers(80, 100),
    p=st.sampled_from(["0.6", "0.75", "0.97"]),
    confidence=st.sampled_from([None, "0.5", "0.9"]),
    dim=st.integers(1, 3),
)
def test_a_narrower_secret_that_a_refusal_names_works(
    level: int,
    values: int,
    stepped: bool,
    near: int,
    p: str,
    confidence: str | None,
    dim: int,
) -> None:
    parts = next(k for k in range(1, 13) if k**dim >= level)
    wanted = max(1, values * near // (100 * parts))
    delta = Fraction(wanted, values)
    epsilon = Fraction(1, values) if stepped else delta / (4 + values % 32)

    def problem(epsilon: Fraction, delta: Fraction) -> Problem:
        number = values if stepped else None
        return Problem(epsilon, delta, level, p=p, confidence=confidence, dim=dim, values=number)

    try:
        plan(problem(epsilon, delta))
    except NoPlan as error:
        named = {k: Fraction(v) for k, v in re.findall(r"(\w+) = (\S+)", error.remedy)}
        assert stepped or named
        if named:
            assert named["delta"] < delta
            assert plan(problem(named.get("epsilon", epsilon), named["delta"])).private
    except InvalidValue:  # more parts than values
        assume(False)


@pytest.mark.parametrize("more", [{"confidence": "0.9"}, {}])
def test_a_budget_under_noise(more: dict[str, Any]) -> None:
    """Every figure is that of a plan, and one step further costs too much."""

    def cost(delta: Fraction | str, level: int) -> int:
        return plan(Problem("0.01", delta, level, p="0.9", **more)).queries

    bought = afford(queries=150, epsilon="0.01", delta="0.05", p="0.9", **more)
    assert bought.plan.problem.p == Fraction("0.9")
    assert cost("0.05", bought.level) == bought.plan.queries <= 150 < cost("0.05", bought.level + 1)
    bought = afford(queries=100, epsilon="0.01", level=3, p="0.9", **more)
    assert cost(bought.delta, 3) == bought.plan.queries <= 100
    wider = bought.delta + Fraction(1, 100)
    assert wider > Fraction(1, 4) or cost(wider, 3) > 100
    with pytest.raises(NoPlan, match="too few"):
        afford(queries=10, epsilon="0.01", delta="0.05", p="0.9", **more)
    with pytest.raises(NoPlan, match=r"no noisy plan is private enough.* delta = 1/3 works"):
        afford(queries=10**6, epsilon="0.01", delta="0.5", p="0.9", **more)
    with pytest.raises(NoPlan, match=r"max_rounds = 3: .* rounds or more"):
        afford(queries=10**6, epsilon="0.01", delta="0.05", max_rounds=3, p="0.9", **more)


@pytest.mark.parametrize("truth", ["0.8", "0.9", "0.99"])
def test_better_answers_than_promised_cost_no_accuracy(truth: str) -> None:
    """Nothing is proved of the estimate there; this is what simulation says."""
    found = plan(Problem("0.01", "0.05", 2, p="0.75", confidence="0.9"))
    better = Problem("0.01", "0.05", 2, p=truth, confidence="0.9")
    random = np.random.default_rng(2)
    targets = random.integers(found.cells, size=(3000, 1))
    point = play(Promised(found.strategy, better), targets, random).estimate.point
    place = targets + random.random(targets.shape)
    missed = (np.abs(point - place) / found.cells[0] > float(better.epsilon) / 2 + 1e-12).sum()
    assert binom.sf(missed - 1, 3000, 0.1) >= 1e-6
