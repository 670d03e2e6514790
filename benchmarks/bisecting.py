"""Private git bisect: what it costs besides its checks, and how many checks a flaky one takes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from benchmarks.measure import Figure, seconds

COMMITS, SURE, SEARCHES = 200, 0.95, 600
Check = Callable[[int], bool]
"""Whether a check of a commit fails."""


def bisect_overhead() -> Figure:
    """All but the checks of a bisection whose check takes a second, as a share of its time."""
    checks, time = _bisected(COMMITS, level=8, delta=5)
    few, short = _bisected(30, level=3, delta=3)
    note = f"{checks} checks of a second each in {time:.1f} s, on {COMMITS} commits; of 30 commits,"
    note += f" level 3: {few} checks in {short:.1f} s, {1 - few / short:.1%}"
    return Figure("feint bisect besides its checks / in all", 1 - checks / time, 0.05, note)


def _bisected(commits: int, *, level: int, delta: int) -> tuple[int, float]:
    """Checks and seconds of a bisection from its command to its end."""
    from tests.support.repositories import ENVIRONMENT, linear

    with tempfile.TemporaryDirectory() as folder:
        repository = linear(Path(folder) / "repository", commits)
        made = Path(folder) / "made"
        line = f"sleep 1; echo >> {made}; test $(cat number) -lt {commits // 2 + 2}"
        check = ["sh", "-c", line]
        words = [sys.executable, "-m", "feint", "bisect", "--good", "start"]
        words += ["--level", str(level), "--delta", str(delta), "--", *check]
        begun = perf_counter()
        subprocess.run(words, cwd=repository, env=ENVIRONMENT, capture_output=True, check=True)
        time = perf_counter() - begun
        checks = len(made.read_text().splitlines())  # those of the ends, too
    return checks, time


def bisect_planning() -> Figure:
    from feint.integrations.git import planned

    plan = seconds(lambda: planned(100_000, level=8, delta=40))
    return Figure("plan a history of 10^5 commits / 2 s", plan / 2, 1)


def bisect_flaky() -> list[Figure]:
    """Checks on average, beside naive repetition and git_bayesect, equally sure."""
    kinds: dict[str, tuple[float, float, dict[str, Any]]] = {
        "wrong 1 time in 10": (0.1, 0.9, {"p": 0.9}),
        "fails on bad commits 3 times in 10": (0.0, 0.3, {"fails_at_least": 0.3}),
    }
    found = []
    for name, (on_good, on_bad, wanted) in kinds.items():
        rivals = {"naive repetition": _naive(on_good, on_bad)}
        try:
            rivals["git_bayesect"] = _bayesect(on_good, on_bad)
        except ImportError:
            sys.stderr.write("without git_bayesect: pip install git_bayesect\n")
        for level in (1, 8):
            hidden = {"level": level} | ({"delta": 5} if level > 1 else {})
            checks, right = _ours(on_good, on_bad, hidden | wanted)
            for rival, (theirs, sure) in rivals.items():
                note = f"{checks:.0f} checks, right {right:.3f};"
                note += f" {rival} {theirs:.0f}, right {sure:.3f}"
                title = f"{name}, level {level}: checks / {rival}"
                found.append(Figure(title, checks / theirs, 10, note))
    return found


def _histories(on_good: float, on_bad: float) -> list[tuple[int, Check]]:
    """First bad commits, each with a check that fails at random; the same for everybody."""
    random = Random(21)
    made = []
    for _ in range(SEARCHES):
        first, coins = random.randint(1, COMMITS), Random(random.random())
        made.append((first, _check(first, on_good, on_bad, coins)))
    return made


def _check(first: int, on_good: float, on_bad: float, coins: Random) -> Check:
    return lambda commit: coins.random() < (on_bad if commit >= first else on_good)


def _ours(on_good: float, on_bad: float, wanted: dict[str, Any]) -> tuple[float, float]:
    from feint.integrations.git import Bisection, planned
    from feint.search import Search

    effort = planned(COMMITS, confidence=str(SURE), **wanted)
    if effort.plan is None:
        raise RuntimeError("there is more than one commit")
    counts, right = list[int](), 0
    for first, fails in _histories(on_good, on_bad):
        bisection, count = Bisection(Search(effort.plan)), 0
        seen = dict[str | int, bool]()
        while not bisection.done:
            for test in bisection.open():
                # As in Session: under noise on both sides every question has checks of its own.
                noisy = effort.plan.problem.noisy
                key = test.query.id if noisy and test.query else test.commit
                if key not in seen:
                    seen[key] = False
                    for _ in range(effort.repeats):
                        count += 1
                        seen[key] = fails(test.commit) or seen[key]
                        if seen[key] and not effort.plan.private:
                            break
                bisection.tell(test, "bad" if seen[key] else "good")
        counts.append(count)
        right += bisection.outcome.first == first
    return statistics.mean(counts), right / SEARCHES


def _naive(on_good: float, on_bad: float) -> tuple[float, float]:
    """Plain bisection, each commit checked as often as makes all eight answers right together.

    A commit counts as bad where more checks fail than half way between the two kinds.
    """
    from scipy.stats import binom

    halvings = (COMMITS - 1).bit_length()

    def errs(times: int) -> float:
        least = int(times * (on_good + on_bad) / 2) + 1 if on_good else 1
        return float(max(binom.cdf(least - 1, times, on_bad), binom.sf(least - 1, times, on_good)))

    times = next(r for r in range(1, 1000) if halvings * errs(r) <= 1 - SURE)
    least = int(times * (on_good + on_bad) / 2) + 1 if on_good else 1
    counts, right = list[int](), 0
    for first, fails in _histories(on_good, on_bad):
        low, high, count = 0, COMMITS, 0
        while high - low > 1:
            middle = (low + high) // 2
            failed = sum(fails(middle) for _ in range(times))
            count += times
            low, high = (low, middle) if failed >= least else (middle, high)
        counts.append(count)
        right += high == first
    return statistics.mean(counts), right / SEARCHES


def _bayesect(on_good: float, on_bad: float) -> tuple[float, float]:
    """git_bayesect until a commit is as likely as we are sure; index 0 is the newest there."""
    bisector = import_module("git_bayesect").Bisector
    counts, right = list[int](), 0
    for first, fails in _histories(on_good, on_bad):
        search, count = bisector([1.0] * COMMITS), 0
        search.record(0, True)
        while search.distribution.max() < SURE and count < 5000:
            index = search.select()
            search.record(index, fails(COMMITS - index))
            count += 1
        counts.append(count)
        right += COMMITS - int(search.distribution.argmax()) == first
    return statistics.mean(counts), right / SEARCHES
