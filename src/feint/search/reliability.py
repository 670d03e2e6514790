"""How often answers were right, as far as they tell, and whether that is worse than promised."""

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
    """How many answers can be right at once. Secret.

    Attributes:
        right: How many answers agree with the number that most of them agree with.
        told: How many answers there are.
    """

    right: int
    told: int


def agreement(told: Iterable[tuple[Asked, int, bool]]) -> Agreement:
    """Return how many answers agree with the numbers that most of them agree with.

    Args:
        told: Every answered query, its coordinate, and whether X* lies at or above it.
    """
    steps: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    right = count = 0
    for asked, coordinate, above in told:
        count += 1
        right += not above  # what agrees with a number below every question
        steps[coordinate][asked.point] += 1 if above else -1
    for changes in steps.values():
        lead = most = 0
        for point in sorted(changes):
            lead += changes[point]
            most = max(most, lead)
        right += most
    return Agreement(right, count)


def is_worse(found: Agreement, noise: Noise) -> bool:
    """Return True if so few answers agree that p is hardly what was promised.

    The test compares the least p promised with a uniform mixture of all smaller ones. The ratio of
    the two likelihoods is at most 1 on average, whatever the answers before and the p from the
    promised one upwards, so it ever exceeds 1000 with probability 1/1000 at most (Ville). The
    answers that agree with the true number are no more than those counted here, and the ratio falls
    with their number.

    Args:
        found: How many answers agree.
        noise: What is promised.

    Returns:
        Whether the ratio exceeds 1000.

    >>> from fractions import Fraction
    >>> from feint.problem import Exactly
    >>> nine = Exactly(Fraction(9, 10))
    >>> is_worse(Agreement(85, 100), nine), is_worse(Agreement(70, 100), nine)
    (False, True)
    """
    if not found.told:
        return False
    from scipy.special import betainc, betaln  # takes longer to load than plans to make

    p, wrong = float(noise.least), found.told - found.right
    below = float(betainc(found.right + 1, wrong + 1, p))
    if below == 0.0:  # almost all answers agree
        return False
    mixed = float(betaln(found.right + 1, wrong + 1)) + math.log(below / p)
    least = found.right * math.log(p) + wrong * math.log1p(-p)
    return mixed - least > math.log(FALSE_ALARM)
