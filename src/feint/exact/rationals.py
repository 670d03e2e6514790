"""Read rationals from text, and compute floors and ceilings of log2 exactly.

Query counts depend on ⌊log⌋ and ⌈log⌉, so nothing here uses a float logarithm.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

from feint.errors import InvalidValue

Number = int | float | str | Decimal | Fraction
"""A number in any form that `rational` reads."""

_POWER = re.compile(r"\s*(\d+)\s*(?:\^|\*\*)\s*([+-]?\d+)\s*")
_EXPONENT = re.compile(r"[eE]([+-]?[\d_]+)\s*$")
_PRINTED = re.compile(r"-?[0-9]{1,4300}(/[0-9]{1,4300})?")  # Python refuses to print longer numbers
_FORMS = "write it as 3, 0.1, 1/3, 1e-6 or 2^-20"
# Results computed from a few such numbers can still be printed, and take little time.
_DIGITS = 300
_LARGEST = 10**_DIGITS
FLOAT_WIDTH = len("-2.2250738585072014e-308")
"""The most characters of the shortest decimal of a float: 17 digits, a sign, a point, and an
exponent of three digits with its sign."""
FINEST_FLOAT = 1 << 1074
"""The inverse of the smallest float above zero, 2^-1074, of which every float is a multiple."""


class _TooLong(Exception):
    """Raised for a number that would have more than _DIGITS digits."""


def rational(value: Number, name: str) -> Fraction:
    """Return a number as an exact fraction. A float means its shortest decimal: 0.1 is 1/10.

    Args:
        value: An int, Fraction, Decimal, float, or a string such as "1/3", "1e-6", "2^-20".
        name: The argument's name, for the error.

    Returns:
        The number as a Fraction.

    Raises:
        InvalidValue: The value is not a finite number, or its numerator or denominator has more
            than 300 digits.
    """
    if isinstance(value, bool):
        raise InvalidValue(name, value, "must be a number, not a truth value", _FORMS)
    try:
        return _read(value)
    except _TooLong:
        rule = f"as a fraction, may have at most {_DIGITS} digits above and below the line"
        remedy = f"round it; sizes from 10^-{_DIGITS - 1} to 10^{_DIGITS - 1} work"
        raise InvalidValue(name, value, rule, remedy) from None
    except TypeError:
        raise InvalidValue(name, value, "must be a number", _FORMS) from None
    except (ValueError, ZeroDivisionError):
        raise InvalidValue(name, value, "must be a finite number", _FORMS) from None


def _read(value: object) -> Fraction:
    if isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, str | Decimal | Real):
        number = _parse(str(value))
    else:
        raise TypeError
    if abs(number.numerator) >= _LARGEST or number.denominator >= _LARGEST:
        raise _TooLong
    return number


def _parse(text: str) -> Fraction:
    """Parse a string; refuse a number that would be long before computing it."""
    text = text.strip()
    if len(text) > 3 * _DIGITS:
        raise _TooLong
    if not text.isascii():  # Python also accepts digits of other scripts
        raise ValueError
    power, scientific = _POWER.fullmatch(text), _EXPONENT.search(text)
    exponent = power[2] if power else scientific[1] if scientific else "0"
    if abs(int(exponent)) > 4 * _DIGITS:
        raise _TooLong
    if power is None:
        return Fraction(text)
    base = int(power[1])
    if base.bit_length() * abs(int(exponent)) > 4 * 4 * _DIGITS:
        raise _TooLong
    return Fraction(base) ** int(exponent)


def fraction(text: object, name: str) -> Fraction:
    """Read a rational in the form of `str`, such as "1/3".

    It may be longer than `rational` allows. Exponents are refused, so that reading takes no time.

    Args:
        text: The rational, in ASCII digits.
        name: The argument's name, for the error.

    Returns:
        The number as a Fraction.

    Raises:
        InvalidValue: The text is not a rational, or has more digits than Python prints.
    """
    if isinstance(text, str) and _PRINTED.fullmatch(text):
        with suppress(ZeroDivisionError):
            return Fraction(text)
    rule = "must be a rational in digits"
    raise InvalidValue(name, "something else", rule, "write it as 1/3, as str(Fraction) does")


def whole(value: Number, name: str, *, least: int, most: int | None = None) -> int:
    """Read a whole number from `least` to `most`.

    Args:
        value: A number in any form that `rational` reads.
        name: The argument's name, for the error.
        least: The smallest value allowed.
        most: The largest value allowed; None: any.

    Returns:
        The number as an int.

    Raises:
        InvalidValue: The value is not a whole number, or outside these limits.
    """
    limits = f"of at least {least}" if most is None else f"from {least} to {_written(most)}"
    rule = f"must be a whole number {limits}"
    try:
        number = rational(value, name)
    except InvalidValue as error:
        if error.remedy != _FORMS:  # a number, but too long
            raise
        example = max(least, 12 if most is None else min(12, most))
        raise InvalidValue(name, value, rule, f"write it in digits, such as {example}") from None
    nearest = max(least, math.floor(number + Fraction(1, 2)))
    nearest = nearest if most is None else min(nearest, most)
    if number != nearest:
        raise InvalidValue(name, value, rule, f"the nearest that works is {_written(nearest)}")
    return nearest


def _written(number: int) -> str:
    """Return a whole number as text, with large powers of ten and two as powers."""
    digits = str(number)
    if len(digits) > 6 and digits.strip("0") == "1":
        return f"10^{len(digits) - 1}"
    return f"2^{number.bit_length() - 1}" if len(digits) > 6 and not number & number - 1 else digits


def floor_log2(x: Fraction | int) -> int:
    """Return ⌊log₂ x⌋ of a positive rational, exactly at any size."""
    x = Fraction(x)
    if x <= 0:
        raise InvalidValue("x", x, "a logarithm needs a positive number", "give x > 0")
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if _power(guess) <= x else guess - 1


def ceil_log2(x: Fraction | int) -> int:
    """Return ⌈log₂ x⌉ of a positive rational, exactly at any size."""
    floor = floor_log2(x)
    return floor if _power(floor) == x else floor + 1


def floor_log2_root(x: Fraction | int, degree: int) -> int:
    """Return ⌊log₂ x^(1/degree)⌋ exactly, even if the root is irrational."""
    return floor_log2(x) // degree


def log2(x: Fraction | int) -> int | float:
    """Return log₂ x: an int if x is a power of two, else a float with about 15 correct digits.

    This also holds near 1, where the small logarithm is computed from the exact x − 1.
    """
    x = Fraction(x)
    floor = floor_log2(x)
    rest = x / _power(floor)
    if rest == 1:
        return floor
    if floor in (-1, 0):
        return math.log1p(x - 1) / math.log(2)
    return floor + math.log2(rest)


def bracket(
    holds: Callable[[int], bool], low: int, high: int, *, relative: int | None = None
) -> tuple[int, int]:
    """Bracket the threshold of a monotone condition on whole numbers by bisection.

    Args:
        holds: The condition: False below the threshold, True from it on.
        low: A number at which it is False; it is not evaluated.
        high: A number at which it is True; it is not evaluated.
        relative: Stop once the two ends differ by at most high/relative; None: at neighbours.

    Returns:
        The largest number found at which it is False, and the smallest at which it is True.
    """
    while high - low > max(1, high // relative if relative else 1):
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def ceil_root(x: int, degree: int) -> int:
    """Return ⌈x^(1/degree)⌉ for a whole x ≥ 1: the least g with g^degree ≥ x."""
    _, least = bracket(lambda g: g**degree >= x, 0, 1 << (x.bit_length() // degree + 1))
    return least


def root(x: int, degree: int) -> int | float:
    """Return x^(1/degree): an int if it is whole, else a float, which must be below 2^1024."""
    ceiling = ceil_root(x, degree)
    return ceiling if ceiling**degree == x else 2.0 ** (log2(x) / degree)


def ceil_div(a: int | Fraction, b: int | Fraction) -> int:
    """Return ⌈a/b⌉ for rationals, b > 0."""
    return -int(-a // b)


def text(value: Fraction | int | float) -> str:
    """Return a number as text that reads back exactly: "1/3", or a float's shortest digits."""
    return str(value) if isinstance(value, int | Fraction) else repr(float(value))


