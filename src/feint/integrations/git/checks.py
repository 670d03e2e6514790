"""Check a commit with a command, whose exit code has the meaning of `git bisect run`."""

from __future__ import annotations

import os
import posixpath
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Literal

from feint.errors import InvalidValue
from feint.integrations.git.command import own_environment
from feint.integrations.git.history import History

Verdict = Literal["good", "bad", "skip"]
"""The result of a check of one commit, in the words of `git bisect`."""

Crash = Literal["bad", "skip", "stop"]
"""The verdict of a check that ends by a signal or with 128 and above; git would stop."""

SKIP, ABORT, MISSING = 125, 128, 127


class Stopped(Exception):
    """Raised if a check asks to stop: it ended with 128 or more, or by a signal."""

    def __init__(self, commit: str) -> None:
        """Name the checked commit, but not how the check ended, since others may read this."""
        super().__init__(f"the check of {commit[:12]} asked to stop")
        self.commit = commit


class Missing(Stopped):
    """Raised if a check ended with 127, as shells do if a command is not found."""

    def __init__(self, commit: str) -> None:
        """Name the checked commit and a remedy: 127 is not a verdict."""
        super().__init__(commit)
        self.args = (
            f"the check of {commit[:12]} ended with exit code 127: a command was not found; give"
            " the check with --check FILE, which copies it into every commit",
        )


def verdict_of(code: int, commit: str, *, crash: Crash = "stop") -> Verdict:
    """Return the verdict of an exit code, as `git bisect run` does, except that 127 is an error.

    Otherwise a commit that lacks the check, or a tool that it calls, would count as bad.

    Args:
        code: The exit code; negative if a signal ended the check.
        commit: The checked commit.
        crash: The verdict of a signal, and of 128 and above, by which shells report a signal.

    Returns:
        0: good; 125: skip; 1 to 124 and 126: bad; 128 and above or a signal: `crash`.

    Raises:
        Stopped: The verdict is to stop.
        Missing: The exit code is 127.
    """
    if code == MISSING:
        raise Missing(commit)
    if code < 0 or code >= ABORT:
        if crash == "stop":
            raise Stopped(commit)
        return crash
    if code == SKIP:
        return "skip"
    return "bad" if code else "good"


class Checker:
    """A runner of a command in checked-out commits, several at once, that can end all of them."""

    def __init__(self, command: Sequence[str], *, crash: Crash = "stop") -> None:
        """Take the command and its arguments.

        Args:
            command: The command.
            crash: As in `verdict_of`.

        Raises:
            InvalidValue: The command is empty.
        """
        if not command:
            rule = "there must be a command that checks a commit"
            raise InvalidValue("command", "none", rule, "give it after --, such as -- ./check.sh")
        self._command, self._crash = list(command), crash
        self._running = set[subprocess.Popen[bytes]]()
        self._lock, self._ended = Lock(), False

    def check_found(self, history: History, *, copied: str = "") -> None:
        """Refuse a command that no worktree has, before any worktree is made.

        Args:
            history: The commits. A path that is not absolute is looked for in the bad one.
            copied: The path in each worktree of the file or folder copied into it; empty: none.

        Raises:
            InvalidValue: There is no such command.
        """
        name = posixpath.normpath(self._command[0])
        if "/" in self._command[0] and not posixpath.isabs(name) and not name.startswith("../"):
            found = history.holds(name) or bool(copied and Path(name).is_relative_to(copied))
        else:
            found = shutil.which(self._command[0]) is not None or name.startswith("../")
        if not found:
            rule = "a worktree has no such command, because it has no untracked files"
            raise InvalidValue("command", self._command[0], rule, "copy it with --check")

    def run(self, folder: Path, commit: str) -> Verdict:
        """Check one commit.

        Args:
            folder: The folder with the checked-out commit.
            commit: Its name, which the command finds in $FEINT_COMMIT.

        Returns:
            The verdict. The output of the command is dropped, since it may reveal the verdict.

        Raises:
            Stopped: The command asked to stop, or was ended.
            InvalidValue: There is no such command.
        """
        with self._lock:
            if self._ended:
                raise Stopped(commit)
            process = self._begun(folder, commit)
            self._running.add(process)
        try:
            code = process.wait()
        finally:
            with self._lock:
                self._running.discard(process)
        if self._ended:  # `end` killed it, so it is not a crash
            raise Stopped(commit)
        return verdict_of(code, commit, crash=self._crash)

    def end(self) -> None:
        """End every running command and its child processes, and start no other."""
        with self._lock:
            self._ended = True
            for process in self._running:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def _begun(self, folder: Path, commit: str) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._command,
                cwd=folder,
                env=own_environment() | {"FEINT_COMMIT": commit},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            rule = f"it cannot be run in a worktree ({error.strerror})"
            remedy = "name a command that every commit has, or give its whole path"
            raise InvalidValue("command", self._command[0], rule, remedy) from None
