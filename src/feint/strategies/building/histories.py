"""Build tables of single questions, written by hand or by the linear programme."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from feint.errors import InvalidValue
from feint.problem import Problem
from feint.strategies.building.graph import Graph
from feint.strategies.nodes import END
from feint.strategies.table import Table

History = tuple[tuple[int, bool], ...]
"""The questions so far, each with its answer."""

Choices = tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]
"""The boundaries to choose from, each with its integer weight and with the numbers of the entries
after "no" and after "yes", or `END`."""


def from_histories(
    problem: Problem, size: int, table: Mapping[History, Sequence[tuple[int, int]]]
) -> Table:
    """Build the strategy whose choices are keyed by history.

    Args:
        problem: The problem that it is meant to solve.
        size: The number of cells of the lattice.
        table: At each history, the boundaries to choose from with their whole weights; the empty
            history is the start. A run ends at a history that is not in the table. A question at
            either end of the lattice is left out, because its answer is known; the next choice
            follows directly.

    Returns:
        The table, with one question per round.

    Raises:
        InvalidValue: A question is off the lattice, or the weights are not odds.
    """
    order = sorted({(), *table}, key=len)
    number = {history: place for place, history in enumerate(order)}

    def child(history: History, point: int, answer: bool) -> int:
        return number.get((*history, (point, answer)), END)

    return from_choices(
        problem,
        size,
        [
            (
                table.get(each, ()),
                [(child(each, q, False), child(each, q, True)) for q, _ in table.get(each, ())],
            )
            for each in order
        ],
    )


def from_choices(problem: Problem, size: int, entries: Sequence[Choices]) -> Table:
    """Build the strategy whose choices are numbered, so that histories may share continuations.

    Args:
        problem: The problem that it is meant to solve.
        size: The number of cells of the lattice.
        entries: The entries, as in `Choices`. Entry 0 comes first; none may lead back to itself.

    Returns:
        The table, with one question per round.

    Raises:
        InvalidValue: A question is off the lattice, an entry leads back, or the weights are not
            odds.
    """
    graph, numbers = Graph(), dict[int, int]()

    def node(entry: int) -> int:
        """Add the nodes that follow from an entry, once."""
        if entry == END:
            return END
        if entry not in numbers:
            if entry in path or not 0 <= entry < len(entries):
                rule = f"must lead to other entries, 0 to {len(entries) - 1}, or {END}, never back"
                raise InvalidValue("entries", entry, rule, "leave out what cannot come")
            path.add(entry)
            numbers[entry] = _chosen(graph, size, f"entries[{entry}]", entries[entry], node)
            path.remove(entry)
        return numbers[entry]

    path = set[int]()
    return graph.table(problem, size, node(0) if entries else END)


def _chosen(graph: Graph, size: int, name: str, entry: Choices, node: Callable[[int], int]) -> int:
    """Add a choice among questions, and return the number of its node."""
    sides = dict[int, int]()
    for (point, weight), (no, yes) in zip(*entry, strict=True):
        if not 0 <= point <= size:
            rule = f"questions must lie on the lattice, 0 to {size}"
            raise InvalidValue(name, point, rule, "move it to the nearest boundary")
        if point in (0, size):  # the answer is known, so the next choice follows directly
            side = node(yes if point == 0 else no)
        else:
            edges = [[graph.move(node(no), 0, size), graph.move(node(yes), 0, size)]]
            side = graph.ask("table", [[point]], edges)
        sides[side] = sides.get(side, 0) + weight
    if len(sides) < 2:
        return next(iter(sides), END)
    return graph.coin(sides.values(), [graph.move(side, 0, size) for side in sides])
