"""From what people say of a number to a `Prior`: names, points, weights, samples, distributions.

Everything is read once, into whole-number odds on equal bins of the range (one a value, where there
are values). What that costs is computed: the mass outside the range, and the total variation
distance between the law as stated and as read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from feint.errors import InvalidValue
from feint.exact import Number, plain, rational, whole
from feint.problem.binned import Cdf, apart, evaluated, moved
from feint.problem.columns import columns, is_number
from feint.problem.laws import FORMS, LAWS, Range, normal
from feint.problem.prior import MOST_BINS, NAMES, Prior

BINS = 1000
"""Bins of a law that is stated by its distribution, where no number is given."""

_FINER = 16  # points a bin at which a distribution is read, to see what binning costs
_GRAIN = 1 << 32  # odds are rounded to this share of all
_FALLS = 1e-12  # what floats may make a cdf fall by
_EXACT = 100_000  # bins of a histogram, up to which uneven edges are kept exactly
_CALL = re.compile(r"\s*([a-z]+)\s*(?:\((.*)\))?\s*", re.IGNORECASE)

_FORMS = frozenset({"samples", "points", "name", "weights"})  # by which a mapping states a prior


def read_prior(given: object, over: Range, *, bins: int | None = None) -> Prior:
    """Read a belief in any of its forms.

    Args:
        given: A `Prior`; a string such as "normal(60, 15)"; an object with a `cdf`, such as a
            frozen SciPy distribution; a sequence of weights, one a bin or one a value; a mapping
            of values to weights, or with "weights" (and "edges"), "samples", "points" or "name", as
            in a TOML or JSON file; or the path of a file (`read_file`).
        over: The range.
        bins: The number of bins, where a law is read into bins; None: 1000, or as the form says.

    Returns:
        The prior on that range.

    Raises:
        InvalidValue: It is no belief about this range; the message says why.
    """
    bins = None if bins is None else _checked_bins(bins)
    if isinstance(given, Prior):
        return _fitting(given, over)
    if isinstance(given, str):
        return named_law(given, over, bins=bins)
    if isinstance(given, Path):
        return read_file(given, over, bins=bins)
    if isinstance(given, Mapping):
        return _mapped(given, over, bins)
    cdf = getattr(given, "cdf", None)
    if callable(cdf):
        return distribution(cdf, over, bins=bins, source=_called(given))
    if not isinstance(given, bytes) and (isinstance(given, Sequence) or hasattr(given, "tolist")):
        return weighed(_listed(given), over)
    rule = "must be a name, weights, points, samples or an object with a cdf"
    raise InvalidValue("prior", type(given).__name__, rule, "such as 'normal(60, 15)'")


def weighed(
    weights: Sequence[Number], over: Range, *, edges: Sequence[Number] | None = None
) -> Prior:
    """Weights on equal bins of the range, one a value, or between given edges.

    Args:
        weights: One number a bin, from the left.
        over: The range.
        edges: Where the bins begin and end, one more than there are weights; None: equal bins.

    Returns:
        The prior.

    Raises:
        InvalidValue: A weight or an edge is wrong, or nothing lies inside the range.
    """
    if edges is None:
        return _fitting(Prior(weights), over)
    marks = [rational(each, f"edges[{place}]") for place, each in enumerate(edges)]
    if len(marks) != len(weights) + 1 or any(b <= a for a, b in pairwise(marks)):
        rule = f"{len(weights)} weights need {len(weights) + 1} edges that rise"
        raise InvalidValue(
            "edges", f"{len(marks)} of them", rule, "give one edge more than weights"
        )
    read = Prior(weights)  # which checks them
    pairs = list(zip(marks, marks[1:], read.weights, strict=False))

    def below(place: Fraction) -> Fraction:
        held = (w * min(Fraction(1), max(place - a, Fraction(0)) / (b - a)) for a, b, w in pairs)
        return sum(held, Fraction(0))

    inside = [low for low in marks if over.low < low < over.high]
    width = over.high - over.low
    count = over.values or math.lcm(
        1, *(((mark - over.low) / width).denominator for mark in inside)
    )
    exact = count <= _EXACT
    count = count if exact else BINS
    cumulative = [below(over.low + width * Fraction(i, count)) for i in range(count + 1)]
    total, held = Fraction(sum(read.weights)), cumulative[-1] - cumulative[0]
    if not held:
        raise _outside(over)
    distance = 0.0
    if not exact:
        fine = sorted(
            {over.low, over.high, *inside}
            | {over.low + width * Fraction(i, count) for i in range(count + 1)}
        )
        distance = moved(fine, below, cumulative, over, held)
    masses = [b - a for a, b in pairwise(cumulative)]
    source = f"a histogram of {len(weights)} bins"
    return Prior(masses, source=source, outside=float(1 - held / total), distance=distance)


def sampled(samples: Sequence[Number], over: Range, *, bins: int | None = None) -> Prior:
    """A histogram of samples.

    Args:
        samples: Numbers of the kind that is sought, such as last year's prices.
        over: The range; samples outside it are left out.
        bins: The number of bins; None: about the square root of the number of samples, at most
            1000; of whole values one a value.

    Returns:
        The prior. How far it is from the law the samples came from nobody knows.

    Raises:
        InvalidValue: A sample is no number, all are outside the range, or all are one value.
    """
    read = [rational(each, f"samples[{place}]") for place, each in enumerate(samples)]
    held = [each for each in read if over.low <= each <= over.high]
    if not held:
        raise _outside(over)
    if len(set(held)) == 1:
        rule = "all samples are one value, which hides nothing"
        raise InvalidValue("samples", plain(held[0]), rule, "give samples that differ")
    count = _values(over) or bins or min(BINS, max(2, math.isqrt(len(held) - 1) + 1))
    counts = [0] * count
    for each in held:
        counts[min(count - 1, int((each - over.low) / (over.high - over.low) * count))] += 1
    source = f"{len(held)} samples in {count} bins"
    return Prior(counts, source=source, outside=1 - len(held) / len(read), distance=None)


def distribution(
    cdf: Cdf, over: Range, *, bins: int | None = None, source: str = "a distribution"
) -> Prior:
    """A law by its cdf, cut to the range.

    Args:
        cdf: The probability of lying at or below a place, of a float or of an array.
        over: The range.
        bins: The number of bins; None: 1000, or one a value.
        source: What to call it.

    Returns:
        The prior, with the mass that was cut off and the distance that binning costs.

    Raises:
        InvalidValue: The cdf falls, is no number, or has nothing inside the range.
    """
    import numpy as np

    count = _values(over) or bins or BINS
    finer = 1 if over.values is not None else _FINER
    low, high = float(over.low), float(over.high)
    at = np.linspace(low, high, count * finer + 1)
    at[0] = (
        np.nextafter(low, -np.inf) if over.values is None else low
    )  # what lies on the end counts
    chance = evaluated(cdf, at)
    if not np.isfinite(chance).all():
        rule = "its cdf must be a number everywhere on the range"
        raise InvalidValue("prior", source, rule, "check its parameters")
    if (np.diff(chance) < -_FALLS).any() or chance[0] < -_FALLS or chance[-1] > 1 + _FALLS:
        rule = "a cdf must rise from 0 to 1 and never fall"
        raise InvalidValue("prior", source, rule, "give P(X ≤ x), not a density")
    inside = float(chance[-1] - chance[0])
    if inside <= 0:
        raise _outside(over, source)
    parts = np.maximum(np.diff(chance), 0) / inside
    masses = parts.reshape(count, finer).sum(axis=1)
    odds = np.rint(masses * _GRAIN)
    if not odds.any():
        raise _outside(over, source)
    read = np.repeat(odds / odds.sum() / finer, finer)
    distance = apart(parts, read, within=finer > 1)
    distance = 0.0 if distance < count * 1e-9 and len(set(odds.tolist())) == 1 else distance
    weights = [int(each) for each in odds.tolist()]
    return Prior(weights, source=source, outside=max(0.0, 1 - inside), distance=distance)


def three_points(points: Sequence[Number], over: Range, *, bins: int | None = None) -> Prior:
    """A law from three points: hardly below 30, probably 60, hardly above 120.

    A bell with its top at the likely value, each side a normal curve of its own width; the outer
    points lie two standard deviations away, so that about one time in 44 it is beyond either.

    Args:
        points: It is hardly below the first, likeliest at the second, hardly above the third.
        over: The range.
        bins: As in `distribution`.

    Returns:
        The prior.

    Raises:
        InvalidValue: The points are not three, or do not rise.
    """
    if len(points) != 3:
        rule = "points must be three: hardly below, probably, hardly above"
        raise InvalidValue("points", f"{len(points)} of them", rule, "give three")
    a, b, c = (rational(each, "points") for each in points)
    if not a < b < c:
        rule = "three points must rise: hardly below, probably, hardly above"
        raise InvalidValue(
            "points", f"{plain(a)}, {plain(b)}, {plain(c)}", rule, "put them in order"
        )
    top, left, right = float(b), float(b - a) / 2, float(c - b) / 2
    share = left / (left + right)

    def cdf(x: Any) -> Any:
        import numpy as np

        below = 2 * share * normal(np.minimum(x, top), top, left)
        above = (1 - share) * (2 * normal(np.maximum(x, top), top, right) - 1)
        return below + above

    source = f"points({plain(a)}, {plain(b)}, {plain(c)})"
    return distribution(cdf, over, bins=bins, source=source)


def named_law(words: str, over: Range, *, bins: int | None = None) -> Prior:
    """A law by its name and numbers, such as "normal(60, 15)".

    Args:
        words: normal(mean, sd), uniform or uniform(low, high), beta(a, b) on the range,
            lognormal(s, scale), triangular(low, top, high), exponential(mean),
            points(least, likely, most), peak or ramp.
        over: The range.
        bins: As in `distribution`.

    Returns:
        The prior.

    Raises:
        InvalidValue: There is no such law, or its numbers are wrong.
    """
    match = _CALL.fullmatch(words)
    name = match[1].lower() if match else ""
    inner = (match[2] or "").strip() if match else ""
    law = LAWS.get(name)
    try:
        numbers = [rational(each, "prior") for each in inner.split(",")] if inner else []
    except InvalidValue:
        form = "points(least, likely, most)" if name == "points" else law.form if law else ""
        if not form:
            raise
        rule = f"{name} takes {form.removeprefix(name)}: numbers with a comma between them"
        raise InvalidValue("prior", words, rule, "write such as normal(60, 15)") from None
    if name in NAMES and not numbers:
        return _fitting(Prior.named(name, over.values or bins or 64), over)
    if name == "points":
        return three_points(numbers, over, bins=bins)
    if law is None or len(numbers) != law.count:
        forms = ", ".join([*FORMS, "points(least, likely, most)"])
        rule = f"must be one of {forms}, uniform, peak, ramp"
        raise InvalidValue("prior", words, rule, "write such as normal(60, 15)")
    if not law.holds(numbers):
        raise InvalidValue("prior", words, law.rule, f"write {law.form} with such numbers")
    values = [float(each) for each in numbers]
    source = f"{name}({', '.join(map(plain, numbers))})"
    return distribution(lambda x: law.cdf(x, values, over), over, bins=bins, source=source)


def read_file(path: Path, over: Range, *, bins: int | None = None) -> Prior:
    """A prior from a file: CSV, TOML or JSON.

    A CSV has a column of values and one of weights (of whole values each value's weight, of an
    interval the weight of the bin around it), or one column, which the heading "samples" or
    "weights" tells apart; one weight for each of the whole values needs none. Columns are parted by
    commas or blanks, or by semicolons or tabs: then a comma may stand for the decimal point. TOML
    and JSON hold what `read_prior` takes as a mapping.

    Args:
        path: The file.
        over: The range.
        bins: As in `read_prior`.

    Returns:
        The prior; its source names the file.

    Raises:
        InvalidValue: It cannot be read, or what it holds is no belief about this range.
    """
    import json
    import tomllib

    try:
        words = path.read_text("utf-8-sig")
        table = path.suffix.lower() not in (".toml", ".json")
        held: Any = None
        if not table:
            held = tomllib.loads(words) if path.suffix.lower() == ".toml" else json.loads(words)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not such text"
        rule = f"must be a file of weights or samples: CSV, TOML or JSON ({why})"
        raise InvalidValue("prior", path.name, rule, "check its name and form") from None
    try:
        if table:
            return _table(words, path.name, over, bins)
        if isinstance(held, Mapping) and "prior" in held:
            if _FORMS & set(held):
                raise _twice(held)
            held = held["prior"]
        return read_prior(held, over, bins=bins)
    except InvalidValue as error:  # which speaks of what the file holds
        rule = f"{error.argument} {error.rule}" if "[" in error.argument else error.rule
        raise InvalidValue("prior", path.name, rule, error.remedy) from None


def _table(words: str, name: str, over: Range, bins: int | None) -> Prior:
    heading, rows = columns(words, name)
    if len(rows[0]) == 2:
        return _by_value([(rational(a, "value"), rational(b, "weight")) for a, b in rows], over)
    column = [row[0] for row in rows]
    if heading.startswith("sample"):
        return sampled(column, over, bins=bins)
    if heading.startswith("weight") or (not heading and len(column) == over.values):
        return weighed(column, over)
    rule = "one column may be samples or weights: its first line must say which"
    raise InvalidValue("prior", name, rule, "head it samples, or weights")


def _by_value(rows: list[tuple[Fraction, Fraction]], over: Range) -> Prior:
    """Weights by value: of whole values each its own, of an interval that of the bin around it."""
    rows = sorted(rows)
    places = [value for value, _ in rows]
    if len(set(places)) < len(places):
        raise InvalidValue("prior", "its values", "a value has two weights", "add them up")
    if over.values is not None:
        step = (over.high - over.low) / (_values(over) or 1)
        at = [(value - over.low) / step - Fraction(1, 2) for value in places]
        wrong = [value for value, k in zip(places, at, strict=True) if k.denominator != 1]
        if wrong:
            rule = f"{plain(wrong[0])} is none of the values {over.words}"
            raise InvalidValue("prior", "its values", rule, "give values that can be")
        Prior([weight for _, weight in rows])  # which checks them
        found = [Fraction(0)] * over.values
        for k, (_, weight) in zip(at, rows, strict=True):
            if 0 <= k < over.values:
                found[int(k)] = weight
        if not any(found):
            raise _outside(over)
        lost = 1 - sum(found) / sum(weight for _, weight in rows)
        return Prior(found, source=f"{len(rows)} weights by value", outside=float(lost))
    if len(rows) < 2:
        raise InvalidValue("prior", "one value", "a density needs two values or more", "give more")
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    ends = [2 * places[0] - middles[0], *middles, 2 * places[-1] - middles[-1]]
    return weighed([weight for _, weight in rows], over, edges=ends)


def _mapped(given: Mapping[Any, Any], over: Range, bins: int | None) -> Prior:
    if given and all(map(is_number, given)):
        rows = [(rational(a, "value"), rational(b, "weight")) for a, b in given.items()]
        return _by_value(rows, over)
    if len(_FORMS & set(given)) > 1:
        raise _twice(given)
    count = given.get("bins", bins)
    count = None if count is None else _checked_bins(count)
    if "samples" in given:
        return sampled(given["samples"], over, bins=count)
    if "points" in given:
        return three_points(given["points"], over, bins=count)
    if "name" in given:
        return named_law(str(given["name"]), over, bins=count)
    if "weights" in given and "edges" in given:
        return weighed(given["weights"], over, edges=given["edges"])
    if isinstance(given.get("weights"), Mapping):
        return _mapped(given["weights"], over, bins)
    if "weights" in given:
        return _fitting(Prior.from_dict(given), over)
    rule = "must have weights (and edges), samples, three points or a name"
    raise InvalidValue("prior", sorted(map(str, given)), rule, 'such as name = "normal(60, 15)"')


def _twice(given: Mapping[Any, Any]) -> InvalidValue:
    stated = ", ".join(each for each in given if each in _FORMS or each == "prior")
    return InvalidValue("prior", stated, "a prior is stated once", "leave all but one of them out")


def _fitting(prior: Prior, over: Range) -> Prior:
    """A prior as it is, where it has as many weights as there are values."""
    if over.values is not None and not prior.uniform and prior.bins != over.values:
        rule = f"must have one weight for each of the {over.values} values"
        raise InvalidValue("prior", f"{prior.bins} weights", rule, "give as many as there are")
    return prior


def _outside(over: Range, source: str = "all of it") -> InvalidValue:
    rule = f"lies outside the range {over.words}"
    return InvalidValue("prior", source, rule, "widen the range, or check its units")


def _values(over: Range) -> int | None:
    """How many whole values there are; None: an interval."""
    if over.values is not None and over.values > MOST_BINS:
        rule = f"at most {MOST_BINS} whole values have a weight each, and there are {over.values}"
        raise InvalidValue("prior", "given", rule, "leave it out, or take a coarser step")
    return over.values


def _checked_bins(bins: Number) -> int:
    return whole(bins, "bins", least=1, most=MOST_BINS)


def _listed(given: Any) -> list[Any]:
    return list(given.tolist() if hasattr(given, "tolist") else given)


def _called(given: object) -> str:
    """A distribution's name as people wrote it, where it has one."""
    kind = getattr(getattr(given, "dist", None), "name", None)
    if isinstance(kind, str):
        numbers = [*getattr(given, "args", ()), *getattr(given, "kwds", {}).values()]
        return f"{kind}({', '.join(map(str, numbers))})"
    return type(given).__name__
