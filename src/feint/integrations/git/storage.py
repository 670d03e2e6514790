"""Store the files of a bisection in the repository's git folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feint.errors import BadState
from feint.integrations.git.checks import Crash
from feint.integrations.git.command import git_folder
from feint.integrations.git.history import History
from feint.integrations.git.trees import Trees
from feint.search import Search, load

FOLDER = "feint-bisect"
_PENDING = "pending.json"  # removed when the bisection begins
VERSION = 2


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The arguments that a bisection began with.

    Attributes:
        goods: The good commits' full names.
        bad: The bad commit's full name.
        repeats: The number of checks of a commit for one question.
        command: The check, with its arguments; empty if it runs elsewhere.
        crash: The verdict of a check that crashes, unless the owner changes it later.
        copied: The path in each worktree of the file or folder copied into it; empty: none.
        verified: Whether the ends of the history are checked before anything else.
        level: L, the promised level; None: the level of the plan.
        skipped: The full names of commits that are known not to be checkable.
        paths: Only commits that touch these are candidates; empty: all are.
        terms: The words for good and bad.
        reuse: Whether worktrees are kept between checks, with their build results.
        trusted: Whether the ends are never checked. If they are neither verified nor trusted, they
            are checked once a command runs the checks.
    """

    goods: tuple[str, ...]
    bad: str
    repeats: int
    command: tuple[str, ...]
    crash: Crash = "stop"
    copied: str = ""
    verified: bool = False
    level: int | None = None
    skipped: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    terms: tuple[str, str] = ("good", "bad")
    reuse: bool = False
    trusted: bool = False


def clean(folder: Path) -> bool:
    """Remove the bisection of a repository, and its worktrees.

    Args:
        folder: The repository, or a folder in it.

    Returns:
        True if there was one.
    """
    place = place_of(folder)
    there = place.is_dir() or kept_log(folder).exists()
    Trees(folder, place / "trees").clean()
    shutil.rmtree(place, ignore_errors=True)
    kept_log(folder).unlink(missing_ok=True)
    return there


def place_of(folder: Path) -> Path:
    """Return the folder that keeps the bisection of a repository."""
    return git_folder(folder) / FOLDER


def kept_log(folder: Path) -> Path:
    """Return the file that keeps the log of the last bisection that ended. Secret."""
    return git_folder(folder) / f"{FOLDER}.log"


def terms_of(folder: Path) -> tuple[str, str]:
    """Return the words for good and bad of the bisection of a repository."""
    if not (place_of(folder) / "session.json").exists():
        held = pending(folder) or {}
        return held.get("term_good") or "good", held.get("term_bad") or "bad"
    return read_session(folder)[1].terms


def keep_pending(folder: Path, flags: Mapping[str, Any]) -> None:
    """Keep the flags of a bisection that has not all of its ends yet."""
    place = place_of(folder)
    if (place / "session.json").exists():
        rule = "there is a bisection in this repository already"
        raise BadState("bisection", place, rule, "go on with it, or end it with reset")
    place.mkdir(mode=0o700, exist_ok=True)
    write_whole(place / _PENDING, json.dumps(flags))


def pending(folder: Path) -> dict[str, Any] | None:
    """Return the flags of a bisection that has not all of its ends yet; None if there is none."""
    path = place_of(folder) / _PENDING
    if not path.exists():
        return None
    held: dict[str, Any] = json.loads(path.read_text())
    return held


def read_session(folder: Path) -> tuple[Path, Asked, History]:
    """Return the folder of a bisection, its arguments and its commits."""
    place = place_of(folder)
    try:
        held: dict[str, Any] = json.loads((place / "session.json").read_text())
    except FileNotFoundError:
        rule = "there is no bisection in this repository"
        raise BadState("bisection", place, rule, "begin one with --good and --bad") from None
    except ValueError:
        rule = "is damaged"
        raise BadState("bisection", place, rule, "remove it with --clean") from None
    if held.pop("version", None) not in (1, VERSION):
        rule = "was written by another version of feint"
        raise BadState("bisection", place, rule, "go on with that version")
    if "good" in held:  # version 1 had one good commit
        held["goods"] = [held.pop("good")]
        _check_skips(place)
    held = {name: tuple(v) if isinstance(v, list) else v for name, v in held.items()}
    asked = Asked(**held)
    history = History.of(folder, good=asked.goods, bad=asked.bad, paths=asked.paths)
    return place, asked, history


def _check_skips(place: Path) -> None:
    """Refuse a bisection of version 1 with skips, since it had other stand-ins for them."""
    path = place / "checks.jsonl"
    if path.exists() and '"verdict": "skip"' in path.read_text():
        rule = "has commits that cannot be checked, which version 1 replaced differently"
        raise BadState("bisection", place, rule, "go on with that version")


def load_search(place: Path) -> Search:
    """Load the search of a bisection."""
    try:
        return load(place / "search.jsonl")
    except BadState as error:
        raise error.about("bisection") from None


def mend(path: Path) -> None:
    """Remove an incomplete last line, which was never acknowledged."""
    if path.exists():
        with path.open("r+b") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read; an opener for `open`."""
    return os.open(path, flags, 0o600)


def write_whole(path: Path, text: str) -> None:
    """Write a private file atomically."""
    fresh = path.with_suffix(".new")
    with open(fresh, "w", opener=private) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
