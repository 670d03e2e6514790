"""Audit one coordinate exactly: walk every branch, and add up the posteriors.

One search is a sequence of one. If every question is heard, each transcript has its own posterior,
and branches are processed chunk by chunk. Otherwise all branches are kept in memory, and a filter
follows the eavesdropper's beliefs from search to search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from feint.audit.beliefs import Beliefs
from feint.audit.case import Coordinate, Course
from feint.audit.hearing import ALL, NOTHING, Ear
from feint.audit.keys import keyed
from feint.audit.outcomes import Outcomes, Rows
from feint.audit.places import Places
from feint.audit.tally import Exhibit, Group, Step, Tally, by_round
from feint.branches import Branches, branches
from feint.interfaces import Progress, Strategy, strategy_of
from feint.problem import UNIFORM, Line, Prior

LIMIT = 1 << 26
"""The default limit on the branches of an exact audit; more take minutes."""

_PARTS = 1000  # progress is reported in thousandths


@dataclass(frozen=True, kw_only=True)
class Miss:
    """The worst error, its place, and the queries that lead there.

    Attributes:
        low: The least X* of the branch.
        high: Its upper end; X* lies below it.
        estimate: The learner's estimate.
        error: The largest error.
        rounds: The queries that lead there.
    """

    low: Fraction
    high: Fraction
    estimate: Fraction
    error: Fraction
    rounds: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The exact figures of one search of one coordinate.

    Attributes:
        branches: The number of branches.
        transcripts: The number of different transcripts.
        success: The best eavesdropper's success.
        accuracy: Twice the worst error, a full width.
        covering: The smallest covering number of an information set.
        telling: The transcript after which she is surest.
        narrowest: A transcript that attains the covering number.
        miss: The worst error and its place.
    """

    branches: int
    transcripts: int
    success: Fraction
    accuracy: Fraction
    covering: int
    telling: Exhibit
    narrowest: Exhibit
    miss: Miss


