"""Theorem 5 as curves: answers that may be wrong, down to answers that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.bounds import noisy_lower, noisy_upper
from feint.errors import TooLarge
from feint.interfaces import Executor
from feint.planning import Plan, plan
from feint.problem import Problem
from feint.reproduce.exhibit import Chart, Curve, Number
from feint.simulate import Simulation, simulate, spawned

_SIMULATED = 4_000_000  # questions in all behind each simulated point, at most
_FEWEST = 100  # runs: with fewer the intervals are too wide to draw
_MISSED = "how often the `tight` plan missed (bars: 99 % intervals)"
_ERROR = (
    "the mean error of the `tight` plan, without bars, since a rare error may be so large that it "
    "weighs more than all others and not be among the runs"
)


def noisy(runs: int, seed: int, executor: Executor) -> list[Chart]:
    """Questions against ε, on average and with high probability, and against p."""
    return [
        _by_epsilon("19/20", runs, seed, executor),
        _by_epsilon(None, runs, seed, executor),
        _by_noise(runs, seed, executor),
    ]


def _by_epsilon(confidence: str | None, runs: int, seed: int, executor: Executor) -> Chart:
    problems = [
        Problem(Fraction(1, 2**k), "1/50", 5, p="9/10", confidence=confidence)
        for k in range(30, 7, -2)
    ]
    plans = {name: [_plan(each, name) for each in problems] for name in ("paper", "tight")}
    name, accurate, below = (
        ("noisy-average", "on average", _ERROR)
        if confidence is None
        else ("noisy-confident", "with probability 0.95", _MISSED)
    )
    played = _played(name, plans["tight"], runs, seed, executor)
    return Chart(
        name=name,
        title=f"Theorem 5. Answers that are right nine times in ten, accurate {accurate}",
        caption="p = 0.9, δ = 1/50, L = 5. Lines are the theorem's bounds, markers what plans ask. "
        f"Below: {below}, in {_runs(played)}.",
        x_label="ε",
        y_label="questions",
        x=tuple(float(problem.epsilon) for problem in problems),
        curves=(*_bounds(problems), *(_counts(name, found) for name, found in plans.items())),
        log_x=2,
        log_y=10,
        more=_more(played),
        below=_errors(played) if confidence is None else _misses(played),
        below_label="mean error / ε" if confidence is None else "missed",
    )


def _by_noise(runs: int, seed: int, executor: Executor) -> Chart:
    gaps = [Fraction(1, 2**j) for j in range(10, 2, -1)] + [Fraction(1, 4), Fraction(2, 5)]
    problems = [
        Problem("1/1000", "1/50", 5, p=Fraction(1, 2) + gap, confidence="19/20") for gap in gaps
    ]
    plans = {name: [_plan(each, name) for each in problems] for name in ("paper", "tight")}
    curves = [*_bounds(problems), *(_counts(name, found) for name, found in plans.items())]
    squares = [float(gap) ** 2 for gap in gaps]
    scaled = [
        Curve(
            curve.label,
            tuple(
                None if y is None else y * square
                for y, square in zip(curve.y, squares, strict=True)
            ),
            curve.kind,
        )
        for curve in curves
    ]
    name = "noisy-limit"
    played = _played(name, plans["tight"], runs, seed, executor)
    return Chart(
        name=name,
        title="Theorem 5 as answers come to say nothing",
        caption="ε = 1/1000, δ = 1/50, L = 5, accurate with probability 0.95. As p goes to 1/2 the "
        "number of questions grows like 1/(p − 1/2)²: times that square, every curve levels off. A "
        "plan may ask at most 2^24 questions: markers end where a method would ask more. "
        f"Below: {_MISSED}, where it is short enough to be run often: {_runs(played)}.",
        x_label="p − 1/2",
        y_label="questions × (p − 1/2)²",
        x=tuple(float(gap) for gap in gaps),
        curves=tuple(scaled),
        log_x=2,
        log_y=10,
        more=(*((f"questions, {curve.label}", curve.y) for curve in curves), *_more(played)),
        legend=(0.02, 0.12),
        below=_misses(played),
        below_label="missed",
    )


def _bounds(problems: Sequence[Problem]) -> list[Curve]:
    return [
        Curve("upper bound, Theorem 5", tuple(float(noisy_upper(each)) for each in problems)),
        Curve("lower bound, Theorem 5", tuple(float(noisy_lower(each)) for each in problems)),
    ]


def _counts(name: str, plans: Sequence[Plan | None]) -> Curve:
    label = "tight (feint's default)" if name == "tight" else "the paper's strategy"
    return Curve(label, tuple(None if each is None else each.queries for each in plans), "plan")


def _plan(problem: Problem, method: str) -> Plan | None:
    """A plan, or None where it would ask more questions than a plan may."""
    try:
        return plan(problem, method=method)
    except TooLarge:
        return None


def _played(
    name: str, plans: Sequence[Plan | None], runs: int, seed: int, executor: Executor
) -> list[Simulation | None]:
    """A simulation of each plan; None where there is no plan, or time for fewer than 100 runs."""
    found: list[Simulation | None] = []
    for index, each in enumerate(plans):
        most = 0 if each is None else _SIMULATED // each.queries
        if each is None or most < _FEWEST:
            found.append(None)
            continue
        start = spawned(seed, name, index)
        done = simulate(each.strategy, runs=min(runs, most), seed=start, executor=executor)
        found.append(done.finished())
    return found


def _runs(played: Sequence[Simulation | None]) -> str:
    """The number of runs behind each point, in words."""
    counts = [each.runs for each in played if each is not None]
    low, high = min(counts), max(counts)
    return f"{low:,} runs each" if low == high else f"{low:,} to {high:,} runs each"


def _misses(played: Sequence[Simulation | None]) -> tuple[Curve, ...]:
    rates = [None if each is None else (each.miss_rate, each.miss_interval) for each in played]
    allowed = Curve("allowed", (0.05,) * len(played), "earlier")
    return allowed, Curve.sampled("missed by more than ε/2", rates)


def _errors(played: Sequence[Simulation | None]) -> tuple[Curve, ...]:
    """Without bars: no interval holds where an error that no run met may outweigh all others."""
    means = tuple(
        None if each is None else each.mean_error / float(each.strategy.problem.epsilon)
        for each in played
    )
    allowed = Curve("allowed", (0.5,) * len(played), "earlier")
    return allowed, Curve("mean error / ε", means, "sampled")


def _more(played: Sequence[Simulation | None]) -> tuple[tuple[str, tuple[Number, ...]], ...]:
    """Columns of the table: what was simulated."""
    return (
        ("simulated runs", tuple(None if each is None else each.runs for each in played)),
        ("asked in every run", tuple(None if each is None else each.queries for each in played)),
    )
