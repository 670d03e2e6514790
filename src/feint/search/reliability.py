"""Estimate from the answers how often they were right, and compare it with the promise."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from feint.problem import Noise
from feint.search.units import Asked

FALSE_ALARM = 1000
"""One search in so many is warned of at most, whenever it looks, if p is as promised."""


class Agreement(NamedTuple):
    """The most answers that can be right at once. Secret.

    Attributes:
        right: The number of answers that agree with the number that most of them agree with.
        told: The number of answers.
    """

    right: int
    told: int


def agreement(told: Iterable[tuple[Asked, int, bool]]) -> Agreement:
    """Count the answers that agree with the numbers that most of them agree with.

    Args:
        told: Every answered query, its coordinate, and True if X* lies at or above it.
    """
    steps: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    right = count = 0
    for asked, coordinate, above in told:
        count += 1
        right += not above  # answers that agree with a number below every question
        steps[coordinate][asked.point] += 1 if above else -1
    for changes in steps.values():
        lead = most = 0
        for point in sorted(changes):
            lead += changes[point]
            most = max(most, lead)
        right += most
    return Agreement(right, count)


def is_worse(found: Agreement, noise: Noise) -> bool:
    """Return True if so few answers agree that p is almost certainly lower than promised.

    The test compares the least p promised with a uniform mixture of all smaller ones. The ratio of
    the two likelihoods is at most 1 on average, for all earlier answers and every p from the
    promised one upwards, so it ever exceeds 1000 with probability 1/1000 at most (Ville). The
    answers that agree with the true number are no more than those counted here, and the ratio falls
    with their number.

    Args:
        found: The number of answers that agree.
        noise: The promised noise model.

    Returns:
        True if the ratio exceeds 1000.

    >>> from fractions import Fraction
    >>> from feint.problem import Exactly
    >>> nine = Exactly(Fraction(9, 10))
    >>> is_worse(Agreement(85, 100), nine), is_worse(Agreement(70, 100), nine)
    (False, True)
    """
    if not found.told:
        return False
    from scipy.special import betainc, betaln  # slow to import

    p, wrong = float(noise.least), found.told - found.right
    below = float(betainc(found.right + 1, wrong + 1, p))
    if below == 0.0:  # almost all answers agree
        return False
    mixed = float(betaln(found.right + 1, wrong + 1)) + math.log(below / p)
    least = found.right * math.log(p) + wrong * math.log1p(-p)
    return mixed - least > math.log(FALSE_ALARM)
