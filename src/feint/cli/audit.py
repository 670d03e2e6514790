"""Define `feint audit`, which computes how often the best eavesdropper wins against a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from click import UsageError

from feint.cli import show
from feint.cli.codes import LEAKS
from feint.cli.flags.plan import PlanFlags, WorkFlags
from feint.cli.flags.problem import ProblemFlags, told_outside
from feint.cli.flags.wording import flagged, in_remedy, listed
from feint.cli.progress import bar
from feint.errors import InvalidValue, TooLarge

if TYPE_CHECKING:
    from feint.audit import Prior
    from feint.planning import Plan


def audit(
    *,
    problem: ProblemFlags,
    method: str = "tight",
    planning: PlanFlags,
    true_prior: str | None = None,
    lemmas: bool = False,
    repeat: int | None = None,
    fresh_keys: bool = False,
    motion: str | None = None,
    hears: str | None = None,
    knows: str | None = None,
    runs: int | None = None,
    adversary: list[str] | None = None,
    failure: str | None = None,
    seed: int | None = None,
    work: WorkFlags,
    plot: str | None = None,
    json: bool = False,
) -> int:
    """Audit a plan: how often the best eavesdropper wins. Exits with 1 if its claim is false."""
    from feint import audit as auditing

    for name, given in (("--failure", failure), ("--seed", seed)):
        if given is not None and runs is None and problem.p is None:  # noise is always sampled
            raise InvalidValue(name, given, "this is for a sampled audit", "give --runs too")
    picture = show.drawing(plot)
    wanted = problem.request(margin=planning.margin)
    if not wanted.problem.noisy and runs is None:
        work.refuse("an exact audit is one piece of work", "leave it out, or sample: give --runs")
    plan = planning.planned(wanted, method, work)
    beyond = any(each is not None for each in (repeat, hears, knows))
    # Runs of several searches, or of partial hearing, share no posteriors: suggest fewer.
    limits = _not_too_large(1000 if beyond else 100_000)
    prior = flagged(**({} if true_prior is None else {"prior": "--true-prior"}))
    with work.executor() as executor, bar("auditing") as progress, limits, prior:
        report = auditing.audit(
            plan,
            prior=_prior(true_prior, plan),
            runs=runs,
            adversaries=listed(adversary),
            failure=failure,
            seed=seed,
            lemmas=lemmas,
            repeat=repeat or 1,
            fresh_keys=fresh_keys,
            motion=motion,
            hears="all" if hears is None else hears,
            knows="nothing" if knows is None else knows,
            progress=progress,
            executor=executor,
        )
    if json:
        show.as_json(report.to_dict())
    else:
        show.lines(show.problem_line(plan.problem, plan.domain))
        show.lines(*show.broken(*show.between_decimals(plan)))
        show.console().print(report)
    picture(report)
    return 0 if report.holds else LEAKS


_COUNTED = ("branches", "questions in its transcripts", "beliefs", "cells", "keys")
"""The arguments of `TooLarge` that are counts and not flags."""


@contextmanager
def _not_too_large(runs: int) -> Iterator[None]:
    """Suggest an alternative if an exact audit would take too long."""
    try:
        yield
    except TooLarge as error:
        if error.argument in _COUNTED:
            there = f"there are {error.value} {error.argument}"
            raise UsageError(f"{there}: {error.rule}; {in_remedy(error.remedy)}") from None
        if error.argument != "limit":
            raise
        raise UsageError(f"{error.rule}, too many to walk: sample runs, --runs {runs}") from None


def _prior(words: str | None, plan: Plan) -> Prior | None:
    """Return the distribution to audit under if it is not the plan's own."""
    if words is None:
        return None
    with told_outside():
        return plan.domain.prior(Path(words) if Path(words).is_file() else words)
