"""What is shown: charts, drawings of a strategy and listings, plain values with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Number = float | int | None
Cells = tuple[str | Number, ...]
Sampled = tuple[float, tuple[float, float]]
"""A value and its interval."""


@dataclass(frozen=True)
class Curve:
    """One line of a chart.

    Attributes:
        label: What it is called here.
        y: One value for each x of the chart; None where there is none.
        thing: Which thing it is, so that it looks the same in every picture: as in `plot.look`.
        simulated: Whether the values come from runs.
        error: Half-widths of intervals, drawn as bars; empty: none.
    """

    label: str
    y: tuple[Number, ...]
    thing: str
    simulated: bool = False
    error: tuple[tuple[float, float], ...] = ()

    @staticmethod
    def sampled(label: str, found: Sequence[Sampled | None], thing: str) -> Curve:
        """Return a curve of sampled values with bars for their intervals; None: no value."""
        bars = [(0.0, 0.0) if x is None else (x[0] - x[1][0], x[1][1] - x[0]) for x in found]
        values = tuple(None if each is None else each[0] for each in found)
        return Curve(label, values, thing, simulated=True, error=tuple(bars))


@dataclass(frozen=True, kw_only=True)
class Words:
    """The words of an exhibit.

    Attributes:
        name: The name of its files, without ending.
        title: What it shows.
        parameters: For which numbers; they are drawn in it.
        caption: How to read it.
        source: Which result of the paper it is about; empty: none.
    """

    name: str
    title: str
    parameters: str
    caption: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Axes(Words):
    """The words and the axes of a chart.

    Attributes:
        x_label: The axis below.
        y_label: The axis on the left.
        log_x: The base of a logarithmic axis below; 0: the axis is linear.
        log_y: The same on the left.
        named_in_place: Whether curves are named where they end, instead of in a legend above.
        below_label: The axis on the left of a smaller chart under this one.
    """

    x_label: str
    y_label: str
    log_x: int = 0
    log_y: int = 0
    named_in_place: bool = False
    below_label: str = ""


@dataclass(frozen=True, kw_only=True)
class Chart(Axes):
    """Curves over one axis.

    Attributes:
        x: The places.
        curves: What is drawn over them.
        more: Columns that only the table has: heading and values.
        below: Curves of a smaller chart under this one, over the same places.
    """

    x: tuple[float, ...]
    curves: tuple[Curve, ...]
    more: tuple[tuple[str, tuple[str | Number, ...]], ...] = ()
    below: tuple[Curve, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """The table's columns."""
        headings = (heading for heading, _ in (*self._columns, *self.more))
        return (self.x_label, *headings)

    @property
    def rows(self) -> list[Cells]:
        """The table: every number that is drawn."""
        columns = [self.x, *(values for _, values in (*self._columns, *self.more))]
        return [tuple(row) for row in zip(*columns, strict=True)]

    @property
    def _columns(self) -> list[tuple[str, tuple[str | Number, ...]]]:
        """Heading and values of every curve, and of the ends of its bars."""
        found: list[tuple[str, tuple[str | Number, ...]]] = []
        for curve in (*self.curves, *self.below):
            found.append((curve.label, curve.y))
            for end, side, sign in (("low", 0, -1), ("high", 1, 1)) if curve.error else ():
                bars = zip(curve.y, curve.error, strict=True)
                ends = tuple(None if y is None else y + sign * bar[side] for y, bar in bars)
                found.append((f"{curve.label}, {end}", ends))
        return found


@dataclass(frozen=True)
class Batch:
    """Questions that are drawn on one line.

    Attributes:
        label: Which they are, such as "q4 to q7".
        points: Where they lie on the unit interval.
        low: Where the line begins: what the search is about by then.
        high: Where it ends.
    """

    label: str
    points: tuple[float, ...]
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Drawing(Words):
    """One run of a strategy, batch by batch.

    Attributes:
        target: Where the number lies.
        batches: The questions, first to last.
        possible: Where the number may be, as the eavesdropper knows it.
        possible_label: What those places are called.
        zoom: From which batch on its interval is drawn larger; 0: never.
    """

    target: float
    batches: tuple[Batch, ...]
    possible: tuple[tuple[float, float], ...]
    possible_label: str
    zoom: int = 0

    @property
    def header(self) -> tuple[str, ...]:
        """The table's columns."""
        return ("batch", "queries")

    @property
    def rows(self) -> list[Cells]:
        """The table: every question."""
        return [
            (each.label, ", ".join(f"{point:.6g}" for point in each.points))
            for each in self.batches
        ]


@dataclass(frozen=True, kw_only=True)
class Listing(Words):
    """A table that has no picture.

    Attributes:
        header: The columns.
        rows: The cells.
    """

    header: tuple[str, ...]
    rows: list[Cells]


Exhibit = Chart | Drawing | Listing
"""Anything that `reproduce` draws or lists."""
