"""Plan for answers whose reliability depends on the distance: proofs/responses.md.

Privacy is a theorem for every search in a part, so the fewest answers to the cut are computed for
every number of parts. Accuracy is calibrated. The estimate uses the answers of all parts, and its
miss rate is simulated, with an exact upper limit (Clopper–Pearson). So hiding may stop before the
followed part alone is sure enough.

Numbers of parts are compared by the answers that normal theory requires. The cheapest few are
simulated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import expect
from feint.errors import NoPlan, TooLarge
from feint.exact import bracket, plain
from feint.interfaces import AnyExecutor, Progress, most_queries
from feint.planning.decimals import even_ticks
from feint.planning.limits import LONGEST
from feint.planning.noisy.certificates.calibrated import FAILURE, upper_limits
from feint.planning.option import Option
from feint.problem import Domain, Problem, Responses
from feint.simulate import executor_of, play
from feint.strategies import ResponseNoisy, ResponseShape, placed_privacy

Float = NDArray[np.float64]

_UNIT = 10**9  # the unit to which claims are rounded up; bounds are far more precise
_ROUGH, _FINE = 16, 128  # pieces of a part: to compare plans, and for what the chosen one claims
_PER_EPSILON = 8  # cells per ε: half as many change misses by less than one part in a hundred
_MOST_CELLS = 1 << 14  # cells of the lattice; a search weighs all of them
_TICKS = 3  # decimals to try as cells: some divide into more numbers of parts
_LEAST_REPEATS = 16  # least repeats of the cut: fewer often lead far astray
_MOST_REPEATS = 1 << 8  # most repeats of the cut: beyond, other numbers of parts are always cheaper
_SPARE = 4  # numbers of kept parts above the level that are tried
_TRIED = 2  # plans that are simulated, the cheapest by normal theory
_ROUNDS = 32  # rounds of hiding that a search should take on average
_LEAST_ROUNDS = 12  # with fewer a search can hardly follow answers, and batches are wasted
_CAP = 4  # times the mean number of rounds: hardly any search is undecided then
_PILOT, _TURNS = 400, 3  # runs that search for e₃, and the number of halvings of its range
_VERIFIED, _FEW = 6000, 50  # least runs of the last simulation, and over allowed misses
_MOST_VERIFIED = 100_000  # runs: more take minutes
_ATTEMPTS = 4  # last simulations: each has a fourth of the failure probability
_SPENT, _RAISED = 0.9, 2  # share of allowed misses to use, and attempts to use more
_CHUNK = 500  # runs per task; results do not depend on the worker
_ABOVE = 5.5  # standard errors between the miss rate of e₃ and the allowed rate
_LAST = 0.5  # the largest e₃: a search that stops earlier is a guess


@dataclass(frozen=True)
class _Candidate:
    """A way to divide the range, before the search in a part.

    Attributes:
        parts: The number C of parts.
        kept: The number L' of kept parts.
        repeats: The number m of answers to each boundary.
        cells: The number of cells of the whole lattice.
        price: The mean number of questions, by normal theory.
        answers: The number of answers in each part, by normal theory.
    """

    parts: int
    kept: int
    repeats: int
    cells: int
    price: float
    answers: float


class ResponseMethods:
    """The methods for answers whose reliability depends on the distance."""

    def __init__(
        self,
        units: Domain,
        seed: int = 0,
        progress: Progress | None = None,
        executor: AnyExecutor | None = None,
        queries: int | None = None,
    ) -> None:
        """Keep the settings of all methods.

        Args:
            units: The user's units.
            seed: The seed of the simulations.
            progress: Receives the progress of the simulations.
            executor: The executor of the simulations; None for this process.
            queries: The most questions; None for any number.
        """
        self.units, self.seed, self.queries = units, seed, queries
        self.progress, self.executor = progress, executor

    def tight(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """Return the option with the fewest questions on average.

        Args:
            problem: The problem.
            level: The level L, which may be a fraction.
            rounds: The most rounds; None for any number.

        Returns:
            The option, or None if no simulated search misses seldom enough.

        Raises:
            NoPlan: No decimals divide the range, no way to divide it is private enough, or the
                limits are too tight.
            TooLarge: Every such plan asks too many questions, or the lattice would be too fine.
        """
        _verified_runs(1 - float(problem.confidence or 0))
        candidates = sorted(self._candidates(problem, level), key=lambda each: each.price)
        if not candidates:
            raise self._crowded(problem, level)
        if rounds is not None and rounds < _LEAST_ROUNDS:
            rule = f"a search for customers' answers needs {_LEAST_ROUNDS} rounds to follow them"
            raise NoPlan("max_rounds", rounds, rule, f"allow {_LEAST_ROUNDS} or more")
        found = [_planned(problem, each, rounds, self) for each in candidates[:_TRIED]]
        best = min(found, key=lambda each: each.queries)
        took = most_queries(best.strategy)
        if self.queries is not None and took > self.queries:
            rule = f"this plan takes {took} questions in its longest search"
            raise NoPlan("max_queries", self.queries, rule, f"allow {took}, or a lower level")
        return _verified(problem, best, self)

    def _crowded(self, problem: Problem, level: Fraction | int) -> NoPlan:
        """Build the error if no number of parts is private enough: level + 1 parts must fit."""
        remedy = "lower the level, or take a wider range"
        least = math.floor(level) + 1
        for parts in range(max(least, int(1 / problem.delta) + 1), _SPARE * least):
            if 4 * problem.epsilon * parts > 1:
                break
            narrower = replace(problem, delta=Fraction(1, parts))
            if any(self._of(narrower, level, parts)):
                remedy = f"delta = {plain(narrower.delta * self.units.width)} works"
                break
        rule = "customers' answers need a part more than the level, each delta wide or wider"
        return NoPlan("delta", plain(problem.delta * self.units.width), rule, remedy)

    def _candidates(self, problem: Problem, level: Fraction | int) -> Iterator[_Candidate]:
        """Yield every number of parts that divides the range and is private enough."""
        if level <= 1:
            cells = min(self._lattices(problem))
            yield _candidate(problem, _responses(problem), 1, 1, 0, cells)
            return
        least, best = math.floor(level) + 1, math.inf
        for parts in range(least, int(1 / problem.delta) + 1):
            for found in self._of(problem, level, parts):
                best = min(best, found.price)
                yield found
            # The cut alone costs more, and its cost grows with the number of parts.
            if (parts - 1) * _LEAST_REPEATS > best:
                return

    def _of(self, problem: Problem, level: Fraction | int, parts: int) -> Iterator[_Candidate]:
        """Yield the candidates with one number of parts, if it divides the range."""
        responses, least = _responses(problem), math.floor(level) + 1
        cells = next((each for each in self._lattices(problem) if each % parts == 0), 0)
        if cells < 2 * parts:
            return
        for kept in range(least, min(parts, least + _SPARE) + 1):
            repeats = fewest_repeats(responses, parts, kept, level)
            if repeats is not None:
                yield _candidate(problem, responses, parts, kept, repeats, cells)

    def _lattices(self, problem: Problem) -> list[int]:
        """Return numbers of cells with a decimal width, the fewest first.

        Boundaries must be exactly as planned: parts that are rounded differently would not look
        alike.
        """
        domain, widest = self.units, problem.epsilon * self.units.width
        ticks = list[Fraction]()
        for tick, _ in zip(even_ticks(domain, widest / _PER_EPSILON), range(_TICKS), strict=False):
            ticks.append(tick)
        if domain.tick is not None:
            coarse = max(1, int(widest / _PER_EPSILON / domain.tick))
            whole = int(domain.width / domain.tick)
            steps = [each for each in range(coarse, 0, -1) if whole % each == 0][:_TICKS]
            ticks = [each * domain.tick for each in steps]
        if not ticks:
            rule = "customers' answers are planned on ranges whose ends are decimals"
            low, high = plain(domain.low), plain(domain.high)
            raise NoPlan("high", f"{low} to {high}", rule, "round the ends of the range outwards")
        found = [int(domain.width / each) for each in ticks]
        if min(found) > _MOST_CELLS:
            rule = f"takes {min(found)} cells, more than {_MOST_CELLS}"
            remedy = "raise epsilon, or narrow the range"
            raise TooLarge("epsilon", plain(widest), rule, remedy)
        return [each for each in found if each <= _MOST_CELLS]


@lru_cache(maxsize=4096)  # other levels and refusals ask for the same again
def fewest_repeats(
    responses: Responses, parts: int, kept: int, level: Fraction | int
) -> int | None:
    """Return the fewest answers to each boundary of the cut that keep the promise.

    Args:
        responses: The response model.
        parts: The number C of parts.
        kept: The number L' of kept parts.
        level: The level L.

    Returns:
        The number of answers, or None if it is too large. It is no smaller than quick hiding needs.
    """

    def keeps(repeats: int) -> bool:
        return claimed_success(responses, parts, kept, repeats, _ROUGH) * level <= 1

    if keeps(_LEAST_REPEATS):
        return _LEAST_REPEATS
    # Even with many answers the edges of the range cost a little, so try a few numbers first.
    high = _LEAST_REPEATS
    while not keeps(high):
        high *= 2
        if high > _MOST_REPEATS:
            return None
    return bracket(keeps, high // 2, high)[1]


def claimed_success(
    responses: Responses, parts: int, kept: int, repeats: int, fine: int = _FINE
) -> Fraction:
    """Return an upper bound on the best eavesdropper's success at any scale.

    Args:
        responses: The response model.
        parts: The number C of parts.
        kept: The number L' of kept parts.
        repeats: The number m of answers to each boundary.
        fine: The number of pieces that a part is divided into. More give a tighter bound.
    """
    if parts == 1:
        return Fraction(1)
    most = max(
        placed_privacy(responses, float(scale * parts), parts, repeats, kept, fine)
        for scale in responses.scales
    )
    return min(Fraction(1), Fraction(math.ceil(most * _UNIT) + 1, _UNIT))


def _responses(problem: Problem) -> Responses:
    if not isinstance(problem.noise, Responses):
        raise NoPlan("p", problem.p, "must be a response model", 'such as "logistic(6)"')
    return problem.noise


def _candidate(
    problem: Problem, responses: Responses, parts: int, kept: int, repeats: int, cells: int
) -> _Candidate:
    """Return the candidate with its price by normal theory.

    An answer about a point z scales from X* has the information G'(z)²/(G(z)(1 − G(z))). The copies
    of a question in the other kept parts add to it.
    """
    mean = 0.0
    for scale, weight in zip(responses.scales, responses.weights, strict=True):
        apart = np.arange(-(kept - 1), kept) / (parts * float(scale))
        # Of the `kept` windows that contain k̂, a part at distance i is in kept − |i|.
        share = 1 - np.abs(np.arange(-(kept - 1), kept)) / kept
        told = float(_information(responses, apart) @ share)
        wide = _quantile(problem) * 2 * float(scale / problem.epsilon)
        mean += float(weight) * wide**2 / told
    price = (parts - 1) * repeats + kept * mean
    return _Candidate(parts, kept, repeats, cells, price, mean)


def _information(responses: Responses, distance: Float) -> Float:
    step = 1e-4  # share of a scale: a derivative by differences is then right to many digits
    yes = responses.yes(distance)
    slope = (responses.yes(distance + step) - responses.yes(distance - step)) / (2 * step)
    found: Float = slope**2 / np.maximum(yes * responses.yes(-distance), 1e-300)
    return found


def _quantile(problem: Problem) -> float:
    """Return the number of standard errors that epsilon/2 must be."""
    from scipy.special import ndtri

    return float(ndtri((1 + float(problem.confidence or 0)) / 2))


def _planned(
    problem: Problem,
    candidate: _Candidate,
    rounds: int | None,
    how: ResponseMethods,
) -> _Found:
    """Return the candidate with the batches, e₃ and cap that a pilot simulation finds."""
    batch = max(1, round(candidate.answers / _ROUNDS))
    most = _CAP * math.ceil(candidate.answers / batch + _ROUNDS)
    if rounds is not None:
        hides = rounds - (candidate.parts > 1)
        batch, most = max(batch, -(-batch * most // hides)), min(most, hides)
    miss = 1 - float(problem.confidence or 0)
    shape = ResponseShape(
        parts=candidate.parts,
        repeats=candidate.repeats,
        kept=candidate.kept,
        at_once=batch,
        hide_error=Fraction(1, 100),
        most=most,
    )
    if shape.queries > LONGEST:
        rule = "every such plan asks more than 2^24 questions"
        raise TooLarge("epsilon", plain(problem.epsilon), rule, "raise epsilon or delta")
    aim = miss - _ABOVE * math.sqrt(miss * (1 - miss) / _verified_runs(miss))
    # With e₃ = aim the followed part alone is sure enough. The other copies rarely carry four times
    # as much information.
    low, high = math.log(aim), math.log(min(_LAST, 4 * miss))
    for turn in range(_TURNS):
        middle = (low + high) / 2
        tried = replace(shape, hide_error=Fraction(math.exp(middle)).limit_denominator(10**4))
        strategy = ResponseNoisy(problem, candidate.cells, tried)
        # One seed for all turns, so that they differ by e₃ alone.
        missed, _, _ = simulated(strategy, _PILOT, (how.seed, 0), how)
        if how.progress is not None:
            how.progress("stopping rules", turn + 1, _TURNS)
        low, high = (middle, high) if missed <= aim * _PILOT else (low, middle)
    error = Fraction(math.exp(low)).limit_denominator(10**4)
    strategy = ResponseNoisy(problem, candidate.cells, replace(shape, hide_error=error))
    _, mean, took = simulated(strategy, _PILOT, (how.seed, 0), how)
    if rounds is None:
        most = min(most, _CAP * math.ceil(took))
        strategy = replace(strategy, shape=replace(strategy.shape, most=most))
    success = claimed_success(
        _responses(problem), candidate.parts, candidate.kept, candidate.repeats
    )
    return _Found(strategy, mean, success)


@dataclass(frozen=True)
class _Found:
    """A plan whose misses have no proven limit yet.

    Attributes:
        strategy: The search.
        queries: The mean number of questions.
        success: The claimed limit on her success.
    """

    strategy: ResponseNoisy
    queries: float
    success: Fraction


def _verified(problem: Problem, found: _Found, how: ResponseMethods) -> Option | None:
    """Return the option with a limit on its misses by fresh runs; None if none is low enough.

    e₃ falls until the limit is met, and rises if the misses are far below it.
    """
    miss, strategy = 1 - float(problem.confidence or 0), found.strategy
    runs, best = _verified_runs(miss), None
    aim = runs * (miss - _ABOVE * math.sqrt(miss * (1 - miss) / runs))
    for attempt in range(1, _ATTEMPTS + 1):
        missed, mean, _ = simulated(strategy, runs, (how.seed, attempt), how)
        limit = float(upper_limits(np.array([missed]), runs, FAILURE / _ATTEMPTS)[0])
        losses = (("narrow", 0.0), ("cut", 0.0), ("hide", limit), ("total", limit))
        if limit <= miss and (best is None or mean < best.queries):
            best = Option(
                queries=math.ceil(mean),
                share=found.success,
                strategy=strategy,
                success=found.success,
                losses=(*losses, ("allowed", miss)),
            )
        if limit <= miss and (missed >= _SPENT * aim or attempt > _RAISED):
            break
        # Misses grow about in proportion to e₃.
        factor = min(max(aim / max(missed, 1), 0.6), 1.5) if limit <= miss else 0.85
        error = (strategy.shape.hide_error * Fraction(factor)).limit_denominator(10**4)
        error = min(error, Fraction(_LAST))
        strategy = replace(strategy, shape=replace(strategy.shape, hide_error=error))
    return best


def _verified_runs(miss: float) -> int:
    """Return the number of runs that shows that the misses are within the allowed rate.

    Raises:
        TooLarge: There are too many runs.
    """
    runs = max(_VERIFIED, math.ceil(_FEW / miss))
    if runs > _MOST_VERIFIED:
        rule = f"takes {runs} simulated searches, more than {_MOST_VERIFIED}"
        sure = plain(Fraction(_MOST_VERIFIED - _FEW, _MOST_VERIFIED))
        raise TooLarge("confidence", 1 - miss, rule, f"confidence = {sure} works")
    return runs


def simulated(
    strategy: ResponseNoisy, runs: int, seed: tuple[int, int], how: ResponseMethods
) -> tuple[int, float, float]:
    """Return the number of simulated searches that miss, and the mean questions and rounds.

    Args:
        strategy: The strategy to run.
        runs: The number of runs.
        seed: The seed of targets, coins and answers.
        how: The methods, with the executor and the receiver of progress.
    """
    tasks = ((at, min(_CHUNK, runs - at)) for at in range(0, runs, _CHUNK))
    missed, asked, took, done = 0, 0.0, 0.0, 0
    work = partial(_chunk, strategy, seed)
    for _, (count, wrong, questions, rounds) in executor_of(how.executor).map(work, tasks):
        missed, asked, took, done = missed + wrong, asked + questions, took + rounds, done + count
        if how.progress is not None and runs > _PILOT:
            how.progress("simulated searches", done, runs)
    return missed, asked / runs, took / runs


def _chunk(
    strategy: ResponseNoisy, seed: tuple[int, int], task: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Return the runs of a chunk, their misses, and their questions and rounds."""
    first, count = task
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(first,)))
    cell = random.integers(strategy.size, size=(count, 1))
    rest = random.random(count)
    with expect(count * len(strategy.rounds)):
        played = play(strategy, cell, random, trim=True)
    point = played.estimate
    error = np.abs((point.cell[:, 0] - cell[:, 0]) + (point.rest[:, 0] - rest))
    wrong = int((error > float(strategy.problem.epsilon * strategy.size) / 2).sum())
    points, number = played.transcript.points, np.asarray(played.transcript.rounds)
    put = points >= 0
    rounds = np.where(put, number + 1, 0).max(axis=1)
    return count, wrong, int(put.sum()), int(rounds.sum())
