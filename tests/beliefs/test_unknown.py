"""Beliefs under unknown reliability, against dense integration over p that shares no code."""

from inspect import unwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from feint.beliefs import (
    Belief,
    MeanWeights,
    agreeing,
    densities,
    doubt,
    learn,
    median,
    most_agreeing,
    uniform,
    weigh,
)
from feint.beliefs import pieces as kernels

CELLS = 12
BELIEFS = (
    MeanWeights(0.6, 0.95, 1.0, 1.0),
    MeanWeights(0.55, 1.0, 8.0, 2.0),
    MeanWeights(0.51, 0.99, 1.0, 3.0),
)
history = st.lists(st.tuples(st.integers(0, CELLS), st.booleans()), max_size=40)
beliefs = st.sampled_from(BELIEFS)


def mean_weight(belief: MeanWeights, agree: NDArray[np.int64], told: int) -> NDArray[np.float64]:
    """∫ π(p) p^a (1−p)^(n−a) dp by the midpoint rule on 40,000 points, over the largest."""
    ends = np.linspace(belief.low, belief.high, 40_001)
    p = (ends[1:] + ends[:-1]) / 2
    log = (agree[:, None] + belief.right - 1) * np.log(p)
    log = log + (told - agree[:, None] + belief.wrong - 1) * np.log1p(-p)
    weight: NDArray[np.float64] = np.exp(log - log.max()).mean(axis=1)
    scaled: NDArray[np.float64] = weight / weight.max()
    return scaled


def dense(belief: MeanWeights, told: list[tuple[int, bool]]) -> NDArray[np.float64]:
    """The posterior of every cell; answers at the two ends tell nothing here, not of p either."""
    cells, inner = np.arange(CELLS), [each for each in told if 0 < each[0] < CELLS]
    agree = np.zeros(CELLS, np.int64)
    for point, answer in inner:
        agree += (cells >= point) == answer
    weight = mean_weight(belief, agree, len(inner))
    scaled: NDArray[np.float64] = weight / weight.sum()
    return scaled


def believed(told: list[tuple[int, bool]]) -> Belief:
    belief = uniform(np.array([CELLS]))
    for point, answer in told:
        belief = learn(belief, np.array([point]), np.array([answer]))
    return belief


@given(history, beliefs)
def test_masses_are_those_of_dense_integration(
    told: list[tuple[int, bool]], weights: MeanWeights
) -> None:
    mass, belief = dense(weights, told), believed(told)
    assert doubt(belief, weights)[0] == pytest.approx(1 - mass.max(), abs=1e-6)
    cell, below, inside = (each[0] for each in median(belief, weights))
    assert below == pytest.approx(mass[:cell].sum(), abs=1e-6)
    assert inside == pytest.approx(mass[cell], abs=1e-6)
    assert below <= 0.5 + 1e-9
    assert below + inside >= 0.5 - 1e-9
    edges, density = densities(belief, weights)
    cells = np.repeat(density[0], np.diff(edges[0]))
    assert cells / cells.sum() == pytest.approx(mass, abs=1e-6)


@given(history, beliefs)
def test_answers_at_the_ends_tell_of_p_where_all_are_weighed(
    told: list[tuple[int, bool]], weights: MeanWeights
) -> None:
    cells, agree = np.arange(CELLS), np.zeros(CELLS, np.int64)
    for point, answer in told:
        agree += (cells >= point) == answer
    points = np.array([[point for point, _ in told]], np.int64).reshape(1, -1)
    steps = np.array([[2 * answer - 1 for _, answer in told]], np.int64).reshape(1, -1)
    edges, density = weigh(points, steps, CELLS, weights, told=np.array([len(told)]))
    mass = np.repeat(density[0], np.diff(edges[0]))
    assert mass == pytest.approx(mean_weight(weights, agree, len(told)), abs=1e-6)


@given(history)
def test_agreements_are_counted(told: list[tuple[int, bool]]) -> None:
    cells, agree = np.arange(CELLS), np.zeros(CELLS, np.int64)
    for point, answer in told:
        if 0 < point < CELLS:
            agree += (cells >= point) == answer
    belief = believed(told)
    assert most_agreeing(belief)[0] == agree.max()
    assert [agreeing(belief, np.array([cell]))[0] for cell in cells] == agree.tolist()


def test_a_narrow_range_is_a_known_probability() -> None:
    """At p = .75 an answer changes odds by 3; a range of width 2e-9 is that but for 1e-7."""
    belief = believed([(5, True), (8, False), (6, True), (6, False), (7, True)])
    narrow = MeanWeights(0.75 - 1e-9, 0.75 + 1e-9, 1.0, 1.0)
    for one, other in zip(densities(belief, narrow), densities(belief, 3.0), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_twenty_thousand_answers_do_not_underflow() -> None:
    """16,000 of 20,000 answers agree with one cell, 4,000 with the other: .8 is near certain."""
    belief = uniform(np.array([2]), np.array([10_000]), np.array([8_000]))
    belief = belief._replace(
        edges=np.array([[1]]),
        steps=np.array([[-5]], np.int32),
        used=np.array([1]),
    )
    # Five answers fewer: 4^−5 against one, but for what 10,000 answers leave open of p.
    assert doubt(belief, BELIEFS[0])[0] == pytest.approx(1 / (1 + 4.0**5), rel=0.01)


def test_what_a_run_believes_does_not_depend_on_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled loops and plain ones, many runs and one, agree to the last bit."""
    random, runs, weights = np.random.default_rng(0), 300, BELIEFS[1]
    belief = uniform(np.full(runs, 10**9))
    for _ in range(60):
        cell, *_ = median(belief, weights)
        belief = learn(belief, cell + 1, random.random(runs) < 0.3)
    together = (*median(belief, weights), doubt(belief, weights))
    for name in ("_median", "_doubt", "_most"):
        monkeypatch.setattr(kernels, name, unwrap(getattr(kernels, name)))
    for run in (0, 17, 299):
        one = Belief._make(each[run : run + 1] for each in belief)
        alone = (*median(one, weights), doubt(one, weights))
        assert [each[run] for each in together] == [each[0] for each in alone]
