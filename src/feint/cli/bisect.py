"""`feint bisect`: find the first bad commit while everybody sees which commits are built."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Literal

import typer
from click import UsageError

from feint.cli import show
from feint.cli.bisect_look import look, print_found
from feint.cli.bisect_rounds import list_round, say_left, tell_round
from feint.cli.bisect_words import (
    BY_HAND,
    LOOKING,
    give,
    read_log,
    show_next,
    verdict_word,
)
from feint.cli.codes import INTERRUPTED, STOPPED
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import flagged
from feint.cli.progress import bar
from feint.exact import plain

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Effort, History, Session, Verdict
    from feint.planning import Plan


@dataclass(frozen=True, kw_only=True)
class NewFlags:
    """The flags of a new bisection; None if left out."""

    good: list[str] | None = None
    good_from: str | None = None
    find_good: bool = False
    bad: str | None = None
    check: Path | None = None
    seal_check: str | None = None
    trust_ends: bool = False
    path: list[str] | None = None
    term_good: str | None = None
    term_bad: str | None = None
    level: str | None = None
    delta: str | None = None
    weights: str | None = None
    skip: list[str] | None = None
    spare: str | None = None
    p: str | None = None
    confidence: str | None = None
    fails_at_least: str | None = None
    max_rounds: int | None = None

    def refuse(self, *, resume: bool) -> None:
        """Refuse all of these flags, since no new bisection is begun."""
        given = (name for name, value in vars(self).items() if value not in (None, False))
        for flag in map(spelled, given):
            if resume:
                raise UsageError(f"--resume with {flag}: it goes on as it was begun; leave it out")
            raise UsageError(f"{flag} without --good: a new bisection needs both; add --good")

    @property
    def names_good(self) -> bool:
        """Whether a flag says which commit is good, or how to find one."""
        return bool(self.good or self.good_from or self.find_good)

    def copied(self) -> tuple[Path, str] | None:
        """Return what --check names, and where it goes in a worktree."""
        from feint.integrations.git import path_inside

        if self.check is None:
            return None
        if not self.check.exists():
            raise UsageError(f"--check {self.check}: there is no such file or folder; name one")
        return self.check.resolve(), path_inside(Path.cwd(), self.check)

    def history(
        self, words: list[str], crash: Crash | None, copied: tuple[Path, str] | None
    ) -> History:
        """Return the commits between the good ones and the bad one.

        Args:
            words: The check, with which --find-good finds a good commit.
            crash: What a check that crashes says.
            copied: What is copied into each worktree.
        """
        from feint.integrations.git import History, good_from

        here, goods, bad = Path.cwd(), [*(self.good or [])], self.bad or "HEAD"
        if self.good_from is not None:
            with flagged(good_from="--good-from"):
                goods.append(good_from(self.good_from, here))
        if self.find_good:
            goods, bad = self._doubled_back(words, crash, copied, bad)
        with flagged(good="--good", bad="--bad"):
            return History.of(here, good=goods, bad=bad, paths=self.path or ())

    def _doubled_back(
        self, words: list[str], crash: Crash | None, copied: tuple[Path, str] | None, bad: str
    ) -> tuple[list[str], str]:
        from feint.integrations.git import Checker, Trees, doubled_back, place_of

        if self.good or self.good_from:
            raise UsageError("--find-good with a good commit: it finds one; leave one of them out")
        if self.p is not None or self.fails_at_least is not None:
            raise UsageError("--find-good with a flaky check: one verdict decides; use --good")
        checker = Checker(words, crash=crash or "stop")
        trees = Trees(Path.cwd(), place_of(Path.cwd()) / "trees", extra=copied)

        def check(commit: str) -> Verdict:
            with trees.tree(commit) as folder:
                return checker.run(folder, commit)

        try:
            with flagged(bad="--bad"):
                good, last = doubled_back(Path.cwd(), bad, check)
        finally:
            trees.clean()
        typer.echo(
            "Whoever saw these checks knows that the first bad commit lies between the last two of"
            " them; what follows hides it among those.",
            err=True,
        )
        return [good], last

    def begin(
        self,
        history: History,
        words: list[str],
        crash: Crash | None,
        copied: tuple[Path, str] | None,
        *,
        json: bool,
        by_hand: bool = False,
    ) -> Session | None:
        """Begin a bisection and announce it; None if there is nothing to search for."""
        from feint.integrations.git import Session, pack, planned

        weights = history.weights(self.weights or "equal")
        with flagged(skip="--skip"):
            skipped = history.skipped(self.skip or [])
        if skipped:  # they cannot be the answer
            weights = weights or [1] * len(history)
            weights = [0 if n in set(skipped) else odds for n, odds in enumerate(weights, 1)]
        effort = planned(
            len(history),
            level=self.level or 1,
            delta=self.delta,
            p=self.p,
            confidence=self.confidence,
            fails_at_least=self.fails_at_least,
            max_rounds=self.max_rounds,
            weights=weights,
            **({} if self.spare is None else {"spare": self.spare}),
        )
        if effort.plan is None:
            print_found(history.described([1]), [history.at(1)], json=json)
            return None
        verified = not self.trust_ends and not self.find_good and not by_hand
        sealed = None
        if self.seal_check is not None:
            if copied is None:
                raise UsageError("--seal-check needs --check: the file or folder to seal")
            with flagged(to="--seal-check"):
                sealed = pack(copied[0], self.seal_check)
        session = Session.begin(
            history,
            effort,
            words,
            crash=crash or "stop",
            copied=copied,
            verified=verified,
            skipped=skipped,
            paths=self.path or (),
            terms=(self.term_good or "good", self.term_bad or "bad"),
            sealed=sealed,
        )
        _announce(len(history), effort, ends=len(history.ends) if verified else 0)
        return session


def bisect(
    *,
    command: list[str] | None = None,
    new: NewFlags,
    jobs: int = 1,
    resume: bool = False,
    clean: bool = False,
    list: str | None = None,
    tell: list[Path] | None = None,
    key: Path | None = None,
    crash_is: Literal["bad", "skip", "stop"] | None = None,
    check_in_clear: bool = False,
    json: bool = False,
) -> None:
    """Find the first bad commit without showing where it is.

    The check runs as with git bisect run, each commit in a worktree of its own.
    Your checkout, index, branches and stashes are not touched.
    Every verdict is on the disk before the next round; --resume continues, whatever ended the run.
    Without --level nothing is hidden, as with git bisect run.
    Instead of a command: status shows where it stands, log what was checked,
    candidates and visualize which commits can still be the first bad one.
    start begins a bisection by hand: next lists the commits to check, good, bad and skip tell,
    undo takes back, replay FILE repeats a log, run COMMAND goes on with a command, reset ends.

    Exit status:
    0 the commit is found, or a round was listed or told;
    2 bad input;
    3 stopped before the end;
    4 a file or the output cannot be written;
    130 interrupted, or ended by SIGTERM or SIGHUP.
    """
    from feint.integrations.git import Session, terms_of
    from feint.integrations.git import clean as remove

    here, words = Path.cwd(), command or []
    if words[:1] == ["run"]:
        words = words[1:]
    if clean or words == ["reset"]:
        said = "Removed." if remove(here) else "There was nothing to remove."
        show.lines(said)
        return
    if words[:1] and words[0] in LOOKING:
        look(here, words, json=json)
        return
    if words[:1] and (words[0] in BY_HAND or verdict_word(words[0], terms_of(here))):
        with _kept():
            _by_hand(new, words, json=json)
        return
    if resume or not new.names_good:
        new.refuse(resume=resume)
        session = Session.resume(here)
    else:
        with _kept(begun=False):
            begun = _begin(
                new, words, crash_is, elsewhere=list is not None or bool(tell), json=json
            )
        if begun is None:
            return
        session = begun
    with _kept():
        told = tell_round(session, tell, key, crash_is or session.asked.crash) if tell else None
        if list is not None:
            list_round(session, list, in_clear=check_in_clear)
        elif told is None or not say_left(session, told):
            _go_on(session, words, jobs, crash_is, json=json)


def _by_hand(new: NewFlags, words: list[str], *, json: bool) -> None:
    """Do what a word of git bisect says."""
    from feint.integrations.git import Session, terms_of

    here, word = Path.cwd(), words[0]
    if word == "start":
        _started(new, words[1:], json=json)
    elif word == "replay":
        if len(words) != len(("replay", "FILE")):
            raise UsageError("replay needs a file: feint bisect replay FILE")
        start, told = read_log(Path(words[1]))
        session = _started(new, start, json=json, is_quiet=True)
        if session is None:  # one candidate alone
            return
        for name, commit in told:
            verdict = verdict_word(name, session.asked.terms)
            if verdict is None:
                raise UsageError(f"{words[1]}: {name} is no verdict; --term-good and --term-bad")
            _give_inside(session, verdict, commit)
        _say_next(session, json=json)
    elif word == "undo":
        new.refuse(resume=True)
        session, number, verdict = Session.undo(here)
        (text,) = session.history.described([number])
        show.lines(f"Taken back: {verdict}  {text}")
        _say_next(session, json=json)
    else:
        new.refuse(resume=True)
        session = Session.resume(here)
        verdict = verdict_word(word, terms_of(here))
        if verdict is not None:
            give(session, verdict, words[1:])
        _say_next(session, json=json)


def _started(
    new: NewFlags, words: list[str], *, json: bool, is_quiet: bool = False
) -> Session | None:
    """Begin a bisection by hand: with flags, or with the words of git bisect start."""
    from feint.integrations.git import is_commit

    names, paths = list[str](), [*(new.path or [])]
    for word in words:
        flag, _, value = word.partition("=")
        if flag in ("--term-good", "--term-old"):
            new = replace(new, term_good=value)
        elif flag in ("--term-bad", "--term-new"):
            new = replace(new, term_bad=value)
        elif word.startswith("-"):  # such as --first-parent, which holds in any case
            continue
        elif paths or not is_commit(Path.cwd(), word):  # as git tells paths from commits
            paths.append(word)
        else:
            names.append(word)
    if names:
        new = replace(new, bad=names[0], good=[*(new.good or []), *names[1:]])
    new = replace(new, path=paths or None)
    if not new.names_good:
        raise UsageError("start needs a good commit: feint bisect start BAD GOOD, or --good GOOD")
    history = new.history([], None, None)
    session = new.begin(history, [], None, None, json=json, by_hand=True)
    if session is not None and not is_quiet:
        _say_next(session, json=json)
    return session


def _give_inside(session: Session, verdict: Verdict, commit: str) -> None:
    """Take a verdict of a log; ends and commits on other lines need none."""
    from feint.integrations.git import commit_named

    full = commit_named(session.history.folder, commit)
    if full in session.history.commits[:-1]:
        give(session, verdict, [full])


def _say_next(session: Session, *, json: bool) -> None:
    """Print the commits to check now, or the result."""
    if session.wanted():
        show_next(session)
    else:
        _go_on(session, [], 1, None, json=json)


def _begin(
    new: NewFlags, words: list[str], crash: Crash | None, *, elsewhere: bool, json: bool
) -> Session | None:
    """Begin a bisection; None if there is nothing to search for.

    Args:
        new: The flags of a new bisection.
        words: The check; empty: what --check copies, if it is a file.
        crash: What a check that crashes says.
        elsewhere: Whether the checks are made elsewhere, such as on a CI.
        json: Whether to print JSON.
    """
    from feint.integrations.git import Checker

    copied = new.copied()
    if not words and copied is not None and copied[0].is_file():
        words = [f"./{copied[1]}"]
    if new.find_good and elsewhere:
        raise UsageError("--find-good with --list or --tell: checks are made here; use --good")
    history = new.history(words, crash, copied)
    if not elsewhere:
        Checker(words).check_found(history, copied=copied[1] if copied else "")
    return new.begin(history, words, crash, copied, json=json)


def _announce(commits: int, effort: Effort, *, ends: int) -> None:
    """Say on stderr what the bisection takes and promises, before any commit is checked."""
    plan = effort.plan
    if plan is None:
        return
    times = "" if effort.repeats == 1 else f", each commit {effort.repeats} times"
    most = "" if plan.asks_all else "at most "
    checks = f"{most}{show.count(effort.checks, 'check')}{times}"
    cost = f"{checks}, in {most}{show.count(plan.rounds, 'round')}"
    lines = [f"{commits} candidates: {cost}; plain bisection takes {effort.plain}."]
    if ends:
        lines[0] += f" The {ends} commits that are named good and bad are checked first."
    if plan.private:
        lines.append(
            f"An observer who sees which commits are checked and may name {_neighbours(plan)} with"
            f" probability at most {show.chance(Fraction(1, effort.level))}."
        )
        lines += [plan.condition] if plan.condition else []
        if effort.wrong:
            lines.append(
                "This holds if every verdict is right; wrong ones add at most"
                f" {plain(effort.wrong)} to it."
            )
        lines.append(_if_skipped(effort))
        lines.append("Publishing the fix, or acting on the commit in public, ends the secret.")
    else:
        lines.append("Nothing is hidden: level 1.")
    for line in lines:
        typer.echo(line, err=True)


def _if_skipped(effort: Effort) -> str:
    """Return what is promised if commits cannot be checked."""
    share = math.floor(effort.room * 1000) / 10  # rounded down: more would break the promise
    return (
        f"It is at most 1/{effort.level} too if up to {share:g} % of the commits cannot be checked"
        " (exit code 125), even for somebody who knows all of them, for a first bad commit that can"
        " be; the run stops when it has met more."
    )


def _neighbours(plan: Plan) -> str:
    count = int(plan.problem.delta * (plan.problem.values or 1))
    return "one commit names it" if count == 1 else f"{count} neighbouring commits hits it"


def _go_on(
    session: Session, words: list[str], jobs: int, crash: Crash | None, *, json: bool
) -> None:
    """Run the checks that are left, and print the result."""
    if session.ends() or session.wanted():  # no round is shown before the ends are right
        _run(session, words or [*session.asked.command], jobs, crash or session.asked.crash)
    found = session.candidates()
    numbers = [session.history.number(each) for each in found]
    described = session.history.described(numbers)
    print_found(described, found, json=json)
    sys.stdout.flush()
    if len(numbers) == 1:
        _hint_merge(session, found[0])
    if session.contradicted():
        said = "verdicts contradict each other: an older commit failed and a younger one passed"
        show.complain(f"{said}; is the check flaky? --p or --fails-at-least")
    session.keep_log()
    session.clean()


def _hint_merge(session: Session, commit: str) -> None:
    """Say how to go on inside a merge, whose own commits are not candidates."""
    other = session.history.merged(commit)
    if other is not None:
        base, tip = other
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
def _kept(*, begun: bool = True) -> Iterator[None]:
    """If the block ends early, say on stderr what is kept and how to continue, and exit."""
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
