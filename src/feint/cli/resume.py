"""Continue the search in a file (`feint run --resume`), or begin the next one (`--again`)."""

from __future__ import annotations

import shlex
import warnings
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from feint.cli import show
from feint.cli.flags.plan import CALIBRATED, PlanFlags, WorkFlags
from feint.cli.flags.problem import PRIORS, AskFlags, ProblemFlags, told_outside, values_of
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import flagged
from feint.errors import BadState, InvalidValue, RepeatedSearch, TooLarge
from feint.exact import plain, rational
from feint.problem import Exactly, Noise, read_noise

if TYPE_CHECKING:
    from rich.console import Console

    from feint.planning import Plan
    from feint.problem import Prior, YesMeans
    from feint.search import Search

_Value = Fraction | int | str | Noise | None
STATE = Path("feint-search.jsonl")
BEGIN = "feint run --low 0 --high 120 --epsilon 5 --delta 30 --level 3"
"""A command that begins a search, as an example."""

_RESUMED = "a search that is resumed has its plan and its coins already"
_AGAIN = "another search for the number of a file takes its plan and its coins from there"
_ROUNDED = Fraction(1, 10**6)  # the largest total difference of weights by another rounding
# the most branches to audit for the cost of a second search: takes a second or two
_QUICK = 1 << 14
_RUNS = 100  # the number of noisy transcripts to sample for it


@dataclass(frozen=True, kw_only=True)
class Described:
    """All flags that describe a search; None if left out."""

    problem: ProblemFlags
    planning: PlanFlags
    work: WorkFlags
    method: str | None
    yes_means: YesMeans | None
    asking: AskFlags
    seed: int | None


def load_state(state: Path) -> Search:
    """Return the search in a file."""
    from feint.search import load

    if not state.exists():
        rule = "there is no such file, so no search was begun here"
        remedy = f"begin one, such as {BEGIN}, or name its file"
        raise BadState("state", state, rule, remedy)
    return load(state)


def go_on(state: Path) -> str:
    """Return the command that continues the search in a file."""
    where = "" if state == STATE else f" --state {shlex.quote(str(state))}"
    return f"feint run --resume{where}"


def resumed(state: Path, described: Described, *, rule: str = _RESUMED) -> Search:
    """Return the search in a file if it is the one that the flags describe.

    Args:
        state: The file.
        described: The flags. A flag that is left out fits any search. Seeds and workers must be
            left out.
        rule: The reason why they must.
    """
    problem, planning = described.problem, described.planning
    seeds = {"--seed": described.seed, "--calibration-seed": planning.calibration_seed}
    for flag, seed in seeds.items():
        if seed is not None:
            raise InvalidValue(flag, seed, rule, "leave it out")
    described.work.refuse(rule, "leave it out")
    search, rounds = load_state(state), planning.max_rounds
    plan = search.plan
    given = problem.given() | {
        "method": described.method,
        "certificate": planning.certificate,
        "yes_means": described.yes_means,
        "label": ", ".join(problem.label) if problem.label else None,
    }
    given |= described.asking.given()
    values = values_of(plan.problem, search.domains[0]) | {
        "method": plan.method,
        "certificate": CALIBRATED if plan.certificate == CALIBRATED else "theorem",
        "yes_means": search.yes_means,
        "label": ", ".join(each.label or "" for each in search.domains),
        "unit": ", ".join(dict.fromkeys(each.unit or "" for each in search.domains)),
        "question": ", ".join(each.question or "" for each in search.domains),
        "asker": search.preface.asker or "",
        "introduction": search.preface.introduction or "",
    }
    _check_prior(problem, search, state)
    for name, value in given.items():
        if value is not None and name not in PRIORS:
            _check(spelled(name), value, values[name], state)
    if rounds is not None and plan.rounds > rounds:
        raise _differs("--max-rounds", rounds, plan.rounds, state)
    if planning.repeatable and not plan.repeatable:
        raise _differs("--repeatable", True, "a plan with coins", state)
    return search


def _check_prior(problem: ProblemFlags, search: Search, state: Path) -> None:
    """Compare a prior that is stated again with the prior of the plan."""
    stated, planned = problem.parameters().get("prior"), search.plan.problem
    if stated is None:
        return
    priors = tuple(planned.law(each) for each in range(planned.dim))
    units = search.domains[0]
    with told_outside():  # read it into as many bins as before
        counts = {prior.bins: None if prior.uniform else prior.bins for prior in priors}
        read = {bins: units.priors(stated, planned.dim, bins=counts[bins]) for bins in counts}
    if not all(_alike(read[prior.bins][number], prior) for number, prior in enumerate(priors)):
        words = ", ".join(map(str, stated)) if isinstance(stated, list) else stated
        shown = ", ".join(dict.fromkeys(map(str, priors))) or "none"
        raise _differs("--prior", words, shown, state)


