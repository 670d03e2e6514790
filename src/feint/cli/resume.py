"""`feint run --resume` and `--again`: flags that are given must describe the search in the file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from feint.cli.flags.flag import spelled
from feint.cli.flags.plan import CALIBRATED, PlanFlags
from feint.cli.flags.problem import PRIORS, ProblemFlags, told_outside, values_of
from feint.cli.flags.work import WorkFlags
from feint.cli.state import held
from feint.errors import InvalidValue
from feint.exact import plain, rational

if TYPE_CHECKING:
    from feint.problem import Prior
    from feint.search import Search

_ROUNDED = Fraction(1, 10**6)  # what odds may differ by that were read at another time


@dataclass(frozen=True, kw_only=True)
class Described:
    """All that the flags say of a search; None: it was left out.

    Attributes:
        problem: Which problem it is for.
        planning: How it is planned.
        work: Who simulates a calibrated plan.
        method: By which method it is planned.
        yes_means: What yes says of the number.
        seed: Where its coins come from, for experiments.
    """

    problem: ProblemFlags
    planning: PlanFlags
    work: WorkFlags
    method: str | None
    yes_means: str | None
    seed: str | None


RESUMED = "a search that is resumed has its plan and its coins already"


def resumed(state: Path, described: Described, *, rule: str = RESUMED) -> Search:
    """The search in a file, if it is the one that the flags describe.

    Args:
        state: The file.
        described: The flags. What was left out fits any search. Seeds and helpers must be left
            out: the search has its plan and its coins already.
        rule: Why they must.

    Returns:
        The search.

    Raises:
        InvalidValue: A flag says something else than the file, or is for a new search only.
        FeintError: The file cannot be resumed.
    """
    problem, planning = described.problem, described.planning
    seeds = {"--seed": described.seed, "--calibration-seed": planning.calibration_seed}
    for flag, value in seeds.items():
        if value is not None:
            raise InvalidValue(flag, value, rule, "leave it out")
    described.work.refuse(rule, "leave it out")
    rounds, search = planning.rounds, held(state)
    given = problem.given() | {
        "method": described.method,
        "certificate": planning.certificate,
        "yes_means": described.yes_means,
    }
    had = _held(search)
    _check_prior(problem, search, state)
    for name, value in given.items():
        if value is not None and name not in PRIORS:
            _check(spelled(name), value, had[name], state)
    if rounds is not None and search.plan.rounds > rounds:
        raise _other("--max-rounds", rounds, search.plan.rounds, state)
    if planning.repeatable and not search.plan.repeatable:
        raise _other("--repeatable", True, "a plan with coins", state)
    if problem.label:
        _check("--label", ", ".join(problem.label), _labels(search), state)
    return search


def _held(search: Search) -> dict[str, Fraction | int | str | None]:
    """What the search has in the place of each flag, by name."""
    plan = search.plan
    return values_of(plan.problem, search.domains[0]) | {
        "method": plan.method,
        "certificate": CALIBRATED if plan.certificate == CALIBRATED else "theorem",
        "yes_means": search.yes_means,
    }


def _check_prior(problem: ProblemFlags, search: Search, state: Path) -> None:
    """See that a prior that is stated again is the one that was planned for.

    Raises:
        InvalidValue: It is another.
    """
    stated, planned = problem.parameters().get("prior"), search.plan.problem
    if stated is None:
        return
    held = tuple(planned.law(each) for each in range(planned.dim))
    units = search.domains[0]
    with told_outside():  # read into as many bins as it was then
        counts = {law.bins: None if law.uniform else law.bins for law in held}
        read = {bins: units.priors(stated, planned.dim, bins=counts[bins]) for bins in counts}
    if not all(_alike(read[law.bins][number], law) for number, law in enumerate(held)):
        words = ", ".join(map(str, stated)) if isinstance(stated, list) else stated
        raise _other("--prior", words, ", ".join(dict.fromkeys(map(str, held))) or "none", state)


def _alike(one: Prior, other: Prior) -> bool:
    """Whether two laws are one, but for how finely they were rounded when they were read."""
    if one.bins != other.bins:
        return one.uniform and other.uniform
    pairs = zip(one.weights, other.weights, strict=True)
    off = sum(abs(Fraction(a, one.total) - Fraction(b, other.total)) for a, b in pairs)
    return off <= _ROUNDED


def _labels(search: Search) -> str:
    return ", ".join(each.label or "" for each in search.domains)


def _check(flag: str, value: str, held: Fraction | int | str | None, state: Path) -> None:
    """See that a flag says what the search has.

    Raises:
        InvalidValue: It says something else.
    """
    same = value == held if isinstance(held, str | None) else rational(value, flag) == held
    if not same:
        raise _other(flag, value, held, state)


def _other(
    flag: str, value: object, held: Fraction | int | str | None, state: Path
) -> InvalidValue:
    shown = "none" if held is None else held if isinstance(held, str) else plain(held)
    rule = f"the search in {state} is for something else, {shown or 'none'}"
    return InvalidValue(flag, value, rule, "leave it out, or name another file")
