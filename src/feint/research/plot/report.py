"""Draw a report: adversaries against the 1/L line, searches, posteriors.

Things also differ in place and pattern, not only in colour.
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from feint.audit import Exhibit, Report
from feint.exact import plain
from feint.research.plot.looks import INK, look
from feint.research.plot.parts import Bar, density, draw_bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMED = 12  # the most searches with a figure beside their mark; more would overlap
_WIDE = 84  # characters of a heading that fit on one line


def draw_report(report: Report, made: Figure) -> None:
    """Draw adversaries, success against the number of searches if several, and posteriors.

    Args:
        report: The report of an audit.
        made: An empty figure.
    """
    several = bool(report.successes)
    count = 1 + several + len(report.exhibits)
    tall = 1.4 + 0.42 * len(_bars(report))
    made.set_size_inches(8, tall + 2.6 * (count - 1))
    ratios = (tall, *(2.6,) * (count - 1))
    axes = made.subplots(count, 1, squeeze=False, height_ratios=ratios)[:, 0]
    verdict = "\n".join(wrap(f"Verdict: {report.verdict}", _WIDE))
    made.suptitle(verdict, x=0.012, ha="left", fontsize=11.5, color=INK)
    adversaries(report, axes[0])
    axes[0].set_title(_parameters(report), loc="left", pad=20, fontsize=9, color=INK)
    if several:
        searches(report, axes[1])
    shown = zip(report.exhibits, axes[1 + several :], strict=True)
    for number, (exhibit, place) in enumerate(shown):
        posterior(report, exhibit, place, coordinate=number if len(report.exhibits) > 1 else None)


def _parameters(report: Report) -> str:
    """Return the problem in the user's units, and the number of questions."""
    problem, wide = report.problem, report.domain.width
    words = [f"ε = {plain(problem.epsilon * wide)}", f"δ = {plain(problem.delta * wide)}"]
    words += [f"L = {problem.level}", problem.setting]
    words += [] if problem.noise is None else [f"p = {report.domain.says(problem)}"]
    words += [] if problem.dim == 1 else [f"{problem.dim} coordinates"]
    return ", ".join([*words, f"{report.queries:,} questions"])


def adversaries(report: Report, axes: Axes) -> None:
    """Draw one bar per eavesdropper, with its interval if it was sampled, and the promised 1/L."""
    label = "promised in the worst case only" if _worst_case(report) else "promised"
    label += " of one search" if report.successes else ""
    level = report.problem.level
    draw_bars(axes, _bars(report), promise=1 / level, label=f"{label}, 1/{level}")
    axes.set_xlabel(f"probability that she {report.domain.wins(report.problem)}")


def searches(report: Report, axes: Axes) -> None:
    """Draw success against the number of searches, with the promise and the blind guess."""
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
    axes.axhline(promise, label=f"promised of one: 1/{report.problem.level}", **promised)
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


def _worst_case(report: Report) -> bool:
    return report.problem.setting == "deterministic"


def _bars(report: Report) -> list[Bar]:
    """Return the bars from the bottom: a blind guess, sampled eavesdroppers, the best one."""
    bars = [Bar("without listening", "without listening", float(report.blind))]
    for rate in sorted(report.adversaries, key=lambda each: each.rate):
        bars.append(Bar(rate.name, rate.name, float(rate.rate), (rate.low, rate.high)))
    best = "best eavesdropper"
    if report.covering_number is not None and _worst_case(report):
        bars.append(Bar("promise", "for any number", 1 / report.covering_number))
    if report.adversary_success is not None and (report.exact or not report.adversaries):
        name = "best on average" if _worst_case(report) else best
        name += "" if report.exact else ",\nmean of transcripts"
        bars.append(Bar(best, name, float(report.adversary_success)))
    return bars


def posterior(
    report: Report, exhibit: Exhibit, axes: Axes, *, coordinate: int | None = None
) -> None:
    """Draw the posterior of the number after one transcript, and the best guess.

    The area of a bar, not its height, is the probability of its piece.
    """
    low, width = float(report.domain.low), float(report.domain.width)
    law = report.problem.law(coordinate or 0)
    if not law.uniform:
        behind = axes.twinx()
        density(law, report.domain, behind)
        behind.set_yticks([])
        behind.set_zorder(-1)
        axes.patch.set_visible(False)
    least = 0.004 * width  # so that a piece of one cell is visible
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
    told = "What all searches together leave" if report.successes else "What one transcript leaves"
    axes.set_title(f"{told} possible{where}", loc="left", pad=20, fontsize=10, color=INK)
    axes.spines[["top", "right"]].set_visible(False)


def _quarters(report: Report) -> list[float]:
    """Return the ends of a range and three places between, which are values if it has steps."""
    low, high, step = report.domain.low, report.domain.high, report.domain.step
    if step is None:
        return [float(low + (high - low) * each / 4) for each in range(5)]
    last = int((high - low) / step)
    return [float(low + step * round(last * each / 4)) for each in range(5)]
