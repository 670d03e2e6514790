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
        extra: A file or folder that is copied into each, and its path there; None: nothing is.
        are_reused: Whether a worktree serves one commit after another, with what was built in it.
    """

    def __init__(
        self,
        folder: Path,
        place: Path,
        *,
        extra: tuple[Path, str] | None = None,
        are_reused: bool = False,
    ) -> None:
        """Nothing is made yet."""
        self.folder, self.place, self.extra = folder, place, extra
        self.are_reused = are_reused
        self._idle = list[Path]()
        self._lock, self._count = Lock(), 0

    @contextmanager
    def tree(self, commit: str) -> Iterator[Path]:
        """A worktree of a commit, as long as the block lasts; whole, if the user's is sparse."""
        with self._lock:  # git's own list of worktrees is one file each, and its locks are brief
            if self._idle:
                path = self._idle.pop()
                git(path, "checkout", "--quiet", "--force", "--detach", commit)
            else:
                path = self._added(commit)
        try:
            if self.extra is not None:
                copy_into(path, *self.extra)
            yield path
        finally:
            with self._lock:
                if self.are_reused and path.is_dir():  # a check may have removed it
                    self._idle.append(path)
                else:
                    self._remove(path)

    def _added(self, commit: str) -> Path:
        self._count += 1
        path = self.place / f"tree-{self._count}"
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        asked = ("worktree", "add", "--quiet", "--detach", str(path), commit)
        git(self.folder, "-c", "core.sparseCheckout=false", *asked)
        return path

    def clean(self) -> int:
        """Remove what an earlier run left behind.

        Returns:
            The number of worktrees that were removed.
        """
        self._idle.clear()
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


def copy_into(folder: Path, source: Path, path: str) -> None:
    """Copy a file, or what a folder holds, to a path in a checkout, over what is there.

    A commit may have a link in the way, which could lead out of the checkout: it is removed.

    Args:
        folder: The checkout.
        source: The file or folder.
        path: Where it goes, relative to the checkout.
    """
    target = folder / path
    for each in (*reversed(target.relative_to(folder).parents[:-1]), target.relative_to(folder)):
        there, is_folder = folder / each, each != Path(path) or source.is_dir()
        if there.is_symlink() or (there.exists() and there.is_dir() is not is_folder):
            there.unlink() if not there.is_dir() or there.is_symlink() else shutil.rmtree(there)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        shutil.copy(source, target)
        return
    target.mkdir(exist_ok=True)
    for each in source.iterdir():
        copy_into(target, each, each.name)


def path_inside(folder: Path, path: Path) -> str:
    """Return where a file goes in a checkout: where it is in the user's own, else at the top.

    Args:
        folder: The repository, or a folder in it.
        path: The file or folder, in the user's checkout or elsewhere.
    """
    try:
        top = Path(git(folder, "rev-parse", "--show-toplevel").removesuffix("\n")).resolve()
    except subprocess.CalledProcessError:  # the repository has no checkout
        return path.name
    inside = path.resolve().relative_to(top) if path.resolve().is_relative_to(top) else None
    if inside is None or inside.parts[:1] in ((), (".git",)):
        return path.resolve().name
    return inside.as_posix()
