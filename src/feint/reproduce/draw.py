"""Exhibits as pictures: PNG and SVG, told apart by line and marker before colour."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from feint.errors import MissingExtra
from feint.reproduce.exhibit import Chart, Curve, Drawing
from feint.reproduce.page import digest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#222222"
_SHADES = ("#1f3b57", "#b3541e", "#4a7c59", "#7a4b8c", "#8c6d1f", "#555555")
_MARKERS = (("o", 8, False), ("s", 7, False), ("^", 4.5, True), ("D", 6, False), ("x", 6, True))
"""Marker, size, and whether it is filled: small and filled ones show inside large hollow ones."""
_DASHES = ((5, 3), (1.5, 2), (6, 2, 1.5, 2))

STAMP = "Numbers"
"""The entry of a PNG that has the digest of what was drawn."""


def draw(exhibit: Chart | Drawing, folder: Path) -> tuple[Path, Path]:
    """Write NAME.png, stamped with the digest of its numbers, and NAME.svg.

    Args:
        exhibit: What to draw.
        folder: Where to; it must exist.

    Returns:
        Both paths.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("plot", "matplotlib") from None
    settings: Any = {"svg.hashsalt": exhibit.name, "svg.fonttype": "none", "font.size": 10}
    paths = folder / f"{exhibit.name}.png", folder / f"{exhibit.name}.svg"
    with matplotlib.rc_context(settings):
        if isinstance(exhibit, Chart):
            figure = Figure(figsize=(8, 6.5 if exhibit.below else 5), layout="constrained")
            _chart(exhibit, figure)
        else:
            figure = Figure(figsize=(8, 2 + 0.36 * len(exhibit.batches)), layout="constrained")
            _drawing(exhibit, figure)
        figure.savefig(paths[0], dpi=150, metadata={"Software": None, STAMP: digest(exhibit)})
        figure.savefig(paths[1], dpi=150, metadata={"Date": None})
    return paths


def _chart(chart: Chart, figure: Figure) -> None:
    """Curves, and others under them if there are any."""
    if not chart.below:
        axes = figure.subplots()
        _curves(chart.x, chart.curves, axes, above_zero=bool(chart.log_y))
        _frame(chart, axes)
        axes.set_xlabel(chart.x_label)
        return
    axes, under = figure.subplots(2, 1, sharex=True, height_ratios=(5, 2))
    _curves(chart.x, chart.curves, axes, above_zero=bool(chart.log_y))
    _frame(chart, axes)
    _curves(chart.x, chart.below, under, above_zero=False)
    _plain(under, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(chart.below))
    under.set_ylim(bottom=0)
    under.set_ylabel(chart.below_label)
    under.set_xlabel(chart.x_label)


