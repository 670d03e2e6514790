"""Read a `Prior` from names, points, weights, samples, distributions or files.

Every form is read once into whole-number odds on equal bins of the range (one per value if there
are values). The cost is computed too: the mass outside the range, and the total variation distance
between the distribution as stated and as read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from feint.errors import InvalidValue, WrongType
from feint.exact import Number, bracket, plain, rational, whole
from feint.exact.parsing import parse
from feint.problem.binned import moved
from feint.problem.columns import columns, is_number
from feint.problem.laws import FORMS, LAWS, Range, bell
from feint.problem.prior import MOST_BINS, NAMES, TOLD, Prior
from feint.problem.reading import (
    BINS,
    MORE,
    NEAR,
    Stated,
    outside,
    read_law,
    stated_by,
    values_of,
)

_EXACT = 100_000  # the most bins with which a histogram with uneven edges is kept exactly
_CALL = re.compile(r"\s*([a-z]+)\s*(?:\((.*)\))?\s*", re.IGNORECASE)

_OTHER = (str, bytes, Mapping, Set)  # iterables that are not lists
# the keys of a mapping that state a prior
_FORMS = frozenset({"samples", "points", "name", "weights"})


def read_prior(given: object, over: Range, *, bins: int | None = None) -> Prior:
    """Read a prior in any of its forms.

    Args:
        given: A `Prior`; a string such as "normal(60, 15)"; an object with a `cdf`, such as a
            frozen SciPy distribution; a sequence of weights, one per bin or per value; a mapping
            of values to weights, or with "weights" (and "edges"), "samples", "points" or "name", as
            in a TOML or JSON file; or the path of a file (`read_file`).
        over: The range.
        bins: The number of bins to read a distribution into; None: 1000, or as the form implies.

    Returns:
        The prior on that range.

    Raises:
        InvalidValue: It cannot be read as a distribution on this range; the message says why.
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
        # A SciPy distribution with a pmf and without a pdf is discrete.
        discrete = callable(getattr(given, "pmf", None)) and not hasattr(given, "pdf")
        return read_law(stated_by(cdf, _called(given), discrete=discrete), over, bins=bins)
    if not isinstance(given, bytes) and (isinstance(given, Sequence) or hasattr(given, "tolist")):
        return weighed(_listed(given), over)
    rule = "must be a name, weights, points, samples or an object with a cdf"
    raise InvalidValue("prior", type(given).__name__, rule, "write it as in 'normal(60, 15)'")


def weighed(
    weights: Sequence[Number], over: Range, *, edges: Sequence[Number] | None = None
) -> Prior:
    """Return a prior from weights on equal bins of the range, on values, or between given edges.

    Args:
        weights: One number per bin, from the left.
        over: The range.
        edges: The ends of the bins, one more than there are weights; None: equal bins.

    Returns:
        The prior.

    Raises:
        InvalidValue: A weight or an edge is wrong, or no mass lies inside the range.
    """
    if edges is None:
        return _fitting(Prior(weights), over)
    held, ends = _numbers(weights, "weights"), _numbers(edges, "edges")
    marks = [rational(each, f"edges[{place}]") for place, each in enumerate(ends)]
    if len(marks) != len(held) + 1 or any(b <= a for a, b in pairwise(marks)):
        rule = f"{len(held)} weights need {len(held) + 1} edges that rise"
        raise InvalidValue(
            "edges", f"{len(marks)} of them", rule, "give one edge more than weights"
        )
    return _histogram(Prior(held), marks, over)


def _histogram(read: Prior, marks: list[Fraction], over: Range) -> Prior:
    """Return a prior from weights between edges, exact if equal bins can have these edges."""
    heap = [0, *accumulate(read.weights)]

    def below(place: Fraction) -> Fraction:
        at, _ = bracket(lambda number: marks[number] > place, -1, len(marks))
        if not 0 <= at < read.bins:
            return Fraction(0 if at < 0 else heap[-1])
        share = (place - marks[at]) / (marks[at + 1] - marks[at])
        return heap[at] + read.weights[at] * share

    inside, width = below(over.high) - below(over.low), over.high - over.low
    if not inside:
        raise outside(over)
    own = [mark for mark in marks if over.low < mark < over.high]
    fewest = values_of(over) or _common(((mark - over.low) / width).denominator for mark in own)
    for count in MORE if fewest is None else (fewest,):
        ends = [over.low + width * Fraction(i, count) for i in range(count + 1)]
        masses = [below(end) for end in ends]
        distance = 0.0
        if fewest is None:
            distance = moved(sorted({*ends, *own}), below, masses, over, inside)
        if distance <= NEAR:
            break
    return Prior(
        [b - a for a, b in pairwise(masses)],
        source=f"a histogram of {read.bins} bins",
        outside=float(1 - inside / heap[-1]),
        distance=distance + (read.distance or 0.0),
    )


