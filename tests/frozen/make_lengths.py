"""Write the lengths of plans for random problems: `python -m tests.frozen.make_lengths`.

The figures were written before plans changed, and what they hold later plans to would be lost if
they were written again. So what is in the files stays there: only names that are new are added.
"""

import json
import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.frozen import LENGTHS, MEANS
from tests.support.random_problems import KINDS, drawn, plan_of, problem_of

from feint import InvalidValue, Plan, TooLarge
from feint.audit import audit

SECONDS = 1.0
"""How long a plan may take."""

BRANCHES = 1 << 15
"""How many ways its runs may go, so that a thousand are audited in a minute or two."""

PLAYED = 300
"""How many plans brute force plays."""

RUNS, POSITIONS = 1500, 600
"""How many ways the runs of such a plan may go, and how many positions per number."""


def figures(found: Plan) -> dict[str, Any]:
    """Return what a plan states."""
    success = found.adversary_success
    return {
        "queries": found.queries,
        "rounds": found.rounds,
        "certificate": found.certificate,
        "adversary_success": None if success is None else str(success),
        "places": found.places,
        "private": found.private,
    }


def settled(name: str) -> dict[str, Any]:
    """Draw problems until one is planned and audited quickly.

    Returns:
        That one by its name, and before it those that were refused on the way.
    """
    found: dict[str, Any] = {}
    for attempt in range(1000):
        spec = drawn(name, attempt)
        try:
            problem_of(spec)
        except InvalidValue:
            continue  # no such problem: a window wider than the range, or nobody can hide
        begun = time.perf_counter()
        try:
            plan = plan_of(spec)
        except InvalidValue as error:
            found[f"{name} refused {attempt}"] = spec | {"refused": type(error).__name__}
            continue
        if time.perf_counter() - begun > SECONDS:
            continue
        try:
            report = audit(plan, limit=BRANCHES)
        except TooLarge:
            continue
        found[name] = spec | figures(plan) | {"branches": report.branches}
        return found
    raise RuntimeError(f"no problem of the kind {name.split()[0]} is small enough")


def _positions(plan: Plan) -> float:
    """Return how many positions the lattice has per coordinate."""
    return math.prod(plan.cells) / len(plan.cells)


def choose(cases: dict[str, Any]) -> None:
    """Mark the plans that brute force plays: of every kind in proportion."""
    small = [
        name
        for name, case in cases.items()
        if "refused" not in case
        and case["branches"] <= RUNS
        and _positions(plan_of(case)) <= POSITIONS
    ]
    counts = Counter(name.split()[0] for name in small)
    for kind, count in counts.items():
        own = [name for name in small if name.split()[0] == kind]
        own.sort(key=lambda name: -cases[name]["branches"])
        wanted = min(count, PLAYED * count // len(small) + 1)
        for number in range(wanted):  # from those with most coins to those with none
            cases[own[number * count // wanted]]["played"] = True


def add(path: Path, names: list[str]) -> dict[str, Any]:
    """Add the names to a file that are not in it."""
    cases: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for name in names:
        if name not in cases:
            cases |= settled(name)
    return cases


def write(path: Path, cases: dict[str, Any]) -> None:
    """Write a line per problem."""
    lines = (f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def main() -> None:
    """Write both files."""
    for path, simple in ((LENGTHS, False), (MEANS, True)):
        kinds = {kind: count for kind, (count, _) in KINDS.items() if (kind == "simple") == simple}
        names = [f"{kind} {number}" for kind, count in kinds.items() for number in range(count)]
        cases = add(path, names)
        if not simple and not any(case.get("played") for case in cases.values()):
            choose(cases)
        write(path, cases)


if __name__ == "__main__":
    main()
