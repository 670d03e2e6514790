"""The noise model: what a person may write for p, and what it says."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from feint import Problem
from feint.errors import InvalidValue
from feint.problem import UNKNOWN, AtLeast, Between, Exactly, read_noise

NINE, SIX = Fraction(9, 10), Fraction(3, 5)


@pytest.mark.parametrize(
    ("written", "noise"),
    [
        (0.9, Exactly(NINE)),
        ("9/10", Exactly(NINE)),
        (Exactly(NINE), Exactly(NINE)),
        ("0.9+", AtLeast(NINE)),
        (" 9/10 + ", AtLeast(NINE)),
        ("0.6..0.9", Between(SIX, NINE)),
        ((0.6, "0.9"), Between(SIX, NINE)),
        ("0.6..1", Between(SIX, Fraction(1))),
        ("0.6 .. 0.9 beta(8, 2)", Between(SIX, NINE, Fraction(8), Fraction(2))),
        ("unknown", UNKNOWN),
    ],
)
def test_every_form_is_read(written: Any, noise: Any) -> None:
    assert read_noise(written) == noise
    assert read_noise(noise.text) == noise
    problem = Problem("1/100", "1/20", 4, p=written, confidence="0.9")
    assert problem.noise == noise
    again = Problem(**problem.to_dict())
    assert again == problem
    assert hash(again) == hash(problem)
    assert problem.known_p == (noise.p if isinstance(noise, Exactly) else None)


def test_a_known_probability_is_written_as_it_always_was() -> None:
    problem = Problem("1/100", "1/20", 4, p="0.9")
    assert (problem.p, problem.to_dict()["p"]) == (NINE, "9/10")
    assert Problem("1/100", "1/20", 4).noise is None


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("0.4..0.9", "negate"),
        ("0.9..0.6", "smaller number first"),
        ((0.9, 0.9), "give p = 0.9"),
        ((0.6, 0.7, 0.8), "two ends"),
        ("0.5+", "carry no information"),
        ("0.6..0.9 beta(0.5, 1)", "between 1 and 10"),
        ("0.6..0.9 gamma(2, 1)", "number"),
        (Between(Fraction(2, 5), NINE), "negate"),
        ("maybe", "number"),
    ],
)
def test_what_is_wrong_is_refused(written: Any, told: str) -> None:
    with pytest.raises(InvalidValue, match=told):
        Problem("1/100", "1/20", 4, p=written, confidence="0.9")


def test_a_least_p_needs_a_confidence() -> None:
    with pytest.raises(InvalidValue, match="stated confidence"):
        Problem("1/100", "1/20", 4, p="0.9+")


@pytest.mark.parametrize("written", ["0.6..0.95", "unknown", "0.7..0.8 beta(3, 5)"])
def test_slices_bound_means_from_above_and_draws_have_the_mean(written: str) -> None:
    """Against numerical integration of the density."""
    noise = read_noise(written)
    assert isinstance(noise, Between)

    def density(p: float) -> float:
        return float(p ** float(noise.right - 1) * (1 - p) ** float(noise.wrong - 1))

    ends = float(noise.low), float(noise.high)
    whole = quad(density, *ends)[0]

    def product(p: float, falls: Callable[[float], float]) -> float:
        return density(p) * falls(p)

    falling: list[Callable[[float], float]] = [lambda p: 1 - p, lambda p: (4 * p * (1 - p)) ** 10]
    for falls in falling:
        mean = quad(product, *ends, args=(falls,))[0] / whole
        above = sum(mass * falls(float(p)) for p, mass in noise.slices())
        assert mean <= above <= 1.25 * mean
    mean = quad(lambda p: p * density(p), *ends)[0] / whole
    drawn = noise.draw(np.random.default_rng(0), 20_000)
    assert abs(drawn.mean() - mean) < 5 * drawn.std() / 20_000**0.5
    middle = float(np.median(drawn))
    assert noise.below(middle) == pytest.approx(quad(density, ends[0], middle)[0] / whole)
