"""Compute c₁ … c₄, the four rates of a noisy answer in Theorem 5.

All four are 0 at p = 1/2, where answers say nothing, and grow there like (p − 1/2)².
"""

from __future__ import annotations

import math
from fractions import Fraction

from feint.errors import InvalidValue
from feint.exact import Number, log2, rational


def c1(p: Number) -> float:
    """Return c₁ = (1−p) log((1−p)/p) + p log(p/(1−p)), a divergence.

    It limits how fast answers distinguish two numbers: the term L log M of Theorem 5.

    Args:
        p: The probability that an answer is right, strictly between 1/2 and 1.

    Returns:
        The divergence in bits; near p = 1/2 about 8 log e·(p − ½)².

    Raises:
        InvalidValue: p is not strictly between 1/2 and 1.
    """
    right = _read(p)
    return float(2 * right - 1) * float(log2(right / (1 - right)))


def c2(p: Number) -> float:
    """Return c₂ = 1 − h(p), the channel capacity: the most information in one answer.

    Args:
        p: As in `c1`.

    Returns:
        The capacity in bits; near p = 1/2 about 2 log e·(p − ½)².

    Raises:
        InvalidValue: As in `c1`.
    """
    right = _read(p)  # in a form that loses no digits near p = ½
    return (float(log2(4 * right * (1 - right))) + c1(right)) / 2


def c3(p: Number) -> float:
    """Return c₃ = (p−½)² log e: a BZ search on n cells errs with at most n·2^(−c₃·answers).

    Args:
        p: As in `c1`.

    Returns:
        The rate, in bits per answer.

    Raises:
        InvalidValue: As in `c1`.
    """
    return float(_read(p) - Fraction(1, 2)) ** 2 * math.log2(math.e)


def c4(p: Number) -> float:
    """Return c₄ = ½(log 1/2p + log 1/2(1−p)): m votes are outvoted with at most 2^(−c₄·m).

    Args:
        p: As in `c1`.

    Returns:
        The rate, in bits per answer; near p = 1/2 about 2 log e·(p − ½)².

    Raises:
        InvalidValue: As in `c1`.
    """
    right = _read(p)
    return -float(log2(4 * right * (1 - right))) / 2


def _read(p: Number) -> Fraction:
    right = rational(p, "p")
    if not Fraction(1, 2) < right < 1:
        raise InvalidValue("p", p, "must lie strictly between 1/2 and 1", "such as 0.9")
    return right
