"""Audit one coordinate by sampling: simulate runs, and compute the posterior after each search.

The eavesdropper's posterior given a run is computed from the branches that fit what she heard, on a
lattice of any size. Under noise it is computed from all histories that fit (`posterior`). Her
success is a mean of conditional maxima, with an interval that is valid for any number of runs.
Masses are floats.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from feint.audit.case import Coordinate, Course
from feint.audit.hearing import ALL, NOTHING, Bool, Ear
from feint.audit.motion import Kernel
from feint.audit.places import Float, Int, Places
from feint.audit.posterior import Followed, Truths, joint, states_followed, truths_of
from feint.beliefs import best_window, expect
from feint.branches import fitting
from feint.errors import InvalidValue, TooLarge
from feint.exact import Number, whole
from feint.interfaces import UNASKED, AnyExecutor, Progress, Strategy
from feint.problem import UNIFORM, Line, Prior
from feint.simulate import bernstein, executor_of, failure_probability, play

MOST = 10**7
"""The most transcripts of an audit: more would take days."""

PLAYED = 1 << 22
"""The number of answers to simulate at once: a few tens of megabytes."""

_NOISY_BATCH = 16  # transcripts per task: few, since each may take a second
_BATCH = 64  # runs per task without noise: many, since equal transcripts share a posterior
_ROWS = 16  # an estimate of the states at a time, which decides whether to compile loops
_ATOMS = 1 << 17  # cells between which mass moves: more would take seconds per run
_LARGEST = 1 << 62  # the most places: more would not be machine integers


class Heard(NamedTuple):
    """One search of one run as the eavesdropper hears it.

    Attributes:
        points: [queries] the questions.
        hears: [queries] whether each was heard.
        answers: The known answers, by the number of the query.
        truths: Under noise, the answers, to help her with if there are too many histories.
    """

    points: Int
    hears: Bool
    answers: dict[int, bool]
    truths: Truths | None = None


@dataclass(frozen=True, kw_only=True)
class NoisyAudit:
    """The best eavesdropper's success, estimated from simulated transcripts.

    Attributes:
        success: The mean of her exact success after each transcript; unbiased for an eavesdropper
            with the same help.
        low: The interval's lower end.
        high: The interval's upper end.
        failure: The largest probability that the interval is wrong.
        runs: The number of transcripts.
        helped: The number of transcripts in which she received more information than she
            overheard, because following every state would have taken too long. Her success without
            help is no higher.
        least: The interval's lower end for an eavesdropper without help.
    """

    success: float
    low: float
    high: float
    failure: float
    runs: int
    helped: int
    least: float

    @classmethod
    def of(cls, successes: Float, helped: Bool, failure: float) -> NoisyAudit:
        """Return the mean of successes with its interval (Maurer and Pontil 2009)."""
        alone = np.where(helped, 0.0, successes)  # her success without help is unknown
        mean, half = float(successes.mean()), bernstein(successes, failure)
        least = float(alone.mean()) - bernstein(alone, failure)
        return cls(
            success=mean,
            low=max(0.0, mean - half),
            high=min(1.0, mean + half),
            failure=failure,
            runs=len(successes),
            helped=int(helped.sum()),
            least=max(0.0, least),
        )


def noisy_audit(
    strategy: Strategy,
    *,
    runs: Number,
    seed: int,
    delta: Fraction | None = None,
    failure: Number = 0.01,
    states: int | None = None,
    prior: Prior = UNIFORM,
    scale: Line | None = None,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> NoisyAudit:
    """Estimate how often the best eavesdropper wins against one search under noise.

    Args:
        strategy: A member of the staged family under noise, in one dimension.
        runs: The number of transcripts to simulate.
        seed: The seed of the simulation.
        delta: The full width within which she wins; None: that of the strategy's own problem.
        failure: The probability that the interval may be wrong.
        states: The number of states of a search that are followed before she is helped. 0: she
            knows every answer of the searches. None: 2^18 over the queries of the longest search,
            and 0 beyond 2^10 queries, so that a transcript takes about a second at most.
        prior: The distribution of X*.
        scale: The line on which the questions are rounded; None: they are not rounded.
        executor: Follows the transcripts; None: this process. The result does not depend on it.
        progress: A callback that receives the numbers of finished transcripts and of all
            transcripts.

    Returns:
        The mean and a rigorous interval (empirical Bernstein, Maurer and Pontil 2009).

    Raises:
        InvalidValue: The strategy is of another kind, the runs are too few or too many, or the
            failure is outside (0, 1).
    """
    if not isinstance(strategy, Followed):
        raise _not_staged(strategy)
    wrong = failure_probability(failure)
    line = Places.of(
        scale,
        cells=strategy.size,
        delta=strategy.problem.delta if delta is None else delta,
        prior=prior,
        width=Fraction(1),
        fits_windows=False,
    )
    (ear,) = Ear.of(ALL, NOTHING, strategy)
    (found,) = sample_successes(
        Coordinate(strategy, line, ear),
        Course(),
        runs=whole(runs, "runs", least=2, most=MOST),
        seed=seed,
        failure=wrong,
        states=states,
        executor=executor,
        progress=progress,
    )
    return found


def sample_successes(
    one: Coordinate,
    course: Course,
    *,
    runs: int,
    seed: int,
    failure: float,
    states: int | None = None,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> list[NoisyAudit]:
    """Estimate the best eavesdropper's success after each search; arguments as in `noisy_audit`.

    Each single interval is wrong with probability at most `failure`.

    Raises:
        TooLarge: Too many branches fit a transcript, or there are too many cells.
        InvalidValue: Moves are shorter than a cell or longer than the range, or under noise the
            strategy is not of the staged family.
    """
    strategy, noisy = one.strategy, isinstance(one.strategy, Followed)
    if strategy.problem.noisy and not noisy:
        raise _not_staged(strategy)
    most = states
    if most is None:
        most = states_followed(strategy) if isinstance(strategy, Followed) else 0
    follower, batch = Follower.of(one, course), _NOISY_BATCH if noisy else _BATCH
    found, helped, done = np.empty((runs, course.searches)), np.empty(runs, bool), 0
    tasks = _tasks(follower, course.searches, runs, np.random.default_rng(seed), most)
    rows = runs * len(strategy.rounds) * _ROWS
    for number, each in executor_of(executor).map(partial(follower.successes, rows), tasks):
        part = slice(number * batch, number * batch + len(each))
        found[part], helped[part] = zip(*each, strict=True)
        done += len(each)
        if progress is not None:
            progress("transcripts", done, runs)
    return [NoisyAudit.of(column, helped, failure) for column in found.T]


@dataclass(frozen=True, kw_only=True)
class Follower:
    """One coordinate with everything needed to follow its runs. It can be pickled.

    Attributes:
        strategy: The strategy of the searches.
        line: The places of the line.
        ear: What the eavesdropper hears and knows.
        kernel: The moves of the number between two searches, in atoms; None: it does not move.
        atom: The width of an atom, in places.
        same: Whether all searches have the same transcript, of which she hears more each time.
    """

    strategy: Strategy
    line: Places
    ear: Ear
    kernel: Kernel | None = None
    atom: int = 1
    same: bool = True

    @classmethod
    def of(cls, one: Coordinate, course: Course) -> Follower:
        """Return the follower of a coordinate.

        Raises:
            TooLarge: There are too many cells, or places, to sample.
            InvalidValue: Moves are shorter than a cell or longer than the range.
        """
        line = one.line
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
        return cls(
            strategy=one.strategy, line=line, ear=one.ear, kernel=kernel, atom=atom, same=same
        )

    def successes(
        self, rows: int, runs: Sequence[Sequence[Heard]]
    ) -> list[tuple[list[float], bool]]:
        """Return her success after each search of each run, and whether she was helped."""
        known: dict[Hashable, tuple[Int, Float]] = {}
        with expect(rows):  # a single transcript may have too few states to repay compiling
            return [self.success(each, known) for each in runs]

    def success(
        self, heard: Sequence[Heard], known: dict[Hashable, tuple[Int, Float]]
    ) -> tuple[list[float], bool]:
        """Return her success after each search of one run, and whether she was helped.

        Args:
            heard: What she hears of each search.
            known: A cache of likelihoods by `Heard`, to which new ones are added.
        """
        edges, density = prior = self.line.prior_density
        found, helped = list[float](), False
        for number, each in enumerate(heard):
            if number and self.kernel is not None:
                edges, density = self._moved(edges, density, self.kernel)
            told = _united(heard[: number + 1]) if self.same else each
            likelihood, was_helped = self._likelihood(told, known)
            edges, density = product(*(prior if self.same else (edges, density)), *likelihood)
            helped |= was_helped
            found.append(best_share(self.line, edges, density))
        return found, helped

    def _likelihood(
        self, heard: Heard, known: dict[Hashable, tuple[Int, Float]]
    ) -> tuple[tuple[Int, Float], bool]:
        """Return P(heard | X*), up to a factor, in pieces of the line; it is cached in `known`."""
        if isinstance(self.strategy, Followed):
            found = joint(self.strategy, heard.points, heard.truths)
            return (self.line.place(found.edges), found.mass), found.helped
        points, answers = heard.points[heard.hears].tobytes(), tuple(heard.answers.items())
        name = (points, heard.hears.tobytes(), answers)
        if name not in known:
            known[name] = self._fitting(heard)
        return known[name], False

    def _fitting(self, heard: Heard) -> tuple[Int, Float]:
        """Return the likelihood from the branches that fit."""
        part = fitting(self.strategy, heard.points, hears=heard.hears, answers=heard.answers)
        alike = self.ear.alike(part.transcripts, heard.points)[part.group]
        weight = part.weight.astype(object) * alike
        low, high = self.line.place(part.low[:, 0]), self.line.place(part.high[:, 0])
        edges = np.unique(np.concatenate((low, high, self.line.bins[[0, -1]])))
        change = np.zeros(len(edges), object)
        np.add.at(change, np.searchsorted(edges, low), weight)
        np.add.at(change, np.searchsorted(edges, high), -weight)
        cumulative = np.cumsum(change)[:-1]
        return edges, (cumulative / max(cumulative)).astype(float)

    def _moved(self, edges: Int, density: Float, kernel: Kernel) -> tuple[Int, Float]:
        cuts = np.arange(self.line.units // self.atom + 1) * self.atom
        dense = density[np.searchsorted(edges, cuts[:-1], side="right") - 1]
        spread, _ = kernel.moved(dense[None])
        return cuts, spread[0] / spread[0].max()


def best_share(line: Places, edges: Int, density: Float) -> float:
    """Return the share of the mass in the best window; 0 if there is no mass."""
    _, caught = best_window(edges[None], density[None], line.delta * line.units)
    total = float(np.diff(edges) @ density)
    return min(1.0, float(caught[0]) / total) if total > 0 else 0.0


def product(edges: Int, density: Float, others: Int, factor: Float) -> tuple[Int, Float]:
    """Multiply two piecewise constant functions; the largest value becomes 1."""
    both = np.union1d(edges, others)
    place = both[:-1]
    value = density[np.searchsorted(edges, place, side="right") - 1]
    value = value * factor[np.searchsorted(others, place, side="right") - 1]
    top = value.max()
    return both, value / top if top > 0 else value


def _tasks(
    follower: Follower,
    searches: int,
    runs: int,
    random: np.random.Generator,
    states: int,
) -> Iterator[list[list[Heard]]]:
    """Yield simulated runs, one batch per task."""
    task = _NOISY_BATCH if isinstance(follower.strategy, Followed) else _BATCH
    questions = max(1, len(follower.ear.hears))
    batch = task * max(1, PLAYED // (task * questions * searches))
    for first in range(0, runs, batch):
        size = min(batch, runs - first)
        heard = zip(*_played(follower, searches, size, random, states), strict=True)
        while some := [list(each) for each in islice(heard, task)]:
            yield some


def _played(
    follower: Follower,
    searches: int,
    size: int,
    random: np.random.Generator,
    states: int,
) -> list[list[Heard]]:
    """Return the `Heard` of each search of each run of a batch."""
    line, strategy, ear = follower.line, follower.strategy, follower.ear
    place, found = line.draw(size, random), list[list[Heard]]()
    points, told = np.empty((0, 0), np.int64), np.empty((0, 0), bool)
    happened: list[Truths | None] = [None] * size
    for number in range(searches):
        if number and follower.kernel is not None:
            atoms = line.units // follower.atom
            moved = follower.kernel.drawn(place // follower.atom, atoms, random)
            place = moved * follower.atom + place % follower.atom
        if number == 0 or not follower.same:
            told = np.empty((size, len(ear.hears)), bool)
            with expect(size * len(strategy.rounds)):
                played = play(strategy, line.cell(place)[:, None], random, told=told)
            points = played.transcript.points
            if isinstance(strategy, Followed):
                happened = list(truths_of(strategy, played.state, told, states, points))
        heard, known = _overheard(ear, points, random)
        found.append(
            [
                Heard(
                    points[i],
                    heard[i],
                    {j: bool(told[i, j]) for j in np.flatnonzero(known[i]).tolist()},
                    happened[i],
                )
                for i in range(size)
            ]
        )
    return found


def _overheard(ear: Ear, points: Int, random: np.random.Generator) -> tuple[Bool, Bool]:
    """Return which questions [runs, questions] are heard, and whose answers are known."""
    heard = ear.heard_in(points)
    if ear.chance < 1:
        heard = heard & ((random.random(points.shape) < float(ear.chance)) | (points == UNASKED))
    return heard, ear.known_in(points)


def _united(heard: Sequence[Heard]) -> Heard:
    """Return the union of the parts heard of one transcript that is asked several times."""
    hears: Any = np.any([each.hears for each in heard], axis=0)
    return heard[0]._replace(hears=hears)


def _not_staged(strategy: Strategy) -> InvalidValue:
    rule = "the noisy audit is for the staged family under noise, one coordinate at a time"
    return InvalidValue("strategy", type(strategy).__name__, rule, "audit each factor by itself")


def _too_fine(count: int, most: int) -> TooLarge:
    rule = f"at most {most} of them are sampled"
    return TooLarge("cells", count, rule, "audit a coarser problem")
