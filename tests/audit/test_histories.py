"""The histories of a noisy search that fit its queries, against each of them by itself."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.noisy import brute
from tests.support.strategies import staged_noisy

from feint import Problem
from feint.audit.histories import Truth, _Walk, likelihood
from feint.audit.posterior import joint
from feint.strategies import Pursuit, PursuitState, StagedNoisy

CELLS, P = 5, 0.55
SEARCH = Pursuit(Fraction(11, 20), "tilted")
POINTS = (2, 2, 3, 3)  # they leave 9 states
Histories = dict[tuple[bool, ...], tuple[float, PursuitState]]
"""The chance of the coins, and where the search stands, by the answers."""


def chance(points: tuple[int, ...], told: tuple[bool, ...]) -> NDArray[np.float64]:
    """[cells] P(answers | X*)."""
    right = ((np.arange(CELLS) >= np.array(points)[:, None]) == np.array(told)[:, None]).sum(axis=0)
    found: NDArray[np.float64] = P**right * (1 - P) ** (len(points) - right)
    return found


def belief(points: tuple[int, ...], told: tuple[bool, ...]) -> tuple[tuple[int, int], ...]:
    """The yeses at every point asked about: histories that agree in these are one state."""
    return tuple(
        sorted(
            (point, sum(yes for p, yes in zip(points, told, strict=True) if p == point))
            for point in set(points)
        )
    )


def by_hand(answers: tuple[bool, ...], most: int) -> tuple[NDArray[np.float64] | None, bool]:
    """[cells] P(queries and what she is told | X*), and whether she is told anything.

    Whenever there are more than `most` states they are ranked by their chance, X* uniform, and cut
    into groups of half as many: she is told the group that the true one is in. None where the
    search does not ask these queries with these answers.
    """
    held: Histories = {(): (1.0, SEARCH.start(np.array([CELLS])))}
    helped = False
    for number, point in enumerate(POINTS, 1):
        heard, after = POINTS[:number], Histories()
        for told, (coins, state) in held.items():
            side, left = point - int(state.cell[0]), float(state.left[0])
            if share := {0: left, 1: 1 - left}.get(side, 0.0):
                tossed = SEARCH.toss(state, np.array([side]))
                for answer in (False, True):
                    now = SEARCH.tell(tossed, np.array([answer]))
                    after[*told, answer] = coins * share, now
        if answers[:number] not in after:
            return None, helped
        mass = dict.fromkeys((belief(heard, told) for told in after), 0.0)
        for told, (coins, _) in after.items():
            mass[belief(heard, told)] += coins * chance(heard, told).mean()
        if len(mass) > most:
            ranked = sorted(mass, key=lambda each: -mass[each])
            size, true = max(1, most // 2), ranked.index(belief(heard, answers[:number]))
            first = true // size * size
            group, helped = ranked[first : first + size], True
            after = {told: each for told, each in after.items() if belief(heard, told) in group}
        held = after
    parts = [coins * chance(POINTS, told) for told, (coins, _) in held.items()]
    return np.sum(parts, axis=0), helped


@pytest.mark.parametrize("most", [1, 4, 5, 8, 9])
def test_states_are_ranked_by_their_chance_and_told_in_groups(most: int) -> None:
    """Whatever the answers were; and what is told once is told of every state that is left."""
    seen = set()
    for answers in product((False, True), repeat=len(POINTS)):
        wanted, helped = by_hand(answers, most)
        truth = Truth(np.array(answers), most)
        found = likelihood(SEARCH, CELLS, np.array(POINTS), found=None, truth=truth)
        if wanted is None:
            assert not found.value.any()
            assert (found.log, found.helped) == (0.0, False)
            assert len(found.value) == len(found.seen) + 1 == 3
        else:
            mine = found.at(np.arange(CELLS)) * math.exp(found.log)
            assert mine == pytest.approx(wanted, rel=1e-9)
            assert found.helped is helped
            seen.add(helped)
    assert seen == {most < 9}


def test_what_cannot_be_found_has_no_chance() -> None:
    """After these queries the search ends in one of the cells that it asked about, or at an end."""
    whole = likelihood(SEARCH, CELLS, np.array(POINTS), found=None, truth=None)
    places, total = np.arange(CELLS), np.zeros(CELLS)
    for cell in range(CELLS):
        found = likelihood(SEARCH, CELLS, np.array(POINTS), found=cell, truth=None)
        assert list(found.seen) == [2, 3]
        assert not found.helped
        if cell in (1, 4):  # inside a stretch that no answer tells apart: never the first of it
            assert (list(found.value), found.log) == ([0.0] * 3, 0.0)
        total += found.at(places) * math.exp(found.log)
    assert total == pytest.approx(whole.at(places) * math.exp(whole.log), rel=1e-9)


def test_one_who_is_helped_stays_so_where_nothing_is_found() -> None:
    truth = Truth(np.array([True, False, False, True]), 1)
    found = likelihood(SEARCH, CELLS, np.array(POINTS), found=1, truth=truth)
    assert found.helped
    assert (list(found.value), found.log) == ([0.0] * 3, 0.0)


def test_queries_that_nobody_asks_have_no_chance() -> None:
    """The first query is an end of the middle cell."""
    found = likelihood(SEARCH, CELLS, np.array([1, 1]), found=None, truth=None)
    assert (list(found.seen), list(found.value)) == ([1], [0.0, 0.0])
    assert (found.log, found.helped) == (0.0, False)


def test_beliefs_that_differ_must_not_share_a_key() -> None:
    """With one name for every point, yes and no at two points are as no and yes."""
    walk = _Walk(SEARCH, CELLS, np.array(POINTS), None)
    walk.names[:] = 1
    assert walk.step(0)
    assert walk.step(1)
    with pytest.raises(RuntimeError, match=r"^two beliefs have one key$"):
        walk.step(2)


def test_a_transcript_of_somebody_else_is_refused() -> None:
    strategy = _member(1)
    points = next(iter(brute(strategy)))
    other = np.array((*points[:-2], 1, 9))
    with pytest.raises(RuntimeError, match=r"^the strategy does not ask these queries$"):
        joint(strategy, other, None)


@pytest.mark.parametrize("kept", [2, 3])
def test_without_a_last_stage_only_the_cuts_are_heard(kept: int) -> None:
    """Every X* asks the same: nothing is heard, and each transcript agrees with brute force."""
    strategy = _member(0, kept=kept)
    for points, mass in brute(strategy).items():
        found = joint(strategy, np.array(points), None)
        mine = np.repeat(found.mass, np.diff(found.edges)) * math.exp(found.log)
        assert mine == pytest.approx(mass, rel=1e-9)


def _member(hide: int, *, kept: int = 2) -> StagedNoisy:
    """Three parts of four cells, with so many questions in the last stage."""
    problem = Problem("1/12", "1/3", 2, p="0.8")
    return staged_noisy(problem, 12, 1, 0, 3, 1, kept, hide)
