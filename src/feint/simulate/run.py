"""Simulate a strategy: run chunks of runs on an executor, and add up their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np

from feint.beliefs import expect
from feint.errors import InvalidValue, TooLarge, WrongType
from feint.exact import Number, rational, whole
from feint.exact.stability import renamed_argument
from feint.interfaces import (
    Adversary,
    AnyExecutor,
    Executor,
    FittableAdversary,
    Law,
    Planned,
    Progress,
    Strategy,
    asks_all,
    columns,
    no_prior,
    progress_of,
    strategy_of,
)
from feint.problem import Line, Problem, problem_of
from feint.problem.regime import read_p, read_width
from feint.simulate.adversaries import Listener, listeners
from feint.simulate.counts import Counts
from feint.simulate.driver import play
from feint.simulate.executors import AHEAD, executor_of
from feint.simulate.intervals import failure_probability
from feint.simulate.place import Float, Int, Place, drawn, guess
from feint.simulate.seeds import stream
from feint.simulate.simulation import Simulation
from feint.simulate.tally import Tally, edges

_BYTES = 1 << 24  # bytes of transcript per chunk
_SPARSE = 1 << 28  # the same if runs may end early, as most of the transcript is never written then
_RUNS = 1 << 13  # runs per chunk, so that the state and one round of queries stay in the cache
_UNHEARD = 1 << 14  # runs per chunk without a transcript: few runs reach the last rounds
_WORKING = 6  # memory of a chunk in transcripts: state, beliefs, temporaries
_SPARSE_WORKING = 2  # the same if transcripts have room for far more questions than are asked
_BASE = 1 << 27  # bytes that a process needs before the first run
_NOISY = 1 << 28  # the same with compiled loops
_TABLED = 1 << 20  # the most cells for which the places of all boundaries are tabulated
MEMORY = 1 << 30
"""The default limit on the bytes that all processes of a simulation use together."""

MOST = 10**12
"""The most runs of a simulation, so that sums of whole numbers stay far below 2^63."""


def _failure_of(coverage: object) -> Fraction:
    """Return 1 minus a coverage."""
    return 1 - rational(cast(Number, coverage), "coverage")


@renamed_argument("strategy", "subject", since="0.2")
@renamed_argument("coverage", "failure", since="0.2", convert=_failure_of)
def simulate(
    subject: Planned | Strategy,
    *,
    runs: Number,
    adversaries: Iterable[Listener] | None = (),
    prior: Law | Sequence[Law] | None = None,
    delta: Number | None = None,
    problem: Problem | None = None,
    p: Number | None = None,
    scales: Sequence[Line | None] | None = None,
    seed: int = 0,
    executor: AnyExecutor | None = None,
    memory: int | None = None,
    failure: Number = "0.01",
    looks: Sequence[int] = (),
    stop: Callable[[Simulation], bool] | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Run a plan or a strategy many times, and let adversaries guess.

    The digits depend only on strategy, runs, adversaries, prior, delta, seed and looks. They do not
    depend on the executor or its number of workers, and the digits of an adversary do not depend
    on the other adversaries.

    The strategy is not checked. To check it, wrap it in `feint.branches.Checked`.

    Args:
        subject: A plan or a strategy.
        runs: The number of runs, without those that adversaries are fitted on.
        adversaries: The eavesdroppers: names, `Adversary` objects, or functions of a transcript and
            a random generator. None: all named ones. Adversaries that learn are first fitted on a
            chunk of other runs, at most `runs` of them.
        prior: The distribution of X* in every coordinate, or one per coordinate. None: the
            problem's prior, or uniform.
        delta: The full width within which a guess wins; None: that of the problem.
        problem: The problem to judge by; None: that of the subject.
        p: The true probability that an answer is right, unknown to the strategy. None: that of
            the problem, drawn for each run from its belief if it has one.
        scales: The places at which each coordinate's boundaries are shown, where distances are
            measured. None: those of the plan, or exactly where the boundaries fall.
        seed: The seed of all randomness.
        executor: An `Executor` or any `concurrent.futures.Executor`; None: this process.
        memory: The bytes that all processes on this machine may use together. None: 2^30, or what
            the executor's workers need if that is more.
        failure: The probability that an interval is wrong, for each interval by itself. If you look
            at several intervals, or stop depending on them, divide one probability among them.
        looks: Increasing numbers of runs below `runs`, at which `stop` is called.
        stop: A function of the `Simulation` up to a look that returns True to end there; None:
            never end early.
        progress: A callback that receives the runs done and the runs wanted after each chunk.

    Returns:
        The results of all runs; after Ctrl-C, of the runs completed by then.

    Raises:
        WrongType: An argument has the wrong type.
        InvalidValue: An argument has a wrong value, or an adversary does not guess a finite number
            for every run and coordinate.
        TooLarge: A single chunk does not fit in the memory.
        KeyboardInterrupt: Ctrl-C came before the first chunk was done.
    """
    strategy = strategy_of(subject)
    count = whole(runs, "runs", least=1, most=MOST)
    start = whole(seed, "seed", least=0)
    wrong = failure_probability(failure)
    ends = _ends(looks, count)
    listening = listeners(adversaries, strategy.problem, strategy.cells)
    names = tuple(each.name for each in listening)
    _check_kinds(prior, stop)
    workers, tell = executor_of(executor), progress_of(progress)
    _check_memory(strategy, memory, workers.workers)
    size = chunk_size(strategy, heard=bool(listening))
    wanted = subject.problem if problem is None else problem_of(problem)
    width = wanted.delta if delta is None else read_width(delta, "delta")
    batch = _Batch(
        strategy=strategy,
        laws=_laws(prior, wanted),
        delta=width,
        epsilon=wanted.epsilon,
        lines=_uneven(_scales(subject) if scales is None else scales),
        seed=start,
        p=None if p is None else read_p(p, wanted.setting),
    )
    fits = any(isinstance(each, FittableAdversary) for each in listening)
    lesson = min(size, count) if fits else 0
    work = partial(batch.chunk, batch.fitted(listening, lesson))
    found = partial(
        Simulation,
        strategy=strategy,
        wanted=count,
        failure=wrong,
        names=names,
        limit=_limit(wanted, prior, width),
        taught=lesson,
        epsilon=wanted.epsilon,
        sizes=batch.sizes,
    )
    sums = _Sums(work, workers, count, tell)
    for end in ends:
        if not sums.add(end, size):
            break
        outcome = found(tally=sums.tally)
        if end < count and stop is not None and stop(outcome):
            return replace(outcome, wanted=end)
    return found(tally=sums.tally)


