"""Randomness by name: every user of a seed draws from a stream of its own."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def stream(seed: int, *names: int | str) -> np.random.Generator:
    """The stream of whoever goes by these names: other names have another, but for a rare chance.

    Args:
        seed: Where all randomness comes from.
        names: Who draws: numbers, and words.

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
        Another seed.
    """
    return int(_sequence(seed, names).generate_state(1, "u8")[0])


def _sequence(seed: int, names: tuple[int | str, ...]) -> np.random.SeedSequence:
    key = [name if isinstance(name, int) else crc32(name.encode()) for name in names]
    return np.random.SeedSequence(seed, spawn_key=key)
