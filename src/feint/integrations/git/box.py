"""Seal boxes that only their owner can open: HPKE (RFC 9180) with X25519, and ML-KEM if available.

Keys of earlier versions belong to PyNaCl. Boxes that were sealed to them can still be opened.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from pathlib import Path
from typing import Any

from feint.errors import BadState, InvalidValue, MissingExtra
from feint.search import read_private, write_private

HYBRID, CLASSICAL = "mlkem768-x25519", "x25519"
_NAME = "feint-hpke-1"  # the version of keys and boxes; another suite gets another number
_HEADER = _NAME.encode() + b"\0"
_SEED = 64  # bytes of an ML-KEM private key, which precede those of X25519
_POINT = 32  # bytes of an X25519 key, which are last


def new_key(path: Path, *, kind: str | None = None) -> str:
    """Make a key pair.

    Args:
        path: A new file for the private key, which only its owner may read.
        kind: "mlkem768-x25519" also resists quantum computers, and its public key has 1,600
            characters; that of "x25519" has 70. None: the first, if the installed OpenSSL has it.

    Returns:
        The public key, to give to those who seal.

    Raises:
        BadState: The file exists.
        InvalidValue: There is no such kind, or OpenSSL does not support it.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    x25519 = _primitives("asymmetric.x25519")
    held = x25519.X25519PrivateKey.generate().private_bytes_raw()
    if kind not in (None, HYBRID, CLASSICAL):
        raise InvalidValue("kind", kind, f"must be {HYBRID} or {CLASSICAL}", "name one of them")
    if kind != CLASSICAL:
        seed = _new_seed()
        if seed is None and kind == HYBRID:
            rule = "the installed OpenSSL has no ML-KEM"
            raise InvalidValue("kind", kind, rule, f"update cryptography, or take {CLASSICAL}")
        kind = CLASSICAL if seed is None else HYBRID
        held = (seed or b"") + held
    text = f"{_NAME}:{kind}:{b64encode(held).decode()}\n"
    try:
        write_private(path, text.encode())
    except FileExistsError:
        raise BadState("key", path, "this file exists already", "name another") from None
    return public_key(path)


def public_key(path: Path) -> str:
    """Return the public key that belongs to a private one."""
    kind, key = _private(path)
    if kind == CLASSICAL:
        held = key.public_key().public_bytes_raw()
    elif kind == HYBRID:
        _, seed, point = _parts(path)
        held = _mlkem().from_seed_bytes(seed).public_key().public_bytes_raw()
        held += _point(point).public_key().public_bytes_raw()
    else:
        raise BadState("key", path, _OLD, _RENEW)
    return f"{_NAME}:{kind}:{b64encode(held).decode()}"


_OLD = "is a key of an earlier version, which only opens what was sealed to it"
_RENEW = "make a new one with --new-key"


def lock(data: bytes, to: str, *, purpose: str) -> bytes:
    """Close a box.

    Args:
        data: The content.
        to: The public key of the person who may open it.
        purpose: The purpose of the box, which opens only for the same purpose.

    Returns:
        The box, whose size depends on the size of the data and the kind of the key.

    Raises:
        InvalidValue: `to` is not a public key.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    kind, key = recipient(to)
    box: bytes = _suite(kind).encrypt(data, key, _info(purpose))
    return _HEADER + box


def unlock(box: bytes, key: Path, *, purpose: str) -> bytes:
    """Open a box.

    Args:
        box: A box of `lock`, or of an earlier version that used PyNaCl.
        key: The file of the private key.
        purpose: The purpose of the box.

    Raises:
        BadState: It was sealed to another key or for another purpose, or is damaged or not a box.
        MissingExtra: A package is not installed.
    """
    kind, held = _private(key)
    if not box.startswith(_HEADER) or kind == "":
        return _unlock_old(box, held, kind)
    from cryptography.exceptions import InvalidTag

    try:
        data: bytes = _suite(kind).decrypt(box[len(_HEADER) :], held, _info(purpose))
    except (InvalidTag, ValueError, TypeError):
        raise _closed(box) from None
    return data


def recipient(to: str) -> tuple[str, Any]:
    """Return the kind of a public key, and the key itself.

    Raises:
        InvalidValue: The text is not a public key.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    _primitives("hpke")
    x25519 = _primitives("asymmetric.x25519")
    name, _, rest = to.strip().partition(":")
    kind, _, text = rest.partition(":")
    try:
        held = b64decode(text if rest else name, validate=True)
        if not rest and len(held) == _POINT:
            raise InvalidValue("to", to, _OLD, _RENEW)
        point = x25519.X25519PublicKey.from_public_bytes(held[-_POINT:])
        if name != _NAME or kind not in (HYBRID, CLASSICAL):
            raise ValueError
        if kind == CLASSICAL and len(held) == _POINT:
            return kind, point
        first = _primitives("asymmetric.mlkem").MLKEM768PublicKey
        first = first.from_public_bytes(held[:-_POINT])
        return HYBRID, _primitives("hpke").MLKEM768X25519PublicKey(first, point)
    except InvalidValue:
        raise
    except (NotBase64, ValueError, TypeError):
        rule = "is no public key"
        raise InvalidValue("to", to, rule, "give what feint seal --new-key printed") from None


