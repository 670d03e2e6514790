"""A round whose coin was not tossed is not asked, and not answered."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.strategies import staged, staged_noisy

from feint import Problem
from feint.interfaces import Strategy
from feint.strategies import Pursuit, from_histories
from feint.strategies.retired import Tabular

NOISY = Problem("1/24", "1/6", 2, p="0.8", confidence="0.9")
SPARE = Problem("1/24", "1/6", 2)
TABLE = {(): [(1, 1), (2, 1)], ((1, True),): [(3, 1)], ((2, True),): [(3, 1)]}


def told(strategy: Strategy, rounds: int) -> tuple[Strategy, object]:
    """After some rounds in which every coin fell on its first side and all was answered no."""
    state = strategy.start(1)
    for round_ in strategy.rounds[:rounds]:
        while strategy.coin(state) is not None:
            state = strategy.toss(state, np.zeros(1, np.int64))
        state = strategy.tell(state, np.zeros((1, len(round_.coordinates)), bool))
    return strategy, state


UNTOSSED = {
    "which window": told(staged(SPARE, 24, (), 3, 2, (2, 4)), 1),
    "which window, under noise": told(staged_noisy(NOISY, 24, 1, 0, 3, 2, 2, 3), 1),
    "which end": told(staged_noisy(NOISY, 24, 3, 2, 2, 1, 2, 2), 0),
    "which end, in a part": told(staged_noisy(NOISY, 24, 1, 0, 2, 1, 2, 3), 1),
    "which branch of a table": told(from_histories(Problem("1/4", "1/2", 2), 4, TABLE), 0),
    "which branch": told(
        Tabular.from_histories(
            Problem("1/4", "1/2", 2),
            4,
            2,
            TABLE | {((1, False),): [(2, 1)], ((2, False),): [(1, 1)]},
        ),
        0,
    ),
}


@pytest.mark.parametrize("which", UNTOSSED)
def test_it_cannot_be_asked(which: str) -> None:
    strategy, state = UNTOSSED[which]
    assert strategy.coin(state) is not None
    with pytest.raises(RuntimeError, match="was not tossed"):
        strategy.ask(state)


@pytest.mark.parametrize(
    "which", ["which window", "which window, under noise", "which end", "which branch of a table"]
)
def test_it_cannot_be_answered(which: str) -> None:
    strategy, state = UNTOSSED[which]
    width = max(len(each.coordinates) for each in strategy.rounds)
    with pytest.raises(RuntimeError, match="was not tossed"):
        strategy.tell(state, np.zeros((1, width), bool))


def test_ties_in_a_vote_need_their_coin() -> None:
    strategy = staged_noisy(NOISY, 24, 1, 0, 3, 2, 2, 3)
    state = strategy.start(1)
    assert strategy.coin(state) is not None
    with pytest.raises(RuntimeError, match="was not tossed"):
        strategy.tell(state, np.zeros((1, 4), bool))


def test_a_search_by_itself() -> None:
    search = Pursuit(Fraction("0.8"), "tilted")
    with pytest.raises(RuntimeError, match="was not tossed"):
        search.ask(search.start(np.array([5])))
