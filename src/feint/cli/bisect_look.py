"""Print the status of a bisection, its log and the remaining candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from feint.cli import show

if TYPE_CHECKING:
    from feint.integrations.git import Session


def look(folder: Path, words: list[str], *, json: bool) -> None:
    """Print the status, terms, log or candidates. The log of an ended bisection is printed too.

    Args:
        folder: The repository, or a folder in it.
        words: "status", "log" or "candidates"; or "visualize" with the options of git log.
        json: Whether to print JSON.
    """
    from feint.errors import BadState
    from feint.integrations.git import Session, kept_log

    word = words[0]
    try:
        session = Session.look(folder)
    except BadState:
        if word != "log" or not kept_log(folder).exists():
            raise
        show.lines(kept_log(folder).read_text().rstrip())
        return
    if word == "terms":
        good, bad = session.asked.terms
        show.lines(f"Your terms are {good} for good commits and {bad} for bad ones.")
    elif word == "status":
        _status(session, json=json)
    elif word == "log":
        _log(session)
    else:
        left = session.bisection.remaining
        numbers = range(left.first, left.last + 1)
        names = [session.history.at(number) for number in numbers]
        if word == "candidates":
            described = session.history.described(numbers)
            print_found(described, names, json=json, done=False)
        else:
            show.lines(session.history.pictured(names, words[1:]).rstrip())


def _status(session: Session, *, json: bool) -> None:
    search = session.bisection.search
    skipped = len(session.bisection.skipped)
    if search.warning is not None:  # stderr: others may read the output
        show.complain(search.warning)
    if json:
        show.as_json(
            {
                "answered": session.bisection.answered,
                "questions": search.plan.queries,
                "round": search.round + 1,
                "rounds": search.plan.rounds,
                "skipped": skipped,
            }
        )
        return
    most = "" if search.plan.asks_all else "at most "
    show.lines(
        f"{session.bisection.answered} of {most}{search.plan.queries} questions answered, round"
        f" {min(search.round + 1, search.plan.rounds)} of {most}{search.plan.rounds};"
        f" {show.count(skipped, 'commit')} cannot be checked."
    )


def _log(session: Session) -> None:
    """Print the checked commits with their verdicts. For the owner only."""
    rows = session.checked()
    described = session.history.described([number for number, _ in rows])
    show.lines(
        *(f"{verdict:4}  {text}" for (_, verdict), text in zip(rows, described, strict=True))
    )


def print_found(described: list[str], names: list[str], *, json: bool, done: bool = True) -> None:
    """Print the commits that may be the first bad one. Secret.

    Args:
        described: The descriptions of the commits for people.
        names: The full names of the commits.
        json: Whether to print JSON.
        done: Whether the search is over.
    """
    if json:
        show.as_json({"secret": "this is the result: do not share it", "first_bad": names})
        return
    if len(names) == 1:
        show.lines(f"The first bad commit is {described[0]}", names[0])
        return
    why = "; those between cannot be checked, or are passed over among such" if done else ""
    show.lines(f"The first bad commit is one of these{why}:", *described)
