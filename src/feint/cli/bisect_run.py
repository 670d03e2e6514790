"""Run checks until the commit is found, or until an error, with a hint how to continue."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import typer

from feint.cli import show
from feint.cli.bisect_look import print_found
from feint.cli.codes import INTERRUPTED, STOPPED
from feint.cli.progress import bar

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Disagreement, Session, Verdict

_RARE = 0.05  # verdicts as rare as this are worth a word; the result fits them as well as it can


def go_on(
    session: Session,
    words: list[str],
    jobs: int,
    crash: Crash | None,
    *,
    json: bool,
    hints: bool = True,
) -> tuple[str, str] | None:
    """Run the remaining checks, and print the result.

    Args:
        session: The bisection.
        words: The check; empty: the one that the bisection began with.
        jobs: The number of checks that run at once.
        crash: The verdict of a check that crashes.
        json: Whether to print JSON.
        hints: True to print how to continue inside a merge.

    Returns:
        If a merge was found, the ends of the line that it brought in.
    """
    if session.ends() or session.wanted():  # no round is shown before the ends are verified
        _run(session, words or [*session.asked.command], jobs, crash or session.asked.crash)
    found = session.candidates()
    numbers = [session.history.number(each) for each in found]
    described = session.history.described(numbers)
    print_found(described, found, json=json)
    sys.stdout.flush()
    merge = session.history.merged(found[0]) if len(found) == 1 else None
    if merge is not None and hints:
        _hint_merge(*merge)
    if session.contradicted():
        said = "verdicts contradict each other: an older commit failed and a younger one passed"
        show.complain(f"{said}; is the check flaky? --p or --fails-at-least")
    if session.bisection.search.warning is not None:
        show.complain(session.bisection.search.warning)
    elif (disagreement := session.disagreement()) is not None:
        _say_disagreement(disagreement)
    session.keep_log()
    session.clean()
    return merge


def _say_disagreement(found: Disagreement) -> None:
    """Print on stderr how many verdicts disagree with the result; warn if they are many."""
    said = f"{found.wrong} of {show.count(found.told, 'verdict')} disagree with this result"
    if found.expected is not None:
        said += f"; about {found.expected:.1f} do at the stated rates"
    if found.chance < _RARE:
        said += ", and so many less than 1 time in 20: checks may fail more often than stated, and"
        said += " then the result may well be wrong"
        show.complain(said)
        return
    typer.echo(f"{said}.", err=True)


def _hint_merge(base: str, tip: str) -> None:
    """Print how to continue inside a merge, whose own commits are not candidates."""
    typer.echo(
        "It is a merge. To go on inside: feint bisect --good"
        f" {base[:12]} --bad {tip[:12]} (if that end is good, the merge itself is at fault)",
        err=True,
    )


def _run(session: Session, command: list[str], jobs: int, crash: Crash) -> None:
    from feint.integrations.git import Checker

    checker = Checker(command, crash=crash)

    def check(commit: str) -> Verdict:
        with session.trees.tree(commit) as folder:
            return checker.run(folder, commit)

    with bar("questions") as progress:
        try:
            session.run(check, jobs=jobs, end=checker.end, progress=progress)
        finally:
            session.trees.clean()


@contextmanager
def kept(*, begun: bool = True) -> Iterator[None]:
    """Run a block; if it ends early, print how to continue on stderr, and exit."""
    from feint.integrations.git import Exposed, Missing, Stopped, WrongEnd

    go_on = "Nothing is kept"
    if begun:
        go_on = "Verdicts are kept; go on with: feint bisect --resume"
    try:
        with _ended():
            yield
    except Exposed as why:
        code, said = STOPPED, f"Stopped: {why}"
        # The commits are not listed here: others may read the output of a run.
        go_on = "feint bisect candidates lists the commits that are left, log the verdicts so far"
    except (Missing, WrongEnd) as why:
        code, said = STOPPED, f"Stopped: {why}"
    except Stopped as why:
        code, said = STOPPED, f"Stopped: {why}"
        go_on += " (with --crash-is bad or skip, if a signal or 128 and above is to say that)"
    except subprocess.CalledProcessError as why:
        code, said = STOPPED, f"Stopped: git failed: {' '.join(str(why.stderr).split())}"
    except KeyboardInterrupt:
        code, said = INTERRUPTED, "Interrupted"
    else:
        return
    typer.echo(f"feint: {said.removesuffix('.')}. {go_on}", err=True)
    raise typer.Exit(code)


@contextmanager
def _ended() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C in the block, unless they have a handler already."""
    names = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    minded = [each for each in names if each and signal.getsignal(each) is signal.SIG_DFL]

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in minded:
            signal.signal(each, signal.SIG_IGN)  # a second signal would interrupt the clean-up
        raise KeyboardInterrupt

    for each in minded:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each in minded:
            signal.signal(each, signal.SIG_DFL)
