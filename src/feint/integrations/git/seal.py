"""Run a check in public, with its verdict and its log sealed to the owner's public key.

The content of a box names its commit, so that boxes cannot be exchanged, and is padded to one size.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Thread

from feint.exact.stability import renamed_argument
from feint.integrations.git.box import lock, recipient, unlock
from feint.integrations.git.checks import MISSING

SIZE = 1 << 18
"""Bytes inside a box, log included."""
TIMED_OUT = 124  # the exit code of coreutils' timeout

_LENGTH = 4  # bytes of the length of the message
_CLOSING = 5.0  # seconds after the limit, for the rest of the log and closing the box
_LATEST = 0.8  # the share of these seconds for the log


@dataclass(frozen=True)
class CheckResult:
    """The result of a check of a commit, as sealed in a box. Secret.

    Attributes:
        commit: The commit that was checked.
        code: The exit code of the check; negative if a signal ended it.
        log: The end of the check's output.
        once: A random mark, which identifies a box that was read before.
    """

    commit: str
    code: int
    log: str
    once: str = field(default_factory=lambda: secrets.token_hex(8))


@renamed_argument("message", "result", since="0.2")
def seal_result(result: CheckResult, to: str, *, size: int = SIZE) -> bytes:
    """Close a box.

    Args:
        result: The content. A log that is too long loses its beginning.
        to: The owner's public key.
        size: The number of bytes inside.

    Returns:
        The box, whose size depends only on `size`.

    Raises:
        InvalidValue: `to` is not a public key.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    log, data = result.log, b""
    while True:
        data = json.dumps(asdict(result) | {"log": log}).encode()
        over = len(data) + _LENGTH - size
        if over <= 0:
            break
        log = log[max(1, over // 6) :]  # a character takes up to six bytes
    padded = (len(data).to_bytes(_LENGTH, "big") + data).ljust(size, b"\0")
    return lock(padded, to, purpose="verdict")


def open_result(box: bytes, key: Path) -> CheckResult:
    """Open a box.

    Args:
        box: A box from `seal_result`.
        key: The file of the private key.

    Returns:
        The content.

    Raises:
        BadState: It was sealed to another key, or is damaged or not a box.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    padded = unlock(box, key, purpose="verdict")
    length = int.from_bytes(padded[:_LENGTH], "big")
    return CheckResult(**json.loads(padded[_LENGTH : _LENGTH + length]))


def seal_check(
    command: Sequence[str],
    *,
    commit: str,
    to: str,
    limit: float,
    wait: bool = True,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bytes:
    """Run a check without showing its output, its result or how long it takes.

    Args:
        command: The check, with its arguments.
        commit: The commit that is checked.
        to: The owner's public key.
        limit: Seconds after which the check is ended.
        wait: Whether to always wait until five seconds after the limit, because the time of a check
            and the processes that it leaves running reveal something too.
        environment: The variables of the check; None: those of this process.
        clock: Returns the time.
        sleep: Waits for a number of seconds.

    Returns:
        The box.

    Raises:
        InvalidValue: `to` is not a public key; raised before the check is run.
        MissingExtra: cryptography is not installed, or is older than 47; raised before the check
            is run.
    """
    recipient(to)
    until = clock() + limit + _CLOSING
    code, log = _checked(command, limit, SIZE, environment)
    box = seal_result(CheckResult(commit, code, log), to)
    if wait:
        sleep(max(0.0, until - clock()))
    return box


def _checked(
    command: Sequence[str], limit: float, size: int, environment: Mapping[str, str] | None
) -> tuple[int, str]:
    """Return the exit code and the end of the output."""
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return MISSING, f"{command[0]}: {error.strerror}"
    kept = bytearray()
    reader = Thread(target=_read, args=(process, kept, size), daemon=True)
    reader.start()
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        code = TIMED_OUT
    finally:
        _end(process)
    reader.join(_CLOSING * _LATEST)  # a process outside the group may keep the pipe open
    return code, bytes(kept).decode(errors="replace")


def _read(process: subprocess.Popen[bytes], kept: bytearray, size: int) -> None:
    if process.stdout is None:
        return
    with process.stdout as pipe:
        while chunk := os.read(pipe.fileno(), 1 << 16):
            kept += chunk
            del kept[:-size]


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
