"""Make small git repositories for tests, with git itself and a fictitious user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_AUTHOR_NAME": "nobody",
    "GIT_AUTHOR_EMAIL": "nobody@example.org",
    "GIT_COMMITTER_NAME": "nobody",
    "GIT_COMMITTER_EMAIL": "nobody@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(folder: Path, *words: str) -> str:
    """Return the output of a git command."""
    done = subprocess.run(
        ["git", *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stdout


def linear(folder: Path, commits: int) -> Path:
    """Make a linear history: commit k writes k into the file `number`; `start` comes before all."""
    return _imported(folder, (f"commit {k}" for k in range(commits + 1)))


def _imported(folder: Path, subjects: Iterable[str]) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    stream = []
    for number, subject in enumerate(subjects):
        stream.append(
            f"commit refs/heads/main\nmark :{number + 1}\n"
            f"committer nobody <nobody@example.org> {1_700_000_000 + number} +0000\n"
            f"data {len(subject)}\n{subject}\n"
            + (f"from :{number}\n" if number else "")
            + f"M 644 inline number\ndata {len(str(number))}\n{number}\n"
        )
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=folder,
        env=ENVIRONMENT,
        input="\n".join(stream).encode(),
        check=True,
    )
    git(folder, "reset", "-q", "--hard", "main")
    git(folder, "tag", "start", git(folder, "rev-list", "--max-parents=0", "main").strip())
    return folder


def merged(folder: Path, merges: int) -> Path:
    """Make a history of merges: each adds one to `number`, by commits on the merged branch."""
    linear(folder, 1)
    for number in range(2, merges + 2):
        git(folder, "checkout", "-q", "-b", f"side-{number}")
        for step in range(2):
            (folder / f"side-{number}-{step}").write_text(str(step))
            git(folder, "add", "-A")
            git(folder, "commit", "-q", "-m", f"side {number}.{step}")
        (folder / "number").write_text(str(number))
        git(folder, "commit", "-q", "-a", "-m", f"side {number}")
        git(folder, "checkout", "-q", "main")
        git(folder, "merge", "-q", "--no-ff", "-m", f"merge {number}", f"side-{number}")
    return folder


def renamed(folder: Path, commits: int) -> Path:
    """Make a history that moves the file `number` in every third commit; `./count` finds it."""
    linear(folder, 1)
    (folder / "count").write_text("#!/bin/sh\nexec cat number*\n")
    (folder / "count").chmod(0o755)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "commit 2")
    for number in range(3, commits + 1):
        (path,) = folder.glob("number*")
        if number % 3 == 0:
            git(folder, "mv", path.name, f"number-{number}")
            (path,) = folder.glob("number*")
        path.write_text(str(number))
        git(folder, "commit", "-q", "-a", "-m", f"commit {number}")
    return folder
