"""Randomness by name: every use of a seed draws from a stream of its own."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def stream(seed: int, *names: int | str) -> np.random.Generator:
    """The stream of randomness with these names.

    Words are told apart by their CRC-32, so that two different ones share a stream with
    probability 2^-32.

    Args:
        seed: Where all randomness comes from.
        names: What it is drawn for: numbers, and words.

    Returns:
        A generator at its beginning.
    """
    return np.random.default_rng(_sequence(seed, names))


def spawned(seed: int, *names: int | str) -> int:
    """A seed for a simulation of its own, where one seed stands behind several.

    Args:
        seed: Where all randomness comes from.
        names: Which simulation: numbers, and words.

    Returns:
        Another seed, of 64 bits.
    """
    return int(_sequence(seed, names).generate_state(1, "u8")[0])


def _sequence(seed: int, names: tuple[int | str, ...]) -> np.random.SeedSequence:
    key = [name if isinstance(name, int) else crc32(name.encode()) for name in names]
    return np.random.SeedSequence(seed, spawn_key=key)
