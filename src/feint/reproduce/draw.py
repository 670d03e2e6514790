"""Exhibits as pictures: PNG and SVG, told apart by line and marker before colour."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from feint.errors import MissingExtra
from feint.reproduce.exhibit import Chart, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#222222"
_SHADES = ("#1f3b57", "#b3541e", "#4a7c59", "#7a4b8c", "#8c6d1f", "#555555")
_MARKERS = ("o", "s", "^", "D", "v", "x")
_DASHES = ((5, 3), (1.5, 2), (6, 2, 1.5, 2))


def draw(exhibit: Chart | Drawing, folder: Path) -> tuple[Path, Path]:
    """Write NAME.png and NAME.svg.

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
    settings = {"svg.hashsalt": exhibit.name, "svg.fonttype": "none", "font.size": 10}
    paths = folder / f"{exhibit.name}.png", folder / f"{exhibit.name}.svg"
    with matplotlib.rc_context(settings):
        if isinstance(exhibit, Chart):
            figure = Figure(figsize=(8, 5), layout="constrained")
            _chart(exhibit, figure.subplots())
        else:
            figure = Figure(figsize=(8, 1.9 + 0.36 * len(exhibit.batches)), layout="constrained")
            _drawing(exhibit, figure.subplots())
        _save(figure, paths)
    return paths


def _save(figure: Figure, paths: tuple[Path, Path]) -> None:
    for path in paths:
        stamp = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=stamp)


def _chart(chart: Chart, axes: Axes) -> None:
    """Curves with a legend that stands in their order."""
    drawn = dict.fromkeys(("bound", "earlier", "plan", "sampled"), 0)
    for number, curve in enumerate(chart.curves):
        points = [
            (x, y, index)
            for index, (x, y) in enumerate(zip(chart.x, curve.y, strict=True))
            if y is not None and (y > 0 or not chart.log_y)
        ]
        if not points:
            continue
        xs, ys, places = zip(*points, strict=True)
        turn, colour = drawn[curve.kind], _SHADES[number % len(_SHADES)]
        drawn[curve.kind] += 1
        if curve.kind in ("bound", "earlier"):
            dashes = _DASHES[turn % len(_DASHES)] if curve.kind == "earlier" else (1, 0)
            width = 1.8 if turn == 0 else 1.2
            axes.plot(xs, ys, color=colour, lw=width, dashes=dashes, label=curve.label)
            continue
        marker = _MARKERS[turn % len(_MARKERS)]
        every = max(1, len(xs) // 14)
        hollow = "none" if marker in "os^Dv" and turn % 2 == 0 else colour
        style = {"color": colour, "marker": marker, "ms": 6, "mfc": hollow, "label": curve.label}
        if curve.error:
            low, high = zip(*(curve.error[index] for index in places), strict=True)
            axes.errorbar(xs, ys, yerr=(low, high), lw=0.8, capsize=2, ls=":", **style)
        else:
            axes.plot(xs, ys, lw=0.8, ls=":", markevery=every, **style)
    _frame(chart, axes)


def _frame(chart: Chart, axes: Axes) -> None:
    if chart.log_x:
        axes.set_xscale("log", base=chart.log_x)
    if chart.log_y:
        axes.set_yscale("log", base=chart.log_y)
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(chart.title, loc="left", fontsize=11, color=_INK)
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(frameon=False, fontsize=9, handlelength=3.2)


def _drawing(drawing: Drawing, axes: Axes) -> None:
    """One line a batch, first above; the number's place runs through them all."""
    bottom = len(drawing.batches)
    axes.axvline(drawing.target, color=_SHADES[1], lw=1, dashes=(2, 2))
    axes.text(
        drawing.target, -0.75, "the number", ha="center", va="bottom", fontsize=9, color=_SHADES[1]
    )
    for row, batch in enumerate(drawing.batches):
        axes.plot((0, 1), (row, row), color="#e4e4e4", lw=0.8, zorder=0)
        axes.plot((batch.low, batch.high), (row, row), color="#888888", lw=1.6, zorder=1)
        axes.plot(
            batch.points,
            (row,) * len(batch.points),
            ls="none",
            marker="|",
            ms=13,
            mew=1.6,
            color=_INK,
        )
    for low, high in drawing.possible:
        axes.plot((low, high), (bottom, bottom), color=_SHADES[0], lw=7, solid_capstyle="butt")
        axes.axvline(low, color=_SHADES[0], lw=0.4, alpha=0.35, zorder=0)
    labels = [batch.label for batch in drawing.batches]
    axes.set_yticks(range(bottom + 1), [*labels, drawing.possible_label.replace(": ", ":\n")])
    axes.set_ylim(bottom + 0.6, -1.1)
    axes.set_xlim(-0.01, 1.01)
    axes.set_title(drawing.title, loc="left", fontsize=11, color=_INK)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
