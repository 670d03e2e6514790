"""The tidy table of a sweep: its columns, its missing cells, and its files."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from feint.errors import FeintError, InvalidValue, MissingExtra, WrongType
from feint.exact import rational
from feint.exact.sheets import as_text
from feint.picture import paragraphs
from feint.picture import table as html_table
from feint.research.sweep.layout import laid_out, wrapped

Row = dict[str, Any]
Column = np.ma.MaskedArray[tuple[int], np.dtype[Any]]

COLUMNS: Mapping[str, type[float] | type[int] | type[str]] = MappingProxyType(
    {
        "epsilon": float,
        "delta": float,
        "level": int,
        "setting": str,
        "p": float,
        "confidence": float,
        "dim": int,
        "values": int,
        "prior": str,
        "method": str,
        "queries": int,
        "lower_bound": int,
        "rounds": int,
        "queries_mean": float,
        "rounds_mean": float,
        "certificate": str,
        "claimed": float,
        "paper_upper": float,
        "paper_lower": float,
        "earlier_upper": float,
        "earlier_lower": float,
        "sharper_lower": float,
        "search_lower": float,
        "feint_lower": float,
        "converse_lower": float,
        "runs": int,
        "miss_rate": float,
        "miss_low": float,
        "miss_high": float,
        "mean_error": float,
        "error_low": float,
        "error_high": float,
        "near": float,
        "near_low": float,
        "near_high": float,
        "adversary": str,
        "success": float,
        "low": float,
        "high": float,
        "refused": str,
    }
)
"""The columns in their order, and their types. Any cell may be missing.

