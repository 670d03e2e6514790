"""Noisy plans under a prior, made in the prior's quantile, where X* is uniform.

Let u = F(x), and let G be the mass of the heaviest window. Every window of length δ lies in a
window of u of length G. So a plan for the uniform problem with δ = G keeps its promise. Its cells,
which are equal in u, are shown at the prior's quantiles.

For accuracy, let every stretch of u of length ε_u/2 be at most ε/2 wide, except for a set of mass
τ. Then a plan that misses ε_u with probability 1/M − τ misses ε with probability 1/M. For errors on
average τ must be zero, and the error in u is multiplied by the steepness of x (proofs/quantile.md).
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

_TICKS = 10**7  # per mass of a cell, at least: rounding adds under a millionth of 1/L
_ROOM = Fraction(1, 10**4)  # of the heaviest window and of the accuracy, kept for rounding to ticks
_ROUNDED = Fraction(1, 10**5)  # of what may be missed and of ε_u, likewise


@dataclass(frozen=True)
class _How:
    """The way in which every coordinate is planned.

    Attributes:
        method: One of `NOISY_METHODS`.
        rounds: The most rounds; None for any number.
        queries: The most questions; None for any number.
    """

    method: str
    rounds: int | None
    queries: int | None


@dataclass(frozen=True)
class _Quantile:
    """A uniform problem in a prior's quantile that solves the given problem."""

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
    """Return the cheapest noisy plan under the problem's prior, certified by theorem.

    Args:
        problem: The problem, with a prior and a p.
        units: The user's units.
        method: One of `NOISY_METHODS`.
        rounds: The most rounds; None for any number.
        margin: The factor by which the true density may exceed the stated one.
        queries: The most questions; None for any number.

    Returns:
        The plan.

    Raises:
        UnknownMethod: There is no such method.
        InvalidValue: The prior gives weights of whole values, or the user chose a tick. Neither
            has noisy plans.
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
    """Return one plan per coordinate, each with an equal share of the level and of the misses."""
    room = 1 / (problem.level * margin) - problem.distance  # the binning error counts for her
    if room <= 0:
        return None
    level = 1 / room
    parts = level if problem.dim == 1 else Fraction(problem.parts)
    if problem.dim > 1 and parts**problem.dim < level:
        parts = Fraction(math.ceil(float(level) ** (1 / problem.dim) + 1e-9))
    # Equal binned priors may come from different stated ones, so the key includes the distance.
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
    """Return the plan of one coordinate in its quantile."""
    heaviest = law.blind(problem.delta) * (1 + _ROOM)
    sure, epsilon = problem.confidence, problem.epsilon * (1 - _ROOM)
    # Plans miss more often at some places than at others. So under the stated prior they may miss
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
    """Return the least density as a fraction of the uniform one."""
    return Fraction(min(law.weights) * law.bins, law.total)


def _finest(law: Prior, epsilon: Fraction, thin: Fraction) -> Fraction:
    """Return ε_u: except on a set of mass `thin`, u within ε_u/2 implies x within ε/2.

    That is so if the ε/2 to the right of X* and the ε/2 to its left each have mass ε_u/2 or reach
    past the end of the range. A bin in which some place has less beside it is given up as a whole.
    If `thin` is below zero, no bin is given up, not even one without mass.
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
    """Return the least mass of a stretch of `half` bins that begins in each bin.

    The mass is linear between places at which the stretch begins or ends with a bin. Stretches
    that go past the last bin do not count.
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
    """Return what each stage may lose in all coordinates, in chances or in the user's range."""
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
    """Return the scale of a prior's quantiles, with each mark rounded down to a tick.

    Raises:
        TooLarge: There are too many cells to place one by one.
    """
    if size > UNEVEN_CELLS:
        rule = f"an uneven lattice has at most {UNEVEN_CELLS} cells"
        raise TooLarge("epsilon", f"one of {size} cells", rule, "raise epsilon")
    # The tick suits the densest place of the prior: a cell may have all its mass in one spike.
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
