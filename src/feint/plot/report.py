"""Pictures of a report: adversaries against the 1/L line, searches, the posterior that is left.

Everything is told by place and pattern, not by colour alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feint.audit import Exhibit, Report
from feint.errors import InvalidValue, MissingExtra
from feint.exact import plain
from feint.plot.looks import INK, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMED = 12  # searches that are written beside their marks
_ELSEWHERE = "name another place"


def figure(report: Report) -> Figure:
    """A figure of adversaries, of success against searches where there are several, of posteriors.

    Args:
        report: What an audit found.

    Returns:
        A matplotlib figure, not yet shown or saved.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtra("plot", "matplotlib") from missing
    several = bool(report.successes)
    count = 1 + several + len(report.exhibits)
    tall = 1.4 + 0.42 * len(_bars(report))
    made = Figure(figsize=(8, tall + 2.6 * (count - 1)), layout="constrained")
    ratios = (tall, *(2.6,) * (count - 1))
    axes = made.subplots(count, 1, squeeze=False, height_ratios=ratios)[:, 0]
    made.suptitle(f"Verdict: {report.verdict}", x=0.012, ha="left", fontsize=11.5, color=INK)
    adversaries(report, axes[0])
    axes[0].set_title(_parameters(report), loc="left", pad=20, fontsize=9, color=INK)
    if several:
        searches(report, axes[1])
    shown = zip(report.exhibits, axes[1 + several :], strict=True)
    for number, (exhibit, place) in enumerate(shown):
        posterior(report, exhibit, place, coordinate=number if len(report.exhibits) > 1 else None)
    return made


def _parameters(report: Report) -> str:
    """What was asked for, in the user's units, and what it took."""
    problem, wide = report.problem, report.domain.width
    words = [f"ε = {plain(problem.epsilon * wide)}", f"δ = {plain(problem.delta * wide)}"]
    words += [f"L = {problem.level}", problem.setting]
    words += [] if problem.p is None else [f"p = {plain(problem.p)}"]
    words += [] if problem.dim == 1 else [f"{problem.dim} coordinates"]
    return ", ".join([*words, f"{report.queries:,} questions"])


