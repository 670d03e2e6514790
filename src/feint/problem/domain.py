"""Define the user's units: a range, or values one step apart, and problems in these units."""

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

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")  # no file or terminal accepts them
Winning = Literal["names", "within"]
"""When an eavesdropper wins on whole values."""

_MUCH = 0.1  # share of a prior outside the range, above which to warn
WINNING: tuple[Winning, ...] = ("names", "within")
"""When an eavesdropper wins on whole values: see `Domain.problem`."""


@dataclass(frozen=True, init=False)
class Domain:
    """The user's units: an interval, or the whole grid low, low+step, …, high (both included).

    Attributes:
        low: The smallest possible value of X*.
        high: The largest possible value of X*.
        step: With a step, X* is one of low, low+step, …, high and is found exactly.
        label: The name of the number in a question, such as "price".
        tick: With a tick, questions are asked only at multiples of it, such as prices in cents; X*
            may lie anywhere. Without one, plans choose the coarsest tick that adds no question.
        unit: The unit of the number, such as "€" or "kg".
        question: The template of questions to people, such as "Would you buy this at €{value}?".
            Only {value} is replaced. None: "Is the price at least 31.4?".
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
            InvalidValue: low ≥ high, or an argument is not a number, or the step does not divide
                the range, or the tick has no multiple inside the range or is given with a step.
            WrongType: The label, the unit or the question is not a string.
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
            rule = "must be text that can be written: no surrogates, no NUL"
            raise InvalidValue("label", label, rule, "leave those signs out")
        fields = {"low": bottom, "high": top, "step": size, "label": label, "tick": grid}
        fields |= {"unit": read_unit(unit), "question": read_question(question)}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def values(self) -> int | None:
        """The number of values of a stepped domain; None for an interval."""
        return None if self.step is None else int((self.high - self.low) / self.step) + 1

    @property
    def width(self) -> Fraction:
        """The length that the unit interval stands for; a stepped domain has one step per value."""
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
        """Return a problem whose epsilon and delta are given in this domain's units.

        Args:
            delta: The full width of the interval that an eavesdropper must hit; with a step, a
                whole number of steps.
            level: L, as in Problem.
            epsilon: The full width of the accuracy. With a step, it is the step and may be left
                out.
            within: Half of epsilon: you learn the number to within ± this. Give one of the two.
            setting: As in Problem.
            p: As in Problem; scales such as that of "logistic(6)" are in this domain's units.
            confidence: As in Problem.
            dim: As in Problem.
            winning: With a step, how she wins. "names": she names delta/step neighbouring values,
                one of which is X*. "within": her guess comes within delta/2 of X*, which amounts to
                one value more.
            prior: The prior distribution of the number, in any form that `prior` takes, or a list
                or tuple with one per coordinate (a list of numbers is one prior). None: uniform.
            margin: The `margin` of the plan: the largest ratio of the true density to the prior's.
                Problems that cannot be planned with it are refused here, and the error names
                the nearest that can.

        Returns:
            The problem on the unit interval.

        Raises:
            InvalidValue: One argument is wrong by itself.
            OutOfRegime: The arguments do not fit together; the message uses this domain's units.
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
        """Read a prior distribution into exact odds on bins of this range.

        Args:
            given: A name such as "normal(60, 15)", an object with a `cdf` (a frozen SciPy
                distribution), weights on equal bins or one per value, a mapping of values to
                weights, one with "weights" (and "edges"), "samples", "points" or "name", the `Path`
                of a CSV, TOML or JSON file, or a Prior.
            bins: The number of bins to read a distribution into. None: 1000, or more (at most 10
                000) if these are not near to the distribution, or the number that the form implies.
            warn: Whether to warn with `OutsideRange` if more than a tenth is cut off, because the
                units may be wrong.

        Returns:
            The prior, with the mass that was cut off and the error of binning.

        Raises:
            InvalidValue: It cannot be read as a distribution on this range.
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
        """Read the prior distributions of several numbers of this range, one per coordinate.

        Args:
            given: One prior for all of them, in any form that `prior` takes, or a list or tuple
                with one for each.
            dim: The number of coordinates.
            bins: As in `prior`.

        Returns:
            One prior per coordinate.

        Raises:
            InvalidValue: One cannot be read as a distribution on this range, or their number is
                wrong.
        """
        if not _several(given):
            return (self.prior(given, bins=bins),) * dim
        # Report an unreadable prior before a wrong number of priors.
        read = tuple(self.prior(each, bins=bins) for each in given)
        if len(read) != dim:
            rule = f"must be one for each of the {dim} coordinates, or one for all"
            if dim == 1:
                rule = "must be one, for one coordinate"
            raise InvalidValue("prior", f"{len(read)} of them", rule, "give one for each, or dim")
        return read

    def _stated(self, problem: Problem, prior: object, margin: Fraction) -> Problem:
        """Return the problem with its prior. Errors use these units."""
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
        """Return epsilon and delta in this domain's units, read exactly.

        Args:
            delta: As in `problem`.
            epsilon: As in `problem`.
            within: As in `problem`.

        Returns:
            Both, epsilon first.

        Raises:
            InvalidValue: One of them is not a width in this domain.
        """
        return self._accuracy(epsilon, within), self._secret(delta)

    def wins(self, problem: Problem) -> str:
        """Return when an eavesdropper wins, in words: the event whose probability plans bound.

        Args:
            problem: A problem in these units.

        Returns:
            A phrase such as "names 7 neighbouring values, one of which is the number".
        """
        if problem.values is not None:
            count = int(problem.delta * problem.values)
            if count == 1:
                return "names the number"
            return f"names {count} neighbouring values, one of which is the number"
        return f"comes within {plain(problem.delta * self.width / 2)} of the number"

    def states(self, problem: Problem) -> str:
        """Return all requirements of a problem in these units, in one line."""
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
        """The range in words, such as "from 1 to 97, in steps of 1, 97 values"."""
        words = [f"from {plain(self.low)} to {plain(self.high)}"]
        if self.step is not None:
            words += [f"in steps of {plain(self.step)}", f"{self.values} values"]
        return ", ".join(words)

    def line(self, size: int, tick: Fraction | None = None) -> Line:
        """Return this domain in `size` cells, boundaries at multiples of a tick.

        Args:
            size: The number of cells.
            tick: The tick that inner boundaries are rounded to; None: they are not rounded.

        Returns:
            The line. Whole values lie at its boundaries if there is one cell per value.

        >>> Domain(0, 10).line(3, Fraction(1)).at(1)
        Fraction(3, 1)
        """
        return Line(self.low, self.low + self.width, size, tick)

    @deprecated(use="Domain.line(size).at(boundary)", since="0.2")
    def at(self, boundary: int, cells: int) -> Fraction:
        """Return the place of a boundary of a lattice of equal cells, in this domain's units."""
        return self.line(cells).at(boundary)

    @deprecated(use="Domain.line", since="0.2")
    def scale(self, size: int, tick: Fraction | None = None) -> Line:
        """Return the line of a lattice over this domain, with boundaries at multiples of a tick."""
        return self.line(size, tick)

    def to_dict(self) -> dict[str, str | None]:
        """Return the domain for JSON, with rationals as strings."""
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
        """Return the unit and the question if they are given."""
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
        """The name of the width in errors."""
        if self.step is not None:
            return "(high − low + step)"
        return "1" if self.width == 1 else "(high − low)"


@contextmanager
def _halved(within: Number | None) -> Iterator[None]:
    """Add to an error about epsilon that it is twice the argument `within`."""
    try:
        yield
    except InvalidValue as error:
        if within is None or error.argument != "epsilon":
            raise
        rule = f"(twice within) {error.rule}"
        raise type(error)(error.argument, error.value, rule, error.remedy) from None


def _several(prior: object) -> TypeGuard[Sequence[object]]:
    """Return True if the argument is one prior per coordinate. Numbers are weights of one prior."""
    return isinstance(prior, list | tuple) and len(prior) > 0 and all(map(_belief, prior))


def _belief(given: object) -> bool:
    """Return True if an item is a prior by itself and not a number."""
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
