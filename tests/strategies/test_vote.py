"""The vote among parts against all its outcomes."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from feint.strategies import astray, law, vote
from feint.strategies.votes import Vote, _beaten

CASES = [(1, 1, 0.9), (2, 3, 0.8), (3, 2, 0.7), (4, 3, 0.6), (5, 2, 0.9), (5, 1, 0.55), (4, 4, 0.5)]


def outcomes(parts: int, repeats: int, p: float) -> NDArray[np.float64]:
    """The law of the winner by trying every count; of equals the first or the last, by a coin."""
    table = np.zeros((parts, parts))
    for true in range(parts):
        for yes in product(range(repeats + 1), repeat=parts - 1):
            chance = 1.0
            for boundary, count in enumerate(yes):
                right = p if boundary < true else 1 - p
                chance *= comb(repeats, count) * right**count * (1 - right) ** (repeats - count)
            walk = np.cumsum([0] + [2 * count - repeats for count in yes])
            table[true, walk.argmax()] += chance / 2
            table[true, parts - 1 - walk[::-1].argmax()] += chance / 2
    return table


@pytest.mark.parametrize(("parts", "repeats", "p"), CASES)
def test_the_law_is_that_of_all_outcomes(parts: int, repeats: int, p: float) -> None:
    table = outcomes(parts, repeats, p)
    assert law(parts, repeats, p) == pytest.approx(table, abs=1e-12)
    chances = vote(parts, repeats, p)
    number = np.arange(parts)
    before = [table[k, :k].sum() for k in number]
    after = [table[k, k + 1 :].sum() for k in number]
    assert chances.lost == pytest.approx(max(before), abs=1e-12)
    assert chances.lost == pytest.approx(max(after), abs=1e-12)
    assert chances.lost == pytest.approx(1 - np.diag(table).max(), abs=1e-12)
    assert chances.error == pytest.approx(1 - np.diag(table).mean(), abs=1e-12)
    assert chances.worst == pytest.approx(1 - np.diag(table).min(), abs=1e-12)
    apart = np.abs(number[:, None] - number)
    far = (table * np.where(apart > 0, apart + 1, 0)).sum() / parts
    assert far - 1e-12 <= astray(parts, repeats, p) <= far * (1 + 1e-4) + 1e-12


def test_a_large_vote_is_a_law() -> None:
    assert law(35, 171, 0.6).sum(axis=1) == pytest.approx(1)
    chances = vote(300, 9, 0.9)
    assert 0 < chances.error < chances.worst < 0.01


@pytest.mark.parametrize("repeats", [20_000, 20_001])
def test_long_votes_near_one_half_are_as_exact(repeats: int) -> None:
    """Two parts: the true one loses if most answers are wrong, or by a coin if half are."""
    p = 0.51
    less, half = binom.cdf((repeats - 1) // 2, repeats, p), repeats / 2
    tied = binom.pmf(repeats // 2, repeats, p) if half.is_integer() else 0.0
    assert vote(2, repeats, p).lost == pytest.approx(less + tied / 2, abs=1e-11)
    table = law(6, repeats, p)
    assert table.sum(axis=1) == pytest.approx(1, abs=1e-11)
    assert vote(6, repeats, p).error == pytest.approx(1 - np.diag(table).mean(), abs=1e-11)


@pytest.mark.parametrize(("parts", "repeats"), [(2, 1), (2, 4), (3, 3), (5, 2), (5, 7), (9, 4)])
def test_the_better_the_answers_the_less_is_lost(parts: int, repeats: int) -> None:
    """proofs/noisy.md: what the end part loses falls as p rises, so promises only improve."""
    votes: list[Vote] = [
        vote(parts, repeats, float(Fraction(each, 100))) for each in range(50, 100, 2)
    ]
    lost = [each.lost for each in votes]
    assert lost == sorted(lost, reverse=True)
    assert all(each.lost <= each.worst + 1e-12 for each in votes)


def test_a_thousand_answers_that_are_nearly_always_right_never_mislead() -> None:
    """Half of them would have to be wrong: a chance of less than 2^1000 · 0.01^500 = 10^-699."""
    assert law(3, 1000, 0.99) == pytest.approx(np.eye(3), abs=1e-12)


def test_what_is_known_of_a_vote_cannot_be_overwritten() -> None:
    """Whoever asks again gets the same array."""
    once = _beaten(4, 3, 0.9, 1)
    with pytest.raises(ValueError, match="read-only"):
        once[1] = 0.0
    assert _beaten(4, 3, 0.9, 1) is once
