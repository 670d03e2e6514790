"""What is kept is sealed with AES-256-GCM; the key that opens it is kept apart.

There is one master key, from the environment or a file. Every search has a data key of its own,
which is stored wrapped by the master key: whoever destroys it destroys the search, and a new master
key means wrapping the data keys anew, not the data. What is sealed says where it belongs (search,
table, number): moved to another place, it does not open.

What is *not* protected: which rows there are, how many, and when they were written.
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
    """Seals and opens with one key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        """Take the key.

        Raises:
            InvalidValue: It has not 32 bytes.
            MissingExtra: cryptography is not installed.
        """
        if len(key) != BYTES:
            rule = f"must have {BYTES} bytes"
            raise InvalidValue("key", f"{len(key)} bytes", rule, "let feint draw one")
        self._cipher = _cipher(key)

    def seal(self, data: bytes, *, about: str) -> bytes:
        """Seal: 28 bytes longer than what goes in.

        Args:
            data: What to seal.
            about: Where it belongs, which is checked when it is opened; no secret.
        """
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, data, about.encode())

    def open(self, sealed: bytes, *, about: str) -> bytes:
        """What was sealed.

        Raises:
            WrongKey: It was sealed under another key, for another place, or it was changed.
        """
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], about.encode())
        except (InvalidTag, ValueError):
            rule = "was sealed under another key, or was changed since"
            remedy = f"give the key that it was made with ({VARIABLE}, or its key file)"
            raise WrongKey("journal", about.partition(" ")[0], rule, remedy) from None


def fresh_key() -> bytes:
    """A key that nobody has."""
    return secrets.token_bytes(BYTES)


def read_key(path: Path, *, create: bool = True) -> bytes:
    """Return the master key: from the environment variable FEINT_KEY, else from a file.

    A file that is there is only read. So it may be on a read-only mount, and be a secret that a
    container was given, as `feint.journal.keyfile` says.

    Args:
        path: The file. It is made with a fresh key, for its owner alone, if there is none.
        create: Whether it may be made.

    Returns:
        32 bytes.

    Raises:
        BadState: The file is not its owner's alone, or holds no key, or is not there and may not
            be made.
        InvalidValue: The variable holds no key.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _decoded(given)
    if create and not os.path.lexists(path):
        try:
            return write_key(path, fresh_key())
        except FileExistsError:  # another process was faster
            pass
    return read_key_file(path)


def read_key_file(path: Path) -> bytes:
    """Return the key that a file holds.

    Raises:
        BadState: The file is not its owner's alone, or is not there, or may not be read.
        InvalidValue: It holds no key.
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
    """Write a key to a new file of mode 0600; a folder that is made for it has mode 0700.

    Raises:
        FileExistsError: There is one.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, key_text(key).encode() + b"\n")
    return key


def key_text(key: bytes) -> str:
    """A key as it stands in a file or in the environment."""
    return base64.urlsafe_b64encode(key).decode()


def _decoded(text: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != BYTES:
        rule = f"must be {BYTES} bytes in base64"  # what it was stays out of the message
        remedy = "give the key as feint wrote it"
        raise InvalidValue("key", "something else", rule, remedy)
    return key


def _cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtra("sql", "cryptography") from None
    return AESGCM(key)