def _common(parts: Iterable[int]) -> int | None:
    """Return the fewest equal bins with an end at every edge; None: too many to keep."""
    found = 1
    for each in parts:
        found = math.lcm(found, each)
        if found > _EXACT:
            return None
    return found


def sampled(samples: Sequence[Number], over: Range, *, bins: int | None = None) -> Prior:
    """Return a prior from a histogram of samples.

    Args:
        samples: Numbers of the same kind as X*, such as last year's prices.
        over: The range; samples outside it are left out.
        bins: The number of bins. None: about the square root of the number of samples, at most
            1000; one per value if there are whole values.

    Returns:
        The prior. Its distance from the distribution of the samples is unknown.

    Raises:
        InvalidValue: A sample is not a number, or all are outside the range, or all are equal.
    """
    given = _numbers(samples, "samples")
    if not given:
        raise InvalidValue("samples", "none", "there are no samples", "give two or more")
    read = [rational(each, f"samples[{place}]") for place, each in enumerate(given)]
    held = [each for each in read if over.low <= each <= over.high]
    if not held:
        raise outside(over)
    if len(set(held)) == 1:
        rule = "all samples are one value, which hides nothing"
        raise InvalidValue("samples", plain(held[0]), rule, "give samples that differ")
    count = values_of(over) or bins or min(BINS, max(2, math.isqrt(len(held) - 1) + 1))
    counts = [0] * count
    for each in held:
        counts[min(count - 1, int((each - over.low) / (over.high - over.low) * count))] += 1
    ((_, often),) = Counter(held).most_common(1)
    # A repeated sample marks a likely place. A single sample may have come from anywhere near it.
    atom = often / len(held) if often > 1 and over.values is None else 0.0
    return Prior(
        counts,
        source=f"{len(held)} samples in {count} bins",
        outside=1 - len(held) / len(read),
        distance=None,
        atom=atom,
    )


def three_points(points: Sequence[Number], over: Range, *, bins: int | None = None) -> Prior:
    """Return a prior from three points: rarely below 30, probably 60, rarely above 120.

    The density is a bell with its top at the likely value. Each side is a normal curve of its own
    width. The outer points lie two standard deviations away, so that X* lies beyond either about
    one time in 44.

    Args:
        points: X* is rarely below the first, likeliest at the second, and rarely above the third.
        over: The range.
        bins: As in `read_law`.

    Returns:
        The prior.

    Raises:
        InvalidValue: There are not three points, or they do not rise.
    """
    given = _numbers(points, "points")
    if len(given) != 3:
        rule = "there must be three points: hardly below, probably, hardly above"
        raise InvalidValue("points", f"{len(given)} of them", rule, "give three")
    a, b, c = (rational(each, f"points[{place}]") for place, each in enumerate(given))
    if not a < b < c:
        rule = "three points must rise: hardly below, probably, hardly above"
        raise InvalidValue(
            "points", f"{plain(a)}, {plain(b)}, {plain(c)}", rule, "put them in order"
        )
    source = f"points({plain(a)}, {plain(b)}, {plain(c)})"
    return read_law(Stated(lambda at: bell(at, (a, b, c)), source), over, bins=bins)


