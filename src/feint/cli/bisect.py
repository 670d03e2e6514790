"""`feint bisect`: find the first bad commit while everybody sees which commits are built."""

from __future__ import annotations

import json as json_
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import typer
from click import UsageError

from feint.cli import show
from feint.cli.codes import INTERRUPTED, STOPPED
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import flagged
from feint.cli.progress import bar
from feint.cli.seal import unsealed
from feint.exact import plain

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Effort, History, Session
    from feint.planning import Plan

MATRIX = 256  # jobs: the limit of GitHub for one matrix


@dataclass(frozen=True, kw_only=True)
class NewFlags:
    """The flags of a new bisection; None if left out."""

    good: list[str] | None = None
    bad: str | None = None
    level: str | None = None
    delta: str | None = None
    weights: str | None = None
    p: str | None = None
    confidence: str | None = None
    fails_at_least: str | None = None
    max_rounds: int | None = None

    def refuse(self, *, resume: bool) -> None:
        """Refuse all of these flags, since no new bisection is begun."""
        for flag in (spelled(name) for name, value in vars(self).items() if value is not None):
            if resume:
                raise UsageError(f"--resume with {flag}: it goes on as it was begun; leave it out")
            raise UsageError(f"{flag} without --good: a new bisection needs both; add --good")

    def begin(
        self, history: History, words: list[str], crash: Crash | None, *, json: bool
    ) -> Session | None:
        """Begin a bisection and announce it; None if there is nothing to search for."""
        from feint.integrations.git import Session, planned

        if self.level is None:
            raise UsageError("missing --level: --help says what it means")
        effort = planned(
            len(history),
            level=self.level,
            delta=self.delta,
            p=self.p,
            confidence=self.confidence,
            fails_at_least=self.fails_at_least,
            max_rounds=self.max_rounds,
            weights=history.weights(self.weights or "equal"),
        )
        if effort.plan is None:
            _found(history.described([1]), [history.at(1)], json=json)
            return None
        session = Session.begin(history, effort, words, crash=crash or "stop")
        _announce(len(history), effort)
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
    json: bool = False,
) -> None:
    """Find the first bad commit without showing where it is.

    The check runs as with git bisect run, each commit in a worktree of its own.
    Your checkout, index, branches and stashes are not touched.
    Every verdict is on the disk before the next round; --resume continues, whatever ended the run.
    Instead of a command: status shows where it stands, log what was checked,
    candidates which commits can still be the first bad one.

    Exit status:
    0 the commit is found, or a round was listed or told;
    2 bad input;
    3 stopped before the end;
    4 a file or the output cannot be written;
    130 interrupted, or ended by SIGTERM or SIGHUP.
    """
    from feint.integrations.git import Checker, History, Session
    from feint.integrations.git import clean as remove

    here, words = Path.cwd(), command or []
    if clean:
        said = "Removed." if remove(here) else "There was nothing to remove."
        show.lines(said)
        return
    if words in (["status"], ["log"], ["candidates"]):
        _look(Session.look(here), words[0], json=json)
        return
    if resume or new.good is None:
        new.refuse(resume=resume)
        session = Session.resume(here)
    else:
        with flagged(good="--good", bad="--bad"):
            history = History.of(here, good=new.good, bad=new.bad or "HEAD")
        if list is None and not tell:
            Checker(words).check_found(history)
        begun = new.begin(history, words, crash_is, json=json)
        if begun is None:
            return
        session = begun
    with _kept():
        told = _tell(session, tell, key, crash_is or session.asked.crash) if tell else None
        if list is not None:
            _list(session, list)
        elif told is None or not _left(session, told):
            _go_on(session, words, jobs, crash_is, json=json)


