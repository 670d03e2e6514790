"""Read the file of the master key: your own, or a secret that was mounted into a container.

A file of your own has mode 0600. Containers get secrets in other forms: Kubernetes mounts them
read-only, through two links, as files that root owns, with mode 0440. They are as safe as long as
only root and you could have put another file in their place. So this module accepts

- a file that you or root own and that others may neither read nor write;
- a file that a group may also read, if the group is root's (0), or if root owns the file and the
  group is one of this process: then root gave it to this process (fsGroup of Kubernetes);
- links, if you or root own every link and every folder on the way, and nobody else may change
  these folders.

The file is only opened for reading. There is no lock, and nothing is written beside it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from feint.errors import BadState

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # do not wait for a pipe: it is refused
    | getattr(os, "O_NOFOLLOW", 0)
)
_LINKS = (errno.ELOOP, errno.EMLINK)  # errors of opening a link without following it
_HOPS = 16  # Kubernetes uses two links; a circle of links ends here
_LONGEST = 4096  # bytes; a key has 45


def read_secret(path: Path) -> bytes:
    """Return the content of a key file.

    Args:
        path: The file, or a link to it.

    Returns:
        Its bytes.

    Raises:
        BadState: Somebody else may read or replace it, or it is not a regular file.
        OSError: It does not exist, or this process may not read it.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno not in _LINKS:
            raise
        # Only this user and root can change the path, so this is still the file that was checked.
        descriptor = os.open(_follow(path), _FLAGS)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise BadState("key", path, "must be a regular file", "name another file")
        if (why := _exposure(found)) is not None:
            rule = f"must be readable by you only, and {why}"
            remedy = "chmod 600 it, if nobody else has read it; a mounted secret needs mode 0440"
            raise BadState("key", path, rule, remedy)
        return file.read(_LONGEST)


def _exposure(found: os.stat_result) -> str | None:
    """Return a description of other users who may use the file, or None."""
    if not hasattr(os, "geteuid"):  # Windows reports neither owners nor modes
        return None
    if found.st_uid not in (0, os.geteuid()):
        return "it belongs to another user"
    mode = found.st_mode
    if mode & (stat.S_IROTH | stat.S_IXOTH):
        return "others may read it"
    if mode & (stat.S_IWOTH | stat.S_IWGRP):
        return "others may write it"
    given = found.st_uid == 0 and found.st_gid in {os.getegid(), *os.getgroups()}
    if mode & (stat.S_IRGRP | stat.S_IXGRP) and found.st_gid != 0 and not given:
        return "others may read it, being in its group"
    return None


def _follow(path: Path) -> str:
    """Return the target of a link that only this user and root can change.

    Raises:
        BadState: Somebody else could change the target.
        OSError: The target does not exist.
    """
    here, hops = "/", 0
    pending = path.absolute().as_posix().split("/")[::-1]
    _check_way(path, here, os.lstat(here))
    while pending:
        part = pending.pop()
        if part in ("", "."):
            continue
        if part == "..":
            here = os.path.dirname(here)
            continue
        there = os.path.join(here, part)
        found = os.lstat(there)
        if not stat.S_ISLNK(found.st_mode) and not pending:
            return there
        _check_way(path, there, found)
        if stat.S_ISLNK(found.st_mode):
            hops += 1
            if hops > _HOPS:
                raise OSError(errno.ELOOP, "it leads through too many links")
            target = os.readlink(there)
            here = "/" if target.startswith("/") else here
            pending.extend(target.split("/")[::-1])
        else:
            here = there
    raise BadState("key", path, "leads to a folder", "name a file")


def _check_way(path: Path, step: str, found: os.stat_result) -> None:
    """Check who owns a link or folder on the path, and who may change the folder."""
    who = None
    if found.st_uid not in (0, os.geteuid()):
        who = "belongs to another user"
    # In a sticky folder, such as /tmp, others can add files but not replace ours or root's.
    elif stat.S_ISDIR(found.st_mode) and not found.st_mode & stat.S_ISVTX:
        if found.st_mode & stat.S_IWOTH:
            who = "can be changed by everybody"
        elif found.st_mode & stat.S_IWGRP and found.st_gid != 0:
            who = "can be changed by its group"
    if who is not None:
        rule = f"is a link, and {step}, on its way, {who}"
        raise BadState("key", path, rule, "name the file itself, or chmod and chown that")
