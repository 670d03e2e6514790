"""A search kept in a file of its own: one line appended, and on the disk, before anything counts.

The first line is the header with the plan and the key; each further line is one event. A line that
was cut off by a crash was never acknowledged and is dropped, but not before the next one is
written: a file is not touched by being read.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feint.errors import BadState, MissingExtra
from feint.exact import Number
from feint.planning import Plan
from feint.problem import Domain, YesMeans
from feint.search.search import Event, Search

if TYPE_CHECKING:
    from filelock import FileLock

fcntl: Any = None  # where a system has none, filelock keeps a file of its own beside
with suppress(ImportError):
    fcntl = import_module("fcntl")

_TRIES, _PAUSE = 10, 0.03
_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_LOG = logging.getLogger(__name__)


class _File:
    """The open file; whoever opens it second is refused."""

    def __init__(self, path: Path, flags: int) -> None:
        self._path, self._descriptor = path, -1
        self._beside: FileLock | None = None
        self._whole: int | None = None  # where a line that was cut off begins
        self._ending = b""  # what the last line lacks
        if fcntl is None:
            self._beside = _lock_beside(path)
        try:
            self._descriptor = os.open(path, flags | _FLAGS, 0o600)
        except IsADirectoryError:
            raise self._irregular() from None
        try:
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                raise self._irregular()
            self._lock()
        except BadState:
            self.close()
            raise

    @property
    def empty(self) -> bool:
        """Whether nothing was written to it yet."""
        return os.fstat(self._descriptor).st_size == 0

    def read(self) -> list[Any]:
        """Every line; the last is left out when it was cut off, and nothing is changed yet."""
        with open(self._descriptor, "rb", closefd=False) as file:
            held = file.read()
        end = held.rfind(b"\n") + 1
        try:
            lines = [json.loads(line) for line in held[:end].split(b"\n") if line]
        except (ValueError, RecursionError):
            rule = "must be a search as feint saved it, line by line"
            raise BadState("state", self._path, rule, "restore it as it was") from None
        if end < len(held):
            try:
                lines.append(json.loads(held[end:]))
                self._ending = b"\n"
            except (ValueError, RecursionError):
                self._whole = end
        if not lines or not all(isinstance(line, dict) for line in lines):
            rule = "holds no search: it was cut off before anything was asked, or is another file"
            remedy = "name another file, or remove it and begin again"
            raise BadState("state", self._path, rule, remedy)
        return lines

    def say_what_is_dropped(self) -> None:
        """Tell the owner that the last line was cut off."""
        if self._whole is not None:
            said = "%s ends in a line that was cut off: it was never acknowledged, and is dropped"
            _LOG.warning(said, self._path)

    def append(self, line: Event) -> None:
        """Add a line, and return once it is on the disk; if it fails, the file is as before."""
        if self._whole is not None:
            os.ftruncate(self._descriptor, self._whole)
            self._whole = None
        before = os.fstat(self._descriptor).st_size
        data = self._ending + json.dumps(line, separators=(",", ":")).encode() + b"\n"
        try:
            if os.write(self._descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, "could not write all of a line")
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        except BaseException:  # an interrupt too
            os.ftruncate(self._descriptor, before)
            raise
        self._ending = b""

    def remove(self) -> None:
        """Take the file away, for a search that could not begin."""
        self._path.unlink()
        self.close()

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self._beside is not None:
            self._beside.release()

    def __del__(self) -> None:
        self.close()

    def _irregular(self) -> BadState:
        rule = "must be a regular file, no folder or device"
        return BadState("state", self._path, rule, "name another file")

    def _lock(self) -> None:
        for _ in range(_TRIES):  # a child of a process that was just killed may hold it a moment
            try:
                if self._beside is not None:
                    self._beside.acquire(timeout=0)
                else:
                    fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, TimeoutError):
                time.sleep(_PAUSE)
            else:
                return
        rule = "is in use by another process"
        raise BadState("state", self._path, rule, "wait until it ends, or end it")


def _lock_beside(path: Path) -> FileLock:
    """A lock for a system that cannot lock the file itself: an empty file, named after it."""
    try:
        from filelock import FileLock
    except ImportError:
        raise MissingExtra("lock", "filelock") from None
    whole = path.resolve()  # one lock a file, by whatever name it is opened
    # It may be let go by another thread than took it.
    return FileLock(f"{whole}.lock", mode=0o600, thread_local=False)


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
        BadState: The file exists, and there is something in it.
        InvalidValue: As in `Search`.
        MissingExtra: The system cannot lock the file itself, and filelock is not installed.
        OSError: It cannot be written; then there is no file.
    """
    place = Path(path)
    search = Search(plan, seed=seed, yes_means=yes_means, domains=domains)
    header = search.header()
    file = _new(place)
    try:
        file.append(header)
        _sync_folder(place)
    except BaseException:  # an interrupt too
        file.remove()
        raise
    return Search.replayed(header, [], record=file.append)


def _new(place: Path) -> _File:
    """A file to begin in: a new one, or one whose search was killed before it began."""
    try:
        return _File(place, os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        rule = "there is a file of this name"
        taken = BadState("state", place, rule, "resume it, or name another file")
    if place.is_file() and place.stat().st_size:
        raise taken
    file = _File(place, 0)
    if not file.empty:  # another process was faster
        file.close()
        raise taken
    return file


def load(path: str | os.PathLike[str]) -> Search:
    """Resume the search that a file keeps.

    Args:
        path: The file.

    Returns:
        The search where it stood; it is kept in the same file.

    Raises:
        BadState: There is no search in it, or another process has it open.
        MissingExtra: The system cannot lock the file itself, and filelock is not installed.
        ReplayDiffers: The replay would ask something else than was shown.
    """
    place = Path(path)
    try:
        file = _File(place, 0)
    except FileNotFoundError:
        rule = "there is no such file"
        raise BadState("state", place, rule, "name the file of the search to resume") from None
    header, *events = file.read()
    try:
        search = Search.replayed(header, events, record=file.append)
    except BadState as error:
        rule = f"{error.argument} = {error.value}: {error.rule}"
        raise BadState("state", place, rule, error.remedy) from None
    file.say_what_is_dropped()
    return search


def _sync_folder(path: Path) -> None:
    """Make sure that the file's name is on the disk too."""
    if os.name == "posix":
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