def check(path: str | Path) -> None:
    """Make sure that a picture could be drawn to a file, before the work that it will show.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidValue: There is no such format, or the file cannot be written.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as missing:
        raise MissingExtra("plot", "matplotlib") from missing
    known, place = FigureCanvasBase.get_supported_filetypes(), Path(path)
    if place.suffix.removeprefix(".").lower() not in known:
        rule = f"must end in one of {', '.join(sorted(known))}"
        raise InvalidValue("plot", str(path), rule, "report.png always works")
    if place.is_dir() or not place.parent.is_dir():
        raise InvalidValue("plot", str(path), "must be a file in a folder that exists", _ELSEWHERE)
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise InvalidValue("plot", str(path), "it may not be written", _ELSEWHERE)


def draw(report: Report, path: str | Path) -> None:
    """Draw a report to a file whose name says the format, such as report.png or report.svg.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidValue: There is no such format, or the file cannot be written.
    """
    check(path)
    made = figure(report)
    try:
        made.savefig(path, dpi=150)
    except OSError as error:
        rule = f"it could not be written ({error.strerror})"
        raise InvalidValue("plot", str(path), rule, _ELSEWHERE) from None


def adversaries(report: Report, axes: Axes) -> None:
    """One bar an eavesdropper, with its limits where it was sampled, and the promised 1/L.

    Each has the colour and the marker that it has in every picture; its figures stand on the right.
    """
    bars = _bars(report)
    promise = 1 / report.problem.level
    for place, bar in enumerate(bars):
        drawn = look(bar.thing)
        axes.barh(place, bar.value, height=0.5, color=drawn.colour, alpha=0.22, zorder=1)
        axes.errorbar(
            bar.value,
            place,
            xerr=None if bar.limits is None else _reach(bar.value, bar.limits),
            capsize=4,
            **drawn.style() | {"ls": "none", "marker": drawn.marker or "|", "ms": 9, "zorder": 3},
        )
        axes.annotate(
            bar.words,
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    axes.axvline(promise, zorder=2, **look("promise").style())
    label = "promised in the worst case only" if _worst_case(report) else "promised"
    axes.annotate(
        f"dashed: {label}, 1/{report.problem.level}",
        (promise, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9,
    )
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(bars) - 0.4)
    longest = max(bar.value if bar.limits is None else bar.limits[1] for bar in bars)
    axes.set_xlim(0, 1.06 * max(longest, promise))
    wins = report.domain.wins(report.problem).replace("X*", "the number")
    axes.set_xlabel(f"probability that she {wins}")
    axes.spines[["top", "right"]].set_visible(False)


def searches(report: Report, axes: Axes) -> None:
    """Success against the number of searches, beside what is promised and the blind guess."""
    counts = list(range(1, len(report.successes) + 1))
    values = [float(each) for each in report.successes]
    best = "best eavesdropper"
    axes.plot(counts, values, label=best, marker="o", **look(best).style())
    if len(counts) <= _NAMED:
        for count, value in zip(counts, values, strict=True):
            axes.annotate(
                f"{value:.3g}",
                (count, value),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
            )
    promise = 1 / report.problem.level
    promised = look("promise").style()
    axes.axhline(promise, label=f"promised: 1/{report.problem.level}", **promised)
    blind = "without listening"
    axes.axhline(float(report.blind), label=blind, color=look(blind).colour, linestyle=":")
    axes.set_ylim(0, min(1.05, 1.3 * max(*values, promise)))
    axes.set_xlim(0.6, len(counts) + 0.4)
    axes.set_xticks(counts if len(counts) <= _NAMED else counts[:: -(-len(counts) // _NAMED)])
    axes.set_xlabel("searches for the same number")
    axes.set_ylabel("probability of winning")
    axes.set_title("What each search adds", loc="left", pad=22)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 0.98), ncols=3, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


class _Bar(NamedTuple):
    """One eavesdropper: which thing it looks like, what it is called, how often it wins."""

    thing: str
    name: str
    value: float
    limits: tuple[float, float] | None = None

    @property
    def words(self) -> str:
        """Its figures."""
        if self.limits is None:
            return f"{self.value:.3g}"
        return f"{self.value:.3g} ({self.limits[0]:.3g} to {self.limits[1]:.3g})"


def _reach(value: float, limits: tuple[float, float]) -> list[list[float]]:
    """How far limits lie below and above a value."""
    return [[value - limits[0]], [limits[1] - value]]


def _worst_case(report: Report) -> bool:
    return report.problem.setting == "deterministic"


def _bars(report: Report) -> list[_Bar]:
    """Who listens, first below: nobody, those that were sampled, the best there can be."""
    bars = [_Bar("without listening", "without listening", float(report.blind))]
    for rate in sorted(report.adversaries, key=lambda each: each.rate):
        bars.append(_Bar(rate.name, rate.name, float(rate.rate), (rate.low, rate.high)))
    best = "best eavesdropper"
    if report.covering_number is not None and _worst_case(report):
        bars.append(_Bar("promise", "wherever the number is", 1 / report.covering_number))
    if report.adversary_success is not None and (report.exact or not report.adversaries):
        name = "best on average" if _worst_case(report) else best
        name += "" if report.exact else ",\nmean of transcripts"
        bars.append(_Bar(best, name, float(report.adversary_success)))
    return bars


def posterior(
    report: Report, exhibit: Exhibit, axes: Axes, *, coordinate: int | None = None
) -> None:
    """Where the number may still be after one transcript, and the best guess there is.

    A bar's area, not its height, is the probability of its piece.
    """
    low, width = float(report.domain.low), float(report.domain.width)
    least = 0.004 * width  # so that a piece of one cell can be seen
    drawn = look("possible")
    sizes = [width * float(piece.high - piece.low) for piece in exhibit.pieces]
    heights = [
        float(piece.probability) / size for piece, size in zip(exhibit.pieces, sizes, strict=True)
    ]
    for piece, size, height in zip(exhibit.pieces, sizes, heights, strict=True):
        axes.bar(
            low + width * float(piece.low) + size / 2,
            height,
            width=max(size, least),
            color="#c9d6e2",
            edgecolor=drawn.colour,
            hatch="///",
        )
    window = exhibit.window
    begin, end = (low + width * float(each) for each in (window.low, window.high))
    best = look("best eavesdropper").colour
    axes.axvspan(begin, end, facecolor="none", edgecolor=best, linestyle="--")
    axes.annotate(
        f"dashed: her best guess, which wins with probability {float(window.probability):.3g}",
        (begin if begin < low + width / 2 else end, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="left" if begin < low + width / 2 else "right",
        fontsize=9,
        color=best,
    )
    queries = sorted(
        {
            low + width * point / exhibit.cells
            for each in exhibit.rounds
            for point in each
            if point >= 0
        }
    )
    axes.plot(
        queries, [-0.07 * max(heights)] * len(queries), "|", color=INK, markersize=7, clip_on=False
    )
    axes.set_xlim(low, low + width)
    axes.set_xticks(_quarters(report))
    axes.set_ylim(-0.13 * max(heights), 1.15 * max(heights))
    axes.set_xlabel(f"{report.domain.label or 'the number'} (marks above: the questions she heard)")
    axes.set_ylabel("probability density")
    where = "" if coordinate is None else f", coordinate {coordinate}"
    axes.set_title(
        f"What one transcript leaves possible{where}", loc="left", pad=20, fontsize=10, color=INK
    )
    axes.spines[["top", "right"]].set_visible(False)


def _quarters(report: Report) -> list[float]:
    """The ends of the range and three places between: values of it, where it has steps."""
    low, high, step = report.domain.low, report.domain.high, report.domain.step
    if step is None:
        return [float(low + (high - low) * each / 4) for each in range(5)]
    last = int((high - low) / step)
    return [float(low + step * round(last * each / 4)) for each in range(5)]
