"""Record the text of audits and plans of every kind: `python -m tests.support.reports`.

The file holds reports and plans word for word. It is written anew when one says something else on
purpose; the difference then shows what.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from feint import Domain, InvalidValue, Plan, Problem, afford, plan
from feint.audit import Report, audit

FILE = Path(__file__).parents[1] / "audit" / "reports.txt"
MARK = "=== "
FIGURES = ("adversary_success", "accuracy", "successes", "limits", "private", "accurate")

EURO = Domain(0, 90, label="price")
COINS = Domain(0, 29, step=1)
THIRDS = Domain(0, 1, label="share")


def said(name: str) -> str:
    """Return the text of an audit, word for word, and its figures."""
    try:
        found = SAID[name]()
    except InvalidValue as error:
        return f"{type(error).__name__}: {error}\n"
    if isinstance(found, Plan):
        return f"{found}\n"
    held = found.to_dict()
    held["limits"] = [[f"{each:.6f}" for each in pair] for pair in held["limits"]]
    return f"{found}\n" + "".join(f"{key}: {held[key]}\n" for key in FIGURES)


def _of(
    domain: Domain = EURO, *, epsilon: Any = 10, delta: Any = 20, level: Any = 3, **more: Any
) -> Callable[..., Callable[[], Report]]:
    """Return an audit of a plan for a problem; other arguments are those of the plan."""
    own = ("method", "max_rounds", "repeatable", "margin", "seed")
    how = {key: more.pop(key) for key in own if key in more}

    def audited(**given: Any) -> Callable[[], Report]:
        def run() -> Report:
            problem = domain.problem(epsilon=epsilon, delta=delta, level=level, **more)
            return audit(plan(problem, domain=domain, **how), **given)

        return run

    return audited


NOISE: dict[str, Any] = {"p": "0.9", "confidence": "0.9", "delta": 20, "epsilon": 5, "level": 2}
WHOLE = _of(COINS, epsilon=None, delta=3, level=4)
EIGHTEENTHS = plan(Problem("1/18", "1/6", 3)).strategy
BELL = _of(prior="normal(45, 10)", epsilon=3, delta=6, level=2)
PLAIN, HALVES = _of(), _of(method="bisection")


def _plan(domain: Domain = EURO, **more: Any) -> Callable[[], Plan]:
    """Return a plan, given the arguments of the problem and of the planner."""
    own = ("method", "max_rounds", "repeatable", "margin", "seed", "certificate")
    how = {key: more.pop(key) for key in own if key in more}
    wanted = {"epsilon": 10, "delta": 20, "level": 3, **more}
    return lambda: plan(domain.problem(**wanted), domain=domain, **how)


def _afford(domain: Domain = EURO, **wanted: Any) -> Callable[[], Plan]:
    """Return the plan that this many questions buy."""
    return lambda: afford(domain=domain, **wanted).plan


TICKED = Domain(0, 90, tick="0.05", label="price")
SHARED = {"epsilon": None, "delta": 3, "level": 4}

SAID: dict[str, Callable[[], Report | Plan]] = {
    "plan": _plan(),
    "plan, bisection": _plan(method="bisection"),
    "plan, grid": _plan(method="grid"),
    "plan, paper": _plan(epsilon=2, method="paper"),
    "plan, no such method": _plan(method="magic"),
    "plan, few rounds": _plan(epsilon=1, max_rounds=3),
    "plan, too few rounds": _plan(method="bisection", max_rounds=2),
    "plan, again and again": _plan(epsilon=1, repeatable=True),
    "plan, nothing hidden": _plan(level=1),
    "plan, level too high": _plan(level=9),
    "plan, epsilon too coarse": _plan(epsilon=30),
    "plan, with a tick": _plan(TICKED, epsilon=1),
    "plan, thirds": _plan(THIRDS, epsilon="1/30", delta="1/9"),
    "plan, whole values": _plan(COINS, **SHARED),
    "plan, whole values, the other reading": _plan(COINS, **SHARED, winning="within"),
    "plan, whole values, optimal": _plan(
        Domain(0, 8, step=1), **SHARED | {"level": 2}, method="optimal"
    ),
    "plan, the worst case": _plan(epsilon=2, setting="deterministic"),
    "plan, the worst case, opportunistic": _plan(
        epsilon=2, setting="deterministic", method="opportunistic"
    ),
    "plan, two numbers": _plan(dim=2),
    "plan, a prior": _plan(prior=[1, 2, 3, 2, 1], level=2),
    "plan, a prior by name": _plan(prior="normal(45, 10)", epsilon=3, delta=6, level=2),
    "plan, a prior and a margin": _plan(prior=[1, 2, 3, 2, 1], level=2, margin="5/4"),
    "plan, a prior, two numbers": _plan(prior=[1, 2, 1], level=2, dim=2),
    "plan, a prior that tells": _plan(prior=[1, 90, 1, 1, 1, 1], level=3),
    "plan, a prior, few rounds": _plan(prior=[1, 2, 3, 2, 1], level=2, max_rounds=1),
    "plan, noise": _plan(**NOISE),
    "plan, noise, on average": _plan(p="0.9", epsilon=5, level=2),
    "plan, noise, two numbers": _plan(**NOISE, dim=2),
    "plan, noise, too few rounds": _plan(**NOISE, max_rounds=3),
    "plan, noise, whole values": _plan(COINS, **SHARED, p="0.9", confidence="0.9"),
    "plan, noise, a prior": _plan(**NOISE, prior=[1, 2, 2, 1]),
    "plan, noise, a prior, few rounds": _plan(**NOISE, prior=[1, 2, 2, 1], max_rounds=3),
    "plan, noise, too private": _plan(p="0.9", confidence="0.9", epsilon=5, delta=30, level=3),
    "plan, noise, ends off the tick": _plan(Domain("0.3", 90, tick="0.5"), **NOISE),
    "plan, no such method with a tick": _plan(TICKED, method="magic"),
    "plan, no such method at level 1": _plan(level=1, method="magic"),
    "plan, no such method for whole values": _plan(COINS, **SHARED, method="magic"),
    "plan, no such method for a small delta": _plan(delta=15, method="magic"),
    "plan, no optimum of many cells": _plan(epsilon=1, method="optimal"),
    "plan, no optimum of many values": _plan(COINS, **SHARED, method="optimal"),
    "plan, a prior, too fine": _plan(prior=[1, 2, 1], level=2, epsilon="1e-9", delta="1e-8"),
    "plan, too private": _plan(epsilon="1e-7", delta="2e-6", level=40_000_000),
    "plan, too long": _plan(epsilon="1e-7", delta="2e-6", level=4, max_rounds=1),
    "plan, replicated in too few rounds": _plan(epsilon=1, max_rounds=2, method="replicated"),
    "plan, the paper's, again and again": _plan(epsilon=1, method="paper", repeatable=True),
    "plan, bisection, again and again": _plan(COINS, **SHARED, method="bisection", repeatable=True),
    "plan, the worst case, again and again": _plan(
        epsilon=2, setting="deterministic", repeatable=True
    ),
    "plan, opportunistic, again and again": _plan(
        epsilon=2, setting="deterministic", method="opportunistic", repeatable=True
    ),
    "plan, in one round": _plan(COINS, **SHARED, max_rounds=1),
    "afford, a level": _afford(queries=20, epsilon=1, delta=20),
    "afford, a delta": _afford(queries=20, epsilon=1, level=5),
    "afford, a delta of whole values": _afford(COINS, queries=12, level=4),
    "afford, under a prior": _afford(queries=12, epsilon=3, level=2, prior=[1, 2, 1]),
    "afford, of two numbers": _afford(queries=20, epsilon=3, delta=9, dim=2),
    "afford, the whole range": _afford(queries=200, epsilon=9, level=2),
    "afford, too little": _afford(queries=2, epsilon=1, level=5),
    "afford, no epsilon": _afford(queries=20, delta=3),
    "afford, delta and level": _afford(queries=20, epsilon=1, delta=20, level=2),
    "afford, neither delta nor level": _afford(queries=20, epsilon=1),
    "afford, values twice": _afford(queries=20, values=9, level=2),
    "private": PLAIN(),
    "private, with lemmas": PLAIN(lemmas=True),
    "leaks": HALVES(),
    "leaks, with lemmas": HALVES(lemmas=True),
    "nothing hidden": _of(level=1)(),
    "whole values": WHOLE(),
    "whole values, the other reading": _of(
        COINS, epsilon=None, delta=3, level=4, winning="within"
    )(),
    "whole values, leaks": _of(COINS, epsilon=None, delta=3, level=4, method="bisection")(),
    "the worst case": _of(epsilon=2, setting="deterministic")(),
    "the worst case, with lemmas": _of(epsilon=2, setting="deterministic")(lemmas=True),
    "the worst case, leaks": _of(setting="deterministic", method="bisection")(),
    "the worst case, whole values": _of(
        COINS, epsilon=None, delta=3, level=4, setting="deterministic"
    )(),
    "two numbers": _of(dim=2)(),
    "two numbers, leaks": _of(dim=2, method="bisection")(),
    "decimals that stick out": _of(THIRDS, epsilon=Fraction(1, 9), delta=Fraction(2, 9), level=3)(),
    "another promise": lambda: audit(EIGHTEENTHS, problem=Problem("1/18", "1/6", 2)),
    "inaccurate": lambda: audit(EIGHTEENTHS, problem=Problem("1/100", "1/6", 2)),
    "a prior": _of(prior=[1, 2, 3, 2, 1], level=2)(),
    "a prior by name": _of(prior="normal(45, 10)", epsilon=3, delta=6, level=2)(),
    "another prior than planned for": lambda: audit(
        plan(EURO.problem(epsilon=10, delta=20, level=3), domain=EURO),
        prior=EURO.problem(epsilon=10, delta=20, level=2, prior=[1, 2, 3]).prior,
    ),
    "a margin": _of(prior=[1, 2, 3, 2, 1], level=2, margin="5/4")(),
    "samples": PLAIN(runs=400),
    "samples, leaks": HALVES(runs=400),
    "samples, one listener": HALVES(runs=300, adversaries=["last"], seed=3, failure="1/100"),
    "samples, of two numbers": _of(dim=2)(runs=300, adversaries=["blind", "uniform"]),
    "samples, the worst case": _of(epsilon=2, setting="deterministic")(runs=200),
    "samples, nothing hidden": _of(level=1)(runs=200),
    "noise": _of(**NOISE)(runs=40),
    "noise, leaks": _of(**NOISE, method="bisection")(runs=40),
    "noise, on average": _of(p="0.9", delta=20, epsilon=5, level=2)(runs=30),
    "noise, two numbers": _of(**NOISE, dim=2)(runs=10),
    "noise, nothing hidden": _of(**{**NOISE, "level": 1})(runs=10),
    "noise, a prior": _of(**{**NOISE, "delta": 20}, prior=[1, 2, 2, 1])(runs=20),
    "again, the same key": PLAIN(repeat=3),
    "again, fresh keys": PLAIN(repeat=3, fresh_keys=True),
    "again, a plan for it": _of(repeatable=True)(repeat=4, fresh_keys=True),
    "again, whole values": WHOLE(repeat=2, fresh_keys=True),
    "again, two numbers": _of(dim=2)(repeat=2, fresh_keys=True),
    "again, the worst case": _of(epsilon=2, setting="deterministic")(repeat=2, fresh_keys=True),
    "again, nothing hidden": _of(level=1)(repeat=2),
    "again, inaccurate": lambda: audit(EIGHTEENTHS, problem=Problem("1/100", "1/6", 2), repeat=2),
    "it moves by steps": PLAIN(repeat=3, fresh_keys=True, motion="steps(10)"),
    "it walks": PLAIN(repeat=3, motion="walk(10)"),
    "it walks far": PLAIN(repeat=2, fresh_keys=True, motion="walk(10,4)"),
    "it jumps": WHOLE(repeat=3, fresh_keys=True, motion="jump(0.1)"),
    "some rounds": PLAIN(hears="rounds(1-2)"),
    "one coordinate": _of(dim=2)(hears="coordinates(0)"),
    "every other question": PLAIN(hears="every(2)", repeat=2),
    "each with a chance": PLAIN(hears="each(1/2)"),
    "nothing at all": HALVES(hears="nothing"),
    "some questions": PLAIN(hears=[1, 3]),
    "the last answer": PLAIN(knows="last"),
    "the first answers": WHOLE(knows="rounds(1)", hears="rounds(1-3)"),
    "sampled, again": PLAIN(repeat=3, fresh_keys=True, runs=60),
    "sampled, again, leaks": HALVES(repeat=2, fresh_keys=True, runs=60),
    "sampled, two numbers": _of(dim=2)(repeat=2, fresh_keys=True, runs=40, failure="1/50"),
    "sampled, the worst case": _of(epsilon=2, setting="deterministic")(repeat=2, runs=20),
    "sampled, it moves": PLAIN(repeat=2, fresh_keys=True, motion="steps(10)", runs=40),
    "sampled, noise": _of(**NOISE)(repeat=2, fresh_keys=True, runs=12),
    "sampled, nothing hidden": _of(level=1)(repeat=2, runs=20),
    "again, a prior": _of(prior=[1, 2, 3, 2, 1], level=2)(repeat=2, fresh_keys=True),
    "again, a prior by name": BELL(repeat=2, fresh_keys=True),
    "again, half heard under a prior": BELL(repeat=2, hears="rounds(1-2)"),
    "it moves under a prior": _of(prior=[1, 2, 3, 2, 1], level=2)(
        repeat=2, fresh_keys=True, motion="steps(10)"
    ),
    "it moves by ticks": _of(Domain(0, 90, tick=5))(repeat=2, fresh_keys=True, motion="walk(10)"),
    "the worst case under a prior": lambda: audit(
        plan(EURO.problem(epsilon=2, delta=20, level=3, setting="deterministic"), domain=EURO),
        prior=EURO.problem(epsilon=10, delta=20, level=2, prior=[1, 2, 3]).prior,
        repeat=2,
        fresh_keys=True,
    ),
    "many pieces": _of(epsilon=1, delta=2, level=20)(),
    "many pieces, leaks": _of(epsilon=1, delta=2, level=30, method="replicated")(
        problem=EURO.problem(epsilon=1, delta=2, level=40)
    ),
    "sampled, it moves with the same key": PLAIN(repeat=2, motion="steps(10)", runs=40),
    "sampled, noise, the same key": _of(**NOISE)(repeat=2, runs=12),
    "sampled, noise, answers known": _of(**NOISE)(knows="last", runs=12),
    "sampled, noise, under a prior": _of(**NOISE, prior=[1, 2, 2, 1])(
        repeat=2, fresh_keys=True, runs=12
    ),
    "moves that are less than a tick": _of(Domain(0, 90, tick=5))(
        repeat=2, fresh_keys=True, motion="walk(1)"
    ),
    "as many priors as numbers": _of(dim=2)(
        prior=[EURO.problem(epsilon=10, delta=20, level=2, prior=[1, 2, 3]).law()] * 3
    ),
    "too many branches": PLAIN(limit=3),
    "too many branches, again": PLAIN(limit=3, repeat=2, fresh_keys=True),
    "a seed without samples": PLAIN(seed=3),
    "listeners without samples": PLAIN(adversaries=["last"]),
    "a motion that is none": PLAIN(repeat=2, motion="run(3)"),
    "a hearing that is none": PLAIN(hears="rounds(9)"),
    "a knowledge that is none": PLAIN(knows="some"),
}


def held() -> dict[str, str]:
    """Return the content of the file, by audit."""
    pieces = FILE.read_text("utf-8").split(MARK)[1:]
    return {name: text for name, _, text in (each.partition("\n") for each in pieces)}


def main() -> None:
    """Write the file."""
    FILE.write_text("".join(f"{MARK}{name}\n{said(name)}" for name in SAID), "utf-8")


if __name__ == "__main__":
    main()
