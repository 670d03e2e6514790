"""Worktrees for checks: made, used and removed; the user's own checkout is never touched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from feint.integrations.git.command import git, git_folder


class Trees:
    """The worktrees of one bisection, in a folder of their own.

    Attributes:
        folder: The repository.
        place: Where the worktrees are made.
    """

    def __init__(self, folder: Path, place: Path) -> None:
        """Nothing is made yet."""
        self.folder, self.place = folder, place
        self._lock, self._count = Lock(), 0

    @contextmanager
    def tree(self, commit: str) -> Iterator[Path]:
        """A worktree of a commit, as long as the block lasts; whole, if the user's is sparse."""
        with self._lock:  # git's own list of worktrees is one file each, and its locks are brief
            self._count += 1
            path = self.place / f"tree-{self._count}"
            self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
            asked = ("worktree", "add", "--quiet", "--detach", str(path), commit)
            git(self.folder, "-c", "core.sparseCheckout=false", *asked)
        try:
            yield path
        finally:
            with self._lock:
                self._remove(path)

    def clean(self) -> int:
        """Remove what an earlier run left behind.

        Returns:
            The number of worktrees that were removed.
        """
        left = sorted(self.place.glob("tree-*")) if self.place.is_dir() else []
        for path in left:
            self._remove(path)
        self._forget(self.place)
        shutil.rmtree(self.place, ignore_errors=True)
        return len(left)

    def _remove(self, path: Path) -> None:
        with suppress(subprocess.CalledProcessError):
            git(self.folder, "worktree", "remove", "--force", "--force", str(path))
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)
            self._forget(path)

    def _forget(self, below: Path) -> None:
        """Strike worktrees in a folder off git's list, and no others.

        `git worktree prune` would strike off the user's own that are away for the moment, such as
        those on a disk that is not mounted.
        """
        for entry in (git_folder(self.folder) / "worktrees").glob("*"):
            with suppress(FileNotFoundError):
                place = entry / (entry / "gitdir").read_text().strip()
                if place.resolve().is_relative_to(below.resolve()):
                    shutil.rmtree(entry, ignore_errors=True)
