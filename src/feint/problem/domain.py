"""The user's units: a range, or values one step apart, and the problems stated in them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeGuard

from feint.errors import InvalidValue, OutOfRegime, OutsideRange, WrongType
from feint.exact import Number, plain, rational, text
from feint.exact.stability import deprecated
from feint.problem.laws import Range
from feint.problem.line import Line
from feint.problem.noise import NoiseLike, read_noise
from feint.problem.prior import Prior
from feint.problem.problem import Problem, Setting, check_blind
from feint.problem.regime import check, read_dim, read_level, read_margin, read_width
from feint.problem.responses import Responses
from feint.problem.stated import read_prior
from feint.problem.wording import read_question, read_unit

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")  # no file, database or terminal takes them
Winning = Literal["names", "within"]
"""When an eavesdropper wins on whole values."""

_MUCH = 0.1  # of a prior outside the range
WINNING: tuple[Winning, ...] = ("names", "within")
"""When an eavesdropper wins on whole values: see `Domain.problem`."""


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
        unit: What the number is measured in, such as "€" or "kg".
        question: How people are asked about a value, such as "Would you buy this at €{value}?":
            {value} is replaced and nothing else. None: "Is the price at least 31.4?".
    """

    low: Fraction
    high: Fraction
    step: Fraction | None
    label: str | None
    tick: Fraction | None
    unit: str | None = None
    question: str | None = None

    def __init__(
        self,
        low: Number,
        high: Number,
        *,
        step: Number | None = None,
        label: str | None = None,
        tick: Number | None = None,
        unit: str | None = None,
        question: str | None = None,
    ) -> None:
        """Check the range and keep it exactly.

        Raises:
            InvalidValue: low ≥ high, a step that does not divide the range, a tick beside a step or
                with no multiple inside the range, or no number.
            WrongType: A label that is no word, or a unit or a question that is no text.
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
        if label is not None and not isinstance(label, str):
            raise WrongType.of("label", label, "must be a word", 'pass one such as "price"')
        if label is not None and _UNWRITABLE.search(label):
            rule = "must be text that can be written: no half of a character, no NUL"
            raise InvalidValue("label", label, rule, "leave those signs out")
        fields = {"low": bottom, "high": top, "step": size, "label": label, "tick": grid}
        fields |= {"unit": read_unit(unit), "question": read_question(question)}
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
        within: Number | None = None,
        setting: Setting = "bayesian",
        p: NoiseLike | None = None,
        confidence: Number | None = None,
        dim: Number = 1,
        winning: Winning = "names",
        prior: object = None,
        margin: Number = 1,
    ) -> Problem:
        """The problem whose epsilon and delta are given in this domain's units.

        Args:
            delta: Full width within which the eavesdropper must not come; with a step, a whole
                number of steps.
            level: L, as in Problem.
            epsilon: Full width of the accuracy; with a step it is the step and may be left out.
            within: Half of that: you learn the number to within ± this. Give one of the two.
            setting: As in Problem.
            p: As in Problem; scales such as that of "logistic(6)" are in this domain's units.
            confidence: As in Problem.
            dim: As in Problem.
            winning: With a step, what she must do to win: she "names" delta/step neighbouring
                values, one of which is X*; or a guess of hers comes "within" delta/2 of X*, which
                is to name one value more.
            prior: What is believed of the number, in any form that `prior` takes; a list or tuple
                of such, no mere numbers: one a coordinate; None: it is equally likely anywhere.
            margin: How many times denser than the prior the truth may be, where a plan will be
                asked for one: what cannot be planned with it is refused here, with what can.

        Returns:
            The problem on the unit interval.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: They do not fit together; the message speaks in this domain's units.
        """
        accuracy, secret = self.widths(epsilon=epsilon, within=within, delta=delta)
        wide = read_margin(margin)
        if winning not in WINNING:
            rule = f"must be one of {', '.join(WINNING)}"
            raise InvalidValue("winning", winning, rule, "pick one of them")
        if winning == "within" and self.step is not None:
            secret += self.step
        noise = read_noise(p, setting)
        if isinstance(noise, Responses):
            noise.times(1 / self.width).check_range(self.width)
            p = noise.times(1 / self.width)
        with _halved(within):
            check(
                accuracy,
                secret,
                read_level(level),
                dim=read_dim(dim),
                setting=setting,
                noisy=p is not None,
                values=self.values,
                unit=self.width,
                span=self.span,
            )
        return self._stated(
            Problem(
                accuracy / self.width,
                secret / self.width,
                level,
                setting=setting,
                p=p,
                confidence=confidence,
                dim=dim,
                values=self.values,
            ),
            prior,
            wide,
        )

    def prior(self, given: object, *, bins: int | None = None, warn: bool = True) -> Prior:
        """What is believed of the number, read into exact odds on bins of this range.

        Args:
            given: A name such as "normal(60, 15)", an object with a `cdf` (a frozen SciPy
                distribution), weights on equal bins or one a value, a mapping of values to weights,
                one with "weights" (and "edges"), "samples", "points" or "name", the `Path` of a
                CSV, TOML or JSON file, or a Prior.
            bins: The number of bins to read a law into; None: 1000, more (10 000 at most) where
                those are not near to the law, or as the form says.
            warn: Whether to warn, `OutsideRange`, where more than a tenth is cut off: the units may
                be wrong.

        Returns:
            The prior; it says what was cut off, and what binning can cost.

        Raises:
            InvalidValue: It is no belief about this range.
        """
        half = (self.step or Fraction(0)) / 2
        over = Range(self.low - half, self.high + half, self.values)
        found = read_prior(given, over, bins=bins)
        if warn and found.outside > _MUCH and not isinstance(given, Prior):
            share = f"{100 * found.outside:.4g} % of {found} lies outside the range and is cut off"
            said = f"{share}; see that low, high and the prior have one unit"
            warnings.warn(OutsideRange(said), stacklevel=2)
        return found

    def priors(self, given: object, dim: int, *, bins: int | None = None) -> tuple[Prior, ...]:
        """What is believed of several numbers of this range, one law a coordinate.

        Args:
            given: One belief for all of them, in any form that `prior` takes, or a list or tuple
                with one for each.
            dim: How many coordinates there are.
            bins: As in `prior`.

        Returns:
            As many priors as there are coordinates.

        Raises:
            InvalidValue: One is no belief about this range, or their number is another.
        """
        if not _several(given):
            return (self.prior(given, bins=bins),) * dim
        # What states nothing is said before how many there are.
        read = tuple(self.prior(each, bins=bins) for each in given)
        if len(read) != dim:
            rule = f"must be one for each of the {dim} coordinates, or one for all"
            if dim == 1:
                rule = "must be one, for one coordinate"
            raise InvalidValue("prior", f"{len(read)} of them", rule, "give one for each, or dim")
        return read

    def _stated(self, problem: Problem, prior: object, margin: Fraction) -> Problem:
        """The problem with what is believed of it; refusals speak in these units."""
        if prior is None:
            return problem
        laws = self.priors(prior, problem.dim)
        try:
            found = replace(problem, prior=laws)
        except OutOfRegime:
            check_blind(problem, laws=laws, margin=margin, unit=self.width)
            raise
        check_blind(found, margin=margin, unit=self.width)
        return found

    def widths(
        self, *, delta: Number, epsilon: Number | None = None, within: Number | None = None
    ) -> tuple[Fraction, Fraction]:
        """Epsilon and delta in this domain's units, read exactly.

        Args:
            delta: As in `problem`.
            epsilon: As in `problem`.
            within: As in `problem`.

        Returns:
            Both, epsilon first.

        Raises:
            InvalidValue: One of them is no width here.
        """
        return self._accuracy(epsilon, within), self._secret(delta)

    def wins(self, problem: Problem) -> str:
        """When an eavesdropper wins, in words: the very event that plans certify.

        Args:
            problem: A problem in these units.

        Returns:
            What she does, such as "names 7 neighbouring values, one of which is the number".
        """
        if problem.values is not None:
            count = int(problem.delta * problem.values)
            if count == 1:
                return "names the number"
            return f"names {count} neighbouring values, one of which is the number"
        return f"comes within {plain(problem.delta * self.width / 2)} of the number"

    def states(self, problem: Problem) -> str:
        """All that a problem in these units asks for, in one line."""
        epsilon, delta = (plain(each * self.width) for each in (problem.epsilon, problem.delta))
        words = [f"epsilon = {epsilon}", f"delta = {delta}", f"level = {problem.level}"]
        words += [problem.setting]
        words += [f"{problem.dim} dimensions"] if problem.dim > 1 else []
        if problem.noise is not None:
            sure = problem.confidence
            words += [f"p = {self.says(problem)}"]
            words += ["accurate on average" if sure is None else f"confidence = {plain(sure)}"]
        if problem.prior is not None:
            words += [f"prior {' x '.join(dict.fromkeys(map(str, problem.prior)))}"]
        words += [self.extent] if self.step is not None or self.width != 1 or self.low else []
        return ", ".join(words)

    def says(self, problem: Problem) -> str:
        """Return how often answers are right, in words and in these units; "" if always.

        Args:
            problem: A problem in these units.

        >>> domain = Domain(0, 100)
        >>> wanted = {"epsilon": 2, "delta": 10, "level": 4, "confidence": "0.9"}
        >>> domain.says(domain.problem(p="logistic(6)", **wanted))
        'logistic(6)'
        """
        noise = problem.noise
        if isinstance(noise, Responses):
            noise = noise.times(self.width)
        return "" if noise is None else noise.words

    @property
    def extent(self) -> str:
        """The range in words: from 1 to 97, in steps of 1, 97 values."""
        words = [f"from {plain(self.low)} to {plain(self.high)}"]
        if self.step is not None:
            words += [f"in steps of {plain(self.step)}", f"{self.values} values"]
        return ", ".join(words)

    def line(self, size: int, tick: Fraction | None = None) -> Line:
        """Return this domain in `size` cells, boundaries at multiples of a tick.

        Args:
            size: How many cells there are.
            tick: What inner boundaries are rounded to; None: they lie where they fall.

        Returns:
            The line; whole values lie at its boundaries if there is one cell a value.

        >>> Domain(0, 10).line(3, Fraction(1)).at(1)
        Fraction(3, 1)
        """
        return Line(self.low, self.low + self.width, size, tick)

    @deprecated(use="Domain.line(size).at(boundary)", since="0.2")
    def at(self, boundary: int, cells: int) -> Fraction:
        """Where a boundary of a lattice of `cells` equal cells lies, in this domain's units."""
        return self.line(cells).at(boundary)

    @deprecated(use="Domain.line", since="0.2")
    def scale(self, size: int, tick: Fraction | None = None) -> Line:
        """The line that lays a lattice over this domain, boundaries at multiples of a tick."""
        return self.line(size, tick)

    def to_dict(self) -> dict[str, str | None]:
        """The domain for JSON: rationals as strings."""
        return {
            "low": text(self.low),
            "high": text(self.high),
            "step": None if self.step is None else text(self.step),
            "label": self.label,
            "tick": None if self.tick is None else text(self.tick),
            **self.wording,
        }

    @property
    def wording(self) -> dict[str, str | None]:
        """The unit and the question, as far as they are given."""
        stated = {"unit": self.unit, "question": self.question}
        return {name: words for name, words in stated.items() if words is not None}

    def _accuracy(self, epsilon: Number | None, within: Number | None) -> Fraction:
        """Return the full width of the accuracy."""
        if within is not None:
            half = read_width(within, "within")
            if epsilon is not None:
                rule = f"is half of epsilon, and epsilon = {plain(rational(epsilon, 'epsilon'))}"
                rule += " is given too"
                raise InvalidValue("within", within, rule, "leave one of the two out")
            if self.step is not None:
                rule = "with a step the number is found exactly"
                raise InvalidValue("within", within, rule, "leave within out")
            return 2 * half
        if self.step is None:
            if epsilon is None:
                rule = "is needed on an interval"
                remedy = "give its width, or half of it as within"
                raise InvalidValue("epsilon", None, rule, remedy)
            return read_width(epsilon, "epsilon")
        if epsilon is not None and rational(epsilon, "epsilon") != self.step:
            exact = "with a step the number is found exactly"
            rule = f"{exact}, and epsilon is the step, {plain(self.step)}"
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