def measure(
    strategy: Strategy,
    delta: Fraction,
    *,
    prior: Prior = UNIFORM,
    scale: Line | None = None,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Measured:
    """Walk every branch of one search of one coordinate, and measure it.

    Args:
        strategy: A noiseless search of one coordinate.
        delta: Full width within which an eavesdropper wins.
        prior: The distribution of X*.
        scale: The places of the questions; None: exactly at the boundaries.
        limit: The most branches.
        progress: A callback that receives the share of probability walked, in thousandths.

    Returns:
        Exact figures.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    inner = strategy_of(strategy)
    width = Fraction(1) if scale is None else scale.width
    line = Places.of(scale, cells=inner.cells[0], delta=delta, prior=prior, width=width)
    (ear,) = Ear.of(ALL, NOTHING, inner)
    one = Coordinate(inner, line, ear)
    (step,), walk = follow(one, Course(), worst_case=False, limit=limit, progress=progress)
    miss = walk.worst_miss()
    return Measured(
        branches=walk.branches,
        transcripts=walk.transcripts,
        success=step.success,
        accuracy=2 * miss.error,
        covering=step.covering,
        telling=step.telling,
        narrowest=step.narrowest,
        miss=miss,
    )


class Followed(NamedTuple):
    """The audit of one coordinate.

    Attributes:
        steps: The eavesdropper's success after each search.
        walk: The branches walked; none yet if nothing is heard.
    """

    steps: tuple[Step, ...]
    walk: Walk


def follow(
    one: Coordinate,
    course: Course,
    *,
    worst_case: bool,
    limit: int,
    progress: Progress | None = None,
) -> Followed:
    """Compute the best eavesdropper's success after one search, after two, and so on.

    Args:
        one: A coordinate with a noiseless strategy.
        course: The searches and the motion of the number.
        worst_case: True if covering numbers must not depend on the prior.
        limit: The most branches.
        progress: A callback that receives the searches done and wanted, and the share walked.

    Raises:
        TooLarge: There are too many branches, keys, or posteriors.
        InvalidValue: Moves are shorter than a cell or longer than the range.
    """
    walk, ear, moving = Walk(one, limit, progress), one.ear, course.motion is not None
    if ear.hears_all and not moving and (course.searches == 1 or not course.fresh_keys):
        tallies = [Tally(one.strategy, each) for each in _lines(one.line, flat=True)]
        for _, part in walk.parts([one.strategy]):
            for tally in tallies:
                tally.add(Group.of_chunk(part, tally.line))
        step = _combined(*(each.step() for each in tallies))
        return Followed((step,) * course.searches, walk)
    if ear.deaf:
        rows = Rows.unheard(one.line.cells, len(ear.hears))
    else:
        keys = keyed(one.strategy, limit=limit) if moving and not course.fresh_keys else ()
        rows = Rows.held(walk.parts(keys or [one.strategy]), len(ear.hears))
    chains = [
        _sequence(one._replace(line=each), course, rows)
        for each in _lines(one.line, flat=worst_case)
    ]
    steps = list[Step]()
    for found in zip(*chains, strict=True):
        steps.append(_combined(*found))
        if progress is not None:
            progress("searches", len(steps), course.searches)
    return Followed(tuple(steps), walk)


def _lines(line: Places, *, flat: bool) -> list[Places]:
    """Return the line, and also that without the prior, if `flat` and the prior excludes places.

    A prior that excludes nothing does not change which places are possible.
    """
    return [line, line.flat] if flat and 0 in line.prior.weights else [line]


def _combined(weighed: Step, flat: Step | None = None) -> Step:
    """Combine a step under the prior with the covering number without it."""
    if flat is None:
        return weighed
    return replace(weighed, covering=flat.covering, narrowest=flat.narrowest)


class Walk:
    """A walk over every branch of a search in chunks, with counts.

    Attributes:
        branches: The number of branches so far.
        transcripts: The number of transcripts so far.
        miss: The worst error so far; None before the first branch.
    """

    def __init__(self, one: Coordinate, limit: int, progress: Progress | None) -> None:
        """Start with counts of 0."""
        self.branches = self.transcripts = 0
        self.miss: Miss | None = None
        self._strategy, self._line, _ = one
        self._limit, self._progress = limit, progress

    def parts(self, searches: Sequence[Strategy]) -> Iterator[tuple[int, Branches]]:
        """Walk a search, or one search under several keys; yield chunks with their keys."""
        walked, line = Fraction(0), self._line
        for key, search in enumerate(searches):
            for part in branches(search, limit=self._limit):
                self.branches += len(part.low)
                self.transcripts += len(part.heard)
                self._find_miss(part)
                yield key, part
                if self._progress is not None:
                    size = (part.high - part.low)[:, 0].astype(object)
                    share = Fraction(int(size @ part.weight.astype(object)), part.total)
                    walked += share / (line.cells * len(searches))
                    self._progress("branches", int(_PARTS * walked), _PARTS)

    def worst_miss(self) -> Miss:
        """Return the worst error of all branches, after walking them if needed.

        Raises:
            TooLarge: There are more branches than the limit.
        """
        if self.miss is None:
            for _ in self.parts([self._strategy]):
                pass
        if self.miss is None:
            raise RuntimeError("a strategy has at least one branch")
        return self.miss

    def _find_miss(self, part: Branches) -> None:
        """Update the worst error: X* may be anywhere in a row, and the estimate is its middle.

        Distances from the middle to the row's ends are doubled, to be whole numbers.
        """
        line = self._line
        begin, end, low, high = (
            line.mark(each[:, 0]) for each in (*part.estimate, part.low, part.high)
        )
        off = np.maximum((begin - low) + (end - low), (high - begin) + (high - end))
        worst = int(off.argmax())
        error = Fraction(int(off[worst]), 2 * line.marks)
        if self.miss is None or error > self.miss.error:
            asked = part.heard.table(part.group[[worst]])[0]
            self.miss = Miss(
                low=Fraction(int(low[worst]), line.marks),
                high=Fraction(int(high[worst]), line.marks),
                estimate=Fraction(int(begin[worst]) + int(end[worst]), 2 * line.marks),
                error=error,
                rounds=by_round(self._strategy.rounds, line.mark(asked).tolist()),
            )


def _sequence(one: Coordinate, course: Course, rows: Rows) -> Iterator[Step]:
    """Return the eavesdropper's success after each search."""
    strategy, line, ear = one
    if course.motion is None and not course.fresh_keys:
        yield from _same_again(one, course.searches, rows)
        return
    likelihood = Outcomes.of(rows, line, ear, equal=course.motion is not None)
    kernel = None
    if course.motion is not None:
        atom, prior = int(likelihood.cuts[1]), line.density(likelihood.cuts[:-1])
        kernel = course.motion.kernel(line.grain, line.stride // atom, prior)
    beliefs = Beliefs.first(likelihood, line)
    for number in range(course.searches):
        if number and kernel is not None:
            beliefs = beliefs.moved(kernel, likelihood)
        beliefs = beliefs.heard(likelihood)
        yield Tally(strategy, line).add(Group.of_beliefs(beliefs, likelihood, line)).step()


def _same_again(one: Coordinate, searches: int, rows: Rows) -> Iterator[Step]:
    """Return her success if number and key stay the same: more of one transcript may be heard."""
    strategy, line, ear = one
    step = None
    for number in range(searches):
        if step is None or ear.chance < 1:
            chance = 1 - (1 - ear.chance) ** (number + 1)
            likelihood = Outcomes.of(rows, line, ear._replace(chance=chance), equal=False)
            beliefs = Beliefs.first(likelihood, line).heard(likelihood)
            step = Tally(strategy, line).add(Group.of_beliefs(beliefs, likelihood, line)).step()
        yield step
