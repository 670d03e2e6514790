"""Random plans and their exact audits: `python -m tests.frozen.make_audits` writes them.

The file holds every plan itself, as a saved search holds it, so that its audit can be compared
whatever a later planner makes of the problem. It is written once, before plans change. After that
only a plan that is added needs it written again.
"""

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.frozen.families import FAMILIES
from tests.support.frozen import AUDITS, audited

from feint import Domain, InvalidValue, Problem, TooLarge, methods, plan
from feint.search.saved import encode

PLAYED = 12
"""How many random plans of each kind brute force plays."""

RUNS, POSITIONS = 1500, 300
"""How many ways the runs of such a plan may go, and how many positions its lattice may have."""

Drawn = tuple[Problem, Domain | None, dict[str, Any]]


def _setting(draw: random.Random) -> Any:
    return draw.choice(["bayesian", "bayesian", "deterministic"])


def _interval(draw: random.Random) -> Drawn:
    level = draw.choice([2, 3, 4, 5, 7])
    delta = Fraction(1, level) / Fraction(draw.choice(["1", "3/2", "2", "3", "7/3"]))
    epsilon = delta / draw.choice([2, 3, 4, 6, 10])
    return Problem(epsilon, delta, level, setting=_setting(draw)), None, _how(draw)


def _whole(draw: random.Random) -> Drawn:
    level, window = draw.choice([2, 3, 4, 5, 7]), draw.choice([1, 2, 3, 4, 5, 7])
    values = level * window + draw.randrange(40)
    delta = Fraction(window, values)
    problem = Problem(Fraction(1, values), delta, level, setting=_setting(draw), values=values)
    return problem, None, _how(draw)


def _tick(draw: random.Random) -> Drawn:
    tick = Fraction(draw.choice(["1", "0.5", "0.25", "2"]))
    low = draw.choice([0, -3, 7]) * tick + Fraction(draw.choice(["0", "0", "0.1"]))
    domain = Domain(low, low + draw.randrange(19, 90) * tick, tick=tick)
    level = draw.choice([2, 3, 4])
    delta = domain.width / level * Fraction(draw.choice(["1/3", "1/2", "2/3", "1"]))
    epsilon = max(tick, delta / draw.choice([3, 4, 6]))
    given: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "setting": _setting(draw)}
    return domain.problem(level=level, **given), domain, _how(draw)


def _prior(draw: random.Random) -> Drawn:
    level = draw.choice([2, 2, 3])
    if draw.random() < 0.5:
        values, window = draw.randrange(9, 40), draw.choice([1, 2, 3])
        domain = Domain(0, values - 1, step=1)
        weights = [draw.randrange(2, 9) for _ in range(values)]
        return domain.problem(delta=window, level=level, prior=weights), domain, _how(draw)
    domain = Domain(0, 60, tick=draw.choice([None, None, "0.5"]))
    weights = [draw.randrange(2, 9) for _ in range(draw.choice([3, 5, 8]))]
    given: dict[str, Any] = {"epsilon": draw.choice([2, 3, 5]), "delta": draw.choice([6, 10])}
    return domain.problem(level=level, prior=weights, **given), domain, _how(draw)


def _two(draw: random.Random) -> Drawn:
    level, given = draw.choice([2, 3, 4]), {"dim": 2, "setting": _setting(draw)}
    if draw.random() < 0.5:
        values = draw.randrange(6, 15)
        delta = Fraction(draw.choice([1, 2, 3]), values)
        return Problem(Fraction(1, values), delta, level, values=values, **given), None, _how(draw)
    if draw.random() < 0.3:
        prior = [draw.randrange(3, 7) for _ in range(3)]
        domain = Domain(0, 60)
        problem = domain.problem(epsilon=10, delta=20, level=2, dim=2, prior=prior)
        return problem, domain, {}
    delta = Fraction(1, draw.choice([2, 3, 4]))
    return Problem(delta / draw.choice([2, 3]), delta, level, **given), None, _how(draw)


def _how(draw: random.Random) -> dict[str, Any]:
    """Draw what else is asked of the plan: mostly nothing."""
    kind = draw.randrange(8)
    if kind == 0:
        return {"max_rounds": draw.choice([2, 3, 4])}
    if kind == 1:
        return {"repeatable": True}
    return {"method": "any"} if kind == 2 else {}


KINDS: dict[str, tuple[int, Callable[[random.Random], Drawn]]] = {
    "interval": (36, _interval),
    "whole": (44, _whole),
    "tick": (24, _tick),
    "prior": (28, _prior),
    "two": (28, _two),
}
"""How many plans of each kind there are, and how the problem of one is drawn."""


def drawn(name: str) -> dict[str, Any]:
    """Draw problems until one has a plan that is small enough, and audit it."""
    draw, make = random.Random(name), KINDS[name.split()[0]][1]
    while True:
        try:
            problem, domain, how = make(draw)
            if how.get("method") == "any":
                names = [each for each in methods(problem) if each != "optimal"]
                how = {"method": draw.choice(names)}
            found = plan(problem, domain=domain, **how)
            return {"figures": audited(found), "how": how, "plan": encode(found)}
        except (InvalidValue, TooLarge):
            continue


def _playable(case: dict[str, Any]) -> bool:
    """Return True if brute force plays a plan in a fraction of a second."""
    figures = case["figures"]
    return bool(figures["branches"] <= RUNS and math.prod(figures["cells"]) <= POSITIONS)


def main() -> None:
    """Write the file."""
    names = [f"{kind} {number}" for kind, (count, _) in KINDS.items() for number in range(count)]
    held = {name: drawn(name) for name in names}
    for name, family in FAMILIES.items():
        found = family.plan()
        if not found.problem.noisy:
            held[f"family {name}"] = {"figures": audited(found), "plan": encode(found)}
            held[f"family {name}"]["played"] = _playable(held[f"family {name}"])
    for kind in KINDS:
        own = [name for name in held if name.split()[0] == kind and _playable(held[name])]
        own.sort(key=lambda name: held[name]["figures"]["branches"], reverse=True)
        for number in range(PLAYED):  # from those with most coins to those with none
            held[own[number * len(own) // PLAYED]]["played"] = True
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in held.items())
    AUDITS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
