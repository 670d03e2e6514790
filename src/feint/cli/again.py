"""`feint run --again`: the next search for the number of a search file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from feint.cli import show
from feint.cli.flags.flag import flagged
from feint.cli.resume import Described, resumed
from feint.errors import InvalidValue, RepeatedSearch, TooLarge

if TYPE_CHECKING:
    from rich.console import Console

    from feint.planning import Plan
    from feint.search import Search

_TAKEN = "another search for the number of a file takes its plan and its coins from there"
_QUICK = 1 << 14  # branches that are walked to say what a second search costs
_RUNS = 100  # noisy transcripts that are sampled for the same


def begun_again(
    before: Path, state: Path, described: Described, console: Console, *, fresh_key: bool
) -> Search:
    """The next search for the number that a file's search is for, kept in another file.

    Args:
        before: The file of the search before.
        state: The file that is to keep the new one.
        described: The flags; those that are given must fit the search before.
        console: Where a warning goes, with what the second search costs.
        fresh_key: Whether to toss other coins.

    Returns:
        The new search.

    Raises:
        InvalidValue: Both files are one, or a second search with the same key is no use.
        FeintError: A file cannot be read or made.
    """
    from feint.search import create_again

    if state.resolve() == before.resolve():
        rule = "the new search is kept in a file of its own"
        raise InvalidValue("--again", before, rule, "name another file with --state")
    if state.exists() and state.stat().st_size:
        rule = "there is a file of this name, and the next search is kept in a new one"
        raise InvalidValue("--state", state, rule, "name another, or go on with this by --resume")
    with flagged(state="--again"):  # it is that file that cannot be read
        old = resumed(before, described, rule=_TAKEN)
    if old.plan.problem.noisy and not fresh_key:
        rule = f"under noise no key asks the same again. {_cost(old.plan, old.keys + 1)}"
        remedy = "if that will do, add --fresh-key"
        rule = rule.removesuffix(".")
        raise InvalidValue("--again", before, rule, remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedSearch)  # it is said below, with figures
        search = create_again(state, old, fresh_key=fresh_key)
    if fresh_key and not old.plan.repeatable:
        way = "" if old.plan.problem.noisy else " Without --fresh-key it asks the same again."
        said = "Another search for the same number with a fresh key tells more than one does, and"
        said += " what was promised of one does not cover both."
        show.say(console, f"{said} {_cost(old.plan, search.keys)}{way}", "yellow")
    elif not old.plan.problem.noisy:
        show.say(console, _covered(search, same_key=not fresh_key))
    return search


def _covered(search: Search, *, same_key: bool) -> str:
    """What is certified of a search that asks the same again, and what is not."""
    why = "With the same key" if same_key else "Whatever the key, since the plan has no coins,"
    said = f"{why} it asks the same again as long as the number is the same and answers are right:"
    said += " that tells nothing new"
    if search.plan.private and search.keys == 1:
        said += ", and what was promised of one search holds for all of them"
    law = "feint audit --repeat 2 --motion 'steps(D)', D the most it moves, says what that costs"
    return f"{said}. Of a number that has moved nothing is promised: {law}."


def _cost(plan: Plan, searches: int) -> str:
    """What the best eavesdropper of several searches, each with its own key, wins with."""
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
    return f"If the number is the same, whoever hears {hears} wins with {about}, not {once}."
