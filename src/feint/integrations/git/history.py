"""Read the commits between a good one and a bad one from git, along first parents.

Only plumbing commands of git are used, because the output of `git log` and `git show` depends on
the user's settings, such as log.showSignature and diff.orderFile.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from feint.errors import InvalidValue
from feint.integrations.git.command import git

_LIKELY = 10  # how much likelier a commit is if it touches the suspected files or words


@dataclass(frozen=True)
class History:
    """The commits that may be the first bad one.

    Attributes:
        folder: The folder of the repository.
        goods: The commits that are known to be good, in the order of the arguments.
        commits: The commits on the line of first parents that no good commit contains, oldest
            first; the last is known to be bad.
    """

    folder: Path
    goods: tuple[str, ...]
    commits: tuple[str, ...]

    @classmethod
    def of(
        cls, folder: Path, *, good: str | Sequence[str], bad: str, paths: Sequence[str] = ()
    ) -> History:
        """Read the history from a repository.

        Args:
            folder: The repository, or a folder in it.
            good: A name of the good commit, or names of several. In place of one that is not an
                ancestor of the bad commit, such as a release on a branch of its own, its merge
                bases are good commits, as with git.
            bad: A name of the bad commit.
            paths: Only commits that touch these paths are candidates, besides the bad one; empty:
                all commits are.

        Returns:
            The history.

        Raises:
            InvalidValue: There is no such repository or commit, or no commit between them.
        """
        named = [good] if isinstance(good, str) else [*good]
        if not named:
            raise InvalidValue("good", "none", "must name a commit", "name one that is good")
        last, bases = commit_named(folder, bad, "bad"), list[str]()
        for name in named:
            commit = commit_named(folder, name, "good")
            if commit == last:
                raise InvalidValue("bad", bad, "is the good commit too", "name two commits")
            found = _merge_bases(folder, commit, last)
            if not found or last in found:
                rule = f"must descend from the good commit, {name}"
                raise InvalidValue("bad", bad, rule, "name a good commit before it")
            bases += found
        goods = tuple(dict.fromkeys(bases))
        span = (last, *(f"^{each}" for each in goods))
        asked = ("--first-parent", "--reverse", *span, "--", *paths)
        commits = dict.fromkeys([*git(folder, "rev-list", *asked).split(), last])
        return cls(folder, goods, tuple(commits))

    @property
    def good(self) -> str:
        """The good commit with number 0, which is the first that was named."""
        return self.goods[0]

    def __len__(self) -> int:
        return len(self.commits)

    @property
    def ends(self) -> list[int]:
        """The numbers of the good commits and of the bad one, which are known in advance."""
        return [*range(0, -len(self.goods), -1), len(self)]

    def at(self, number: int) -> str:
        """Return a commit by its number: 0, −1, −2 … are good ones; the last is the bad one."""
        return self.commits[number - 1] if number > 0 else self.goods[-number]

    def number(self, commit: str) -> int:
        """Return the number of a commit.

        Raises:
            InvalidValue: The commit is not in this history.
        """
        try:
            return self.commits.index(commit) + 1
        except ValueError:
            rule = "is not between the good and the bad commit"
            raise InvalidValue("commit", commit, rule, "name one of them") from None

    def holds(self, path: str) -> bool:
        """Return True if the bad commit has a file; its path in the repository is without "./"."""
        try:
            git(self.folder, "cat-file", "-e", f"{self.commits[-1]}:{path}")
        except subprocess.CalledProcessError:
            return False
        return True

    def weights(self, how: str) -> list[int] | None:
        """Return the odds of each commit to be the first bad one.

        Args:
            how: "equal"; "lines": one more for each doubling of the number of lines that a commit
                changes; "paths:PATTERN": ten times as much if it touches such a file, as git
                matches files; "words:PATTERN": ten times as much if its message matches, as git
                searches messages; or a file with a commit and its odds per line; others have 1.

        Returns:
            One number per commit, oldest first; None if they are equal.

        Raises:
            InvalidValue: `how` is unknown, or the file is not a list of commits and odds.
        """
        if how == "equal":
            return None
        kind, _, pattern = how.partition(":")
        if how == "lines":
            return self._by_lines()
        if kind in ("paths", "words") and pattern:
            span = [self.commits[-1], *(f"^{each}" for each in self.goods)]
            more = [*span, "--", pattern]
            if kind == "words":
                more = ["-i", "-E", f"--grep={pattern}", *span, "--"]
            try:
                found = set(git(self.folder, "rev-list", "--first-parent", *more).split())
            except subprocess.CalledProcessError:
                rule = "git cannot read the pattern"
                raise InvalidValue("weights", how, rule, "mend the pattern") from None
            return [_LIKELY if commit in found else 1 for commit in self.commits]
        return self._from_file(Path(how))

    def _by_lines(self) -> list[int]:
        asked = ("diff-tree", "--stdin", "-r", "--root", "--find-renames", "--numstat")
        told = "".join(f"{commit}\n" for commit in self.commits)
        changed, commit = Counter[str](), ""
        for line in git(self.folder, *asked, "--diff-merges=first-parent", told=told).split("\n"):
            added, *rest = line.split("\t", 2)
            if rest:  # git prints "-" for lines that it cannot count
                changed[commit] += sum(int(each) for each in (added, rest[0]) if each.isdecimal())
            else:
                commit = line
        return [1 + changed[each].bit_length() for each in self.commits]

    def _from_file(self, path: Path) -> list[int]:
        try:
            rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
            odds = {commit_named(self.folder, name): int(weight) for name, weight in rows}
        except FileNotFoundError:
            rule = "must be equal, lines, paths:PATTERN, words:PATTERN or a file"
            raise InvalidValue("weights", path, rule, "name one of them") from None
        except OSError as error:
            rule = f"cannot be read ({error.strerror})"
            raise InvalidValue("weights", path, rule, "name a file that can be") from None
        except ValueError as error:
            if isinstance(error, InvalidValue):
                raise
            rule = "must have a commit and a whole number per line"
            raise InvalidValue("weights", path, rule, "correct the line that does not") from None
        return [odds.get(each, 1) for each in self.commits]

    def pictured(self, names: Sequence[str], options: Sequence[str]) -> str:
        """Return the output of `git log` for commits, without their names in its arguments."""
        asked = ("log", "--no-walk=unsorted", *(options or ["--oneline"]), "--stdin")
        return git(self.folder, *asked, told="".join(f"{name}\n" for name in names))

    def merged(self, commit: str) -> tuple[str, str] | None:
        """Return the ends of the merged line; None if a commit is not a merge.

        They are the youngest commit of both lines, and the tip of the merged one.
        """
        said = git(self.folder, "rev-list", "--parents", "--stdin", "--no-walk", told=f"{commit}\n")
        _, *parents = said.split()
        if len(parents) < 2:
            return None
        own, tip = parents[:2]
        between = git(
            self.folder, "rev-list", "--first-parent", "--stdin", told=f"{tip}\n^{own}\n"
        ).split()
        (_, *before) = git(
            self.folder,
            "rev-list",
            "--parents",
            "--stdin",
            "--no-walk",
            told=f"{between[-1]}\n" if between else f"{tip}\n",
        ).split()
        return (before[0], tip) if between and before else None

    def skipped(self, named: Sequence[str]) -> list[int]:
        """Return the numbers of commits that cannot be checked.

        Args:
            named: Names of commits; ranges, A..B for those after A up to B, as in git; or files
                with a name or a range per line. Text after "#" in a line is ignored. Commits that
                are not between the good and the bad end are ignored, too.

        Raises:
            InvalidValue: There is no such commit, range or file.
        """
        found = set[str]()
        for each in named:
            path = Path(each)
            words = [each]
            if path.is_file():
                lines = path.read_text(errors="replace").splitlines()
                words = [line.split("#")[0].strip() for line in lines]
            for word in filter(None, words):
                if ".." not in word:
                    found.add(commit_named(self.folder, word, "skip"))
                    continue
                try:
                    found |= set(git(self.folder, "rev-list", "--end-of-options", word).split())
                except subprocess.CalledProcessError:
                    rule = f"git knows no such range in {self.folder}"
                    raise InvalidValue("skip", word, rule, "write A..B") from None
        return [n for n, commit in enumerate(self.commits[:-1], 1) if commit in found]

    def described(self, numbers: Sequence[int]) -> list[str]:
        """Return descriptions of commits for people: short name, date, subject."""
        names = [self.at(number) for number in numbers]
        if not names:
            return []
        # Use standard input, since other users of the machine can read the arguments of a process.
        told = "".join(f"{name}\n" for name in dict.fromkeys(names))
        asked = ("rev-list", "--no-walk", "--format=%H %h %cs %s", "--stdin")
        said = git(self.folder, *asked, told=told)
        rows = (row.split(maxsplit=1) for row in said.split("\n"))
        texts = {row[0]: " ".join(row[1].split()) for row in rows if len(row) > 1}
        return [texts.get(name, name) for name in names]


def commit_named(folder: Path, name: str, argument: str = "commit") -> str:
    """Return the full name of a commit.

    Args:
        folder: The repository, or a folder in it.
        name: Any name of the commit in git.
        argument: The name of the argument in errors.

    Raises:
        InvalidValue: There is no such commit.
    """
    try:
        return git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
    except subprocess.CalledProcessError:
        rule = f"git knows no such commit in {folder}"
        raise InvalidValue(argument, name, rule, "name a commit, tag or branch of it") from None


def is_commit(folder: Path, name: str) -> bool:
    """Return True if git knows a commit by a name."""
    try:
        commit_named(folder, name)
    except InvalidValue:
        return False
    return True


def _merge_bases(folder: Path, first: str, second: str) -> list[str]:
    """Return the youngest commits that both contain: the first one if the second contains it."""
    try:
        return git(folder, "merge-base", "--all", first, second).split()
    except subprocess.CalledProcessError:  # they have nothing in common
        return []
