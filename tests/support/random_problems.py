"""Draw random problems as plain data, and plan them.

A problem is drawn as a dictionary for JSON, without any of feint's code, so that a stored one means
the same whatever a later planner or `Problem` makes of it.
"""

import random
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from feint import Domain, OutsideRange, Plan, Problem, plan

Spec = dict[str, Any]
"""Arguments of `Domain` ("domain"), of the problem ("problem") and of `plan` ("how")."""


def problem_of(spec: Spec) -> tuple[Problem, Domain | None]:
    """Build the problem that a specification describes, and its domain if it has one.

    Raises:
        InvalidValue: There is no such problem.
    """
    given = dict(spec["problem"])
    if "domain" not in spec:
        return Problem(given.pop("epsilon"), given.pop("delta"), given.pop("level"), **given), None
    domain = Domain(**spec["domain"])
    rare = spec.get("rare")
    if rare is not None:
        given["prior"] = [1000] * (domain.values or 0)
        given["prior"][rare] -= 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideRange)  # ends of a normal prior are cut off
        return domain.problem(**given), domain


def plan_of(spec: Spec) -> Plan:
    """Plan for a specification.

    Raises:
        InvalidValue: There is no such problem, or no plan.
    """
    problem, domain = problem_of(spec)
    return plan(problem, domain=domain, **spec["how"])


def drawn(name: str, attempt: int = 0) -> Spec:
    """Draw a problem.

    Args:
        name: Its kind and number, such as "whole 7".
        attempt: Another draw for the same name: some problems make no sense, or take too long.
    """
    draw = random.Random(f"{name} attempt {attempt}")
    return KINDS[name.split()[0]][1](draw)


def _how(draw: random.Random) -> dict[str, Any]:
    """Draw what else is asked of a plan: nothing in five of seven."""
    kind = draw.randrange(7)
    if kind == 0:
        return {"max_rounds": draw.choice([1, 2, 3, 4, 5, 6, 8])}
    return {"repeatable": True} if kind == 1 else {}


def _setting(draw: random.Random) -> str:
    return draw.choice(["bayesian", "bayesian", "deterministic"])


def _log(draw: random.Random, low: int, high: int) -> int:
    """Draw a whole number that is small as often as it is large."""
    return min(high, int(low * (Fraction(high + 1, low) ** draw.random())))


def _interval(draw: random.Random) -> Spec:
    """Draw a problem on an interval, with questions at any place."""
    level = draw.choice([2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 20])
    delta = Fraction(1, level) / Fraction(draw.choice(["1", "5/4", "3/2", "2", "7/3", "3", "5"]))
    finer = ["1", "2", "5/2", "3", "4", "6", "10", "16", "25", "100", "1000"]
    epsilon = delta / Fraction(draw.choice(finer))
    problem = {"epsilon": str(epsilon), "delta": str(delta), "level": level}
    return {"problem": problem | {"setting": _setting(draw)}, "how": _how(draw)}


def _simple(draw: random.Random) -> Spec:
    """Draw an ordinary number of whole values, without further requirements."""
    level, window = draw.choice([2, 3, 4, 5, 6, 8]), draw.choice([1, 2, 3, 4, 5, 8])
    values = level * window + _log(draw, 4, 400)
    problem = {"delta": window, "level": level, "setting": _setting(draw)}
    return {"domain": {"low": 0, "high": values - 1, "step": 1}, "problem": problem, "how": {}}


def _whole(draw: random.Random) -> Spec:
    """Draw whole values, such as prices in euros or commits."""
    level = draw.choice([2, 2, 3, 3, 4, 5, 6, 7, 9, 12, 20])
    window = draw.choice([1, 1, 2, 2, 3, 4, 5, 8, 16, 46])
    values = level * window + _log(draw, 1, 1200) - 1
    low, step = draw.choice([0, 1, 10, -20]), draw.choice([1, 1, 1, 5])
    domain = {"low": low, "high": low + (values - 1) * step, "step": step}
    problem: dict[str, Any] = {"delta": window * step, "level": level, "setting": _setting(draw)}
    if draw.random() < 0.15:
        problem["winning"] = "within"
    return {"domain": domain, "problem": problem, "how": _how(draw)}


def _tick(draw: random.Random) -> Spec:
    """Draw questions at multiples of a tick; ends of the range may lie off it."""
    tick = Fraction(draw.choice(["1", "1", "0.5", "0.25", "2", "5", "0.01"]))
    low = draw.choice([0, 0, -3, 7, 100]) * tick
    low += Fraction(draw.choice(["0", "0", "0", "1/10", "1/2"])) * tick
    width = (_log(draw, 12, 1500) + Fraction(draw.choice(["0", "0", "0", "1/4"]))) * tick
    level = draw.choice([2, 2, 3, 3, 4, 5, 7])
    delta = width / level * Fraction(draw.choice(["1/4", "1/3", "1/2", "2/3", "9/10", "1"]))
    epsilon = max(tick, delta / draw.choice([2, 3, 4, 6, 12]))
    domain = {"low": str(low), "high": str(low + width), "tick": str(tick)}
    problem = {"epsilon": str(epsilon), "delta": str(delta), "level": level}
    return {
        "domain": domain,
        "problem": problem | {"setting": _setting(draw)},
        "how": _how(draw),
    }


