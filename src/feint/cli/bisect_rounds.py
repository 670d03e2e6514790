"""List the rounds of a bisection for a CI, and read the verdicts."""

from __future__ import annotations

import json as json_
import shlex
import sys
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from click import UsageError

from feint.cli import show
from feint.cli.bisect_gitlab import pipeline
from feint.cli.codes import STOPPED
from feint.cli.seal import unsealed

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Session

MATRIX = 256  # jobs: the limit of GitHub for one matrix


def list_round(session: Session, form: str, *, in_clear: bool) -> None:
    """Print the checks of the open round for a CI. A commit appears once per check.

    Args:
        session: The bisection.
        form: plain, json, github, gitlab or inputs.
        in_clear: Whether the owner accepts that observers of the CI see the check.
    """
    sealed = session.sealed_check()
    is_given = bool(session.asked.command or session.asked.copied)
    if sealed is None and not in_clear and (is_given or form not in ("plain", "json")):
        raise UsageError(
            "--list: the check would be in clear on the CI; begin with --check FILE --seal-check"
            " KEY, or say --check-in-clear"
        )
    text = "" if sealed is None else b64encode(sealed).decode()
    names = [session.history.at(each.commit) for each in session.wanted()]
    if not names:
        show.complain("--list: no check is left; print the result with feint bisect --resume")
        if form != "json":  # nothing that a CI could be started with
            return
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
        if text:
            sys.stdout.write(f"check={text}\n")
        return
    if form == "inputs":
        for part in _parts(checks):
            inputs = {"matrix": json_.dumps({"include": part}), "check": text}
            sys.stdout.write(json_.dumps(inputs) + "\n")
        return
    show.as_json(pipeline(checks, text))


def _parts(checks: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [checks[start : start + MATRIX] for start in range(0, len(checks), MATRIX)]


def _matrices(checks: list[dict[str, Any]]) -> None:
    """Print matrices for GitHub, one per line, as `matrix=…`, `matrix_2=…` and so on."""
    parts = _parts(checks)
    for number, part in enumerate(parts, 1):
        name = "matrix" if number == 1 else f"matrix_{number}"
        sys.stdout.write(f"{name}={json_.dumps({'include': part})}\n")
    if len(parts) > 1:
        show.complain(
            f"--list github: {len(checks)} jobs, and GitHub takes {MATRIX} in a matrix: there are"
            f" {len(parts)}, one per line; start the workflow once with each of them"
        )


def tell_round(session: Session, files: list[Path], key: Path | None, crash: Crash) -> int:
    """Read sealed verdicts and return their round; exit afterwards if a check crashed."""
    from feint.errors import BadState
    from feint.integrations.git import Missing, Stopped, verdict_of

    crashed, missing = list[Path](), list[str]()
    session.open()  # show a round if none is shown yet
    told = session.bisection.search.round
    listed = {session.history.at(each.commit) for each in session.wanted()}
    for file in _sealed_files(files):
        result = unsealed(file, key, "--tell")
        if session.knows(result.once):
            show.say(show.console(stderr=True), f"{file} was read before and is skipped.")
            continue
        tests = [
            each for each in session.wanted() if session.history.at(each.commit) == result.commit
        ]
        if not tests and result.commit in listed:
            # where nothing is hidden, the first failure of a commit decides, so the others of the
            # same round are not needed
            show.say(show.console(stderr=True), f"{file} is not needed any more and is skipped.")
            continue
        if not tests:
            rule = "its commit is not one of this round, or needs no more checks"
            raise BadState("--tell", file, rule, "give the files of the round that --list printed")
        try:
            verdict = verdict_of(result.code, result.commit, crash=crash)
        except Missing:
            missing.append(str(file))
        except Stopped:
            crashed.append(file)
        else:
            session.tell(tests[0], verdict, once=result.once)
    if missing:
        typer.echo(
            f"feint: Stopped: {', '.join(missing)}: the check ended with exit code 127: a command"
            " was not found. Other verdicts are kept. Give these jobs the check and run them"
            " again; --list prints them.",
            err=True,
        )
        raise typer.Exit(STOPPED)
    if crashed:
        _crashed(crashed, key)
    return told


def _sealed_files(paths: list[Path]) -> list[Path]:
    """Return the named files, and the sealed files in named folders."""
    found = list[Path]()
    for path in paths:
        inside = sorted(path.rglob("*.sealed")) if path.is_dir() else [path]
        found += inside or [path]
    return found


def say_left(session: Session, told: int) -> bool:
    """Print the number of checks that are left after reading verdicts; return False if none is."""
    wanted = session.wanted()  # show the next round, which may need no check and end the search
    if not wanted:
        return False
    jobs = show.count(len(wanted), "check")
    if session.bisection.search.round == told:
        show.lines(f"Read; {jobs} of this round still open.")
    else:
        show.lines(f"Read; the round is complete, and the next has {jobs}: see --list.")
    return True


def _crashed(files: list[Path], key: Path | None) -> NoReturn:
    """Name the checks that ended by a signal or with 128 and above on stderr, and exit."""
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
