"""The calibrated certificate: limit the misses of a noisy search by simulation.

Both rules are simulated on a given number of cells with uniform targets, and the misses are counted
after every answer. For each number of answers the true probability of a miss is at most the
one-sided Clopper–Pearson limit, except with a stated probability. That probability is divided among
all limits that could ever be used: the j-th number of cells tried gets 1/(j(j+1)) of it, each rule
and number of answers an equal part of that. Chunks of runs have separate seeds, so every executor
gives the same counts. Counts are cached on disk.
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
_MOST = 100_000  # answers per run: more would take days
_FAR = 0.01  # where the theorem's bound has fallen to this, the truth is far below
_VERSION = 4  # of what is simulated; kept counts of another version are not read


@dataclass
class Calibrated:
    """Limits on misses from simulation.

    Attributes:
        p: The probability that an answer is right.
        seed: The seed of the simulation.
        progress: A callback that is called after each chunk.
        executor: The executor; None: this process.
        failure: The probability that any of its limits is wrong.
        runs: The number of runs of a simulation.
    """

    p: Fraction
    seed: int = 0
    progress: Progress | None = None
    executor: AnyExecutor | None = None
    failure: float = FAILURE
    runs: int = _RUNS
    _limits: dict[int, dict[Rule, NDArray[np.float64]]] = field(default_factory=dict)

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """Return the fewest answers whose limit is at most `miss`, with the better rule.

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
        """Return the misses after each number of answers, from the cache on disk if possible."""
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
    """Count the runs that miss after each number of answers, from 0 to `most`.

    Args:
        search: The search.
        cells: The number of cells; the target is uniform among them.
        most: The number of answers.
        runs: The number of runs.
        seed: The seed of coins, targets and noise. The counts depend only on these five.
        executor: The executor; None: this process.
        progress: A callback that receives the runs done and wanted after each chunk.

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
    """Return the runs of a chunk and their misses; its number is part of its seed."""
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
    """Return one-sided Clopper–Pearson limits, each wrong with at most this probability.

    Args:
        missed: The counts.
        runs: The number of runs.
        failure: The probability that a limit is too low.

    Returns:
        The limits.
    """
    return clopper_pearson(missed, runs, 2 * failure)[1]  # which is wrong on each side with half


def cache_folder() -> Path | None:
    """Return the folder of the cached counts, by the system's convention.

    Returns:
        feint's folder among the user's caches. None without platformdirs, or for a user without a
        home; then nothing is cached, and simulations are repeated.
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
    """Return the counts in a file; None if it is missing or invalid."""
    try:
        kept: Any = json.loads(path.read_text("utf-8"))
        counts: Any = kept["missed"] if kept["of"] == words else None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(counts, list) or len(counts) != most + 1:
        return None
    return counts if all(type(each) is int and 0 <= each <= runs for each in counts) else None


def _keep(path: Path, document: object) -> None:
    """Write a file atomically; if the folder cannot be written, only time is lost."""
    part = path.with_suffix(f".{token_hex(8)}")  # two may be writing the same counts
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(document), "utf-8")
        os.replace(part, path)
    except OSError:
        with suppress(OSError):
            part.unlink()