def _shown(draw: random.Random) -> Spec:
    """Draw a range in other units, for which the plan chooses the shown decimals."""
    low, width = draw.choice([(0, 100), (10, 100), (0, 1), (-40, 80), (5, 7), (0, 365), (1, 999)])
    level = draw.choice([2, 2, 3, 3, 4, 5, 7])
    delta = Fraction(width, level) * Fraction(draw.choice(["1/5", "1/3", "2/5", "1/2", "3/4", "1"]))
    epsilon = delta / draw.choice([2, 3, 4, 5, 8, 15, 60])
    problem = {"epsilon": str(epsilon), "delta": str(delta), "level": level}
    return {
        "domain": {"low": low, "high": low + width},
        "problem": problem | {"setting": _setting(draw)},
        "how": _how(draw),
    }


def _rare(draw: random.Random) -> Spec:
    """Draw whole values of which one is 0.1 % less likely than the others."""
    level, window = draw.choice([2, 3, 4, 6]), draw.choice([1, 2, 3, 5, 8, 16, 46])
    values = level * window + _log(draw, 1, 200)
    return {
        "domain": {"low": 0, "high": values - 1, "step": 1},
        "rare": draw.randrange(values),
        "problem": {"delta": window, "level": level},
        "how": _how(draw),
    }


def _believed(draw: random.Random) -> Spec:
    """Draw whole values of which some are likelier than others."""
    values, level = _log(draw, 9, 200), draw.choice([2, 2, 3, 4])
    kind = draw.randrange(3)
    prior: Any = [draw.randrange(2, 9) for _ in range(values)]
    if kind == 1:
        prior = f"normal({values * draw.choice([3, 4, 5]) // 10}, {values // 3})"
    elif kind == 2:
        middle = draw.randrange(values)
        prior = [1 + each if each <= middle else 2 for each in range(values)]
    return {
        "domain": {"low": 0, "high": values - 1, "step": 1},
        "problem": {"delta": draw.choice([1, 1, 2, 3]), "level": level, "prior": prior},
        "how": _how(draw),
    }


def _prior(draw: random.Random) -> Spec:
    """Draw an interval of which some places are likelier than others, with or without a tick."""
    weights = [draw.randrange(2, 9) for _ in range(draw.choice([3, 4, 5, 8, 12]))]
    laws = ["normal(40, 15)", "normal(30, 25)", "triangular(0, 25, 60)", "beta(2, 3)", "beta(2, 2)"]
    prior: Any = draw.choice([weights, weights, *laws])
    domain: dict[str, Any] = {"low": 0, "high": 1 if str(prior).startswith("beta") else 60}
    unit = Fraction(domain["high"], 60)
    if draw.random() < 0.35:
        domain["tick"] = str(unit * Fraction(draw.choice(["1", "1/2"])))
    epsilon, delta = unit * draw.choice([1, 2, 3, 5]), unit * draw.choice([3, 5, 6, 8, 10])
    problem = {"epsilon": str(min(epsilon, delta)), "delta": str(delta), "prior": prior}
    return {
        "domain": domain,
        "problem": problem | {"level": draw.choice([2, 2, 3, 4])},
        "how": _how(draw),
    }


def _two(draw: random.Random) -> Spec:
    """Draw two numbers at once."""
    level, setting = draw.choice([2, 3, 4, 5, 6, 9]), _setting(draw)
    kind = draw.randrange(6)
    if kind < 3:
        values, window = _log(draw, 6, 120), draw.choice([1, 2, 3, 4, 8])
        problem: dict[str, Any] = {"delta": window, "level": level, "dim": 2, "setting": setting}
        domain: dict[str, Any] = {"low": 0, "high": values - 1, "step": 1}
        return {"domain": domain, "problem": problem, "how": _how(draw)}
    width = Fraction(60)
    delta = width / draw.choice([2, 3, 4, 6, 7])
    epsilon = delta / draw.choice([1, 2, 3, 4])
    problem = {"epsilon": str(epsilon), "delta": str(delta), "level": level, "dim": 2}
    domain = {"low": 0, "high": 60}
    if kind == 3:
        problem["prior"] = [draw.randrange(3, 7) for _ in range(draw.choice([2, 3, 4]))]
        return {"domain": domain, "problem": problem, "how": _how(draw)}
    if kind == 4:
        domain["tick"] = draw.choice(["1", "0.5", "2"])
    return {"domain": domain, "problem": problem | {"setting": setting}, "how": _how(draw)}


KINDS: dict[str, tuple[int, Callable[[random.Random], Spec]]] = {
    "interval": (170, _interval),
    "whole": (250, _whole),
    "tick": (140, _tick),
    "shown": (90, _shown),
    "rare": (70, _rare),
    "believed": (70, _believed),
    "prior": (80, _prior),
    "two": (130, _two),
    "simple": (200, _simple),
}
"""How many problems of each kind are planned, and how one is drawn.

The last kind is for the average number of questions, and the others, a thousand, for the most.
"""
