"""Laws of motion: numbers are drawn as the exact law says, and every law is said in words."""

from fractions import Fraction

import numpy as np
import pytest

from feint.audit.motion import Motion

FRESH = np.array([1, 2, 3, 4, 3, 2, 1])
DRAWS = 20_000


@pytest.mark.parametrize("given", ["steps(2)", "steps(9)", "walk(1)", "walk(2, 3)", "jump(0.3)"])
@pytest.mark.parametrize("start", [0, 1, 3, 6])
def test_draws_follow_the_law(given: str, start: int) -> None:
    """A share of 20,000 draws is off by 0.02 with a chance below 10^-7."""
    atoms = len(FRESH)
    kernel = Motion.read(given).kernel(Fraction(1), 1, FRESH)
    table, times = kernel.moved(np.eye(atoms, dtype=np.int64)[[start]])
    law = table[0].astype(float) / times
    assert law.sum() == pytest.approx(1)
    drawn = kernel.drawn(np.full(DRAWS, start), atoms, np.random.default_rng(start))
    share = np.bincount(drawn, minlength=atoms) / DRAWS
    assert np.abs(share - law).max() < 0.02


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("steps(2)", "it moves by at most 2 to either side, all distances equally likely"),
        ("jump(0.3)", "it is drawn anew with probability 0.3, and otherwise stays"),
        ("walk(2)", "it moves up or down by 2, both equally likely"),
        ("walk(2, 3)", "it moves up or down by 2, both equally likely, 3 times"),
    ],
)
def test_a_law_in_words(given: str, words: str) -> None:
    assert Motion.read(given).words == words


@pytest.mark.parametrize("given", ["steps(2)", "walk(1)", "walk(2, 3)", "jump(0.3)"])
def test_masses_near_the_end_of_64_bits_stay_exact(given: str) -> None:
    """Nothing is lost and nothing wraps: as with Python's own integers."""
    kernel = Motion.read(given).kernel(Fraction(1), 1, FRESH)
    large = np.full((1, len(FRESH)), (1 << 61) + 3)
    found, times = kernel.moved(large)
    same, again = kernel.moved(large.astype(object))
    assert times == again
    assert found.tolist() == same.tolist()
    assert sum(map(int, found[0])) == times * int(large[0, 0]) * len(FRESH)


def test_odds_near_the_end_of_64_bits_stay_exact() -> None:
    """One atom of mass 1 is drawn anew by these odds with probability 7/8, and else stays."""
    odds = np.array([1 << 61, (1 << 61) - 1, 5])
    kernel = Motion.read("jump(7/8)").kernel(Fraction(1), 1, odds)
    found, times = kernel.moved(np.array([[1, 0, 0]]))
    total = sum(map(int, odds))
    assert times == 8 * total
    assert found.tolist() == [[total + 7 * (1 << 61), 7 * ((1 << 61) - 1), 35]]
