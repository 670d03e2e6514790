"""Build tables from blocks that are hidden separately, after public cuts (proofs/hiding.md)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TypeAlias

from feint.errors import InvalidValue
from feint.problem import Problem
from feint.strategies.building.graph import Graph
from feint.strategies.nodes import END, SAME, Coin, Edge, moves_all, places
from feint.strategies.table import Table


@dataclass(frozen=True)
class Act:
    """One cell whose run looks like a run in another cell of the same cut.

    Attributes:
        cell: The other cell, counted from the start of the cut.
    """

    cell: int


Tree: TypeAlias = Table | int | Act | tuple[tuple[int, ...], tuple["Tree", ...]]
"""The table of a block, a number of cells without questions, or a cut: (offsets, subtrees)."""


def blocks(problem: Problem, tree: Tree) -> Table:
    """Build a public tree of cuts to blocks that are each hidden in their own way.

    Args:
        problem: The problem that the table is meant to solve.
        tree: The cuts and the blocks; see `feint.strategies.building`.

    Returns:
        The table. A run stops when its block is finished.
    """
    graph = Graph()
    first, size = _added(graph, tree, {})
    return graph.table(problem, size, first)


def _added(graph: Graph, tree: Tree, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Add a subtree, and return the number of its first node and its number of cells.

    A large lattice has few kinds of blocks: the same object in several places is added once.
    """
    if isinstance(tree, int):
        return END, tree
    if isinstance(tree, Act):
        return END, 1
    if id(tree) not in known:
        if isinstance(tree, Table):
            known[id(tree)] = graph.include(tree), tree.size
        else:
            known[id(tree)] = _cut(graph, *tree, known)
    return known[id(tree)]


def _cut(
    graph: Graph,
    offsets: tuple[int, ...],
    subtrees: tuple[Tree, ...],
    known: dict[int, tuple[int, int]],
) -> tuple[int, int]:
    """Add a cut with its subtrees, and return the number of its node and its number of cells."""
    found = [_added(graph, each, known) for each in subtrees]
    starts = [0, *accumulate(size for _, size in found)]
    if starts[1:-1] != list(offsets):
        rule = f"must be where its {len(subtrees)} subtrees meet: {starts[1:-1]}"
        raise InvalidValue("offsets", offsets, rule, "give each subtree its size")
    edges = []
    for own, subtree in enumerate(subtrees):
        if isinstance(subtree, Act):
            own = bisect_right(starts, subtree.cell) - 1
            first, size = found[own]
            first = _acted(graph, first, subtree.cell - starts[own])
        else:
            first, size = found[own]
        edges.append(graph.move(first, starts[own], size))
    return graph.ask("narrow", [offsets], [edges]), starts[-1]


def _acted(graph: Graph, first: int, cell: int) -> int:
    """Add copies of the nodes on a cell's path, which ignore the answers.

    Args:
        graph: The graph that the nodes are added to.
        first: The first node of the imitated graph; it has one place.
        cell: The cell whose run is shown, counted from the start of that place.

    Returns:
        The number of the first added node.
    """

    @cache
    def copy(number: int, own: int, cell: int) -> int:
        if number == END:
            return END
        node = graph.node(number)
        if isinstance(node, Coin):
            return graph.coin(node.weights, [onward(edge, own, cell) for edge in node.edges])
        row = node.offsets[own if len(node.offsets) > 1 else 0]
        edges = node.edges[own if len(node.edges) > 1 else 0]
        edge = onward(edges[bisect_right(row, cell)], own, cell)
        rows = node.offsets if len({*map(len, node.offsets)}) > 1 else node.offsets[:1]
        return graph.ask(node.phase, node.offsets, [[edge] * (len(row) + 1) for row in rows])

    def onward(edge: Edge, own: int, cell: int) -> Edge:
        layout = graph.layout(edge.layout)
        if moves_all(layout):
            return edge._replace(node=copy(edge.node, own, cell - layout[0][2]))
        new = places(layout)
        olds = [old for old, _, _ in new]
        if edge.own == SAME and own not in olds:
            return edge._replace(node=END)  # this side of the coin cannot fall
        own = olds.index(own) if edge.own == SAME else edge.own
        return edge._replace(node=copy(edge.node, own, cell - new[own][1]))

    return copy(first, 0, cell)
