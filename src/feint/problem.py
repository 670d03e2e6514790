"""The values that travel: what is asked for, and in which units.

Widths are full widths, everywhere: an estimate is ε-accurate when it lies within **ε/2** of X*,
and an eavesdropper wins when she comes within **δ/2** of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from feint.errors import InvalidValue
from feint.exact import Number, ceil_root, decimal, plain, rational, text, whole
from feint.regime import (
    check,
    check_values,
    read_confidence,
    read_dim,
    read_level,
    read_p,
    read_width,
)

if TYPE_CHECKING:  # numpy is heavy, and problems and bounds do without it
    import numpy as np
    from numpy.typing import NDArray

Setting = Literal["bayesian", "deterministic"]
SETTINGS: tuple[Setting, ...] = ("bayesian", "deterministic")
YesMeans = Literal["at least", "below"]
YES_MEANS: tuple[YesMeans, ...] = ("at least", "below")
Winning = Literal["names", "within"]
WINNING: tuple[Winning, ...] = ("names", "within")
"""When an eavesdropper wins on whole values: see `Domain.problem`."""


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


@dataclass(frozen=True, init=False)
class Domain:
    """The user's units: an interval, or the whole grid low, low+step, …, high (both included).

    Attributes:
        low: The least X* can be.
        high: The most X* can be.
        step: With a step, X* is one of low, low+step, …, high and is found exactly.
        label: What the number is called when a question is put, such as "price".
        tick: With a tick, questions are put at multiples of it only, such as prices in cents; X*
            may lie anywhere. Without, plans choose a tick as coarse as costs no question.
    """

    low: Fraction
    high: Fraction
    step: Fraction | None
    label: str | None
    tick: Fraction | None

    def __init__(
        self,
        low: Number,
        high: Number,
        *,
        step: Number | None = None,
        label: str | None = None,
        tick: Number | None = None,
    ) -> None:
        """Check the range and keep it exactly.

        Raises:
            InvalidValue: low ≥ high, a step that does not divide the range, a tick beside a step or
                with no multiple inside the range, or no number.
        """
        bottom, top = rational(low, "low"), rational(high, "high")
        if bottom >= top:
            rule = f"must be above low = {plain(bottom)}"
            remedy = f"any value above it works, such as high = {plain(bottom + 1)}"
            if bottom > top:
                remedy = f"swap them: low = {plain(top)}, high = {plain(bottom)}"
            raise InvalidValue("high", high, rule, remedy)
        size = None if step is None else read_width(step, "step")
        if size is not None and (top - bottom) % size:
            steps = (top - bottom) // size
            near = [bottom + size * k for k in (steps, steps + 1) if k >= 1]
            rule = f"must divide high − low = {plain(top - bottom)}"
            remedy = f"the nearest high that works is {' or '.join(map(plain, near))}"
            raise InvalidValue("step", step, rule, remedy)
        grid = None if tick is None else _read_tick(tick, size, bottom, top)
        fields = {"low": bottom, "high": top, "step": size, "label": label, "tick": grid}
        for name, value in fields.items():
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
        winning: Winning = "names",
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
            winning: With a step, what she must do to win: she "names" delta/step neighbouring
                values, one of which is X*; or a guess of hers comes "within" delta/2 of X*, which
                is to name one value more.

        Returns:
            The problem on the unit interval.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: They do not fit together; the message speaks in this domain's units.
        """
        accuracy, secret = self.widths(epsilon=epsilon, delta=delta)
        if winning not in WINNING:
            rule = f"must be one of {', '.join(WINNING)}"
            raise InvalidValue("winning", winning, rule, "pick one of them")
        if winning == "within" and self.step is not None:
            secret += self.step
        check(
            accuracy,
            secret,
            read_level(level),
            dim=read_dim(dim),
            noisy=p is not None,
            values=self.values,
            unit=self.width,
            span=self.span,
        )
        return Problem(
            accuracy / self.width,
            secret / self.width,
            level,
            setting=setting,
            p=p,
            confidence=confidence,
            dim=dim,
            values=self.values,
        )

    def widths(self, *, delta: Number, epsilon: Number | None = None) -> tuple[Fraction, Fraction]:
        """Epsilon and delta in this domain's units, read exactly.

        Args:
            delta: As in `problem`.
            epsilon: As in `problem`.

        Returns:
            Both, epsilon first.

        Raises:
            InvalidValue: One of them is no width here.
        """
        return self._accuracy(epsilon), self._secret(delta)

    def wins(self, problem: Problem) -> str:
        """When an eavesdropper wins, in words: the very event that plans certify.

        Args:
            problem: A problem in these units.

        Returns:
            What she does, such as "names 7 neighbouring values, one of which is X*".
        """
        if problem.values is not None:
            count = int(problem.delta * problem.values)
            if count == 1:
                return "names the value of X*"
            return f"names {count} neighbouring values, one of which is X*"
        return f"comes within {plain(problem.delta * self.width / 2)} of X*"

    def at(self, boundary: int, cells: int) -> Fraction:
        """Where a boundary of a lattice of `cells` equal cells lies, in this domain's units."""
        return self.low + self.width * boundary / cells

    def scale(self, size: int, tick: Fraction | None = None) -> Scale:
        """The scale that lays a lattice over this domain, boundaries at multiples of a tick."""
        return Scale(self.low, self.low + self.width, size, tick)

    def to_dict(self) -> dict[str, str | None]:
        """The domain for JSON: rationals as strings."""
        return {
            "low": text(self.low),
            "high": text(self.high),
            "step": None if self.step is None else text(self.step),
            "label": self.label,
            "tick": None if self.tick is None else text(self.tick),
        }

    def _accuracy(self, epsilon: Number | None) -> Fraction:
        if self.step is None:
            if epsilon is None:
                raise InvalidValue("epsilon", None, "is needed on an interval", "give its width")
            return read_width(epsilon, "epsilon")
        if epsilon is not None and rational(epsilon, "epsilon") != self.step:
            rule = f"with a step, X* is found exactly and epsilon is the step, {plain(self.step)}"
            raise InvalidValue("epsilon", epsilon, rule, "leave epsilon out")
        return self.step

    def _secret(self, delta: Number) -> Fraction:
        secret = read_width(delta, "delta")
        if self.step is not None and secret % self.step:
            near = max(1, round(secret / self.step)) * self.step
            rule = f"with a step, must be a whole number of steps of {plain(self.step)}"
            remedy = f"the nearest that works is delta = {plain(near)}"
            raise InvalidValue("delta", delta, rule, remedy)
        return secret

    @property
    def span(self) -> str:
        """What the width is called in errors."""
        if self.step is not None:
            return "(high − low + step)"
        return "1" if self.width == 1 else "(high − low)"


