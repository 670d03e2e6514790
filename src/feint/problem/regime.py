"""Check which arguments are allowed, alone and together, and suggest the nearest allowed ones.

The theorems need 2ε ≤ δ ≤ 1/⌈L^(1/d)⌉, and 4ε ≤ δ under noise. Without noise, the Bayesian setting
does not need 2ε ≤ δ, because the staged family keeps its guarantee below it too. Level 1 hides
nothing.
"""

from __future__ import annotations

from fractions import Fraction

from feint.errors import InvalidValue, OutOfRegime
from feint.exact import Number, ceil_root, plain, rational, whole

HALF = Fraction(1, 2)
# If p is closer to 1/2 or to 1 than this, floats cannot distinguish them.
MARGIN = Fraction(1, 10**9)
_SURE = "any value below 1 works, such as 0.999"


def read_level(value: Number) -> int:
    """Read L: a whole number from 1, nothing to hide, to 10^18."""
    return whole(value, "level", least=1, most=10**18)


def read_dim(value: Number) -> int:
    """Read d: a whole number from 1 to 1000."""
    return whole(value, "dim", least=1, most=1000)


def read_width(value: Number, name: str) -> Fraction:
    """Read a width: a number above zero."""
    number = rational(value, name)
    if number <= 0:
        remedy = "any width above zero works, such as 0.001"
        if number < 0:
            remedy = f"drop the sign: {name} = {plain(-number)}"
        raise InvalidValue(name, value, "must be above zero", remedy)
    return number


def read_margin(value: Number) -> Fraction:
    """Read the largest allowed ratio of the true density to the stated one: 1 or more."""
    margin = rational(value, "margin")
    if margin < 1:
        rule = "must be 1 or more: the truth is somewhere at least as dense as stated"
        raise InvalidValue("margin", value, rule, "leave it out, or give such as 1.2")
    return margin


def read_p(value: Number, setting: str) -> Fraction:
    """Read p, the probability that an answer is right: between 1/2 and 1, by 10^-9 at least."""
    p, least, most = rational(value, "p"), HALF + MARGIN, 1 - MARGIN
    rule = "must lie strictly between 1/2 and 1"
    if not 0 <= p <= 1:
        rule, remedy = "must be a probability", _of_hundred(p, "p", "a value such as 0.9 works")
    elif p == 1:
        rule, remedy = f"{rule}: answers that are always right are no noise", "leave p out"
    elif p == 0:
        remedy = "every answer is wrong: negate the answers and leave p out"
    elif p == HALF:
        rule = f"{rule}: such answers carry no information, however many there are"
        remedy = "find answers that are right more often than wrong"
    elif p < HALF:
        flipped = plain(min(max(1 - p, least), most))
        remedy = f"wrong more often than right: negate the answers and give p = {flipped}"
    elif not least <= p <= most:
        rule = f"{rule}, by 10^-9 or more"
        nearest = least if p < least else most
        remedy = f"the nearest that works is p = {plain(nearest)}"
    elif setting == "deterministic":
        rule = "noisy answers are defined in the Bayesian setting only"
        remedy = "leave p out, or give setting = bayesian"
    else:
        return p
    raise InvalidValue("p", value, rule, remedy)


def read_confidence(value: Number | None, p: object) -> Fraction | None:
    """Read 1 − 1/M, the probability of being accurate under noise: from 1/2 to below 1."""
    if value is None:
        return None
    number = rational(value, "confidence")
    if p is None:
        rule = "without noise the search is always accurate"
        raise InvalidValue("confidence", value, rule, "leave confidence out, or give p")
    if not HALF <= number < 1:
        rule = "must lie in [1/2, 1): it is 1 − 1/M with M at least 2"
        remedy = _of_hundred(number, "confidence", _SURE)
        if number < HALF:
            remedy = "the nearest that works is confidence = 0.5"
        raise InvalidValue("confidence", value, rule, remedy)
    return number


def check(
    epsilon: Fraction,
    delta: Fraction,
    level: int,
    *,
    dim: int,
    setting: str,
    noisy: bool,
    values: int | None,
    unit: Fraction = Fraction(1),
    span: str = "1",
) -> None:
    """Check ε < unit, that δ ≤ unit/⌈L^(1/d)⌉, 4ε ≤ δ under noise and 2ε ≤ δ in the worst case.

    Whole values may have δ = ε; at level 1, and in the Bayesian setting without noise, δ may have
    any width.

    Args:
        epsilon: The full width of the accuracy. All widths are in the user's units.
        delta: The full width of the interval that an eavesdropper must hit.
        level: L.
        dim: d.
        setting: "bayesian" or "deterministic".
        noisy: Whether answers may be wrong.
        values: The number of whole values; None on an interval.
        unit: The width of the range.
        span: The name of that width in errors.

    Raises:
        OutOfRegime: An inequality fails; the message names the nearest values that work.
    """
    parts = ceil_root(level, dim)
    factor = 4 if noisy else 2 if setting == "deterministic" else 0
    if values is not None:
        factor = 1
    elif level == 1:
        factor = 0
    least, most = factor * epsilon, unit / parts
    if epsilon >= unit:
        width = span if span == plain(unit) else f"{span} = {plain(unit)}"
        rule = f"must be less than {width}: the middle is that near without a question"
        fine = min(unit / 2, min(delta, most) / factor) if factor else unit / 2
        works = _is(epsilon=fine) if delta <= most else _is(delta=most, epsilon=fine)
        remedy = f"the nearest that works is {works}"
        raise OutOfRegime("epsilon", plain(epsilon), rule, remedy)
    if delta > most:
        name = f"{span}/level" if dim == 1 else f"{span}/⌈level^(1/dim)⌉"
        rule = f"must be at most {name} = {plain(most)}"
        if values is not None:
            most = most // epsilon * epsilon
        near = [_is(delta=most)] if most >= least > 0 or not factor else []
        lower = int(unit / delta) ** dim
        near += [_is(level=lower)] if lower >= 2 and delta >= least else []
        if not near and values is not None:
            near = [_is(delta=epsilon, level=values**dim)]
        elif not near:
            near = [_is(delta=most, epsilon=most / factor)]
    elif delta < least:
        rule = f"must be at least {factor}·epsilon = {plain(least)}"
        near = [_is(delta=least)] if least <= most else []
        near += [_is(epsilon=delta / factor)]
    else:
        return
    remedy = f"the nearest that works is {', or '.join(near)}"
    raise OutOfRegime("delta", plain(delta), rule, remedy)


def check_values(epsilon: Fraction, delta: Fraction, values: int) -> None:
    """Check that ε is one of the equal values of the unit interval and δ a whole number of them.

    Raises:
        OutOfRegime: The widths do not fit the values.
    """
    if epsilon * values != 1:
        rule = f"with values = {values}, epsilon is one value, 1/{values}"
        raise OutOfRegime("epsilon", plain(epsilon), rule, "give that, or leave values out")
    if (delta * values).denominator != 1:
        near = Fraction(max(1, round(delta * values)), values)
        rule = f"with values = {values}, must be a whole number of values"
        remedy = f"the nearest that works is delta = {near}"
        raise OutOfRegime("delta", plain(delta), rule, remedy)


def _is(**choice: Fraction | int) -> str:
    return " with ".join(f"{name} = {plain(value)}" for name, value in choice.items())


def _of_hundred(number: Fraction, name: str, otherwise: str) -> str:
    if 50 < number < 100:
        return f"if a percentage was meant, give {name} = {plain(number / 100)}"
    return otherwise
