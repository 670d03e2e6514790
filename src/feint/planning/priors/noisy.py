"""Noisy plans under a prior, in the prior's own quantile: there X* is uniform.

With u = F(x) every window of length δ lies in a window of u of length G, the heaviest window's
mass. So a plan for the uniform problem with δ = G keeps its promise; its cells, alike in u, are
shown at the prior's quantiles. Accuracy: where every stretch of u of length ε_u/2 but for a set of
mass τ is at most ε/2 wide, a plan that misses ε_u with probability 1/M − τ misses ε with 1/M; on
average, τ must be nothing, and the error in u counts as many times as x is steep
(proofs/quantile.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from feint.errors import InvalidValue, NoPlan, TooLarge, UnknownMethod
from feint.interfaces import Strategy
from feint.planning.decimals import power_of_ten
from feint.planning.limits import UNEVEN_CELLS
from feint.planning.noisy import FIXED, noisy_methods
from feint.planning.option import Option
from feint.planning.plans import Plan
from feint.planning.priors.places import Float
from feint.problem import UNIT, Domain, Line, Prior, Problem
from feint.strategies import Product

NOISY_METHODS = ("tight", FIXED)
"""The methods under a prior and noise."""

_THIN = tuple(Fraction(each, 64) for each in (0, 1, 4, 8, 16, 24, 32))
"""Shares of what may be missed that are given to where the prior is thin."""

_TICKS = 10**7  # that weigh as much as a cell, at least: rounding adds under a millionth of 1/L
_ROOM = Fraction(1, 10**4)  # of the heaviest window and of the accuracy, kept for rounding to ticks
_ROUNDED = Fraction(1, 10**5)  # of what may be missed and of ε_u, likewise


@dataclass(frozen=True)
class _How:
    """How every coordinate is planned.

    Attributes:
        method: One of `NOISY_METHODS`.
        rounds: The most rounds there may be; None: any number.
        queries: The most questions there may be; None: any number.
    """

    method: str
    rounds: int | None
    queries: int | None


@dataclass(frozen=True)
class _Quantile:
    """A uniform problem in a prior's quantile that solves the one asked for."""

    problem: Problem
    option: Option