def _alike(one: Prior, other: Prior) -> bool:
    """Return True if two priors are equal up to rounding."""
    if one.bins != other.bins:
        return one.uniform and other.uniform
    pairs = zip(one.weights, other.weights, strict=True)
    off = sum(abs(Fraction(a, one.total) - Fraction(b, other.total)) for a, b in pairs)
    return off <= _ROUNDED


def _check(flag: str, value: str, other: _Value, state: Path) -> None:
    """Compare a flag with the value of the search."""
    if flag == spelled("p"):
        same = read_noise(value) == (Exactly(other) if isinstance(other, Fraction) else other)
    else:
        same = value == other if isinstance(other, str | None) else rational(value, flag) == other
    if not same:
        raise _differs(flag, value, other, state)


def _differs(flag: str, value: object, other: _Value, state: Path) -> InvalidValue:
    shown = "none"
    if isinstance(other, Noise):
        shown = other.words
    elif other is not None:
        shown = other if isinstance(other, str) else plain(other)
    rule = f"the search in {state} is for something else, {shown or 'none'}"
    return InvalidValue(flag, value, rule, "leave it out, or name another file")


def begun_again(
    before: Path, state: Path, described: Described, console: Console, *, fresh_key: bool
) -> Search:
    """Start the next search for the number of a search file, in another file.

    Args:
        before: The file of the previous search.
        state: The file of the new search.
        described: The flags. Given flags must fit the previous search.
        console: The terminal for a warning with the cost of the second search.
        fresh_key: Whether to toss other coins.

    Returns:
        The new search.
    """
    from feint.search import create_again

    if state.resolve() == before.resolve():
        rule = "the new search needs its own file"
        raise InvalidValue("--again", before, rule, "name another file with --state")
    if state.exists() and state.stat().st_size:
        rule = "this file exists already, and the new search needs its own"
        raise InvalidValue(
            "--state", state, rule, "name another file, or continue this one with --resume"
        )
    with flagged(state="--again"):  # a file in an error is that of --again
        old = resumed(before, described, rule=_AGAIN)
    noisy = old.plan.problem.noisy
    if noisy and not fresh_key:
        cost = _cost(old.plan, old.keys + 1).removesuffix(".")
        rule = f"under noise no key asks the same again. {cost}"
        raise InvalidValue("--again", before, rule, "if that will do, add --fresh-key")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedSearch)  # the lines below say so with figures
        search = create_again(state, old, fresh_key=fresh_key)
    if fresh_key and not old.plan.repeatable:
        way = "" if noisy else " Without --fresh-key it asks the same again."
        said = "Another search for the same number with a fresh key tells more than one does, and"
        said += " what was promised of one does not cover both."
        show.say(console, f"{said} {_cost(old.plan, search.keys)}{way}", "yellow")
    elif not noisy:
        show.say(console, _covered(search, same_key=not fresh_key))
    return search


def _covered(search: Search, *, same_key: bool) -> str:
    """Return the promise for a search that asks the same again, and its limits."""
    why = "With the same key" if same_key else "With any key, since the plan has no coins,"
    said = f"{why} it asks the same again as long as the number is the same and answers are right:"
    said += " that tells nothing new"
    if search.plan.private and search.keys == 1:
        said += ", and what was promised of one search holds for all of them"
    cost = "feint audit --repeat 2 --motion 'steps(D)', D the most it moves, shows the cost"
    return f"{said}. For a number that has moved nothing is promised: {cost}."


def _cost(plan: Plan, searches: int) -> str:
    """Return the best eavesdropper's success against several searches with different keys."""
    from feint.audit import audit

    noisy = plan.problem.noisy
    try:
        runs = _RUNS if noisy else None
        found = audit(plan, repeat=searches, fresh_keys=True, runs=runs, limit=_QUICK).successes
    except (InvalidValue, TooLarge):
        return f"feint audit --repeat {searches} --fresh-keys says how much."
    once, now = (f"{100 * float(each):.3g} %" for each in (found[0], found[-1]))
    hears = "both" if searches == 2 else f"all {searches}"
    about = f"about {now} ({_RUNS} samples)" if noisy else now
    who = f"an eavesdropper who hears {hears}"
    return f"If the number is the same, {who} wins with {about}, not {once}."
