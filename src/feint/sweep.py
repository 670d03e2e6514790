"""Sweeps: grids of problems and methods, planned and simulated, as one tidy table."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.adversaries import named
from feint.bounds import table as bounds_table
from feint.errors import FeintError, InvalidValue, MissingExtra
from feint.exact import Number, rational, whole
from feint.planning import Plan, plan
from feint.problem import Problem
from feint.simulate import Executor, Serial, Simulation, simulate

Point = Mapping[str, Any]
"""The arguments of one `Problem`, by name; `Problem.to_dict` gives them too."""

Table = NDArray[np.void]
"""A structured array with the fields of `DTYPE`."""

Row = dict[str, Any]

DTYPE = np.dtype(
    [
        ("epsilon", "f8"),
        ("delta", "f8"),
        ("level", "i8"),
        ("setting", "U13"),
        ("p", "f8"),
        ("confidence", "f8"),
        ("dim", "i8"),
        ("values", "i8"),
        ("method", "U16"),
        ("queries", "i8"),
        ("rounds", "i8"),
        ("certificate", "U10"),
        ("claimed", "f8"),
        ("paper_upper", "f8"),
        ("paper_lower", "f8"),
        ("prior_upper", "f8"),
        ("prior_lower", "f8"),
        ("runs", "i8"),
        ("miss_rate", "f8"),
        ("mean_error", "f8"),
        ("near", "f8"),
        ("adversary", "U24"),
        ("success", "f8"),
        ("low", "f8"),
        ("high", "f8"),
        ("refused", "U240"),
    ]
)
"""One row a point, method and adversary; where there is nothing to say, not-a-number, zero (whole
numbers) or empty (words).

`claimed` is what the plan says of the best eavesdropper; `near` is how many queries lie within δ/2
of X*; `low` and `high` are the interval of `success`; `refused` is why there is no plan.
"""

_ARGUMENTS = ("epsilon", "delta", "level", "setting", "p", "confidence", "dim", "values")
_NAMES: tuple[str, ...] = DTYPE.names or ()
_NOTHING: dict[str, Any] = {"f": math.nan, "i": 0, "U": ""}


def grid(axes: Mapping[str, Sequence[Any]]) -> list[Point]:
    """Every combination of values, the last axis fastest.

    Args:
        axes: The values of each argument of `Problem`, by name.

    Returns:
        One point a combination.

    Raises:
        InvalidValue: An argument that `Problem` does not have.
    """
    for name in axes:
        if name not in _ARGUMENTS:
            rule = f"a grid may have {', '.join(_ARGUMENTS)}"
            raise InvalidValue("grid", name, rule, "pick among them")
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def sweep(
    points: Sequence[Point],
    *,
    methods: Sequence[str] = ("tight",),
    runs: Number = 0,
    adversaries: Sequence[str] = (),
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """Plan, and simulate if asked, every point by every method.

    Args:
        points: The problems; see `grid`. A problem or method that is refused keeps its row, which
            says why.
        methods: The methods.
        runs: How many runs to simulate each plan for; 0: none.
        adversaries: Who listens, by name.
        seed: Where all randomness comes from; each row has its own.
        executor: Who does the work, row by row; None: this process.
        progress: Told how many rows are done, and how many there are.

    Returns:
        The table, in the order of points, methods and adversaries; after Ctrl-C, the rows that
        were complete by then.
    """
    tasks = list(enumerate(product(points, methods)))
    work = partial(
        _rows,
        whole(runs, "runs", least=0),
        tuple(adversaries),
        whole(seed, "seed", least=0),
    )
    done: dict[int, list[Row]] = {}
    try:
        for index, rows in (executor or Serial()).map(work, tasks):
            done[index] = rows
            if progress is not None:
                progress(len(done), len(tasks))
    except KeyboardInterrupt:  # what is done is done
        if not done:
            raise
    rows = [row for index in sorted(done) for row in done[index]]
    return np.array([tuple(_filled(row).values()) for row in rows], DTYPE)


def _rows(
    runs: int,
    adversaries: tuple[str, ...],
    seed: int,
    task: tuple[int, tuple[Point, str]],
) -> list[Row]:
    """The rows of one point and method: one an adversary, or just one."""
    index, (point, method) = task
    row: Row = {name: _plain(name, value) for name, value in point.items()} | {"method": method}
    try:
        problem = Problem(**point)
        row |= _described(problem)
        found = plan(problem, method=method)
        row |= _planned(found)
        if not runs:
            return [row]
        heard = [named(name, problem, found.cells) for name in adversaries]
        chunk_seed = int(
            np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1, "u8")[0]
        )
        outcome = simulate(found.strategy, runs=runs, adversaries=heard, seed=chunk_seed)
    except FeintError as error:
        return [row | {"refused": str(error)}]
    if outcome.runs < runs:  # interrupted: half a row would have digits of its own
        raise KeyboardInterrupt
    return _simulated(row, outcome)


def _described(problem: Problem) -> Row:
    limits = {
        bound.name.replace(".", "_"): float(bound.value)
        for bound in bounds_table(problem)
        if bound.value is not None
    }
    return {name: _plain(name, getattr(problem, name)) for name in _ARGUMENTS} | limits


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


def _plain(name: str, value: Any) -> Any:
    """What a table shows of an argument: nothing where it makes no sense."""
    kind = DTYPE[name].kind
    if kind == "U" and isinstance(value, str):
        return value
    try:
        number = rational(value, name)
    except (FeintError, TypeError):
        return _NOTHING[kind]
    return int(number) if kind == "i" else float(number)


def _filled(row: Row) -> Row:
    return {name: row.get(name, _NOTHING[DTYPE[name].kind]) for name in _NAMES}


def records(table: Table) -> list[Row]:
    """The table for JSON: one mapping a row, None where there is nothing to say."""
    return [
        {name: _told(value) for name, value in zip(_NAMES, row.tolist(), strict=True)}
        for row in table
    ]


def _told(value: float | int | str) -> float | int | str | None:
    nothing = math.isnan(value) if isinstance(value, float) else not value
    return None if nothing else value


def to_csv(table: Table) -> str:
    """The table as comma-separated values with a line of names."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records(table))
    return out.getvalue()


def writer(path: Path) -> Callable[[Table], None]:
    """Who writes a table as the path's ending says, .csv, .json or .parquet; asked before the work.

    Args:
        path: Where to write.

    Returns:
        What to call with the table.

    Raises:
        InvalidValue: Another ending.
        MissingExtra: Parquet without pyarrow.
    """
    if path.suffix == ".csv":
        return lambda table: _write(path, to_csv(table))
    if path.suffix == ".json":
        return lambda table: _write(path, json.dumps(records(table), indent=2) + "\n")
    if path.suffix == ".parquet":
        arrow, parquet = _arrow()
        return lambda table: parquet.write_table(_arrow_table(arrow, table), path)
    remedy = "name the file table.csv, table.json or table.parquet"
    raise InvalidValue("path", path.name, "must end in .csv, .json or .parquet", remedy)


def save(table: Table, path: Path) -> None:
    """Write the table as the path's ending says; see `writer`."""
    writer(path)(table)


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("parquet", "pyarrow") from None


def _arrow_table(arrow: Any, table: Table) -> Any:
    known = {"f": arrow.float64(), "i": arrow.int64(), "U": arrow.string()}
    kinds = {name: known[DTYPE[name].kind] for name in _NAMES}
    rows = records(table)
    columns = {name: [row[name] for row in rows] for name in _NAMES}
    return arrow.table(columns, schema=arrow.schema(kinds))
