"""Theorem 5 as curves: answers that may be wrong, down to answers that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.bounds import noisy_lower, noisy_upper
from feint.errors import TooLarge
from feint.interfaces import Executor
from feint.planning import Plan, plan
from feint.problem import Problem
from feint.research.reproduce.exhibit import Chart, Curve, Number
from feint.simulate import Simulation, simulate, spawned

_SIMULATED = 4_000_000  # questions in all behind each simulated point, at most
_FEWEST = 100  # runs: with fewer the intervals are too wide to draw
_EXPONENTS = range(30, 7, -2)
_GAPS = (*(Fraction(1, 2**j) for j in range(10, 1, -1)), Fraction(2, 5))
_MISSED = "how often the `tight` plan missed"
_BARS = ", bars: 99 % intervals"
_ERROR = (
    "the mean error of the `tight` plan, without bars, since a rare error may be so large that it "
    "weighs more than all others and not be among the runs"
)


def noisy(
    runs: int,
    seed: int,
    executor: Executor,
    *,
    exponents: Sequence[int] = _EXPONENTS,
    gaps: Sequence[Fraction] = _GAPS,
) -> list[Chart]:
    """Questions against ε, on average and with high probability, and against p.

    Args:
        runs: The number of runs behind each simulated point, at most.
        seed: Where all randomness comes from; each point has its own.
        executor: Who runs the simulations.
        exponents: The values of ε, as powers of 1/2.
        gaps: The values of p − 1/2.

    Returns:
        The three charts.
    """
    return [
        _by_epsilon("19/20", exponents, runs, seed, executor),
        _by_epsilon(None, exponents, runs, seed, executor),
        _by_noise(gaps, runs, seed, executor),
    ]


def _by_epsilon(
    confidence: str | None, exponents: Sequence[int], runs: int, seed: int, executor: Executor
) -> Chart:
    problems = [
        Problem(Fraction(1, 2**k), "1/50", 5, p="9/10", confidence=confidence) for k in exponents
    ]
    plans = {name: [_plan(each, name) for each in problems] for name in ("paper", "tight")}
    name, accurate, below, bars = (
        ("noisy-average", "on average", _ERROR, "")
        if confidence is None
        else ("noisy-confident", "with probability 0.95", _MISSED, _BARS)
    )
    played = _played(name, plans["tight"], runs, seed, executor)
    return Chart(
        name=name,
        title=f"Theorem 5. Answers that may be wrong, accurate {accurate}",
        parameters=f"p = 0.9, δ = 1/50, L = 5; below: {_runs(played)} of the tight plan{bars}",
        caption=f"Lines are the theorem's bounds, markers what plans ask. Below: {below}.",
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


def _by_noise(gaps: Sequence[Fraction], runs: int, seed: int, executor: Executor) -> Chart:
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
            curve.thing,
        )
        for curve in curves
    ]
    name = "noisy-limit"
    played = _played(name, plans["tight"], runs, seed, executor)
    return Chart(
        name=name,
        title="Theorem 5 as answers come to say nothing",
        parameters="ε = 1/1000, δ = 1/50, L = 5, accurate with probability 0.95\n"
        f"below: {_runs(played)} of the tight plan{_BARS}",
        caption="As p goes to 1/2 the number of questions grows like 1/(p − 1/2)²: times that "
        "square, every curve levels off. A plan may ask at most 2^24 questions: markers end where "
        f"a method would ask more. Below: {_MISSED}, where it is short enough to be run often.",
        x_label="p − 1/2",
        y_label="questions × (p − 1/2)²",
        x=tuple(float(gap) for gap in gaps),
        curves=tuple(scaled),
        log_x=2,
        log_y=10,
        more=(*((f"questions, {curve.label}", curve.y) for curve in curves), *_more(played)),
        below=_misses(played),
        below_label="missed",
    )


def _bounds(problems: Sequence[Problem]) -> list[Curve]:
    return [
        Curve(f"{side} bound, this paper", tuple(float(bound(each)) for each in problems), thing)
        for side, thing, bound in (
            ("upper", "upper bound", noisy_upper),
            ("lower", "lower bound", noisy_lower),
        )
    ]


def _counts(name: str, plans: Sequence[Plan | None]) -> Curve:
    label = "tight (feint's default)" if name == "tight" else "the paper's strategy"
    return Curve(label, tuple(None if each is None else each.queries for each in plans), name)


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
    allowed = Curve("allowed: 0.05", (0.05,) * len(played), "promise")
    return allowed, Curve.sampled("missed by more than ε/2", rates, "missed")


def _errors(played: Sequence[Simulation | None]) -> tuple[Curve, ...]:
    """Without bars: no interval holds where an error that no run met may outweigh all others."""
    means = tuple(
        None if each is None else each.mean_error / float(each.strategy.problem.epsilon)
        for each in played
    )
    allowed = Curve("allowed: 1/2", (0.5,) * len(played), "promise")
    return allowed, Curve("mean error / ε", means, "mean error", simulated=True)


def _more(played: Sequence[Simulation | None]) -> tuple[tuple[str, tuple[Number, ...]], ...]:
    """Columns of the table: what was simulated."""
    return (
        ("simulated runs", tuple(None if each is None else each.runs for each in played)),
        ("asked in every run", tuple(None if each is None else each.queries for each in played)),
    )
