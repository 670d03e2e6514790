"""A search kept in a file of its own: one line appended, and on the disk, before anything counts.

The first line is the header with the plan and the key; each further line is one event. A line that
was cut off by a crash was never acknowledged and is dropped.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from feint.errors import BadState
from feint.exact import Number
from feint.planning import Plan
from feint.problem import Domain, YesMeans
from feint.search.search import Event, Search

try:
    import fcntl
except ImportError:  # no such locks on this system: the owner must not open a file twice
    fcntl = None  # type: ignore[assignment]


_TRIES, _PAUSE = 10, 0.03
_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)


class _File:
    """The open file; whoever opens it second is refused."""

    def __init__(self, path: Path, flags: int) -> None:
        self._path, self._descriptor = path, -1
        self._descriptor = os.open(path, flags | _FLAGS, 0o600)
        try:
            self._lock()
        except BadState:
            self.close()
            raise

    def read(self) -> list[Any]:
        """Every whole line; what follows the last of them is cut off the file."""
        with open(self._descriptor, "rb", closefd=False) as file:
            held = file.read()
        whole = held[: held.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            rule = "must be a search as feint saved it, line by line"
            raise BadState("state", self._path, rule, "restore it as it was") from None
        if not lines or not all(isinstance(line, dict) for line in lines):
            rule = "holds no search: it was cut off before anything was asked, or is another file"
            remedy = "name another file, or remove it and begin again"
            raise BadState("state", self._path, rule, remedy)
        if len(whole) < len(held):
            os.ftruncate(self._descriptor, len(whole))
        return lines

    def append(self, line: Event) -> None:
        """Add a line, and return once it is on the disk; if it fails, the file is as before."""
        before = os.fstat(self._descriptor).st_size
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        try:
            if os.write(self._descriptor, data) < len(data):
                raise OSError(f"could not write all of a line to {self._path}")
            os.fsync(self._descriptor)
        except BaseException:  # an interrupt too
            os.ftruncate(self._descriptor, before)
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()

    def _lock(self) -> None:
        if fcntl is None:
            return
        for _ in range(_TRIES):  # a child of a process that was just killed may hold it a moment
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_PAUSE)
            else:
                return
        rule = "is in use by another process"
        raise BadState("state", self._path, rule, "wait until it ends, or end it")


def create(
    path: str | os.PathLike[str],
    plan: Plan,
    *,
    seed: Number | None = None,
    yes_means: YesMeans = "at least",
    domains: Sequence[Domain] | None = None,
) -> Search:
    """Begin a search that is kept in a new file, which only its owner may read.

    Args:
        path: The file; there must be none.
        plan: As in `Search`.
        seed: As in `Search`.
        yes_means: As in `Search`.
        domains: As in `Search`.

    Returns:
        The search. Its answers are on the disk when `tell` returns, and the queries of a round
        before `ask` does.

    Raises:
        BadState: The file exists.
        InvalidValue: As in `Search`.
    """
    place = Path(path)
    search = Search(plan, seed=seed, yes_means=yes_means, domains=domains)
    header = search.header()
    try:
        file = _File(place, os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        rule = "there is a file of this name"
        raise BadState("state", place, rule, "resume it, or name another file") from None
    file.append(header)
    _sync_folder(place)
    return Search.replayed(header, [], record=file.append)


def load(path: str | os.PathLike[str]) -> Search:
    """Resume the search that a file keeps.

    Args:
        path: The file.

    Returns:
        The search where it stood; it is kept in the same file.

    Raises:
        BadState: There is no search in it, or another process has it open.
        ReplayDiffers: The replay would ask something else than was shown.
    """
    place = Path(path)
    try:
        file = _File(place, 0)
    except FileNotFoundError:
        rule = "there is no such file"
        raise BadState("state", place, rule, "name the file of the search to resume") from None
    header, *events = file.read()
    return Search.replayed(header, events, record=file.append)


def _sync_folder(path: Path) -> None:
    """Make sure that the file's name is on the disk too."""
    if os.name == "posix":
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
