"""Continue a bisection inside the merge that it found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer
from click import UsageError

from feint.cli.bisect_new import NewFlags, begin_session
from feint.cli.bisect_run import go_on, kept

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Session


def check_inside(new: NewFlags, *, elsewhere: bool) -> None:
    """Refuse --inside if it would reveal the merge, or if checks run later or elsewhere.

    Args:
        new: The flags of the bisection.
        elsewhere: True if the bisection is resumed, or its checks run elsewhere.
    """
    if elsewhere or not new.names_good:
        raise UsageError("--inside: it needs a bisection that begins and ends here; leave it out")
    if (new.level or "1").strip() != "1":
        raise UsageError(
            "--inside with --level: the checks inside tell everybody which merge was found; bisect"
            " inside afterwards, once that is no secret"
        )


def go_inside(
    new: NewFlags,
    merge: tuple[str, str],
    words: list[str],
    jobs: int,
    crash: Crash | None,
    *,
    json: bool,
) -> None:
    """Bisect the lines of merges, one inside the other, until no merge is found.

    Args:
        new: The flags of the bisection that found the merge.
        merge: The ends of the line that it brought in.
        words: The check.
        jobs: The number of checks that run at once.
        crash: The verdict of a check that crashes.
        json: Whether to print JSON.
    """
    ends: tuple[str, str] | None = merge
    while ends is not None:
        base, tip = ends
        typer.echo(f"It is a merge: going on inside, from {base[:12]} to {tip[:12]}.", err=True)
        inner = replace(new, good=[base], good_from=None, find_good=False, bad=tip)
        with kept(begun=False):
            session = begin_session(inner, words, crash, elsewhere=False, json=json)
        if session is None:  # there is a single commit, which was printed
            return
        with kept():
            ends = _checked(session, words, jobs, crash, json=json)


def _checked(
    session: Session, words: list[str], jobs: int, crash: Crash | None, *, json: bool
) -> tuple[str, str] | None:
    """Bisect one line; if its end is good, print that the merge itself is at fault."""
    from feint.integrations.git import WrongEnd

    try:
        return go_on(session, words, jobs, crash, json=json, hints=False)
    except WrongEnd as wrong:
        if wrong.said != "bad":
            raise
        typer.echo("The end of the merged line is good: the merge itself is at fault.", err=True)
        session.clean()
        return None
