"""Plan problems of every kind, and record the plans' lengths.

`python -m tests.support.lengths` writes it to a file, which says how many questions every plan asks
today, in how many rounds, and what it promises; and to another, for some, how many calls of the
planner's functions it took to find them. They are written anew when plans get better or are found
sooner; the difference then shows which.
"""

import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.effort import counted

from feint import Domain, InvalidValue, Plan, Problem, plan
from feint.planning import afford, compare, frontier

FILE = Path(__file__).parents[1] / "planning" / "lengths.json"
EFFORT = FILE.with_name("effort.json")


def planned(name: str) -> list[Any]:
    """Return the plans for a problem, given its kind and number, such as "whole 7"."""
    return list(KINDS[name.split()[0]][1](random.Random(name)))


def _told(how: Callable[..., Any], *given: Any, **more: Any) -> list[Any]:
    """Return the figures of a plan or several, or the reason why there is none."""
    try:
        found = how(*given, **more)
    except InvalidValue as error:
        return [f"{type(error).__name__}: {error}"]
    if not isinstance(found, Plan):
        return [_figures(each) for each in found]
    return _figures(found)


def _figures(found: Plan) -> list[Any]:
    said: list[Any] = [found.method, found.certificate, found.queries, found.rounds, *found.cells]
    if found.problem.noisy and found.queries_mean not in (None, found.queries):
        said.append(f"mean {found.queries_mean:.3g}")
    for each in (found.adversary_success, found.promised):
        said.append(None if each is None else f"{float(each):.12g}")
    return said + [f"{stage} {lost:.6g}" for stage, lost in (found.losses or {}).items()]


def _interval(draw: random.Random) -> Iterator[Any]:
    setting: Any = draw.choice(["bayesian", "deterministic"])
    level = draw.choice([2, 3, 4, 5, 6, 8, 12, 30, 100, 1000])
    delta = Fraction(1, level) / Fraction(draw.choice(["1", "2", "3", "7/3", "10", "100"]))
    epsilon = delta / draw.choice([2, 3, 5, 17, 100, 1 << 10, 10**6])
    yield from _in_rounds(Problem(epsilon, delta, level, setting=setting), draw, (2, 3, 5))


def _whole(draw: random.Random) -> Iterator[Any]:
    setting: Any = draw.choice(["bayesian", "bayesian", "deterministic"])
    level, window = draw.choice([2, 3, 4, 5, 7, 10, 40]), draw.choice([1, 2, 3, 5, 8, 16, 100])
    values = level * window + draw.choice([0, 1, 5, 20, 100, 333, 2000, 10**4])
    delta = Fraction(window, values)
    problem = Problem(Fraction(1, values), delta, level, setting=setting, values=values)
    yield from _in_rounds(problem, draw, (2, 3, 5))


def _in_rounds(problem: Problem, draw: random.Random, shares: tuple[float, ...]) -> Iterator[Any]:
    """Plan with the necessary number of rounds, and with fewer."""
    whole = _told(plan, problem)
    yield whole
    rounds = whole[3] if len(whole) > 1 else 20
    for share in shares:
        yield _told(plan, problem, max_rounds=max(2, int(rounds / share) + draw.randrange(2)))


def _dims(draw: random.Random) -> Iterator[Any]:
    setting: Any = draw.choice(["bayesian", "deterministic"])
    dim, level = draw.choice([2, 2, 3, 5]), draw.choice([2, 4, 5, 8, 9, 30])
    share = next(each for each in range(1, 31) if each**dim >= level)
    delta = Fraction(1, share) / draw.choice([1, 2, 3, 10])
    problem = Problem(delta / draw.choice([2, 9, 100]), delta, level, dim=dim)
    yield from _in_rounds(problem, draw, (2, 3))
    values = share * 3 + draw.choice([0, 4, 50])
    small = Problem(Fraction(1, values), Fraction(3, values), level, dim=dim, values=values)
    yield _told(plan, small)
    yield _told(plan, small, repeatable=True)
    yield _told(plan, Problem(delta / 4, delta, level, dim=dim, setting=setting))


