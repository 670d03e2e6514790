"""Draw exhibits in PNG and SVG. Curves also differ in line and marker, not only in colour.

Names stand above the curves and never cover them. Ticks are at the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feint.errors import MissingExtra
from feint.research.plot import INK, PALE, look
from feint.research.reproduce.exhibit import Chart, Curve, Drawing
from feint.research.reproduce.page import STAMPS, digest, outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TICKS = 20  # labels that fit under a chart; if there are more, every second or third is drawn
# a logarithmic axis of fewer decades has labels at 2 and 5 too, or it would have too few
_DECADES = 4
_LARGE, _SMALL = 11.5, 9  # font sizes: titles, and everything else


def draw(exhibit: Chart | Drawing, folder: Path) -> tuple[Path, Path]:
    """Write NAME.png, stamped with the digest of its numbers, and NAME.svg.

    Args:
        exhibit: The exhibit.
        folder: The folder of the files; it must exist.

    Returns:
        Both paths.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    made = figure(exhibit)
    import matplotlib

    settings: Any = {"svg.hashsalt": exhibit.name, "svg.fonttype": "none"}
    paths = folder / f"{exhibit.name}.png", folder / f"{exhibit.name}.svg"
    stamps = dict(zip(STAMPS, (digest(exhibit), outline(exhibit)), strict=True))
    with matplotlib.rc_context(settings):
        made.savefig(paths[0], dpi=150, metadata={"Software": None, **stamps})
        made.set_layout_engine("none")  # keep this layout, so that both files look the same
        made.savefig(paths[1], dpi=150, metadata={"Date": None})
    return paths


def figure(exhibit: Chart | Drawing) -> Figure:
    """Return the picture of an exhibit as a figure that is not saved.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("plot", "matplotlib") from None
    if isinstance(exhibit, Chart):
        made = Figure(figsize=(8, 7 if exhibit.below else 5.5), layout="constrained")
        _chart(exhibit, made)
    else:
        made = Figure(figsize=(8, 2.3 + 0.36 * len(exhibit.batches)), layout="constrained")
        _drawing(exhibit, made)
    made.suptitle(exhibit.title, x=0.012, ha="left", fontsize=_LARGE, color=INK)
    return made


def _chart(chart: Chart, figure: Figure) -> None:
    """Draw the curves, and the smaller chart under them if there is one."""
    axes, *under = figure.subplots(
        1 + bool(chart.below),
        1,
        sharex=True,
        squeeze=False,
        height_ratios=(5, 2)[: 1 + bool(chart.below)],
    )[:, 0]
    _curves(chart.x, chart.curves, axes, above_zero=bool(chart.log_y))
    _scales(chart, axes)
    axes.set_ylabel(chart.y_label)
    if chart.named_in_place:
        _quiet(axes)
        _ends(chart, axes)
        axes.set_title(chart.parameters, loc="left", fontsize=_SMALL, color=INK)
    else:
        _legend(axes, chart.parameters)
    for each in under:
        _curves(chart.x, chart.below, each, above_zero=False)
        each.set_ylim(0, 1.12 * each.dataLim.y1)
        each.set_ylabel(chart.below_label)
        _legend(each)
    (axes, *under)[-1].set_xlabel(chart.x_label)


def _curves(x: Sequence[float], curves: Sequence[Curve], axes: Axes, *, above_zero: bool) -> None:
    """Draw every curve in its look, with markers at the ticks."""
    ticks = {*_ticks(x)}
    for curve in curves:
        points = [
            (place, y, index)
            for index, (place, y) in enumerate(zip(x, curve.y, strict=True))
            if y is not None and (y > 0 or not above_zero)
        ]
        if not points:
            continue
        xs, ys, places = zip(*points, strict=True)
        style = look(curve.thing).style() | {"label": curve.label}
        style["zorder"] = 3 if "marker" in style else 2.5 if "dashes" in style else 2
        if curve.error:
            low, high = zip(*(curve.error[index] for index in places), strict=True)
            axes.errorbar(xs, ys, yerr=(low, high), capsize=2, **style)
        else:
            marked = [number for number, each in enumerate(xs) if each in ticks]
            axes.plot(xs, ys, markevery=marked, **style)


def _scales(chart: Chart, axes: Axes) -> None:
    """Scale the axes and put ticks at the values."""
    from matplotlib.ticker import LogLocator, NullLocator

    if chart.log_x:
        axes.set_xscale("log", base=chart.log_x)
    ticks = _ticks(chart.x)
    axes.set_xticks(ticks, [_written(each, chart.log_x) for each in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    if not chart.log_y:
        axes.set_ylim(0, 1.06 * axes.dataLim.y1)
        return
    axes.set_yscale("log", base=chart.log_y)
    low, high = axes.get_ylim()
    if math.log10(high / low) < _DECADES:
        axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")


def _ticks(x: Sequence[float]) -> list[float]:
    """Return the places of the ticks: all values, or every second or third if there are many."""
    return list(x[:: math.ceil(len(x) / _TICKS)])


def _written(place: float, base: int) -> str:
    """Return the label of a tick, which is a power of two on an axis to base 2."""
    mantissa, exponent = math.frexp(place)
    if base == 2 and mantissa == 0.5 and place < 1:
        return f"$2^{{{exponent - 1}}}$"
    return f"{place:g}"


def _legend(axes: Axes, parameters: str = "") -> None:
    """Put the legend above the curves, headed by the parameters."""
    _quiet(axes)
    made = axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2 if len(axes.get_legend_handles_labels()[0]) == 4 else 3,
        title=parameters or None,
        title_fontsize=_SMALL,
        alignment="left",
        frameon=False,
        fontsize=_SMALL,
        handlelength=3.2,
        borderpad=0,
        borderaxespad=0.5,
    )
    made.get_title().set_color(INK)


def _ends(chart: Chart, axes: Axes) -> None:
    """Put each curve's name above its last point."""
    for curve in chart.curves:
        place, y = [pair for pair in zip(chart.x, curve.y, strict=True) if pair[1] is not None][-1]
        axes.annotate(
            curve.label,
            (place, y),
            xytext=(0, 7),
            textcoords="offset points",
            ha="right",
            fontsize=_SMALL,
            color=look(curve.thing).colour,
        )


