"""Define noise with two rates: checks fail less often on good commits than on bad ones.

The question "is it at least q?" is a check of commit q − 1, and a pass means yes. If the true
answer is yes, the commit is good, and the check fails with the rate `good`. If it is no, the check
fails with the rate `bad`. The rates are the same for all checks of a search.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from feint.errors import InvalidValue
from feint.exact import Number, plain, rational, text

_TEXT = re.compile(r"good fails (?P<good>[^,]+), bad fails (?P<bad>[^,]+)")
_DIGITS = 10**9  # the equivalent p is rounded down to this unit, so that caps are safe
_NEVER, _ALWAYS = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Rate:
    """The probability that a check fails: known, within a range, or unknown (from 0 to 1).

    Attributes:
        low: The least possible probability.
        high: The largest possible probability; equal to `low` if the rate is known.
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: Number | Rate, name: str) -> Rate:
        """Read a rate.

        Args:
            value: A number; "0.3+" for 0.3 or more; "0.05-" for 0.05 or less; "0.1..0.2" for a
                range; "unknown"; or a `Rate`.
            name: The name of the argument in errors.

        Raises:
            InvalidValue: The value is none of these.

        >>> Rate.of("0.3+", "bad_fails").words
        '0.3 or more'
        """
        if isinstance(value, Rate):
            low, high = value.low, value.high
        else:
            written = value.strip() if isinstance(value, str) else ""
            if written == "unknown":
                low, high = _NEVER, _ALWAYS
            elif written.endswith("+"):
                low, high = rational(written[:-1], name), _ALWAYS
            elif written.endswith("-"):
                low, high = _NEVER, rational(written[:-1], name)
            elif ".." in written:
                low, high = (rational(end, name) for end in written.split("..", 1))
            else:
                low = high = rational(value, name)
        if not 0 <= low <= high <= 1:
            rule = "must be a probability, or a range of them that begins below its end"
            raise InvalidValue(name, value, rule, "give one such as 0.3, 0.3+ or unknown")
        return cls(low, high)

    @property
    def is_known(self) -> bool:
        """Return True if the rate is a single number."""
        return self.low == self.high

    @property
    def is_unknown(self) -> bool:
        """Return True if the rate may be any number from 0 to 1."""
        return self.low == 0 and self.high == 1

    @property
    def text(self) -> str:
        """Return the rate as text in fractions, which `of` reads."""
        return self._written(text)

    @property
    def words(self) -> str:
        """Return the rate for people, in decimals."""
        if self.is_known or self.is_unknown:
            return self._written(plain)
        if self.high == 1:
            return f"{plain(self.low)} or more"
        return f"{plain(self.high)} or less" if self.low == 0 else self._written(plain)

    def _written(self, show: Callable[[Fraction], str]) -> str:
        if self.is_known:
            return show(self.low)
        if self.is_unknown:
            return "unknown"
        if self.high == 1:
            return f"{show(self.low)}+"
        return f"{show(self.high)}-" if self.low == 0 else f"{show(self.low)}..{show(self.high)}"


