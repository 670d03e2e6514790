"""Make several plans of one problem: one per method, or every trade of questions for rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import Number, decimal
from feint.interfaces import AnyExecutor, Progress, progress_of
from feint.planning.limits import QUICK_OPTIMUM
from feint.planning.noisy import FIXED
from feint.planning.planner import methods, optimum_limit, plan
from feint.planning.plans import Plan
from feint.planning.registry import FLAWED, OPTIMAL
from feint.planning.ticks import coarsest
from feint.problem import UNIT, Domain, Problem

_LONGER = 4  # the digits of a question that may exceed the digits of epsilon


def compare(
    problem: Problem,
    *,
    domain: Domain | None = None,
    max_rounds: int | None = None,
    max_queries: int | None = None,
    repeatable: bool = False,
    certificate: str = "theorem",
    margin: Number = 1,
    seed: int | None = None,
    progress: Progress | None = None,
    executor: AnyExecutor | None = None,
    refused: Callable[[str, InvalidValue], None] | None = None,
) -> list[Plan]:
    """Plan with every method that has a plan of moderate length, the recommended one first.

    Args:
        problem: The problem to plan for.
        domain: As in `plan`.
        max_rounds: As in `plan`.
        max_queries: The limit for the recommended plan, as in `plan`. The others have no limit.
        repeatable: As in `plan`.
        certificate: The certificate of method "fixed" under noise, as in `plan`.
        margin: As in `plan`.
        seed: As in `plan`.
        progress: As in `plan`.
        executor: As in `plan`.
        refused: A function that receives each method without a plan, and the error.

    Returns:
        The plans, without the flawed specimens. The optimum is included if it is quick to compute
        and asks fewer questions than the recommended plan.
    """
    best, *others = methods(problem, domain=domain)
    calibrated = FIXED if problem.noisy else best  # raises an error for the certificate

    def one(name: str) -> Plan:
        return plan(
            problem,
            domain=domain,
            method=name,
            max_rounds=max_rounds,
            max_queries=max_queries if name == best else None,
            repeatable=repeatable,
            certificate=certificate if name == calibrated else "theorem",
            margin=margin,
            seed=seed,
            progress=progress,
            executor=executor,
        )

    def refuse(name: str, error: InvalidValue) -> None:
        if refused is not None:
            refused(name, error)

    plans = [one(best)]
    for name in others:
        if name not in (FLAWED, OPTIMAL):
            try:
                plans.append(one(name))
            except (NoPlan, TooLarge) as error:
                refuse(name, error)
    for name in _ruled_out(problem, domain, (best, *others)):
        rule = "it divides the range evenly, not at multiples of a tick"
        refuse(name, NoPlan("method", name, rule, "leave the tick out"))
    unsolved = optimum_limit(plans[0].problem, domain or UNIT)
    if unsolved is not None:
        refuse(OPTIMAL, TooLarge("method", OPTIMAL, unsolved, "leave it out"))
    elif OPTIMAL in others and plans[0].queries > QUICK_OPTIMUM:
        rule = "it may take a minute; ask for it by its name"
        refuse(OPTIMAL, TooLarge("method", OPTIMAL, rule, f'use method "{OPTIMAL}"'))
    elif OPTIMAL in others:
        with suppress(NoPlan):
            found = one(OPTIMAL)
            plans += [found] if found.queries < plans[0].queries else []
    return plans


def _ruled_out(problem: Problem, domain: Domain | None, known: Sequence[str]) -> list[str]:
    """Return the methods that only the domain's tick rules out, without the optimum."""
    if domain is None or domain.tick is None:
        return []
    free = methods(problem, domain=replace(domain, tick=None))
    return [name for name in free if name not in (*known, FLAWED, OPTIMAL)]


def with_short_questions(
    found: Plan, *, max_rounds: int | None = None, repeatable: bool = False, margin: Number = 1
) -> Plan | None:
    """Return an alternative plan by the same method at multiples of a tick of epsilon's size.

    Args:
        found: A plan. Under noise or a prior there is no alternative here, since planning takes
            long.
        max_rounds: The limit it was planned with.
        repeatable: The choice it was planned with.
        margin: The margin it was planned with.

    Returns:
        The alternative plan. None if the questions already have few decimals more than epsilon, or
        if the alternative asks a quarter more questions, or does not exist.
    """
    problem, domain = found.problem, found.domain
    units = [each.unit for each in found.scales or () if each.unit is not None]
    if problem.noisy or problem.prior is not None or domain.tick is not None or not units:
        return None
    tick = coarsest(problem, domain)
    if max(map(_digits, units)) <= _digits(tick) + _LONGER:
        return None
    try:
        other = plan(
            problem,
            domain=replace(domain, tick=tick),
            method=found.method,
            max_rounds=max_rounds,
            repeatable=repeatable,
            margin=margin,
        )
    except InvalidValue:
        return None
    return other if 4 * other.queries <= 5 * found.queries else None


def _digits(value: Fraction) -> int:
    """Return the number of digits of a decimal after its point."""
    return len((decimal(value) or "").partition(".")[2])


def frontier(
    problem: Problem,
    *,
    domain: Domain | None = None,
    margin: Number = 1,
    progress: Progress | None = None,
) -> list[Plan]:
    """Return every plan that no other beats in questions and rounds, by number of questions.

    Args:
        problem: The problem to plan for.
        domain: As in `plan`.
        margin: As in `plan`.
        progress: A function that receives the number of rounds saved so far, and the first number
            of rounds.

    Returns:
        Plans with fewer and fewer rounds and more and more questions, down to a single round or up
        to 2^24 questions. Under noise the rounds go down to the minimum, in steps of an eighth, or
        of a quarter for several numbers.
        Rounds are then those of the longest search, and questions are means.
    """
    tell = progress_of(progress)
    best = plan(problem, domain=domain, margin=margin, progress=tell)
    found, most = [best], best.rounds
    while most and found[-1].rounds > 1:
        rounds = found[-1].rounds - 1
        # Plans under noise take long, and the longer the more numbers there are.
        step = min(most, 1 + rounds // (8 if problem.dim == 1 else 4)) if problem.noisy else 1
        if tell is not None:
            tell("rounds fewer", best.rounds - found[-1].rounds, best.rounds)
        try:
            fewer = plan(problem, domain=domain, max_rounds=rounds + 1 - step, margin=margin)
        except (NoPlan, TooLarge):
            most = step // 2  # the minimum number of rounds lies within this step
        else:
            found.append(fewer)
    kept: list[Plan] = []
    for each in sorted(found, key=lambda one: (one.rounds, _asked(one))):
        if not kept or _asked(each) < _asked(kept[-1]):
            kept.append(each)
    return kept[::-1]


def _asked(plan: Plan) -> Fraction | float:
    """Return the number of questions that the planner minimises: the mean under noise."""
    mean = plan.queries_mean if plan.problem.noisy else None
    return plan.queries if mean is None else mean
