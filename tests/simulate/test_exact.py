"""Simulated success of the proofs' eavesdroppers against their exact success, by enumeration."""

from fractions import Fraction

import pytest

from feint import Problem
from feint.branches import branches
from feint.interfaces import Strategy
from feint.planning import plan
from feint.simulate import simulate
from feint.simulate.adversaries import Proportional

SMALL = [
    (Problem("1/64", "1/12", 3), "paper"),
    (Problem("1/64", "1/12", 3), "tight"),
    (Problem("1/128", "1/32", 2), "paper"),
    (Problem("1/128", "1/32", 2), "replicated"),
    (Problem("1/64", "1/16", 3, setting="deterministic"), "paper"),
    (Problem("1/64", "1/16", 3, setting="deterministic"), "opportunistic"),
]


def success(strategy: Strategy, skip: int) -> Fraction:
    """How often a query drawn uniformly after the first `skip` comes within δ/2 of X*: all cells,
    all coins, all queries."""
    cells, won = strategy.cells[0], Fraction(0)
    radius = strategy.problem.delta * cells / 2
    for part in branches(strategy):
        for low, high, weight, group in zip(
            part.low[:, 0].tolist(), part.high[:, 0].tolist(), part.weight, part.group, strict=True
        ):
            queries = part.transcripts[group].tolist()[skip:]
            caught = sum(
                max(Fraction(0), min(high, q + radius) - max(low, q - radius)) for q in queries
            )
            won += Fraction(int(weight), part.total) * caught / (len(queries) * cells)
    return won


@pytest.mark.parametrize(("problem", "method"), SMALL)
def test_truncated_proportional_sampling(problem: Problem, method: str) -> None:
    strategy = plan(problem, method=method).strategy
    truncated = Proportional.truncated(problem)
    adversaries = [truncated, Proportional()]
    found = simulate(strategy, runs=60_000, adversaries=adversaries, failure="0.0001", seed=1)
    for adversary, rate in zip(adversaries, found.adversaries, strict=True):
        exact = success(strategy, adversary.skip)
        assert rate.interval[0] <= exact <= rate.interval[1]
        assert rate.interval[1] - rate.interval[0] < 0.02


def test_the_bayesian_promise_binds_them_too() -> None:
    for problem, method in SMALL:
        if problem.setting == "bayesian":
            skip = Proportional.truncated(problem).skip
            assert success(plan(problem, method=method).strategy, skip) <= Fraction(
                1, problem.level
            )
