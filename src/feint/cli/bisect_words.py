"""Implement the words of git bisect: verdicts by hand, and logs that are replayed."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from click import UsageError

from feint.cli import show
from feint.cli.bisect_new import NewFlags, neighbours
from feint.cli.bisect_run import go_on
from feint.errors import InvalidValue

if TYPE_CHECKING:
    from feint.integrations.git import Session, Undone, Verdict

BY_HAND = ("start", "next", "undo", "replay")
LOOKING = ("status", "terms", "log", "candidates", "visualize", "view")


def verdict_word(word: str, terms: tuple[str, str]) -> Verdict | None:
    """Return the verdict that a word stands for; None if it is not a verdict.

    Args:
        word: The typed word.
        terms: The words for good and bad that the bisection began with.
    """
    if word in ("good", "old", terms[0]):
        return "good"
    if word in ("bad", "new", terms[1]):
        return "bad"
    return "skip" if word == "skip" else None


def by_hand(new: NewFlags, words: list[str], *, even_if_seen: bool, json: bool) -> None:
    """Run a command of git bisect, such as good, skip or undo.

    Args:
        new: The flags of a new bisection.
        words: The command and its arguments.
        even_if_seen: True if undo may take back a verdict although the next round was shown.
        json: True to print JSON.
    """
    from feint.integrations.git import Session, pending, terms_of

    here, word = Path.cwd(), words[0]
    if word == "start":
        new = _read_start(new, words[1:])
        if new.names_good:
            _started(new, [], json=json)
        else:
            if new.check is not None:
                raise UsageError("--check with start needs a good commit: start BAD GOOD")
            _begun(new, json=json)
    elif word == "replay":
        _replay(new, words, json=json)
    elif word == "undo":
        new.refuse(resume=True)
        _undo(even_if_seen=even_if_seen, json=json)
    else:
        new.refuse(resume=True)
        verdict = verdict_word(word, terms_of(here))
        held = pending(here)
        if held is not None:
            _name_end(NewFlags(**held), verdict, words[1:], json=json)
            return
        session = Session.resume(here)
        if verdict is not None:
            _give(session, verdict, words[1:])
        _say_next(session, json=json)


def check_undo(words: list[str], *, even_if_seen: bool) -> None:
    """Refuse --even-if-seen with other words than undo."""
    if even_if_seen and words != ["undo"]:
        raise UsageError("--even-if-seen is for undo: feint bisect undo --even-if-seen")


def _undo(*, even_if_seen: bool, json: bool) -> None:
    """Take back the last verdict."""
    from feint.integrations.git import Session

    undone = Session.undo(Path.cwd(), even_if_seen=even_if_seen)
    session = undone.session
    (text,) = session.history.described([undone.commit])
    show.lines(f"Taken back: {undone.verdict}  {text}")
    if even_if_seen and session.bisection.search.plan.private:
        _say_cost(undone)
    _say_next(session, json=json)


def _replay(new: NewFlags, words: list[str], *, json: bool) -> None:
    """Repeat a log."""
    if len(words) != len(("replay", "FILE")):
        raise UsageError("replay needs a file: feint bisect replay FILE")
    start, told = _read_log(Path(words[1]))
    session = _started(new, start, json=json, is_quiet=True)
    if session is None:  # there is one candidate
        return
    for name, commit in told:
        verdict = verdict_word(name, session.asked.terms)
        if verdict is None:
            raise UsageError(f"{words[1]}: {name} is not a verdict; --term-good and --term-bad")
        _give_inside(session, verdict, commit)
    _say_next(session, json=json)


def _say_cost(undone: Undone) -> None:
    """Print what an observer may win with who saw the questions that followed the verdict."""
    session = undone.session
    plan, level = session.bisection.search.plan, session.asked.level
    if not session.has_mistakes:
        said = "It had no effect on what was asked so far."
    else:
        share = "any probability: it cannot be computed here"
        if undone.success is not None:
            share = f"probability at most {math.ceil(undone.success * 1000) / 1000:g}"
        said = (
            "An observer who saw what was asked because of it, and may name"
            f" {neighbours(plan)} with {share}, if it was wrong; 1/{level} was promised."
        )
    typer.echo(said, err=True)


def _name_end(new: NewFlags, verdict: Verdict | None, names: Sequence[str], *, json: bool) -> None:
    """Take the name of a good, bad or skipped commit before all ends are known; HEAD if empty."""
    from feint.integrations.git import commit_named

    ranges = [name for name in names if ".." in name]
    if ranges and verdict != "skip":
        raise InvalidValue("commit", ranges[0], "is a range", "name commits")
    commits = [name if ".." in name else commit_named(Path.cwd(), name) for name in names]
    commits = commits or [commit_named(Path.cwd(), "HEAD")]
    if verdict == "good":
        new = replace(new, good=[*(new.good or []), *commits])
    elif verdict == "skip":
        new = replace(new, skip=[*(new.skip or []), *commits])
    elif verdict == "bad":
        new = replace(new, bad=commits[-1])
    _begun(new, json=json)


def _begun(new: NewFlags, *, json: bool) -> None:
    """Begin a bisection by hand, or wait until a good and a bad commit are known."""
    from feint.integrations.git import keep_pending

    good, bad = new.term_good or "good", new.term_bad or "bad"
    missing = [] if new.names_good else [good]
    missing += [] if new.bad else [bad]
    if not missing:
        _started(new, [], json=json)
        return
    keep_pending(Path.cwd(), {name: v for name, v in vars(new).items() if v not in (None, False)})
    ways = " and ".join(f"feint bisect {word} COMMIT" for word in missing)
    show.lines(f"Waiting for {' and '.join(missing)} commits: {ways} (without COMMIT, HEAD).")


def _started(
    new: NewFlags, words: list[str], *, json: bool, is_quiet: bool = False
) -> Session | None:
    """Start a bisection by hand, with flags or with the words of git bisect start."""
    new = _read_start(new, words)
    if not new.names_good:
        raise UsageError("start needs a good commit: feint bisect start BAD GOOD, or --good GOOD")
    copied = new.copied()
    check = [f"./{copied[1]}"] if copied is not None and copied[0].is_file() else []
    history = new.history(check, None, copied)
    session = new.begin(history, check, None, copied, json=json, by_hand=True)
    if session is not None and not is_quiet:
        _say_next(session, json=json)
    return session


def _read_start(new: NewFlags, words: list[str]) -> NewFlags:
    """Return the flags with the words of git bisect start."""
    from feint.integrations.git import is_commit

    names, paths = list[str](), [*(new.path or [])]
    for word in words:
        flag, _, value = word.partition("=")
        if flag in ("--term-good", "--term-old"):
            new = replace(new, term_good=value)
        elif flag in ("--term-bad", "--term-new"):
            new = replace(new, term_bad=value)
        elif word.startswith("-"):  # such as --first-parent, which is always so
            continue
        elif paths or not is_commit(Path.cwd(), word):  # as git tells paths from commits
            paths.append(word)
        else:
            names.append(word)
    if names:
        new = replace(new, bad=names[0], good=[*(new.good or []), *names[1:]])
    return replace(new, path=paths or None)


def _give_inside(session: Session, verdict: Verdict, commit: str) -> None:
    """Record a verdict from a log, unless its commit is an end or on another line of history."""
    from feint.integrations.git import commit_named

    full = commit_named(session.history.folder, commit)
    if full in session.history.commits[:-1]:
        _give(session, verdict, [full])


def _say_next(session: Session, *, json: bool) -> None:
    """Print the commits to check now, or the result."""
    if session.wanted():
        _show_next(session)
    else:
        go_on(session, [], 1, None, json=json)


def _give(session: Session, verdict: Verdict, names: Sequence[str]) -> None:
    """Take the verdict of the owner for some commits.

    Args:
        session: The bisection.
        verdict: The owner's verdict.
        names: The commits. Empty: the commit that is checked out if its check is due, or the only
            commit whose check is due.
    """
    from feint.integrations.git import Test, commit_named

    if not names:
        names = [_current(session)]
    for name in names:
        if ".." in name:
            commits = [session.history.at(number) for number in session.history.skipped([name])]
        else:
            commits = [commit_named(session.history.folder, name)]
        for commit in commits:
            open_ = [each for each in session.wanted() if session.history.at(each.commit) == commit]
            if not open_ and not session.bisection.is_plain:
                rule = "has no check due now, so a verdict would not be used"
                remedy = "feint bisect next lists the commits that are"
                raise InvalidValue(verdict, name, rule, remedy)
            test = open_[0] if open_ else Test(None, session.history.number(commit))
            session.tell(test, verdict)


def _current(session: Session) -> str:
    """Return the commit for a verdict without a name."""
    from feint.integrations.git import commit_named

    wanted = {session.history.at(each.commit) for each in session.wanted()}
    head = commit_named(session.history.folder, "HEAD")
    if head in wanted:
        return head
    if len(wanted) == 1:
        return wanted.pop()
    raise UsageError("which commit? check one out, or name it: feint bisect good COMMIT")


def _show_next(session: Session) -> None:
    """Print the commits whose check is due."""
    numbers = dict.fromkeys(each.commit for each in session.wanted())
    show.lines(*(f"Check {text}" for text in session.history.described([*numbers])))


def _read_log(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Read a log of git bisect or of feint.

    Args:
        path: The file.

    Returns:
        The words after "start", and pairs of a word and a commit.

    Raises:
        InvalidValue: There is no such file, or a line is not from a log.
    """
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        raise InvalidValue("replay", path, rule, "name a log of git bisect or feint") from None
    start, told = list[str](), list[tuple[str, str]]()
    for line in lines:
        words = line.split("#")[0].split() if line.startswith("#") else _words(line, path)
        if words[1:2] == ["bisect"]:
            words = words[2:]
        if not words:
            continue
        if words[0] == "start":
            start = words[1:]
        elif len(words) > 1:
            told.append((words[0], words[1]))
        else:
            raise InvalidValue("replay", line, "is not a line of a log", "give a word and a commit")
    return start, told


def _words(line: str, path: Path) -> list[str]:
    try:
        return shlex.split(line, comments=False)
    except ValueError:  # such as one quote in the subject of a commit, which is not needed
        return line.split()
