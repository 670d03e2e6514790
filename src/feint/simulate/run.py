"""Simulate a strategy: runs in chunks, done by any executor, and added up."""

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
from feint.simulate.driver import play
from feint.simulate.executors import AHEAD, executor_of
from feint.simulate.intervals import failure_probability
from feint.simulate.place import Float, Int, Place, drawn, guess
from feint.simulate.seeds import stream
from feint.simulate.simulation import Simulation
from feint.simulate.tally import Tally, edges

_BYTES = 1 << 24  # of transcript a chunk
_SPARSE = 1 << 28  # the same where runs may end early, so that most of it is never written
_RUNS = 1 << 13  # their state and one round of queries stay in the cache
_WORKING = 6  # what a chunk needs in all, in transcripts: state, beliefs, temporaries
_SPARSE_WORKING = 2  # the same where transcripts have room for far more than is asked
_BASE = 1 << 27  # what a process needs before the first run
_NOISY = 1 << 28  # the same where loops are compiled
_TABLED = 1 << 20  # cells up to which every boundary's place is looked up
MEMORY = 1 << 30
"""How many bytes all processes of a simulation use together unless told otherwise."""

MOST = 10**12
"""Runs of a simulation, at most: sums of whole numbers then stay far below 2^63."""


def _failure_of(coverage: object) -> Fraction:
    """The failure of a coverage: 1 minus it."""
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
    """Run a plan, or a strategy of one's own, many times, and let adversaries guess.

    The digits depend on strategy, runs, adversaries, prior, delta, seed and looks alone: not on the
    executor, nor on how many workers it has, and an adversary's not on which others listen.

    Nothing is checked of the strategy: a `feint.branches.Checked` one checks itself.

    Args:
        subject: A plan or a strategy.
        runs: The number of runs, not counting those that adversaries are fitted on.
        adversaries: Who listens, by name, as themselves or as plain functions of a transcript and a
            source of randomness; None: all that have a name. Those with something to fit are first
            fitted on a chunk of other runs, at most `runs` of them.
        prior: The law that X* is drawn from, in every coordinate, or one a coordinate; None: the
            problem's prior, or uniform.
        delta: Full width within which a guess wins; None: that of the problem.
        problem: What is wanted; None: the subject's own problem.
        p: The probability that an answer is truly right, which the strategy is not told; None: as
            the problem says, drawn for each run from its belief if it has one.
        scales: Where each coordinate's boundaries are shown: distances are measured there. None:
            where the plan shows them, or where they fall.
        seed: Where all randomness comes from.
        executor: Who does the work, ours or any `concurrent.futures.Executor`; None: this process.
        memory: The bytes that all processes on this machine may take together; None: 2^30, or what
            the executor's workers need if that is more.
        failure: The probability that an interval is wrong, for each interval by itself. Whoever
            looks at several, or stops by what they say, must share one probability out.
        looks: Numbers of runs below `runs`, increasing, at which `stop` is asked.
        stop: Given what became of the runs up to a look, whether to end there; None: never.
        progress: Told the runs done and the runs wanted, after each chunk.

    Returns:
        What became of the runs. After Ctrl-C, of those that were done by then.

    Raises:
        WrongType: An argument is something else than is wanted there.
        InvalidValue: An argument is wrong by itself, or an adversary does not guess a finite number
            for every run and coordinate.
        TooLarge: Not even one chunk fits in the memory.
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
    size = chunk_size(strategy)
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


def chunk_size(strategy: Strategy) -> int:
    """The number of runs of a chunk: it depends on the strategy alone, so that digits do."""
    width = columns(strategy)
    held = _BYTES if asks_all(strategy) else _SPARSE
    return max(1, min(_RUNS, held // (8 * max(1, width))))


class _Sums:
    """Chunks of runs handed to an executor, and their tallies added up as they arrive."""

    def __init__(
        self,
        work: Callable[[tuple[int, int]], Tally],
        executor: Executor,
        wanted: int,
        progress: Progress | None,
    ) -> None:
        """Keep what is needed; `work` is given a chunk's number and its number of runs."""
        self._work, self._executor, self._wanted, self._progress = work, executor, wanted, progress
        self._chunks = 0
        self._tally: Tally | None = None

    @property
    def tally(self) -> Tally:
        """The sums over all runs that are done."""
        if self._tally is None:
            raise RuntimeError("the executor did none of the chunks")
        return self._tally

    def add(self, end: int, size: int) -> bool:
        """Do all runs up to number `end`, in chunks of at most `size` runs.

        Returns:
            Whether they are all done; False: Ctrl-C came first.

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
    """How runs are drawn and measured; every stream of randomness is named after its use.

    Attributes:
        strategy: What is run.
        laws: The law of X*, one a coordinate; None: uniform.
        delta: Full width within which a guess wins.
        epsilon: Full width of the learner's accuracy.
        lines: The line of each coordinate whose cells are not equal; None: all are.
        seed: Where all randomness comes from.
        p: The probability that an answer is truly right; None: as the problem says.
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
        """What widths are counted in, one a coordinate: cells, or places where they differ."""
        held = self.lines or (None,) * len(self.strategy.cells)
        pairs = zip(held, self.strategy.cells, strict=True)
        return tuple(size if each is None else each.finest for each, size in pairs)

    def chunk(self, adversaries: tuple[Adversary, ...], task: tuple[int, int]) -> Tally:
        """Play a chunk, given its number and its number of runs, and count what became of it."""
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
        with expect(runs * len(self.strategy.rounds)):  # a round alone may be too little for numba
            played = play(self.strategy, cell, random, p=self.p, trim=True)
        heard = played.transcript
        asked, ends = heard.lengths()
        error = place.error(played.estimate)
        guesses = (guess(each, heard, stream(self.seed, index, each.name)) for each in adversaries)
        return Tally(
            runs=runs,
            wins=tuple(int(place.caught(each).sum()) for each in guesses),
            misses=int(place.missed(error).sum()),
            errors=np.histogram(error, edges(self.epsilon))[0],
            total=Fraction(float(error.sum())),
            squares=Fraction(float((error**2).sum())),
            near=np.bincount(place.near(heard), minlength=columns(self.strategy) + 1),
            widest=place.widest(played.estimate),
            queries=int(asked.sum()),
            rounds=int(ends.sum()),
        )

    def fitted(self, adversaries: Sequence[Adversary], runs: int) -> tuple[Adversary, ...]:
        """The adversaries, those with something to fit after runs that nobody is measured on."""
        if not runs:
            return tuple(adversaries)
        random = stream(self.seed, 0, "\0lesson")
        cell, rest = self._targets(runs, random)
        heard = play(self.strategy, cell, random, p=self.p).transcript
        return tuple(
            each.fit(heard, cell + rest) if isinstance(each, FittableAdversary) else each
            for each in adversaries
        )

    def _targets(self, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
        """[runs, coordinates] the cell that holds X*, and how far into it X* lies."""
        cells = self.strategy.cells
        if self.laws is None and self.lines is None:
            cell = random.integers(cells, size=(runs, len(cells)))
            return cell, random.random(cell.shape)
        drawn = zip(*(self._drawn(axis, runs, random) for axis in range(len(cells))), strict=True)
        cell, rest = (np.stack(each, axis=1) for each in drawn)
        return cell, rest

    def _drawn(self, axis: int, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
        """One coordinate's cells and shares of them."""
        law = None if self.laws is None else self.laws[axis]
        line = None if self.lines is None else self.lines[axis]
        if line is not None:
            return drawn(line, law, runs, random)
        if law is None:
            return random.integers(self.strategy.cells[axis], size=runs), random.random(runs)
        return law.draw(self.strategy.cells[axis], runs, random)


def _laws(prior: Law | Sequence[Law] | None, problem: Problem) -> tuple[Law, ...] | None:
    """The law of every coordinate; None: all are uniform."""
    if prior is None:
        return problem.prior
    return tuple(prior) if isinstance(prior, Sequence) else (prior,) * problem.dim


def _ends(looks: Sequence[int], runs: int) -> list[int]:
    """The looks, and after them the last run."""
    if not isinstance(looks, Sequence):
        rule = "must be a list of numbers of runs"
        raise WrongType.of("looks", looks, rule, f"pass [{looks!r}]")
    ends = [*(whole(each, "looks", least=1, most=runs) for each in looks), runs]
    if any(later <= sooner for sooner, later in pairwise(ends)):
        rule = f"must increase, and stay below the number of runs, {runs}"
        raise InvalidValue("looks", list(looks), rule, "leave out the others")
    return ends


def _scales(subject: Planned | Strategy) -> Sequence[Line | None] | None:
    """Where a plan shows its questions; None: a strategy by itself shows them where they fall."""
    found: Sequence[Line | None] | None = getattr(subject, "scales", None)
    return found if hasattr(subject, "strategy") else None


def _uneven(lines: Sequence[Line | None] | None) -> tuple[Line | None, ...] | None:
    """The lines whose cells are not equal, one a coordinate; None if every lattice is even.

    So many cells that no table holds them nearly are equal, and count as that.
    """
    found = tuple(
        None if each is None or each.even or each.size > _TABLED else each for each in lines or ()
    )
    return found if any(each is not None for each in found) else None


def _limit(problem: Problem, prior: object, delta: Fraction) -> Fraction | None:
    """What no adversary may win with more often, where something is promised of such runs."""
    promised = problem.setting == "bayesian" and prior is None and delta <= problem.delta
    return Fraction(1, problem.level) if promised else None


def _check_kinds(prior: object, stop: object) -> None:
    """Refuse a prior that nothing can be drawn from, and a rule to stop by that is no function."""
    laws = prior if isinstance(prior, Sequence) and not isinstance(prior, str) else [prior]
    if prior is not None and not all(hasattr(each, "draw") for each in laws):
        raise no_prior(prior)
    if stop is not None and not callable(stop):
        rule = "must be a function of a Simulation"
        raise WrongType.of("stop", stop, rule, "leave it out, or pass one that says True or False")


def _check_memory(strategy: Strategy, memory: int | None, workers: int) -> None:
    """Refuse before anything is run; megabytes are 2^20 bytes."""
    if memory is None and workers == 1:
        memory = MEMORY
    size = chunk_size(strategy)
    width = columns(strategy)
    base = (workers + (workers > 1)) * (_NOISY if strategy.problem.noisy else _BASE)
    held = _WORKING if asks_all(strategy) else _SPARSE_WORKING
    chunks = workers * 8 * width * size * held
    tallies = (
        8 * (width + len(edges(strategy.problem.epsilon))) * (2 + AHEAD * workers)
    )  # that wait, and sums
    need = -(-(base + chunks + tallies) >> 20)
    if memory is not None and whole(memory, "memory", least=1) < need << 20:
        rule = f"chunks of {size} runs, {workers} at once, need {need} megabytes of 2^20 bytes"
        remedy = f"allow {need} megabytes" + (", or use fewer workers" if workers > 1 else "")
        given = f"{memory >> 20} megabytes" if memory >> 20 else f"{memory} bytes"
        raise TooLarge("memory", given, rule, remedy)
