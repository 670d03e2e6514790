"""What is asked for: how accurate, how private, in which setting.

Widths are full widths, everywhere: an estimate is ε-accurate when it lies within **ε/2** of X*,
and an eavesdropper wins when she comes within **δ/2** of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from feint.errors import InvalidValue
from feint.exact import Number, ceil_root, text, whole
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
        setting: "bayesian" (X* uniform) or "deterministic" (X* arbitrary; a worst-case notion).
        p: Probability that an answer is right, strictly between 1/2 and 1; None: always right.
        confidence: 1 − 1/M, the probability of being accurate under noise; None: on average.
        dim: Number of coordinates; distances are in the sup norm.
        values: X* is one of this many equally likely values and must be found exactly;
            None: X* is a point of an interval.
    """

    epsilon: Fraction
    delta: Fraction
    level: int
    setting: Setting
    p: Fraction | None
    confidence: Fraction | None
    dim: int
    values: int | None

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
    ) -> None:
        """Check everything and keep it exactly.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: The arguments do not fit together.
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

    @property
    def noisy(self) -> bool:
        """Whether answers may be wrong."""
        return self.p is not None

    @property
    def parts(self) -> int:
        """⌈L^(1/d)⌉: places to hide among in one coordinate, when all coordinates share alike."""
        return ceil_root(self.level, self.dim)

    def to_dict(self) -> dict[str, str | int | None]:
        """The problem for JSON: rationals as strings."""
        return {
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
        return ", ".join(words)