def noisy_prior_plan(
    problem: Problem,
    units: Domain,
    method: str,
    *,
    rounds: int | None,
    margin: Fraction,
    queries: int | None = None,
) -> Plan:
    """Return the cheapest noisy plan under the problem's prior, by theorem.

    Args:
        problem: What is wanted, with a prior and a p.
        units: The user's.
        method: One of `NOISY_METHODS`.
        rounds: How many rounds there may be; None: any number.
        margin: How many times denser than stated the truth may be.
        queries: How many questions there may be; None: any number.

    Returns:
        The plan.

    Raises:
        UnknownMethod: There is no such method.
        InvalidValue: Of whole values with weights, or with a tick of one's own, there is no noisy
            plan.
        NoPlan: Nothing in the family fits.
    """
    if method not in NOISY_METHODS:
        rule = f"under a prior and noise there are {', '.join(NOISY_METHODS)}"
        raise UnknownMethod("method", method, rule, "pick one of them")
    if problem.values is not None or units.tick is not None:
        given = {"tick": units.tick, "step": units.step, "values": problem.values}
        name, value = next((name, each) for name, each in given.items() if each is not None)
        rule = "under noise a prior is planned for on an interval, questions where they fall"
        raise InvalidValue(name, value, rule, "leave it out, or leave out p or the prior")
    laws = tuple(problem.law(each) for each in range(problem.dim))
    best: list[_Quantile] | None = None
    how = _How(method, rounds, None if queries is None else queries // problem.dim)
    for thin in _THIN if problem.confidence is not None else _THIN[:1]:
        found = _planned(problem, laws, thin, how, margin)
        if found is not None and (best is None or _asked(found) < _asked(best)):
            best = found
    if best is None:
        raise _refusal(problem, how)
    return _plan(problem, units, laws, best, method)


def _asked(found: list[_Quantile]) -> int:
    return sum(each.option.queries for each in found)


def _planned(
    problem: Problem, laws: tuple[Prior, ...], thin: Fraction, how: _How, margin: Fraction
) -> list[_Quantile] | None:
    """One plan a coordinate, all with the same share of the level and of what may be missed."""
    room = 1 / (problem.level * margin) - problem.distance  # what bins do not show is hers
    if room <= 0:
        return None
    level = 1 / room
    parts = level if problem.dim == 1 else Fraction(problem.parts)
    if problem.dim > 1 and parts**problem.dim < level:
        parts = Fraction(math.ceil(float(level) ** (1 / problem.dim) + 1e-9))
    # Laws with equal odds are equal, and may still have been stated by others: by their distance.
    keys = [(law, law.distance) for law in laws]
    known: dict[tuple[Prior, float | None], _Quantile | None] = {}
    for key in keys:
        if key not in known:
            known[key] = _single(problem, key[0], thin, parts, how)
    found = [known[key] for key in keys]
    return [each for each in found if each is not None] if all(found) else None


def _single(
    problem: Problem, law: Prior, thin: Fraction, level: Fraction, how: _How
) -> _Quantile | None:
    """The plan of one coordinate in its quantile."""
    heaviest = law.blind(problem.delta) * (1 + _ROOM)
    sure, epsilon = problem.confidence, problem.epsilon * (1 - _ROOM)
    # Plans miss more often at some places than at others. So under the law as stated they may miss
    # more often than in its bins, by their distance, and be off by as much of the range on average.
    distance = Fraction(law.distance or 0)
    if sure is None:
        fine = _thinnest(law) * (epsilon / problem.dim - 2 * distance)
    else:
        missed = (1 - sure) / problem.dim
        sure = 1 - missed * (1 - thin) * (1 - _ROUNDED)
        given_up = missed * thin - distance
        if given_up < 0:
            return None
        fine = _finest(law, epsilon, given_up)
    if fine <= 0:
        return None
    # A question lies up to 10⁻⁷ of a cell's mass off its quantile, and beside a gap that counts.
    fine = Fraction(math.floor(fine * (1 - _ROUNDED) * 10**12), 10**12)
    try:
        inner = Problem(
            min(fine, heaviest / 4),
            heaviest,
            max(2, math.floor(level)),
            p=problem.p,
            confidence=sure,
        )
    except InvalidValue:
        return None
    make = noisy_methods(inner, UNIT, queries=how.queries)[how.method]
    try:
        option = make(inner, level, how.rounds)
    except TooLarge:
        return None
    return None if option is None else _Quantile(inner, option)


def _thinnest(law: Prior) -> Fraction:
    """The least density, as a share of the uniform one."""
    return Fraction(min(law.weights) * law.bins, law.total)


def _finest(law: Prior, epsilon: Fraction, thin: Fraction) -> Fraction:
    """ε_u: for all X* but a set of mass `thin`, u within ε_u/2 says x within ε/2.

    That is so where the ε/2 to the right of X*, and to its left, weigh ε_u/2 each, or go past the
    end of the range. A bin in which some place has less beside it is given up as a whole; none,
    not even one that weighs nothing, where `thin` is below zero.
    """
    half = float(epsilon * law.bins / 2)
    weights = np.asarray(law.weights, float) / law.total
    lightest = np.minimum(_beside(weights, half), _beside(weights[::-1], half)[::-1])
    order = np.argsort(lightest, kind="stable")
    given = np.cumsum(weights[order])
    first = int(np.searchsorted(given, float(thin) * (1 - 1e-9), side="right"))
    least = float(lightest[order[min(first, law.bins - 1)]])
    return Fraction(max(0.0, 2 * min(least, 0.5) * (1 - 1e-9)))


def _beside(weights: Float, half: float) -> Float:
    """For each bin, the least mass of a stretch that begins in it, `half` bins long.

    It is linear between places at which the stretch begins or ends with a bin. Stretches that go
    past the last bin do not count.
    """
    count = len(weights)
    cumulative = np.concatenate(([0.0], np.cumsum(weights)))
    first = np.arange(count, dtype=float)
    found = np.full(count, np.inf)
    for begin in (first, first + 1, np.ceil(first + half) - half):
        at = np.clip(begin, first, np.minimum(first + 1, count - half))
        ends = np.interp(at + half, np.arange(count + 1), cumulative)
        mass = ends - np.interp(at, np.arange(count + 1), cumulative)
        found = np.minimum(found, np.where(first + half <= count, mass, np.inf))
    return found


def _plan(
    problem: Problem,
    units: Domain,
    laws: tuple[Prior, ...],
    found: list[_Quantile],
    method: str,
) -> Plan:
    strategies = tuple(each.option.strategy for each in found)
    strategy: Strategy = strategies[0]
    if problem.dim > 1:
        strategy = Product(replace(problem, prior=None), strategies)
    keys = [(law, each.option.strategy.cells[0]) for law, each in zip(laws, found, strict=True)]
    made = {(law, size): _scale(law, size, units) for law, size in set(keys)}
    return Plan(
        problem=problem,
        domain=units,
        method=method,
        strategy=strategy,
        certificate="theorem",
        adversary_success=math.prod((each.option.share for each in found), start=Fraction(1)),
        losses=_losses(problem, found),
        scales=tuple(made[key] for key in keys),
    )


def _losses(problem: Problem, found: list[_Quantile]) -> dict[str, float]:
    """What each stage may lose, over all coordinates, in chances or in the user's range."""
    losses: dict[str, float] = {}
    for each in found:
        times = 1.0
        if problem.confidence is None:
            times = float(problem.epsilon / problem.dim / each.problem.epsilon)
        for stage, lost in each.option.losses:
            losses[stage] = losses.get(stage, 0.0) + lost * times
    allowed = float(1 - problem.confidence) if problem.confidence is not None else None
    if allowed is not None:
        thin = allowed - losses["allowed"]
        losses |= {"thin": thin, "total": losses["total"] + thin, "allowed": allowed}
    return losses


def _scale(law: Prior, size: int, units: Domain) -> Line:
    """Return the scale of a prior's quantiles, each mark at the tick at or below its own.

    Raises:
        TooLarge: There are too many to place one by one.
    """
    if size > UNEVEN_CELLS:
        rule = f"an uneven lattice has at most {UNEVEN_CELLS} cells"
        raise TooLarge("epsilon", f"one of {size} cells", rule, "raise epsilon")
    # A tick is measured where the prior is densest: a cell may have all its mass in one spike.
    densest = Fraction(max(law.weights) * law.bins, law.total)
    tick = power_of_ten(units.width / (size * densest * _TICKS))
    return Line.of_quantiles(units.low, units.low + units.width, law, size, tick)


def _refusal(problem: Problem, how: _How) -> NoPlan:
    if how.rounds is not None:
        rule = "no noisy plan under this prior is as quick"
        return NoPlan("max_rounds", how.rounds, rule, "allow more rounds")
    if how.queries is not None:
        rule = "no noisy plan under this prior is as short"
        return NoPlan("max_queries", how.queries * problem.dim, rule, "allow more questions")
    blind = float(problem.blind)
    rule = (
        f"a guess without listening wins with probability {blind:.4g}; under noise there is no plan"
        " this near to 1/level, or the prior is too thin somewhere for this accuracy"
    )
    remedy = "lower the level or delta, raise epsilon, or give a confidence"
    return NoPlan("level", problem.level, rule, remedy)
