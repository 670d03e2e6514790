"""Check the intervals, tolerances and windows of a search in floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from feint.errors import InvalidValue, OutOfRegime
from feint.exact import Number, ceil_root, plain, rational, whole
from feint.problem import Domain

_SCIPYS = Fraction("2e-12")  # the default xtol of SciPy's bracketing methods


def domain_of(bracket: Sequence[Number], name: str) -> Domain:
    """Return an interval from its two ends, given in either order.

    Raises:
        InvalidValue: The argument is not two numbers.
    """
    try:
        one, other = bracket
    except (TypeError, ValueError):
        raise InvalidValue(name, bracket, "must be two numbers", "give (low, high)") from None
    return Domain(*sorted((rational(one, name), rational(other, name))))


def domains_of(bounds: Sequence[Sequence[Number]]) -> list[Domain]:
    """Return one interval per coordinate.

    Raises:
        InvalidValue: There is no interval, or one of them is not two numbers.
    """
    try:
        found = [domain_of(each, f"bounds[{place}]") for place, each in enumerate(bounds)]
    except TypeError:
        found = []
    if not found:
        rule = "must be one interval per coordinate, and not empty"
        raise InvalidValue("bounds", bounds, rule, "give [(low, high)]")
    return found


def check_delta(
    delta: Number, level: Number, domains: Sequence[Domain], secret: Fraction, least: Number = 0
) -> None:
    """Refuse a window that does not fit, in terms of the caller's arguments.

    Args:
        delta: The window as the caller gave it.
        level: L.
        domains: The brackets.
        secret: The hidden window, which is a little wider.
        least: The narrowest window allowed.

    Raises:
        OutOfRegime: The window is too wide to be hidden, or too narrow.
    """
    parts = ceil_root(whole(level, "level", least=1), len(domains))
    most = min(each.width for each in domains) / parts
    if secret > most:
        off = secret - rational(delta, "delta")
        named = "width/level" if len(domains) == 1 else "width/⌈level^(1/dim)⌉"
        moved = f"minus {float(off):.2g} for the rounding of points"
        rule = f"must be at most {named} = {plain(most)} {moved}"
        remedy = "give a smaller level, or xtol"
        if off < most:
            remedy = f"give {plain(_short(most - off, digits=6, up=False))} or less"
        raise OutOfRegime("delta", delta, rule, remedy)
    if parts > 1 and secret < rational(least, "least"):
        rule = "with p it must be at least 8·xtol"
        raise OutOfRegime("delta", delta, rule, "give a greater one, or a smaller xtol")


def _positive(number: Number, name: str) -> Fraction:
    read = rational(number, name)
    if read <= 0:
        raise InvalidValue(name, number, "must be positive", "give a width such as 0.001")
    return read


def tolerance(xtol: Number | None, rtol: Number, domain: Domain) -> Fraction:
    """Return xtol + rtol·|root| for the smallest |root| in the bracket.

    Args:
        xtol: The absolute part; None: SciPy's 2·10^-12, or more if floats in the bracket are
            coarser.
        rtol: The relative part.
        domain: The bracket.

    Raises:
        InvalidValue: xtol is not positive, or rtol is negative.
    """
    relative = rational(rtol, "rtol")
    if relative < 0:
        raise InvalidValue("rtol", rtol, "must not be negative", "leave it out, or give 1e-9")
    nearest = max(domain.low, -domain.high, Fraction(0))
    far = max(abs(float(domain.low)), abs(float(domain.high)))
    finest = _short(8 * Fraction(math.ulp(far)), digits=2)
    absolute = max(_SCIPYS, finest) if xtol is None else _positive(xtol, "xtol")
    return absolute + relative * nearest


def widths(
    xtol: Number, delta: Number, domains: Sequence[Domain], apart: int = 0
) -> tuple[Fraction, Fraction, Fraction]:
    """Return epsilon, delta and the distance of the two points of a difference, all for floats.

    A question at q is asked at the nearest float, or at two points near it. The answer is then
    right for a number that is off by at most half the distance of the points and by the rounding.
    So the search is made more accurate by as much, and hides a window that is longer by as much.

    Args:
        xtol: The largest error.
        delta: The window.
        domains: The brackets.
        apart: Epsilon divided by this is the distance of the two points; 0: there is one point.

    Raises:
        InvalidValue: A width is not positive, or floats are too coarse.
    """
    epsilon, secret = 2 * _positive(xtol, "xtol"), _positive(delta, "delta")
    if epsilon >= max(each.width for each in domains):
        rule = "the middle of the interval is that near without a question"
        raise InvalidValue("xtol", xtol, rule, "give a smaller one")
    end = max(abs(float(end)) for each in domains for end in (each.low, each.high))
    rounding = 2 * Fraction(math.ulp(end))
    beside = epsilon / apart if apart else Fraction(0)
    if 8 * rounding > (beside or epsilon):
        least = 4 * rounding * max(apart, 1)
        rule = f"floats near {end:g} are not fine enough"
        raise InvalidValue("xtol", xtol, rule, f"give {float(_short(least, digits=1)):.1g} or more")
    # Round to short decimals, which makes the plan's points short. Round towards the stricter side.
    off = _short(beside + rounding)
    return epsilon - off, secret + off, beside


def _short(width: Fraction, *, digits: int = 3, up: bool = True) -> Fraction:
    """Round a number up, or down, to a few digits."""
    unit = Fraction(10) ** (math.floor(math.log10(width)) + 1 - digits)
    return (math.ceil(width / unit) if up else math.floor(width / unit)) * unit
