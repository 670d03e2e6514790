"""The vote among parts against all its outcomes."""

from itertools import product
from math import comb

import numpy as np
import pytest

from feint.strategies.vote import astray, law, vote


@pytest.mark.parametrize(
    ("parts", "repeats", "p"),
    [(1, 1, 0.9), (2, 3, 0.8), (3, 2, 0.7), (4, 3, 0.6), (5, 2, 0.9), (5, 1, 0.55)],
)
def test_the_law_is_that_of_all_outcomes(parts: int, repeats: int, p: float) -> None:
    table = np.zeros((parts, parts))
    for true in range(parts):
        for yes in product(range(repeats + 1), repeat=parts - 1):
            chance = 1.0
            for boundary, count in enumerate(yes):
                right = p if boundary < true else 1 - p
                chance *= comb(repeats, count) * right**count * (1 - right) ** (repeats - count)
            walk = np.cumsum([0] + [2 * count - repeats for count in yes])
            table[true, walk.argmax()] += chance
    assert law(parts, repeats, p) == pytest.approx(table, abs=1e-12)
    chances = vote(parts, repeats, p)
    number = np.arange(parts)
    before = [table[k, :k].sum() for k in number]
    after = [table[k, k + 1 :].sum() for k in number]
    assert chances.right == pytest.approx(np.diag(table).max(), abs=1e-12)
    assert chances.before == pytest.approx(max(before), abs=1e-12)
    assert chances.after == pytest.approx(max(after), abs=1e-12)
    assert chances.error == pytest.approx(1 - np.diag(table).mean(), abs=1e-12)
    assert chances.worst == pytest.approx(1 - np.diag(table).min(), abs=1e-12)
    apart = np.abs(number[:, None] - number)
    far = (table * np.where(apart > 0, apart + 1, 0)).sum() / parts
    assert astray(parts, repeats, p) == pytest.approx(far, abs=1e-12)


def test_a_large_vote_is_a_law() -> None:
    assert law(35, 171, 0.6).sum(axis=1) == pytest.approx(1)
    chances = vote(300, 9, 0.9)
    assert 0 < chances.error < chances.worst < 0.01