def named_law(words: str, over: Range, *, bins: int | None = None) -> Prior:
    """Return a prior from the name and parameters of a distribution, such as "normal(60, 15)".

    Args:
        words: normal(mean, sd), uniform or uniform(low, high), beta(a, b) on the range,
            lognormal(s, scale), triangular(low, top, high), exponential(mean),
            points(least, likely, most), peak or ramp.
        over: The range.
        bins: As in `read_law`.

    Returns:
        The prior.

    Raises:
        InvalidValue: There is no such distribution, or its parameters are wrong.
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
    source = f"{name}({', '.join(map(plain, numbers))})"
    return read_law(Stated(lambda at: law.cdf(at, numbers), source), over, bins=bins)


def read_file(path: Path, over: Range, *, bins: int | None = None) -> Prior:
    """Read a prior from a file: CSV, TOML or JSON.

    A CSV has a column of values and one of weights. Each weight belongs to the whole value, or on
    an interval to the bin around the value. Or it has one column with the heading "samples" or
    "weights"; the heading may be missing if there is one weight for each whole value. Columns are
    separated by commas or blanks, or by semicolons or tabs, in which case a comma may be the
    decimal point. TOML and JSON have the mapping that `read_prior` takes.

    Args:
        path: The file.
        over: The range.
        bins: As in `read_prior`.

    Returns:
        The prior; its source names the file.

    Raises:
        InvalidValue: It cannot be read, or its content is not a distribution on this range.
    """
    import tomllib

    try:
        words = path.read_text("utf-8-sig")
        table = path.suffix.lower() not in (".toml", ".json")
        held: Any = None
        if not table:
            held = tomllib.loads(words) if path.suffix.lower() == ".toml" else parse(words)
    except (OSError, RecursionError, ValueError) as error:
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
    except InvalidValue as error:  # the error is about the content of the file
        told = "[" in error.argument or error.argument in TOLD
        rule = f"{error.argument} {error.rule}" if told else error.rule
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
    raise InvalidValue("prior", name, rule, "begin the file with the line samples, or weights")


def _by_value(rows: list[tuple[Fraction, Fraction]], over: Range) -> Prior:
    """Return a prior from weights by value, or on an interval by the bin around the value."""
    rows = sorted(rows)
    places = [value for value, _ in rows]
    if len(set(places)) < len(places):
        raise InvalidValue("prior", "its values", "a value has two weights", "add them up")
    if over.values is not None:
        step = (over.high - over.low) / (values_of(over) or 1)
        at = [(value - over.low) / step - Fraction(1, 2) for value in places]
        wrong = [value for value, k in zip(places, at, strict=True) if k.denominator != 1]
        if wrong:
            rule = f"{plain(wrong[0])} is none of the values {over.words}"
            raise InvalidValue("prior", "its values", rule, "give values that can be")
        Prior([weight for _, weight in rows])  # `weighed` checks them
        found = [Fraction(0)] * over.values
        for k, (_, weight) in zip(at, rows, strict=True):
            if 0 <= k < over.values:
                found[int(k)] = weight
        if not any(found):
            raise outside(over)
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
    """Return a prior unchanged if it has one weight per value."""
    if over.values is not None and not prior.uniform and prior.bins != over.values:
        rule = f"must have one weight for each of the {over.values} values"
        raise InvalidValue("prior", f"{prior.bins} weights", rule, "give one per value")
    return prior


def _checked_bins(bins: Number) -> int:
    return whole(bins, "bins", least=1, most=MOST_BINS)


def _listed(given: Any) -> list[Any]:
    return list(given.tolist() if hasattr(given, "tolist") else given)


def _numbers(given: Any, name: str) -> list[Any]:
    """Return the items of a list. The caller checks each of them.

    Raises:
        WrongType: The argument is not a list, or it contains lists.
    """
    if hasattr(given, "tolist") or (isinstance(given, Iterable) and not isinstance(given, _OTHER)):
        with suppress(TypeError):  # an array without dimensions is not a list
            found = _listed(given)
            if not any(isinstance(each, list | tuple) for each in found):
                return found
    raise WrongType.of(name, given, f"{name} must be a list of numbers", "give such as [10, 20.5]")


def _called(given: object) -> str:
    """Return the notation of a distribution as the caller wrote it, if it has one."""
    kind = getattr(getattr(given, "dist", None), "name", None)
    if isinstance(kind, str):
        numbers = [*getattr(given, "args", ()), *getattr(given, "kwds", {}).values()]
        return f"{kind}({', '.join(map(str, numbers))})"
    return type(given).__name__