def _closed(box: bytes) -> BadState:
    rule = "this key does not open it: it is sealed to another, cut off or changed"
    return BadState("sealed", f"{len(box)} bytes", rule, "fetch it again")


def _info(purpose: str) -> bytes:
    return f"{_NAME} {purpose}".encode()


def _suite(kind: str) -> Any:
    hpke = _primitives("hpke")
    kem = hpke.KEM.MLKEM768_X25519 if kind == HYBRID else hpke.KEM.X25519
    return hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305)


def _parts(path: Path) -> tuple[str, bytes, bytes]:
    """Return the kind of a private key, which is empty for PyNaCl, and its two halves."""
    try:
        text = read_private(path, "key").decode().strip()
    except FileNotFoundError:
        raise BadState("key", path, "there is no such file", "make one with --new-key") from None
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        raise BadState("key", path, rule, "name the file that --new-key wrote") from None
    except UnicodeDecodeError:
        raise _no_key(path) from None
    kind, _, coded = text.removeprefix(f"{_NAME}:").rpartition(":")
    try:
        held = b64decode(coded, validate=True)
    except (NotBase64, ValueError):
        raise _no_key(path) from None
    sizes = {HYBRID: _SEED + _POINT, CLASSICAL: _POINT, "": _POINT}
    if sizes.get(kind) != len(held) or text.startswith(_NAME) is (kind == ""):
        raise _no_key(path)
    return kind, held[:-_POINT], held[-_POINT:]


def _no_key(path: Path) -> BadState:
    return BadState("key", path, "holds no private key", "name the file that --new-key wrote")


def _private(path: Path) -> tuple[str, Any]:
    kind, seed, point = _parts(path)
    if kind == HYBRID:
        whole = _primitives("hpke").MLKEM768X25519PrivateKey
        return kind, whole(_mlkem().from_seed_bytes(seed), _point(point))
    return kind, _point(point) if kind == CLASSICAL else point


def _point(held: bytes) -> Any:
    return _primitives("asymmetric.x25519").X25519PrivateKey.from_private_bytes(held)


def _mlkem() -> Any:
    return _primitives("asymmetric.mlkem").MLKEM768PrivateKey


def _new_seed() -> bytes | None:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        seed: bytes = _mlkem().generate().private_bytes_raw()
    except (UnsupportedAlgorithm, MissingExtra):
        return None
    return seed


def _primitives(name: str) -> Any:
    """Import a part of cryptography, which has HPKE since version 47."""
    from importlib import import_module

    try:
        return import_module(f"cryptography.hazmat.primitives.{name}")
    except ImportError:
        raise MissingExtra("seal", "cryptography 47 or newer") from None


def _unlock_old(box: bytes, key: Any, kind: str) -> bytes:
    """Open a box of an earlier version: X25519 and XSalsa20-Poly1305, as in PyNaCl."""
    if kind or box.startswith(_HEADER):
        raise _closed(box)
    try:
        from nacl import exceptions, public
    except ImportError:
        raise MissingExtra("seal-old", "pynacl") from None
    try:
        opened: bytes = public.SealedBox(public.PrivateKey(key)).decrypt(box)
    except (exceptions.CryptoError, TypeError, ValueError):
        raise _closed(box) from None
    return opened
