"""Samples that grow: what the best eavesdropper wins who hears their sizes, by brute force."""

from fractions import Fraction
from functools import partial

import pytest
from tests.support.grown import Outcome, best_success, outcomes, searches

from feint import Problem
from feint.simulate.oracles import GrowingSample
from feint.strategies import SequentialNoisy, SequentialShape, vote

FIVE = GrowingSample(first=5)
GROWS = GrowingSample(first=3, more=2, batches=2, lead=3)  # the majority of five, curtailed
SURE: list[Outcome] = [(True, 1, Fraction(1))]
NEAR, FAR = Fraction(3, 5), Fraction(9, 10)  # how often voters are right beside X*, and elsewhere


def member(
    parts: int, kept: int, cells: int, *, blocks: int = 1, narrow: int = 0, hide: int = 9
) -> SequentialNoisy:
    """Return a member with `cells` cells in a part, each inner boundary asked about once."""
    shape = SequentialShape(
        blocks=blocks,
        narrow_cap=(narrow, 0),
        parts=parts,
        repeats=1,
        kept=kept,
        hide_error=Fraction(1, 10),
        hide_cap=(hide, 0),
    )
    problem = Problem("1/100", "1/20", 2, p="0.8", confidence="0.9")
    return SequentialNoisy(problem, blocks * parts * cells, shape)


def bound(parts: int, kept: int, share: Fraction, p: Fraction) -> float:
    """Return B = [1 + (2δ/w − 1)Ā]/L' for windows of this share of a part."""
    return float((1 + (2 * share - 1) * Fraction(vote(parts, 1, float(p)).lost)) / kept)


@pytest.mark.parametrize("right", [Fraction(7, 10), Fraction(9, 10)])
@pytest.mark.parametrize(
    ("parts", "kept", "cells"),
    [(2, 2, 4), (3, 3, 3), pytest.param(3, 2, 3, marks=pytest.mark.long)],
)
def test_samples_of_hiding_may_grow(parts: int, kept: int, cells: int, right: Fraction) -> None:
    fixed, grows = outcomes(FIVE, right), outcomes(GROWS, right)
    strategy = member(parts, kept, cells, hide=2)
    p = sum((often for good, _, often in fixed if good), Fraction(0))
    for wide in (1, cells // 2, cells):
        found = best_success(strategy, wide, lambda _, __, hidden: grows if hidden else fixed)
        assert found <= bound(parts, kept, Fraction(wide, cells), p) + 1e-12


def of_distance(sample: GrowingSample, far: Fraction, cell: int, point: int) -> list[Outcome]:
    """Return how a sample ends whose voters err more about the two boundaries beside X*."""
    return outcomes(sample, NEAR if point in (cell, cell + 1) else far)


@pytest.mark.parametrize(("parts", "kept"), [(2, 2), (3, 3), (3, 2)])
def test_samples_of_hiding_may_grow_where_voters_near_err_more(parts: int, kept: int) -> None:
    """1/L' + P{k̂ ≠ k*} at the least p, sizes heard."""
    strategy, won = member(parts, kept, 2, hide=1), 0.0
    least = sum((often for good, _, often in outcomes(FIVE, NEAR) if good), Fraction(0))
    fixed, grows = partial(of_distance, FIVE, FAR), partial(of_distance, GROWS, FAR)
    error = vote(parts, 1, float(least)).error

    def told(cell: int, point: int, hidden: bool) -> list[Outcome]:
        return (grows if hidden else fixed)(cell, point)

    for wide in (1, 2):
        won = max(won, float(best_success(strategy, wide, told)))
    assert 0.9 / kept < won <= 1 / kept + error


@pytest.mark.parametrize(("parts", "apart"), [(2, "1.45"), (3, "1.7785")])
def test_copies_must_grow_together(parts: int, apart: str) -> None:
    """Voters beside X* err more, the vote is right: together exactly 1/L', apart much more."""
    strategy, answer = member(parts, parts, 2, hide=1), partial(of_distance, GROWS, FAR)

    def told(cell: int, point: int, hidden: bool) -> list[Outcome]:
        return answer(cell, point) if hidden else SURE

    assert best_success(strategy, 2, told) == Fraction(1, parts)
    assert best_success(strategy, 2, told, apart=True) == Fraction(apart) / parts


def test_samples_of_the_cut_must_not_stop_early() -> None:
    """Two of three that agree are surer than three: C = 3, voters right 4 times in 5, δ = w/2."""
    right, wrong = Fraction(4, 5), Fraction(1, 5)
    agree = [(True, 2, right**2), (False, 2, wrong**2)]
    early = [*agree, (True, 3, 2 * right**2 * wrong), (False, 3, 2 * right * wrong**2)]
    fixed = outcomes(GrowingSample(first=3), right)
    strategy = member(3, 3, 4)

    def won(cut: list[Outcome]) -> Fraction:
        return best_success(strategy, 2, lambda _, __, hidden: SURE if hidden else cut)

    assert won(fixed) == Fraction(1, 3)  # B, whatever the vote, since δ = w/2
    assert won(early) == Fraction("1.00768") / 3


def test_samples_of_narrowing_must_not_grow() -> None:
    """Where voters err beside X* only, a sample that grows says that X* is near."""
    strategy = member(2, 2, 2, blocks=2, narrow=1)

    def won(sample: GrowingSample) -> Fraction:
        def told(cell: int, point: int, hidden: bool) -> list[Outcome]:
            is_narrow = point == strategy.size // 2 and not hidden
            return of_distance(sample, Fraction(1), cell, point) if is_narrow else SURE

        return best_success(strategy, 2, told)

    assert won(FIVE) == Fraction(1, 2)
    assert won(GROWS) == Fraction("1.36") / 2


def test_the_mean_number_of_voters_is_that_of_walds_identity() -> None:
    strategy, right = member(2, 2, 2, hide=4), Fraction(7, 10)
    fixed, grows = outcomes(FIVE, right), outcomes(GROWS, right)
    voters, cut, hidden = Fraction(0), Fraction(0), Fraction(0)
    for cell in range(strategy.size):
        for heard, chance in searches(strategy, cell, lambda _, some: grows if some else fixed):
            often = chance / strategy.size
            voters += often * sum(
                size * len(asked) // len(some) for asked, some in heard for size in some
            )
            cut += often * len(heard[0][0])
            hidden += often * sum(len(asked) for asked, _ in heard[1:])
    assert hidden < strategy.hiding_stage.queries
    assert voters == 5 * cut + GROWS.mean("0.2") * hidden
