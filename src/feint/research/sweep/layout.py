"""Lay out the table of a sweep: constants above, the rest in columns that fit the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from feint.exact import brief
from feint.picture import aligned

Row = Mapping[str, Any]

_WIDEST = 79


@dataclass(frozen=True)
class Layout:
    """The layout of some rows, as strings.

    Attributes:
        constant: The values that are the same in every row, each as "name = value" or a word.
        columns: The headings of the columns.
        rows: The cells.
        key: The number of columns about the plan, which are the same for all of its eavesdroppers.
    """

    constant: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: int

    def lines(self, *, width: int = _WIDEST) -> list[str]:
        """Return the table as plain text.

        If the columns do not fit, the first of them become a heading for the rows that share them,
        one more at a time, until the rest fits or only the eavesdroppers' columns are left.

        Args:
            width: The number of columns of the terminal.
        """
        head = wrap(", ".join(self.constant), width) if self.constant else []
        if not self.rows:
            return head
        for taken in range(self.key + 1):
            header, *table = aligned(self.columns[taken:], [row[taken:] for row in self.rows])
            if max(map(len, (header, *table))) <= width:
                break
        lines, below = [*head, header], iter(table)
        for shared, rows in groupby(self.rows, key=lambda row: row[:taken]):
            pairs = zip(self.columns, shared, strict=False)
            said = ", ".join(f"{name} = {value}" for name, value in pairs if value != "-")
            lines += wrap(f"{said}:", width) if shared else []
            lines += [next(below) for _ in rows]
        return lines


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Wrap sentences between words if they are longer than the width."""
    return [part for line in lines for part in wrap(line, width, subsequent_indent="    ")]


def laid_out(rows: Sequence[Row]) -> Layout:
    """Return the layout of rows that have a plan.

    Arguments of the problem, the method and the share of misses are shown once if they are the same
    in every row. Figures of plans and simulations always have columns.

    Args:
        rows: Rows with the columns of `COLUMNS`.
    """
    kept = [name for name in (*_ARGUMENTS, "method", "runs", "missed") if _said(rows, name)]
    constant = [name for name in kept if len({_cell(row, name) for row in rows}) == 1]
    if not rows:
        return Layout((), (), (), 0)
    key = [name for name in kept if name not in (*constant, "runs", "missed")]
    figures = [name for name in _FIGURES if name in _PLANNED or _said(rows, name)]
    figures = [name for name in figures if name not in constant]
    shown = [*key, *figures]
    return Layout(
        constant=tuple(_constant(name, _cell(rows[0], name)) for name in constant),
        columns=tuple(_TITLES.get(name, name) for name in shown),
        rows=tuple(tuple(_cell(row, name) for name in shown) for row in rows),
        key=shown.index("eavesdropper") if "eavesdropper" in shown else len(key),
    )


def _said(rows: Sequence[Row], name: str) -> bool:
    """Return True if some row of a column has another value than the default."""
    return any(_cell(row, name) not in ("-", _USUAL.get(name)) for row in rows)


def _constant(name: str, value: str) -> str:
    """Return a constant with its name."""
    if name == "setting":
        return value
    if name == "runs":
        return f"{int(value):,} runs"
    if name == "missed":
        return "no run missed by more than epsilon/2" if value == "0" else f"missed = {value}"
    return f"{name} = {value}"


def _cell(row: Row, name: str) -> str:
    """Return the cell of a row."""
    if name == "interval":
        low, high = row["low"], row["high"]
        return "-" if low is None or high is None else f"{low:.4f}-{high:.4f}"
    if name == "average" and row["p"] is None:
        return "-"  # without noise the maximum is near the average
    value = row[_SOURCES.get(name, name)]
    if value is None:
        return _USUAL["prior"] if name == "prior" else "-"
    if name in _CHANCES:
        return f"{value:.4f}"
    return brief(value) if isinstance(value, float) else str(value)


_ARGUMENTS = ("epsilon", "delta", "level", "setting", "p", "confidence", "dim", "values", "prior")
_USUAL = {"dim": "1", "prior": "uniform"}
_PLANNED = ("questions", "bound", "rounds", "claimed")
_FIGURES = ("questions", "average", *_PLANNED[1:], "eavesdropper", "wins", "interval", "missed")
_CHANCES = ("claimed", "wins")
_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "questions": "queries",
        "average": "queries_mean",
        "bound": "lower_bound",
        "eavesdropper": "adversary",
        "wins": "success",
        "missed": "miss_rate",
    }
)
_TITLES = {"interval": "99 % interval", "claimed": "at most"}
