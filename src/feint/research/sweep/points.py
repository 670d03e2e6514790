"""Build and check the points of a sweep: the arguments of its problems by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from feint.errors import InvalidValue, WrongType
from feint.exact import whole
from feint.problem import UNIT, Domain, Problem
from feint.research.sweep.table import ARGUMENTS

Point = Mapping[str, Any]
"""The arguments of one `Problem`, or with a domain of its `problem`, by name."""

_NEEDED = ("epsilon", "delta", "level")
_ALLOWED = (*ARGUMENTS, "winning")
_IN_UNITS = tuple(name for name in _ALLOWED if name != "values")


def grid(axes: Mapping[str, Iterable[Any]]) -> list[Point]:
    """Return every combination of values, the last axis fastest.

    Args:
        axes: The values of each argument of `Problem`, by name. If there are `values` and no
            epsilon, epsilon is 1/values.

    Returns:
        One point per combination.

    Raises:
        WrongType: The axes are not lists of values by name.
        InvalidValue: An argument that `Problem` does not have, or one without values.
    """
    if not isinstance(axes, Mapping):
        rule, remedy = "must be lists of values by name", 'pass {"epsilon": ["2^-20"], …}'
        raise WrongType.of("axes", axes, rule, remedy)
    lists: dict[str, list[Any]] = {}
    for name, values in axes.items():
        if name not in _ALLOWED:
            rule = f"a grid may have {', '.join(_ALLOWED)}"
            raise InvalidValue("axes", name, rule, "pick among them")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise WrongType.of(name, values, "must be a list of values", f"pass [{values!r}]")
        lists[name] = list(values)
        if not lists[name]:
            raise InvalidValue(name, "nothing", "an axis has at least one value", "give one")
    found: list[Point] = [
        dict(zip(lists, values, strict=True)) for values in product(*lists.values())
    ]
    if "values" in axes and "epsilon" not in axes:
        return [
            {"epsilon": Fraction(1, whole(point["values"], "values", least=2)), **point}
            for point in found
        ]
    return found


def points_of(given: object, domain: Domain | None) -> list[Point]:
    """Check that each point has the arguments that a problem needs, and no others.

    Args:
        given: The argument `points` of a sweep.
        domain: The user's units; None: the unit interval.

    Returns:
        One mapping per problem.

    Raises:
        WrongType: The points are not a list of problems or of arguments by name.
        InvalidValue: A point lacks an argument or has an unknown one.
    """
    if isinstance(given, Mapping):
        rule = "must be a list of problems"
        raise WrongType.of("points", dict(given), rule, "pass grid(points), or a list of problems")
    if isinstance(given, str) or not isinstance(given, Iterable):
        remedy = "pass [problem]" if isinstance(given, Problem) else "pass grid({…})"
        raise WrongType.of("points", given, "must be a list of problems", remedy)
    found: list[Point] = []
    for number, point in enumerate(given):
        name = f"points[{number}]"
        if isinstance(point, Problem) and domain is None:
            found.append({name: getattr(point, name) for name in ARGUMENTS})
            continue
        if not isinstance(point, Mapping):
            rule, remedy = "must be the arguments of a problem by name", "make the points by grid"
            if isinstance(point, Problem):
                rule = f"with a domain, {rule}, in its units"
            raise WrongType.of(name, point, rule, remedy)
        _check_point(name, point, domain)
        found.append(point)
    return found


def _check_point(name: str, point: Point, domain: Domain | None) -> None:
    """Refuse a point that lacks an argument or has an unknown one."""
    known = ARGUMENTS if domain is None else _IN_UNITS
    for word in point:
        if word not in known:
            rule = f"a point may have {', '.join(known)}"
            raise InvalidValue(name, word, rule, "leave it out")
    stepped = domain is not None and domain.step is not None
    missing = [word for word in _NEEDED[stepped:] if word not in point]
    if missing:
        rule = f"a point needs {', '.join(_NEEDED[stepped:])}"
        raise InvalidValue(name, f"no {' and no '.join(missing)}", rule, "give what is missing")


def problem_of(point: Point, domain: Domain | None) -> Problem:
    """Return the problem of a point.

    A prior is read in the domain's units; without a domain, on the unit interval or on the values.
    """
    if domain is not None:
        return domain.problem(**point)
    rest = {name: value for name, value in point.items() if name != "prior"}
    problem, stated = Problem(**rest), point.get("prior")
    if stated is None:
        return problem
    units = UNIT if problem.values is None else Domain(0, problem.values - 1, step=1)
    return replace(problem, prior=units.priors(stated, problem.dim))
