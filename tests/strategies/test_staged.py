"""The staged family: exact success, uneven sizes, and the numbers of the theory."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.checks import drive, obeys
from tests.support.strategies import staged as made

from feint import Problem
from feint.branches import success
from feint.simulate import play
from feint.strategies import Staged
from feint.strategies.closed import _yes


def staged(
    problem: Problem, narrow: tuple[int, ...], parts: int, kept: int, hide: tuple[int, ...]
) -> Staged:
    """A member on the lattice where every step divides."""
    size = math.prod(narrow) * parts * math.prod(hide)
    return made(problem, size, narrow, parts, kept, hide)


@pytest.mark.parametrize(
    ("widths", "shape", "queries", "exact"),
    [  # each by hand: min(a, δ)/(a·L_p) with a the piece before the last step
        (("1/9", "2/9", 3), ((), 3, 2, (3,)), 6, Fraction(1, 3)),
        (("1/64", "1/12", 3), ((2,), 4, 3, (2, 2, 2)), 13, Fraction(1, 3)),
        (("1/25", "2/25", 7), ((), 5, 3, (5,)), 16, Fraction(2, 15)),
        (("1/8", "1/4", 3), ((), 4, 3, (2,)), 6, Fraction(1, 3)),
    ],
)
def test_enumerated_success(
    widths: tuple[str, str, int],
    shape: tuple[tuple[int, ...], int, int, tuple[int, ...]],
    queries: int,
    exact: Fraction,
) -> None:
    strategy = staged(Problem(*widths), *shape)
    assert sum(len(each.coordinates) for each in strategy.rounds) == queries
    assert success(strategy) == exact


def test_whole_numbers_with_uneven_parts() -> None:
    """97 values, D = 7, L = 4: two blocks, (C/L_e)·⌈b/C⌉/97 each: (10 + 10)/97."""
    problem = Problem("1/97", "7/97", 4, values=97)
    assert success(made(problem, 97, (2,), 5, 5, (2, 2, 2, 2))) == Fraction(20, 97)


steps = st.lists(st.integers(2, 4), max_size=2).map(tuple)
finish = st.lists(st.integers(2, 4), min_size=1, max_size=3).map(tuple)


@given(st.integers(2, 60), steps, st.integers(1, 5), st.data())
def test_laws_on_any_lattice(
    size: int, narrow: tuple[int, ...], parts: int, data: st.DataObject
) -> None:
    """Sizes need not divide; accuracy then needs enough steps, which the last grid supplies."""
    kept = data.draw(st.integers(1, parts))
    hide = data.draw(finish)
    block = -(-size // math.prod(narrow))
    longest = -(-block // parts)
    enough = -(-longest // math.prod(hide[:-1]))
    strategy = made(
        Problem("1/8", "1/4", 2), size, narrow, parts, kept, (*hide[:-1], max(2, enough))
    )
    obeys(strategy)


def test_the_order_of_a_round_says_nothing_of_the_window() -> None:
    strategy = staged(Problem("1/64", "1/12", 3), (2,), 4, 3, (2, 2, 2))
    played = play(strategy, np.arange(64)[:, None] % strategy.size, np.random.default_rng(0))
    points = played.transcript.points
    for number, each in enumerate(strategy.rounds):
        columns = [i for i, r in enumerate(played.transcript.rounds) if r == number]
        assert (np.diff(points[:, columns], axis=1) > 0).all(), each


@pytest.mark.parametrize("parts", [3, 10_000])
def test_lattices_of_sixty_two_bits(parts: int) -> None:
    """Positions stay exact where a product of part and size would not fit in 64 bits."""
    size = 1 << 62
    strategy = made(Problem("2^-62", "2^-30", 3), size, (2,), parts, 3, (2,) * 62)
    targets = np.array([[0], [1], [size // 3], [size - 1]], np.int64)
    points, estimate, _ = drive(strategy, targets, [])
    assert (points >= 0).all()
    assert (points <= size).all()
    assert (estimate.low <= targets).all()
    assert (targets < estimate.high).all()
    assert (estimate.high - estimate.low == 1).all()


@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 6), st.integers(0, 2**32))
def test_the_answers_of_the_true_part_are_counted(
    runs: int, kept: int, width: int, seed: int
) -> None:
    """One run at a time: its part's columns, and how many of them say yes."""
    random = np.random.default_rng(seed)
    answers = random.random((runs, kept * width)) < 0.5
    number = random.integers(kept, size=runs)
    wanted = [
        int(row[part * width : (part + 1) * width].sum())
        for row, part in zip(answers, number, strict=True)
    ]
    for layout in (answers, np.asfortranarray(answers)):
        found = _yes(layout, number, width)
        assert found.tolist() == wanted
        assert found.dtype == np.int64


@pytest.mark.parametrize("kept", [1, 4])
def test_a_wide_round_is_counted_at_once(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over the columns took seconds a run on a grid of a million."""
    taken: list[int] = []

    def take(*words: Any) -> Any:
        taken.append(1)
        return words[0].take(*words[1:])

    monkeypatch.setattr("feint.strategies.closed.np.take", take)
    answers = np.ones((2, kept * 1000), bool, order="F")
    assert _yes(answers, np.array([0, kept - 1]), 1000).tolist() == [1000, 1000]
    assert len(taken) <= 1
