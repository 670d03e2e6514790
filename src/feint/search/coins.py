"""Toss the coins of a live search: BLAKE2b derives each side from the key, the round and the toss.

A keyed hash never changes between versions of a library, so a search that is resumed years later
tosses the same coins. Without the key they are indistinguishable from fair ones.
"""

from __future__ import annotations

import math
import secrets
from hashlib import blake2b
from itertools import accumulate

from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import Weights

KEY_BYTES = 32
_COIN, _SEED = b"feint coin", b"feint seed"
_BITS, _FLOAT_BITS = 512, 53


def fresh_key() -> bytes:
    """Generate a key from the operating system's randomness."""
    return secrets.token_bytes(KEY_BYTES)


def seed_key(seed: Number) -> bytes:
    """Derive the key of a repeatable experiment. Anyone who knows the seed knows every coin."""
    digits = str(whole(seed, "seed", least=0)).encode()
    return blake2b(digits, digest_size=KEY_BYTES, person=_SEED).digest()


def check_key(key: object) -> bytes:
    """Return a key after checking its length. The error does not hold the key.

    Raises:
        InvalidValue: The key is not 32 bytes.
    """
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        kind = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
        remedy = "leave it out: a fresh one is drawn for each search"
        raise InvalidValue("key", kind, f"must be {KEY_BYTES} secret bytes", remedy)
    return key


def side(key: bytes, round_: int, toss: int, weights: Weights) -> int:
    """Return the side that a coin falls on.

    Whole weights take the 512-bit digest modulo their sum: against a fair coin, each side's
    probability is off by less than sum/2^512. Float weights take 53 bits of it.

    Args:
        key: The search's key.
        round_: The number of the round.
        toss: The number of the coin within the round.
        weights: [sides] the weight of each side.

    Returns:
        The index of the side; its weight is never zero.
    """
    place = round_.to_bytes(8, "big") + toss.to_bytes(8, "big")
    digest = int.from_bytes(blake2b(place, key=key, person=_COIN).digest(), "big")
    cumulative = list(accumulate(weights.tolist()))
    if weights.dtype.kind == "f":
        share = (digest >> (_BITS - _FLOAT_BITS)) / (1 << _FLOAT_BITS)
        mark = min(share * cumulative[-1], math.nextafter(cumulative[-1], 0))
    else:
        mark = digest % cumulative[-1]
    return next(number for number, top in enumerate(cumulative) if top > mark)