- `queries` and `rounds` are the maximum of a search; the columns with `_mean` are averages.
- `lower_bound` bounds the `queries` of every plan from below (`Plan.lower_bound`).
- `claimed` is the plan's own bound on the best eavesdropper's success.
- `near` is the number of questions within δ/2 of the number.
- `low` and `high` are the interval of `success`; with a prefix, that of the column so named.
- `refused` is the reason why there is no plan or no run.
"""

ARGUMENTS = ("epsilon", "delta", "level", "setting", "p", "confidence", "dim", "values", "prior")
_INTEGERS = range(-(1 << 63), 1 << 63)  # a column of whole numbers has 64 bits
_NUMPY: dict[type, str] = {float: "f8", int: "i8"}  # NumPy pads words to the longest of them
_PANDAS: dict[type, str] = {float: "float64", int: "Int64", str: "string"}


@dataclass(frozen=True)
class SweepTable:
    """The result of a sweep: one row per point, method and adversary, with columns `COLUMNS`.

    A missing cell is None in rows and in JSON, masked in columns, empty in CSV, and null in Arrow
    and Parquet. `for row in table` yields the rows as mappings.

    Attributes:
        rows: The rows, each with every column. Do not change them.
    """

    rows: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.records())

    @overload
    def __getitem__(self, which: str) -> Column: ...

    @overload
    def __getitem__(self, which: NDArray[np.bool_]) -> SweepTable: ...

    def __getitem__(self, which: str | NDArray[np.bool_]) -> Column | SweepTable:
        """Return a column by its name, or the rows where a condition holds and is not masked.

        Raises:
            KeyError: There is no such column.
        """
        if not isinstance(which, str):
            holds = np.ma.filled(which, False)
            return SweepTable(
                tuple(row for row, kept in zip(self.rows, holds, strict=True) if kept)
            )
        if which not in COLUMNS:
            raise KeyError(f"there is no column {which}; there are {', '.join(COLUMNS)}")
        kind = COLUMNS[which]
        cells = [row[which] for row in self.rows]
        data = [kind() if cell is None else cell for cell in cells]
        return np.ma.array(data, _NUMPY.get(kind, str), mask=[cell is None for cell in cells])

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return a mask of the missing cells of a column.

        Raises:
            KeyError: There is no such column.
        """
        return np.ma.getmaskarray(self[name])

    def records(self) -> list[Row]:
        """Return the table for JSON: one mapping per row, None for a missing cell."""
        return [dict(row) for row in self.rows]

    def lines(self, *, width: int = 79) -> list[str]:
        """Return the rows that have a plan as text, then the reasons why others have none.

        Constants stand above the table, and the table fits the width.

        Args:
            width: The number of columns of the terminal.
        """
        planned = [row for row in self.rows if row["refused"] is None]
        return [*laid_out(planned).lines(width=width), *wrapped(self._refused(), width)]

    def refusals(self) -> list[tuple[int, str]]:
        """Return the reasons why rows have no plan or no runs, each with the number of its rows."""
        reasons = Counter(row["refused"] for row in self.rows if row["refused"] is not None)
        return [(count, reason) for reason, count in reasons.items()]

    def _refused(self) -> list[str]:
        return [
            f"Refused ({count} row{'s' if count > 1 else ''}): {reason}"
            for count, reason in self.refusals()
        ]

    def __str__(self) -> str:
        """Return the table as text; `to_csv` has every column."""
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        drawn = laid_out([row for row in self.rows if row["refused"] is None])
        head = [", ".join(drawn.constant)] if drawn.constant else []
        grid = html_table(drawn.columns, drawn.rows) if drawn.rows else ""
        return paragraphs(head) + grid + paragraphs(self._refused())

    def to_csv(self) -> str:
        """Return the table as comma-separated values with a line of names.

        Missing cells are empty. A word that a spreadsheet would read as a formula gets an
        apostrophe.
        """
        out = io.StringIO()
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            words = {name: as_text(cell) for name, cell in row.items() if isinstance(cell, str)}
            writer.writerow({**row, **words})
        return out.getvalue()

    def to_arrow(self) -> Any:
        """Return the table as a `pyarrow.Table`; missing cells are null.

        Raises:
            MissingExtra: pyarrow is not installed.
        """
        arrow = _loaded("pyarrow", "parquet")
        kinds = {float: arrow.float64(), int: arrow.int64(), str: arrow.string()}
        schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        return arrow.Table.from_pylist(list(self.rows), schema=schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the Arrow stream from which pandas, Polars, DuckDB and others read a table.

        Raises:
            MissingExtra: pyarrow is not installed.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return the table as a `pandas.DataFrame` with nullable types for whole numbers and words.

        Raises:
            MissingExtra: pandas is not installed.
        """
        pandas = _loaded("pandas", "pandas")
        columns = {
            name: pandas.array([row[name] for row in self.rows], dtype=_PANDAS[kind])
            for name, kind in COLUMNS.items()
        }
        return pandas.DataFrame(columns)


def tabled(rows: Iterable[Row]) -> SweepTable:
    """Make a table of rows. Absent values, NaN and empty strings become missing cells."""
    kinds = COLUMNS.items()
    return SweepTable(
        tuple({name: _said(row.get(name), kind) for name, kind in kinds} for row in rows)
    )


def _said(value: Any, kind: type) -> Any:
    nothing = value is None or value == "" or (isinstance(value, float) and math.isnan(value))
    return None if nothing else kind(value)  # NumPy's numbers would print differently


def plain(name: str, value: Any) -> Any:
    """Return an argument as a table shows it; None if it cannot be read."""
    kind = COLUMNS[name]
    if kind is str:
        return value if isinstance(value, str) else None
    try:
        number = rational(value, name)
        if kind is float:
            return float(number)
    except (FeintError, TypeError, OverflowError):
        return None
    whole = int(number)
    return whole if whole == number and whole in _INTEGERS else None


def writer(path: str | Path) -> Callable[[SweepTable], None]:
    """Check a path before the work, and return the function that writes a table to it.

    Args:
        path: The file. It ends in .csv, .json or .parquet.

    Raises:
        WrongType: The argument is not a path.
        InvalidValue: The ending is another, or the folder is missing or not writable.
        MissingExtra: pyarrow is not installed, for .parquet.
    """
    if not isinstance(path, str | Path):
        raise WrongType.of("path", path, "must be the name of a file", 'pass "table.csv"')
    path = Path(path)
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
        return lambda table: _write(path, table.to_csv())
    if path.suffix == ".json":
        return lambda table: _write(path, json.dumps(table.records(), indent=2) + "\n")
    if path.suffix == ".parquet":
        parquet = _loaded("pyarrow.parquet", "parquet")
        return lambda table: parquet.write_table(table.to_arrow(), path)
    remedy = "name the file table.csv, table.json or table.parquet"
    raise InvalidValue("path", path.name, "must end in .csv, .json or .parquet", remedy)


def save(table: SweepTable, path: str | Path) -> None:
    """Write a table in the format of the path's ending; see `writer`."""
    if not isinstance(table, SweepTable):
        raise WrongType.of("table", table, "must be what sweep returns", "pass sweep(points)")
    writer(path)(table)


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def _loaded(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(extra, module.partition(".")[0]) from None
