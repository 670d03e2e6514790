"""Build the staged family as tables: narrow, cut into parts, hide among them (proofs/hiding.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from feint.problem import Problem
from feint.strategies.building.graph import Graph, cuts, windows
from feint.strategies.cuts import boundaries
from feint.strategies.nodes import END
from feint.strategies.table import Table


def staged(
    problem: Problem,
    size: int,
    *,
    narrow: Sequence[int] = (),
    parts: int = 1,
    kept: int = 1,
    hide: Sequence[int] = (),
) -> Table:
    """Build a member of the staged family.

    It asks the questions of `Staged` except those whose answers are known: those past the end of a
    shorter part, and those in pieces of one cell.

    Args:
        problem: The problem that it is meant to solve.
        size: The number of cells of the lattice.
        narrow: The k of every narrowing step.
        parts: C, the number of near-equal parts that each block is cut into.
        kept: L_p, the number of parts that are searched.
        hide: The k of every step in the kept parts.

    Returns:
        The table.
    """
    graph = Graph()
    names = ["hide" if kept > 1 else "narrow"] * (len(hide) - 1) + ["finish"]
    hidden = [*zip(names, hide, strict=False)]

    def cut(cells: int) -> int:
        """Add the cut of a block into parts, the coin that keeps some, and the hiding steps."""
        inner = stepped(graph, -(-cells // parts), hidden)
        begins = boundaries(cells, parts)
        real = [number for number in range(parts) if begins[number] < begins[number + 1]]
        if len(real) == 1:
            return inner
        places = [(0, low, high - low) for low, high in pairwise(begins)]
        if kept == 1:
            edges = [graph.cut(inner, [places[own]], 0) for own in real]
        else:
            held = windows(parts, kept)
            sides = [graph.keep(inner, window) for window in held]
            after = inner if len(held) == 1 else graph.coin([1] * parts, sides)
            edges = [graph.cut(after, places, own) for own in real]
        return graph.ask("cut", [[begins[own] for own in real[1:]]], [edges])

    first = stepped(graph, size, [("narrow", k) for k in narrow], cut)
    return graph.table(problem, size, first)


def stepped(
    graph: Graph,
    cells: int,
    steps: Sequence[tuple[str, int]],
    then: Callable[[int], int] = lambda cells: END,
) -> int:
    """Add steps that cut a piece into near-equal parts, in the same way in all places.

    Args:
        graph: The graph that the nodes are added to.
        cells: Size of the piece.
        steps: The phase of each step, and its number of parts.
        then: A function that adds the nodes after the last step, for a piece of a given size.

    Returns:
        The number of the first node. A step that cuts nothing is left out.
    """
    front, sizes = list[set[int]]([{cells}]), {cells}
    for _, k in steps:
        sizes = {high - low for size in sizes for low, high in pairwise(cuts(size, k))}
        front.append(sizes)
    number = {size: then(size) for size in sorted(front[-1])}
    for sizes, (phase, k) in zip(front[-2::-1], reversed(steps), strict=True):
        after, number = number, {}
        for size in sorted(sizes):
            ends = cuts(size, k)
            edges = [graph.move(after[high - low], low, high - low) for low, high in pairwise(ends)]
            asks = len(edges) > 1
            number[size] = graph.ask(phase, [ends[1:-1]], [edges]) if asks else after[size]
    return number[cells]
