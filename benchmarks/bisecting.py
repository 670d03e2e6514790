"""Measure private git bisect: its overhead besides the checks, and the checks of a flaky one."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from benchmarks.measure import Figure, seconds

COMMITS, SURE, SEARCHES = 200, 0.95, 1000
MANY = 4000  # searches where two programs are close: of 1,000 the averages vary by 2 %
BATCH = 250  # searches at once
LONGEST = 1000  # checks, at which ours stops where rates are unknown
Check = Callable[[int], bool]
"""Whether a check of a commit fails."""


def bisect_overhead() -> Figure:
    """Measure the share of a bisection's time that is not spent in its checks of one second."""
    checks, time = _bisected(COMMITS, level=8, delta=5)
    few, short = _bisected(30, level=3, delta=3)
    note = f"{checks} checks of a second each in {time:.1f} s, on {COMMITS} commits; of 30 commits,"
    note += f" level 3: {few} checks in {short:.1f} s, {1 - few / short:.1%}"
    return Figure("feint bisect besides its checks / in all", 1 - checks / time, 0.05, note)


def _bisected(commits: int, *, level: int, delta: int) -> tuple[int, float]:
    """Return the checks and the seconds of a bisection, from its command to its end."""
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


class Kind(NamedTuple):
    """One kind of flaky check.

    Attributes:
        good: How often good commits fail.
        bad: How often bad commits fail.
        before: Checks that level 8 with delta 5 took on average before they were sequential.
    """

    good: float
    bad: float
    before: int


KINDS = {
    "wrong 1 time in 10": Kind(0.1, 0.9, 131),
    "bad fails 3 times in 10, good never": Kind(0, 0.3, 411),
    "good fails 1 time in 20, bad 12": Kind(0.05, 0.6, 5879),
}


def bisect_flaky() -> list[Figure]:
    """Compare the mean checks of searches that are all meant to be right 95 times in 100.

    git_bayesect is more often right than it states. So in that comparison ours with unknown rates
    states the least confidence that makes it right at least as often, over 4,000 searches each.
    """
    found = []
    for name, kind in KINDS.items():
        good, bad = str(kind.good), str(kind.bad)
        known = _ours(kind, level=1, good_fails=good, bad_fails=bad)
        hidden = _ours(kind, level=8, delta=5, good_fails=good, bad_fails=bad)
        rivals = [("sequential Bayes that knows the rates", known, _limit(kind), 1.15)]
        rivals += [("naive repetition", known, _naive(kind), 1)]
        try:
            bayesect = _bayesect(kind, searches=MANY)
            rivals += [("git_bayesect", _as_right(kind, bayesect[1]), bayesect, 1)]
        except ImportError:
            sys.stderr.write("without git_bayesect: pip install git_bayesect\n")
        for rival, (checks, right), (theirs, sure), most in rivals:
            how = "unknown" if rival == "git_bayesect" else "known"
            note = f"{checks:.1f} checks, right {right:.3f}; {rival} {theirs:.1f}, right {sure:.3f}"
            title = f"{name}, level 1, {how} rates: checks / {rival}"
            found.append(Figure(title, checks / theirs, most, note))
        note = f"{hidden[0]:.1f} checks, right {hidden[1]:.3f}; {kind.before} before"
        title = f"{name}, level 8, delta 5: checks / those of fixed length"
        found.append(Figure(title, hidden[0] / kind.before, 0.5, note))
    return found


def _as_right(kind: Kind, wanted: float) -> tuple[float, float]:
    """Return `_ours` for unknown rates, at the least confidence that is right as often."""
    found = (1.0, 0.0)
    for sure in ("0.95", "0.96", "0.97", "0.975", "0.98", "0.985", "0.99", "0.995"):
        unknown = {"good_fails": "unknown", "bad_fails": "unknown"}
        found = _ours(kind, sure=sure, level=1, searches=MANY, **unknown)
        if found[1] >= wanted:
            break
    return found


