"""Several searches for one number, or one half heard, on sampled runs: one coordinate.

Runs are simulated, and for each the posterior after what she heard is computed: by the branches
that fit it, on a lattice of any size, or under noise by all histories that fit. Her success is a
mean of conditional maxima. Masses are floats; where the number moves, cell by cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.audit.noisy import Truths, joint, truths_of
from feint.audit.sequence.course import Course
from feint.audit.sequence.hearing import Bool
from feint.audit.sequence.line import Int, Line
from feint.audit.sequence.motion import Kernel
from feint.audit.sequence.outcomes import Ear
from feint.beliefs import best_window, expect
from feint.branches import fitting
from feint.errors import TooLarge
from feint.interfaces import AnyExecutor, Progress, Strategy
from feint.simulate import executor_of, play
from feint.strategies import StagedNoisy

Float = NDArray[np.float64]
_BATCH = 64  # runs a task
_PLAYED = 1 << 22  # questions that are simulated at once
_ATOMS = 1 << 17  # cells on which mass is moved
_LARGEST = 1 << 62


class Heard(NamedTuple):
    """What is heard of one search of one run.

    Attributes:
        points: [queries] what was asked.
        hears: [queries] which of it was heard.
        answers: The answers that are known, by the number of the query.
        truths: Under noise, what happened, to help her by where there are too many histories.
    """

    points: Int
    hears: Bool
    answers: dict[int, bool]
    truths: Truths | None = None

    @property
    def told(self) -> bytes:
        """The answers that are known, in order."""
        return bytes(self.answers.values())


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One coordinate, and all that is needed to follow its runs; it may cross processes.

    Attributes:
        strategy: What is searched with.
        line: Where.
        kernel: How the number moves between two searches, in atoms; None: it stays.
        atom: The width of an atom, in places.
        same: Whether all searches are one and the same transcript, of which more is heard.
    """

    strategy: Strategy
    line: Line
    kernel: Kernel | None
    atom: int
    same: bool

    def successes(self, runs: Sequence[Sequence[Heard]]) -> list[tuple[list[float], bool]]:
        """For each run, her success after each search, and whether she was helped."""
        known: dict[bytes, tuple[Int, Float]] = {}
        with expect(len(runs) * len(self.strategy.rounds) * _BATCH):
            return [self._run(each, known) for each in runs]

    def _run(
        self, heard: Sequence[Heard], known: dict[bytes, tuple[Int, Float]]
    ) -> tuple[list[float], bool]:
        edges, density = self.line.bins, self.line.density(self.line.bins[:-1]).astype(float)
        prior, found, helped = (edges, density), list[float](), False
        for number, each in enumerate(heard):
            if number and self.kernel is not None:
                edges, density = self._moved(edges, density, self.kernel)
            told = _united(heard[: number + 1]) if self.same else each
            law, was_helped = self._likelihood(told, known)
            edges, density = _times(*(prior if self.same else (edges, density)), *law)
            helped |= was_helped
            found.append(self._caught(edges, density))
        return found, helped

    def _likelihood(
        self, heard: Heard, known: dict[bytes, tuple[Int, Float]]
    ) -> tuple[tuple[Int, Float], bool]:
        """P(what is heard | X*), up to a factor, in pieces of the line; `known` keeps it."""
        if isinstance(self.strategy, StagedNoisy):
            found = joint(self.strategy, heard.points, heard.truths)
            return (self.line.place(found.edges), found.mass), found.helped
        name = heard.points[heard.hears].tobytes() + heard.hears.tobytes() + heard.told
        if name not in known:
            known[name] = self._fitting(heard)
        return known[name], False

    def _fitting(self, heard: Heard) -> tuple[Int, Float]:
        """The likelihood by the branches that fit."""
        part = fitting(self.strategy, heard.points, hears=heard.hears, answers=heard.answers)
        low, high = self.line.place(part.low[:, 0]), self.line.place(part.high[:, 0])
        edges = np.unique(np.concatenate((low, high, self.line.bins[[0, -1]])))
        change = np.zeros(len(edges), object)
        np.add.at(change, np.searchsorted(edges, low), part.weight.astype(object))
        np.add.at(change, np.searchsorted(edges, high), -part.weight.astype(object))
        cumulative = np.cumsum(change)[:-1]
        return edges, (cumulative / max(cumulative)).astype(float)

    def _moved(self, edges: Int, density: Float, kernel: Kernel) -> tuple[Int, Float]:
        cuts = np.arange(self.line.units // self.atom + 1) * self.atom
        dense = density[np.searchsorted(edges, cuts[:-1], side="right") - 1]
        spread, _ = kernel.moved(dense[None])
        return cuts, spread[0] / spread[0].max()

    def _caught(self, edges: Int, density: Float) -> float:
        _, caught = best_window(edges[None], density[None], self.line.length)
        return min(1.0, float(caught[0]) / float(np.diff(edges) @ density))


def trial(strategy: Strategy, line: Line, course: Course) -> Trial:
    """What is needed to follow runs of one coordinate.

    Raises:
        TooLarge: There are too many cells, or places, to sample.
        InvalidValue: Moves are shorter than a cell or longer than the range.
    """
    if line.units >= _LARGEST:
        raise _too_fine(line.units, _LARGEST)
    atom, kernel = line.units, None
    if course.motion is not None:
        atom = math.gcd(line.scale, line.stride, *map(int, line.bins))
        if line.units // atom > _ATOMS:
            raise _too_fine(line.units // atom, _ATOMS)
        fresh = line.density(np.arange(line.units // atom) * atom)
        kernel = course.motion.kernel(line.grain, line.stride // atom, fresh)
        kernel.inside(line.units // atom)
    same = course.motion is None and not course.fresh_keys
    return Trial(strategy=strategy, line=line, kernel=kernel, atom=atom, same=same)


def sample_successes(
    one: Trial,
    ear: Ear,
    searches: int,
    *,
    runs: int,
    random: np.random.Generator,
    states: int,
    executor: AnyExecutor | None,
    progress: Progress | None,
) -> tuple[Float, Bool]:
    """Her success after each search, on sampled runs.

    Args:
        one: The coordinate.
        ear: Who listens.
        searches: The number of searches in a run.
        runs: The number of runs.
        random: Where everything comes from.
        states: Under noise, the number of states that are followed before she is helped.
        executor: Who follows the runs; None: this process.
        progress: Told the runs done and the runs wanted.

    Returns:
        [runs, searches] her success, and [runs] whether she was told more than she heard.

    Raises:
        TooLarge: Too many branches fit what is heard.
    """
    found, helped, done = np.empty((runs, searches)), np.empty(runs, bool), 0
    tasks = _tasks(one, ear, searches, runs, random, states)
    for number, each in executor_of(executor).map(partial(Trial.successes, one), tasks):
        rows = slice(number * _BATCH, number * _BATCH + len(each))
        found[rows], helped[rows] = zip(*each, strict=True)
        done += len(each)
        if progress is not None:
            progress("runs", done, runs)
    return found, helped


def _tasks(
    one: Trial, ear: Ear, searches: int, runs: int, random: np.random.Generator, states: int
) -> Iterator[list[list[Heard]]]:
    """Simulated runs, `_BATCH` of them a task."""
    queries = max(1, len(ear.hears))
    batch = _BATCH * max(1, _PLAYED // (_BATCH * queries * searches))
    for first in range(0, runs, batch):
        size = min(batch, runs - first)
        heard = zip(*_played(one, ear, searches, size, random, states), strict=True)
        while task := [list(each) for each in islice(heard, _BATCH)]:
            yield task


def _played(
    one: Trial, ear: Ear, searches: int, size: int, random: np.random.Generator, states: int
) -> list[list[Heard]]:
    """[searches, runs] what is heard of one batch."""
    line, strategy = one.line, one.strategy
    place, found = line.draw(size, random), list[list[Heard]]()
    points, told = np.empty((0, 0), np.int64), np.empty((0, 0), bool)
    happened: list[Truths | None] = [None] * size
    for number in range(searches):
        if number and one.kernel is not None:
            atoms = one.kernel.drawn(place // one.atom, line.units // one.atom, random)
            place = atoms * one.atom + place % one.atom
        if number == 0 or not one.same:
            told = np.empty((size, len(ear.hears)), bool)
            with expect(size * len(strategy.rounds)):
                played = play(strategy, line.cell(place)[:, None], random, told=told)
            points = played.transcript.points
            if isinstance(strategy, StagedNoisy):
                happened = list(truths_of(strategy, played.state, told, states))
        heard = ear.hears & (random.random(told.shape) < float(ear.chance))
        known = np.flatnonzero(ear.knows).tolist()
        found.append(
            [
                Heard(points[i], heard[i], {j: bool(told[i, j]) for j in known}, happened[i])
                for i in range(size)
            ]
        )
    return found


def _united(heard: Sequence[Heard]) -> Heard:
    """All that is heard of one transcript that is asked several times."""
    hears: Any = np.any([each.hears for each in heard], axis=0)
    return heard[0]._replace(hears=hears)


def _times(edges: Int, density: Float, others: Int, factor: Float) -> tuple[Int, Float]:
    """The product of two functions that are constant in pieces, its largest value 1."""
    both = np.union1d(edges, others)
    place = both[:-1]
    value = density[np.searchsorted(edges, place, side="right") - 1]
    value = value * factor[np.searchsorted(others, place, side="right") - 1]
    return both, value / value.max()


def _too_fine(count: int, most: int) -> TooLarge:
    rule = f"at most {most} of them are sampled"
    return TooLarge("cells", count, rule, "audit a coarser problem")
