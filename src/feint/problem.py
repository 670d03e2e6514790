"""The values that travel: what is asked for, and in which units.

Widths are full widths, everywhere: an estimate is ε-accurate when it lies within **ε/2** of X*,
and an eavesdropper wins when she comes within **δ/2** of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from feint.errors import InvalidValue, OutOfRegime
from feint.exact import Number, ceil_root, plain, rational, text, whole

if TYPE_CHECKING:  # numpy is heavy, and problems and bounds do without it
    import numpy as np
    from numpy.typing import NDArray

Setting = Literal["bayesian", "deterministic"]
SETTINGS: tuple[Setting, ...] = ("bayesian", "deterministic")


@dataclass(frozen=True, init=False)
class Problem:
    """What is wanted: how accurate, how private, in which setting; all on the unit interval.

    Attributes:
        epsilon: Full width of the learner's accuracy: she ends within epsilon/2 of X*.
        delta: Full width of the eavesdropper's success: she wins within delta/2 of X*.
        level: L. Bayesian: she wins with probability at most 1/L. Deterministic: at least L places,
            delta apart, stay possible.
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
        unit: Number = 1,
    ) -> None:
        """Check everything and keep it exactly; errors speak in units of `unit` a unit interval.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: The arguments do not fit together.
        """
        if setting not in SETTINGS:
            raise InvalidValue("setting", setting, f"must be one of {', '.join(SETTINGS)}", _PICK)
        fields = {
            "epsilon": _positive(epsilon, "epsilon"),
            "delta": _positive(delta, "delta"),
            "level": whole(level, "level", least=2),
            "setting": setting,
            "p": _reliability(p, setting),
            "confidence": _confidence(confidence, p),
            "dim": whole(dim, "dim", least=1),
            "values": None if values is None else whole(values, "values", least=2),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        _check_regime(self, rational(unit, "unit"))

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


@dataclass(frozen=True, init=False)
class Domain:
    """The user's units: an interval, or the whole grid low, low+step, …, high (both included).

    Attributes:
        low: The least X* can be.
        high: The most X* can be.
        step: With a step, X* is one of low, low+step, …, high and is found exactly.
        label: What the number is called when a question is put, such as "price".
    """

    low: Fraction
    high: Fraction
    step: Fraction | None
    label: str | None

    def __init__(
        self, low: Number, high: Number, *, step: Number | None = None, label: str | None = None
    ) -> None:
        """Check the range and keep it exactly.

        Raises:
            InvalidValue: low ≥ high, a step that does not divide the range, or no number.
        """
        bottom, top = rational(low, "low"), rational(high, "high")
        if bottom >= top:
            rule = f"must be above low = {plain(bottom)}"
            raise InvalidValue("high", high, rule, "swap them, or give a larger high")
        size = None if step is None else _positive(step, "step")
        if size is not None and (top - bottom) % size:
            steps = (top - bottom) // size
            near = [bottom + size * k for k in (steps, steps + 1) if k >= 1]
            rule = f"must divide high − low = {plain(top - bottom)}"
            remedy = f"the nearest high that works is {' or '.join(map(plain, near))}"
            raise InvalidValue("step", step, rule, remedy)
        for name, value in (("low", bottom), ("high", top), ("step", size), ("label", label)):
            object.__setattr__(self, name, value)

    @property
    def values(self) -> int | None:
        """How many values a stepped domain has; None for an interval."""
        return None if self.step is None else int((self.high - self.low) / self.step) + 1

    @property
    def width(self) -> Fraction:
        """What the unit interval stands for: a stepped domain counts one step a value."""
        return self.high - self.low + (self.step or 0)

    def problem(
        self,
        *,
        delta: Number,
        level: Number,
        epsilon: Number | None = None,
        setting: Setting = "bayesian",
        p: Number | None = None,
        confidence: Number | None = None,
        dim: Number = 1,
    ) -> Problem:
        """The problem whose epsilon and delta are given in this domain's units.

        Args:
            delta: Full width within which the eavesdropper must not come; with a step, a whole
                number of steps.
            level: L, as in Problem.
            epsilon: Full width of the accuracy; with a step it is the step and may be left out.
            setting: As in Problem.
            p: As in Problem.
            confidence: As in Problem.
            dim: As in Problem.

        Returns:
            The problem on the unit interval.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: They do not fit together; the message speaks in this domain's units.
        """
        accuracy = self._accuracy(epsilon)
        secret = _positive(delta, "delta")
        if self.step is not None and secret % self.step:
            near = max(1, round(secret / self.step)) * self.step
            rule = f"with a step, must be a whole number of steps of {plain(self.step)}"
            raise InvalidValue("delta", delta, rule, f"the nearest that works is {plain(near)}")
        return Problem(
            accuracy / self.width,
            secret / self.width,
            level,
            setting=setting,
            p=p,
            confidence=confidence,
            dim=dim,
            values=self.values,
            unit=self.width,
        )

    def at(self, boundary: int, cells: int) -> Fraction:
        """Where a boundary of a lattice of `cells` equal cells lies, in this domain's units."""
        return self.low + self.width * boundary / cells

    def to_dict(self) -> dict[str, str | None]:
        """The domain for JSON: rationals as strings."""
        step = None if self.step is None else text(self.step)
        return {"low": text(self.low), "high": text(self.high), "step": step, "label": self.label}

    def _accuracy(self, epsilon: Number | None) -> Fraction:
        if self.step is None:
            if epsilon is None:
                raise InvalidValue("epsilon", None, "is needed on an interval", "give its width")
            return _positive(epsilon, "epsilon")
        if epsilon is not None and rational(epsilon, "epsilon") != self.step:
            rule = f"with a step, X* is found exactly and epsilon is the step, {plain(self.step)}"
            raise InvalidValue("epsilon", epsilon, rule, "leave it out")
        return self.step


@dataclass(frozen=True)
class Transcript:
    """What is overheard: every query of every run, and no answer.

    Attributes:
        points: [runs, queries] the boundaries asked about, in the order of asking.
        coordinates: The coordinate that each column asks about.
        rounds: The round that each column belongs to.
        cells: The lattice, one size a coordinate.
    """

    points: NDArray[np.int64]
    coordinates: tuple[int, ...]
    rounds: tuple[int, ...]
    cells: tuple[int, ...]


UNIT = Domain(0, 1)
_PICK = "pick one of them"


def _check_regime(problem: Problem, unit: Fraction) -> None:
    """2ε ≤ δ ≤ 1/⌈L^(1/d)⌉, with 4ε under noise; whole values may have δ = ε.

    The error speaks in units of `unit`: what the width 1 is to the user.
    """
    epsilon, delta, values = problem.epsilon, problem.delta, problem.values
    ceiling = Fraction(1, problem.parts)
    factor = 1 if values is not None else 4 if problem.noisy else 2
    if values is not None:
        _check_values(epsilon, delta, values)
    if delta > ceiling:
        name = "1/level" if problem.dim == 1 else "1/⌈level^(1/dim)⌉"
        rule = f"must be at most {name} = {plain(ceiling * unit)}"
        if unit != 1:
            rule += f" (the whole range is {plain(unit)})"
        largest = ceiling if values is None else Fraction(values // problem.parts, values)
        level = int(1 / delta) ** problem.dim
        near = [f"delta = {plain(largest * unit)}"] if largest >= factor * epsilon else []
        near += [f"level = {level}"] if level >= 2 else []
        remedy = f"the nearest that works is {', or '.join(near)}" if near else "lower the level"
        raise OutOfRegime("delta", plain(delta * unit), rule, remedy)
    if delta < factor * epsilon:
        name = f"{factor}·epsilon" if factor > 1 else "epsilon"
        rule = f"must be at least {name} = {plain(factor * epsilon * unit)}"
        near = [f"delta = {plain(factor * epsilon * unit)}"] if factor * epsilon <= ceiling else []
        near += [f"epsilon = {plain(delta * unit / factor)}"]
        remedy = f"the nearest that works is {', or '.join(near)}"
        raise OutOfRegime("delta", plain(delta * unit), rule, remedy)


def _check_values(epsilon: Fraction, delta: Fraction, values: int) -> None:
    if epsilon * values != 1:
        rule = f"with values = {values}, epsilon is one value, 1/{values}"
        raise OutOfRegime("epsilon", epsilon, rule, "give that, or leave values out")
    if (delta * values).denominator != 1:
        near = Fraction(max(1, round(delta * values)), values)
        rule = f"with values = {values}, must be a whole number of values"
        raise OutOfRegime("delta", delta, rule, f"the nearest that works is {near}")


def _positive(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if number <= 0:
        raise InvalidValue(name, value, "must be above zero", "give a positive width")
    return number


def _reliability(p: Number | None, setting: Setting) -> Fraction | None:
    if p is None:
        return None
    number = rational(p, "p")
    if number == 1:
        rule = "must be below 1: answers that are always right are the noiseless problem"
        raise InvalidValue("p", p, rule, "leave p out")
    if not Fraction(1, 2) < number < 1:
        rule = "must lie strictly between 1/2 and 1"
        flip = f"; answers that are wrong more often than right: negate them and give {1 - number}"
        remedy = "ask more respondents and take their majority, so that it exceeds 1/2"
        raise InvalidValue("p", p, rule, remedy + (flip if 0 < number < Fraction(1, 2) else ""))
    if setting == "deterministic":
        rule = "noisy answers are defined in the Bayesian setting only"
        raise InvalidValue("p", p, rule, 'leave p out, or use setting="bayesian"')
    return number


def _confidence(confidence: Number | None, p: Number | None) -> Fraction | None:
    if confidence is None:
        return None
    number = rational(confidence, "confidence")
    if p is None:
        rule = "without noise the search is always accurate"
        raise InvalidValue("confidence", confidence, rule, "leave confidence out, or give p")
    if not Fraction(1, 2) <= number < 1:
        rule = "must lie in [1/2, 1): it is 1 − 1/M with M at least 2"
        nearest = "1/2" if number < Fraction(1, 2) else "a value such as 0.999"
        raise InvalidValue("confidence", confidence, rule, f"the nearest that works is {nearest}")
    return number
