"""Exhibits as plain values with their numbers: charts, drawings of a strategy and listings."""

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
        label: Its name in this chart.
        y: One value for each x of the chart; None: there is none.
        thing: The thing that it shows, whose look is the same in every picture; see `plot.look`.
        simulated: Whether the values come from runs.
        error: Half-widths of the intervals, which are drawn as bars; empty: there are none.
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
        name: The name of its files without the ending.
        title: Its title.
        parameters: Its parameters, which are part of the picture.
        caption: An explanation of how to read it.
        source: The result of the paper that it is about; empty: none.
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
        x_label: The label of the x axis.
        y_label: The label of the y axis.
        log_x: The base of a logarithmic x axis; 0: the axis is linear.
        log_y: The same for the y axis.
        named_in_place: Whether curves are named at their ends, instead of in a legend above.
        below_label: The label of the y axis of a smaller chart under this one.
    """

    x_label: str
    y_label: str
    log_x: int = 0
    log_y: int = 0
    named_in_place: bool = False
    below_label: str = ""


@dataclass(frozen=True, kw_only=True)
class Chart(Axes):
    """A chart of curves over one axis.

    Attributes:
        x: The places on the x axis.
        curves: The curves.
        more: Columns that only the table has, with their values.
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
        """The rows of the table, with every number in the chart."""
        columns = [self.x, *(values for _, values in (*self._columns, *self.more))]
        return [tuple(row) for row in zip(*columns, strict=True)]

    @property
    def _columns(self) -> list[tuple[str, tuple[str | Number, ...]]]:
        """Return the heading and values of every curve, and of the ends of its bars."""
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
        label: Their numbers, such as "q4 to q7".
        points: Their places on the unit interval.
        low: The lower end of the line, which is the part still searched.
        high: The upper end of the line.
    """

    label: str
    points: tuple[float, ...]
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Drawing(Words):
    """One run of a strategy, batch by batch.

    Attributes:
        target: The place of the number.
        batches: The questions, first to last.
        possible: The places of the number that the eavesdropper considers possible.
        possible_label: The name of those places.
        zoom: The first batch whose interval is enlarged; 0: none.
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
        """The rows of the table, one per question."""
        return [
            (each.label, ", ".join(f"{point:.6g}" for point in each.points))
            for each in self.batches
        ]


@dataclass(frozen=True, kw_only=True)
class Listing(Words):
    """A table without a picture.

    Attributes:
        header: The columns.
        rows: The cells.
    """

    header: tuple[str, ...]
    rows: list[Cells]


Exhibit = Chart | Drawing | Listing
"""Anything that `reproduce` draws or lists."""
