"""Find the best plan that a number of questions allows: the inverse of `plan`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from feint.errors import InvalidValue, NoPlan, OutOfRegime, TooLarge
from feint.exact import Number, bracket, ceil_root, plain, whole
from feint.interfaces import Progress, progress_of
from feint.planning.limits import DELTA_STEPS, HIGHEST_LEVEL, NOISY_STEPS
from feint.planning.noisy import FIXED
from feint.planning.planner import plan
from feint.planning.plans import Plan
from feint.problem import UNIT, Domain, NoiseLike, Problem, Setting, domain_of
from feint.problem.regime import read_width

_TRIED = 24  # the usual number of plans to try, for the progress report


@dataclass(frozen=True)
class Affordable:
    """The best guarantee that a budget allows.

    Attributes:
        level: The largest level, or the given one.
        delta: The given delta, or the largest one.
        plan: The plan that achieves it within the budget.
    """

    level: int
    delta: Fraction
    plan: Plan


def afford(
    *,
    queries: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    level: Number | None = None,
    setting: Setting = "bayesian",
    dim: Number = 1,
    values: Number | None = None,
    max_rounds: int | None = None,
    p: NoiseLike | None = None,
    confidence: Number | None = None,
    domain: Domain | None = None,
    prior: object = None,
    margin: Number = 1,
    progress: Progress | None = None,
) -> Affordable:
    """Find the largest level, or for a given level the largest delta, for a number of questions.

    Under noise delta is found to one part in 256, and a larger delta is occasionally cheaper.

    Args:
        queries: The maximum number of questions.
        epsilon: The full width of the accuracy; 1/`values` for whole values.
        delta: The full width of the eavesdropper's success. Leave it out to find it.
        level: L. Leave it out to find it.
        setting: As in Problem.
        dim: As in Problem.
        values: As in Problem.
        max_rounds: As in `plan`.
        p: As in Problem.
        confidence: As in Problem.
        domain: The user's units, for epsilon and for delta, given or found. A domain with a step
            determines the number of values.
        prior: As in `Domain.problem`. A delta is then found to one part in 256.
        margin: As in `plan`.
        progress: A function that receives the number of plans tried and the expected total.

    Returns:
        The level and delta, with the plan.

    Raises:
        InvalidValue: Neither or both of delta and level are given.
        NoPlan: The budget does not even allow level 2, or the smallest delta.
    """
    budget = whole(queries, "queries", least=1)
    units = _units(domain, values)
    width = units.step
    if width is None:
        if epsilon is None:
            raise InvalidValue("epsilon", "nothing", "is needed on an interval", "give its width")
        width = read_width(epsilon, "epsilon")
    if delta is not None and level is not None:
        rule = "if delta is given, the number of questions determines the level"
        raise InvalidValue("level", level, rule, "leave out level, or delta")
    if delta is None and level is None:
        rule = "delta or level must be given: the number of questions determines the other"
        raise InvalidValue("delta", "nothing", rule, "give delta, or level")

    laws = None if prior is None else units.priors(prior, whole(dim, "dim", least=1))

    def planned(some_delta: Fraction, some_level: int) -> Plan:
        problem = units.problem(
            epsilon=width,
            delta=some_delta,
            level=some_level,
            setting=setting,
            p=p,
            confidence=confidence,
            dim=dim,
            prior=laws,
            margin=margin,
        )
        how: dict[str, Any] = {"domain": units, "max_rounds": max_rounds, "margin": margin}
        return _planned(problem, budget, how)

    purse = _Purse(budget, planned, progress_of(progress))
    if delta is not None:
        secret, most = read_width(delta, "delta"), whole(dim, "dim", least=1)
        return _largest_level(secret, int(units.width / secret) ** most, purse)
    least, fine = (2 * width, DELTA_STEPS) if p is None else (4 * width, NOISY_STEPS)
    fine = fine if prior is None else NOISY_STEPS
    if level is None:
        raise InvalidValue("level", level, "is needed without delta", "give one")
    wanted = whole(level, "level", least=2)
    highest = units.width / ceil_root(wanted, whole(dim, "dim", least=1))
    if units.step is not None:
        return _most_values(width, (wanted, highest), purse)
    return _largest_delta((least, fine), (wanted, highest), purse)


def _units(domain: Domain | None, values: Number | None) -> Domain:
    """Return the user's units; a number of values is equivalent to a domain with a step.

    Raises:
        InvalidValue: Both are given.
    """
    units = domain_of(domain)
    if values is None:
        return units or UNIT
    if units is not None:
        rule = "repeats what the domain says"
        raise InvalidValue("values", values, rule, "leave one of them out")
    part = Fraction(1, whole(values, "values", least=2))
    return Domain(0, 1 - part, step=part)


def _planned(problem: Problem, budget: int, how: Mapping[str, Any]) -> Plan:
    """Return a plan within the budget if there is one, else under noise the shortest plan."""
    if not problem.noisy:
        return plan(problem, **how)
    try:  # the plan with the smallest mean may have a long worst case
        return plan(problem, max_queries=budget, **how)
    except NoPlan as error:
        if error.argument != "max_queries":
            raise
    return plan(problem, method=FIXED, **how)


@dataclass(frozen=True)
class _Purse:
    """A budget, with a cache of the plans that were tried for it.

    Attributes:
        budget: The maximum number of questions.
        plan: The function that makes the plan for a delta, in the user's units, and a level.
        progress: A function that is called after each plan.
    """

    budget: int
    plan: Callable[[Fraction, int], Plan]
    progress: Progress | None = None
    _made: dict[tuple[Fraction, int], Plan | None] = field(default_factory=dict)

    def within(self, delta: Fraction, level: int) -> Plan | None:
        """Return the plan if the budget allows it, else None; each plan is made only once."""
        if (delta, level) not in self._made:
            if self.progress is not None:
                tried = len(self._made)
                self.progress("plans tried", tried, max(_TRIED, tried + 1))
            self._made[delta, level] = self._within(delta, level)
        return self._made[delta, level]

    def _within(self, delta: Fraction, level: int) -> Plan | None:
        try:
            found = self.plan(delta, level)
        except (
            NoPlan,
            OutOfRegime,
            TooLarge,
        ):  # too near to delta = 1/level, too few rounds, or too small an epsilon
            return None
        return found if found.queries <= self.budget else None

    def least(self, delta: Fraction, level: int, name: str) -> Plan:
        """Return the plan with the weakest guarantee, or raise an error that states its cost."""
        found = self.plan(delta, level)
        if found.queries <= self.budget:
            return found
        rule, remedy = f"is too few even for {name}", f"give {found.queries} or more"
        raise NoPlan("queries", self.budget, rule, remedy)


def _largest_level(delta: Fraction, most: int, purse: _Purse) -> Affordable:
    best = purse.least(delta, 2, "level 2")
    low, high = 2, min(HIGHEST_LEVEL, most) + 1
    while 2 * low < high and (found := purse.within(delta, 2 * low)) is not None:
        low, best = 2 * low, found
    most, _ = bracket(lambda level: purse.within(delta, level) is None, low, min(high, 2 * low))
    return Affordable(most, delta, purse.within(delta, most) or best)


def _largest_delta(
    start: tuple[Fraction, int], end: tuple[int, Fraction], purse: _Purse
) -> Affordable:
    """Return the largest delta that the budget allows, to one step.

    The largest delta is usually a ratio of small numbers. So every other step tries the simplest
    fraction in the bracket. The search ends if that one fits and one step more costs too much. This
    takes about 15 plans instead of 40 by bisection alone. The steps in between halve the bracket,
    which limits the worst case.
    """
    (low, fine), (level, high) = start, end
    best = purse.least(low, level, f"delta = {plain(low)} (the smallest at this epsilon)")
    whole_range = purse.within(high, level)
    if whole_range is not None:
        return Affordable(level, high, whole_range)
    step = (high - low) / fine
    good, bad = low, high
    while bad - good > step:
        middle = (good + bad) / 2
        if purse.within(middle, level) is None:
            bad = middle
        else:
            good = middle
        simple = _simplest(good, bad)
        if good < simple < bad:
            if purse.within(simple, level) is None:
                bad = simple
                continue
            good = simple
        if good == simple < bad - step and purse.within(good + step, level) is None:
            bad = good + step
    return Affordable(level, good, purse.within(good, level) or best)


def _most_values(epsilon: Fraction, end: tuple[int, Fraction], purse: _Purse) -> Affordable:
    level, highest = end
    best = purse.least(epsilon, level, "delta = one value")
    over = int(highest / epsilon) + 1
    most, _ = bracket(lambda count: purse.within(epsilon * count, level) is None, 1, over)
    return Affordable(level, epsilon * most, purse.within(epsilon * most, level) or best)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator in a closed positive interval."""
    floor = math.floor(low)
    if floor == low or floor + 1 <= high:
        return Fraction(floor if floor == low else floor + 1)
    return floor + 1 / _simplest(1 / (high - floor), 1 / (low - floor))