def text_width(most: Fraction | int, denominator: int) -> int:
    """Return the length of the longest `text` of a rational, by its size and its denominator.

    A rational p/q with |p/q| ≤ most and q ≤ denominator has |p| ≤ most·denominator. Its text has a
    sign, p, a slash and q, so it is longest if both are largest.

    Args:
        most: The largest possible absolute value.
        denominator: The largest possible denominator, or more.
    """
    above = len(f"-{math.floor(most * denominator)}")
    return above if denominator == 1 else above + len(f"/{denominator}")


def plain(value: Fraction | int) -> str:
    """Return a rational as text: a decimal if it ends within nine digits, else "a/b"."""
    scaled = Fraction(value) * 10**9
    if scaled.denominator != 1:
        return str(value)
    digits = f"{abs(int(scaled)):010d}"
    whole_part, rest = digits[:-9], digits[-9:].rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole_part}.{rest}" if rest else f"{sign}{whole_part}"


def chance(probability: Fraction | None) -> str:
    """Return a probability as "1 in 8", "always" or a percentage; "-" for None."""
    if probability is None:
        return "-"
    if probability.numerator == 1 and probability.denominator < 10_000:
        return "always" if probability == 1 else f"1 in {probability.denominator}"
    return f"{100 * float(probability):.3g} %"