def _read_tick(tick: Number, step: Fraction | None, bottom: Fraction, top: Fraction) -> Fraction:
    size = read_width(tick, "tick")
    if step is not None:
        rule = "with a step, questions are put between values already"
        raise InvalidValue("tick", tick, rule, "leave one of the two out")
    if (bottom // size + 1) * size >= top:
        rule = f"no multiple of it lies between {plain(bottom)} and {plain(top)}"
        raise InvalidValue("tick", tick, rule, f"give one of {plain((top - bottom) / 2)} or less")
    return size


@dataclass(frozen=True)
class Scale:
    """Where the boundaries of a lattice lie in the user's units: the one map from one to the other.

    Boundary k of `size` lies at low + (high − low)·k/size; with a tick, at the multiple of the tick
    nearest to that. The ends of the range, which nobody is asked about, stay where they are.

    Attributes:
        low: Where the lattice begins.
        high: Where it ends.
        size: How many cells it has.
        tick: What inner boundaries are multiples of; None: they lie where they fall.
        clip: The range, where it is narrower than the lattice: the first and the last cell are then
            cut short.
    """

    low: Fraction
    high: Fraction
    size: int
    tick: Fraction | None = None
    clip: tuple[Fraction, Fraction] | None = None

    @property
    def cell(self) -> Fraction:
        """The width of a cell before boundaries are moved to ticks."""
        return (self.high - self.low) / self.size

    @property
    def even(self) -> bool:
        """Whether all cells are equally wide."""
        return self.tick is None and self.clip is None

    @property
    def unit(self) -> Fraction | None:
        """What every inner boundary is a multiple of; None where they are no decimals."""
        if self.tick is not None:
            return self.tick
        whole = decimal(self.low) is not None and decimal(self.cell) is not None
        return self.cell if whole else None

    def at(self, boundary: int) -> Fraction:
        """Where a boundary lies."""
        if boundary in (0, self.size) and self.clip is not None:
            return self.clip[boundary > 0]
        exact = self.low + (self.high - self.low) * boundary / self.size
        if self.tick is None or boundary in (0, self.size):
            return exact
        return math.floor(exact / self.tick + Fraction(1, 2)) * self.tick


@dataclass(frozen=True, eq=False)
class Transcript:
    """What is overheard: every query of every run, and no answer.

    Two are equal only when they are the same object: arrays have no single truth to compare.

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


@dataclass(frozen=True)
class Query:
    """One question of a live search, in the user's units. It is overheard; its answer is not.

    Attributes:
        id: What to tell the answer by. It depends on the plan alone.
        round: The round it is asked in, from 0.
        phase: What the round is for.
        coordinate: Which number it is about, from 0.
        label: What that number is called, such as "price".
        value: Where the question is put, exactly.
        shown: The value as a decimal. Of steps that are no decimals, and in searches saved before
            version 3, it is rounded by less than a thousandth of a cell (proofs/rounding.md).
        number: The value as a function gets it: an int when it is whole; a float when that is as
            good, exact or nearer than a billionth of a cell; else the value itself. With a step,
            the float is not above the value.
        yes_means: What the answer yes says of the number: "at least" the value, or "below" it.
    """

    id: str
    round: int
    phase: str
    coordinate: int
    label: str | None
    value: Fraction
    shown: str
    number: int | float | Fraction
    yes_means: YesMeans

    @property
    def text(self) -> str:
        """The question in words."""
        return f"Is the {self.label or 'number'} {self.yes_means} {self.shown}?"

    def to_dict(self) -> dict[str, str | int | float | None]:
        """The query for JSON: the value exactly, as a string, and as a number if one will do."""
        return {
            "id": self.id,
            "round": self.round,
            "phase": self.phase,
            "coordinate": self.coordinate,
            "label": self.label,
            "value": text(self.value),
            "number": None if isinstance(self.number, Fraction) else self.number,
            "yes_means": self.yes_means,
            "text": self.text,
        }


@dataclass(frozen=True)
class Found:
    """What a search found of one number, in the user's units.

    Attributes:
        label: What the user calls it.
        estimate: The estimate; of whole values, the value itself.
        low: The number is at least this.
        high: The number is below this; of whole values, at most this. Under noise the two are the
            credible interval's ends.
    """

    label: str | None
    estimate: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Result:
    """What a search found, what it cost, and what an eavesdropper can do. Secret.

    Attributes:
        coordinates: What was found of each number.
        queries: How many questions were asked.
        rounds: In how many rounds.
        method: The method's name.
        certificate: Why the promise holds; None: nothing is promised.
        adversary_success: What the best eavesdropper wins with when X* is uniform, at most.
        places: Deterministic setting: how many places, δ apart, stay possible.
        consistent: Whether all answers can be right; under noise it is not asked.
        seeded: Whether the coins came from a seed: an experiment, hidden from nobody who knows it.
    """

    coordinates: tuple[Found, ...]
    queries: int
    rounds: int
    method: str
    certificate: str | None
    adversary_success: Fraction | None
    places: int | None
    consistent: bool
    seeded: bool

    @property
    def estimate(self) -> Fraction:
        """The estimate of the one number there is."""
        return self._only.estimate

    @property
    def low(self) -> Fraction:
        """The lower end of the one number there is."""
        return self._only.low

    @property
    def high(self) -> Fraction:
        """The upper end of the one number there is."""
        return self._only.high

    @property
    def _only(self) -> Found:
        if len(self.coordinates) != 1:
            rule = "only a search for one number has one estimate"
            raise InvalidValue("dim", len(self.coordinates), rule, "use coordinates")
        return self.coordinates[0]

    def to_dict(self) -> dict[str, object]:
        """The result for JSON: rationals as strings. Secret."""
        success = self.adversary_success
        return {
            "secret": "this holds what was sought: do not share it",
            "coordinates": [
                {
                    "label": each.label,
                    "estimate": text(each.estimate),
                    "low": text(each.low),
                    "high": text(each.high),
                }
                for each in self.coordinates
            ],
            "queries": self.queries,
            "rounds": self.rounds,
            "method": self.method,
            "certificate": self.certificate,
            "adversary_success": None if success is None else text(success),
            "places": self.places,
            "consistent": self.consistent,
            "seeded": self.seeded,
        }


UNIT = Domain(0, 1)
