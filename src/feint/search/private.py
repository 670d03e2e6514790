"""Files that are their owner's alone: opened by nobody else, and written so that a crash is safe.

A file is opened first, not through a link, and looked at by its descriptor, so that nobody can put
another in its place between the look and the opening. It must be a regular file of ours, under one
name, which nobody else may read or write. While it is open it is locked.

What is *not* protected: the superuser reads every file. Where a system does not tell owners and
modes (Windows), nothing but the folder's own permissions keeps others out, and no file is refused.
Access that other lists grant (NFSv4, SMB) does not show in a mode. Whoever may write to the folder
can take a file away or give it another name, though not read it. Where a system cannot lock a file
itself (Windows again) an empty file beside it stands for the lock.
"""

from __future__ import annotations

import errno
import gc
import os
import secrets
import stat
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feint.errors import BadState, MissingExtra

if TYPE_CHECKING:
    from filelock import FileLock

fcntl: Any = None  # where a system has none, filelock keeps a file of its own beside
with suppress(ImportError):
    fcntl = import_module("fcntl")

MODE = 0o600
_FLAGS = (
    os.O_RDWR
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe is refused, not waited for
    | getattr(os, "O_NOFOLLOW", 0)
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_TRIES, _PAUSE = 10, 0.03
_LINKS = (errno.ELOOP, errno.EMLINK)  # what opening a link without following it gives


def opened(path: Path, flags: int) -> int:
    """Open a file to read and write that is ours alone.

    Args:
        path: The file.
        flags: Beside those of every such file, such as O_CREAT | O_EXCL.

    Returns:
        Its descriptor, which programs that are run do not inherit.

    Raises:
        BadState: It is no regular file, or a link, or others may read or write it, or it is not
            ours; a file that was made for this is taken away again.
        OSError: There is none, or there is one where there must be none, or it cannot be made.
    """
    try:
        descriptor = os.open(path, flags | _FLAGS, MODE)
    except IsADirectoryError:
        raise _irregular(path) from None
    except OSError as error:
        if error.errno in _LINKS:
            rule = "is a link, and whoever made it chose where it leads"
            raise BadState("state", path, rule, "name the file itself") from None
        if isinstance(error, PermissionError) and not flags & os.O_CREAT:
            rule = "you may not read and write it"
            remedy = "name a file of your own, or, if it is yours, chmod 600 it"
            raise BadState("state", path, rule, remedy) from None
        raise
    try:
        _check(path, os.fstat(descriptor))
    except BaseException:  # an interrupt too
        os.close(descriptor)
        if flags & os.O_EXCL:
            path.unlink()
        raise
    return descriptor


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that is its owner's alone: whole and on the disk, or not at all.

    Args:
        path: The file; what is there already stays as it is.
        data: All that it will hold.

    Raises:
        FileExistsError: There is one of this name.
        OSError: It cannot be written; then nothing is left of it.
    """
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(beside, _NEW, MODE)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)  # never over another
    finally:
        beside.unlink()
    sync_folder(path.parent)


def read_private(path: Path, argument: str) -> bytes:
    """All of a small file that nobody else may read or write.

    Args:
        path: The file.
        argument: What an error calls it.

    Raises:
        BadState: It is a link, or others may read or write it, or it is not ours.
        OSError: There is none, or it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS & ~os.O_RDWR)
    except OSError as error:
        if error.errno not in _LINKS:
            raise
        rule = "is a link, and whoever made it chose where it leads"
        raise BadState(argument, path, rule, "name the file itself") from None
    with open(descriptor, "rb") as file:
        if (why := others(os.fstat(descriptor))) is not None:
            rule = f"must be yours alone, and {why}"
            raise BadState(argument, path, rule, "chmod 600 it, if nobody else has read it")
        return file.read()


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on the disk, where the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def size(path: Path) -> int:
    """How long a file is that is ours alone.

    Raises:
        BadState, OSError: As in `opened`.
    """
    descriptor = opened(path, 0)
    try:
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def others(found: os.stat_result) -> str | None:
    """What others than ourselves may do to a file, in words; None where they may do nothing.

    Where a system does not tell owners and modes it is None.
    """
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    mode = stat.S_IMODE(found.st_mode)
    may = [
        word for word, bits in (("read", 0o044), ("write", 0o022), ("run", 0o011)) if mode & bits
    ]
    return f"others may {' and '.join(may)} it" if may else None


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _irregular(path)
    if (why := others(found)) is not None:
        rule = f"must be yours alone, and {why}: it holds the key and the answers"
        remedy = "chmod 600 it if you trust what is in it; if that is not possible, name another"
        if found.st_uid != os.geteuid():
            remedy = "name another file"
        raise BadState("state", path, rule, remedy)
    if found.st_nlink > 1:
        rule = f"has {found.st_nlink} names, and must have one: what is written shows under all"
        raise BadState("state", path, rule, "copy it, and use the copy alone")


def _irregular(path: Path) -> BadState:
    rule = "must be a regular file, no folder or device"
    return BadState("state", path, rule, "name another file")


