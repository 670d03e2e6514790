"""Pictures of a report: adversaries against the 1/L line, and the posterior that is left.

Everything is told by place and pattern, not by colour alone.
"""

from __future__ import annotations

import math
import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from feint.audit import Exhibit, Report, coordinates
from feint.errors import InvalidValue, MissingExtra
from feint.interfaces import Strategy
from feint.planning import Plan
from feint.problem import Domain, Prior
from feint.strategies import Blocks, Staged, StagedNoisy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#1f3b57"
_DRAWN = 400  # boundaries that are drawn; more would be one blot
_ELSEWHERE = "name another place"


def figure(report: Report) -> Figure:
    """A figure with both pictures; only the first when nothing was enumerated.

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
    count = 1 + len(report.exhibits)
    made = Figure(figsize=(8, 2.2 + 2.2 * count), layout="constrained")
    axes = made.subplots(count, 1, squeeze=False)[:, 0]
    adversaries(report, axes[0])
    for number, (exhibit, place) in enumerate(zip(report.exhibits, axes[1:], strict=True)):
        posterior(report, exhibit, place, coordinate=number if count > 2 else None)
    return made


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


def draw_plan(plan: Plan, path: str | Path) -> None:
    """Draw a plan on the density of what is believed, to a file whose name says the format.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidValue: There is no such format, or the file cannot be written.
    """
    check(path)
    made = plan_figure(plan)
    try:
        made.savefig(path, dpi=150)
    except OSError as error:
        rule = f"it could not be written ({error.strerror})"
        raise InvalidValue("plot", str(path), rule, _ELSEWHERE) from None


def plan_figure(plan: Plan) -> Figure:
    """The density of what is believed, and on it the blocks, parts and pieces of the plan.

    Args:
        plan: The plan; of a Product, every coordinate is drawn.

    Returns:
        A matplotlib figure, not yet shown or saved.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtra("plot", "matplotlib") from missing
    each = coordinates(plan.strategy)
    made = Figure(figsize=(9, 1 + 3.2 * len(each)), layout="constrained")
    axes = made.subplots(len(each), 1, squeeze=False)[:, 0]
    for number, (strategy, place) in enumerate(zip(each, axes, strict=True)):
        _planned(plan, number, strategy, place)
    return made


