"""What is asked for: how accurate, how private, in which setting.

Widths are full widths, everywhere: an estimate is ε-accurate when it lies within **ε/2** of X*,
and an eavesdropper wins when she comes within **δ/2** of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from feint.errors import InvalidValue, OutOfRegime
from feint.exact import Number, ceil_root, plain, text, whole
from feint.problem.prior import UNIFORM, Prior
from feint.regime import (
    check,
    check_values,
    read_confidence,
    read_dim,
    read_level,
    read_p,
    read_width,
)

Setting = Literal["bayesian", "deterministic"]
SETTINGS: tuple[Setting, ...] = ("bayesian", "deterministic")


@dataclass(frozen=True, init=False)
class Problem:
    """What is wanted: how accurate, how private, in which setting; all on the unit interval.

    Attributes:
        epsilon: Full width of the learner's accuracy: she ends within epsilon/2 of X*.
        delta: Full width of the eavesdropper's success: she wins within delta/2 of X*.
        level: L. Bayesian: she wins with probability at most 1/L. Deterministic: at least L places,
            delta apart, stay possible. At level 1 there is nothing to hide.
        setting: "bayesian" (X* uniform, or by the prior) or "deterministic" (X* arbitrary; a
            worst-case notion).
        p: Probability that an answer is right, strictly between 1/2 and 1; None: always right.
        confidence: 1 − 1/M, the probability of being accurate under noise; None: on average.
        dim: Number of coordinates; distances are in the sup norm.
        values: X* is one of this many values, equally likely without a prior, and must be found
            exactly; None: X* is a point of an interval.
        prior: Where X* may be, one law a coordinate; None: it is uniform.
    """

    epsilon: Fraction
    delta: Fraction
    level: int
    setting: Setting
    p: Fraction | None
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
        p: Number | None = None,
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
        fields = {
            "epsilon": read_width(epsilon, "epsilon"),
            "delta": read_width(delta, "delta"),
            "level": read_level(level),
            "setting": setting,
            "p": read_p(p, setting),
            "confidence": read_confidence(confidence, p),
            "dim": read_dim(dim),
            "values": None if values is None else whole(values, "values", least=2),
        }
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
        check_blind(self)

    @property
    def noisy(self) -> bool:
        """Whether answers may be wrong."""
        return self.p is not None

    @property
    def parts(self) -> int:
        """⌈L^(1/d)⌉: places to hide among in one coordinate, when all coordinates share alike."""
        return ceil_root(self.level, self.dim)

    def law(self, coordinate: int = 0) -> Prior:
        """Where one coordinate of X* may be."""
        return UNIFORM if self.prior is None else self.prior[coordinate]

    @property
    def blind(self) -> Fraction:
        """What the best guess without listening wins with, over all coordinates."""
        laws = (self.law(i) for i in range(self.dim))
        return math.prod((each.blind(self.delta) for each in laws), start=Fraction(1))

    def _read(self, prior: Prior | Sequence[Prior] | None) -> tuple[Prior, ...] | None:
        """One law a coordinate; None where all are uniform."""
        if prior is None:
            return None
        laws = (prior,) * self.dim if isinstance(prior, Prior) else tuple(prior)
        if len(laws) != self.dim or not all(isinstance(each, Prior) for each in laws):
            rule = f"must be one prior, or one for each of the {self.dim} coordinates"
            raise InvalidValue("prior", f"{len(laws)} of them", rule, "make them by domain.prior")
        if all(each.uniform for each in laws):
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
                raise InvalidValue("prior", f"{each.bins} weights", rule, "give as many")
        return laws

    def to_dict(self) -> dict[str, Any]:
        """The problem for JSON: rationals as strings; the prior only where there is one."""
        stated = {} if self.prior is None else {"prior": [each.to_dict() for each in self.prior]}
        return stated | {
            "epsilon": text(self.epsilon),
            "delta": text(self.delta),
            "level": self.level,
            "setting": self.setting,
            "p": None if self.p is None else text(self.p),
            "confidence": None if self.confidence is None else text(self.confidence),
            "dim": self.dim,
            "values": self.values,
        }

    def __str__(self) -> str:
        """The problem in one line."""
        words = [f"ε={self.epsilon}", f"δ={self.delta}", f"L={self.level}", self.setting]
        words += [f"p={self.p}"] if self.p is not None else []
        words += [f"confidence={self.confidence}"] if self.confidence is not None else []
        words += [f"d={self.dim}"] if self.dim > 1 else []
        words += [f"{self.values} values"] if self.values is not None else []
        words += [f"prior {' × '.join(map(str, self.prior))}"] if self.prior is not None else []
        return ", ".join(words)


def check_blind(
    problem: Problem,
    *,
    laws: tuple[Prior, ...] | None = None,
    margin: Fraction = Fraction(1),
    unit: Fraction = Fraction(1),
) -> None:
    """Refuse a problem in which nobody can hide: a guess without listening wins too often.

    Args:
        problem: What is wanted.
        laws: Where X* may be, one law a coordinate; None: as the problem says.
        margin: How many times denser than stated the truth may be.
        unit: How long the interval is in the user's units.

    Raises:
        OutOfRegime: The blind guess wins with more than 1/L; the nearest level and delta that work
            are named.
    """
    held = laws or problem.prior or (UNIFORM,) * problem.dim
    if margin == 1 and all(each.uniform for each in held):
        return
    alone = math.prod((each.blind(problem.delta) for each in held), start=Fraction(1))
    blind = alone * margin
    if blind * problem.level <= 1:
        return
    more = "more" if margin == 1 else f"and {plain(margin)} times that is more"
    rule = (
        f"a guess without listening already wins with probability {float(alone):.4g},"
        f" {more} than 1/level: nobody can hide the number better"
    )
    near = [f"level = {int(1 / blind)}"] if blind <= Fraction(1, 2) else []
    if problem.dim == 1:
        width = held[0].widest(1 / (problem.level * margin))
        if problem.values is not None and width is not None:
            width = Fraction(int(width * problem.values), problem.values)
        if width:
            shown = width * unit if problem.values is not None else _below(width * unit)
            near += [f"delta = {plain(shown)}"]
    remedy = f"the nearest that works is {', or '.join(near)}" if near else "hide a wider range"
    raise OutOfRegime("level", problem.level, rule, remedy)


def _below(width: Fraction) -> Fraction:
    """A width in four digits, no larger."""
    unit = Fraction(10) ** (len(str(int(1 / width))) + 3) if width < 1 else Fraction(10**3)
    return Fraction(math.floor(width * unit), unit)
