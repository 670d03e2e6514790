"""Build errors that explain why there is no noisy plan and suggest a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from feint.errors import NoPlan
from feint.exact import plain
from feint.problem import Domain, Problem


def crowded(
    problem: Problem,
    units: Domain,
    takes: Callable[[Problem], int | None],
    rounds: int | None,
) -> NoPlan:
    """Build the error if there is no room for parts that must be spare or wider than δ.

    Args:
        problem: The problem without a plan.
        units: The user's units.
        takes: Returns the fewest rounds that a problem takes, or None if it has no plan either.
        rounds: The most rounds; None for any number.

    Returns:
        The error. If a smaller δ was found to work, the error suggests it.
    """
    remedy = "take a finer step" if problem.level == 2 else "lower the level"
    for narrower in _narrower(problem):
        fewest = takes(narrower)
        if fewest is not None:
            remedy = f"delta = {plain(narrower.delta * units.width)} works"
            if narrower.epsilon != problem.epsilon:
                remedy = f"epsilon = {plain(narrower.epsilon * units.width)} with {remedy}"
            if rounds is not None and fewest > rounds:
                remedy = f"max_rounds = {fewest} with {remedy}"
            break
    most = plain(units.width / problem.parts)
    rule = f"no noisy plan is private enough so near to delta = {most}"
    return NoPlan("delta", plain(problem.delta * units.width), rule, remedy)


def too_slow(rounds: int, fewest: int, plans: str = "noisy plans") -> NoPlan:
    """Build the error for too few rounds: the least is a round of cuts and a search in a part."""
    rule = f"{plans} take {fewest} rounds or more"
    return NoPlan("max_rounds", rounds, rule, f"allow {fewest} or more")


def _narrower(problem: Problem) -> Iterator[Problem]:
    """Yield the problem with smaller δ, the largest first, and with smaller ε if needed.

    One spare part, δ = 1/(L + 1), is enough if votes hardly ever err.
    """
    deltas = [Fraction(1, problem.parts + spare) for spare in (1, 2, 4)]
    if problem.values is not None:
        most = int(min(problem.delta * problem.values - 1, problem.values * deltas[0]))
        deltas = [Fraction(window, problem.values) for window in (most, most - 1, most // 2, 1)]
    for delta in sorted({each for each in deltas if 0 < each < problem.delta}, reverse=True):
        finest = problem.epsilon if problem.values is not None else delta / 4
        yield replace(problem, epsilon=min(problem.epsilon, finest), delta=delta)
