"""The calibrated certificate: how often a noisy search misses, by simulation with exact limits.

Both rules are simulated on a given number of cells, targets drawn uniformly; after every answer the
misses are counted. For each number of answers the true chance of a miss is at most the one-sided
Clopper–Pearson limit, except with a stated probability, shared among all limits that could ever be
looked at: the j-th number of cells tried may fail with 1/(j(j+1)) of it, each rule and number of
answers with an equal part of that. Runs are done in chunks, each with a seed of its own, by any
executor: given a seed all is the same again. Counts are kept on disk.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import expect
from feint.errors import TooLarge
from feint.exact import plain
from feint.interfaces import AnyExecutor, Progress, Rule
from feint.planning.noisy.certificates.theorem import Theorem
from feint.simulate import clopper_pearson, executor_of
from feint.strategies import RULES, Pursuit

FAILURE = 1e-6
_RUNS = 100_000
_CHUNK = 1 << 12  # runs; fewer when their beliefs would take more than this many bytes:
_BYTES = 1 << 24
_MOST = 100_000  # answers a run: more would take days
_FAR = 0.01  # where the theorem's bound has fallen to this, the truth is far below
_VERSION = 4  # of what is simulated; kept counts of another version are not read


@dataclass
class Calibrated:
    """Limits from simulation.

    Attributes:
        p: Probability that an answer is right.
        seed: Where the simulation begins.
        progress: Told after each chunk.
        executor: Who simulates; None: this process.
        failure: The probability that any limit it ever gives is wrong.
        runs: How many runs a simulation has.
    """

    p: Fraction
    seed: int = 0
    progress: Progress | None = None
    executor: AnyExecutor | None = None
    failure: float = FAILURE
    runs: int = _RUNS
    _limits: dict[int, dict[Rule, NDArray[np.float64]]] = field(default_factory=dict)

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """The fewest answers whose limit is at most `miss`, by the rule that needs fewer.

        Raises:
            TooLarge: p is so near 1/2 that runs are too long to simulate.
        """
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
            if most > _MOST:
                rule = f"to calibrate takes runs of {most} answers, more than {_MOST}"
                remedy = 'use certificate "theorem", or find a higher p'
                raise TooLarge("p", plain(self.p), rule, remedy)
            share = self.failure / (number * (number + 1)) / (len(RULES) * (most + 1))
            self._limits[cells] = {
                rule: upper_limits(self._missed(cells, rule, most), self.runs, share)
                for rule in RULES
            }
        return self._limits[cells]

    def _missed(self, cells: int, rule: Rule, most: int) -> NDArray[np.int64]:
        """How many of the runs missed after each number of answers; read from disk if known."""
        words = f"{_VERSION} {self.p} {cells} {rule} {most} {self.runs} {self.seed}"
        folder = cache_folder()
        name = f"{hashlib.blake2b(words.encode(), digest_size=16).hexdigest()}.json"
        if folder is not None and (kept := _kept(folder / name, words, most, self.runs)):
            return np.array(kept, np.int64)
        missed = simulate(
            Pursuit(self.p, rule),
            cells,
            most,
            self.runs,
            self.seed,
            executor=self.executor,
            progress=self._told(f"{rule} search of {cells} cells"),
        )
        if folder is not None:
            _keep(folder / name, {"of": words, "missed": missed.tolist()})
        return missed

    def _told(self, what: str) -> Callable[[int, int], None] | None:
        return None if self.progress is None else partial(self.progress, what)


def simulate(
    search: Pursuit,
    cells: int,
    most: int,
    runs: int,
    seed: int,
    *,
    executor: AnyExecutor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int64]:
    """How many runs miss after each number of answers, from none to `most`.

    Args:
        search: The search.
        cells: How many cells; the target is uniform among them.
        most: How many answers.
        runs: How many runs.
        seed: Where coins, targets and noise begin; the counts depend on these five alone.
        executor: Who does the work; None: this process.
        progress: Told the runs done and the runs wanted, after each chunk.

    Returns:
        [most + 1] counts.
    """
    size = max(1, min(_CHUNK, _BYTES // (16 * min(cells, most + 1))))
    tasks = ((index, min(size, runs - at)) for index, at in enumerate(range(0, runs, size)))
    missed, done = np.zeros(most + 1, np.int64), 0
    work = partial(_chunk, search, cells, most, seed)
    for _, (count, counts) in executor_of(executor).map(work, tasks):
        missed += counts
        done += count
        if progress is not None:
            progress(done, runs)
    return missed


def _chunk(
    search: Pursuit, cells: int, most: int, seed: int, task: tuple[int, int]
) -> tuple[int, NDArray[np.int64]]:
    """The runs of a chunk, and how many of them miss; its number is part of its seed."""
    index, count = task
    random = np.random.default_rng(np.random.SeedSequence((seed, cells, most), spawn_key=(index,)))
    missed = np.zeros(most + 1, np.int64)
    target = random.integers(cells, size=count)
    state = search.start(np.full(count, cells))
    missed[0] = (search.found(state) != target).sum()
    with expect(count * most):  # an answer alone may have too few runs to repay numba
        for number in range(1, most + 1):
            if search.tossed:
                state = search.toss(state, (random.random(count) >= state.left).astype(np.int64))
            right = random.random(count) < float(search.p)
            state = search.tell(state, (target >= search.ask(state)) == right)
            missed[number] = (search.found(state) != target).sum()
    return count, missed


def upper_limits(missed: NDArray[np.int64], runs: int, failure: float) -> NDArray[np.float64]:
    """The one-sided Clopper–Pearson limits on a chance, each wrong with at most this probability.

    Args:
        missed: Counts.
        runs: Out of how many.
        failure: How likely each limit may be too low.

    Returns:
        The limits.
    """
    return clopper_pearson(missed, runs, 2 * failure)[1]  # which is wrong on each side with half


def cache_folder() -> Path | None:
    """Where counts are kept, by the system's custom.

    Returns:
        feint's folder among the user's caches. None without platformdirs, which the extras `cli`
        and `fast` bring, and for a user without a home: then nothing is kept, and what was
        simulated is simulated again.
    """
    try:
        from platformdirs import user_cache_path
    except ImportError:
        return None
    try:
        folder = user_cache_path("feint", appauthor=False)
    except RuntimeError:  # no home; earlier versions leave the ~ where it is
        return None
    return folder if folder.is_absolute() else None


def _kept(path: Path, words: str, most: int, runs: int) -> list[int] | None:
    """The counts in a file; None if it is not there, or not what it should be."""
    try:
        kept: Any = json.loads(path.read_text("utf-8"))
        counts: Any = kept["missed"] if kept["of"] == words else None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(counts, list) or len(counts) != most + 1:
        return None
    return counts if all(type(each) is int and 0 <= each <= runs for each in counts) else None


def _keep(path: Path, document: object) -> None:
    """Write a file in one step; a folder that cannot be written costs time, not the plan."""
    part = path.with_suffix(f".{token_hex(8)}")  # two may be writing the same counts
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(document), "utf-8")
        os.replace(part, path)
    except OSError:
        with suppress(OSError):
            part.unlink()