def _curves(
    x: tuple[float, ...], curves: tuple[Curve, ...], axes: Axes, *, above_zero: bool
) -> None:
    """Lines and markers, told apart by their shape within each kind."""
    drawn = dict.fromkeys(("bound", "earlier", "plan", "sampled"), 0)
    for number, curve in enumerate(curves):
        points = [
            (place, y, index)
            for index, (place, y) in enumerate(zip(x, curve.y, strict=True))
            if y is not None and (y > 0 or not above_zero)
        ]
        if not points:
            continue
        xs, ys, places = zip(*points, strict=True)
        turn, colour = drawn[curve.kind], _SHADES[number % len(_SHADES)]
        drawn[curve.kind] += 1
        if curve.kind in ("bound", "earlier"):
            dashes = _DASHES[turn % len(_DASHES)] if curve.kind == "earlier" else (1, 0)
            width = 2.2 if turn == 0 else 1.2
            over = 2.5 if curve.kind == "earlier" else 2
            axes.plot(xs, ys, color=colour, lw=width, dashes=dashes, zorder=over, label=curve.label)
            continue
        marker, size, full = _MARKERS[turn % len(_MARKERS)]
        style: dict[str, Any] = {"color": colour, "marker": marker, "ms": size, "lw": 0.8}
        style |= {"mfc": colour if full else "none", "ls": ":", "label": curve.label, "zorder": 3}
        if curve.error:
            low, high = zip(*(curve.error[index] for index in places), strict=True)
            axes.errorbar(xs, ys, yerr=(low, high), capsize=2, **style)
        else:
            axes.plot(xs, ys, markevery=max(1, len(xs) // 14), **style)


def _frame(chart: Chart, axes: Axes) -> None:
    if chart.log_x:
        axes.set_xscale("log", base=chart.log_x)
        if min(chart.x) >= 1:
            axes.xaxis.set_major_formatter("{x:g}")
    if chart.log_y:
        axes.set_yscale("log", base=chart.log_y)
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(chart.title, loc="left", fontsize=11, color=_INK)
    axes.set_ylabel(chart.y_label)
    _plain(axes, loc=chart.legend or "best")


def _plain(axes: Axes, **place: Any) -> None:
    """A quiet grid, and a legend that stands in the order of the curves."""
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(framealpha=0.9, edgecolor="none", fontsize=9, handlelength=3.2, **place)


def _drawing(drawing: Drawing, figure: Figure) -> None:
    """One line a batch, first above; from `zoom` on the interval is drawn larger."""
    rows = len(drawing.batches) + 1
    if not drawing.zoom:
        axes = figure.subplots()
        _lines(drawing, axes, 0, rows)
        axes.set_title(drawing.title, loc="left", fontsize=11, color=_INK)
        return
    heights = (drawing.zoom + 1, rows - drawing.zoom + 0.6)
    whole, part = figure.subplots(2, 1, height_ratios=heights)
    block = drawing.batches[drawing.zoom]
    _lines(drawing, whole, 0, drawing.zoom)
    _lines(drawing, part, drawing.zoom, rows)
    margin = 0.01 * (block.high - block.low)
    part.set_xlim(block.low - margin, block.high + margin)
    whole.set_title(drawing.title, loc="left", fontsize=11, color=_INK)
    whole.xaxis.set_ticks_position("top")
    whole.spines["top"].set_visible(True)
    whole.spines["bottom"].set_visible(False)
    whole.axvspan(block.low, block.high, color="#eeeeee", zorder=0)
    for end, corner in ((block.low, 0.0), (block.high, 1.0)):
        arrow = {"arrowstyle": "-", "color": "#999999", "lw": 0.8, "shrinkA": 0, "shrinkB": 0}
        part.annotate(
            "",
            xy=(end, drawing.zoom - 0.4),
            xycoords=whole.transData,
            xytext=(corner, 1),
            textcoords="axes fraction",
            arrowprops=arrow,
        )


def _lines(drawing: Drawing, axes: Axes, first: int, last: int) -> None:
    """Rows first to last; the number's place runs through them all."""
    bottom = len(drawing.batches)
    axes.axvline(drawing.target, color=_SHADES[1], lw=1, dashes=(2, 2), zorder=1)
    if first == 0:
        axes.text(
            drawing.target,
            -0.6,
            "the number",
            ha="center",
            va="bottom",
            fontsize=9,
            color=_SHADES[1],
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    for row, batch in enumerate(drawing.batches[first:last], first):
        axes.plot((batch.low, batch.high), (row, row), color="#999999", lw=1.4, zorder=1)
        marks = (row,) * len(batch.points)
        axes.plot(batch.points, marks, ls="none", marker="|", ms=13, mew=1.6, color=_INK)
    labels = [batch.label for batch in drawing.batches[first:last]]
    if last > bottom:
        labels.append(drawing.possible_label)
        for low, high in drawing.possible:
            axes.plot((low, high), (bottom, bottom), color=_SHADES[0], lw=7, solid_capstyle="butt")
            axes.axvspan(low, high, color=_SHADES[0], alpha=0.12, lw=0, zorder=0)
    axes.set_yticks(range(first, last), labels)
    axes.set_ylim(last - 0.4, first - (1.0 if first == 0 else 0.6))
    axes.set_xlim(-0.01, 1.01)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