def _announce(commits: int, effort: Effort) -> None:
    """Say on stderr what the bisection takes and promises, before any commit is checked."""
    plan = effort.plan
    if plan is None:
        return
    times = "" if effort.repeats == 1 else f", each commit {effort.repeats} times"
    most = "" if plan.asks_all else "at most "
    checks = f"{most}{show.count(effort.checks, 'check')}{times}"
    cost = f"{checks}, in {most}{show.count(plan.rounds, 'round')}"
    lines = [f"{commits} candidates: {cost}; plain bisection takes {effort.plain}."]
    if plan.private:
        lines.append(
            f"An observer who sees which commits are checked and may name {_neighbours(plan)} with"
            f" probability at most {show.chance(plan.adversary_success)}."
        )
        lines += [plan.condition] if plan.condition else []
        if effort.wrong:
            lines.append(
                "This holds if every verdict is right; wrong ones add at most"
                f" {plain(effort.wrong)} to it."
            )
        lines.append(_if_skipped(plan))
        lines.append("Publishing the fix, or acting on the commit in public, ends the secret.")
    else:
        lines.append("Nothing is hidden: level 1.")
    for line in lines:
        typer.echo(line, err=True)


def _if_skipped(plan: Plan) -> str:
    """Return what is promised if commits cannot be checked."""
    if plan.problem.noisy:
        return "If a commit cannot be checked (exit code 125), the run stops."
    return (
        f"If commits cannot be checked (exit code 125), it is at most 1/{plan.problem.level}, even"
        " for somebody who knows all of them; the run stops before it would be more."
    )


def _neighbours(plan: Plan) -> str:
    count = int(plan.problem.delta * (plan.problem.values or 1))
    return "one commit names it" if count == 1 else f"{count} neighbouring commits hits it"


def _go_on(
    session: Session, words: list[str], jobs: int, crash: Crash | None, *, json: bool
) -> None:
    """Run the checks that are left, and print the result."""
    if not session.bisection.done:
        _run(session, words or [*session.asked.command], jobs, crash or session.asked.crash)
    found = session.candidates()
    numbers = [session.history.number(each) for each in found]
    described = session.history.described(numbers)
    _found(described, found, json=json)
    sys.stdout.flush()
    if session.contradicted():
        said = "verdicts contradict each other: an older commit failed and a younger one passed"
        show.complain(f"{said}; is the check flaky? --p or --fails-at-least")
    session.clean()


def _run(session: Session, command: list[str], jobs: int, crash: Crash) -> None:
    from feint.integrations.git import Checker, Verdict

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
def _kept() -> Iterator[None]:
    """If the block ends early, say on stderr what is kept and how to continue, and exit."""
    from feint.integrations.git import Exposed, Stopped

    go_on = "Verdicts are kept; go on with: feint bisect --resume"
    try:
        with _ended():
            yield
    except Exposed as why:
        code, said = STOPPED, f"Stopped: {why}"
        # The commits are not listed here: others may read the output of a run.
        go_on = "feint bisect candidates lists the commits that are left, log the verdicts so far"
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


def _list(session: Session, form: str) -> None:
    """Print the checks of the open round for a CI, a commit as often as it is to be checked."""
    names = [session.history.at(each.commit) for each in session.wanted()]
    if session.bisection.done:
        show.complain("--list: no check is left; print the result with feint bisect --resume")
    if form == "plain":
        show.lines(*names)
        return
    if form == "json":
        show.as_json(names)
        return
    seen = Counter[str]()
    checks = list[dict[str, Any]]()
    for name in names:
        seen[name] += 1
        checks.append({"commit": name, "check": seen[name]})
    if form == "github":
        _matrices(checks)
        return
    jobs = {
        f"check-{each['commit'][:12]}-{each['check']}": {
            "variables": {"FEINT_COMMIT": each["commit"]},
            "extends": ".feint-check",
        }
        for each in checks
    }
    show.as_json(jobs)