def _every(draw: random.Random) -> Iterator[Any]:
    """Plan by every method, and with every number of rounds."""
    setting: Any = draw.choice(["bayesian", "deterministic"])
    level = draw.choice([2, 3, 4])
    delta = Fraction(1, level) / draw.choice([1, 2, 3])
    problem = Problem(delta / draw.choice([2, 3, 6]), delta, level, setting=setting)
    if draw.random() < 0.5:
        values = draw.randrange(4 * level, 60)
        window = Fraction(draw.choice([1, 2, 4]), values)
        problem = Problem(Fraction(1, values), window, level, setting=setting, values=values)
    yield _told(compare, problem)
    yield _told(compare, problem, max_rounds=3)
    yield _told(frontier, problem)


def _tick(draw: random.Random) -> Iterator[Any]:
    unit = Fraction(draw.choice(["1", "1/3", "1/7", "0.01", "5/2", "1000"]))
    low = draw.choice([0, -1, 3, -50]) * unit
    width = draw.choice([1, 7, 10, 99, 100]) * unit
    level = draw.choice([2, 3, 4, 7])
    delta = width / level * Fraction(draw.choice(["1/4", "2/3", "1"]))
    epsilon = min(delta / 2, width / draw.choice([20, 64, 99, 1000]))
    setting: Any = draw.choice(["bayesian", "bayesian", "deterministic"])
    for tick in (None, Fraction(draw.choice([1, 2, 5]), 100)):
        while tick is not None and tick > epsilon:
            tick /= 10
        domain = Domain(low, low + width, tick=tick)
        problem = domain.problem(epsilon=epsilon, delta=delta, level=level, setting=setting)
        yield _told(plan, problem, domain=domain)
        yield _told(plan, problem, domain=domain, max_rounds=4)


def _prior(draw: random.Random) -> Iterator[Any]:
    laws = ["normal(60, 12)", "lognormal(0.4, 45)", "triangular(10, 40, 190)", "exponential(40)"]
    whole, bins = draw.random() < 0.3, draw.choice([3, 8, 20])
    weights = [draw.randrange(1, 9) for _ in range(201 if whole else bins)]
    domain = Domain(0, 200, step=1 if whole else None)
    given: dict[str, Any] = {"delta": draw.choice([5, 10]), "level": draw.choice([2, 3, 4])}
    given |= {"prior": draw.choice([*laws, weights, weights]), "margin": draw.choice([1, 1, "9/8"])}
    problem = domain.problem(epsilon=None if whole else 1, **given)
    how: dict[str, Any] = {"domain": domain, "margin": given["margin"]}
    yield _told(plan, problem, **how)
    yield _told(plan, problem, **how, max_rounds=draw.choice([3, 6, 9]))


def _noisy(draw: random.Random) -> Iterator[Any]:
    p = Fraction(draw.choice(["0.7", "0.8", "0.9", "0.95", "0.99"]))
    sure: Any = draw.choice([None, "0.9", "0.99"])
    level, dim = draw.choice([2, 3, 4, 6]), draw.choice([1, 1, 1, 2])
    delta = Fraction(1, level) / draw.choice([1, 2, 3])
    epsilon = delta / draw.choice([4, 10, 100])
    problem = Problem(epsilon, delta, level, p=p, confidence=sure, dim=dim)
    yield from _in_rounds(problem, draw, (1.1, 1.4, 2))
    yield _told(plan, problem, method="fixed")
    values = level * 4 + draw.choice([0, 3, 40])
    least, window = Fraction(1, values), Fraction(4, values)
    yield _told(plan, Problem(least, window, level, p=p, confidence="0.9", values=values))


def _believed(draw: random.Random) -> Iterator[Any]:
    """Plan under noise with a prior."""
    p, sure = Fraction(draw.choice(["0.8", "0.9", "0.95"])), draw.choice([None, "0.9"])
    level, domain = draw.choice([2, 3]), Domain(0, 200)
    wanted: dict[str, Any] = {"delta": draw.choice([8, 20]), "level": level, "p": p}
    for prior in ("normal(60, 30)", [1, 3, 4, 2, 2, 1]):
        law = domain.problem(epsilon=2, prior=prior, confidence=sure, **wanted)
        yield _told(plan, law, domain=domain)
        yield _told(plan, law, domain=domain, max_rounds=draw.choice([4, 40]))


