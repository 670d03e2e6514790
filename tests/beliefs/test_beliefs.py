"""Beliefs: the counts a piece are those of a dense belief, and equal beliefs are equal bits."""

from fractions import Fraction
from inspect import unwrap
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.support.examples import examples

from feint.beliefs import (
    Belief,
    best_window,
    changes,
    densest,
    learn,
    median,
    quantile,
    scores,
    uniform,
    weigh,
)
from feint.beliefs import pieces as kernels

history = st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=30)


def dense(told: list[tuple[int, bool]], size: int) -> NDArray[np.int64]:
    """How many answers agree with each cell."""
    cells = np.arange(size)
    counts = np.zeros(size, np.int64)
    for point, answer in told:
        counts += (cells >= point) == answer
    return counts


def believed(told: list[tuple[int, bool]], size: int) -> Belief:
    belief = uniform(np.array([size]))
    for point, answer in told:
        belief = learn(belief, np.array([point]), np.array([answer]))
    return belief


def spread(belief: Belief) -> NDArray[np.int64]:
    """The score of every cell."""
    edges, steps = changes(belief)
    cells = np.repeat(scores(steps)[0], np.diff(edges[0], prepend=0, append=belief.size[0]))
    cells -= cells.max()
    return cells


@given(history)
def test_scores_are_the_counts_less_the_most(told: list[tuple[int, bool]]) -> None:
    counts = dense(told, 12)
    belief = believed(told, 12)
    assert (spread(belief) == counts - counts.max()).all()
    used = int(belief.used[0])
    assert (np.diff(belief.edges[0, :used], prepend=0, append=12) > 0).all()
    assert belief.steps[0, :used].all()
    assert densest(belief)[0] == counts.argmax()


@given(history, st.randoms(use_true_random=False))
def test_equal_beliefs_are_equal_bits(told: list[tuple[int, bool]], random: Random) -> None:
    again = sorted(told, key=lambda _: random.random())
    again += [(5, True), (5, False)]
    first, second = believed(told, 12), believed(again, 12)
    used = int(first.used[0])
    assert used == second.used[0]
    assert (first.edges[:, :used] == second.edges[:, :used]).all()
    assert (first.steps[:, :used] == second.steps[:, :used]).all()


@given(history, st.fractions(Fraction(51, 100), Fraction(99, 100)))
def test_the_median_is_the_dense_one(told: list[tuple[int, bool]], p: Fraction) -> None:
    odds = p / (1 - p)
    mass = [odds ** int(count) for count in dense(told, 12)]
    cell, below, inside = (each[0] for each in median(believed(told, 12), float(odds)))
    total = sum(mass)
    assert below == pytest.approx(float(sum(mass[:cell]) / total), abs=1e-12)
    assert inside == pytest.approx(float(mass[cell] / total), rel=1e-9)
    assert below <= 0.5 + 1e-12
    assert below + inside >= 0.5 - 1e-12


@given(history)
def test_all_answers_at_once_are_the_same_belief(told: list[tuple[int, bool]]) -> None:
    points = np.array([[point for point, _ in told]], np.int64).reshape(1, -1)
    steps = np.array([[2 * answer - 1 for _, answer in told]], np.int64).reshape(1, -1)
    edges, density = weigh(points, steps, 12, 3.0)
    cells = np.repeat(density[0], np.diff(edges[0]))
    assert cells == pytest.approx(3.0 ** spread(believed(told, 12)))


def test_a_hundred_thousand_answers_do_not_underflow() -> None:
    belief = uniform(np.array([1000]))
    for number in range(100_000):
        point = 301 if number % 2 else 300
        belief = learn(belief, np.array([point]), np.array([number % 2 == 0]))
    assert belief.steps[0, : belief.used[0]].tolist() == [50_000, -50_000]
    cell, below, inside = median(belief, 9.0)
    assert (cell[0], below[0], inside[0]) == (300, 0.0, 1.0)


def test_compiled_and_plain_agree_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    runs = 300  # enough rows for numba
    belief = plain = uniform(np.full(runs, 10**12))
    for _ in range(40):
        with monkeypatch.context() as patch:
            for name in ("_learn", "_median", "_densities", "_densest"):
                patch.setattr(kernels, name, unwrap(getattr(kernels, name)))
            slow = _all(plain)
            answer = random.random(runs) < 0.5
            plain = learn(plain, slow[0] + 1, answer)
        fast = _all(belief)
        assert all(np.array_equal(a, b) for a, b in zip(fast, slow, strict=True))
        belief = learn(belief, fast[0] + 1, answer)


def _all(belief: Belief) -> list[Any]:
    """Whatever kernels say of a belief; the median's cell first."""
    return [
        *median(belief, 3.0),
        *kernels.densities(belief, 3.0),
        densest(belief),
        *changes(belief),
        belief.used,
    ]


densities = st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=1, max_size=8)


@given(densities, st.floats(0.1, 20))
@examples(300)
def test_windows_and_medians_by_fine_sums(shape: list[tuple[int, float]], reach: float) -> None:
    edges = np.concatenate(([0], np.cumsum([length for length, _ in shape])))[None]
    density = np.array([[weight for _, weight in shape]])
    if (np.diff(edges) * density).sum() <= 1e-3:
        return
    heap = np.concatenate(([0.0], np.cumsum(np.diff(edges[0]) * density[0])))

    def below(x: NDArray[np.float64]) -> NDArray[np.float64]:
        keep = np.concatenate(([True], np.diff(edges[0]) > 0))
        return np.interp(x, edges[0][keep], heap[keep])

    starts = np.concatenate((edges[0], edges[0] - reach, np.linspace(-1, 40, 500)))
    best = (below(starts + reach) - below(starts)).max()
    (cell, rest), mass = best_window(edges, density, reach)
    start = cell + rest - reach / 2
    assert mass[0] == pytest.approx(best, abs=1e-9)
    assert below(start + reach) - below(start) == pytest.approx(best, abs=1e-9)
    spot = quantile(edges, density, 0.5)
    middle = spot.cell + spot.rest
    assert below(middle) == pytest.approx(heap[-1] / 2, abs=1e-9)
