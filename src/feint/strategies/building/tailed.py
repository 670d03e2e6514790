"""Build parts of one width and a tail as tables (proofs/hiding.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from feint.errors import InvalidValue
from feint.problem import Problem
from feint.strategies.building.graph import Graph, windows
from feint.strategies.nodes import END, Edge
from feint.strategies.table import Table
from feint.strategies.tails import halvings, split_sizes

Entry = tuple[int, int, int]
"""An entry of a layout."""


def tailed(
    problem: Problem,
    size: int,
    *,
    width: int,
    levels: Sequence[tuple[int, int]] = (),
    kept: int,
    accuracy: int = 1,
) -> Table:
    """Build parts of exactly one width, with a shorter tail that joins once it looks like a part.

    Args:
        problem: The problem that it is meant to solve.
        size: The number of cells of the lattice.
        width: w, the cells of a part.
        levels: For each level above single parts, k and a: the number of groups that every kept one
            is split into, and the number of groups that are kept.
        kept: L, the number of parts that are kept in the end.
        accuracy: The most cells that the last piece may have.

    Returns:
        The table.

    Raises:
        InvalidValue: A group has too few parts to be split or kept.
    """
    parts, tail = divmod(size, width)
    builder = _Tailed(Graph(), width, tail, kept, accuracy)
    first = builder.group((parts,), tail > 0, tuple(levels))
    return builder.graph.table(problem, size, first)


@dataclass(frozen=True)
class _Tailed:
    """A builder of nodes. Its methods return node numbers.

    Attributes:
        graph: The graph that the nodes are added to.
        width: w.
        tail: The number of cells of the tail.
        kept: L.
        accuracy: As in `tailed`.
    """

    graph: Graph
    width: int
    tail: int
    kept: int
    accuracy: int

    def group(
        self, groups: tuple[int, ...], ends: bool, levels: tuple[tuple[int, int], ...]
    ) -> int:
        """Split groups of parts, one place each; the last group has the tail if `ends`."""
        if not levels:
            return self._tell_apart(groups, ends)
        (split, kept), *rest = levels
        if min(groups) < split or kept > len(groups) * split:
            rule = f"groups of {min(groups)} parts cannot be split into {split} to keep {kept}"
            raise InvalidValue("levels", levels, rule, "split less often")
        inner = [[*accumulate(split_sizes(many, split))] for many in groups]
        sizes = [many for group in groups for many in split_sizes(group, split)]
        sides = list[Edge]()
        for window in windows(len(sizes), kept):
            last = ends and window[-1] == len(sizes) - 1
            held = tuple(sizes[number] for number in window)
            sides.append(self.graph.keep(self.group(held, last, tuple(rest)), window))
        places = self._places(inner, sizes, ends)
        after = sides[0].node if len(sides) == 1 else self.graph.coin([1] * len(sides), sides)
        phase = "narrow" if kept == 1 else "cut"
        return self._cut(phase, inner, places, after)

    def _tell_apart(self, groups: tuple[int, ...], ends: bool) -> int:
        """Separate single parts and the tail, and keep some of them."""
        told = sum(groups)
        if told < self.kept:
            rule = f"must be at most the {told} parts that are told apart"
            raise InvalidValue("kept", self.kept, rule, "split less often, or keep fewer")
        inner = [[*range(1, many + 1)] for many in groups]
        places = self._places(inner, [1] * told, ends)
        if ends:  # the tail is a separate place, after the last part
            group, at, _ = places[-1]
            places[-1:] = [(group, at, self.width), (group, at + self.width, self.tail)]
            inner[-1].append(groups[-1] + 1)
        steps = halvings(self.width, self.accuracy)
        rest = self.tail if ends else 0
        after = self.graph.once(self._hide, self.width, rest, steps, told)
        held = windows(told, self.kept)
        if len(held) > 1:
            kept = [self.graph.keep(after, window + [told] * ends) for window in held]
            after = self.graph.coin([1] * told, kept)
        return self._cut("narrow" if self.kept == 1 else "cut", inner, places, after)

    def _places(self, inner: list[list[int]], sizes: list[int], ends: bool) -> list[Entry]:
        """Return new groups as places in the old ones; the last has the tail if `ends`."""
        begins = [(own, at) for own, past in enumerate(inner) for at in (0, *past[:-1])]
        places = [
            (own, at * self.width, size * self.width)
            for (own, at), size in zip(begins, sizes, strict=True)
        ]
        own, at, most = places[-1]
        return [*places[:-1], (own, at, most + self.tail * ends)]

    def _cut(self, phase: str, inner: list[list[int]], places: list[Entry], after: int) -> int:
        """Ask where new groups begin inside the old ones."""
        offsets = [[at * self.width for at in past[:-1]] for past in inner]
        if not any(offsets):
            return after
        own, edges = 0, []
        for row in offsets:
            edges.append([self.graph.cut(after, places, own + k) for k in range(len(row) + 1)])
            own += len(row) + 1
        return self.graph.ask(phase, offsets, edges)

    def _hide(self, cells: int, rest: int, steps: int, told: int) -> int:
        """Halve a piece in all kept parts; the tail has its first `rest` cells, 0 if it is gone."""
        if not steps or cells == 1:
            return END
        if rest >= cells:
            return self._join(cells, steps, told)
        half = self.accuracy << (steps - 1)  # the most cells that the following steps can handle
        at = cells // 2
        if rest:  # cut where the tail ends, or so that the tail soon ends at a cut
            at = max(rest, cells - half) if rest <= half else half
        low = self.graph.once(self._hide, at, rest, steps - 1, told)
        high = self.graph.once(self._hide, cells - at, max(rest - at, 0), steps - 1, told)
        edges = [self.graph.move(low, 0, at), self.graph.move(high, at, cells - at)]
        return self.graph.ask("hide" if steps > 1 else "finish", [[at]], [edges])

    def _join(self, cells: int, steps: int, told: int) -> int:
        """Let the tail take the place of a kept part, or drop it, so that L are equally likely."""
        after = self.graph.once(self._hide, cells, 0, steps, told)
        tail = self.kept
        weights = [1] * self.kept + [told - self.kept + 1]
        left = ([each for each in range(tail + 1) if each != gone] for gone in range(tail + 1))
        return self.graph.coin(weights, [self.graph.keep(after, kept) for kept in left])