def bisect_calibration() -> list[Figure]:
    """Measure how often 1,000 results are wrong, as a share of the allowed number.

    Three standard errors more are let pass: a promise that is met exactly is above 1 half the time.
    """
    found = []
    for name, kind in KINDS.items():
        good, bad = str(kind.good), str(kind.bad)
        wanted: dict[str, dict[str, Any]] = {
            "known rates": {"level": 1, "good_fails": good, "bad_fails": bad},
            "bounds": {"level": 1, "good_fails": f"{good}-", "bad_fails": f"{bad}+"},
            "unknown rates": {"level": 1, "good_fails": "unknown", "bad_fails": "unknown"},
            "level 8, delta 5": {"level": 8, "delta": 5, "good_fails": good, "bad_fails": bad},
        }
        for how, each in wanted.items():
            for sure in ("0.8", "0.95", "0.99"):
                checks, right = _ours(kind, sure=sure, **each)
                title = f"{name}, {how}, stated {sure}: wrong / allowed"
                note = f"right {right:.3f} with {checks:.1f} checks"
                may = 1 - float(sure)
                most = 1 + 3 * math.sqrt((1 - may) / (may * SEARCHES))
                found.append(Figure(title, (1 - right) / may, most, note))
    return found


SKIPPED, RUNS = (0.005, 0.02, 0.05), 60


def bisect_skips() -> list[Figure]:
    """Checks of 340 commits of which some cannot be checked, as a share of what was said before."""
    from feint.integrations.git import planned

    effort, found = planned(340, level=8, delta=20), []
    if effort.plan is None:
        raise RuntimeError("there is more than one commit")
    for share in SKIPPED:
        runs = [_with_skips(effort.plan, seed=seed, share=share) for seed in range(RUNS)]
        right = sum(is_right for is_right, _ in runs)
        checks = statistics.mean(checks for _, checks in runs)
        note = f"{right} of {RUNS} runs right, {checks:.1f} checks on average,"
        note += f" at most {effort.checks} if every commit can be checked"
        title = f"{share:.1%} of 340 commits cannot be checked: checks / at most"
        found.append(Figure(title, checks / effort.checks, 1.1, note))
    return found


def _with_skips(plan: Any, *, seed: int, share: float) -> tuple[bool, int]:
    """Bisect once: whether the commit found is right, and how many checks it took."""
    from feint.integrations.git import Bisection, Exposed, Verdict
    from feint.search import Search

    random = Random(seed)
    broken = {commit for commit in range(1, 340) if random.random() < share}
    first = random.randint(1, 340)
    course, checked = Bisection(Search(plan, seed=seed), level=8), set[int]()
    try:
        while tests := course.open():
            for test in tests:
                checked.add(test.commit)
                verdict: Verdict = "good" if test.commit < first else "bad"
                course.tell(test, "skip" if test.commit in broken else verdict)
    except Exposed:
        return False, len(checked)
    result = course.outcome
    between = set(range(result.first, result.last))
    return result.first <= first <= result.last and between <= broken, len(checked)


