"""Theorem 5 as curves: answers that may be wrong, down to answers that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.bounds import noisy_lower, noisy_upper
from feint.errors import FeintError
from feint.planning import Plan, plan
from feint.problem import Problem
from feint.reproduce.exhibit import Chart, Curve, Number
from feint.simulate import Executor, simulate

_PLANNED = 200_000  # questions by the theorem up to which a plan is made: beyond, it takes long
_SIMULATED = 2_000_000  # questions in all behind each simulated point, at most


def noisy(runs: int, seed: int, executor: Executor) -> list[Chart]:
    """Questions against ε, on average and with high probability, and against p."""
    return [
        _by_epsilon("19/20", runs, seed, executor),
        _by_epsilon(None, runs, seed, executor),
        _by_noise(),
    ]


def _by_epsilon(confidence: str | None, runs: int, seed: int, executor: Executor) -> Chart:
    problems = [
        Problem(Fraction(1, 2**k), "1/50", 5, p="9/10", confidence=confidence)
        for k in range(30, 7, -2)
    ]
    plans = {name: [_plan(each, name) for each in problems] for name in ("paper", "tight")}
    sure = "on average" if confidence is None else "with probability 0.95"
    missed = [_missed(each, runs, seed, executor) for each in plans["tight"]]
    return Chart(
        "noisy-average" if confidence is None else "noisy-confident",
        f"Theorem 5. Answers that are right nine times in ten, accurate {sure}",
        "p = 0.9, δ = 1/50, L = 5. Lines are the theorem's bounds, markers what plans ask. The "
        "table says how far off simulated runs of the `tight` plan were.",
        "ε",
        "questions",
        tuple(float(problem.epsilon) for problem in problems),
        (*_bounds(problems), *(_counts(name, found) for name, found in plans.items())),
        log_x=2,
        log_y=10,
        more=(
            ("simulated runs", tuple(each[0] for each in missed)),
            ("missed by more than ε/2", tuple(each[1] for each in missed)),
            ("mean error / ε", tuple(each[2] for each in missed)),
        ),
    )


def _by_noise() -> Chart:
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
    return Chart(
        "noisy-limit",
        "Theorem 5 as answers come to say nothing",
        "ε = 1/1000, δ = 1/50, L = 5, accurate with probability 0.95. As p goes to 1/2 the number "
        "of questions grows like 1/(p − 1/2)²: times that square, every curve levels off. Plans "
        "are made up to 200,000 questions by the theorem.",
        "p − 1/2",
        "questions × (p − 1/2)²",
        tuple(float(gap) for gap in gaps),
        tuple(scaled),
        log_x=2,
        log_y=10,
        more=tuple((f"questions, {curve.label}", tuple(curve.y)) for curve in curves),
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
    """A plan, or None where the method has none for this problem or it would take long."""
    if noisy_upper(problem) > _PLANNED:
        return None
    try:
        return plan(problem, method=method)
    except FeintError:
        return None


def _missed(
    found: Plan | None, runs: int, seed: int, executor: Executor
) -> tuple[Number, str | Number, Number]:
    """Runs, share of misses and mean error in ε."""
    if found is None:
        return None, None, None
    count = max(1, min(runs, _SIMULATED // found.queries))
    outcome = simulate(found.strategy, runs=count, seed=seed, executor=executor)
    mean = outcome.mean_error / float(found.problem.epsilon)
    return outcome.runs, f"{outcome.miss_rate:.4f}", mean
