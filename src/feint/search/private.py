"""Open and write files that only their owner may access, safely across crashes.

A file is opened without following links, and then checked by its descriptor, so that no one can
replace it between the check and the opening. It must be a regular file of this user, with a single
name, that others may neither read nor write. It is locked while it is open.

Limits: The superuser reads every file. On systems without owners and modes (Windows) only the
permissions of the folder keep others out, and no file is refused. Access granted by other lists
(NFSv4, SMB) does not show in a mode. A person who may write to the folder can delete or rename a
file, but not read it. On systems that cannot lock files (Windows again) an empty file beside it is
locked instead.
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

fcntl: Any = None  # on systems without it, filelock uses a separate file
with suppress(ImportError):
    fcntl = import_module("fcntl")

MODE = 0o600
_FLAGS = (
    os.O_RDWR
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # refuse a pipe instead of waiting for it
    | getattr(os, "O_NOFOLLOW", 0)
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_TRIES, _PAUSE = 10, 0.03
_LINKS = (errno.ELOOP, errno.EMLINK)  # errors of opening a link without following it


def opened(path: Path, flags: int) -> int:
    """Open a file for reading and writing that no other user can access.

    Args:
        path: The file.
        flags: Additional flags, such as O_CREAT | O_EXCL.

    Returns:
        Its descriptor, which child processes do not inherit.

    Raises:
        BadState: It is not a regular file, or a link, or others may access it, or another user
            owns it. A file created by this call is removed again.
        OSError: The file does not exist, exists with O_EXCL, or cannot be created.
    """
    try:
        descriptor = os.open(path, flags | _FLAGS, MODE)
    except IsADirectoryError:
        raise _irregular(path) from None
    except OSError as error:
        if error.errno in _LINKS:
            rule = "is a link, and its author chose the target"
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
    """Write a new file with mode 0600, completely and synced to disk, or not at all.

    Args:
        path: The file. An existing one is not changed.
        data: Its content.

    Raises:
        FileExistsError: The file exists.
        OSError: The file cannot be written; then none is left.
    """
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(beside, _NEW, MODE)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)  # never overwrites a file
    finally:
        beside.unlink()
    sync_folder(path.parent)


def read_private(path: Path, argument: str) -> bytes:
    """Return the content of a small file that no other user can access.

    Args:
        path: The file.
        argument: Its name in errors.

    Raises:
        BadState: It is a link, or others may access it, or another user owns it.
        OSError: The file does not exist or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS & ~os.O_RDWR)
    except OSError as error:
        if error.errno not in _LINKS:
            raise
        rule = "is a link, and its author chose the target"
        raise BadState(argument, path, rule, "name the file itself") from None
    with open(descriptor, "rb") as file:
        if (why := others(os.fstat(descriptor))) is not None:
            rule = f"must be readable by you only, and {why}"
            raise BadState(argument, path, rule, "chmod 600 it, if nobody else has read it")
        return file.read()


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that the names of its files are on disk, if the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def size(path: Path) -> int:
    """Return the length of a file that no other user can access.

    Raises:
        BadState, OSError: As in `opened`.
    """
    descriptor = opened(path, 0)
    try:
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def others(found: os.stat_result) -> str | None:
    """Describe what other users may do with a file; None if nothing.

    On systems without owners and modes it is None.
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
        rule = f"must be readable by you only, and {why}: it holds the key and the answers"
        remedy = "chmod 600 it if you trust its content; if that is not possible, name another"
        if found.st_uid != os.geteuid():
            remedy = "name another file"
        raise BadState("state", path, rule, remedy)
    if found.st_nlink > 1:
        rule = f"has {found.st_nlink} names (hard links), and must have one: all of them show it"
        raise BadState("state", path, rule, "copy it, and use only the copy")


def _irregular(path: Path) -> BadState:
    rule = "must be a regular file, no folder or device"
    return BadState("state", path, rule, "name another file")


class PrivateFile:
    """An open, locked file that no other user can access. A second opening is refused.

    It stays valid if the process changes its folder, and closes when garbage-collected.
    """

    def __init__(self, path: Path, flags: int, *, beside: bool = True) -> None:
        """Open and lock a file.

        Args:
            path: The file.
            flags: As in `opened`.
            beside: True to allow a separate lock file, if the file itself cannot be locked.

        Raises:
            BadState: As in `opened`, or another process has it open.
            MissingExtra: The system cannot lock files, and filelock is not installed.
            OSError: As in `opened`.
        """
        self._path, self._place, self._descriptor = path, path.absolute(), -1
        # set before anything can fail, because `close` reads it
        self._beside: FileLock | None = None
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
            self.close()  # another process replaced or removed it
        raise self._in_use()

    @property
    def empty(self) -> bool:
        """Return True if nothing was written to it yet."""
        return os.fstat(self._descriptor).st_size == 0

    def read(self) -> bytes:
        """Return its content."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            return file.read()

    def get(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset."""
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        return os.read(self._descriptor, length)

    def put(self, offset: int, data: bytes) -> None:
        """Overwrite bytes, and return once they are on disk; on failure, restore the old ones.

        Raises:
            OSError: The file cannot be written, or was removed.
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
        """Replace this file atomically by a new one; on failure, keep it.

        Raises:
            OSError: The new file cannot be written, or this one was removed.
        """
        self._check_there()
        path = self._place.with_name(self._place.name + ".new")
        try:
            with suppress(FileNotFoundError):
                path.unlink()  # left by a killed process; this process holds the lock
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
        """Delete the file, for a search that could not start."""
        self._place.unlink()
        self.close()

    def close(self) -> None:
        """Unlock and close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self._beside is not None:
            self._beside.release()

    def __del__(self) -> None:
        """Close the file when its search is garbage-collected."""
        self.close()

    def sync_folder(self) -> None:
        """Sync the folder, so that the file's name is on disk too."""
        sync_folder(self._place.parent)

    def _become(self, fresh: PrivateFile) -> None:
        """Replace the open file by the new one of this name, and hold a lock all the time."""
        if fcntl is not None:
            fresh._place.replace(self._place)
            self._descriptor, fresh._descriptor = fresh._descriptor, self._descriptor
            fresh.close()
            return
        fresh.close()
        os.close(self._descriptor)
        try:
            fresh._place.replace(self._place)  # Windows cannot rename open files
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
        """Build the error, with the name of the file as given."""
        return OSError(error.errno, error.strerror, str(self._path))

    def _write(self, offset: int, data: bytes) -> None:
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        while data:
            count = os.write(self._descriptor, data)
            if not count:
                raise OSError(errno.ENOSPC, "could not write all of it")
            data = data[count:]

    def _lock(self) -> None:
        for turn in range(_TRIES):  # a child of a process that was just killed may hold it briefly
            try:
                if self._beside is not None:
                    self._beside.acquire(timeout=0)
                elif fcntl is not None:
                    fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, TimeoutError):
                if turn == 0:  # or an unreachable search of this process still holds it
                    gc.collect()
                time.sleep(_PAUSE)
            else:
                return
        raise self._in_use()

    def _in_use(self) -> BadState:
        rule = "is in use, by another process or by a search of this one"
        return BadState("state", self._path, rule, "wait until it ends, or end it")


def _lock_beside(path: Path) -> FileLock:
    """Lock an empty file named after the file, on a system that cannot lock the file itself."""
    try:
        from filelock import FileLock
    except ImportError:
        raise MissingExtra("lock", "filelock") from None
    whole = path.resolve()  # one lock per file, under all of its names
    # Another thread may release it.
    return FileLock(f"{whole}.lock", mode=MODE, thread_local=False)
