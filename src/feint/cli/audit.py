"""`feint audit`: what the best eavesdropper can do against a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from click import UsageError

from feint.cli import show
from feint.cli.codes import LEAKS
from feint.cli.flags.flag import Json, Plot, flag, flagged, switch
from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import ProblemFlags, Request, told_outside
from feint.cli.flags.runs import adversaries, adversary
from feint.cli.flags.wording import in_remedy
from feint.cli.flags.work import WorkFlags
from feint.cli.progress import bar
from feint.errors import InvalidValue, TooLarge
from feint.exact import whole

if TYPE_CHECKING:
    from feint.audit import Prior
    from feint.planning import Plan

MethodName = Annotated[
    str, flag("The method to audit. Default: tight.", "NAME", "The plan", "--method")
]
TruePrior = Annotated[
    str | None,
    flag(
        "Audit under this law, in your units, in place of the one that is planned for (--prior):"
        " as --prior, or a file. Default: the same.",
        "NAME",
        "The audit",
        "--true-prior",
    ),
]
Lemmas = Annotated[bool, switch("--lemmas", "Measure the theory's lemmas too.", "The audit")]
Repeat = Annotated[
    str | None,
    flag("Search for the number this often, the same key each time.", "COUNT", "The audit"),
]
FreshKeys = Annotated[
    bool, switch("--fresh-keys", "With --repeat: a key of its own each time.", "The audit")
]
MotionLaw = Annotated[
    str | None,
    flag(
        "With --repeat, how the number moves between searches: steps(D), by at most D; walk(D), by"
        " D up or down, walk(D,N) N times; jump(P), anew with probability P. Default: it stays.",
        "LAW",
        "The audit",
        "--motion",
    ),
]
Hears = Annotated[
    str | None,
    flag(
        "Which questions she hears: all, nothing, rounds(1-3), coordinates(0), questions(2,5-7),"
        " every(2), last(1), each(1/2). Default: all.",
        "WHICH",
        "The audit",
        "--hears",
    ),
]
Knows = Annotated[
    str | None,
    flag(
        "Whose answers she knows, in the same words, such as last. Default: nothing.",
        "WHICH",
        "The audit",
        "--knows",
    ),
]
Runs = Annotated[
    str | None,
    flag(
        "Sample this many runs instead of walking every branch; noise is always sampled.",
        "COUNT",
        "Runs",
    ),
]
Adversaries = Annotated[list[str] | None, adversary("all")]
Failure = Annotated[
    str | None,
    flag(
        "With --runs: probability that the verdict may be wrong. Default: 1e-6.",
        "PROBABILITY",
        "Runs",
    ),
]
Seed = Annotated[
    str | None, flag("With --runs: where the runs' coins come from. Default: 0.", "SEED", "Runs")
]


def audit(
    *,
    problem: ProblemFlags,
    method: MethodName = "tight",
    planning: PlanFlags,
    true_prior: TruePrior = None,
    lemmas: Lemmas = False,
    repeat: Repeat = None,
    fresh_keys: FreshKeys = False,
    motion: MotionLaw = None,
    hears: Hears = None,
    knows: Knows = None,
    runs: Runs = None,
    adversary: Adversaries = None,
    failure: Failure = None,
    seed: Seed = None,
    work: WorkFlags,
    plot: Plot = None,
    json: Json = False,
) -> int:
    """Audit a plan: what the best eavesdropper wins with. Leaves with 1 when the claim fails."""
    from feint import audit as room

    for name, given in (("--failure", failure), ("--seed", seed)):
        if given is not None and runs is None and problem.p is None:  # noise is always sampled
            raise InvalidValue(name, given, "this is for a sampled audit", "give --runs too")
    picture = show.drawing(plot)
    found = _planned(
        problem.request(margin=planning.margin), method, planning, work, sampled=runs is not None
    )
    beyond = any(each is not None for each in (repeat, hears, knows))
    limits = _not_too_large(1000 if beyond else 100_000)
    law = flagged(**({} if true_prior is None else {"prior": "--true-prior"}))
    with work.executor() as executor, bar("auditing") as progress, limits, law:
        report = room.audit(
            found,
            prior=_prior(true_prior, found),
            runs=None if runs is None else whole(runs, "--runs", least=2, most=10**9),
            adversaries=adversaries(adversary),
            failure=failure,
            seed=None if seed is None else whole(seed, "--seed", least=0),
            lemmas=lemmas,
            repeat=1 if repeat is None else whole(repeat, "--repeat", least=1),
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
        show.lines(show.problem_line(found.problem, found.domain))
        show.lines(*show.broken(*show.between_decimals(found)))
        show.console().print(report)
    picture(report)
    return 0 if report.holds else LEAKS


_HEAPS = ("branches", "questions in its transcripts", "beliefs", "cells", "keys")


@contextmanager
def _not_too_large(runs: int) -> Iterator[None]:
    """Where an exact audit would take too long, say what to do instead: no flag has a limit.

    Args:
        runs: The number of runs to advise.

    Raises:
        UsageError: The plan has more branches than are walked.
    """
    try:
        yield
    except TooLarge as error:
        if error.argument in _HEAPS:
            there = f"there are {error.value} {error.argument}"
            raise UsageError(f"{there}: {error.rule}; {in_remedy(error.remedy)}") from None
        if error.argument != "limit":
            raise
        raise UsageError(f"{error.rule}, too many to walk: sample runs, --runs {runs}") from None


def _planned(
    wanted: Request, method: str, planning: PlanFlags, work: WorkFlags, *, sampled: bool
) -> Plan:
    """The plan to audit.

    Raises:
        FeintError: A flag is wrong, there is no such plan, or helpers are named where there is
            nothing to share.
    """
    if not wanted.problem.noisy and not sampled:
        work.refuse("an exact audit is one piece of work", "leave it out, or sample: give --runs")
    return planning.planned(wanted, method, work)


def _prior(words: str | None, found: Plan) -> Prior | None:
    """The law to audit under, where it is not the one that was planned for.

    Raises:
        InvalidValue: Neither a law nor a file that can be read.
    """
    if words is None:
        return None
    with told_outside():
        return found.domain.prior(Path(words) if Path(words).is_file() else words)