@contextmanager
def _halved(within: Number | None) -> Iterator[None]:
    """Add to an error about epsilon that it is twice what was given as `within`."""
    try:
        yield
    except InvalidValue as error:
        if within is None or error.argument != "epsilon":
            raise
        rule = f"(twice within) {error.rule}"
        raise type(error)(error.argument, error.value, rule, error.remedy) from None


def _several(prior: object) -> TypeGuard[Sequence[object]]:
    """Whether this is one prior a coordinate; mere numbers are the weights of one."""
    return isinstance(prior, list | tuple) and len(prior) > 0 and all(map(_belief, prior))


def _belief(given: object) -> bool:
    """Whether one of several is a belief by itself, and no number."""
    if isinstance(given, str):
        return given.strip()[:1].isalpha()
    held = isinstance(given, Prior | Path) or hasattr(given, "__len__")
    return held or callable(getattr(given, "cdf", None))


def _read_tick(tick: Number, step: Fraction | None, bottom: Fraction, top: Fraction) -> Fraction:
    size = read_width(tick, "tick")
    if step is not None:
        rule = "with a step, questions are put between values already"
        raise InvalidValue("tick", tick, rule, "leave one of the two out")
    if (bottom // size + 1) * size >= top:
        rule = f"no multiple of it lies between {plain(bottom)} and {plain(top)}"
        raise InvalidValue("tick", tick, rule, f"give one of {plain((top - bottom) / 2)} or less")
    return size


UNIT = Domain(0, 1)
"""The interval from 0 to 1, the range of a search without one of its own."""
