"""Compute how many answers a noisy search needs, by theorem."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import neg

from feint.exact import bracket
from feint.interfaces import NEVER, Rule
from feint.planning.noisy.certificates.exact import few, fewest_answers

_ROUNDING = 1e-9
_KNOWN = 1 << 12  # pairs of answers


@dataclass(frozen=True)
class Theorem:
    """The BZ bound: at most (cells − 1)·ρ^n after n answers, ρ = ½ + √(p(1−p)).

    If there are few cells, every history is walked instead, which is exact. The posterior rule is
    then the better one; for two cells it is a majority.

    Attributes:
        p: The probability that an answer is right.
        walked: True to walk few cells; False to use the BZ search and its bound for all.
    """

    p: Fraction
    walked: bool = True

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """Return a sufficient number of answers, the bound on their misses, and the rule."""
        if cells <= 1:
            return 0, 0.0, "tilted"
        if miss <= 0:
            return NEVER, 1.0, "tilted"
        count = self.bound_answers(cells, miss)
        if self.walked and cells == 2:
            return self._majority(miss, count)
        if self.walked and few(cells, count):
            exact = fewest_answers(cells, self.p, miss, count - 1)
            if exact is not None:
                return *exact, "posterior"
        return count, self._bound(cells, count), "tilted"

    def bound_answers(self, cells: int, miss: float) -> int:
        """Return a number n of answers with which (cells − 1)·ρ^n is at most `miss`."""
        count = max(0, math.ceil(math.log((cells - 1) / miss) / -self.log_rho - 1e-9))
        while self._bound(cells, count) > miss:
            count += 1
        return count

    def _majority(self, miss: float, most: int) -> tuple[int, float, Rule]:
        """Return the answers needed by a majority, for two cells, where all questions are the same.

        The BZ bound is never below the truth, so `most` answers suffice, or one more.
        """
        wrong = self._wrong
        known = _all_outvoted(wrong)
        if most // 2 < len(known):
            pairs = min(bisect_left(known, -miss, key=neg), most // 2)
            return 2 * pairs + 1, known[pairs], "posterior"
        _, pairs = bracket(lambda each: _outvoted(each, wrong) <= miss, -1, most // 2)
        return 2 * pairs + 1, _outvoted(pairs, wrong), "posterior"

    def _bound(self, cells: int, answers: int) -> float:
        return (cells - 1) * math.exp(self.log_rho * answers)

    @cached_property
    def _wrong(self) -> float:
        return float(1 - self.p)

    @cached_property
    def log_rho(self) -> float:
        """Return ln ρ."""
        return log_rho(self.p)


def _outvoted(pairs: int, wrong: float) -> float:
    """Return P{Bin(2n + 1, p) ≤ n}, rounded up, given the probability 1 − p of a wrong answer."""
    from scipy.special import betainc

    return float(betainc(pairs + 1.0, pairs + 1.0, wrong)) * (1 + _ROUNDING)


@lru_cache(maxsize=64)
def _all_outvoted(wrong: float) -> tuple[float, ...]:
    """Return the first of these probabilities, cached because plans ask for them repeatedly."""
    return tuple(_outvoted(pairs, wrong) for pairs in range(_KNOWN))


def log_rho(p: Fraction) -> float:
    """Return ln ρ without cancellation near p = 1/2: 1 − ρ = (p−½)²/(½ + √(p(1−p)))."""
    spread = math.sqrt(float(p * (1 - p)))
    return math.log1p(-(float(p - Fraction(1, 2)) ** 2) / (0.5 + spread))
