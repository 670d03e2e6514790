"""Define the noise model of a problem: the probability that an answer is right.

A `Noise` is one of

- `Exactly(p)`: right with probability p. Accuracy is promised at p, privacy from p upwards;
- `AtLeast(p)`: right with one unknown probability, p or better. Accuracy is promised at every such
  probability;
- `Between(low, high)`: right with one unknown probability, with a Beta belief cut off at low and
  high. Accuracy is promised on average over that belief;
- `Rates(good, bad)`: checks of good and of bad commits fail with two rates (`problem.rates`).
- `Responses(kind, scales)`: yes with a probability that depends on how far the question is from the
  number (`feint.problem.responses`).

In all but the last the probability is the same for all answers of a search: their proofs of privacy
need it. The last has proofs of its own (proofs/responses.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from feint.errors import InvalidValue
from feint.exact import Number, plain, rational, text
from feint.problem.rates import Rates
from feint.problem.regime import MARGIN, read_p
from feint.problem.responses import Responses, read_responses

if TYPE_CHECKING:  # problems are read without loading NumPy
    import numpy as np
    from numpy.typing import NDArray

_BELIEF = re.compile(r"(?P<range>.*?)\s*beta\(\s*(?P<right>[^,()]+),\s*(?P<wrong>[^,()]+)\)\s*")
_SLICES = 32  # slices of a prior: averages are at most a tenth too large, and more would be slower


@dataclass(frozen=True)
class Exactly:
    """Answers are right with a known probability.

    Attributes:
        p: The probability.
    """

    p: Fraction

    @property
    def least(self) -> Fraction:
        """Return p."""
        return self.p

    @property
    def most(self) -> Fraction:
        """Return p."""
        return self.p

    @property
    def text(self) -> str:
        """Return p as a fraction."""
        return text(self.p)

    @property
    def words(self) -> str:
        """Return p as a decimal."""
        return plain(self.p)

    def slices(self) -> tuple[tuple[Fraction, float], ...]:
        """Return one slice, p."""
        return ((self.p, 1.0),)


@dataclass(frozen=True)
class AtLeast:
    """Answers are right with one unknown probability of p or more.

    Attributes:
        p: The lower bound of the probability.
    """

    p: Fraction

    @property
    def least(self) -> Fraction:
        """Return p."""
        return self.p

    @property
    def most(self) -> Fraction:
        """Return the greatest probability there can be."""
        return 1 - MARGIN

    @property
    def text(self) -> str:
        """Return p as a fraction, with a plus."""
        return f"{text(self.p)}+"

    @property
    def words(self) -> str:
        """Return p as a decimal, or better."""
        return f"{plain(self.p)} or better"

    def slices(self) -> tuple[tuple[Fraction, float], ...]:
        """Return one slice, the worst probability."""
        return ((self.p, 1.0),)


@dataclass(frozen=True)
class Between:
    """Answers are right with one unknown probability, whose prior is a Beta distribution.

    Attributes:
        low: The least possible probability.
        high: The greatest possible probability.
        right: The first parameter of the Beta distribution. A whole number a corresponds to a − 1
            observed right answers.
        wrong: The second parameter, in the same way for wrong answers.
    """

    low: Fraction
    high: Fraction
    right: Fraction = Fraction(1)
    wrong: Fraction = Fraction(1)

    @property
    def least(self) -> Fraction:
        """Return low."""
        return self.low

    @property
    def most(self) -> Fraction:
        """Return high."""
        return self.high

    @property
    def text(self) -> str:
        """Return the range and the parameters as fractions."""
        ends = f"{text(self.low)}..{text(self.high)}"
        if self.right == self.wrong == 1:
            return ends
        return f"{ends} beta({text(self.right)}, {text(self.wrong)})"

    @property
    def words(self) -> str:
        """Return the range in decimals, with the prior if it is not uniform."""
        ends = f"{plain(self.low)} to {plain(self.high)}"
        if self.right == self.wrong == 1:
            return ends
        return f"{ends} (belief: Beta({plain(self.right)}, {plain(self.wrong)}))"

    def slices(self) -> tuple[tuple[Fraction, float], ...]:
        """Return the lower ends of 32 slices and their masses.

        The mean of a function that falls with p is at most the sum of mass times its value there.
        """
        return _slices(self)

    def draw(self, random: np.random.Generator, runs: int) -> NDArray[np.float64]:
        """Return a probability for each search, drawn from the prior."""
        from scipy.special import betainc, betaincinv  # loading SciPy takes longer than planning

        right, wrong = float(self.right), float(self.wrong)
        below, above = (float(betainc(right, wrong, float(end))) for end in (self.low, self.high))
        mark = below + (above - below) * random.random(runs)
        drawn: NDArray[np.float64] = betaincinv(right, wrong, mark)
        return drawn.clip(float(self.low), float(self.high))

    def below(self, p: Fraction | float) -> float:
        """Return the probability that a right answer is less likely than p."""
        from scipy.special import betainc

        right, wrong = float(self.right), float(self.wrong)
        ends = (float(self.low), min(max(float(p), float(self.low)), float(self.high)))
        first, here, last = (float(betainc(right, wrong, end)) for end in (*ends, float(self.high)))
        return (here - first) / (last - first)


Noise: TypeAlias = Exactly | AtLeast | Between | Rates | Responses
"""A noise model: how often answers are right.

