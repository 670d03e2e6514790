"""Answers for the planner's page: plans, remedies for impossible ones, and pictures of runs.

Each function also works without HTTP. Plans are cached, since a slider returns to the same values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from feint.errors import InvalidValue, TooLarge
from feint.exact import plain, text
from feint.planning import Plan, compare, deal, frontier
from feint.problem import Domain
from feint.server.shapes import NewProblem
from feint.server.story import frame, played
from feint.simulate.adversaries import NAMES

_KEPT = 256
_EXACT = 1 << 18  # the most branches of an audit on request
_RUNS = 4000
_EXAMPLES = 10  # seeds to try: at level 2 she wins with all of them once in a thousand times
_EQUAL = 1e-9  # the largest rounding error between equal probabilities
_LONG = 20_000  # the most questions of a run that is drawn
_CHOICE = re.compile(r"(\w+) = ([0-9./-]+)")
_MENDED = {"epsilon", "delta", "level", "high", "step", "tick", "p", "confidence", "max_rounds"}


def planned(new: NewProblem) -> dict[str, Any]:
    """Return the recommended plan: its cost, its promises, and an example run.

    Raises:
        FeintError: There is no plan.
    """
    plan, domains = _made(new.model_dump_json())
    return summary(plan, domains) | {"frame": frame(plan)}


def summary(plan: Plan, domains: Sequence[Domain] | None = None) -> dict[str, Any]:
    """Return the cost and the promises of a plan, for a table, in words of the domains."""
    success = plan.promised
    return {
        "method": plan.method,
        "deal": deal(plan, domains),
        "queries": plan.queries,
        "lower_bound": plan.lower_bound,
        "optimality": plan.optimality,
        "rounds": plan.rounds,
        **plan.means(),
        "adversary_success": None if success is None else float(success),
        "success": None if success is None else text(success),
        "places": plan.places,
        "certificate": plan.certificate,
        "private": plan.private,
        "condition": plan.condition or None,
    }


def methods(new: NewProblem) -> list[dict[str, Any]]:
    """Return all methods side by side, except those that exceed the number of rounds."""
    return [dict(each) for each in _methods(new.model_dump_json())]


def trades(new: NewProblem) -> list[dict[str, Any]]:
    """Return the trade-off of questions against rounds, the fewest questions first."""
    whole = new.model_copy(update={"max_rounds": None})
    return [dict(each) for each in _trades(whole.model_dump_json())]


def example(new: NewProblem, number: Fraction, *, seed: int) -> dict[str, Any]:
    """Return one run of a plan for a given number, and whether the eavesdropper misses it.

    She misses as often as the plan says. A run in which she is lucky would suggest the opposite of
    the promise, so the example is the first of a few seeds with which she misses.

    Raises:
        FeintError: There is no plan, or it is too long to draw.
    """
    plan = _plan(new.model_dump_json())
    if plan.queries > _LONG or plan.problem.noisy or plan.problem.dim > 1:
        rule = "a run without noise, for one number, with few questions is drawn"
        raise TooLarge("queries", plan.queries, rule, "raise epsilon")
    first = None
    for tried in range(seed, seed + _EXAMPLES):
        story = played(plan, number, seed=tried)
        if _misses(story):
            return story | {"misses": True}
        first = first or story
        if plan.queries > _LONG // _EXAMPLES:
            break
    return (first or {}) | {"misses": False}


def _misses(story: Mapping[str, Any]) -> bool:
    """Return True if some guess that is optimal for her is too far from the number to win."""
    if not story["heard"]:
        return False
    last, half = story["heard"][-1], story["delta"] / 2
    low, high, most = last["window"]
    guesses = [(low + high) / 2]
    for start, end, probability in last["pieces"]:
        if end - start <= story["delta"] and abs(probability - most) < _EQUAL:
            guesses.append((start + end) / 2)
    inside = (min(max(each, story["low"] + half), story["high"] - half) for each in guesses)
    return any(abs(each - story["number"]) > half for each in inside)


def audited(new: NewProblem) -> dict[str, Any]:
    """Return every eavesdropper's success: exact if that is quick, sampled for the named ones.

    Raises:
        FeintError: There is no plan.
    """
    return dict(_audited(new.model_dump_json()))


def mends(new: NewProblem, error: InvalidValue) -> list[dict[str, str]]:
    """Return those changes suggested by an error that make a plan possible."""
    found = []
    for choice in error.remedy.split(", or "):
        named = [pair for pair in _CHOICE.findall(choice) if pair[0] in _MENDED]
        shorter = {name: _short(value) for name, value in named}
        for change in (shorter, dict(named)):
            if change and _possible(new, change):
                found.append(change)
                break
    return found


def _short(value: str) -> str:
    """Return a number rounded down to a decimal of at most three digits."""
    exact = Fraction(value)
    unit = Fraction(10) ** (math.floor(math.log10(exact)) - 2) if exact > 0 else Fraction(1)
    return plain(exact // unit * unit) if exact.denominator > 1 else value


def _possible(new: NewProblem, change: dict[str, str]) -> bool:
    try:
        _plan(NewProblem.model_validate(new.model_dump() | change).model_dump_json())
    except ValueError:  # both our errors and pydantic's are ValueErrors
        return False
    return True


def _plan(words: str) -> Plan:
    return _made(words)[0]


@lru_cache(_KEPT)
def _made(words: str) -> tuple[Plan, tuple[Domain, ...]]:
    return NewProblem.model_validate_json(words).plan()


@lru_cache(_KEPT)
def _methods(words: str) -> tuple[dict[str, Any], ...]:
    plan = _plan(words)
    rounds = NewProblem.model_validate_json(words).max_rounds
    found = compare(plan.problem, domain=plan.domain, max_rounds=rounds)
    return tuple(map(summary, found))


@lru_cache(_KEPT)
def _trades(words: str) -> tuple[dict[str, Any], ...]:
    plan = _plan(words)
    found = frontier(plan.problem, domain=plan.domain)
    return tuple({"rounds": each.rounds, "queries": each.queries} | each.means() for each in found)


@lru_cache(_KEPT)
def _audited(words: str) -> dict[str, Any]:
    from feint.audit import audit  # most servers never audit, and would start more slowly

    plan = _plan(words)
    names = [name for name in NAMES if name != "learned"]
    report, bars = None, []
    if not plan.problem.noisy and plan.problem.dim == 1:
        try:
            report = audit(plan, limit=_EXACT)
        except TooLarge:
            report = None
        sampled = audit(plan, runs=_RUNS, adversaries=names)
        bars = [
            {"name": each.name, "rate": float(each.rate), "low": each.low, "high": each.high}
            for each in sampled.adversaries
        ]
    shown = report.to_dict() if report is not None else None
    return {"plan": summary(plan), "frame": frame(plan), "report": shown, "bars": bars}


ATTACKED = ("bisection", "grid", "paper", "tight")
MARKET = Domain(20, 100, label="price")
_ATTACK = NewProblem(low=20, high=100, epsilon="0.5", delta=10, level=8, labels=["price"])


@lru_cache(_KEPT)
def attack(cell: int) -> dict[str, Any]:
    """Return four searches for one number, and the conclusions of a listener in each.

    Args:
        cell: The place of the number, in halves above the low end of the market.

    Returns:
        A story for each method.
    """
    number = MARKET.low + Fraction(2 * cell + 1, 4)
    stories = {}
    for method in ATTACKED:
        new = _ATTACK.model_copy(update={"method": method})
        stories[method] = played(_plan(new.model_dump_json()), number, seed=cell)
    return {"number": float(number), "stories": stories}
