"""The commits between a good one and a bad one, along first parents, as git tells them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from feint.errors import InvalidValue, MissingExtra


def git(folder: Path, *words: str) -> str:
    """Run git quietly and without hooks.

    Args:
        folder: Where to run it.
        words: Its arguments.

    Returns:
        What it printed.

    Raises:
        MissingExtra: There is no git.
        subprocess.CalledProcessError: It failed; `stderr` says why.
    """
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise MissingExtra("git", "git itself") from None
    return done.stdout


@dataclass(frozen=True)
class History:
    """The commits of which one is the first bad one.

    Attributes:
        folder: Where the repository is.
        good: The last commit that is known to be good.
        commits: Those after it, oldest first, along first parents; the last is known to be bad.
    """

    folder: Path
    good: str
    commits: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path, *, good: str, bad: str) -> History:
        """Read it from a repository.

        Args:
            folder: The repository, or a folder in it.
            good: A name of the good commit.
            bad: A name of the bad commit, which the good one is an ancestor of.

        Returns:
            The history.

        Raises:
            InvalidValue: There is no such repository or commit, or no commit between them.
        """
        first = commit_named(folder, good, "good")
        last = commit_named(folder, bad, "bad")
        if first == last:
            raise InvalidValue("bad", bad, "is the good commit too", "name two commits")
        if not _is_ancestor(folder, first, last):
            rule = f"must descend from the good commit, {good}"
            raise InvalidValue("bad", bad, rule, "name a good commit before it")
        listed = git(folder, "rev-list", "--first-parent", "--reverse", f"{first}..{last}")
        return cls(folder, first, tuple(listed.split()))

    def __len__(self) -> int:
        return len(self.commits)

    def at(self, number: int) -> str:
        """A commit by its number: 0 is the good one, the last is the bad one."""
        return self.commits[number - 1] if number else self.good

    def number(self, commit: str) -> int:
        """The number of a commit.

        Raises:
            InvalidValue: It is not one of these.
        """
        try:
            return self.commits.index(commit) + 1
        except ValueError:
            rule = "is not between the good and the bad commit"
            raise InvalidValue("commit", commit, rule, "name one of them") from None

    def described(self, numbers: Sequence[int]) -> list[str]:
        """Commits as people read them: short name, date, subject."""
        names = [self.at(number) for number in numbers]
        if not names:
            return []
        form = "--format=%h %cs %s"
        return git(self.folder, "show", "--no-patch", form, *names).splitlines()


def commit_named(folder: Path, name: str, argument: str = "commit") -> str:
    """The full name of a commit.

    Args:
        folder: The repository, or a folder in it.
        name: Any name that git knows it by.
        argument: What errors call it.

    Raises:
        InvalidValue: There is no such commit.
    """
    try:
        return git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
    except subprocess.CalledProcessError:
        rule = f"git knows no such commit in {folder}"
        raise InvalidValue(argument, name, rule, "name a commit, tag or branch of it") from None


def _is_ancestor(folder: Path, first: str, last: str) -> bool:
    try:
        git(folder, "merge-base", "--is-ancestor", first, last)
    except subprocess.CalledProcessError:
        return False
    return True