Every member has `least` and `most`, the bounds of p; `text`, which `read_noise` reads; `words` for
people; and `slices`, which bound averages over an unknown p.
"""

UNKNOWN = Between(Fraction(11, 20), Fraction(1), Fraction(8), Fraction(2))
"""The meaning of "unknown": 0.55 or better, as if 7 right answers and a wrong one were observed."""

NoiseLike: TypeAlias = Number | tuple[Number, Number] | Noise
"""A noise model in any form that `read_noise` reads: a number, (low, high), a `Noise`, or text."""


def read_noise(value: NoiseLike | None, setting: str = "bayesian") -> Noise | None:
    """Read the probability that an answer is right.

    Args:
        value: A number p; "0.9+" for p or better; "0.6..0.95" or (0.6, 0.95) for a range, to which
            " beta(8, 2)" adds a belief; "unknown"; "logistic(1/16)" or "probit(1/8|1/16)" if it
            depends on the distance; a `Noise`; None: answers are always right.
        setting: The problem's setting; only the Bayesian setting allows wrong answers.

    Returns:
        The noise model; None without noise.

    Raises:
        InvalidValue: The value is none of these, or a probability is not between 1/2 and 1.

    >>> read_noise("0.6..0.95").words
    '0.6 to 0.95'
    >>> read_noise("unknown").least
    Fraction(11, 20)
    """
    if value is None:
        return None
    if isinstance(value, Noise):
        found: Noise = _checked(value, setting)
    elif isinstance(value, tuple | list):
        if len(value) != 2:
            rule = "a range has two ends"
            raise InvalidValue("p", f"{len(value)} numbers", rule, "give p = (0.6, 0.95)")
        found = _between(value[0], value[1], 1, 1, setting)
    elif isinstance(value, str) and (rates := Rates.read(value)) is not None:
        found = rates
    elif isinstance(value, str) and value.strip() == "unknown":
        found = _checked(UNKNOWN, setting)
    elif isinstance(value, str) and (responses := read_responses(value)) is not None:
        found = _checked(responses, setting)
    elif isinstance(value, str) and ".." in value:
        belief = _BELIEF.fullmatch(value)
        low, high = (belief["range"] if belief else value).split("..", 1)
        right, wrong = (belief["right"], belief["wrong"]) if belief else (1, 1)
        found = _between(low, high, right, wrong, setting)
    elif isinstance(value, str) and value.rstrip().endswith("+"):
        found = AtLeast(read_p(value.rstrip()[:-1], setting))
    else:
        found = Exactly(read_p(value, setting))
    return found


def _checked(noise: Noise, setting: str) -> Noise:
    """Return a noise model after checking every field, since it may have been built by hand."""
    if isinstance(noise, Responses):
        if setting != "bayesian":
            rule = "answers that may be wrong need setting = bayesian"
            raise InvalidValue("p", noise.words, rule, "leave p out, or give setting = bayesian")
        return noise
    if isinstance(noise, Between):
        return _between(noise.low, noise.high, noise.right, noise.wrong, setting)
    if isinstance(noise, Rates):
        return Rates.of(noise.good, noise.bad)
    return type(noise)(read_p(noise.p, setting))


def _between(low: Number, high: Number, right: Number, wrong: Number, setting: str) -> Between:
    bottom, top = read_p(low, setting), rational(high, "p")
    if top != 1:  # the end itself has no probability
        top = read_p(top, setting)
    if bottom >= top:
        rule, remedy = "a range begins below its end", "give the smaller number first"
        if bottom == top:
            remedy = f"give p = {plain(bottom)}"
        raise InvalidValue("p", f"{plain(bottom)}..{plain(top)}", rule, remedy)
    shape = rational(right, "p"), rational(wrong, "p")
    for each in shape:
        if not Fraction(1) <= each <= 10**6:
            rule = "the parameters of a Beta distribution must lie between 1 and 10^6"
            raise InvalidValue("p", plain(each), rule, "such as 0.6..1 beta(8, 2)")
    return Between(bottom, top, *shape)


@lru_cache(maxsize=64)
def _slices(noise: Between) -> tuple[tuple[Fraction, float], ...]:
    from scipy.special import betainc, betaincinv

    right, wrong = float(noise.right), float(noise.wrong)
    first, last = (float(betainc(right, wrong, float(end))) for end in (noise.low, noise.high))
    # The lowest probabilities dominate any average that falls with p, so cut them finest.
    marks = [first + (last - first) * (each / _SLICES) ** 2 for each in range(1, _SLICES)]
    inner = [Fraction(float(betaincinv(right, wrong, mark))) for mark in marks]
    ends = [noise.low, *(each for each in inner if noise.low < each < noise.high), noise.high]
    below = [noise.below(end) for end in ends]
    # 1 + 1e-12: masses are floats, and an average over them must not be too small.
    masses = [(b - a) * (1 + 1e-12) for a, b in pairwise(below)]
    return tuple(zip(ends[:-1], masses, strict=True))
