"""Define a problem: the accuracy, the privacy and the setting of a search.

All widths are full widths: an estimate is ε-accurate if it lies within **ε/2** of X*, and an
eavesdropper wins if she comes within **δ/2** of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from feint.errors import InvalidValue, OutOfRegime
from feint.exact import Number, ceil_root, plain, text, whole
from feint.problem.noise import AtLeast, Exactly, Noise, NoiseLike, read_noise
from feint.problem.prior import UNIFORM, Prior
from feint.problem.rates import Rates
from feint.problem.regime import (
    check,
    check_values,
    read_confidence,
    read_dim,
    read_level,
    read_width,
)
from feint.problem.responses import Responses

Setting = Literal["bayesian", "deterministic"]
"""The eavesdropper's prior knowledge of the number: its distribution, or nothing."""

SETTINGS: tuple[Setting, ...] = ("bayesian", "deterministic")
"""Both settings, the default first."""

_DIGITS = 10**12  # to which distances are rounded up


@dataclass(frozen=True, init=False)
class Problem:
    """A problem on the unit interval: the accuracy, the privacy and the setting of a search.

    Attributes:
        epsilon: The full width of the accuracy: the estimate is within epsilon/2 of X*.
        delta: The full width of the eavesdropper's success: she wins within delta/2 of X*.
        level: L. Bayesian: the eavesdropper wins with probability at most 1/L. Deterministic: at
            least L places, delta apart, stay possible. At level 1 there is nothing to hide.
        setting: "bayesian" (X* uniform, or by the prior) or "deterministic" (X* arbitrary; a
            worst-case notion).
        p: The probability that an answer is right, strictly between 1/2 and 1, or a `Noise` if it
            is not known; None: always right. Promises of privacy need all answers to be right
            equally often, with p or better. Read it as `noise`.
        confidence: 1 − 1/M, the probability of being accurate under noise; None: on average.
        dim: Number of coordinates; distances are in the sup norm.
        values: X* is one of this many values, equally likely without a prior, and must be found
            exactly; None: X* is a point of an interval.
        prior: The distribution of X*, one per coordinate; None: uniform. A distribution whose bins
            are equal but whose distance is not zero is kept: every claim adds the distance.
    """

    epsilon: Fraction
    delta: Fraction
    level: int
    setting: Setting
    p: Fraction | Noise | None
    confidence: Fraction | None
    dim: int
    values: int | None
    prior: tuple[Prior, ...] | None

    def __init__(
        self,
        epsilon: Number,
        delta: Number,
        level: Number,
        *,
        setting: Setting = "bayesian",
        p: NoiseLike | None = None,
        confidence: Number | None = None,
        dim: Number = 1,
        values: Number | None = None,
        prior: Prior | Sequence[Prior] | None = None,
    ) -> None:
        """Check everything and keep it exactly.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: The arguments do not fit together, or under the prior a guess without
                listening already wins too often.
        """
        if setting not in SETTINGS:
            rule = f"must be one of {', '.join(SETTINGS)}"
            raise InvalidValue("setting", setting, rule, "pick one of them")
        noise = read_noise(p, setting)
        fields = {
            "epsilon": read_width(epsilon, "epsilon"),
            "delta": read_width(delta, "delta"),
            "level": read_level(level),
            "setting": setting,
            "p": noise.p if isinstance(noise, Exactly) else noise,
            "confidence": read_confidence(confidence, p),
            "dim": read_dim(dim),
            "values": None if values is None else whole(values, "values", least=2),
        }
        if isinstance(noise, AtLeast) and confidence is None:
            rule = "if p is only known to be at least so much, accuracy has a stated confidence"
            raise InvalidValue("confidence", None, rule, "give one, such as 0.95, or a range for p")
        if isinstance(noise, Rates) and confidence is None:
            rule = "with two rates accuracy has a stated confidence"
            raise InvalidValue("confidence", None, rule, "give one, such as 0.95")
        if isinstance(noise, Responses):
            _check_responses(noise, fields, has_prior=prior is not None)
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "prior", self._read(prior))
        if self.values is not None:
            check_values(self.epsilon, self.delta, self.values)
        check(
            self.epsilon,
            self.delta,
            self.level,
            dim=self.dim,
            setting=self.setting,
            noisy=self.noisy,
            values=self.values,
        )
        check_blind(self, laws=self._laws(prior))

    @property
    def noisy(self) -> bool:
        """Whether answers may be wrong."""
        return self.p is not None

    @property
    def noise(self) -> Noise | None:
        """The noise model; None: answers are always right."""
        return Exactly(self.p) if isinstance(self.p, Fraction) else self.p

    @property
    def known_p(self) -> Fraction | None:
        """The probability that an answer is right, if it is one known number."""
        return self.p if isinstance(self.p, Fraction) else None

    @property
    def uniform(self) -> bool:
        """Whether X* is uniform in the bins; as stated, it is uniform only up to `distance`."""
        return all(each.uniform for each in self.prior or ())

    @property
    def nearly_uniform(self) -> bool:
        """Whether the prior is uniform up to its distance, and no answer is wrong.

        Then the plan for a uniform number suffices if it is made for 1/L minus the distance. Under
        noise the distance reduces accuracy too, as with any prior.
        """
        return self.prior is not None and self.uniform and not self.noisy

    @property
    def parts(self) -> int:
        """⌈L^(1/d)⌉, the number of hiding places in one coordinate if all have the same number."""
        return ceil_root(self.level, self.dim)

    def law(self, coordinate: int = 0) -> Prior:
        """Return the distribution of one coordinate of X*."""
        return UNIFORM if self.prior is None else self.prior[coordinate]

    @property
    def blind(self) -> Fraction:
        """The success of the best guess without listening, over all coordinates."""
        laws = (self.law(i) for i in range(self.dim))
        return math.prod((each.blind(self.delta) for each in laws), start=Fraction(1))

    @property
    def distance(self) -> Fraction:
        """The most that her success under the bins may grow under the distributions as stated.

        This is the distance over all coordinates, rounded up. Unknown distances, as with samples,
        count as 0. Every claim of privacy is about her success plus this.
        """
        return off_by(self.prior or ())

    def _laws(self, prior: Prior | Sequence[Prior] | None) -> tuple[Prior, ...] | None:
        """Return one distribution per coordinate, including uniform ones; None: none is stated."""
        if prior is None:
            return None
        return (prior,) * self.dim if isinstance(prior, Prior) else tuple(prior)

    def _read(self, prior: Prior | Sequence[Prior] | None) -> tuple[Prior, ...] | None:
        """Return one distribution per coordinate; None if all are uniform exactly."""
        laws = self._laws(prior)
        if laws is None:
            return None
        if len(laws) != self.dim or not all(isinstance(each, Prior) for each in laws):
            rule = f"must be one prior, or one for each of the {self.dim} coordinates"
            raise InvalidValue("prior", f"{len(laws)} of them", rule, "make them by domain.prior")
        # The worst case has no prior, so the distance of a uniform one is irrelevant there.
        worst_case = self.setting == "deterministic"
        if all(each.uniform and (worst_case or not each.distance) for each in laws):
            return None
        if self.setting == "deterministic":
            rule = (
                "the deterministic setting promises the worst case, in which no place is likelier"
            )
            remedy = "leave prior out, or give setting = bayesian"
            raise InvalidValue("prior", str(laws[0]), rule, remedy)
        for each in laws:
            if self.values is not None and not each.uniform and each.bins != self.values:
                rule = f"must have one weight for each of the {self.values} values"
                raise InvalidValue(
                    "prior", f"{each.bins} weights", rule, "give one weight per value"
                )
        return laws

    def to_dict(self) -> dict[str, Any]:
        """Return the problem for JSON, with rationals as strings and the prior if there is one."""
        stated = {} if self.prior is None else {"prior": [each.to_dict() for each in self.prior]}
        return stated | {
            "epsilon": text(self.epsilon),
            "delta": text(self.delta),
            "level": self.level,
            "setting": self.setting,
            "p": None if self.noise is None else self.noise.text,
            "confidence": None if self.confidence is None else text(self.confidence),
            "dim": self.dim,
            "values": self.values,
        }

    def __str__(self) -> str:
        """Return the problem in one line."""
        words = [f"ε={self.epsilon}", f"δ={self.delta}", f"L={self.level}", self.setting]
        words += [f"p={self.noise.text}"] if self.noise is not None else []
        words += [f"confidence={self.confidence}"] if self.confidence is not None else []
        words += [f"d={self.dim}"] if self.dim > 1 else []
        words += [f"{self.values} values"] if self.values is not None else []
        words += [f"prior {' × '.join(map(str, self.prior))}"] if self.prior is not None else []
        return ", ".join(words)


