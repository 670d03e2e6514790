"""Compare three ways to find the median: error, rounds, and what a listening client learns.

cd examples/federated_median; python -m federated_median.compare federated-median.png
"""

from __future__ import annotations

import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from feint.audit import clopper_pearson
from feint.research.plot import INK, look

from .data import HIGH, LOW, numbers
from .eavesdropper import Ear, wins
from .estimators import Estimator, Run, geometric, searched

CLIENTS, DELTA, LEVEL, RUNS = 51, 20, 8, 200
METHODS: dict[str, Estimator] = {
    "bisection": searched("bisection", delta=DELTA, level=LEVEL),
    "geometric update": geometric,
    "feint": searched("tight", delta=DELTA, level=LEVEL),
}
DATA = {"drawn": "log-normal numbers", "patients": "patients of load_diabetes"}


def main(path: str, runs: int) -> None:
    """Run each method on each data set; print a table, and draw what a client hears."""
    figure, axes = plt.subplots(2, 3, figsize=(11, 6), sharex=True, layout="constrained")
    for column, (name, method) in enumerate(METHODS.items()):
        ear = Ear.of(name, delta=DELTA, level=LEVEL)
        won = wins(ear, method, runs=runs, seed=1)
        low, high = (float(each) for each in clopper_pearson(won, runs, 0.05))
        for row, (data, words) in enumerate(DATA.items()):
            values = numbers(data, CLIENTS)
            true, run = statistics.median(values), method(values)
            off = abs(run.estimate - true)
            print(
                f"{name:17} {data:9} off by {off:6.2f}, {len(run.heard):2} rounds,"
                f" {run.messages:4} messages, a client wins {won / runs:.3f}"
                f" ({low:.3f} to {high:.3f})"
            )
            draw(axes[row][column], run, true, ear.guess(run))
            cost = f"off by {off:.2f}\n{len(run.heard)} rounds\n{run.messages} messages"
            axes[row][column].text(390, 1, cost, ha="right", va="top", fontsize=9)
            if not row:
                title = f"{name}: a client wins {100 * won / runs:.0f} % of runs"
                axes[row][column].set_title(title, loc="left", fontsize=10)
            if not column:
                axes[row][column].set_ylabel(f"{words}\nround")
    for axis in axes[1]:
        axis.set_xlabel("what clients are asked about")
    figure.suptitle(
        "Dots: all a client hears. Dashed: the median. Shaded: where she takes it to be,"
        f" {DELTA} wide. Planned for L = {LEVEL}.",
        fontsize=10,
    )
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"picture {path}")


def draw(axis: Axes, run: Run, true: float, guess: float) -> None:
    """Draw the broadcasts that a client hears, the median, and the window that she names."""
    points = [(value, k + 1) for k, each in enumerate(run.heard) for value in each]
    axis.plot(*zip(*points, strict=True), "o", markersize=3, color=INK)
    axis.axvline(true, label="the median", **look("the number").style())
    colour = look("best eavesdropper").colour
    axis.axvspan(guess - DELTA / 2, guess + DELTA / 2, color=colour, alpha=0.25)
    axis.set_xlim(LOW, HIGH)
    axis.invert_yaxis()
    axis.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else "federated-median.png", int(given[1]) if given[1:] else RUNS)
