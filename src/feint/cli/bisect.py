"""Define `feint bisect`, which finds the first bad commit while others see the built commits."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

from feint.cli import show
from feint.cli.bisect_inside import check_inside, go_inside
from feint.cli.bisect_look import look
from feint.cli.bisect_new import NewFlags, begin_session
from feint.cli.bisect_rounds import list_round, say_left, tell_round
from feint.cli.bisect_run import go_on, kept
from feint.cli.bisect_words import BY_HAND, LOOKING, by_hand, check_undo, verdict_word


def bisect(
    *,
    command: list[str] | None = None,
    new: NewFlags,
    jobs: int = 1,
    resume: bool = False,
    clean: bool = False,
    inside: bool = False,
    even_if_seen: bool = False,
    list: str | None = None,
    tell: list[Path] | None = None,
    key: Path | None = None,
    crash_is: Literal["bad", "skip", "stop"] | None = None,
    check_in_clear: bool = False,
    json: bool = False,
) -> None:
    """Find the first bad commit without showing where it is.

    The check runs as with git bisect run, each commit in its own worktree.
    Your checkout, index, branches and stashes are not touched.
    Every verdict is saved before the next round; --resume continues after any
    interruption.
    Without --level nothing is hidden, as with git bisect run.
    Instead of a command: status shows the progress, terms the words, log the
    checked commits, candidates and visualize the commits that can still be the
    first bad one.
    start begins a bisection by hand: next lists the commits to check;
    good, bad and skip give verdicts, and undo takes the last one back;
    replay FILE repeats a log, run COMMAND continues with a command;
    reset ends the bisection.

    Exit status:
    0 the commit is found, or a round was listed or its verdicts were read;
    2 bad input;
    3 stopped before the end;
    4 a file or the output cannot be written;
    130 interrupted, or ended by SIGTERM or SIGHUP.
    """
    from feint.integrations.git import Session, terms_of
    from feint.integrations.git import clean as remove

    here, words = Path.cwd(), command or []
    check_undo(words, even_if_seen=even_if_seen)
    if inside:
        check_inside(new, elsewhere=resume or list is not None or bool(tell))
    is_run = words[:1] == ["run"]
    if is_run:
        words = words[1:]
    if clean or words == ["reset"]:
        said = "Removed." if remove(here) else "There was nothing to remove."
        show.lines(said)
        return
    if words[:1] and words[0] in LOOKING:
        look(here, words, json=json)
        return
    if words[:1] and (words[0] in BY_HAND or verdict_word(words[0], terms_of(here))):
        with kept():
            by_hand(new, words, even_if_seen=even_if_seen, json=json)
        return
    if resume or not new.names_good:
        new.refuse(resume=resume)
        session = Session.resume(here)
        if is_run and session.verify():
            typer.echo("The commits that are named good and bad are checked first.", err=True)
    else:
        with kept(begun=False):
            begun = begin_session(
                new, words, crash_is, elsewhere=list is not None or bool(tell), json=json
            )
        if begun is None:
            return
        session = begun
    with kept():
        told = tell_round(session, tell, key, crash_is or session.asked.crash) if tell else None
        if list is not None:
            list_round(session, list, in_clear=check_in_clear)
        elif told is None or not say_left(session, told):
            merge = go_on(session, words, jobs, crash_is, json=json, hints=not inside)
            if inside and merge is not None:
                go_inside(new, merge, words, jobs, crash_is, json=json)