def chunk_size(strategy: Strategy, *, heard: bool = True) -> int:
    """Return the number of runs of a chunk.

    It depends only on the arguments, so that the digits do not depend on the machine.

    Args:
        strategy: The strategy to run.
        heard: True if there are adversaries, so that transcripts are kept.
    """
    width, whole = columns(strategy), asks_all(strategy)
    if not (heard or whole):
        return _UNHEARD
    held = _BYTES if whole else _SPARSE
    return max(1, min(_RUNS, held // (8 * max(1, width))))


class _Sums:
    """The running sum of the tallies of chunks that an executor completes."""

    def __init__(
        self,
        work: Callable[[tuple[int, int]], Tally],
        executor: Executor,
        wanted: int,
        progress: Progress | None,
    ) -> None:
        """Store the arguments; `work` is called with a chunk's number and its number of runs."""
        self._work, self._executor, self._wanted, self._progress = work, executor, wanted, progress
        self._chunks = 0
        self._tally: Tally | None = None

    @property
    def tally(self) -> Tally:
        """Return the sums over all completed runs."""
        if self._tally is None:
            raise RuntimeError("the executor did none of the chunks")
        return self._tally

    def add(self, end: int, size: int) -> bool:
        """Complete all runs up to number `end`, in chunks of at most `size` runs.

        Returns:
            True if they are all done, False if Ctrl-C came first.

        Raises:
            KeyboardInterrupt: Ctrl-C came before the first chunk was done.
        """
        done = 0 if self._tally is None else self._tally.runs
        begins = range(done, end, size)
        first, self._chunks = self._chunks, self._chunks + len(begins)
        tasks = ((number, min(size, end - at)) for number, at in enumerate(begins, first))
        try:
            for _, each in self._executor.map(self._work, tasks):
                self._tally = each if self._tally is None else self._tally + each
                if self._progress is not None:
                    self._progress("runs", self._tally.runs, self._wanted)
        except KeyboardInterrupt:
            if self._tally is None:
                raise
            return False
        return True


@dataclass(frozen=True, kw_only=True)
class _Batch:
    """Settings by which runs are drawn and measured. Each random stream is named after its use.

    Attributes:
        strategy: The strategy to run.
        laws: The distribution of X* in each coordinate; None: uniform.
        delta: The full width within which a guess wins.
        epsilon: The full width of the learner's accuracy.
        lines: The line of each coordinate with unequal cells; None: all cells are equal.
        seed: The seed of all randomness.
        p: The true probability that an answer is right; None: that of the problem.
    """

    strategy: Strategy
    laws: tuple[Law, ...] | None
    delta: Fraction
    epsilon: Fraction
    lines: tuple[Line | None, ...] | None
    seed: int
    p: Fraction | None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many units widths are counted in, per coordinate: cells or places."""
        held = self.lines or (None,) * len(self.strategy.cells)
        pairs = zip(held, self.strategy.cells, strict=True)
        return tuple(size if each is None else each.finest for each, size in pairs)

    def chunk(self, adversaries: tuple[Adversary, ...], task: tuple[int, int]) -> Tally:
        """Play a chunk, given its number and its number of runs, and count its outcomes."""
        index, runs = task
        random = stream(self.seed, index)
        cell, rest = self._targets(runs, random)
        place = Place(
            strategy=self.strategy,
            delta=self.delta,
            cell=cell,
            rest=rest,
            epsilon=self.epsilon,
            lines=self.lines,
        )
        counts = None if adversaries or asks_all(self.strategy) else Counts(runs, place.is_near)
        with expect(runs * len(self.strategy.rounds)):  # one round may be too little for numba
            played = play(self.strategy, cell, random, p=self.p, trim=True, counts=counts)
        heard = played.transcript
        if counts is None:
            (asked, ends), near = heard.lengths(), place.near(heard)
        else:
            asked, ends, near = counts.queries, counts.rounds, counts.near
        error = place.error(played.estimate)
        guesses = (guess(each, heard, stream(self.seed, index, each.name)) for each in adversaries)
        return Tally(
            runs=runs,
            wins=tuple(int(place.caught(each).sum()) for each in guesses),
            misses=int(place.missed(error).sum()),
            errors=np.histogram(error, edges(self.epsilon))[0],
            total=Fraction(float(error.sum())),
            squares=Fraction(float((error**2).sum())),
            near=np.bincount(near, minlength=columns(self.strategy) + 1),
            widest=place.widest(played.estimate),
            queries=int(asked.sum()),
            rounds=int(ends.sum()),
        )

    def fitted(self, adversaries: Sequence[Adversary], runs: int) -> tuple[Adversary, ...]:
        """Return the adversaries; those that learn are fitted on runs that are not measured."""
        if not runs:
            return tuple(adversaries)
        random = stream(self.seed, 0, "\0lesson")
        cell, rest = self._targets(runs, random)
        with expect(runs * len(self.strategy.rounds)):
            heard = play(self.strategy, cell, random, p=self.p, trim=True).transcript
        return tuple(
            each.fit(heard, cell + rest) if isinstance(each, FittableAdversary) else each
            for each in adversaries
        )

    def _targets(self, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
        """Draw X*: [runs, coordinates] its cells and its offsets in them."""
        cells = self.strategy.cells
        if self.laws is None and self.lines is None:
            cell = random.integers(cells, size=(runs, len(cells)))
            return cell, random.random(cell.shape)
        drawn = zip(*(self._drawn(axis, runs, random) for axis in range(len(cells))), strict=True)
        cell, rest = (np.stack(each, axis=1) for each in drawn)
        return cell, rest

    def _drawn(self, axis: int, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
        """Draw one coordinate's cells and offsets."""
        law = None if self.laws is None else self.laws[axis]
        line = None if self.lines is None else self.lines[axis]
        if line is not None:
            return drawn(line, law, runs, random)
        if law is None:
            return random.integers(self.strategy.cells[axis], size=runs), random.random(runs)
        return law.draw(self.strategy.cells[axis], runs, random)


def _laws(prior: Law | Sequence[Law] | None, problem: Problem) -> tuple[Law, ...] | None:
    """Return the distribution of every coordinate; None if all are uniform."""
    if prior is None:
        return problem.prior
    return tuple(prior) if isinstance(prior, Sequence) else (prior,) * problem.dim


def _ends(looks: Sequence[int], runs: int) -> list[int]:
    """Return the looks, followed by the number of all runs."""
    if not isinstance(looks, Sequence):
        rule = "must be a list of numbers of runs"
        raise WrongType.of("looks", looks, rule, f"pass [{looks!r}]")
    ends = [*(whole(each, "looks", least=1, most=runs) for each in looks), runs]
    if any(later <= sooner for sooner, later in pairwise(ends)):
        rule = f"must increase, and stay below the number of runs, {runs}"
        raise InvalidValue("looks", list(looks), rule, "leave out the others")
    return ends


def _scales(subject: Planned | Strategy) -> Sequence[Line | None] | None:
    """Return the places at which a plan shows its questions; None for a strategy by itself."""
    found: Sequence[Line | None] | None = getattr(subject, "scales", None)
    return found if hasattr(subject, "strategy") else None


def _uneven(lines: Sequence[Line | None] | None) -> tuple[Line | None, ...] | None:
    """Return the lines with unequal cells, one per coordinate; None if all cells are equal.

    Cells of a lattice that is too fine for a table are nearly equal, and count as equal.
    """
    found = tuple(
        None if each is None or each.even or each.size > _TABLED else each for each in lines or ()
    )
    return found if any(each is not None for each in found) else None


def _limit(problem: Problem, prior: object, delta: Fraction) -> Fraction | None:
    """Return 1/level if the guarantee covers these runs, else None."""
    promised = problem.setting == "bayesian" and prior is None and delta <= problem.delta
    return Fraction(1, problem.level) if promised else None


def _check_kinds(prior: object, stop: object) -> None:
    """Refuse a prior without a way to draw from it, and a `stop` that cannot be called."""
    laws = prior if isinstance(prior, Sequence) and not isinstance(prior, str) else [prior]
    if prior is not None and not all(hasattr(each, "draw") for each in laws):
        raise no_prior(prior)
    if stop is not None and not callable(stop):
        rule = "must be a function of a Simulation"
        raise WrongType.of("stop", stop, rule, "leave it out, or pass one that says True or False")


def _check_memory(strategy: Strategy, memory: int | None, workers: int) -> None:
    """Refuse simulations that need more memory than allowed; megabytes are 2^20 bytes."""
    if memory is None and workers == 1:
        memory = MEMORY
    size = chunk_size(strategy)
    width = columns(strategy)
    base = (workers + (workers > 1)) * (_NOISY if strategy.problem.noisy else _BASE)
    held = _WORKING if asks_all(strategy) else _SPARSE_WORKING
    chunks = workers * 8 * width * size * held
    tallies = (
        8 * (width + len(edges(strategy.problem.epsilon))) * (2 + AHEAD * workers)
    )  # bytes of waiting results and sums
    need = -(-(base + chunks + tallies) >> 20)
    if memory is not None and whole(memory, "memory", least=1) < need << 20:
        rule = f"chunks of {size} runs, {workers} at once, need {need} megabytes of 2^20 bytes"
        remedy = f"allow {need} megabytes" + (", or use fewer workers" if workers > 1 else "")
        given = f"{memory >> 20} megabytes" if memory >> 20 else f"{memory} bytes"
        raise TooLarge("memory", given, rule, remedy)
