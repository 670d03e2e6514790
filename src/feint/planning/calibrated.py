"""The calibrated certificate: how often a noisy search misses, by simulation with exact limits.

Both rules are simulated on so many cells with targets drawn uniformly; after every answer the
misses are counted. For each number of answers the true chance of a miss is at most the one-sided
Clopper–Pearson limit, except with a stated probability, shared among all limits that could ever be
looked at: the j-th number of cells tried may fail with 1/(j(j+1)) of it, each rule and number of
answers with an equal part of that. Given a seed all is the same again; counts are kept on disk.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from feint.planning.misses import Theorem
from feint.strategies.pursuit import RULES, Pursuit, Rule

FAILURE = 1e-6
_RUNS = 100_000
_CHUNK = 10_000
_FAR = 0.01  # where the theorem's bound has fallen to this, the truth is far below
_VERSION = 2  # of what is simulated; kept counts of another version are not read


@dataclass
class Calibrated:
    """Limits from simulation.

    Attributes:
        p: Probability that an answer is right.
        seed: Where the simulation begins.
        progress: Called with what is being simulated.
        failure: The probability that any limit it ever gives is wrong.
        runs: How many runs a simulation has.
    """

    p: Fraction
    seed: int = 0
    progress: Callable[[str], None] | None = None
    failure: float = FAILURE
    runs: int = _RUNS
    _limits: dict[int, dict[Rule, NDArray[np.float64]]] = field(default_factory=dict)

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """The fewest answers whose limit is at most `miss`, by the rule that needs fewer."""
        if cells <= 1:
            return 0, 0.0, "tilted"
        best = Theorem(self.p).answers(cells, miss)
        if best[2] == "posterior":  # so few cells that it is exact
            return best
        for rule, limits in self._of(cells).items():
            enough = np.flatnonzero(limits <= miss)
            if len(enough) and enough[0] < best[0]:
                best = int(enough[0]), float(limits[enough[0]]), rule
        return best

    def _of(self, cells: int) -> dict[Rule, NDArray[np.float64]]:
        if cells not in self._limits:
            number = len(self._limits) + 1
            most = Theorem(self.p).bound_answers(cells, _FAR)
            share = self.failure / (number * (number + 1)) / (len(RULES) * (most + 1))
            self._limits[cells] = {
                rule: upper_limits(self._missed(cells, rule, most), self.runs, share)
                for rule in RULES
            }
        return self._limits[cells]

    def _missed(self, cells: int, rule: Rule, most: int) -> NDArray[np.int64]:
        """How many of the runs missed after each number of answers; read from disk if known."""
        words = f"{_VERSION} {self.p} {cells} {rule} {most} {self.runs} {self.seed}"
        path = (
            cache_folder() / f"{hashlib.blake2b(words.encode(), digest_size=16).hexdigest()}.json"
        )
        try:
            kept = json.loads(path.read_text())
            if kept["of"] == words and len(kept["missed"]) == most + 1:
                return np.array(kept["missed"], np.int64)
        except (OSError, ValueError, KeyError, TypeError):
            pass  # not there, or not ours: simulate
        if self.progress is not None:
            self.progress(f"{rule} search of {cells} cells")
        missed = simulate(Pursuit(self.p, rule), cells, most, self.runs, self.seed)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"of": words, "missed": missed.tolist()}))
        except OSError:
            pass  # a folder that cannot be written costs time, not the plan
        return missed


def simulate(search: Pursuit, cells: int, most: int, runs: int, seed: int) -> NDArray[np.int64]:
    """How many runs miss after each number of answers, from none to `most`.

    Args:
        search: The search.
        cells: How many cells; the target is uniform among them.
        most: How many answers.
        runs: How many runs.
        seed: Where coins, targets and noise begin.

    Returns:
        [most + 1] counts.
    """
    random = np.random.default_rng((seed, cells, most))
    missed = np.zeros(most + 1, np.int64)
    for first in range(0, runs, _CHUNK):
        count = min(_CHUNK, runs - first)
        target = random.integers(cells, size=count)
        state = search.start(np.full(count, cells))
        missed[0] += (search.found(state) != target).sum()
        for number in range(1, most + 1):
            if search.tossed:
                state = search.toss(state, (random.random(count) >= state.left).astype(np.int64))
            right = random.random(count) < float(search.p)
            state = search.tell(state, (target >= search.ask(state)) == right)
            missed[number] += (search.found(state) != target).sum()
    return missed


def upper_limits(missed: NDArray[np.int64], runs: int, failure: float) -> NDArray[np.float64]:
    """The one-sided Clopper–Pearson limits on a chance, each wrong with at most this probability.

    Args:
        missed: Counts.
        runs: Out of how many.
        failure: How likely each limit may be too low.

    Returns:
        The limits.
    """
    from scipy.special import betainccinv

    full = missed >= runs
    counts = np.where(full, 0, missed)
    limits = betainccinv(counts + 1.0, (runs - counts).astype(float), failure)
    return np.where(full, 1.0, limits)


def cache_folder() -> Path:
    """Where counts are kept: the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "feint"