def brief(value: float) -> str:
    """Return a float in short form: 0.05, 1/12 or 2^-20 if it equals one, else four digits."""
    digits = f"{value:.4g}"
    if float(digits) == value:
        return digits
    part = Fraction(value).limit_denominator(9999)
    if part.numerator == 1 and float(part) == value:
        return str(part)
    fraction, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if fraction == 0.5 and exponent < 0 else digits


def decimal(value: Fraction | int) -> str | None:
    """Return a rational as an exact decimal of any length; None if the decimal does not end."""
    whole = Fraction(value)
    twos = (whole.denominator & -whole.denominator).bit_length() - 1
    fives, rest = 0, whole.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest > 1:
        return None
    places = max(twos, fives)
    digits = f"{abs(int(whole * 10**places)):0{places + 1}d}"
    sign = "-" if whole < 0 else ""
    split = len(digits) - places
    return f"{sign}{digits[:split]}.{digits[split:]}" if places else f"{sign}{digits}"


def near(value: Fraction | int, unit: Fraction) -> str:
    """Return a decimal within `unit / 1000` of a value; at most nine decimals are kept exactly."""
    ends = (Fraction(value) * 10**9).denominator == 1
    return plain(value) if ends else rounded(value, unit / 1000)


def near_places(unit: Fraction) -> int:
    """Return how many decimals `near` writes at most."""
    return max(9, decimal_places(unit / 1000))


def rounded(value: Fraction | int, unit: Fraction) -> str:
    """Return the shortest decimal within `unit` of a value."""
    places = decimal_places(unit)
    digits = f"{abs(round(value * 10**places)):0{places + 1}d}"
    whole_part, rest = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    sign = "-" if value < 0 and digits.strip("0") else ""
    return f"{sign}{whole_part}.{rest}" if rest else f"{sign}{whole_part}"


def decimal_places(unit: Fraction) -> int:
    """Return the most decimals that `rounded` writes."""
    places = max(0, math.ceil(-0.30103 * floor_log2(unit)))
    while places and unit * 10 ** (places - 1) >= 1:  # one digit less is still close enough
        places -= 1
    return places


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