class PrivateFile:
    """An open file that is ours alone; whoever opens it second is refused.

    It stays the same file wherever the process goes, and closes when it is forgotten.
    """

    def __init__(self, path: Path, flags: int, *, beside: bool = True) -> None:
        """Open and lock it.

        Args:
            path: The file.
            flags: As in `opened`.
            beside: Whether a lock may stand beside it, where it cannot be locked itself.

        Raises:
            BadState: As in `opened`, or another process has it open.
            MissingExtra: The system cannot lock the file itself, and filelock is not installed.
            OSError: As in `opened`.
        """
        self._path, self._place, self._descriptor = path, path.absolute(), -1
        self._beside: FileLock | None = None  # set before anything can fail: `close` looks at it
        if fcntl is None and beside:
            self._beside = _lock_beside(path)
        for _ in range(_TRIES):
            self._descriptor = opened(path, flags)
            try:
                self._lock()
                if not self._removed:
                    return
            except BadState:
                self.close()
                raise
            self.close()  # another process put a new one in its place, or took it away
        raise self._in_use()

    @property
    def empty(self) -> bool:
        """Whether nothing was written to it yet."""
        return os.fstat(self._descriptor).st_size == 0

    def read(self) -> bytes:
        """All that is in it."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            return file.read()

    def get(self, offset: int, length: int) -> bytes:
        """Return what stands at a place."""
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        return os.read(self._descriptor, length)

    def put(self, offset: int, data: bytes) -> None:
        """Write over what is there, and return once it is on the disk; if it fails, as before.

        Raises:
            OSError: It cannot be written, or the file was removed.
        """
        self._check_there()
        before = self.get(offset, len(data))
        try:
            self._write(offset, data)
            os.fsync(self._descriptor)
        except BaseException as error:  # an interrupt too
            with suppress(OSError):
                self._write(offset, before)
            if isinstance(error, OSError):
                raise self._unwritten(error) from None
            raise

    def replace(self, data: bytes) -> None:
        """Put a new file in the place of this one, at once and whole; if it fails, as before.

        Raises:
            OSError: It cannot be written, or this file was removed.
        """
        self._check_there()
        path = self._place.with_name(self._place.name + ".new")
        try:
            with suppress(FileNotFoundError):
                path.unlink()  # of a process that was killed: whoever has the lock is alone here
            fresh = PrivateFile(path, os.O_CREAT | os.O_EXCL, beside=False)
            try:
                fresh.put(0, data)
                self._become(fresh)
            except BaseException:  # an interrupt too
                with suppress(FileNotFoundError):
                    path.unlink()
                raise
            self.sync_folder()
        except OSError as error:
            raise self._unwritten(error) from None

    def remove(self) -> None:
        """Take the file away, for a search that could not begin."""
        self._place.unlink()
        self.close()

    def close(self) -> None:
        """Let others open it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self._beside is not None:
            self._beside.release()

    def __del__(self) -> None:
        """Close it with the search that it keeps."""
        self.close()

    def sync_folder(self) -> None:
        """Make sure that the file's name is on the disk too."""
        sync_folder(self._place.parent)

    def _become(self, fresh: PrivateFile) -> None:
        """Be the fresh file from now on, under this one's name; a lock is held all the time."""
        if fcntl is not None:
            fresh._place.replace(self._place)
            self._descriptor, fresh._descriptor = fresh._descriptor, self._descriptor
            fresh.close()
            return
        fresh.close()
        os.close(self._descriptor)
        try:
            fresh._place.replace(self._place)  # refused by such systems while one of them is open
        finally:
            self._descriptor = opened(self._place, 0)

    @property
    def _removed(self) -> bool:
        return os.fstat(self._descriptor).st_nlink == 0

    def _check_there(self) -> None:
        if self._removed:
            error = OSError(errno.ENOENT, "it was removed since it was opened")
            raise self._unwritten(error)

    def _unwritten(self, error: OSError) -> OSError:
        """The error, about the file by the name that it was given."""
        return OSError(error.errno, error.strerror, str(self._path))

    def _write(self, offset: int, data: bytes) -> None:
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        while data:
            count = os.write(self._descriptor, data)
            if not count:
                raise OSError(errno.ENOSPC, "could not write all of it")
            data = data[count:]

    def _lock(self) -> None:
        for turn in range(_TRIES):  # a child of a process that was just killed may hold it a moment
            try:
                if self._beside is not None:
                    self._beside.acquire(timeout=0)
                elif fcntl is not None:
                    fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, TimeoutError):
                if turn == 0:  # or a search of this process that nobody can reach any more
                    gc.collect()
                time.sleep(_PAUSE)
            else:
                return
        raise self._in_use()

    def _in_use(self) -> BadState:
        rule = "is in use, by another process or by a search of this one"
        return BadState("state", self._path, rule, "wait until it ends, or end it")


def _lock_beside(path: Path) -> FileLock:
    """A lock for a system that cannot lock the file itself: an empty file, named after it."""
    try:
        from filelock import FileLock
    except ImportError:
        raise MissingExtra("lock", "filelock") from None
    whole = path.resolve()  # one lock a file, by whatever name it is opened
    # It may be let go by another thread than took it.
    return FileLock(f"{whole}.lock", mode=MODE, thread_local=False)