def _quiet(axes: Axes) -> None:
    """Draw a pale grid under everything, and no frame."""
    axes.grid(color=PALE, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _drawing(drawing: Drawing, figure: Figure) -> None:
    """Draw one line per batch, the first on top. From `zoom` on, the interval is enlarged."""
    rows = len(drawing.batches) + 1
    if not drawing.zoom:
        axes = figure.subplots()
        _lines(drawing, axes, 0, rows)
        _places(axes, (0, 1, *(low for low, _ in drawing.possible)))
        axes.set_title(drawing.parameters, loc="left", fontsize=_SMALL, color=INK)
        return
    heights = (drawing.zoom + 1, rows - drawing.zoom + 0.6)
    whole, part = figure.subplots(2, 1, height_ratios=heights)
    block = drawing.batches[drawing.zoom]
    _lines(drawing, whole, 0, drawing.zoom)
    _places(whole, (0, 1, *(x for each in drawing.batches[: drawing.zoom] for x in each.points)))
    _lines(drawing, part, drawing.zoom, rows)
    _places(part, (block.low, block.high, *block.points))
    margin = 0.01 * (block.high - block.low)
    part.set_xlim(block.low - margin, block.high + margin)
    whole.set_title(drawing.parameters, loc="left", fontsize=_SMALL, color=INK)
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


def _places(axes: Axes, places: Sequence[float]) -> None:
    """Put ticks at these places."""
    ticks = sorted({*places})
    axes.set_xticks(ticks, [f"{each:.4g}" for each in ticks])


def _lines(drawing: Drawing, axes: Axes, first: int, last: int) -> None:
    """Draw the rows from first to last, and the place of the number through them all."""
    bottom, sought, kept = len(drawing.batches), look("the number"), look("possible").colour
    axes.axvline(drawing.target, zorder=1, **sought.style())
    if first == 0:
        axes.annotate(
            "the number",
            (drawing.target, -0.6),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=_SMALL,
            color=sought.colour,
        )
    for row, batch in enumerate(drawing.batches[first:last], first):
        axes.plot((batch.low, batch.high), (row, row), color="#999999", lw=1.4, zorder=1)
        marks = (row,) * len(batch.points)
        axes.plot(batch.points, marks, ls="none", marker="|", ms=13, mew=1.6, color=INK)
    labels = [batch.label for batch in drawing.batches[first:last]]
    if last > bottom:
        labels.append(drawing.possible_label)
        for low, high in drawing.possible:
            axes.plot((low, high), (bottom, bottom), color=kept, lw=7, solid_capstyle="butt")
            axes.axvspan(low, high, color=kept, alpha=0.12, lw=0, zorder=0)
    axes.set_yticks(range(first, last), labels)
    axes.set_ylim(last - 0.4, first - (1.0 if first == 0 else 0.6))
    axes.set_xlim(-0.01, 1.01)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
