"""Plan and simulate every point of a grid by every method."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from feint.bounds import table as bounds_table
from feint.errors import FeintError, InvalidValue, UnknownMethod, WorkerLost, WrongType
from feint.exact import Number, whole
from feint.interfaces import AnyExecutor, Executor, Progress, progress_of
from feint.planning import Plan, plan
from feint.planning import methods as methods_of
from feint.problem import Domain, Problem, domain_of
from feint.research.sweep.points import Point, points_of, problem_of
from feint.research.sweep.table import ARGUMENTS, Row, SweepTable, plain, tabled
from feint.simulate import MOST, Serial, Simulation, executor_of, simulate, spawned
from feint.simulate.adversaries import Listener, check_listeners

Task = tuple[int, tuple[Point, str]]
"""The number of a task, its point and its method."""

_BEST = "tight"
_CALIBRATED = ("fixed", _BEST)  # methods that may be calibrated; `plan` warns about the second


def sweep(
    points: Iterable[Point | Problem],
    *,
    domain: Domain | None = None,
    methods: Iterable[str] = (_BEST,),
    max_rounds: int | None = None,
    repeatable: bool = False,
    margin: Number = 1,
    certificate: str = "theorem",
    calibration_seed: int | None = None,
    runs: Number = 0,
    adversaries: Iterable[Listener] | None = (),
    seed: int = 0,
    executor: AnyExecutor | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> SweepTable:
    """Plan every point by every method, and simulate the plans if asked to.

    The result does not depend on the executor or on how many workers it has.

    Args:
        points: The problems; see `grid`. A refused problem or method has a row with the reason.
        domain: The user's units of every width in the points and in the table. With a step,
            epsilon may be left out. None: the unit interval.
        methods: The methods.
        max_rounds: As in `plan`.
        repeatable: As in `plan`.
        margin: As in `plan`, for problems with a prior.
        certificate: As in `plan`, for method "fixed" under noise.
        calibration_seed: The `seed` of a calibrated plan, as in `plan`.
        runs: The number of simulated runs per plan; 0: none.
        adversaries: The eavesdroppers, as in `simulate`; they need runs.
        seed: The seed of all runs; each row derives its own.
        executor: Works in parallel on whole rows, or on chunks of runs if there are fewer rows than
            workers. None: this process does the work.
        memory: The most bytes that all processes on this machine may use, as in `simulate`. A row
            that needs more is refused.
        progress: A callback that receives the numbers of finished rows and of all rows.

    Returns:
        The table, in the order of points, methods and adversaries. After Ctrl-C, it has the rows
        that were complete by then.

    Raises:
        WrongType: An argument has the wrong type.
        UnknownMethod: None of the problems has a method.
        InvalidValue: Another argument is wrong.
    """
    units = domain_of(domain)
    asked = _Asked(
        domain=units,
        planning={
            "max_rounds": _count(max_rounds, "max_rounds", least=1),
            "repeatable": repeatable,
            "margin": margin,
            "certificate": certificate,
            "seed": _count(calibration_seed, "calibration_seed", least=0),
        },
        runs=whole(runs, "runs", least=0, most=MOST),
        adversaries=check_listeners(adversaries),
        seed=whole(seed, "seed", least=0),
        memory=_count(memory, "memory", least=1),
    )
    if asked.adversaries and not asked.runs:
        names = [getattr(each, "name", each) for each in asked.adversaries]
        rule, remedy = (
            "without runs there are no eavesdroppers",
            "give runs = 10000, or leave adversaries out",
        )
        raise InvalidValue("adversaries", ", ".join(map(str, names)), rule, remedy)
    wanted, tried = points_of(points, units), _names(methods)
    _check_methods(wanted, tried, units)
    tasks = list(enumerate(product(wanted, tried)))
    workers, tell = executor_of(executor), progress_of(progress)
    done: dict[int, list[Row]] = {}
    try:
        for index, rows in asked.work(tasks, workers):
            done[index] = rows
            if tell is not None:
                tell("rows", len(done), len(tasks))
    except KeyboardInterrupt:  # keep the rows that are complete
        if not done:
            raise
    return tabled([row for index in sorted(done) for row in done[index]])


def _count(given: Number | None, name: str, *, least: int) -> int | None:
    """Read a whole number; None stays None."""
    return None if given is None else whole(given, name, least=least)


def _names(methods: object) -> tuple[str, ...]:
    """Check that methods are a list of names."""
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        shown = methods.split(",") if isinstance(methods, str) else [_BEST]
        raise WrongType.of("methods", methods, "must be a list of names", f"pass {shown}")
    return tuple(methods)


def _check_methods(points: Sequence[Point], methods: Sequence[str], domain: Domain | None) -> None:
    """Refuse a method that suits no problem of the sweep."""
    if not methods:
        raise InvalidValue("methods", "nothing", "a sweep has at least one", f"use {_BEST}")
    if len(set(methods)) < len(methods):
        rule = "each is tried once"
        raise InvalidValue("methods", ", ".join(methods), rule, "name each of them once")
    known: dict[str, None] = {}
    for point in points:
        try:
            known |= dict.fromkeys(methods_of(problem_of(point, domain), domain=domain))
        except FeintError:
            continue  # its row states the reason
        if known.keys() >= set(methods):
            return
    for name in methods:
        if known and name not in known:
            rule = f"the problems of this sweep have {', '.join(known)}"
            raise UnknownMethod("methods", name, rule, "pick among them")


class _Among(Serial):
    """A memory limit for this process, which shares the machine's memory with others."""

    def __init__(self, workers: int) -> None:
        self.workers = workers


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The arguments that are the same for every row."""

    domain: Domain | None
    planning: Mapping[str, Any]
    runs: int
    adversaries: tuple[Listener, ...]
    seed: int
    memory: int | None

    def work(self, tasks: Sequence[Task], executor: Executor) -> Iterator[tuple[int, list[Row]]]:
        """Share whole rows among the workers; if some would be idle, share chunks of runs."""
        if len(tasks) < executor.slots:
            return Serial().map(partial(self.rows, executor), tasks)
        return executor.map(partial(self.rows, _Among(executor.workers)), tasks)

    def rows(self, executor: Executor, task: Task) -> list[Row]:
        """Return the rows of one point and method: one per adversary, or just one."""
        index, (point, method) = task
        row: Row = {name: plain(name, point[name]) for name in ARGUMENTS if name in point}
        row |= {"method": method}
        try:
            problem, unit = problem_of(point, self.domain), _width(self.domain)
            row |= _described(problem, unit)
            found = self._planned(problem, method, executor)
            row |= _planned(found)
            if not self.runs:
                return [row]
            outcome = self._simulated(found, index, executor).finished()
            return _simulated(row, outcome, float(unit))
        except WorkerLost:  # the error is not about this row
            raise
        except FeintError as error:
            return [row | {"refused": str(error)}]

    def _planned(self, problem: Problem, method: str, executor: Executor) -> Plan:
        """Return the plan of one row. Only one of the methods can be calibrated."""
        options = dict(self.planning)
        if method not in _CALIBRATED or not problem.noisy:
            options["certificate"] = "theorem"
        if options["certificate"] == "calibrated":
            options["executor"] = executor
        return plan(problem, domain=self.domain, method=method, **options)

    def _simulated(self, found: Plan, index: int, executor: Executor) -> Simulation:
        """Simulate one row, whose number is part of the seed."""
        return simulate(
            found,
            runs=self.runs,
            adversaries=self.adversaries,
            seed=spawned(self.seed, index),
            executor=executor,
            memory=self.memory,
        )


def _width(domain: Domain | None) -> Fraction:
    """Return the width of the unit interval in the table's units."""
    return Fraction(1) if domain is None else domain.width


