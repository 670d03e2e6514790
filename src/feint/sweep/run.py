"""Sweeps: every point of a grid by every method, planned and simulated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from feint.adversaries import check_names, named
from feint.bounds import table as bounds_table
from feint.errors import FeintError, InvalidValue, UnknownMethod, WorkerLost
from feint.exact import Number, whole
from feint.interfaces import AnyExecutor, Executor, Progress
from feint.planning import Plan, plan
from feint.planning import methods as methods_of
from feint.problem import UNIT, Domain, Problem
from feint.simulate import MOST, Serial, Simulation, executor_of, simulate, spawned
from feint.sweep.table import ARGUMENTS, Row, Table, plain, tabled

Point = Mapping[str, Any]
"""The arguments of one `Problem`, by name; `Problem.to_dict` gives them too."""

Task = tuple[int, tuple[Point, str]]
"""The number of a row, its point and its method."""


def grid(axes: Mapping[str, Sequence[Any]]) -> list[Point]:
    """Every combination of values, the last axis fastest.

    Args:
        axes: The values of each argument of `Problem`, by name. Where there are `values` and no
            epsilon, epsilon is one of them: 1/values.

    Returns:
        One point a combination.

    Raises:
        InvalidValue: An argument that `Problem` does not have, or one without values.
    """
    for name in axes:
        if name not in ARGUMENTS:
            rule = f"a grid may have {', '.join(ARGUMENTS)}"
            raise InvalidValue("grid", name, rule, "pick among them")
        if not axes[name]:
            raise InvalidValue(name, "nothing", "an axis has at least one value", "give one")
    found: list[Point] = [
        dict(zip(axes, values, strict=True)) for values in product(*axes.values())
    ]
    if "values" in axes and "epsilon" not in axes:
        return [
            {"epsilon": Fraction(1, whole(point["values"], "values", least=2)), **point}
            for point in found
        ]
    return found


def sweep(
    points: Sequence[Point],
    *,
    methods: Sequence[str] = ("tight",),
    runs: Number = 0,
    adversaries: Sequence[str] = (),
    seed: int = 0,
    executor: AnyExecutor | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Plan, and simulate if asked, every point by every method.

    The digits do not depend on the executor, nor on how many workers it has.

    Args:
        points: The problems; see `grid`. A problem or method that is refused keeps its row, which
            says why.
        methods: The methods.
        runs: How many runs to simulate each plan for; 0: none.
        adversaries: Who listens, by name; they need runs.
        seed: Where all randomness comes from; each row has its own.
        executor: Who does the work, row by row, or chunk by chunk where there are fewer rows than
            workers; None: this process.
        memory: How many bytes all processes on this machine may take together, as in `simulate`.
            A row that needs more is refused.
        progress: Told how many rows are done, and how many there are.

    Returns:
        The table, in the order of points, methods and adversaries; after Ctrl-C, the rows that
        were complete by then.

    Raises:
        UnknownMethod: A method that none of the problems has.
        InvalidValue: Another argument is wrong by itself.
    """
    tasks = list(enumerate(product(points, methods)))
    check_names(*adversaries)
    asked = _Asked(
        whole(runs, "runs", least=0, most=MOST),
        tuple(adversaries),
        whole(seed, "seed", least=0),
        None if memory is None else whole(memory, "memory", least=1),
    )
    if asked.adversaries and not asked.runs:
        rule, remedy = "nobody listens without runs", "give runs = 10000, or leave them out"
        raise InvalidValue("adversaries", ", ".join(adversaries), rule, remedy)
    _known(points, methods)
    workers = executor_of(executor)
    done: dict[int, list[Row]] = {}
    try:
        for index, rows in asked.work(tasks, workers):
            done[index] = rows
            if progress is not None:
                progress("rows", len(done), len(tasks))
    except KeyboardInterrupt:  # what is done is done
        if not done:
            raise
    return tabled([row for index in sorted(done) for row in done[index]])


