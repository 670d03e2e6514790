"""Derive independent random streams from a seed and names."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def stream(seed: int, *names: int | str) -> np.random.Generator:
    """Return the random stream with these names.

    Words enter by their CRC-32, so two different words share a stream with probability 2^-32.

    Args:
        seed: The seed of all randomness.
        names: Numbers and words that name the use of the stream.

    Returns:
        A new generator at the beginning of the stream.
    """
    return np.random.default_rng(_sequence(seed, names))


def spawned(seed: int, *names: int | str) -> int:
    """Return the seed of one of several simulations that share a seed.

    Args:
        seed: The shared seed.
        names: Numbers and words that name the simulation.

    Returns:
        A seed of 64 bits.
    """
    return int(_sequence(seed, names).generate_state(1, "u8")[0])


def _sequence(seed: int, names: tuple[int | str, ...]) -> np.random.SeedSequence:
    key = [name if isinstance(name, int) else crc32(name.encode()) for name in names]
    return np.random.SeedSequence(seed, spawn_key=key)