def _described(problem: Problem, unit: Fraction) -> Row:
    limits = {
        bound.name.replace(".", "_"): float(bound.value)
        for bound in bounds_table(problem)
        if bound.value is not None
    }
    words = {name: plain(name, getattr(problem, name)) for name in ARGUMENTS if name != "prior"}
    stated = None if problem.prior is None else " x ".join(map(str, problem.prior))
    widths = {name: float(getattr(problem, name) * unit) for name in ("epsilon", "delta")}
    return words | {"prior": stated} | limits | widths


def _planned(found: Plan) -> Row:
    success = found.adversary_success
    return {
        "queries": found.queries,
        "lower_bound": found.lower_bound,
        "rounds": found.rounds,
        **found.means(),
        "certificate": found.certificate or "",
        "claimed": math.nan if success is None else float(success),
    }


def _simulated(row: Row, outcome: Simulation, unit: float) -> list[Row]:
    row = row | {
        "runs": outcome.runs,
        "miss_rate": outcome.miss_rate,
        "mean_error": outcome.mean_error * unit,
        "near": outcome.near,
    }
    least, most = outcome.mean_error_interval
    intervals = {
        "miss": outcome.miss_interval,
        "error": (least * unit, most * unit),
        "near": outcome.near_interval,
    }
    for name, (low, high) in intervals.items():
        row |= {f"{name}_low": low, f"{name}_high": high}
    each = [
        row
        | {
            "adversary": one.name,
            "success": one.success,
            "low": one.interval[0],
            "high": one.interval[1],
        }
        for one in outcome.adversaries
    ]
    return each or [row]