def _known(points: Sequence[Point], methods: Sequence[str]) -> None:
    """Refuse a method that no problem of the sweep has."""
    if not methods:
        raise InvalidValue("method", "nothing", "a sweep has at least one", 'use "tight"')
    if len(set(methods)) < len(methods):
        rule = "each is tried once"
        raise InvalidValue("method", ", ".join(methods), rule, "name each of them once")
    known: dict[str, None] = {}
    for point in points:
        try:
            known |= dict.fromkeys(methods_of(_problem(point)))
        except FeintError:
            continue  # its row will say why
        if known.keys() >= set(methods):
            return
    for name in methods:
        if known and name not in known:
            rule = f"the problems of this sweep have {', '.join(known)}"
            raise UnknownMethod("method", name, rule, "pick among them")


class _Among(Serial):
    """In this process, which is one of several that share the machine's memory."""

    def __init__(self, workers: int) -> None:
        self.workers = workers


@dataclass(frozen=True)
class _Asked:
    """What is wanted of every row."""

    runs: int
    adversaries: tuple[str, ...]
    seed: int
    memory: int | None

    def work(self, tasks: Sequence[Task], executor: Executor) -> Iterator[tuple[int, list[Row]]]:
        """Rows side by side; where they would leave workers idle, their chunks instead."""
        if len(tasks) < executor.slots:
            return Serial().map(partial(self.rows, executor), tasks)
        return executor.map(partial(self.rows, _Among(executor.workers)), tasks)

    def rows(self, executor: Executor, task: Task) -> list[Row]:
        """The rows of one point and method: one an adversary, or just one."""
        index, (point, method) = task
        row: Row = {name: plain(name, value) for name, value in point.items()}
        row |= {"method": method}
        try:
            problem = _problem(point)
            row |= _described(problem)
            found = plan(problem, method=method)
            row |= _planned(found)
            if not self.runs:
                return [row]
            return _simulated(row, self._simulated(found, index, executor).finished())
        except WorkerLost:  # which says nothing of this row
            raise
        except FeintError as error:
            return [row | {"refused": str(error)}]

    def _simulated(self, found: Plan, index: int, executor: Executor) -> Simulation:
        """The runs of one row; its number is part of its seed."""
        return simulate(
            found.strategy,
            runs=self.runs,
            problem=found.problem,
            scales=found.scales,
            adversaries=[named(name, found.problem, found.cells) for name in self.adversaries],
            seed=spawned(self.seed, index),
            executor=executor,
            memory=self.memory,
        )


def _described(problem: Problem) -> Row:
    limits = {
        bound.name.replace(".", "_"): float(bound.value)
        for bound in bounds_table(problem)
        if bound.value is not None
    }
    found = {name: plain(name, getattr(problem, name)) for name in ARGUMENTS if name != "prior"}
    stated = None if problem.prior is None else " x ".join(map(str, problem.prior))
    return found | {"prior": stated} | limits


def _problem(point: Point) -> Problem:
    """The problem of a point; what is believed is read on the unit interval, or on its values."""
    rest = {name: value for name, value in point.items() if name != "prior"}
    problem, stated = Problem(**rest), point.get("prior")
    if stated is None:
        return problem
    units = UNIT if problem.values is None else Domain(0, problem.values - 1, step=1)
    if isinstance(stated, list | tuple) and not isinstance(stated[0], int | float):
        return replace(problem, prior=tuple(units.prior(each) for each in stated))
    return replace(problem, prior=(units.prior(stated),) * problem.dim)


def _planned(found: Plan) -> Row:
    success = found.adversary_success
    return {
        "queries": found.queries,
        "rounds": found.rounds,
        "certificate": found.certificate or "",
        "claimed": math.nan if success is None else float(success),
    }


def _simulated(row: Row, outcome: Simulation) -> list[Row]:
    row = row | {
        "runs": outcome.runs,
        "miss_rate": outcome.miss_rate,
        "mean_error": outcome.mean_error,
        "near": outcome.near,
    }
    intervals = {
        "miss": outcome.miss_interval,
        "error": outcome.mean_error_interval,
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
