"""Why there is no noisy plan, and what to ask for instead."""

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
    """No choice fits: some parts must be spare, or wider than δ, and there is no room.

    Args:
        problem: What was wanted.
        units: The user's.
        takes: The fewest rounds that a problem takes; None: it has no plan either.
        rounds: How many there may be; None: any number.

    Returns:
        The refusal, with a smaller δ that was tried and works, if one was found.
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
    """Under noise one search in a part is the least there can be, after one round of cuts."""
    rule = f"{plans} take {fewest} rounds or more"
    return NoPlan("max_rounds", rounds, rule, f"allow {fewest} or more")


def _narrower(problem: Problem) -> Iterator[Problem]:
    """The same problem with smaller δ, the largest first, and ε if it must be.

    One spare part, δ = 1/(L + 1), is enough where votes hardly ever err.
    """
    deltas = [Fraction(1, problem.parts + spare) for spare in (1, 2, 4)]
    if problem.values is not None:
        most = int(min(problem.delta * problem.values - 1, problem.values * deltas[0]))
        deltas = [Fraction(window, problem.values) for window in (most, most - 1, most // 2, 1)]
    for delta in sorted({each for each in deltas if 0 < each < problem.delta}, reverse=True):
        finest = problem.epsilon if problem.values is not None else delta / 4
        yield replace(problem, epsilon=min(problem.epsilon, finest), delta=delta)
