"""Build finite games on a two-dimensional lattice of points, for several questions and norms.

The paper asks about one coordinate at a time and measures in the sup norm. It remarks that the
Euclidean norm changes little, and conjectures that half-spaces do not help. This module builds all
four combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations
from typing import Literal

from feint.errors import InvalidValue
from feint.exact import Number, rational, whole
from feint.planning.optimal.finite import FiniteGame

Questions = Literal["axis", "half-space"]
"""The questions allowed in the plane: about one coordinate, or about any half-space."""

Norm = Literal["sup", "euclidean"]
"""The norm of a near guess: the larger coordinate, or the Euclidean norm."""

Point = tuple[int, int]


def plane_game(
    rows: int,
    columns: int,
    *,
    queries: int,
    delta: Number,
    epsilon: Number = 0,
    questions: Questions = "axis",
    norm: Norm = "sup",
) -> FiniteGame:
    """Build the game on a lattice of points, one step apart.

    Args:
        rows: The number of rows.
        columns: The number of columns.
        queries: The number of questions.
        delta: The diameter of the eavesdropper's window, a square or a disc, in steps.
        epsilon: The diameter of the learner's final set, in steps. 0: a single point.
        questions: "axis" (is this coordinate at least that?) or "half-space".
        norm: "sup" (windows are squares) or "euclidean" (windows are discs).

    Returns:
        The game.

    Raises:
        InvalidValue: An argument is invalid.
    """
    height = whole(rows, "rows", least=1, most=8)
    width = whole(columns, "columns", least=1, most=8)
    if questions not in ("axis", "half-space"):
        raise InvalidValue("questions", questions, "must be axis or half-space", "pick one")
    if norm not in ("sup", "euclidean"):
        raise InvalidValue("norm", norm, "must be sup or euclidean", "pick one")
    points = [(i, j) for i in range(height) for j in range(width)]
    asked = axis_questions(points) if questions == "axis" else half_space_questions(points)
    return FiniteGame(
        points=len(points),
        questions=asked,
        windows=balls(points, rational(delta, "delta"), norm),
        queries=whole(queries, "queries", least=0),
        goals=balls(points, rational(epsilon, "epsilon"), norm),
        symmetries=_symmetries(points, height, width),
    )


def axis_questions(points: list[Point]) -> tuple[int, ...]:
    """Return every cut between two rows or two columns, as the set of points beyond it."""
    found = {
        _bits(points, {each for each in points if each[axis] >= place})
        for axis in (0, 1)
        for place in range(1, 1 + max(each[axis] for each in points))
    }
    return tuple(sorted(found))


def half_space_questions(points: list[Point]) -> tuple[int, ...]:
    """Return every way to separate the points by a line, as the side without the first point.

    A separating line can be moved until it passes through two of the points. A small turn back then
    puts the points on it, in order, on one side up to some point and on the other side after it.
    """
    everything = (1 << len(points)) - 1
    found: set[int] = set()
    for a, b in combinations(points, 2):
        side = {each: _turn(a, b, each) for each in points}
        left = _bits(points, {each for each in points if side[each] > 0})
        online = sorted(each for each in points if side[each] == 0)
        for count in range(len(online) + 1):
            found.add(left | _bits(points, set(online[:count])))
            found.add(left | _bits(points, set(online[count:])))
    found = {each if not each & 1 else everything ^ each for each in found}
    return tuple(sorted(found - {0}))


def balls(points: list[Point], diameter: Fraction, norm: Norm) -> tuple[int, ...]:
    """Return the largest sets of points that fit into a closed square or disc of this diameter.

    By Helly's theorem a set fits into a disc if any three of its points do, and into a square if
    any two do.
    """
    fits: Callable[[tuple[Point, ...]], bool]
    if norm == "sup":
        size, fits = 2, lambda some: all(_span(some, axis) <= diameter for axis in (0, 1))
    else:
        size, fits = 3, lambda some: _enclosing(some) <= diameter**2
    held: list[list[int]] = []

    def grow(chosen: list[int], after: int) -> None:
        held.append(chosen)
        for new in range(after, len(points)):
            others = (
                (*some, new)
                for count in range(size)
                for some in combinations(chosen, min(count, len(chosen)))
            )
            if all(fits(tuple(points[i] for i in each)) for each in others):
                grow([*chosen, new], new + 1)

    grow([], 0)
    sets = {sum(1 << i for i in each) for each in held if each}
    return tuple(sorted(a for a in sets if not any(a != b and not a & ~b for b in sets)))


def _span(some: tuple[Point, ...], axis: int) -> int:
    places = [each[axis] for each in some]
    return max(places) - min(places)


def _enclosing(some: tuple[Point, ...]) -> Fraction:
    """Return the squared diameter of the smallest disc around at most three points, exactly."""
    widest = max((_square(a, b) for a in some for b in some), default=0)
    if len(set(some)) < 3:
        return Fraction(widest)
    a, b, c = some
    sides = sorted((_square(a, b), _square(b, c), _square(a, c)))
    area = _turn(a, b, c)  # twice the area of the triangle
    if not area or sides[0] + sides[1] <= sides[2]:  # the triangle is not acute
        return Fraction(widest)
    return Fraction(sides[0] * sides[1] * sides[2], area * area)


def _square(a: Point, b: Point) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _turn(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _bits(points: list[Point], inside: set[Point]) -> int:
    return sum(1 << i for i, each in enumerate(points) if each in inside)


def _symmetries(points: list[Point], height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """Return the rotations and reflections that map the lattice to itself."""
    number = {each: i for i, each in enumerate(points)}

    def images() -> Iterator[tuple[int, ...]]:
        for order in permutations((0, 1)):
            for flips in ((0, 0), (0, 1), (1, 0), (1, 1)):
                if order == (0, 1) or height == width:
                    yield tuple(number[_image(each, order, flips)] for each in points)

    def _image(each: Point, order: tuple[int, ...], flips: tuple[int, int]) -> Point:
        i, j = each[order[0]], each[order[1]]
        return (height - 1 - i if flips[0] else i, width - 1 - j if flips[1] else j)

    return tuple(dict.fromkeys(images()))
