"""`feint bisect`: find the first bad commit while everybody sees which commits are built."""

from __future__ import annotations

import json as json_
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from click import UsageError

from feint.cli import show
from feint.cli.codes import INTERRUPTED, STOPPED
from feint.cli.flags.flag import Json, flag, flagged, switch
from feint.cli.progress import bar
from feint.cli.seal import unsealed
from feint.exact import plain, whole

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Effort, History, Session
    from feint.planning import Plan

CRASHES: tuple[Crash, ...] = ("bad", "skip", "stop")
MATRIX = 256  # jobs that GitHub takes in one matrix

Command = Annotated[
    list[str] | None,
    typer.Argument(
        help="After --, what checks a commit: exit 0 good, 1 to 124, 126 or 127 bad, 125 cannot be"
        " checked, 128 and above or a signal what --crash-is says. Or a word: status,"
        " log, candidates.",
        metavar="COMMAND",
        rich_help_panel="The check",
        show_default=False,
    ),
]
Good = Annotated[str | None, flag("A commit that is good.", "NAME", "The problem")]
Bad = Annotated[str | None, flag("A commit that is bad. Default: HEAD.", "NAME", "The problem")]
Level = Annotated[
    str | None,
    flag(
        "L: whoever sees which commits are checked names the place with probability at most 1/L;"
        " 1 hides nothing.",
        "COUNT",
        "The problem",
    ),
]
Delta = Annotated[
    str | None,
    flag("The number of neighbouring commits they may name. Default: 1.", "COUNT", "The problem"),
]
P = Annotated[
    str | None,
    flag(
        "Probability that a check is right, of good and bad commits alike.", "PROBABILITY", "Noise"
    ),
]
Confidence = Annotated[
    str | None,
    flag(
        "Probability of the right commit, with a flaky check. Default: 0.95.",
        "PROBABILITY",
        "Noise",
    ),
]
Fails = Annotated[
    str | None,
    flag(
        "A bad commit fails a check at least this often, and a good one never.",
        "PROBABILITY",
        "Noise",
        "--fails-at-least",
    ),
]
Rounds = Annotated[
    str | None,
    flag("The greatest number of rounds. Default: any.", "COUNT", "The plan", "--max-rounds"),
]
Weights = Annotated[
    str,
    flag(
        "How likely each commit is: equal, lines (by lines changed), paths:PATTERN or words:PATTERN"
        " (ten times where it touches or says it), or a file with a commit and its odds a line."
        " Default: equal.",
        "NAME",
        "The problem",
    ),
]
CrashIs = Annotated[
    str | None,
    flag(
        "What a check says that ends by a signal or with 128 and above: bad, skip (it cannot be"
        " checked) or stop. Default: stop, as with git.",
        "NAME",
        "The search",
        "--crash-is",
    ),
]
Jobs = Annotated[
    str,
    flag("Commits that are checked at the same time. Default: 1.", "COUNT", "Work", "-j", "--jobs"),
]
Resume = Annotated[
    bool, switch("--resume", "Go on with the bisection of this repository.", "The search")
]
Clean = Annotated[bool, switch("--clean", "Remove what a bisection left behind.", "The search")]
List = Annotated[
    str | None,
    flag(
        "Print the commits of this round for a CI that builds them, and leave: plain, json, github"
        " or gitlab.",
        "NAME",
        "The search",
        "--list",
    ),
]
Tell = Annotated[
    list[Path] | None,
    flag("Take a sealed verdict; once for each.", "FILE", "The search", "--tell"),
]
Key = Annotated[
    Path | None, flag("The private key that opens sealed verdicts.", "FILE", "The search", "--key")
]


