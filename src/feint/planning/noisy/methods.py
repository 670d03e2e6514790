"""Define the methods under noise: from a coordinate's level to a strategy and its claims."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import cast

from feint.errors import InvalidValue, TooLarge
from feint.exact import ceil_div, plain
from feint.interfaces import AnyExecutor, Misses, Progress, Strategy
from feint.planning.checks import check_cells
from feint.planning.noisy.certificates import Calibrated, Theorem
from feint.planning.noisy.claims import Member, p_of
from feint.planning.noisy.responses import ResponseMethods
from feint.planning.noisy.sizing import (
    cheapest_noisy,
    cheapest_noisy_near,
    paper_noisy,
    quickest_noisy,
    unhidden_noisy,
)
from feint.planning.noisy.sure import Limits, surest
from feint.planning.option import Method, Option
from feint.problem import Domain, Problem, Responses
from feint.strategies import NoisyShape, SequentialNoisy, SequentialShape, StagedNoisy

CERTIFICATES = ("theorem", "calibrated")
FIXED = "fixed"
"""The method whose searches all ask the same number of questions; it can be calibrated."""
MAJORITY = "majority"
"""The method for answers that may err more often near the number: it never narrows."""


def noisy_methods(
    problem: Problem,
    units: Domain,
    certificate: str = "theorem",
    seed: int = 0,
    progress: Progress | None = None,
    executor: AnyExecutor | None = None,
    *,
    queries: int | None = None,
) -> dict[str, Method]:
    """Return the methods under noise, the recommended one first.

    Args:
        problem: The problem.
        units: The user's units, for refusals.
        certificate: The certificate of method "fixed": "theorem" or "calibrated".
        seed: The seed of a calibrated plan's simulation.
        progress: Receives the progress of the simulation.
        executor: The executor of the simulation; None for this process.
        queries: The most questions; None for any number.

    Returns:
        One method per name.

    Raises:
        InvalidValue: There is no such certificate.
    """
    if certificate not in CERTIFICATES:
        rule = f"must be one of {', '.join(CERTIFICATES)}"
        raise InvalidValue("certificate", certificate, rule, "pick one of them")
    if isinstance(problem.noise, Responses):
        _ticks(units)  # raises if they do not divide the range
        customers = ResponseMethods(units, seed, progress, executor, queries)
        return {"tight": customers.tight}
    if problem.noise is not None and problem.known_p is None:
        if certificate == "calibrated":
            rule = "only a method of fixed length is calibrated, at one known p"
            raise InvalidValue("certificate", certificate, rule, "leave it out")
        least = Theorem(problem.noise.least)
        return {"tight": NoisyMethods(least, units, _ticks(units), queries).tight}
    p = p_of(problem)
    misses: Misses = Theorem(p)
    if certificate == "calibrated":
        misses = Calibrated(p, seed, progress, executor)
    ours = NoisyMethods(misses, units, _ticks(units), queries)
    found: dict[str, Method] = {"tight": ours.tight, FIXED: ours.fixed, MAJORITY: ours.majority}
    if problem.values is None and units.tick is None and problem.level > 1:
        found["paper"] = ours.paper
    return found | {"bz": ours.bz, "bisection": ours.bisection}


def _ticks(units: Domain) -> int | None:
    """Return the number of ticks of the range; None if it has no ticks.

    Raises:
        InvalidValue: The ticks do not divide the range.
    """
    if units.tick is None:
        return None
    if units.low % units.tick or units.high % units.tick:
        rule = "under noise both ends of the range must be multiples of the tick"
        low, high = (plain(-(-end // units.tick) * units.tick) for end in (units.low, units.high))
        raise InvalidValue("tick", plain(units.tick), rule, f"low = {low}, high = {high} works")
    return int(units.width / units.tick)


class NoisyMethods:
    """The methods under noise.

    Attributes:
        misses: The certificate of method "fixed".
        units: The user's units.
        ticks: The number of ticks of the range, if questions are put at ticks only.
        queries: The most questions; None for any number.
    """

    def __init__(
        self, misses: Misses, units: Domain, ticks: int | None = None, queries: int | None = None
    ) -> None:
        """Keep the settings of all methods."""
        self.misses, self.units, self.ticks, self.queries = misses, units, ticks, queries

    def tight(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """Return the plan with the fewest questions on average, which stops when it is sure.

        If no such search keeps the limits, or if it asks more on average, every run asks the same
        number of questions.
        """
        alike = replace(problem, level=1)
        limits = Limits(rounds, self.queries)
        found = None if limits.any else _when_sure(alike, _rough(level), limits, self.ticks)
        if found is None:
            other = None
            if problem.known_p is not None:
                other = _by_theorem(alike, _rough(level), rounds, self.ticks)
            if other is not None and not limits.keep(other.rounds, other.queries):
                other = None
            found = _when_sure(alike, _rough(level), limits, self.ticks, other)
        return self._option(problem, found, rounds)

    def majority(
        self, problem: Problem, level: Fraction | int, rounds: int | None
    ) -> Option | None:
        """Return the plan with the fewest questions on average and no narrowing.

        Its promise holds even if the reliability of an answer depends on the distance of the
        question from the number: proofs/samples.md.
        """
        limits = Limits(rounds, self.queries)
        alike, level = replace(problem, level=1), _rough(level)
        found = _when_sure(alike, level, limits, self.ticks, by_distance=True)
        return self._option(problem, found, rounds)

    def fixed(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """Return the plan with the fewest questions if every run asks equally many."""
        level = _rough(level)
        if isinstance(self.misses, Calibrated):
            theorem, ticks = Theorem(p_of(problem)), self.ticks
            found = cheapest_noisy_near(
                problem, level, theorem, self.misses, rounds=rounds, ticks=ticks
            )
        else:
            found = _by_theorem(replace(problem, level=1), level, rounds, self.ticks)
        return self._option(problem, found, rounds)

    def paper(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """Return the plan with the constants of the paper."""
        return self._option(problem, paper_noisy(problem, level, self.units), rounds)

    def bz(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """Return a BZ search of the whole range, with its own rule and bound: no privacy."""
        bound = Theorem(p_of(problem), walked=False)
        return self._option(problem, unhidden_noisy(problem, bound, self.ticks), rounds)

    def bisection(
        self, problem: Problem, level: Fraction | int, rounds: int | None
    ) -> Option | None:
        """Return probabilistic bisection with as many answers as BZ: no privacy and no proof."""
        found = unhidden_noisy(problem, Theorem(p_of(problem)), self.ticks)
        shape = replace(cast(NoisyShape, found.shape), rules=("posterior", "posterior"))
        return self._option(problem, replace(found, shape=shape, losses=()), rounds)

    def _option(self, problem: Problem, member: Member | None, rounds: int | None) -> Option | None:
        if member is None or (rounds is not None and member.rounds > rounds):
            return None
        size = problem.values or member.size
        check_cells(size, problem, self.units)
        shape = member.shape
        if isinstance(shape, SequentialShape):
            strategy: Strategy = SequentialNoisy(problem, size, shape)
        else:
            strategy = StagedNoisy(problem, size, shape)
        return Option(
            queries=math.ceil(member.mean),
            share=member.success,
            strategy=strategy,
            success=member.success,
            losses=member.losses,
        )


def _rough(level: Fraction | int) -> Fraction:
    """Return a coordinate's level rounded up to a multiple of 1/2.

    Differences too small for a noisy plan to use are rounded away, so that plans are shared.
    """
    return Fraction(ceil_div(2 * level, 1), 2)


@lru_cache(maxsize=1024)  # coordinates, and plans for other levels, ask the same again
def _when_sure(
    problem: Problem,
    level: Fraction,
    limits: Limits,
    ticks: int | None,
    best: Member | None = None,
    *,
    by_distance: bool = False,
) -> Member | None:
    """Return the member with the fewest questions on average; the problem's level is ignored."""
    try:
        return surest(problem, level, limits, ticks=ticks, best=best, by_distance=by_distance)
    except TooLarge:  # in the longest run: a member of fixed length may be short enough
        if by_distance:  # no member of fixed length makes this claim
            raise
        return None


@lru_cache(maxsize=1024)  # coordinates, and plans for other levels, ask the same again
def _by_theorem(
    problem: Problem, level: Fraction, rounds: int | None, ticks: int | None
) -> Member | None:
    """Return the cheapest member certified by theorem; the problem's level is ignored."""
    return cheapest_noisy(problem, level, Theorem(p_of(problem)), rounds=rounds, ticks=ticks)


def fewest_rounds(problem: Problem, level: Fraction | int) -> int | None:
    """Return the fewest rounds of any noisy plan that is certified by theorem.

    Args:
        problem: The problem of one coordinate.
        level: The level of that coordinate.

    Returns:
        The number of rounds, or None if no plan is private enough.
    """
    found = quickest_noisy(problem, level, Theorem(p_of(problem)))
    return None if found is None else found.rounds