def _ours(
    kind: Kind, *, sure: str = str(SURE), searches: int = SEARCHES, **wanted: Any
) -> tuple[float, float]:
    """Return the mean checks of our searches, and the share that is right, for many at once."""
    from feint.integrations.git import planned
    from feint.interfaces import UNASKED, Strategy
    from feint.simulate import fall

    effort = planned(COMMITS, confidence=sure, **wanted)
    if effort.plan is None:
        raise RuntimeError("there is more than one commit")
    strategy: Strategy[Any] = effort.plan.strategy
    random, checks, right = np.random.default_rng(7), 0, 0
    for _ in range(searches // BATCH):
        target = random.integers(COMMITS, size=BATCH)[:, None]
        state = strategy.start(BATCH)
        for _ in strategy.rounds:
            while (weights := strategy.coin(state)) is not None:
                state = strategy.toss(state, fall(weights, random))
            asked = strategy.ask(state)
            if (asked == UNASKED).all():
                break
            checks += int(np.count_nonzero(asked != UNASKED))
            rates = np.where(target < asked, kind.bad, kind.good)
            state = strategy.tell(state, random.random(asked.shape) >= rates)
        right += int(np.count_nonzero(strategy.estimate(state).cell == target))
    return checks / searches, right / searches


def _histories(kind: Kind, searches: int = SEARCHES) -> Iterator[tuple[int, Check]]:
    """Return first bad commits, with a check for each."""
    random = Random(7)
    for _ in range(searches):
        first, coins = random.randint(1, COMMITS), Random(random.random())
        yield first, _check(first, kind, coins)


def _check(first: int, kind: Kind, coins: Random) -> Check:
    return lambda commit: coins.random() < (kind.bad if commit >= first else kind.good)


def _limit(kind: Kind) -> tuple[float, float]:
    """Return mean checks and share right of Bayes with known rates, at the best commit each time.

    It weighs every commit by itself and shares no code with feint.
    """
    counts, right = list[int](), 0
    for first, fails in _histories(kind):
        belief, count = np.full(COMMITS, 1 / COMMITS), 0
        while belief.max() < SURE:
            bad = np.cumsum(belief)[:-1]  # the chance that a commit is bad
            told = _entropy(bad * kind.bad + (1 - bad) * kind.good)
            told -= bad * _entropy(kind.bad) + (1 - bad) * _entropy(kind.good)
            commit = int(told.argmax()) + 1
            count += 1
            rates = np.where(np.arange(1, COMMITS + 1) <= commit, kind.bad, kind.good)
            belief = belief * (rates if fails(commit) else 1 - rates)
            belief /= belief.sum()
        counts.append(count)
        right += int(belief.argmax()) + 1 == first
    return statistics.mean(counts), right / SEARCHES


def _entropy(p: Any) -> Any:
    kept = np.clip(p, 1e-12, 1 - 1e-12)
    return -kept * np.log2(kept) - (1 - kept) * np.log2(1 - kept)


def _naive(kind: Kind) -> tuple[float, float]:
    """Return checks and share right of a bisection that repeats each check until it is sure.

    A commit counts as bad where more checks fail than half way between the two kinds.
    """
    from scipy.stats import binom

    halvings = (COMMITS - 1).bit_length()

    def least(times: int) -> int:
        return int(times * (kind.good + kind.bad) / 2) + 1 if kind.good else 1

    def errs(times: int) -> float:
        fewest = least(times)
        wrong = binom.cdf(fewest - 1, times, kind.bad), binom.sf(fewest - 1, times, kind.good)
        return float(max(wrong))

    times = next(r for r in range(1, 1000) if halvings * errs(r) <= 1 - SURE)
    counts, right = list[int](), 0
    for first, fails in _histories(kind):
        low, high, count = 0, COMMITS, 0
        while high - low > 1:
            middle = (low + high) // 2
            failed = sum(fails(middle) for _ in range(times))
            count += times
            low, high = (low, middle) if failed >= least(times) else (middle, high)
        counts.append(count)
        right += high == first
    return statistics.mean(counts), right / SEARCHES


def _bayesect(kind: Kind, *, searches: int) -> tuple[float, float]:
    """Return mean checks and share right of git_bayesect; index 0 is the newest commit there.

    It is told that the newest commit failed, as its own command does, and ends where ours does.
    """
    bisector = import_module("git_bayesect").Bisector
    counts, right = list[int](), 0
    for first, fails in _histories(kind, searches):
        search, count = bisector([1.0] * COMMITS), 0
        search.record(0, True)
        while search.distribution.max() < SURE and count < LONGEST:
            index = search.select()
            search.record(index, fails(COMMITS - index))
            count += 1
        counts.append(count)
        right += COMMITS - int(search.distribution.argmax()) == first
    return statistics.mean(counts), right / searches
