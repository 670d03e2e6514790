"""Draw a simulation: eavesdroppers against the limit, and the learner's errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from feint.exact import plain
from feint.research.plot.looks import INK, look
from feint.research.plot.parts import Bar, draw_bars
from feint.simulate import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_simulation(found: Simulation, made: Figure) -> None:
    """Draw eavesdroppers, if any listened, and errors.

    Args:
        found: The simulation.
        made: An empty figure.
    """
    count = len(found.adversaries)
    tall = 1.4 + 0.42 * count
    made.set_size_inches(8, (tall if count else 0) + 2.8)
    problem = found.strategy.problem
    words = [f"ε = {plain(problem.epsilon)}", f"δ = {plain(problem.delta)}", f"L = {problem.level}"]
    words += [problem.setting] if problem.noise is None else [f"p = {problem.noise.words}"]
    title = ", ".join([*words, found.length, f"{found.runs:,} runs"])
    made.suptitle(title, x=0.012, ha="left", fontsize=10, color=INK)
    if count:
        above, below = made.subplots(2, 1, height_ratios=(tall, 2.8))
        _eavesdroppers(found, above)
    else:
        below = made.subplots(1, 1)
    _errors(found, below)


def _eavesdroppers(found: Simulation, axes: Axes) -> None:
    """Draw one bar per eavesdropper, with its interval, and the limit."""
    rates = sorted(found.adversaries, key=lambda each: each.rate)
    bars = [Bar(each.name, each.name, each.success, each.interval) for each in rates]
    limit = None if found.limit is None else float(found.limit)
    draw_bars(axes, bars, promise=limit, label=f"limit, {found.limit}")
    axes.set_xlabel(f"how often she wins, with its {100 * (1 - found.failure):g} % interval")


def _errors(found: Simulation, axes: Axes) -> None:
    """Draw the shares of runs by error: equal bins up to ε/2, then each twice as long."""
    edges, counts = found.errors
    half = float(found.strategy.problem.epsilon) / 2
    fine = int(np.searchsorted(edges, half * (1 + 1e-9))) - 1  # bins of errors that are not misses
    last = max(fine, int(np.flatnonzero(counts).max(initial=0)) + 1)
    shares = counts[:last] / found.runs
    missed = look("missed").colour
    colours = ["#c9d6e2"] * fine + [missed] * (last - fine)
    axes.bar(np.arange(last) + 0.5, shares, width=1.0, color=colours, edgecolor=INK, linewidth=0.5)
    axes.set_xticks([0, fine // 2, fine], ["0", "ε/4", "ε/2"])
    if last > fine:  # the last bin ends at 2^(last − fine − 1) ε
        axes.set_xticks([*axes.get_xticks(), last])
        axes.set_xticklabels(["0", "ε/4", "ε/2", f"{1 << last - fine - 1}ε"])
    axes.set_xlim(0, last)
    axes.set_xlabel("how far off the learner was (beyond ε/2 each bin is twice as long)")
    axes.set_ylabel("share of runs")
    missing = f"{found.tally.misses:,} of {found.runs:,} runs missed by more than ε/2"
    axes.set_title(missing, loc="left", fontsize=9, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
