"""Check the ends of a history before the search, and find a good commit if none is named."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from feint.errors import InvalidValue
from feint.integrations.git.checks import Stopped, Verdict
from feint.integrations.git.command import git, own_environment
from feint.integrations.git.history import commit_named


class WrongEnd(Stopped):
    """A commit that was named good fails the check, or the bad one passes it.

    Attributes:
        said: "good" or "bad": how it was named.
    """

    def __init__(self, commit: str, *, said: str, verdict: Verdict) -> None:
        """Name the commit and its verdict, which are public for both ends."""
        super().__init__(commit)
        self.said = said
        found = {"good": "passes the check", "bad": "fails the check", "skip": "cannot be checked"}
        self.args = (
            f"commit {commit[:12]} was said to be {said}, and {found[verdict]}; correct the check"
            " or the commits",
        )


def doubled_back(folder: Path, bad: str, check: Callable[[str], Verdict]) -> tuple[str, str]:
    """Find a good commit 1, 2, 4, 8 … commits before a bad one, along first parents.

    An observer of the checks learns the first distance with a good commit. So a promise can only
    cover the commits between the two that are returned.

    Args:
        folder: The repository, or a folder in it.
        bad: A name of the bad commit. It is checked first.
        check: Checks a commit by its name and returns the verdict.

    Returns:
        The good commit, and the oldest commit that was seen to be bad.

    Raises:
        WrongEnd: The bad commit is not bad.
        InvalidValue: No checked commit is good.
        Stopped: A check asked to stop.
    """
    last = commit_named(folder, bad, "bad")
    line = git(folder, "rev-list", "--first-parent", last).split()
    verdict = check(last)
    if verdict != "bad":
        raise WrongEnd(last, said="bad", verdict=verdict)
    away = 1
    while True:
        commit = line[min(away, len(line) - 1)]
        verdict = check(commit) if commit != last else "bad"
        if verdict == "good":
            return commit, last
        if away >= len(line) - 1:
            rule = "no commit before it that was checked is good, the oldest included"
            raise InvalidValue("bad", bad, rule, "name a good one with --good")
        if verdict == "bad":
            last = commit
        away *= 2


def good_from(source: str, folder: Path) -> str:
    """Return the name of a good commit from a file or a command.

    Args:
        source: A file whose first word is the name, or a shell command that prints it, such as one
            that asks a CI for its last green run.
        folder: The folder to run the command in.

    Returns:
        The first word.

    Raises:
        InvalidValue: The file or the output is empty, or the command fails.
    """
    path = folder / source
    if path.is_file():
        words = path.read_text(errors="replace").split()
    else:
        done = subprocess.run(
            source,
            # the owner typed this command, so a shell may run it, as git does with aliases
            shell=True,
            cwd=folder,
            env=own_environment(),
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            rule = f"is not a file, and as a command it fails with exit code {done.returncode}"
            raise InvalidValue("good_from", source, rule, "name a file, or correct the command")
        words = done.stdout.split()
    if not words:
        raise InvalidValue("good_from", source, "gives no commit", "have it print a name")
    return words[0]
