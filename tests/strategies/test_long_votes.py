"""Votes among many parts, against a walk along the parts that keeps the best one so far."""

from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from feint.strategies import astray, law, vote

Float = NDArray[np.float64]
CASES = [
    (12, 1, 0.55),
    (12, 4, 0.6),
    (25, 2, 0.55),
    (25, 3, 0.7),
    (40, 1, 0.6),
    (40, 5, 0.75),
    (30, 2, 0.9),
    (16, 6, 0.98),
]


def walked(parts: int, repeats: int, p: float, true: int) -> Float:
    """P{k̂ = j}, of equals the first: the score of each part in turn, and how far below the best."""
    right = np.array(
        [comb(repeats, n) * p**n * (1 - p) ** (repeats - n) for n in range(repeats + 1)]
    )
    reach = repeats * parts
    below = np.zeros((parts, reach + 1))  # the best part so far, and how far below it this one is
    below[0, 0] = 1.0
    for part in range(1, parts):
        after = np.zeros_like(below)
        for count, chance in enumerate(right if part <= true else right[::-1]):
            step = 2 * count - repeats  # yeses are right up to the true part, then wrong
            if step <= 0:
                after[:, -step:] += chance * below[:, : reach + 1 + step]
            else:
                after[:, :-step] += chance * below[:, step:]
                after[part, 0] += chance * below[:, :step].sum()
        below = after
    found: Float = below.sum(axis=1)
    return found


def table(parts: int, repeats: int, p: float) -> Float:
    first = np.array([walked(parts, repeats, p, true) for true in range(parts)])
    both: Float = (first + first[::-1, ::-1]) / 2  # the last of equals, mirrored
    return both


@pytest.mark.parametrize(("parts", "repeats", "p"), CASES)
def test_the_chances_are_those_of_the_walk(parts: int, repeats: int, p: float) -> None:
    """Small chances too: to nine digits, or to one part in 10^14."""
    laid, found = table(parts, repeats, p), vote(parts, repeats, p)
    number = np.arange(parts)
    assert law(parts, repeats, p) == pytest.approx(laid, rel=1e-9, abs=1e-14)
    wrong = np.where(number[:, None] == number, 0.0, laid).sum(axis=1)
    assert found.lost == pytest.approx(wrong[0], rel=1e-9)
    assert found.lost == pytest.approx(np.tril(laid, -1).sum(axis=1).max(), rel=1e-9)
    assert found.lost == pytest.approx(np.triu(laid, 1).sum(axis=1).max(), rel=1e-9)
    assert found.error == pytest.approx(wrong.mean(), rel=1e-9)
    assert found.worst == pytest.approx(wrong.max(), rel=1e-9)
    apart = np.abs(number[:, None] - number)
    far = float((laid * np.where(apart > 0, apart + 1, 0)).sum()) / parts
    assert far * (1 - 1e-9) <= astray(parts, repeats, p) <= far * (1 + 1e-4)


MANY = [(200, 3, 0.55), (300, 1, 0.7), (400, 2, 0.75), (900, 1, 0.55), (1500, 2, 0.6)]


@pytest.mark.parametrize(("parts", "repeats", "p"), MANY)
def test_an_end_part_among_hundreds(parts: int, repeats: int, p: float) -> None:
    """It loses when a lead ever falls to 0, or below: what is not walked to the end is added."""
    step = [comb(repeats, n) * p**n * (1 - p) ** (repeats - n) for n in range(repeats + 1)]
    lost = 0.0
    for least in (1, 0):  # the lead that is needed: of equals the other wins, or this one
        lead = np.zeros(4000)
        lead[0] = 1.0
        for _ in range(parts - 1):
            after = np.zeros_like(lead)
            for count, chance in enumerate(step):
                move = 2 * count - repeats
                if move < 0:
                    after[:move] += chance * lead[-move:]
                    lost += chance * float(lead[:-move].sum()) / 2
                else:
                    after[move:] += chance * lead[: len(lead) - move]
            lost += float(after[:least].sum()) / 2
            after[:least] = 0.0
            lead = after
    found = vote(parts, repeats, p).lost
    assert lost * (1 - 1e-14) <= found <= lost * (1 + 2e-13)
