"""Worktrees for checks: made, used and removed; the user's own checkout is never touched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from feint.integrations.git.history import git


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
        """A worktree of a commit, as long as the block lasts."""
        with self._lock:  # git's own list of worktrees is one file each, and its locks are brief
            self._count += 1
            path = self.place / f"tree-{self._count}"
            self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
            git(self.folder, "worktree", "add", "--quiet", "--detach", str(path), commit)
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
        git(self.folder, "worktree", "prune")
        shutil.rmtree(self.place, ignore_errors=True)
        return len(left)

    def _remove(self, path: Path) -> None:
        with suppress(subprocess.CalledProcessError):
            git(self.folder, "worktree", "remove", "--force", "--force", str(path))
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)
            git(self.folder, "worktree", "prune")