def _matrices(checks: list[dict[str, Any]]) -> None:
    """Print matrices for GitHub, one per line, as `matrix=…`, `matrix_2=…` and so on."""
    parts = [checks[start : start + MATRIX] for start in range(0, len(checks), MATRIX)] or [[]]
    for number, part in enumerate(parts, 1):
        name = "matrix" if number == 1 else f"matrix_{number}"
        sys.stdout.write(f"{name}={json_.dumps({'include': part})}\n")
    if len(parts) > 1:
        show.complain(
            f"--list github: {len(checks)} jobs, and GitHub takes {MATRIX} in a matrix: there are"
            f" {len(parts)}, a line each; start the workflow once with each of them"
        )


def _tell(session: Session, files: list[Path], key: Path | None, crash: Crash) -> int:
    """Read sealed verdicts and return their round; exit after them if a check crashed."""
    from feint.errors import BadState
    from feint.integrations.git import Stopped, verdict_of

    crashed = list[Path]()
    session.open()  # shows a round if none is shown yet
    told = session.bisection.search.round
    for file in files:
        result = unsealed(file, key, "--tell")
        if session.knows(result.once):
            show.say(show.console(stderr=True), f"{file} was told before: it is left out.")
            continue
        tests = [
            each for each in session.open() if session.history.at(each.commit) == result.commit
        ]
        if not tests:
            rule = "its commit is not one of this round, or needs no more checks"
            raise BadState("--tell", file, rule, "give the files of the round that --list printed")
        try:
            verdict = verdict_of(result.code, result.commit, crash=crash)
        except Stopped:
            crashed.append(file)
        else:
            session.tell(tests[0], verdict, once=result.once)
    if crashed:
        _crashed(crashed, key)
    return told


def _left(session: Session, told: int) -> bool:
    """Say how many checks are left after verdicts of a round were read, if any are."""
    wanted = session.wanted()  # shows the next round, which may need no check and end the search
    if session.bisection.done:
        return False
    jobs = show.count(len(wanted), "check")
    if session.bisection.search.round == told:
        show.lines(f"Taken; {jobs} of this round still open.")
    else:
        show.lines(f"Taken; the round is complete, and the next has {jobs}: see --list.")
    return True


def _crashed(files: list[Path], key: Path | None) -> NoReturn:
    """Say on stderr which checks ended by a signal or with 128 and above, and exit."""
    keyed = f"--key {shlex.quote(str(key))}"
    again = " ".join(f"--tell {shlex.quote(str(file))}" for file in files)
    typer.echo(
        f"feint: Stopped: {', '.join(map(str, files))}: the check ended by a signal or with 128 and"
        f" above, which stops, as with git. Other verdicts are kept. If that is the bug, tell it as"
        f" bad: feint bisect {again} {keyed} --crash-is bad; if not, with --crash-is skip, or run"
        f" it again. What it printed: feint seal --open {shlex.quote(str(files[0]))} {keyed}",
        err=True,
    )
    raise typer.Exit(STOPPED)


def _look(session: Session, word: str, *, json: bool) -> None:
    """Print the status, the log or the candidates."""
    if word == "status":
        _status(session, json=json)
    elif word == "log":
        _log(session)
    else:
        left = session.bisection.remaining
        numbers = range(left.first, left.last + 1)
        names = [session.history.at(number) for number in numbers]
        _found(session.history.described(numbers), names, json=json, done=False)


def _status(session: Session, *, json: bool) -> None:
    search = session.bisection.search
    skipped = len(session.bisection.skipped)
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
    """Print what was checked so far, with verdicts. For the owner only."""
    rows = session.checked()
    described = session.history.described([number for number, _ in rows])
    show.lines(
        *(f"{verdict:4}  {text}" for (_, verdict), text in zip(rows, described, strict=True))
    )


def _found(described: list[str], names: list[str], *, json: bool, done: bool = True) -> None:
    if json:
        show.as_json({"secret": "this is what was sought: do not share it", "first_bad": names})
        return
    if len(names) == 1:
        show.lines(f"The first bad commit is {described[0]}", names[0])
        return
    why = "; those between cannot be checked" if done else ""
    show.lines(f"The first bad commit is one of these{why}:", *described)
