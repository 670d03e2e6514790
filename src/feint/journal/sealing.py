"""Seal stored data with AES-256-GCM, under keys that are kept elsewhere.

There is one master key, from the environment or a file. Every search has its own data key, stored
wrapped by the master key. Destroying a data key destroys its search. A new master key only requires
wrapping the data keys again. Sealed data is bound to its place (search, table, number) and does not
open anywhere else.

The existence, number and time of rows are *not* protected.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from feint.errors import BadState, InvalidValue, MissingExtra, WrongKey
from feint.journal.keyfile import read_secret
from feint.search import write_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

BYTES = 32
VARIABLE = "FEINT_KEY"
_NONCE = 12


class Seal:
    """A key of 32 bytes that seals and opens data."""

    def __init__(self, key: bytes) -> None:
        """Set the key.

        Raises:
            InvalidValue: The key does not have 32 bytes.
            MissingExtra: cryptography is not installed.
        """
        if len(key) != BYTES:
            rule = f"must have {BYTES} bytes"
            raise InvalidValue("key", f"{len(key)} bytes", rule, "let feint draw one")
        self._cipher = _cipher(key)

    def seal(self, data: bytes, *, about: str) -> bytes:
        """Seal data; the output is 28 bytes longer.

        Args:
            data: The data.
            about: The place of the data, which is checked on opening and not secret.
        """
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, data, about.encode())

    def open(self, sealed: bytes, *, about: str) -> bytes:
        """Open sealed data.

        Raises:
            WrongKey: It was sealed under another key or for another place, or it was changed.
        """
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], about.encode())
        except (InvalidTag, ValueError):
            rule = "was sealed under another key, or was changed since"
            remedy = f"give the key that it was made with ({VARIABLE}, or its key file)"
            raise WrongKey("journal", about.partition(" ")[0], rule, remedy) from None


def fresh_key() -> bytes:
    """Generate a key from the operating system's randomness."""
    return secrets.token_bytes(BYTES)


def read_key(path: Path, *, create: bool = True) -> bytes:
    """Return the master key from the environment variable FEINT_KEY, or else from a file.

    An existing file is only read. So it may be on a read-only mount, such as a container's secret;
    see `feint.journal.keyfile`.

    Args:
        path: The file. If missing, it is created with a fresh key and mode 0600.
        create: False to refuse a missing file.

    Returns:
        32 bytes.

    Raises:
        BadState: Others can read the file, it holds no key, or it is missing and must not be
            created.
        InvalidValue: The variable does not hold a key.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _decoded(given)
    if create and not os.path.lexists(path):
        try:
            return write_key(path, fresh_key())
        except FileExistsError:  # another process created it first
            pass
    return read_key_file(path)


def read_key_file(path: Path) -> bytes:
    """Return the key that a file holds.

    Raises:
        BadState: Others can read the file, or it is missing or unreadable.
        InvalidValue: The file does not hold a key.
    """
    try:
        held = read_secret(path)
    except (FileNotFoundError, NotADirectoryError):
        rule = f"there is no key file, and no {VARIABLE} in the environment"
        raise BadState("key", path, rule, "name the file of the key it was made with") from None
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        remedy = "let this user, or root's group if it is in it, read the file"
        raise BadState("key", path, rule, remedy) from None
    return _decoded(held.decode("ascii", "replace"))


def write_key(path: Path, key: bytes) -> bytes:
    """Write a key to a new file of mode 0600; missing folders are created with mode 0700.

    Raises:
        FileExistsError: The file exists.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, key_text(key).encode() + b"\n")
    return key


def key_text(key: bytes) -> str:
    """Return a key as text, as in a file or the environment."""
    return base64.urlsafe_b64encode(key).decode()


def _decoded(text: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != BYTES:
        rule = f"must be {BYTES} bytes in base64"  # the text stays out of the message
        remedy = "give the key as feint wrote it"
        raise InvalidValue("key", "something else", rule, remedy)
    return key


def _cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtra("sql", "cryptography") from None
    return AESGCM(key)
