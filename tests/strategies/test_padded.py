"""Padding: a strategy that stops early asks the left end instead."""

import numpy as np
from tests.support.checks import drive, information, obeys
from tests.support.strategies import staged

from feint import Problem
from feint.branches import success
from feint.interfaces import UNASKED, Round
from feint.strategies import (
    Scalar,
)
from feint.strategies.retired import (
    Padded,
)

PROBLEM = Problem("1/8", "1/4", 2)


def ladder(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    """Ask 1, 2, 3 … until the answer is no, then stop."""
    return [len(answers) + 1 if all(yes for (yes,) in answers) else UNASKED]


def unpadded() -> Scalar:
    return Scalar(PROBLEM, 8, (Round("climb", (0,)),) * 7, ladder)


def test_the_gaps_are_filled_at_the_left_end() -> None:
    strategy = Padded(unpadded())
    points, estimate, _ = drive(strategy, np.arange(8)[:, None], [])
    assert points[0].tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert points[7].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert estimate.low[:, 0].tolist() == list(range(8))
    assert estimate.high[:, 0].tolist() == list(range(1, 9))
    obeys(strategy)


def test_what_is_overheard_is_the_same() -> None:
    """Where the padding begins tells as much as where the queries ended."""
    filled = {
        tuple(0 if point == UNASKED else point for point in transcript): sorted(
            (int(low[0]), int(high[0])) for low, high in boxes
        )
        for transcript, boxes in information(unpadded()).items()
    }
    padded = information(Padded(unpadded()))
    assert set(padded) == set(filled)
    assert all(
        sorted((int(low[0]), int(high[0])) for low, high in boxes) == filled[transcript]
        for transcript, boxes in padded.items()
    )
    assert success(Padded(unpadded())) == success(unpadded())


def test_the_inner_strategy_hears_no_whatever_is_answered() -> None:
    strategy = Padded(unpadded())
    state = strategy.tell(strategy.start(1), np.array([[False]]))
    for known in (True, False):
        assert not strategy.tell(state, np.array([[known]])).answers[0, 1]


def test_a_full_strategy_is_left_alone() -> None:
    full = staged(PROBLEM, 8, (), 3, 2, (2, 2))
    strategy = Padded(full)
    obeys(strategy)
    assert (strategy.problem, strategy.cells, strategy.rounds) == (
        full.problem,
        full.cells,
        full.rounds,
    )
    assert success(strategy) == success(full)