@dataclass(frozen=True)
class Rates:
    """The rates at which checks fail on good commits and on bad ones; a member of `Noise`.

    Attributes:
        good: The rate at which checks of good commits fail.
        bad: The rate at which checks of bad commits fail.
    """

    good: Rate
    bad: Rate

    @classmethod
    def of(cls, good: Number | Rate, bad: Number | Rate) -> Rates:
        """Read two rates, and check that bad commits always fail more often than good ones.

        Args:
            good: The rate of good commits, in any form that `Rate.of` reads.
            bad: The rate of bad commits.

        Raises:
            InvalidValue: One of them is not a rate, or they do not distinguish good from bad.

        >>> Rates.of("0.05", "0.6+").text
        'good fails 1/20, bad fails 3/5+'
        """
        rates = cls(Rate.of(good, "good_fails"), Rate.of(bad, "bad_fails"))
        least, most = rates.bad.low, rates.good.high
        # A belief about unknown rates distinguishes them, but the bounds must leave room for that.
        if rates.is_unknown:
            if rates.good.low < 1 and rates.bad.high > 0:
                return rates
            least, most = rates.bad.high, rates.good.low
        if least <= most:
            rule = f"a bad commit must fail more often than a good one, at most {plain(most)}"
            remedy = "give a greater rate, or --good-fails a smaller bound such as 0.05-"
            raise InvalidValue("bad_fails", rates.bad.words, rule, remedy)
        if most == 0 and least == 1:
            rule = "a check that always fails on bad commits and never on good ones is not flaky"
            raise InvalidValue("bad_fails", rates.bad.words, rule, "leave both rates out")
        return rates

    @classmethod
    def read(cls, written: str) -> Rates | None:
        """Return the rates in a text from `text`; None if it has another form."""
        found = _TEXT.fullmatch(written.strip())
        return None if found is None else cls.of(found["good"], found["bad"])

    @property
    def is_unknown(self) -> bool:
        """Return True if one of the rates is unknown, so that a search needs a belief about it."""
        return self.good.is_unknown or self.bad.is_unknown

    @property
    def is_known(self) -> bool:
        """Return True if both rates are known exactly."""
        return self.good.is_known and self.bad.is_known

    @property
    def needs_margin(self) -> bool:
        """Return True if a posterior for the worst rates may be too sure under better rates.

        If good commits never fail, it is never too sure: proofs/rates.md.
        """
        return not self.is_known and self.worst[0] > 0

    @property
    def worst(self) -> tuple[Fraction, Fraction]:
        """Return the two rates that are hardest to distinguish: greatest good, least bad."""
        return self.good.high, self.bad.low

    @property
    def least(self) -> Fraction:
        """Return the p of symmetric noise that is as hard to see through as the worst rates.

        Both have the same Bhattacharyya coefficient, on which the caps of searches depend.
        """
        good, bad = (float(rate) for rate in self.worst)
        both = math.sqrt(good * bad) + math.sqrt((1 - good) * (1 - bad))
        p = (1 + math.sqrt(max(0.0, 1 - both * both))) / 2
        return Fraction(min(math.floor(p * _DIGITS), _DIGITS - 1), _DIGITS)

    @property
    def most(self) -> Fraction:
        """Return the p of symmetric noise whose answers say as much as the most telling check."""
        good, bad = self.worst
        if good == 0 or bad == 1:
            return _ALWAYS
        odds = max(bad / good, (1 - good) / (1 - bad))
        return odds / (1 + odds)

    @property
    def text(self) -> str:
        """Return both rates as text in fractions, which `read` reads."""
        return f"good fails {self.good.text}, bad fails {self.bad.text}"

    @property
    def words(self) -> str:
        """Return both rates in decimals."""
        return f"good commits fail: {self.good.words}; bad commits fail: {self.bad.words}"

    def slices(self) -> tuple[tuple[Fraction, float], ...]:
        """Return one slice, for the worst rates."""
        return ((self.least, 1.0),)

    def told(self, fails: float) -> float:
        """Return the information in bits of a check, given the probability of a bad commit.

        Args:
            fails: The probability that the commit is bad.
        """
        good, bad = (float(rate) for rate in self.worst)
        mean = _entropy(fails * bad + (1 - fails) * good)
        return mean - fails * _entropy(bad) - (1 - fails) * _entropy(good)

    @property
    def aim(self) -> float:
        """Return the probability of a bad commit at which a check is most informative."""
        return _aim(*self.worst)


@dataclass(frozen=True)
class Decision:
    """A rule that turns m checks of a commit into a verdict that errs equally on both sides.

    Attributes:
        threshold: With more failed checks than this the commit counts as bad, with fewer as good.
        coin: The probability that it counts as bad if the number of failed checks equals this.
        error: The probability of a wrong verdict, equal for good and bad commits.
    """

    threshold: int
    coin: Fraction
    error: Fraction


@lru_cache(maxsize=4096)
def decision(rates: Rates, repeats: int) -> Decision:
    """Return the rule for a number of checks whose two errors are equal, exactly.

    By the lemma of Neyman and Pearson, no other rule makes the larger error smaller.

    Args:
        rates: The rates. At the worst ones both errors are equal; at others neither is larger.
        repeats: The number of checks of the commit.

    >>> decision(Rates.of(0, "0.5"), 2)
    Decision(threshold=0, coin=Fraction(1, 5), error=Fraction(1, 5))
    """
    good, bad = (_failures(rate, repeats) for rate in rates.worst)
    above, below = 1 - good[0], Fraction(0)  # P{more fail | good}, P{fewer fail | bad}
    threshold = 0
    while above > below + bad[threshold]:  # the error on good commits is larger even without ties
        below += bad[threshold]
        threshold += 1
        above -= good[threshold]
    tie = good[threshold] + bad[threshold]
    coin = (below + bad[threshold] - above) / tie if tie else Fraction(0)
    coin = min(coin, _ALWAYS)
    return Decision(threshold, coin, above + coin * good[threshold])


def _failures(rate: Fraction, repeats: int) -> list[Fraction]:
    """Return the probability of each number of failed checks."""
    whole, fails = rate.denominator, rate.numerator
    total, passes = whole**repeats, whole - fails
    return [
        Fraction(comb(repeats, count) * fails**count * passes ** (repeats - count), total)
        for count in range(repeats + 1)
    ]


def _entropy(p: float) -> float:
    if not 0 < p < 1:
        return 0.0
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


@lru_cache(maxsize=64)
def _aim(good: Fraction, bad: Fraction) -> float:
    rates, low, high = Rates(Rate(good, good), Rate(bad, bad)), 0.0, 1.0
    for _ in range(60):  # the information is concave, so each step keeps two thirds
        first, second = (2 * low + high) / 3, (low + 2 * high) / 3
        if rates.told(first) < rates.told(second):
            low = first
        else:
            high = second
    return (low + high) / 2
