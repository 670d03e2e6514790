"""Measure how often a client who keeps every broadcast comes near the median.

cd examples/federated_median; python -m federated_median.broadcasts federated.png
"""

from __future__ import annotations

import sys
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from feint.audit import clopper_pearson
from feint.research.plot import PALE, look

from .eavesdropper import Ear, wins
from .estimators import Estimator, geometric, searched

DELTA, LEVELS, RUNS, FAILURE = 20, (2, 4, 8, 16), 1000, 0.01
LABELS = {
    "bisection": "plain bisection",
    "geometric update": "geometric update, 40 rounds",
    "feint": "feint",
}
LOOKS: dict[str, dict[str, Any]] = {
    "bisection": {"color": look("bisection").colour, "marker": "s"},
    "geometric update": {"color": look("paper").colour, "marker": "D"},
    "feint": {"color": look("tight").colour, "marker": "^"},
}


def main(path: str, runs: int) -> None:
    """Record the broadcasts of runs, give them to the best eavesdropper, print and draw."""
    figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
    for name in LABELS:
        shares, lows, highs = [], [], []
        for level in LEVELS if name == "feint" else LEVELS[:1]:
            won = wins(
                Ear.of(name, delta=DELTA, level=level), method(name, level), runs=runs, seed=level
            )
            low, high = (float(each) for each in clopper_pearson(won, runs, FAILURE))
            print(f"{name:17} level {level:2}: {won} of {runs}, {low:.3f} to {high:.3f}")
            shares.append(won / runs)
            lows.append(won / runs - low)
            highs.append(high - won / runs)
        times = 1 if name == "feint" else len(LEVELS)  # the others know no level
        axis.errorbar(
            LEVELS,
            shares * times,
            yerr=(lows * times, highs * times),
            label=LABELS[name],
            capsize=3,
            linestyle=":",
            **LOOKS[name],
        )
    promised = [1 / level for level in LEVELS]
    axis.plot(LEVELS, promised, label="promised: 1/L", **look("promise").style())
    axis.set_xscale("log", base=2)
    axis.set_xticks(LEVELS, [str(level) for level in LEVELS])
    axis.set_ylim(0, 1.05)
    axis.set_xlabel("level L that the search is planned for")
    axis.set_ylabel(f"share of {runs} runs that a client wins")
    axis.grid(color=PALE)
    axis.legend(loc="center right")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"picture {path}")


def method(name: str, level: int) -> Estimator:
    """Return the estimator with a name."""
    if name == "geometric update":
        return geometric
    return searched("tight" if name == "feint" else name, delta=DELTA, level=level)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else "federated.png", int(given[1]) if given[1:] else RUNS)