def _rare(draw: random.Random) -> Iterator[Any]:
    """Plan rare requests: very high levels, ticks under noise, several priors."""
    level = draw.choice([1500, 4000, 20_000])
    delta = Fraction(1, level) / draw.choice([1, 3, 40])
    yield from _in_rounds(Problem(delta / draw.choice([2, 30]), delta, level), draw, (2,))
    ticked = Domain(draw.choice([0, 10]), 90, tick=draw.choice(["0.5", "0.25", "3"]))
    noisy: dict[str, Any] = {"p": "0.9", "confidence": draw.choice([None, "0.95"]), "level": 2}
    yield _told(plan, ticked.problem(epsilon=6, delta=24, **noisy), domain=ticked)
    domain, prior = Domain(0, 200), [draw.randrange(4, 9) for _ in range(6)]
    many = domain.problem(epsilon=1, delta=4, level=draw.choice([8, 12]), prior=prior)
    yield _told(plan, many, domain=domain)
    two = domain.problem(epsilon=20, delta=40, level=4, dim=2, prior=prior)
    yield _told(plan, two, domain=domain)
    yield _told(plan, two, domain=domain, max_rounds=3)
    yield _told(plan, two, domain=domain, method="bisection", max_rounds=2)
    wide: dict[str, Any] = {"epsilon": 10, "delta": 40, "dim": 2, "prior": prior}
    yield _told(plan, domain.problem(**wide, **noisy), domain=domain)
    yield _told(plan, domain.problem(**wide, **noisy), domain=domain, method="bisection")


def _afford(draw: random.Random) -> Iterator[Any]:
    queries, epsilon = draw.randrange(8, 40), Fraction(1, draw.choice([50, 100, 1000]))
    setting: Any = draw.choice(["bayesian", "deterministic"])
    few = draw.choice([None, 3, 6])

    def buys(**given: Any) -> Plan:
        return afford(**given).plan

    yield _told(buys, queries=queries, epsilon=epsilon, delta=epsilon * 8, setting=setting)
    yield _told(buys, queries=queries, epsilon=epsilon, level=3, setting=setting, max_rounds=few)
    yield _told(buys, queries=queries, values=99, level=4, max_rounds=few)
    yield _told(buys, queries=3 * queries, epsilon=epsilon, level=3, p="0.9", confidence="0.9")


KINDS: dict[str, tuple[int, Callable[[random.Random], Iterator[Any]]]] = {
    "interval": (40, _interval),
    "whole": (64, _whole),
    "dims": (24, _dims),
    "every": (24, _every),
    "tick": (24, _tick),
    "prior": (8, _prior),
    "noisy": (24, _noisy),
    "believed": (3, _believed),
    "rare": (3, _rare),
    "afford": (8, _afford),
}
"""How many problems of each kind there are, and how one is made."""

_LONG = {"afford 6", "whole 1", "whole 52", "dims 19"}  # a second or more each
NAMES = [f"{kind} {number}" for kind, (count, _) in KINDS.items() for number in range(count)]
NAMES = [name for name in NAMES if name not in _LONG]

_COUNTED = {"interval": 24, "whole": 16, "dims": 6, "every": 8, "tick": 8}
_COUNTED |= {"prior": 8, "noisy": 24, "believed": 3, "afford": 6}
_BUSY = {"whole 10", "prior 6", "noisy 0", "noisy 11", "noisy 17", "noisy 21"}
_BUSY |= {"afford 0", "afford 1", "afford 4"}  # to count them takes a second or more each
COUNTED = [
    name
    for name in NAMES
    if int(name.split()[1]) < _COUNTED.get(name.split()[0], 0) and name not in _BUSY
]
"""Those whose calls are counted."""


def main() -> None:
    """Write the files."""
    _write(FILE, {name: planned(name) for name in NAMES})
    _write(EFFORT, {name: counted(partial(planned, name))[1] for name in COUNTED})


def _write(path: Path, found: dict[str, Any]) -> None:
    """Write one line per problem."""
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
