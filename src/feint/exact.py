"""Exact numbers: rationals from what people write, and floors and ceilings of log2.

Query counts hang on ⌊log⌋ and ⌈log⌉, so nothing here goes through a float logarithm.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

from feint.errors import InvalidValue

Number = int | float | str | Decimal | Fraction
"""What a person may write where a number is wanted."""

_POWER = re.compile(r"\s*([+-]?\d+)\s*(?:\^|\*\*)\s*([+-]?\d+)\s*")
_FORMS = 'an int, a Fraction, a Decimal, a float, or a string such as "1/3", "0.1", "1e-6", "2^-20"'
_LARGEST_EXPONENT = 10_000


def rational(value: Number, name: str = "value") -> Fraction:
    """Read a number exactly; a float means its shortest decimal, so 0.1 is 1/10.

    Args:
        value: An int, Fraction, Decimal, float, or a string such as "1/3", "1e-6", "2^-20".
        name: The argument's name, for the error.

    Returns:
        The number as a Fraction.

    Raises:
        InvalidValue: It is no finite number.
    """
    if isinstance(value, bool):
        raise InvalidValue(name, value, "must be a number, not a truth value", f"give {_FORMS}")
    if isinstance(value, Rational):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, Decimal | Real):
        value = str(value)
    if not isinstance(value, str):
        raise InvalidValue(name, value, "must be a number", f"give {_FORMS}")
    try:
        return _parse(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidValue(name, value, "must be a finite number", f"give {_FORMS}") from None


def _parse(text: str) -> Fraction:
    power = _POWER.fullmatch(text)
    if power:
        base, exponent = int(power[1]), int(power[2])
        if abs(exponent) > _LARGEST_EXPONENT:
            raise ValueError(text)
        return Fraction(base) ** exponent
    exponent_part = re.search(r"[eE]([+-]?\d+)\s*$", text)
    if exponent_part and abs(int(exponent_part[1])) > _LARGEST_EXPONENT:
        raise ValueError(text)
    return Fraction(text.strip())


def whole(value: Number, name: str, *, least: int) -> int:
    """Read a whole number no smaller than `least`.

    Args:
        value: Anything `rational` reads.
        name: The argument's name, for the error.
        least: The smallest value allowed.

    Returns:
        The number as an int.

    Raises:
        InvalidValue: It is no whole number, or smaller than `least`.
    """
    number = rational(value, name)
    nearest = max(least, math.floor(number + Fraction(1, 2)))
    if number.denominator != 1 or number < least:
        rule = f"must be a whole number of at least {least}"
        raise InvalidValue(name, value, rule, f"the nearest that works is {nearest}")
    return int(number)


def floor_log2(x: Fraction | int) -> int:
    """⌊log₂ x⌋ for a positive rational, exact at any size."""
    x = Fraction(x)
    if x <= 0:
        raise InvalidValue("x", x, "a logarithm needs a positive number", "give x > 0")
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if _power(guess) <= x else guess - 1


def ceil_log2(x: Fraction | int) -> int:
    """⌈log₂ x⌉ for a positive rational, exact at any size."""
    floor = floor_log2(x)
    return floor if _power(floor) == x else floor + 1


def floor_log2_root(x: Fraction | int, degree: int) -> int:
    """⌊log₂ x^(1/degree)⌋, exactly: the floor of a log of an irrational root."""
    return floor_log2(x) // degree


def log2(x: Fraction | int) -> int | float:
    """log₂ x: an int when x is a power of two, else the nearest float at any size."""
    x = Fraction(x)
    floor = floor_log2(x)
    rest = x / _power(floor)
    return floor if rest == 1 else floor + math.log2(rest)


def ceil_root(x: int, degree: int) -> int:
    """⌈x^(1/degree)⌉ for a whole x ≥ 1: the least g with g^degree ≥ x."""
    low, high = 0, 1 << (x.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle**degree >= x else (middle, high)
    return high


def root(x: int, degree: int) -> int | float:
    """x^(1/degree): an int when it is whole, else a float."""
    ceiling = ceil_root(x, degree)
    return ceiling if ceiling**degree == x else 2.0 ** (log2(x) / degree)


def ceil_div(a: int | Fraction, b: int | Fraction) -> int:
    """⌈a/b⌉ for rationals, b > 0."""
    return -int(-a // b)


def text(value: Fraction | int | float) -> str:
    """A number as people read it back in: rationals as "1/3", floats by their shortest digits."""
    return str(value) if isinstance(value, int | Fraction) else repr(float(value))


def plain(value: Fraction | int) -> str:
    """A rational for people: a decimal when it ends within nine digits, else "a/b"."""
    scaled = Fraction(value) * 10**9
    if scaled.denominator != 1:
        return str(value)
    digits = f"{abs(int(scaled)):010d}"
    whole_part, rest = digits[:-9], digits[-9:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole_part}.{rest}" if rest else f"{sign}{whole_part}"


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
