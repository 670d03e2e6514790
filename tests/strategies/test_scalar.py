"""The scalar adapter: a few lines of plain Python equal the vectorised strategies."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.support.checks import information, obeys
from tests.support.strategies import staged

from feint import InvalidValue, Problem
from feint.branches import success
from feint.interfaces import UNASKED, Round, Strategy
from feint.simulate import play
from feint.strategies import Scalar

PROBLEM = Problem("1/16", "1/4", 2)
ONE = Round("ask", (0,))


def bisect(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    low, size = 0, 16
    for (yes,) in answers:
        size //= 2
        low += size if yes else 0
    return [low + size // 2]


def replicate(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    """Four parts of four cells; a coin picks which neighbour is searched alongside."""
    if not answers:
        return [4, 8, 12]
    true = sum(answers[0])
    first = (true - coins[0]) % 4
    parts = sorted([first, (first + 1) % 4])
    offset, size = 0, 4
    for told in answers[1:]:
        size //= 2
        offset += size if told[parts.index(true)] else 0
    return [4 * part + offset + size // 2 for part in parts]


def wide(*widths: int) -> tuple[Round, ...]:
    return tuple(Round("ask", (0,) * width) for width in widths)


def alike(one: Strategy, two: Strategy) -> None:
    first, second = information(one), information(two)
    assert set(first) == set(second)
    for transcript, boxes in first.items():
        ours = sorted((low.tolist(), high.tolist()) for low, high in boxes)
        assert ours == sorted((low.tolist(), high.tolist()) for low, high in second[transcript])
    assert success(one) == success(two)


def test_bisection() -> None:
    strategy = Scalar(PROBLEM, 16, (ONE,) * 4, bisect)
    obeys(strategy)
    alike(strategy, staged(PROBLEM, 16, (2, 2, 2), 1, 1, (2,)))


def test_replicated_bisection_with_a_coin() -> None:
    strategy = Scalar(PROBLEM, 16, wide(3, 2, 2), replicate, sides=(0, 2))
    table = staged(PROBLEM, 16, (), 4, 2, (2, 2))
    obeys(strategy)
    alike(strategy, table)
    targets = np.arange(16)[:, None].repeat(5, axis=0)
    runs = [play(each, targets, np.random.default_rng(7)) for each in (strategy, table)]
    assert np.array_equal(runs[0].transcript.points, runs[1].transcript.points)
    assert np.array_equal(runs[0].estimate.low, runs[1].estimate.low)


def test_a_coin_before_the_first_query() -> None:
    def grid(answers: Sequence[Sequence[bool]], coins: Sequence[int]) -> list[int]:
        return [1, 2, 3] if coins[0] else [3, 2, 1]

    strategy = Scalar(Problem("1/4", "1/4", 2, values=4), 4, wide(3), grid, sides=(2,))
    assert set(information(strategy)) == {(1, 2, 3), (3, 2, 1)}
    obeys(strategy)


def test_it_is_called_once_a_past() -> None:
    calls = []

    def counted(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
        calls.append(answers)
        return bisect(answers, coins)

    strategy = Scalar(PROBLEM, 16, (ONE,) * 4, counted)
    play(strategy, np.arange(16).repeat(1000)[:, None], np.random.default_rng(0))
    assert len(calls) == 2 * (1 + 2 + 4 + 8)


def test_widths_and_points_are_checked() -> None:
    short = Scalar(PROBLEM, 16, wide(2), bisect)
    with pytest.raises(InvalidValue, match="function = 1 points: must return 2 points for round 0"):
        short.ask(short.start(3))
    astray = Scalar(PROBLEM, 4, (ONE,), bisect)
    with pytest.raises(InvalidValue, match="boundaries of the lattice, 0 to 4"):
        astray.ask(astray.start(3))


def test_points_left_out_say_nothing() -> None:
    strategy = Scalar(PROBLEM, 16, wide(2), lambda answers, coins: [8, UNASKED])
    state = strategy.start(2)
    for known in (True, False):
        told = strategy.tell(state, np.array([[True, known], [False, known]]))
        found = strategy.estimate(told)
        assert found.low.tolist() == [[8], [0]]
        assert found.high.tolist() == [[16], [8]]


@pytest.mark.parametrize("returned", [[3.7], 3, None, ["x"]])
def test_a_function_that_returns_no_boundaries_is_named(returned: Any) -> None:
    strategy = Scalar(Problem("1/8", "1/4", 2), 8, (Round("ask", (0,)),), lambda _, __: returned)
    with pytest.raises(InvalidValue, match="sequence of whole numbers"):
        strategy.ask(strategy.start(1))


def test_a_scalar_strategy_has_one_coordinate() -> None:
    with pytest.raises(InvalidValue, match="use Product"):
        Scalar(Problem("1/8", "1/4", 2), 8, (Round("ask", (1,)),), lambda _, __: [1])
