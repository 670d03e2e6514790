"""Define the parts of a `Table`: nodes, edges and layouts, as plain whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple

from feint.errors import InvalidValue

END = -1
"""The node of a run that asks nothing more."""

SAME = -1
"""In a layout: all places move by the same amount. In an edge: the own place moves along."""

FAR = 1 << 62
"""An offset beyond every place: lattices have at most 2^62 cells. Sums of weights are smaller."""

_ENTRIES = 1 << 22  # the most places in layouts, or offsets in rows: about 100 MB as arrays

Layout = tuple[tuple[int, int, int, int], ...]
"""The new places in rising order, as (first old place, number, offset, most).

An entry takes neighbouring old places, each from an offset on and with at most `most` cells. A
single entry whose first place is `SAME` moves all places this way; otherwise the list replaces
them.
"""


class Edge(NamedTuple):
    """A step from one node to the next.

    Attributes:
        node: The number of the next node, or `END`.
        layout: The number of the layout of the places after the step.
        own: The number of the own place after the step; `SAME`: the new place that is made of it.
    """

    node: int
    layout: int
    own: int = SAME


class Ask(NamedTuple):
    """A round of questions.

    Attributes:
        phase: The purpose of the round, such as "cut" or "hide".
        offsets: The offsets asked, rising from 1 on: one row for each place, or one for all.
        edges: An edge for each number of yes answers in the own place: one row for each own place,
            or one for all.
    """

    phase: str
    offsets: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[Edge, ...], ...]


class Coin(NamedTuple):
    """A coin that is tossed before the next questions.

    Attributes:
        weights: The whole weight of each side.
        edges: The edge of each side. A side whose layout leaves the own place out cannot fall.
    """

    weights: tuple[int, ...]
    edges: tuple[Edge, ...]


Node = Ask | Coin


def edges_of(node: Node) -> Iterator[Edge]:
    """Yield all edges of a node."""
    if isinstance(node, Coin):
        yield from node.edges
    else:
        for row in node.edges:
            yield from row


def moves_all(layout: Layout) -> bool:
    """Return True if a layout moves all places by the same amount."""
    return layout[0][0] == SAME


def places(layout: Layout) -> list[tuple[int, int, int]]:
    """Return the new places, each as (old place, offset, most cells)."""
    return [(first + k, at, most) for first, many, at, most in layout for k in range(many)]


def frozen_layout(given: Sequence[Any], name: str) -> Layout:
    """Return a layout as tuples of ints.

    Raises:
        InvalidValue: The value is not a layout.
    """
    try:
        layout = tuple(
            (index(first), index(many), index(at), index(most)) for first, many, at, most in given
        )
    except (TypeError, ValueError):
        rule = "must be a list of (first old place, how many, offset, most cells), whole numbers"
        raise InvalidValue(name, "something else", rule, "use a builder") from None
    least = SAME if len(layout) == 1 else 0
    fits = all(
        least <= first <= _ENTRIES and 1 <= many <= _ENTRIES and 0 <= at < FAR and 0 <= most <= FAR
        for first, many, at, most in layout
    )
    rises = all(one[0] + one[1] - 1 <= two[0] for one, two in pairwise(layout))
    if not layout or not fits or not rises:
        rule = "must name places in order, or all by one entry; offsets and sizes from 0 to 2^62"
        raise InvalidValue(name, layout, rule, "use a builder")
    return layout


def frozen_node(given: Sequence[Any], name: str) -> Node:
    """Return a node as tuples of ints.

    Raises:
        InvalidValue: The value is not a node.
    """
    try:
        if len(given) == 2:
            weights, edges = given
            return Coin(tuple(map(index, weights)), _edges(edges))
        phase, rows, edges = given
        return Ask(phase, tuple(tuple(map(index, row)) for row in rows), tuple(map(_edges, edges)))
    except (TypeError, ValueError):
        rule = "must be (phase, rows of offsets, rows of edges) or (weights, edges)"
        raise InvalidValue(name, "something else", rule, "use a builder") from None


def check_node(node: Node, name: str, number: int, nodes: int, layouts: int) -> None:
    """Check a node by itself.

    Args:
        node: The node.
        name: The name of the node in errors.
        number: The number of the node; edges lead to higher numbers.
        nodes: The number of nodes.
        layouts: The number of layouts.

    Raises:
        InvalidValue: The node is not valid in this table.
    """
    if isinstance(node, Coin):
        _check_coin(node, name)
    else:
        _check_ask(node, name)
    for edge in edges_of(node):
        if edge.node != END and not number < edge.node < nodes:
            rule = f"edges must lead to nodes after it, {number + 1} to {nodes - 1}, or {END}"
            raise InvalidValue(name, edge.node, rule, "number nodes so that edges lead up")
        if not 0 <= edge.layout < layouts or edge.own < SAME:
            rule = f"edges must have a layout, 0 to {layouts - 1}, and an own place or {SAME}"
            raise InvalidValue(name, tuple(edge), rule, "use a builder")


def check_sizes(layouts: Sequence[Layout], nodes: Sequence[Node]) -> None:
    """Check that a table fits in memory as arrays.

    Raises:
        InvalidValue: The table is too large.
    """
    rows = [row for node in nodes if isinstance(node, Ask) for row in node.offsets]
    held = [
        max(layout[-1][0] + layout[-1][1], sum(many for _, many, _, _ in layout))
        for layout in layouts
    ]
    sides = [len(node.weights) for node in nodes if isinstance(node, Coin)]
    most = max(
        len(rows) * max(map(len, rows), default=0),
        len(held) * max(held, default=0),
        # A coin has a row of weights for each own place.
        len(sides) * max(sides, default=0) * max(held, default=0),
    )
    if most > _ENTRIES:
        rule = f"must fit in memory: at most {_ENTRIES} entries, not {most}"
        raise InvalidValue("nodes", len(nodes), rule, "hide among fewer parts, or use Staged")


def _edges(given: Iterable[Any]) -> tuple[Edge, ...]:
    return tuple(Edge(*map(index, edge)) for edge in given)


def _check_ask(node: Ask, name: str) -> None:
    wanted, edges = [len(row) + 1 for row in node.offsets], [len(row) for row in node.edges]
    if not edges or not (wanted == edges or (len({*wanted}) == 1 and {*wanted} == {*edges})):
        rule = "must have an edge for each number of yes answers from 0 on"
        raise InvalidValue(name, edges, rule, "use a builder")
    if not isinstance(node.phase, str):
        raise InvalidValue(name, node.phase, "its phase must be text", 'such as "hide"')
    for row in node.offsets:
        if any(not low < high for low, high in pairwise((0, *row, FAR))):
            rule = "offsets must rise, from 1 on"
            raise InvalidValue(name, row, rule, "leave out what everybody knows")


def _check_coin(node: Coin, name: str) -> None:
    weights = node.weights
    if len(weights) != len(node.edges):
        rule = "must have an edge for each side"
        raise InvalidValue(name, len(node.edges), rule, "use a builder")
    if min(weights, default=0) < 0 or not 0 < sum(weights) < FAR:
        rule = "weights must not be negative, and their sum must lie between 1 and 2^62"
        raise InvalidValue(name, weights, rule, "scale them")
