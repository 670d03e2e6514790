"""Provide a small disk for a separate process."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess

APART = ("unshare", "--user", "--map-root-user", "--mount")
"""What a process is run by that may mount a disk in memory."""


def small_disk() -> str:
    """Return a way to make a disk small: in memory, if it can be mounted, else a limit on files."""
    mount = [*APART, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if shutil.which("unshare") and not subprocess.run(mount, check=False).returncode:
        return "tmpfs"
    return "limit"


def make_room(folder: str, way: str, size: int, *, first: bool = False) -> None:
    """Give a folder this many bytes; called within the process that is apart."""
    if way == "tmpfs":
        how = f"size={size}" if first else f"remount,size={size}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", how, "tmpfs", folder], check=True)
    else:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
