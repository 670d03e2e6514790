"""A check where everybody watches: its verdict and its log sealed to the owner's public key.

A sealed box (PyNaCl, X25519 and XSalsa20-Poly1305) that only the owner's private key opens. What is
inside names its commit, so that boxes cannot be exchanged, and is padded to one size.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import time
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from feint.errors import BadState, InvalidValue, MissingExtra
from feint.exact.stability import renamed_argument
from feint.integrations.git.checks import MISSING
from feint.search import read_private, write_private

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


def new_key(path: Path) -> str:
    """Make a key pair.

    Args:
        path: A new file for the private key, which its owner alone may read.

    Returns:
        The public key, to be given to whoever seals.

    Raises:
        BadState: There is such a file.
        MissingExtra: PyNaCl is not installed.
    """
    key = _nacl().PrivateKey.generate()
    try:
        write_private(path, b64encode(bytes(key)) + b"\n")
    except FileExistsError:
        raise BadState("key", path, "there is a file of this name", "name another") from None
    return b64encode(bytes(key.public_key)).decode()


def public_key(path: Path) -> str:
    """The public key that belongs to a private one."""
    return b64encode(bytes(_private_key(path).public_key)).decode()


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
        MissingExtra: PyNaCl is not installed.
    """
    box = _nacl_public(to)
    log, data = result.log, b""
    while True:
        data = json.dumps(asdict(result) | {"log": log}).encode()
        over = len(data) + _LENGTH - size
        if over <= 0:
            break
        log = log[max(1, over // 6) :]  # a character takes up to six bytes
    padded = (len(data).to_bytes(_LENGTH, "big") + data).ljust(size, b"\0")
    return bytes(box.encrypt(padded))


def open_result(box: bytes, key: Path) -> CheckResult:
    """Open a box.

    Args:
        box: What `seal_result` gave.
        key: The file of the private key.

    Returns:
        What is inside.

    Raises:
        BadState: It was sealed to another key, or is damaged, or is none.
        MissingExtra: PyNaCl is not installed.
    """
    mine = _nacl().SealedBox(_private_key(key))
    try:
        padded = mine.decrypt(box)
    except (_crypto_error(), TypeError, ValueError):
        rule = "this key does not open it: it is sealed to another, cut off or changed"
        raise BadState("sealed", f"{len(box)} bytes", rule, "fetch it again") from None
    length = int.from_bytes(padded[:_LENGTH], "big")
    return CheckResult(**json.loads(padded[_LENGTH : _LENGTH + length]))


def seal_check(
    command: Sequence[str],
    *,
    commit: str,
    to: str,
    limit: float,
    wait: bool = True,
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
        clock: What tells the time.
        sleep: What waits.

    Returns:
        The box.

    Raises:
        InvalidValue: This is no public key; before the check is run.
        MissingExtra: PyNaCl is not installed; before the check is run.
    """
    _nacl_public(to)
    until = clock() + limit + _CLOSING
    code, log = _checked(command, limit, SIZE)
    box = seal_result(CheckResult(commit, code, log), to)
    if wait:
        sleep(max(0.0, until - clock()))
    return box


def _checked(command: Sequence[str], limit: float, size: int) -> tuple[int, str]:
    """The exit code and the end of what was printed."""
    try:
        process = subprocess.Popen(
            command,
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


def _private_key(path: Path) -> Any:
    try:
        held = read_private(path, "key")
    except FileNotFoundError:
        raise BadState("key", path, "there is no such file", "make one with --new-key") from None
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        raise BadState("key", path, rule, "name the file that --new-key wrote") from None
    try:
        return _nacl().PrivateKey(b64decode(held.strip(), validate=True))
    except (NotBase64, ValueError, TypeError, UnicodeDecodeError, _crypto_error()):
        rule = "holds no private key"
        raise BadState("key", path, rule, "name the file that --new-key wrote") from None


def _nacl_public(to: str) -> Any:
    try:
        return _nacl().SealedBox(_nacl().PublicKey(b64decode(to, validate=True)))
    except (NotBase64, ValueError, TypeError, _crypto_error()):
        rule = "is no public key"
        raise InvalidValue("to", to, rule, "give what feint seal --new-key printed") from None


def _nacl() -> Any:
    try:
        from nacl import public
    except ImportError:
        raise MissingExtra("seal", "pynacl") from None
    return public


def _crypto_error() -> type[Exception]:
    try:
        from nacl.exceptions import CryptoError
    except ImportError:
        raise MissingExtra("seal", "pynacl") from None
    return CryptoError