def bisect(
    *,
    command: Command = None,
    good: Good = None,
    bad: Bad = None,
    level: Level = None,
    delta: Delta = None,
    weights: Weights = "equal",
    p: P = None,
    confidence: Confidence = None,
    fails_at_least: Fails = None,
    max_rounds: Rounds = None,
    jobs: Jobs = "1",
    resume: Resume = False,
    clean: Clean = False,
    list: List = None,
    tell: Tell = None,
    key: Key = None,
    crash_is: CrashIs = None,
    json: Json = False,
) -> None:
    """Find the first bad commit, and not show where it is.

    The check is run as git bisect run runs it, each commit in a worktree of its own.
    Your checkout, index, branches and stashes are not touched.
    Every verdict is on the disk before the next round; whatever ends it, --resume goes on.
    In place of a command: status says where it stands, log what was checked,
    candidates which commits can still be the first bad one.

    Exit codes:
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
    count, crash = whole(jobs, "jobs", least=1), _crash(crash_is)
    if resume or good is None:
        given = {"--good": good, "--bad": bad, "--level": level, "--delta": delta, "--p": p}
        given |= {"--weights": None if weights == "equal" else weights, "--confidence": confidence}
        given |= {"--fails-at-least": fails_at_least, "--max-rounds": max_rounds}
        _refuse([name for name, value in given.items() if value is not None], resume=resume)
        session = Session.resume(here)
    else:
        wanted: dict[str, Any] = {"p": p, "confidence": confidence}
        wanted |= {"fails_at_least": fails_at_least, "level": level, "delta": delta or 1}
        with flagged(good="--good", bad="--bad"):
            history = History.of(here, good=good, bad=bad or "HEAD")
        if list is None and not tell:
            Checker(words).check_found(history)
        begun = _begun(history, history.weights(weights), max_rounds, wanted, words, crash, json)
        if begun is None:
            return
        session = begun
    with _kept():
        told = _tell(session, tell, key, crash or session.asked.crash) if tell else None
        if list is not None:
            _list(session, list)
        elif told is None or not _left(session, told):
            _go_on(session, words, count, crash, json=json)


def _crash(word: str | None) -> Crash | None:
    """What --crash-is says; None where it is left out."""
    if word is None:
        return None
    for known in CRASHES:
        if word == known:
            return known
    raise UsageError(f"--crash-is {word}: must be one of {', '.join(CRASHES)}; pick one")


def _refuse(flags: Sequence[str], *, resume: bool) -> None:
    """Refuse flags that only a new bisection has."""
    if not flags:
        return
    if resume:
        raise UsageError(f"--resume with {flags[0]}: it goes on as it was begun; leave it out")
    raise UsageError(f"{flags[0]} without --good: a new bisection needs both; add --good")


def _begun(
    history: History,
    weights: Sequence[int] | None,
    max_rounds: str | None,
    wanted: dict[str, Any],
    words: list[str],
    crash: Crash | None,
    json: bool,
) -> Session | None:
    """A new bisection, announced; None where nothing is to be searched."""
    from feint.integrations.git import Session, planned

    if wanted["level"] is None:
        raise UsageError("missing --level: --help says what it means")
    most = None if max_rounds is None else whole(max_rounds, "max_rounds", least=1)
    effort = planned(len(history), max_rounds=most, weights=weights, **wanted)
    if effort.plan is None:
        _found(history.described([1]), [history.at(1)], json=json)
        return None
    session = Session.begin(history, effort, words, crash=crash or "stop")
    _announce(len(history), effort)
    return session


def _announce(commits: int, effort: Effort) -> None:
    """Say on stderr what it will take and what is promised, before any commit is checked."""
    plan = effort.plan
    if plan is None:
        return
    times = "" if effort.repeats == 1 else f", each commit {effort.repeats} times"
    cost = f"{show.count(effort.checks, 'check')}{times}, in {show.count(plan.rounds, 'round')}"
    lines = [f"{commits} candidates: {cost}; plain bisection takes {effort.plain}."]
    if plan.private:
        lines.append(
            f"Whoever sees which commits are checked names {_neighbours(plan)} with probability at"
            f" most {show.chance(plan.adversary_success)}."
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
    """Say what is promised if commits cannot be checked."""
    if plan.problem.noisy:
        return "If a commit cannot be checked (exit code 125), the run stops."
    return (
        f"If commits cannot be checked (exit code 125), it is at most 1/{plan.problem.level}, even"
        " for somebody who knows all of them; the run stops before it would be more."
    )


def _neighbours(plan: Plan) -> str:
    count = int(plan.problem.delta * (plan.problem.values or 1))
    return "the commit" if count == 1 else f"{count} neighbouring commits that hold it"


def _go_on(
    session: Session, words: list[str], jobs: int, crash: Crash | None, *, json: bool
) -> None:
    """Make the checks that are left, and say what was found."""
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
    """Where the block ends early, say on stderr what is kept and how to go on, and leave."""
    from feint.integrations.git import Exposed, Stopped

    go_on = "Verdicts are kept; go on with: feint bisect --resume"
    try:
        with _ended():
            yield
    except Exposed as why:
        code, said = STOPPED, f"Stopped: {why}"
        # Not said here: others may read what a run prints, and which are left is secret.
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
    """Take SIGTERM and SIGHUP for Ctrl-C in the block, unless somebody minds them already."""
    names = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    minded = [each for each in names if each and signal.getsignal(each) is signal.SIG_DFL]

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in minded:
            signal.signal(each, signal.SIG_IGN)  # a second one would cut the tidying short
        raise KeyboardInterrupt

    for each in minded:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each in minded:
            signal.signal(each, signal.SIG_DFL)


def _list(session: Session, form: str) -> None:
    """The checks of the open round, for a CI: a commit as often as it is to be checked."""
    if form not in ("plain", "json", "github", "gitlab"):
        raise UsageError(f"--list {form}: must be one of plain, json, github, gitlab; pick one")
    names = [session.history.at(each.commit) for each in session.wanted()]
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
    """Print matrices for GitHub, a line each, as `matrix=…`, `matrix_2=…` and so on."""
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
    """Take verdicts that were sealed elsewhere; stop after them where one crashed.

    Returns:
        The number of the round that they are of.
    """
    from feint.errors import BadState
    from feint.integrations.git import Stopped, verdict_of

    crashed = list[Path]()
    session.open()  # so that a round is shown
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
    """Say how many checks are left after verdicts of a round were told, if any are."""
    if session.bisection.done:
        return False
    jobs = show.count(len(session.wanted()), "check")
    if session.bisection.search.round == told:
        show.lines(f"Taken; {jobs} of this round still open.")
    else:
        show.lines(f"Taken; the round is complete, and the next has {jobs}: see --list.")
    return True


def _crashed(files: list[Path], key: Path | None) -> NoReturn:
    """Say on stderr which checks ended by a signal or with 128 and above, and leave."""
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
    """Print what one of the words status, log and candidates asks for."""
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
    show.lines(
        f"{session.bisection.answered} of {search.plan.queries} questions answered, round"
        f" {min(search.round + 1, search.plan.rounds)} of {search.plan.rounds};"
        f" {show.count(skipped, 'commit')} cannot be checked."
    )


def _log(session: Session) -> None:
    """What was checked so far, with verdicts: for the owner's eyes."""
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
