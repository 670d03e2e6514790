"""Build a graph from its ends to its start, with equal nodes only once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from feint.problem import Problem
from feint.strategies.cuts import boundaries
from feint.strategies.nodes import END, FAR, SAME, Ask, Coin, Edge, Layout, Node, edges_of
from feint.strategies.table import Table

Value = TypeVar("Value", bound=Hashable)
Rows = Iterable[Iterable[int]]
EdgeRows = Iterable[Iterable[Edge]]


class Graph:
    """A graph of numbered nodes. Each node is added after those that it leads to."""

    def __init__(self) -> None:
        """Create a graph without nodes."""
        self._nodes: _Numbered[Node] = _Numbered()
        self._layouts: _Numbered[Layout] = _Numbered()
        self._once: dict[Hashable, int] = {}

    def once(self, add: Callable[..., int], *key: int) -> int:
        """Call a function that adds nodes, but only once for each key, and return its result."""
        if (add, key) not in self._once:
            self._once[add, key] = add(*key)
        return self._once[add, key]

    def node(self, number: int) -> Node:
        """Return a node by its number."""
        return self._nodes.values[number]

    def layout(self, number: int) -> Layout:
        """Return a layout by its number."""
        return self._layouts.values[number]

    def move(self, node: int, at: int, most: int) -> Edge:
        """Return an edge that moves all places by `at` cells, with at most `most` cells each."""
        return Edge(node, self._layouts.number(((SAME, 1, at, most),)))

    def cut(self, node: int, places: Iterable[tuple[int, int, int]], own: int) -> Edge:
        """Return an edge to new places, given by the old place, the offset in it, and the cells."""
        layout = tuple((old, 1, at, most) for old, at, most in places)
        return Edge(node, self._layouts.number(layout), own)

    def keep(self, node: int, kept: Sequence[int]) -> Edge:
        """Return an edge that keeps some places, by their numbers in rising order."""
        runs = list[tuple[int, int, int, int]]()
        for place in kept:
            if runs and sum(runs[-1][:2]) == place:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1, 0, FAR - 1)
            else:
                runs.append((place, 1, 0, FAR - 1))
        return Edge(node, self._layouts.number(tuple(runs)))

    def ask(self, phase: str, offsets: Rows, edges: EdgeRows) -> int:
        """Add a round of questions, as in `Ask`, and return its number."""
        return self._nodes.number(Ask(phase, tuple(map(tuple, offsets)), tuple(map(tuple, edges))))

    def coin(self, weights: Iterable[int], edges: Iterable[Edge]) -> int:
        """Add a coin, as in `Coin`, and return its number, or `END` if every side ends."""
        node = Coin(tuple(weights), tuple(edges))
        return self._nodes.number(node) if any(e.node != END for e in node.edges) else END

    def include(self, table: Table) -> int:
        """Add all nodes of a table, and return the number of its first."""
        number = {END: END}

        def included(edge: Edge) -> Edge:
            layout = self._layouts.number(table.layouts[edge.layout])
            return Edge(number[edge.node], layout, edge.own)

        for old in reversed(range(len(table.nodes))):
            number[old] = self._nodes.number(_mapped(table.nodes[old], included))
        return number[0] if table.nodes else END

    def table(
        self, problem: Problem, size: int, first: int, *, follows_place: bool = False
    ) -> Table:
        """Return the table that begins at a node."""
        reached = {first}
        for number in range(first, -1, -1):  # edges lead to lower numbers
            if number in reached:
                reached.update(edge.node for edge in edges_of(self.node(number)))
        order = sorted(reached - {END}, reverse=True)
        numbers = {old: new for new, old in enumerate(order)} | {END: END}
        layouts = _Numbered[Layout]()

        def renumbered(edge: Edge) -> Edge:
            return Edge(numbers[edge.node], layouts.number(self.layout(edge.layout)), edge.own)

        nodes = tuple(_mapped(self.node(old), renumbered) for old in order)
        return Table(problem, size, tuple(layouts.values), nodes, follows_place)


def _mapped(node: Node, change: Callable[[Edge], Edge]) -> Node:
    """Return a node with its edges changed."""
    if isinstance(node, Coin):
        return Coin(node.weights, tuple(map(change, node.edges)))
    return node._replace(edges=tuple(tuple(map(change, row)) for row in node.edges))


class _Numbered(Generic[Value]):
    """Numbered values, equal ones only once."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def number(self, value: Value) -> int:
        """Return the number of a value; a new one is numbered next."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


def cuts(size: int, steps: int) -> list[int]:
    """Return the ends of near-equal parts and both ends of the whole, without empty parts."""
    return sorted({*boundaries(size, steps)})


def windows(places: int, kept: int) -> list[list[int]]:
    """Return the cyclic windows of neighbours, one for each first place, in rising order."""
    if kept == places:
        return [list(range(places))]
    return [sorted((first + k) % places for k in range(kept)) for first in range(places)]
