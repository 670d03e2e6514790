"""The tidy table of a sweep: its columns, and how it is written."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import FeintError, InvalidValue, MissingExtra
from feint.exact import rational

Table = NDArray[np.void]
"""A structured array with the fields of `DTYPE`; words are as wide as the longest of them."""

Row = dict[str, Any]

NOTHING = -(1 << 63)
"""What a whole number is where there is nothing to say: zero is a number too."""

DTYPE = np.dtype(
    [
        ("epsilon", "f8"),
        ("delta", "f8"),
        ("level", "i8"),
        ("setting", "U1"),
        ("p", "f8"),
        ("confidence", "f8"),
        ("dim", "i8"),
        ("values", "i8"),
        ("method", "U1"),
        ("queries", "i8"),
        ("rounds", "i8"),
        ("certificate", "U1"),
        ("claimed", "f8"),
        ("paper_upper", "f8"),
        ("paper_lower", "f8"),
        ("prior_upper", "f8"),
        ("prior_lower", "f8"),
        ("runs", "i8"),
        ("miss_rate", "f8"),
        ("miss_low", "f8"),
        ("miss_high", "f8"),
        ("mean_error", "f8"),
        ("error_low", "f8"),
        ("error_high", "f8"),
        ("near", "f8"),
        ("near_low", "f8"),
        ("near_high", "f8"),
        ("adversary", "U1"),
        ("success", "f8"),
        ("low", "f8"),
        ("high", "f8"),
        ("refused", "U1"),
    ]
)
"""One row a point, method and adversary; where there is nothing to say, not-a-number, `NOTHING`
(whole numbers) or empty (words, which each table makes as wide as its longest).

`claimed` is what the plan says of the best eavesdropper; `near` is how many queries lie within δ/2
of X*; `low` and `high` are the interval of `success`, those with a name before them of what they
name; `refused` is why there is no plan, or no run.
"""

ARGUMENTS = ("epsilon", "delta", "level", "setting", "p", "confidence", "dim", "values")
_NAMES: tuple[str, ...] = DTYPE.names or ()
_NOTHING: dict[str, Any] = {"f": math.nan, "i": NOTHING, "U": ""}
_WORDS = tuple(name for name in _NAMES if DTYPE[name].kind == "U")


def tabled(rows: Sequence[Row]) -> Table:
    """The rows as a table; where a row lacks a field there is nothing to say."""
    widths = {name: max((len(row.get(name, "")) for row in rows), default=0) for name in _WORDS}
    kinds = [
        (name, f"U{max(1, widths[name])}" if name in widths else DTYPE[name]) for name in _NAMES
    ]
    filled = [tuple(row.get(name, _NOTHING[DTYPE[name].kind]) for name in _NAMES) for row in rows]
    return np.array(filled, kinds)


def plain(name: str, value: Any) -> Any:
    """What a table shows of an argument: nothing where it makes no sense."""
    kind = DTYPE[name].kind
    if kind == "U":
        return value if isinstance(value, str) else ""
    try:
        number = rational(value, name)
        if kind == "f":
            return float(number)
    except (FeintError, TypeError, OverflowError):
        return _NOTHING[kind]
    whole = number.denominator == 1 and abs(number) < -NOTHING
    return int(number) if whole else NOTHING


def records(table: Table) -> list[Row]:
    """The table for JSON: one mapping a row, None where there is nothing to say."""
    return [
        {name: _told(value) for name, value in zip(_NAMES, row.tolist(), strict=True)}
        for row in table
    ]


def _told(value: float | int | str) -> float | int | str | None:
    nothing = math.isnan(value) if isinstance(value, float) else value in (NOTHING, "")
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
        InvalidValue: Another ending, or a folder that is not there or cannot be written to.
        MissingExtra: Parquet without pyarrow.
    """
    try:
        with TemporaryFile(dir=path.absolute().parent):
            pass
        writable = not path.exists() or (path.is_file() and os.access(path, os.W_OK))
    except OSError:
        writable = False
    if not writable:
        rule = "must be a file in a folder that is there and can be written to"
        raise InvalidValue("path", str(path), rule, "make the folder, or name another file")
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
