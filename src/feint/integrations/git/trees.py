"""Create and remove worktrees for checks, without touching the user's checkout."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from feint.integrations.git.command import git, git_folder


class Trees:
    """The worktrees of one bisection, in a separate folder.

    Attributes:
        folder: The repository.
        place: The folder of the worktrees.
        extra: A file or folder that is copied into each, and its path there; None: none.
        are_reused: Whether a worktree serves one commit after another, with its build results.
    """

    def __init__(
        self,
        folder: Path,
        place: Path,
        *,
        extra: tuple[Path, str] | None = None,
        are_reused: bool = False,
    ) -> None:
        """Take the folders without creating a worktree."""
        self.folder, self.place, self.extra = folder, place, extra
        self.are_reused = are_reused
        self._idle = list[Path]()
        self._lock, self._count = Lock(), 0

    @contextmanager
    def tree(self, commit: str) -> Iterator[Path]:
        """Yield a worktree of a commit, which is complete even if the user's is sparse."""
        with self._lock:  # one at a time, since all share the list of worktrees of git
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
                if self.are_reused and path.is_dir():  # the check may have removed it
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
        """Remove the worktrees of an earlier run.

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
        """Remove worktrees in a folder from git's list, and no others.

        `git worktree prune` would also remove the user's own worktrees that are temporarily
        missing, such as those on a disk that is not mounted.
        """
        for entry in (git_folder(self.folder) / "worktrees").glob("*"):
            with suppress(FileNotFoundError):
                place = entry / (entry / "gitdir").read_text().strip()
                if place.resolve().is_relative_to(below.resolve()):
                    shutil.rmtree(entry, ignore_errors=True)


def copy_into(folder: Path, source: Path, path: str) -> None:
    """Copy a file, or the content of a folder, to a path in a checkout, replacing files.

    If the commit has a link in the way, which could lead out of the checkout, it is removed.

    Args:
        folder: The checkout.
        source: The file or folder.
        path: The destination, relative to the checkout.
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
    """Return the path of a file in a checkout: that in the user's checkout, else at the top.

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