def _check_responses(noise: Responses, fields: dict[str, Any], *, has_prior: bool) -> None:
    """Refuse problems without a proof for answers whose reliability depends on the distance."""
    noise.check_range()
    if fields["confidence"] is None:
        rule = "answers that depend on the distance have a stated confidence, no mean error"
        raise InvalidValue("confidence", None, rule, "give one, such as 0.9")
    for name, wrong in (
        ("dim", fields["dim"] > 1),
        ("values", fields["values"] is not None),
        ("prior", has_prior),
    ):
        if wrong:
            rule = "answers that depend on the distance are planned for one number, uniform on an"
            rule += " interval"
            shown = "a prior" if name == "prior" else fields[name]
            remedy = f"leave {'step' if name == 'values' else name} out, or give p as a number"
            raise InvalidValue("step" if name == "values" else name, shown, rule, remedy)


def off_by(laws: Sequence[Prior]) -> Fraction:
    """Bound the distance of independent distributions from their bins, together, rounded up.

    Args:
        laws: One distribution per coordinate; an unknown distance counts as 0.
    """
    off = sum((Fraction(each.distance or 0) for each in laws), Fraction(0))
    return Fraction(math.ceil(off * _DIGITS), _DIGITS)


def check_blind(
    problem: Problem,
    *,
    laws: tuple[Prior, ...] | None = None,
    margin: Fraction = Fraction(1),
    unit: Fraction = Fraction(1),
) -> None:
    """Refuse a problem that cannot be private because a guess without listening wins too often.

    Her success is that under the distributions as stated: the success in their bins plus their
    distance, or the mass of a single place if that is larger.

    Args:
        problem: The problem.
        laws: The distribution of each coordinate; None: those of the problem.
        margin: The largest allowed ratio of the true density to the stated one.
        unit: The length of the interval in the user's units.

    Raises:
        OutOfRegime: The blind guess wins with more than 1/L. The message names the nearest level
            and delta that work.
    """
    held = laws or problem.prior or (UNIFORM,) * problem.dim
    uneven = problem.setting == "bayesian" and any(each.atom or each.distance for each in held)
    if margin == 1 and not uneven and all(each.uniform for each in held):
        return
    blind = _Blind(problem, held, margin)
    if blind.most <= blind.limit:
        return
    near = [f"level = {blind.level}"] if blind.level >= 2 else []
    width = blind.widest()
    if width is not None:
        shown = width * unit if problem.values is not None else _below(width * unit)
        near += [f"delta = {plain(shown)}"]
    remedy = [f"the nearest that works is {', or '.join(near)}"] if near else []
    if not near or blind.coarse:
        remedy += [blind.otherwise]
    raise OutOfRegime("level", problem.level, blind.rule, "; or ".join(remedy))


