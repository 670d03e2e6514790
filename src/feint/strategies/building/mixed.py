"""Parts that divide among lower and upper offsets as tables (proofs/hiding.md, claim 8)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Literal, NamedTuple

from feint.problem import Problem
from feint.strategies.building.graph import Graph
from feint.strategies.building.tailed import finder
from feint.strategies.nodes import END, Edge
from feint.strategies.table import Table
from feint.strategies.ways import MOST_DIVISIONS, Way, cheapest_way


def mixed(
    problem: Problem,
    size: int,
    *,
    width: int,
    levels: Sequence[tuple[int, int]] = (),
    kept: int,
    accuracy: int = 1,
    slack: int = 0,
) -> Table:
    """Build parts of one width that need not all go to the same offsets.

    Args:
        problem: What it is meant to solve.
        size: Number of cells of the lattice. The last part may be cut short.
        width: The cells of a part.
        levels: As in `tailed`: how the parts are found that the search begins with.
        kept: How many parts are left in the end.
        accuracy: How many cells the last piece may have.
        slack: How many cells nearer than they are neighbouring parts could lie: width − ⌈D⌉.

    Returns:
        The table.

    Raises:
        InvalidValue: A group has too few parts to be split or kept.
    """
    builder = _Mixed(Graph(), accuracy, slack)
    group = _Group(kept, width, MOST_DIVISIONS, True)
    first = finder(
        builder.graph,
        parts=-(-size // width),
        width=width,
        levels=levels,
        kept=builder.way(group).parts,
        then=builder.hide(group),
    )
    table = builder.graph.table(problem, -(-size // width) * width, first)
    return table if table.size == size else replace(table, size=size)  # the rest is left out


class _Group(NamedTuple):
    """Parts that have gone the same way so far, as `cheapest_way` takes them."""

    kept: int
    cells: int
    divisions: int
    gaps: bool


_DROPPED = _Group(0, 0, 0, False)
"""One part that is dropped: an empty place, in which nothing is asked."""

Run = tuple[int, int, int, int]
"""Neighbouring places, as an entry of `Layout`."""

_Side = tuple[int, int, int]
"""What becomes of neighbours in a circle: how many, the offset, and their cells."""

_Due = Literal["settled", "low", "high", "any"]
"""What a group waits for: nothing; a coin for the side of the own part, which is its first and was
answered low or high; or a coin for a side that nobody knows."""


@dataclass(frozen=True)
class _Mixed:
    """Adds nodes; each method returns the number of one.

    Attributes:
        graph: Where to add them.
        accuracy: As in `mixed`.
        slack: As in `mixed`.
    """

    graph: Graph
    accuracy: int
    slack: int

    def way(self, group: _Group) -> Way:
        """Return what a group does next."""
        kept, cells, divisions, gaps = group
        return cheapest_way(kept, cells, self.accuracy, self.slack, divisions, gaps)

    def hide(self, *groups: _Group) -> int:
        """Ask once in every part of every group that is not done."""
        if all(self._is_done(group) for group in groups):
            return END
        offsets, edges = list[list[int]](), list[list[Edge]]()
        counts = [self._parts(group) for group in groups]
        for number, (group, first) in enumerate(
            zip(groups, accumulate(counts, initial=0), strict=False)
        ):
            for place in range(first, first + counts[number]):
                sides: list[_Due] = ["settled"] if self._is_done(group) else ["low", "high"]
                offsets.append([self._cut(group)] * (len(sides) - 1))
                edges.append([self._answered(groups, number, place, side) for side in sides])
        if len(groups) == 1 and not self.way(groups[0]).cut:
            offsets, edges = offsets[:1], edges[:1]  # all parts go the same way
        return self.graph.ask("hide", offsets, edges)

    def _is_done(self, group: _Group) -> bool:
        return group.cells <= self.accuracy

    def _parts(self, group: _Group) -> int:
        return 1 if group == _DROPPED else self.way(group).parts

    def _cut(self, group: _Group) -> int:
        return self.way(group).cut or group.cells // 2

    def _answered(self, groups: tuple[_Group, ...], number: int, place: int, side: _Due) -> Edge:
        """Lead from an answer in a part of one group to the coins that settle all groups."""
        waiting: list[tuple[_Due, _Group]] = [
            ("settled" if self._is_done(each) else "any", each) for each in groups
        ]
        places = [(0, each.cells) for each in groups]
        own = groups[number]
        if side != "settled" and self.way(own).cut:
            waiting[number] = (side, own)
        elif side != "settled":
            cut = self._cut(own)
            waiting[number], places[number] = (
                self._halved(own)[side == "high"],
                ((0, cut) if side == "low" else (cut, own.cells - cut)),
            )
        if len(groups) == 1 and not self.way(own).cut:
            return self.graph.move(self.graph.once(self._settle, *waiting), *places[0])
        layout, first = list[Run](), 0
        for each, (group, (at, most)) in enumerate(zip(groups, places, strict=True)):
            many = self._parts(group)
            # The own part comes first in a group that divides, so that one coin does for all.
            turn = place - first if each == number and waiting[each][0] in ("low", "high") else 0
            layout += _arc(first, many, turn, (many, at, most))
            first += many
        return self.graph.rearrange(self.graph.once(self._settle, *waiting), layout)

    def _halved(self, group: _Group) -> list[tuple[_Due, _Group]]:
        """Return both halves of a group that goes the same way."""
        half = group.cells // 2
        sizes = (half, group.cells - half)
        return [("settled", group._replace(cells=size, gaps=False)) for size in sizes]

    def _settle(self, *waiting: tuple[_Due, _Group]) -> int:
        """Toss a coin for the first group that waits for one."""
        due = [number for number, (what, _) in enumerate(waiting) if what != "settled"]
        if not due:
            return self.graph.once(self.hide, *(group for _, group in waiting))
        number = due[0]
        what, group = waiting[number]
        counts = [self._parts(each) for _, each in waiting]
        before = sum(counts[:number])
        weights, edges = list[int](), list[Edge]()
        starts = accumulate(counts, initial=0)
        placed = [
            (first, many, 0, each.cells)
            for first, many, (_, each) in zip(starts, counts, waiting, strict=False)
        ]
        for weight, turn, sizes, after in self._sides(group, what):
            settled = (*waiting[:number], *(("settled", each) for each in after))
            node = self.graph.once(self._settle, *settled, *waiting[number + 1 :])
            layout, place = placed[:number], turn
            for side in sizes:
                layout += _arc(before, counts[number], place, side)
                place += side[0]
            weights.append(weight)
            edges.append(self.graph.rearrange(node, layout + placed[number + 1 :]))
        return self.graph.coin(weights, edges)

    def _sides(
        self, group: _Group, what: _Due
    ) -> Iterator[tuple[int, int, list[_Side], list[_Group]]]:
        """Yield the sides of a group's coin.

        Yields:
            A weight; the place in the group at which the new order begins, what becomes of the
            places in that order, and the groups that they make.
        """
        way, parts = self.way(group), self._parts(group)
        if not way.cut:
            half = group.cells // 2
            for (_, after), at in zip(self._halved(group), (0, half), strict=True):
                yield after.cells, 0, [(parts, at, after.cells)], [after]
            return
        rest = group.cells - way.cut
        more = group.kept * way.cut % group.cells
        found = []
        for low in way.lows:
            # The number of low parts is right on average: `more` in `cells` have the larger one.
            often = more if low > way.lows[0] else group.cells - more
            lower = _Group(low, way.cut, group.divisions - 1, group.gaps)
            upper = _Group(group.kept - low, rest, group.divisions - 1, group.gaps)
            few, many = self.way(lower).parts, self.way(upper).parts
            sizes = [(few, 0, way.cut), (many, way.cut, rest), (int(way.gap), 0, 0)]
            made = [each for each in (lower, upper) if each.kept] + [_DROPPED] * way.gap
            # The own part has gone its way, and may be any of those that go there.
            begins = {"low": range(few), "high": range(few, few + many), "any": range(parts)}[what]
            share = {"low": low, "high": group.kept - low, "any": len(begins)}[what]
            if begins:
                found.append((Fraction(often * share, len(begins)), begins, sizes, made))
        below = math.lcm(*(weight.denominator for weight, *_ in found))
        for weight, begins, sizes, made in found:
            for begin in begins:
                yield int(weight * below), -begin, sizes, made


def _arc(first: int, places: int, start: int, side: _Side) -> Iterator[Run]:
    """Yield the neighbours in a circle of places, from one of them on, as runs."""
    many, at, most = side
    start %= places
    inner = min(many, places - start)
    if inner:
        yield first + start, inner, at, most
    if many > inner:
        yield first, many - inner, at, most
