"""One figure as data, and the function that computes any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from feint.bounds import table
from feint.errors import FeintError
from feint.exact import ceil_log2
from feint.interfaces import UNASKED, Executor, Strategy
from feint.planning import Plan, plan
from feint.problem import Problem
from feint.research.reproduce.exhibit import (
    Axes,
    Batch,
    Cells,
    Chart,
    Curve,
    Drawing,
    Exhibit,
    Listing,
    Number,
    Sampled,
    Words,
)
from feint.simulate import MOST, Simulation, play, simulate, spawned

_FEWEST = 100  # the fewest runs per point: with fewer, the intervals are too wide to draw


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Settings of the runs that are simulated for each point of a figure.

    Attributes:
        method: The method whose plan is run.
        heard: The names of the eavesdroppers who listen.
        questions: The most questions per point, over all runs; None: any number.
    """

    method: str = "tight"
    heard: tuple[str, ...] = ()
    questions: int | None = None


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        label: Its name in this chart.
        thing: The thing that it shows, whose look is the same in every picture; see `plot.look`.
        value: Returns its value at a point, with an interval if it is sampled; None: there is none.
        arguments: Arguments of the problem that are different on this line.
        simulated: Whether its values come from runs.
    """

    label: str
    thing: str
    value: Callable[[Point], Number | Sampled]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure(Axes):
    """A chart as data. Its `parameters` may name {asked} and {done}: runs asked for, runs done.

    Attributes:
        x: The places on the x axis.
        problem: The arguments of the problem at a place.
        lines: The lines of the chart.
        below: The lines of the smaller chart under it.
        more: Lines that only the table has.
        runs: The settings of the runs that lines show.
    """

    x: tuple[Fraction | int, ...]
    problem: Callable[[Any], Mapping[str, Any]]
    lines: tuple[Line, ...]
    below: tuple[Line, ...] = ()
    more: tuple[Line, ...] = ()
    runs: Runs = Runs()


@dataclass(frozen=True, kw_only=True)
class Run(Words):
    """One run of a strategy, to be drawn question by question.

    Attributes:
        strategy: The strategy.
        target: The cell of the number.
        guesses: Whether the places that may hold the number are the pairs of questions in rounds of
            guesses; otherwise they are the cells alike in all parts.
        possible_label: The name of those places.
        zoom: As in `Drawing`.
    """

    strategy: Strategy
    target: int
    possible_label: str
    guesses: bool = False
    zoom: int = 0


@dataclass(frozen=True, kw_only=True)
class Formulas(Words):
    """A table of bounds: their formulas in both settings, and their values for one problem.

    Attributes:
        problem: The arguments of the problem except the setting.
        lines: The label, the bound or the method, and the formulas in both settings.
    """

    problem: Mapping[str, Any]
    lines: tuple[tuple[str, str, str, str], ...]


@dataclass
class Point:
    """A place on the x axis of a chart: its problem, with the plans and the runs that lines show.

    Attributes:
        figure: The chart.
        number: The index of the place in the chart.
        problem: The problem there.
        simulated: Simulates a plan, given the number of runs and a key of the seed.
    """

    figure: Figure
    number: int
    problem: Problem
    simulated: Callable[[Plan, int, int], Simulation]
    _plans: dict[str, Plan | None] = field(default_factory=dict)

    @property
    def place(self) -> Fraction | int:
        """The place on the x axis."""
        return self.figure.x[self.number]

    def plan(self, method: str) -> Plan | None:
        """Return the plan of a method; None if there is none, or if it is too long."""
        if method not in self._plans:
            try:
                self._plans[method] = plan(self.problem, method=method)
            except FeintError:
                self._plans[method] = None
        return self._plans[method]

    @cached_property
    def runs(self) -> Simulation | None:
        """The simulated runs; None if there is no plan, or if enough runs would take too long."""
        found, limit = self.plan(self.figure.runs.method), self.figure.runs.questions
        if found is None:
            return None
        most = MOST if limit is None else limit // found.queries
        seed = self.place if isinstance(self.place, int) else self.number
        return None if most < _FEWEST else self.simulated(found, most, seed)


def compute(shown: Figure | Run | Formulas, runs: int, seed: int, executor: Executor) -> Exhibit:
    """Compute the exhibit of an entry of the table of figures.

    Args:
        shown: The entry.
        runs: The most runs per simulated point.
        seed: The seed of all randomness, from which each point derives its own.
        executor: Runs the simulations.
    """
    if isinstance(shown, Figure):
        return _chart(shown, runs, seed, executor)
    return _drawing(shown) if isinstance(shown, Run) else _listing(shown)


def _chart(figure: Figure, runs: int, seed: int, executor: Executor) -> Chart:
    def simulated(found: Plan, most: int, key: int) -> Simulation:
        return simulate(
            found.strategy,
            runs=min(runs, most),
            adversaries=figure.runs.heard,
            seed=spawned(seed, figure.name, key),
            executor=executor,
        ).finished()

    points: dict[tuple[int, str], Point | None] = {}  # lines of the same problem share its plans

    def value(line: Line, number: int) -> Any:
        key = number, repr(line.arguments)
        if key not in points:
            arguments = {**figure.problem(figure.x[number]), **line.arguments}
            # for a larger delta, nothing can be hidden
            hidden = arguments["delta"] * arguments["level"] <= 1
            points[key] = Point(figure, number, Problem(**arguments), simulated) if hidden else None
        point = points[key]
        return None if point is None else line.value(point)

    def curve(line: Line) -> Curve:
        values = [value(line, number) for number in range(len(figure.x))]
        if any(isinstance(each, tuple) for each in values):
            return Curve.sampled(line.label, values, line.thing)
        return Curve(line.label, tuple(values), line.thing, simulated=line.simulated)

    curves, below, more = (
        tuple(map(curve, lines)) for lines in (figure.lines, figure.below, figure.more)
    )
    words = _shared(figure, Axes)
    done = _counts(each.runs for each in points.values() if each and "runs" in vars(each))
    words["parameters"] = figure.parameters.format(asked=f"{runs:,}", done=done)
    return Chart(
        **words,
        x=tuple(map(float, figure.x)),
        curves=curves,
        more=tuple((each.label, each.y) for each in more),
        below=below,
    )


def _shared(shown: Words, kind: type[Words]) -> dict[str, Any]:
    """Return the fields that an entry of the table of figures shares with its exhibit."""
    return {each.name: getattr(shown, each.name) for each in fields(kind)}


def _counts(simulated: Iterable[Simulation | None]) -> str:
    """Return the number of runs per point, in words."""
    counts = sorted({each.runs for each in simulated if each is not None})
    return f"{' to '.join(f'{each:,}' for each in counts[:: max(1, len(counts) - 1)])} runs each"


def _drawing(run: Run) -> Drawing:
    """Play a run, and draw each round over the interval that earlier rounds left."""
    size, rounds = run.strategy.cells[0], run.strategy.rounds
    played = play(run.strategy, np.array([[run.target]]), np.random.default_rng(2))
    asked: list[list[float]] = [[] for _ in rounds]
    transcript = played.transcript
    for point, number in zip(transcript.points[0].tolist(), transcript.rounds, strict=True):
        if point != UNASKED:
            asked[number].append(point / size)
    target, low, high, first = run.target / size, 0.0, 1.0, 1
    batches: list[Batch] = []
    places: list[tuple[float, float]] = []
    for number, points in enumerate(asked):
        last = first + len(points) - 1
        label = f"q{first}" if first == last else f"q{first} to q{last}"
        batches.append(Batch(label, tuple(points), low, high))
        first = last + 1
        if rounds[number].phase == "narrow":
            ends = (low, *points, high)
            low = max(each for each in ends if each <= target)
            high = min(each for each in ends if each > target)
        elif run.guesses and rounds[number].phase in ("guess", "grid"):
            if len(points) % 2:  # the guess at 0 has one question, since nothing lies below it
                places.append((0.0, points.pop(0)))
            places += zip(points[::2], points[1::2], strict=True)
        elif not run.guesses and not places:  # the round that cuts the block into parts
            part = (high - low) / (len(points) + 1)
            offset = low + (target - low) % part
            starts = (offset + part * index for index in range(len(points) + 1))
            places += [(start, start + 1 / size) for start in starts]
    return Drawing(
        **_shared(run, Words),
        target=(run.target + 0.5) / size,
        batches=tuple(batches),
        possible=tuple(sorted(places)),
        possible_label=run.possible_label,
        zoom=run.zoom,
    )


def _listing(formulas: Formulas) -> Listing:
    values: list[dict[str, str]] = []
    for setting in ("bayesian", "deterministic"):
        problem = Problem(**formulas.problem, setting=setting)
        found = {row.name: row.value for row in table(problem)}
        asked = {name: plan(problem, method=name).queries for name in ("paper", "tight")}
        values.append({name: _short(value) for name, value in (found | asked).items()})
    rows: list[Cells] = [
        (label, left, values[0][name], right, values[1][name])
        for label, name, left, right in formulas.lines
    ]
    header = ("", "Bayesian", "value", "deterministic", "value")
    return Listing(**_shared(formulas, Words), header=header, rows=rows)


def _short(value: Fraction | float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{float(value):.1f}"


# Functions for the values of lines.


def bound(name: str) -> Callable[[Point], Number]:
    """Return the value of one bound of the theory."""

    def value(point: Point) -> Number:
        found = {row.name: row.value for row in table(point.problem)}.get(name)
        return float(found) if isinstance(found, Fraction) else found

    return value


def questions(method: str) -> Callable[[Point], Number]:
    """Return how many questions a method asks."""

    def value(point: Point) -> Number:
        found = point.plan(method)
        return None if found is None else found.queries

    return value


def mean_questions(method: str) -> Callable[[Point], Number]:
    """Return the mean number of questions of a method, from its plan.

    Plans that may be very long do not state it. Then it is the mean of the simulated runs, if any.
    Plans whose searches are all equally long have none, because it would mislead next to means.
    """

    def value(point: Point) -> Number:
        found = point.plan(method)
        if found is None or found.asks_all:
            return None
        mean = found.queries_mean
        if mean is None and method == point.figure.runs.method and point.runs is not None:
            return point.runs.queries_mean
        return None if mean is None else float(mean)

    return value


def above(
    high: Callable[[Point], Number], low: Callable[[Point], Number]
) -> Callable[[Point], Number]:
    """Return the difference of two values."""

    def value(point: Point) -> Number:
        most, least = high(point), low(point)
        return None if most is None or least is None else most - least

    return value


def ratio(point: Point) -> Number:
    """Return the number of questions of the default method divided by that of bisection."""
    found = point.plan("tight")
    alone = point.problem.dim * ceil_log2(1 / point.problem.epsilon)
    return None if found is None else found.queries / alone


def mean_ratio(point: Point) -> Number:
    """Return the mean number of questions of the default method divided by that of bisection."""
    mean = mean_questions("tight")(point)
    return (
        None if mean is None else mean / (point.problem.dim * ceil_log2(1 / point.problem.epsilon))
    )


def narrowing(method: str) -> Callable[[Point], Number]:
    """Return the number of questions of the narrowing stage, which hides nothing."""

    def value(point: Point) -> Number:
        found = point.plan(method)
        if found is None:
            return None
        return sum(each.queries for each in found.phases if each.name == "narrow")

    return value


def best(point: Point) -> Number:
    """Return the exact success of the best eavesdropper against the simulated method."""
    found = point.plan(point.figure.runs.method)
    if found is None or found.adversary_success is None:
        return None
    return float(found.adversary_success)


def of_runs(value: Callable[[Simulation], Number | Sampled]) -> Callable[[Point], Any]:
    """Return a line's value that is read from the simulated runs, if there are any."""
    return lambda point: None if point.runs is None else value(point.runs)


def wins(name: str) -> Callable[[Point], Any]:
    """Return the share of runs that an eavesdropper won, with its interval."""

    def value(simulation: Simulation) -> Sampled:
        found = next(each for each in simulation.adversaries if each.name == name)
        return found.success, found.interval

    return of_runs(value)
