"""Lattices of up to 2^62 cells, which floats cannot tell apart, against exact arithmetic."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from inspect import unwrap
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.support.examples import examples

from feint.beliefs import (
    Spot,
    best_window,
    densest,
    densities,
    expect,
    learn,
    median,
    quantile,
    uniform,
)
from feint.beliefs import density as kernels

Int = NDArray[np.int64]
Float = NDArray[np.float64]
SIZE = 1 << 62
THREADS = 8


@st.composite
def shapes(draw: st.DrawFn) -> tuple[Int, Float]:
    """One row of pieces of all lengths, as answers about neighbouring cells leave them."""
    places = draw(st.lists(st.integers(0, SIZE - 9), min_size=1, max_size=4))
    steps = st.lists(st.integers(0, 8), min_size=1, max_size=3)
    edges = sorted({0, SIZE, *(place + step for place in places for step in draw(steps))})
    pieces = len(edges) - 1
    powers = draw(st.lists(st.integers(0, 60), min_size=pieces, max_size=pieces))
    return np.array([edges]), 3.0 ** -np.array([powers])


def mass_below(edges: Int, density: Float, point: Fraction) -> Fraction:
    """The mass below a point, exactly."""
    ends = [Fraction(int(edge)) for edge in edges[0]]
    weights = [Fraction(float(weight)) for weight in density[0]]
    pieces = zip(ends, ends[1:], weights, strict=False)
    return sum(
        ((min(high, point) - low) * weight for low, high, weight in pieces if low < point),
        Fraction(0),
    )


def exactly(spot: Spot) -> Fraction:
    assert 0 <= spot.rest[0] <= 1
    return int(spot.cell[0]) + Fraction(float(spot.rest[0]))


lengths = st.one_of(
    st.fractions(1, 4, max_denominator=1000),
    st.fractions(1, SIZE, max_denominator=1000),
    st.integers(1, SIZE).map(Fraction),
)


@given(shapes(), lengths)
@examples(300)
def test_the_window_is_the_best_there_is(shape: tuple[Int, Float], length: Fraction) -> None:
    """The best window has an end at an edge, so trying all of those exactly is a brute force."""
    edges, density = shape

    def caught(start: Fraction) -> Fraction:
        return mass_below(edges, density, start + length) - mass_below(edges, density, start)

    starts = [Fraction(int(edge)) for edge in edges[0]]
    starts += [edge - length for edge in starts]
    inside = [start for start in starts if 0 <= start <= SIZE - length]
    spot, mass = best_window(edges, density, length)
    middle = exactly(spot)
    assert min(abs(middle - start - length / 2) for start in inside) <= Fraction(1, 1 << 50)
    best = max(map(caught, inside))
    assert caught(middle - length / 2) >= best * (1 - Fraction(1, 10**12))
    assert float(mass[0]) == pytest.approx(float(best), rel=1e-12)


@given(shapes(), st.floats(0, 1))
@examples(300)
def test_a_quantile_has_its_share_below_it(shape: tuple[Int, Float], level: float) -> None:
    edges, density = shape
    point, total = exactly(quantile(edges, density, level)), mass_below(*shape, Fraction(SIZE))
    assert 0 <= point <= SIZE
    assert abs(mass_below(edges, density, point) / total - Fraction(level)) <= Fraction(1, 10**13)


told = st.tuples(st.sampled_from((0, 5, 1 << 55, SIZE - 9)), st.integers(0, 8), st.booleans())


@given(st.lists(told, max_size=30))
def test_the_median_is_that_of_exact_sums(answers: list[tuple[int, int, bool]]) -> None:
    belief = uniform(np.array([SIZE]))
    for place, step, answer in answers:
        belief = learn(belief, np.array([place + step]), np.array([answer]))
    cell, below, inside = (each[0] for each in median(belief, 3.0))
    edges, density = densities(belief, 3.0)
    low, high, total = (
        mass_below(edges, density, Fraction(place)) for place in (int(cell), int(cell) + 1, SIZE)
    )
    assert low / total <= Fraction(1, 2) + Fraction(1, 10**11)
    assert high / total >= Fraction(1, 2) - Fraction(1, 10**11)
    assert float(below) == pytest.approx(float(low / total), abs=1e-14)
    assert float(inside) == pytest.approx(float((high - low) / total), rel=1e-12)


def test_a_cell_at_the_end_of_everything_is_found() -> None:
    """All mass but a millionth in the last cell, which the nearest float is 512 cells away from."""
    edges, density = np.array([[0, SIZE - 1, SIZE]]), np.array([[1e-6 / SIZE, 1.0]])
    spot, mass = best_window(edges, density, Fraction(5, 4))
    assert (int(spot.cell[0]), float(spot.rest[0])) == (SIZE - 1, 0.375)
    assert mass[0] == pytest.approx(1.0)
    assert exactly(quantile(edges, density, 0.5)) == pytest.approx(SIZE - Fraction(1, 2))
    assert exactly(quantile(edges, density, 1.0)) == SIZE


def wide(runs: int, seed: int) -> tuple[Int, Float]:
    random = np.random.default_rng(seed)
    inner = np.sort(random.integers(SIZE, size=(runs, 12)), axis=1)
    ends = np.full((runs, 1), SIZE)
    return np.concatenate((0 * ends, inner, ends), axis=1), random.random((runs, 13))


def test_compiled_and_plain_windows_agree_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    edges, density = wide(300, 0)  # enough rows for numba

    def found() -> list[Any]:
        spot, mass = best_window(edges, density, Fraction(SIZE, 7))
        return [*spot, mass, *quantile(edges, density, 0.3)]

    fast = found()
    for name in ("_best_window", "_quantile"):
        monkeypatch.setattr(kernels, name, unwrap(getattr(kernels, name)))
    assert all(np.array_equal(a, b) for a, b in zip(fast, found(), strict=True))


def believed(seed: int, runs: int, rows: int) -> list[Any]:
    """Whatever beliefs say after forty answers in each of some runs."""
    random = np.random.default_rng(seed)
    belief = uniform(np.full(runs, SIZE))
    with expect(rows):
        for _ in range(40):
            cell, *_ = median(belief, 3.0)
            belief = learn(belief, cell + random.integers(2, size=runs), random.random(runs) < 0.5)
        edges, density = densities(belief, 9.0)
        spot, mass = best_window(edges, density, Fraction(9, 8))
        said = [*spot, mass, *quantile(edges, density, 0.5), densest(belief), *median(belief, 3.0)]
    return said


def together(work: Callable[[int], list[Any]]) -> list[list[Any]]:
    """The same work with eight seeds, begun in eight threads at once."""
    ready = Barrier(THREADS)

    def begin(seed: int) -> list[Any]:
        ready.wait()
        return work(seed)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


@pytest.mark.parametrize(("runs", "rows"), [(3, 0), (3, 1 << 20), (300, 0)])
def test_eight_threads_believe_what_one_does(runs: int, rows: int) -> None:
    """Plain, compiled as expected, and compiled for many rows."""
    alone = [believed(seed, runs, rows) for seed in range(THREADS)]
    for mine, ours in zip(alone, together(lambda seed: believed(seed, runs, rows)), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(mine, ours, strict=True))


def test_what_one_thread_expects_no_other_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which way a call goes is its own affair: no switch is left on, and none is shared."""
    from feint.beliefs import compiled

    asked = list[str]()

    def noted(loop: Callable[..., Any]) -> Callable[..., Any]:
        asked.append(loop.__name__)
        return loop

    monkeypatch.setattr(compiled, "_numba", noted)
    few = uniform(np.full(3, 100))
    with expect(1 << 20):
        densest(few)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(densest, few).result()
    densest(few)
    assert asked == ["_densest"]
    densest(uniform(np.full(1000, 100)))
    densest(few)
    assert asked == ["_densest", "_densest"]
