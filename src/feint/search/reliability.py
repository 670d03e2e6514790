"""Estimate from the answers how often they were right, and compare it with the promise."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from feint.problem import Noise, Rate, Rates, Responses
from feint.search.units import Asked

FALSE_ALARM = 1000
"""If p is as promised, at most one search in this number is ever warned of."""


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


def contradicts(told: Iterable[tuple[Asked, int, bool]], rates: Rates) -> bool:
    """Return True if the verdicts almost contradict the stated rates, for every X*.

    For every place of X*, the likelihood under a uniform mixture of all pairs of rates is divided
    by the largest likelihood under the stated rates. At the true place this ratio is at most 1 on
    average, for all questions. So it ever exceeds 1000 with probability at most 1/1000 (Ville).

    Args:
        told: Every answered query, its coordinate, and whether the check passed.
        rates: The stated rates.

    >>> from feint.problem import Rates
    >>> told = [(Asked(at, 0, 5), 0, at % 2 == 0) for at in range(100)]
    >>> contradicts(told, Rates.of("0.05", "0.6")), contradicts(told, Rates.of("0.05", "0.5"))
    (False, False)
    >>> contradicts(told, Rates.of("0.05", "0.9"))
    True
    """
    from scipy.special import betaln

    places: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for asked, _, passed in told:
        places[asked.point][passed] += 1
    good, bad = [0, 0], [sum(each[verdict] for each in places.values()) for verdict in (0, 1)]
    least = math.inf
    for point in [None, *sorted(places)]:
        if point is not None:  # X* lies at or above the point, so its checks were of a good commit
            good = [have + more for have, more in zip(good, places[point], strict=True)]
            bad = [have - more for have, more in zip(bad, places[point], strict=True)]
        ratio = 0.0
        for (fails, passes), rate in ((good, rates.good), (bad, rates.bad)):
            ratio += float(betaln(fails + 1, passes + 1)) - _likeliest(fails, passes, rate)
        least = min(least, ratio)
    return least > math.log(FALSE_ALARM)


def _likeliest(failed: int, passed: int, rate: Rate) -> float:
    """Return the largest log-likelihood of the checks, over the possible values of a rate."""
    if not failed + passed:
        return 0.0
    share = min(max(failed / (failed + passed), float(rate.low)), float(rate.high))
    found = 0.0
    for count, chance in ((failed, share), (passed, 1 - share)):
        if count:
            found += count * math.log(chance) if chance else -math.inf
    return found


def misfits(told: Iterable[tuple[Asked, int, bool]], responses: Responses, cells: int) -> bool:
    """Return True if answers hardly fit the stated curve, and fit one with another scale.

    The likelihood under scales nearby is compared with that under the stated ones, both averaged
    over scales and over all cells of X*. If answers come as stated, the ratio is at most 1 on
    average, so it ever exceeds 1000 with probability 1/1000 at most (Ville).

    Args:
        told: Every answered query, its coordinate, and True if X* lies at or above it.
        responses: What is stated; scales are shares of the range.
        cells: The number of cells of the range.

    >>> from fractions import Fraction
    >>> six = Responses("logistic", (Fraction(6, 100),))
    >>> right = [(Asked(0, at, at), 0, at <= 50) for at in range(1, 100)]
    >>> misfits(right[40:60], six, 100), misfits(right * 4, six, 100)
    (False, True)
    """
    import numpy as np  # with answers from a file, a search is read without it
    from scipy.special import logsumexp

    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for asked, _, above in told:
        counts[asked.point][above] += 1
    distance = np.arange(-cells, cells) + 0.5

    def likelihood(scale: float) -> float:
        far = distance / (scale * cells)
        both, found = (responses.log_yes(-far), responses.log_yes(far)), np.zeros(cells)
        for point, numbers in counts.items():
            for number, table in zip(numbers, both, strict=True):
                found += number * table[cells - point : 2 * cells - point]
        return float(logsumexp(found))

    weights = np.array([float(each) for each in responses.weights])
    stated = logsumexp([likelihood(float(each)) for each in responses.scales], b=weights)
    nearby = logsumexp([likelihood(each) for each in responses.nearby])
    return bool(nearby - math.log(len(responses.nearby)) - stated > math.log(FALSE_ALARM))


def is_worse(found: Agreement, noise: Noise) -> bool:
    """Return True if so few answers agree that p is almost certainly lower than promised.

    The test compares the least p promised with a uniform mixture of all smaller ones. The ratio of
    the two likelihoods is at most 1 on average, for all earlier answers and every p from the
    promised one upwards, so it ever exceeds 1000 with probability 1/1000 at most (Ville). At most
    as many answers agree with the true number as are counted here, and the ratio falls with that
    number.

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
