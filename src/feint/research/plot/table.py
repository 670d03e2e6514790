"""Draw a sweep: questions and eavesdroppers' wins against the argument that varies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

from feint.errors import InvalidValue
from feint.exact import brief
from feint.research.plot.looks import INK, look
from feint.research.sweep import SweepTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AXES = ("epsilon", "delta", "level", "p", "confidence", "dim", "values")
_WORDS = ("setting", *_AXES)
_MANY = 12  # the most lines; a reader cannot distinguish more


class _Line(NamedTuple):
    """The plans of one method that differ only in the argument on the x axis."""

    method: str
    name: str
    rows: list[dict[str, Any]]


def draw_table(table: SweepTable, made: Figure) -> None:
    """Draw questions, and wins if runs were simulated, against the first argument that varies.

    Args:
        table: The result of a sweep.
        made: An empty figure.

    Raises:
        InvalidValue: No row has a plan, or there are more lines than a reader can distinguish.
    """
    rows = [row for row in table if row["refused"] is None]
    if not rows:
        raise InvalidValue("plot", "no rows", "every row was refused", "see why in its column")
    varies = [name for name in _WORDS if len({row[name] for row in rows}) > 1]
    along = next((name for name in _AXES if name in varies), None)
    lines = _lines(rows, along, [name for name in varies if name != along])
    if len(lines) > _MANY:
        rule = f"at most {_MANY} lines can be told apart in one picture"
        remedy = "sweep over fewer methods and values, or write the table to a file"
        raise InvalidValue("plot", f"{len(lines)} lines", rule, remedy)
    listened = any(row["success"] is not None for row in rows)
    made.set_size_inches(8, 6.4 if listened else 3.6)
    places = made.subplots(1 + listened, 1, squeeze=False)[:, 0]
    _questions(places[0], lines, along)
    if listened:
        _wins(places[1], lines, along)
    same = [f"{name} = {brief(rows[0][name])}" for name in _AXES if _told(name, rows[0], varies)]
    made.suptitle(", ".join(same), x=0.012, ha="left", fontsize=10, color=INK)


def _told(name: str, row: dict[str, Any], varies: Sequence[str]) -> bool:
    """Return True if an argument is the same in every row and not the default."""
    return name not in varies and row[name] is not None and (name, row[name]) != ("dim", 1)


def _lines(rows: Sequence[dict[str, Any]], along: str | None, others: Sequence[str]) -> list[_Line]:
    """Group the rows by method and by every other argument that varies."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["method"], *(row[name] for name in others)), []).append(row)
    lines = []
    for (method, *values), mine in found.items():
        said = [f"{name} = {value}" for name, value in zip(others, values, strict=True)]
        ordered = sorted(mine, key=lambda row: row[along]) if along else mine
        lines.append(_Line(method, ", ".join([method, *said]), ordered))
    return lines


def _questions(axes: Axes, lines: Sequence[_Line], along: str | None) -> None:
    """Draw the number of questions of each plan."""
    for number, (line, dashes) in enumerate(zip(lines, cycle(_DASHES), strict=False)):
        once = {(row[along] if along else number): row["queries"] for row in line.rows}
        style = look(line.method).style() | {"ls": dashes, "lw": 1.4}
        axes.plot(list(once), list(once.values()), label=line.name, **style)
    counts = [row["queries"] for line in lines for row in line.rows]
    if max(counts) > 50 * max(1, min(counts)):
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.08 * max(counts))
    axes.set_ylabel("questions")
    _finish(axes, lines, along)


def _wins(axes: Axes, lines: Sequence[_Line], along: str | None) -> None:
    """Draw the best eavesdropper's share of wins, with its interval."""
    for number, (line, dashes) in enumerate(zip(lines, cycle(_DASHES), strict=False)):
        best: dict[Any, dict[str, Any]] = {}
        for row in line.rows:
            place = row[along] if along else number
            if place not in best or row["success"] > best[place]["success"]:
                best[place] = row
        values = [row["success"] for row in best.values()]
        margins = [
            [row["success"] - row["low"] for row in best.values()],
            [row["high"] - row["success"] for row in best.values()],
        ]
        style = look(line.method).style() | {"ls": dashes, "lw": 1.4}
        axes.errorbar(list(best), values, yerr=margins, capsize=3, label=line.name, **style)
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("best of those\nwho listened wins")
    _finish(axes, lines, along)


def _finish(axes: Axes, lines: Sequence[_Line], along: str | None) -> None:
    """Put ticks at the data and the legend beside them."""
    if along is None:
        axes.set_xticks(range(len(lines)), [line.name for line in lines])
    else:
        places = sorted({row[along] for line in lines for row in line.rows})
        if places[0] > 0 and places[-1] > 8 * places[0]:
            axes.set_xscale("log")
        axes.set_xticks(places, [brief(place) for place in places])
        axes.minorticks_off()
        axes.set_xlabel(along)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


_DASHES = ("-", "--", ":", "-.")
