"""What the paper says in passing: each chart's numbers, worked out or compared with theorems."""

import math
from functools import cache

import pytest

from feint.bounds import summary
from feint.problem import Problem
from feint.research.reproduce import Chart, exhibits


@cache
def drawn() -> dict[str, Chart]:
    """Return the charts of the group, by name."""
    return {each.name: each for each in exhibits(only=["remarks"]) if isinstance(each, Chart)}


def y(chart: Chart, label: str) -> list[float]:
    """The values of a curve, gaps left out."""
    (found,) = (each.y for each in chart.curves if each.label == label)
    return [float(each) for each in found if each is not None]


def test_the_price_as_a_ratio() -> None:
    """Never below bisection, and rising with δ; at δ = 1/16 and L = 16 near the summary."""
    chart = drawn()["price-ratio"]
    for curve in chart.curves:
        values = [float(each) for each in curve.y if each is not None]
        assert min(values) >= 1
        assert values == sorted(values)
    last = y(chart, "Bayesian, L = 16")[-1]
    about = summary(Problem("2^-20", "1/16", 16)) / 20
    assert about - (2 * 16 + 2) / 20 <= last <= about + 3 * 16 / 20
    # 20 + 4 questions along a bisection at δ ≤ 2^-4.
    assert y(chart, "deterministic, L = 4")[0] == 24 / 20


def test_noise_and_privacy_multiply() -> None:
    chart = drawn()["price-noise"]
    alone, hidden = y(chart, "nothing hidden, L = 1"), y(chart, "L = 10")
    ratios = [b / a for a, b in zip(alone, hidden, strict=True)]
    assert max(ratios) < 1.5 * min(ratios)
    assert alone == sorted(alone)


def test_the_deterministic_setting_asks_less() -> None:
    chart = drawn()["settings"]
    pairs = zip(y(chart, "deterministic"), y(chart, "Bayesian"), strict=True)
    assert all(less <= more for less, more in pairs)


def test_the_regime_changes_where_delta_is_two_to_the_minus_level() -> None:
    """L + 20 questions up to L = 10 and 2L + 10 beyond, by Theorem 2."""
    chart = drawn()["regimes"]
    levels = [int(each) for each in chart.x]
    expected = [each + 20 if each <= 10 else 2 * each + 10 for each in levels]
    assert y(chart, "upper bound, this paper") == expected
    assert y(chart, "the paper's strategy") == expected
    assert all(a <= b for a, b in zip(y(chart, "tight (feint's default)"), expected, strict=True))


def test_privacy_becomes_free() -> None:
    chart = drawn()["free"]
    for label in ("Bayesian", "deterministic"):
        values = y(chart, label)
        assert values == sorted(values, reverse=True)
        assert 1 < values[-1] < 1.1
    assert chart.x[-1] == 64


def test_the_eavesdropper_ignores_what_the_learner_narrows_with() -> None:
    """K = ⌊log 1000/L⌋, and the paper's K₁ is the same number."""
    chart = drawn()["duality"]
    ignored = y(chart, "K, ignored by eavesdropper truncated")
    assert ignored == [math.floor(math.log2(1000 / each)) for each in chart.x]
    assert y(chart, "K₁, the paper's strategy") == ignored
    assert y(chart, "K₁, tight") == pytest.approx(ignored, abs=1)
