"""Measure how many clients are needed to hide the target from clients that flip their bits.

Beside it two searches whose broadcasts show the quantile to every client: bisection with groups,
the "naive" noisy binary search of Aamand et al. (ICML 2025, arXiv 2502.02990), by the same theorem;
and a noisy binary search with one client a question, which keeps a posterior, as measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.measure import Figure
from numpy.typing import NDArray

from feint.errors import NoPlan
from feint.exact import bracket
from feint.planning import flip_chance
from feint.planning import private_bits as flipped
from feint.planning.plans import Plan
from feint.search import prepared

WANTED: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 2, "delta": 8}
LEVEL, RANK, CONFIDENCE, RUNS, CELLS = 4, "0.1", "0.95", 400, 50


def _clients(plan: Plan, local_epsilon: int) -> int:
    """Return the fewest clients with which a plan keeps the rank, to a hundredth."""

    def enough(count: int) -> bool:
        try:
            flipped(plan, count, rank=RANK, local_epsilon=local_epsilon, confidence=CONFIDENCE)
        except NoPlan:
            return False
        return True

    return bracket(enough, 200, 1 << 14, relative=100)[1]


def noisy_binary_search(clients: int, local_epsilon: int, runs: int, seed: int) -> float:
    """Return how often a noisy binary search with one flipped bit a client has the right rank.

    Each client is asked about the median of the posterior; a bit is taken to be right as often as
    one at the edge of the band is. In the band bits are hardly better than coins, so the posterior
    wanders there: the median of what the last half of the clients were asked is taken.
    """
    random, flip = np.random.default_rng(seed), float(flip_chance(local_epsilon))
    right = 0.5 + (1 - 2 * flip) * float(RANK)
    cells, edges = 100 / CELLS, np.arange(CELLS + 1) * 100 / CELLS
    belief: NDArray[np.float64] = np.zeros((runs, CELLS))  # logarithms
    values = (random.lognormal(3.5, 0.4, (runs, clients)) + random.uniform(0, 20, (runs, 1))).clip(
        0, 99.9
    )
    place, each = np.arange(CELLS), np.arange(runs)
    up, down = np.log(right), np.log(1 - right)
    heard = list[NDArray[np.int64]]()
    for own in values.T:
        mass = np.exp(belief - belief.max(axis=1, keepdims=True))
        share = np.hstack((np.zeros((runs, 1)), mass.cumsum(axis=1) / mass.sum(axis=1)[:, None]))
        cell = (share[:, 1:-1] < 0.5).sum(axis=1)  # the median lies in it; one of its ends is asked
        below, above_it = share[each, cell], share[each, cell + 1]
        upper = random.random(runs) * (above_it - below) < 0.5 - below
        asked = np.clip(cell + upper, 1, CELLS - 1)
        heard.append(asked)
        said = (own >= edges[asked]) ^ (random.random(runs) < flip)
        above = place >= asked[:, None]
        belief += np.where(above == said[:, None], up, down)
    found = edges[np.median(heard[clients // 2 :], axis=0).astype(int)]
    less = (values < found[:, None] - cells / 2).mean(axis=1)
    most = (values <= found[:, None] + cells / 2).mean(axis=1)
    return float(((less <= 0.5 + float(RANK)) & (most >= 0.5 - float(RANK))).mean())


def private_bits() -> list[Figure]:
    """Compare clients with hidden and with open questions, for a local epsilon of 1 and of 2."""
    figures = []
    ours, _ = prepared(level=LEVEL, **WANTED)
    theirs, _ = prepared(level=1, method="bisection", **WANTED)
    for local_epsilon in (1, 2):
        hidden, shown = (_clients(plan, local_epsilon) for plan in (ours, theirs))
        sizes = [round(100 * 1.2**step) for step in range(30)]
        best = next(
            size
            for size in sizes
            if noisy_binary_search(size, local_epsilon, RUNS, size) >= float(CONFIDENCE)
        )
        note = (
            f"rank {RANK}, confidence {CONFIDENCE}, level {LEVEL}: {hidden} clients with hidden"
            f" questions, {shown} with bisection that shows the quantile, one message each;"
            f" {ours.queries} and {theirs.queries} questions; a noisy binary search of one bit a"
            f" client took about {best} in simulation, to a fifth"
        )
        name = f"clients at local epsilon {local_epsilon}: hidden questions / bisection"
        # By the theorem a plan takes as many clients as its questions, for votes alike.
        most = 1.1 * ours.queries / theirs.queries
        figures.append(Figure(name, hidden / shown, most, note))
    return figures