def _planned(plan: Plan, number: int, strategy: Strategy, axes: Axes) -> None:
    """One coordinate of a plan."""
    domain, law = plan.domain, plan.problem.law(number)
    _density(law, domain, axes)
    scale = None if plan.scales is None else plan.scales[number]
    scale = scale or domain.scale(strategy.cells[0])
    top = axes.get_ylim()[1]
    levels = (("pieces", 0.06, 0.4), ("parts", 0.55, 0.9), ("blocks", 1.0, 1.6))
    for (name, height, wide), marks in zip(levels, _cuts(strategy), strict=True):
        if marks and len(marks) <= _DRAWN:
            at = [float(scale.at(each)) for each in marks]
            axes.vlines(at, 0, height * top, color="black", linewidth=wide, label=name)
    axes.set_xlabel(domain.label or "the number")
    axes.set_ylabel("probability density")
    words = f"{plan.queries} questions in {plan.rounds} rounds"
    if plan.adversary_success is not None:
        words += f"; she wins {100 * float(plan.adversary_success):.3g} % at most"
    axes.set_title(words, loc="left")
    axes.legend(loc="upper right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _cuts(strategy: Strategy) -> tuple[list[int], list[int], list[int]]:
    """The boundaries of pieces, parts and blocks: long lines are blocks, short ones pieces."""
    blocks: list[tuple[int, int, int]] = []
    if isinstance(strategy, Blocks):
        blocks = [(each.start, each.size, each.shape.parts) for each in strategy.blocks]
    elif isinstance(strategy, Staged):
        count = math.prod(strategy.shape.narrow)
        ends = [strategy.size * each // count for each in range(count + 1)]
        blocks = [(a, b - a, strategy.shape.parts) for a, b in pairwise(ends)]
    elif isinstance(strategy, StagedNoisy):
        count = strategy.shape.blocks
        ends = [strategy.size * each // count for each in range(count + 1)]
        blocks = [(a, b - a, strategy.shape.parts) for a, b in pairwise(ends)]
    parts = [start + size * j // each for start, size, each in blocks for j in range(1, each)]
    pieces = list(range(1, strategy.cells[0]))
    return pieces, parts, [start for start, _, _ in blocks if start]


def _density(law: Prior, domain: Domain, axes: Axes, *, alpha: float = 1.0) -> None:
    """What is believed before anything is overheard."""
    low, width = float(domain.low), float(domain.width)
    edges = [low + width * place / law.bins for place in range(law.bins + 1)]
    heights = [weight / law.total * law.bins / width for weight in law.weights]
    axes.stairs(heights, edges, fill=True, color="#dfe8ef", alpha=alpha, label="what is believed")
    axes.set_xlim(low, low + width)
    axes.set_ylim(0, 1.15 * max(heights))


def adversaries(report: Report, axes: Axes) -> None:
    """One bar an eavesdropper, with its limits where it was sampled, and the promised 1/L."""
    bars = _bars(report)
    names = [name for name, *_ in bars]
    values = [value for _, value, _, _ in bars]
    low = [below for _, _, below, _ in bars]
    high = [above for _, _, _, above in bars]
    places = range(len(names))
    axes.barh(places, values, height=0.55, color="#c9d6e2", edgecolor=_INK)
    sampled = [place for place in places if high[place] + low[place] > 0]
    axes.errorbar(
        [values[i] for i in sampled],
        sampled,
        xerr=[[low[i] for i in sampled], [high[i] for i in sampled]],
        fmt="none",
        ecolor="black",
        capsize=4,
    )
    for place, value in zip(places, values, strict=True):
        axes.annotate(
            f"{value:.3g}",
            (value + high[place], place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            zorder=5,
        )
    promise = 1 / report.problem.level
    worst_case = report.problem.setting == "deterministic"
    label = "promised in the worst case only" if worst_case else "promised"
    axes.axvline(promise, color="black", linestyle="--", linewidth=1.5)
    axes.annotate(
        f"{label}: 1/{report.problem.level}",
        (promise, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
        va="bottom",
    )
    axes.set_yticks(list(places), names)
    axes.set_xlim(
        0, max(1.12 * max(v + h for v, h in zip(values, high, strict=True)), 1.3 * promise)
    )
    axes.set_xlabel("probability of coming within delta/2 of the number")
    axes.set_title(f"Verdict: {report.verdict}", loc="left", pad=22)
    axes.spines[["top", "right"]].set_visible(False)


def _bars(report: Report) -> list[tuple[str, float, float, float]]:
    """Name, value, and how far the limits lie below and above it."""
    bars = [("without listening", float(report.blind), 0.0, 0.0)]
    for rate in sorted(report.adversaries, key=lambda each: each.rate):
        value = float(rate.rate)
        bars.append((rate.name, value, value - rate.low, rate.high - value))
    if report.covering_number is not None and report.problem.setting == "deterministic":
        bars.append(("wherever the number is", 1 / report.covering_number, 0.0, 0.0))
    if report.exact and report.adversary_success is not None:
        worst_case = report.problem.setting == "deterministic"
        name = "best on average" if worst_case else "best eavesdropper"
        bars.append((name, float(report.adversary_success), 0.0, 0.0))
    return bars


def posterior(
    report: Report, exhibit: Exhibit, axes: Axes, *, coordinate: int | None = None
) -> None:
    """Where the number may still be after one transcript, and the best guess there is.

    A bar's area, not its height, is the probability of its piece.
    """
    low, width = float(report.domain.low), float(report.domain.width)
    law = report.problem.law(coordinate or 0)
    if not law.uniform:
        behind = axes.twinx()
        _density(law, report.domain, behind, alpha=0.6)
        behind.set_yticks([])
        behind.set_zorder(-1)
        axes.patch.set_visible(False)
    least = 0.004 * width  # so that a piece of one cell can be seen
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
            edgecolor=_INK,
            hatch="///",
        )
    window = exhibit.window
    begin, end = (low + width * float(each) for each in (window.low, window.high))
    axes.axvspan(begin, end, facecolor="none", edgecolor="black", linestyle="--")
    axes.annotate(
        f"dashed: her best guess, wins with probability {float(window.probability):.3g}",
        (begin if begin < low + width / 2 else end, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="left" if begin < low + width / 2 else "right",
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
        queries,
        [-0.04 * max(heights)] * len(queries),
        "|",
        color="black",
        markersize=7,
        clip_on=False,
    )
    axes.set_xlim(low, low + width)
    axes.set_ylim(-0.08 * max(heights), 1.15 * max(heights))
    axes.set_xlabel(f"{report.domain.label or 'the number'} (ticks: the questions she heard)")
    axes.set_ylabel("probability density")
    where = "" if coordinate is None else f", coordinate {coordinate}"
    axes.set_title(f"What one transcript leaves possible{where}", loc="left", pad=22)
    axes.spines[["top", "right"]].set_visible(False)