@dataclass(frozen=True)
class _Blind:
    """The success of a guess without listening, and the allowed success.

    Attributes:
        problem: The problem.
        laws: The distribution of each coordinate.
        margin: The largest allowed ratio of the true density to the stated one.
    """

    problem: Problem
    laws: tuple[Prior, ...]
    margin: Fraction

    @property
    def limit(self) -> Fraction:
        """The allowed success under the distributions as stated."""
        return 1 / (self.problem.level * self.margin)

    @property
    def binned(self) -> Fraction:
        """The success in the bins."""
        delta = self.problem.delta
        return math.prod((each.blind(delta) for each in self.laws), start=Fraction(1))

    @property
    def off(self) -> Fraction:
        """The distance of the bins from the stated distributions; 0 in the worst case."""
        return off_by(self.laws) if self.problem.setting == "bayesian" else Fraction(0)

    @property
    def atom(self) -> Fraction:
        """The success of naming the heaviest single place, if there is a known one."""
        return math.prod((Fraction(each.atom) for each in self.laws), start=Fraction(1))

    @property
    def most(self) -> Fraction:
        """The largest success under the distributions as stated."""
        return min(Fraction(1), max(self.binned + self.off, self.atom))

    @property
    def level(self) -> int:
        """The largest level at which the guess does not win too often."""
        return int(1 / (self.most * self.margin))

    @property
    def coarse(self) -> bool:
        """Whether the bins and single places alone would be allowed."""
        return self.atom <= self.limit and self.binned <= self.limit

    def widest(self) -> Fraction | None:
        """Return the largest delta at which the guess does not win too often, if it is known."""
        problem, room = self.problem, self.limit - self.off
        if problem.dim > 1 or room <= 0 or self.atom > self.limit:
            return None
        width = self.laws[0].widest(room)
        if width is None:
            return None
        if problem.values is not None:
            width = Fraction(int(width * problem.values), problem.values)
        return width if width and (width >= 4 * problem.epsilon or not problem.noisy) else None

    @property
    def rule(self) -> str:
        """The reason why the problem is refused."""
        more = "more" if self.margin == 1 else f"and {plain(self.margin)} times that is more"
        if self.atom > self.limit:
            return (
                f"one place has a mass of {float(self.atom):.4g}, {more} than 1/level: naming that"
                " place wins as often, however small delta is"
            )
        alone, stated = f"{float(self.binned):.4g}", f"{float(self.most):.4g}"
        if self.coarse:
            bins = " and ".join(str(each) for each in dict.fromkeys(e.bins for e in self.laws))
            bins += " bin" if bins == "1" else " bins"
            return (
                f"in {bins} a guess without listening wins with probability {alone}, and"
                f" under the law as stated with {stated} at most, {more} than 1/level"
            )
        if stated != alone:
            alone += f" in its bins, {stated} at most as stated"
        return (
            f"a guess without listening already wins with probability {alone},"
            f" {more} than 1/level: nobody can hide the number better"
        )

    @property
    def otherwise(self) -> str:
        """The remedy if no level and no delta works."""
        if self.atom > self.limit:
            return "leave that place out of the prior, or give a step if only some values can be"
        if self.coarse and any(each.atom for each in self.laws):
            return "give a step, if only some values can be"
        if self.coarse:
            return "narrow the range to where the number may be, or read the law into more bins"
        return "hide a wider range"


def _below(width: Fraction) -> Fraction:
    """Round a width down to four digits."""
    unit = Fraction(10) ** (len(str(int(1 / width))) + 3) if width < 1 else Fraction(10**3)
    return Fraction(math.floor(width * unit), unit)
