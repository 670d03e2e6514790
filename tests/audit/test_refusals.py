"""What an audit refuses: each error word for word, with argument, value, rule and remedy."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.strategies import staged, staged_noisy

from feint import Domain, InvalidValue, Plan, Problem, TooLarge, plan
from feint.audit import BestReply, Prior, audit, coordinates, noisy_audit, sample
from feint.audit.case import Course
from feint.audit.exact import LIMIT
from feint.audit.hearing import ALL, NOTHING
from feint.audit.keys import keyed
from feint.audit.places import Places
from feint.audit.posterior import joint
from feint.audit.tally import Tally
from feint.interfaces import Round
from feint.planning.plans import Certificate
from feint.problem import Line, Transcript
from feint.strategies import Product, Scalar, Staged

F = Fraction
LINE = Problem("1/8", "1/4", 2)
NINTHS = plan(Problem("1/9", "2/9", 3))
QUARTERS = staged(LINE, 8, (), 1, 1, (8,))
SQUARE = Product(Problem("1/8", "1/4", 2, dim=2), (QUARTERS, QUARTERS))
NOISY = staged_noisy(Problem("1/32", "1/8", 2, p="0.9"), 32, 1, 0, 2, 3, 2, 3)
VALUES = Problem("1/8", "1/4", 2, values=8)
HEARD = (
    "must be one of all, nothing, rounds(1-3), coordinates(0), questions(2,5-7), every(2),"
    " last(1), each(1/2); pick one of them"
)


class Joint(Staged):
    """A search of two coordinates in a way of its own."""

    cells = (8, 8)
    rounds = (Round("ask", (0, 1)),)


def coins(sides: int) -> Scalar:
    """Two cells, and one question after a coin of so many sides that decides nothing."""
    return Scalar(Problem("1/2", "1/2", 2), 2, (Round("ask", (0,)),), lambda *_: (1,), (sides,))


def of_one_block() -> object:
    """Two blocks that are not cut: no question says which of them it was."""
    whole = staged_noisy(Problem("1/32", "1/8", 2, p="0.9"), 16, 2, 3, 1, 1, 1, 3)
    return joint(whole, np.zeros(sum(len(each.coordinates) for each in whole.rounds), int), None)


def strange() -> object:
    """Queries that the strategy never asks."""
    strategy = NINTHS.strategy
    axes = tuple(axis for each in strategy.rounds for axis in each.coordinates)
    turns = tuple(i for i, each in enumerate(strategy.rounds) for _ in each.coordinates)
    heard = Transcript(np.full((1, len(axes)), 7), axes, turns, strategy.cells)
    return BestReply(strategy).guess(heard, np.random.default_rng(0))


def cells(count: int) -> BestReply:
    return BestReply(staged(Problem(F(1, count), "1/2", 2), count, (), 1, 1, (2,)))


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (
            lambda: audit(QUARTERS, runs=100, lemmas=True),
            "lemmas = True: lemmas are measured exactly, not on runs; leave runs out, or lemmas",
        ),
        (
            lambda: audit(QUARTERS, problem=Problem("1/8", "1/4", 2, dim=2)),
            "dim = 2: the strategy searches 1 coordinate; audit it against a problem with dim = 1",
        ),
        (
            lambda: audit(SQUARE, problem=LINE),
            "dim = 1: the strategy searches 2 coordinates; audit it against a problem with dim = 2",
        ),
        (
            lambda: audit(QUARTERS, problem=Problem("1/9", "1/3", 2, values=9)),
            "values = 9: the strategy searches 8 cells, and values are found one a cell;"
            " audit it against as many values",
        ),
        (
            lambda: audit(QUARTERS, problem=Problem("1/32", "1/8", 2, p="0.75")),
            "p = 0.75: the strategy is for answers that are always right;"
            " audit it against a problem with the same p",
        ),
        (
            lambda: audit(NOISY, problem=LINE),
            "p = None: the strategy is for answers that are right with probability 0.9;"
            " audit it against a problem with the same p",
        ),
        (
            lambda: audit(QUARTERS, problem=VALUES, prior=Prior([1, 2, 3])),
            "prior = 3 weights: must have one weight for each of the 8 values; give 8 weights",
        ),
        (lambda: audit(QUARTERS, hears="!"), f"hears = !: {HEARD}"),
        (lambda: audit(QUARTERS, hears="some"), f"hears = some: {HEARD}"),
        (
            lambda: audit(QUARTERS, runs=10, adversaries=[]),
            "adversaries = none: somebody must listen; name one",
        ),
        (
            lambda: sample(QUARTERS, [], runs=10, promise=F(1, 2)),
            "adversaries = none: somebody must listen; name one",
        ),
        (
            lambda: coordinates(staged(Problem("1/8", "1/4", 2, dim=2), 8, (), 1, 1, (8,), Joint)),
            "strategy = Joint: several coordinates are audited one by one, as the factors of a"
            " Product; make it a Product, or sample runs instead",
        ),
        (
            strange,
            "transcript = unknown: holds queries that the strategy never asks;"
            " reply to the strategy that was heard",
        ),
        (
            of_one_block,
            "parts = 1: a block that is not cut cannot be told from the queries;"
            " audit a plan with at least 2 parts, or 1 block",
        ),
        (
            lambda: noisy_audit(QUARTERS, runs=10, seed=0),
            "strategy = Staged: the noisy audit is for the staged family under noise, one"
            " coordinate at a time; audit each factor by itself",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_these_words(run: Callable[[], Any], words: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        run()
    assert str(refused.value) == words


def test_what_fits_just_so_is_audited() -> None:
    """The same strategy, as many values as it has cells, one weight for each or all alike."""
    assert audit(QUARTERS, problem=VALUES).private
    assert audit(QUARTERS, problem=VALUES, prior=Prior([1] * 8)).private
    assert audit(QUARTERS, problem=VALUES, prior=Prior([1, 2, 1, 1, 1, 2, 1, 1])).private
    assert audit(QUARTERS, problem=VALUES, prior=Prior([1, 1])).private
    assert audit(QUARTERS, prior=Prior([1, 1, 1])).private  # no values: any number of bins


def test_a_reply_tells_a_trillion_cells_apart_and_no_more() -> None:
    """2^40 cells are halved in one question; one more is refused."""
    most = 1 << 40
    cells(most)
    with pytest.raises(TooLarge) as refused:
        cells(most + 1)
    assert str(refused.value) == (
        f"cells = {most + 1}: a reply is a float, and tells at most {most} cells apart;"
        " measure the best reply by an exact audit instead"
    )


def test_a_thousand_keys_are_told_apart_and_no_more() -> None:
    """A coin of 1024 sides has as many keys, and there is one of 1025."""
    assert len(keyed(coins(1024), limit=LIMIT)) == 1024
    with pytest.raises(TooLarge) as refused:
        audit(coins(1025), repeat=2, motion="jump(1/2)")
    assert str(refused.value) == (
        "keys = 1025: at most 1024 ways its coins may fall are told apart; audit it with fresh_keys"
    )
    assert audit(coins(1025), repeat=2, motion="jump(1/2)", fresh_keys=True).private


def test_of_no_branch_nothing_is_measured() -> None:
    with pytest.raises(RuntimeError, match=r"^a strategy has at least one branch$"):
        Tally(QUARTERS, Places(Line.of_cells(8), F(1, 4))).step()


def test_branches_of_a_coordinate_that_is_not_heard_are_walked_for_its_accuracy() -> None:
    """One coordinate has 2 branches, the other 16: the limit lies between the two."""
    small = staged(Problem("1/2", "1/2", 2), 2, (), 1, 1, (2,))
    large = staged(Problem("1/16", "1/2", 2), 16, (), 1, 1, (2, 2, 2, 2))
    both = Product(Problem("1/2", "1/2", 2, dim=2), (small, large))
    with pytest.raises(TooLarge, match="branches"):
        audit(both, hears="coordinates(0)", limit=8)
    assert audit(both, hears="coordinates(0)", limit=16).accurate
    deaf = audit(both, hears="nothing", limit=8)
    assert any("worst of" in each for each in deaf.notes)


def test_theorems_are_named_by_what_they_rest_on() -> None:
    """Of a plan for a prior that is audited by another one, and of one sized by simulation."""
    units = Domain(0, 8)
    weights = [1, 2, 4, 1, 1, 4, 2, 1]
    made = plan(units.problem(epsilon=1, delta=2, level=2, prior=weights), domain=units)
    own = "method tight, enumerated when it was planned"
    assert audit(made).theorem == own
    other = audit(made, prior=Prior([1, 1, 1, 2])).theorem
    assert other == f"{own}, the number by the prior it was planned for"
    proved = "method tight, proved for its family in proofs/"
    assert audit(NINTHS).theorem == proved
    assert audit(NINTHS, prior=Prior([1, 1, 1, 2])).theorem == f"{proved}, the number uniform"
    sized = replace(Plan.of(NOISY), adversary_success=F(1, 2))
    assert audit(sized, runs=2).theorem == "none: method own does not promise this"
    reasons: list[tuple[Certificate, str]] = [
        ("calibrated", "its misses sized by simulation, its privacy proved in proofs/"),
        ("theorem", "proved for its family in proofs/"),
        ("exact", "enumerated when it was planned"),
    ]
    for certificate, why in reasons:
        found = replace(sized, certificate=certificate)
        assert found.private
        assert audit(found, runs=2).theorem == f"method own, {why}"


def test_an_audit_is_of_at_most_a_thousand_searches() -> None:
    given: dict[str, Any] = {"fresh_keys": False, "motion": None, "hears": ALL, "knows": NOTHING}
    assert Course.read(repeat=1000, **given).searches == 1000
    with pytest.raises(InvalidValue, match="repeat = 1001"):
        Course.read(repeat=1001, **given)
