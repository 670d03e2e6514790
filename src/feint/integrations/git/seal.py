"""A check where everybody watches: its verdict and its log sealed to the owner's public key.

What is inside of a box names its commit, so that boxes cannot be exchanged, and is padded to one
size.
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
TIMED_OUT = 124  # as coreutils' timeout has it

_LENGTH = 4  # bytes that say how long the message is
_CLOSING = 5.0  # seconds after the limit, in which the last of the log comes and the box is closed
_LATEST = 0.8  # the share of them in which the log may come


@dataclass(frozen=True)
class CheckResult:
    """What a check of a commit came to, as it goes into a box. Secret.

    Attributes:
        commit: The commit that was checked.
        code: The exit code of the check; negative where a signal ended it.
        log: The end of what the check printed.
        once: Random: a box that was taken before is known by it.
    """

    commit: str
    code: int
    log: str
    once: str = field(default_factory=lambda: secrets.token_hex(8))


@renamed_argument("message", "result", since="0.2")
def seal_result(result: CheckResult, to: str, *, size: int = SIZE) -> bytes:
    """Close a box.

    Args:
        result: What goes in; of a log that is too long, the end.
        to: The owner's public key.
        size: The number of bytes inside.

    Returns:
        The box: its size follows from `size` alone.

    Raises:
        InvalidValue: This is no public key.
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
        box: What `seal_result` gave.
        key: The file of the private key.

    Returns:
        What is inside.

    Raises:
        BadState: It was sealed to another key, or is damaged, or is none.
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
    """Run a check so that nothing shows: not what it prints, how it ends, or how long it takes.

    Args:
        command: The check, with its arguments.
        commit: The commit that is checked.
        to: The owner's public key.
        limit: Seconds after which the check is ended.
        wait: Whether to wait until five seconds after that in any case: how long a check takes
            tells too, and so does what it leaves running.
        environment: The variables of the check; None: those of this process.
        clock: What tells the time.
        sleep: What waits.

    Returns:
        The box.

    Raises:
        InvalidValue: This is no public key; before the check is run.
        MissingExtra: cryptography is not installed, or is older than 47; before the check
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
    """The exit code and the end of what was printed."""
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
    reader.join(_CLOSING * _LATEST)  # what left its process group may keep the pipe open
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
