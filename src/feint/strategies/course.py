"""Compute the rounds, the coins and the most questions of a `Table`, for all runs at once.

Two runs at the same node ask equally many questions if their places have the same sizes. So the
walk is over pairs of a node and sizes, not over runs, round by round.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from feint.errors import InvalidValue
from feint.interfaces import Round
from feint.strategies.nodes import (
    END,
    SAME,
    Ask,
    Coin,
    Edge,
    Layout,
    Node,
    edges_of,
    moves_all,
    places,
)

_ENTRIES = 1 << 22  # the most sizes to examine: about two seconds; plans have a few thousand
_EDGE = 64  # the cost of following an edge, in sizes

_Sizes = tuple[tuple[int, int], ...]
"""(size, number of places): in order, one by one, or added up if the order does not matter."""

_Front = dict[tuple[int, _Sizes], int]
"""For each node and sizes that occur, the most questions asked before them."""


class Course(NamedTuple):
    """The public facts about all runs of a table.

    Attributes:
        rounds: The most rounds there can be, each as wide as the widest run.
        coins: The coins before each round, each by its number of sides; and none after the last.
        queries: The most questions of one run.
        asks_all: Whether every run asks every column of every round. It may be False if only an
            impossible run does not.
    """

    rounds: tuple[Round, ...]
    coins: tuple[tuple[int, ...], ...]
    queries: int
    asks_all: bool


def course(size: int, layouts: Sequence[Layout], nodes: Sequence[Node]) -> Course:
    """Walk a table through all nodes and sizes that can occur.

    Args:
        size: The number of cells of the lattice.
        layouts: As in `Table`.
        nodes: As in `Table`.

    Raises:
        InvalidValue: An edge names a place that does not exist, a node has rows for another
            number of places, or there are too many cases.
    """
    walk = _Walk(layouts, nodes)
    front: _Front = {(0, walk.sizes(0, ((size, 1),))): 0} if nodes else {}
    rounds, coins, queries, asks_all = list[Round](), list[tuple[int, ...]](), 0, True
    while front:
        sides = list[int]()
        while any(isinstance(nodes[number], Coin) for number, _ in front):
            front, most = walk.toss(front)
            sides.append(most)
        ended = walk.ended
        front, phases, asked, most = walk.ask(front)
        queries, wide = max(queries, most), max(asked, default=0)
        if wide:
            asks_all = asks_all and not ended and len(asked) == 1
            rounds.append(Round(phases.pop() if len(phases) == 1 else "hide", (0,) * wide))
            coins.append(tuple(sides))
    return Course(tuple(rounds), (*coins, ()), queries, asks_all)


class _Walk:
    def __init__(self, layouts: Sequence[Layout], nodes: Sequence[Node]) -> None:
        self.nodes, self.entries = nodes, 0
        self.ended = False  # whether an edge was followed to the end
        self.layouts = [None if moves_all(each) else places(each) for each in layouts]
        self.moves = [each[0][2:] for each in layouts]
        # Whether all places are treated alike from a node on. Then the order of sizes does not
        # matter, and the many windows of one block reduce to a few patterns.
        self.unordered = [True] * (len(nodes) + 1)
        for number in reversed(range(len(nodes))):
            node = nodes[number]
            rows = isinstance(node, Coin) or len(node.offsets) == len(node.edges) == 1
            self.unordered[number] = rows and all(
                self.unordered[edge.node] and self.layouts[edge.layout] is None
                for edge in edges_of(node)
            )

    def toss(self, front: _Front) -> tuple[_Front, int]:
        """Follow every side of the coins, and return also the largest number of sides."""
        after, most = _Front(), 1
        for (number, sizes), asked in front.items():
            node = self.nodes[number]
            if not isinstance(node, Coin):
                _add(after, number, sizes, asked)
                continue
            most = max(most, len(node.weights))
            edges = [edge for edge, weight in zip(node.edges, node.weights, strict=True) if weight]
            held = set[int]()
            for edge in dict.fromkeys(edges):  # drop duplicates
                held |= self._follow(after, number, sizes, edge, asked)
            owners = {own for own, (size, _) in enumerate(sizes) if size}
            if not held >= owners:
                rule = "must have a side that can fall for every place"
                raise InvalidValue(f"nodes[{number}]", sorted(owners - held), rule, "add a side")
        return after, most

    def ask(self, front: _Front) -> tuple[_Front, set[str], set[int], int]:
        """Follow every answer.

        Returns:
            The next states; the phases; the numbers of questions in this round; and the most that a
            run has asked by then.
        """
        after, phases, totals, most = _Front(), set[str](), set[int](), 0
        for (number, sizes), before in front.items():
            node = self.nodes[number]
            if not isinstance(node, Ask):
                raise RuntimeError("a coin was left")
            self._check_rows(number, sizes, len(node.offsets), len(node.edges))
            rows = node.offsets * len(sizes) if len(node.offsets) == 1 else node.offsets
            inside = [bisect_left(row, size) for row, (size, _) in zip(rows, sizes, strict=True)]
            total = sum(asked * many for asked, (_, many) in zip(inside, sizes, strict=True))
            most = max(most, before + total)
            totals.add(total)
            if not total:
                continue  # the run has ended
            phases.add(node.phase)
            reached = [max(inside)] if len(node.edges) == 1 else inside
            for own, (asked, row) in enumerate(zip(reached, node.edges, strict=True)):
                owners = range(len(sizes)) if len(node.edges) == 1 else (own,)
                for edge in dict.fromkeys(row[: asked + 1]):
                    held = self._follow(after, number, sizes, edge, before + total)
                    if edge.own == SAME and not held.issuperset(owners):
                        rule = "its edges must say which place is the own one"
                        raise InvalidValue(f"nodes[{number}]", tuple(edge), rule, "use a builder")
        return after, phases, totals, most

    def sizes(self, number: int, sizes: _Sizes) -> _Sizes:
        """Return sizes in the form that a node needs."""
        if not self.unordered[number]:
            return sizes
        found = Counter[int]()
        for size, many in sizes:
            found[size] += many
        return tuple(sorted((size, many) for size, many in found.items() if size))

    def _follow(
        self, after: _Front, number: int, sizes: _Sizes, edge: Edge, asked: int
    ) -> set[int]:
        """Follow an edge, and return the old places that the new ones are made of."""
        new = self.layouts[edge.layout]
        self.entries += _EDGE + len(sizes) + (0 if new is None else len(new))
        if self.entries > _ENTRIES:
            rule = f"must have fewer ways: at most {_ENTRIES} sizes of places are looked at"
            raise InvalidValue("nodes", len(self.nodes), rule, "hide among fewer parts")
        if new is None and edge.own == SAME:
            at, most = self.moves[edge.layout]
            moved = tuple((min(max(size - at, 0), most), many) for size, many in sizes)
            held = set(range(len(sizes)))
        elif new is not None and new[-1][0] < len(sizes) and edge.own < len(new):
            moved = tuple((min(max(sizes[old][0] - at, 0), most), 1) for old, at, most in new)
            held = {old for old, _, _ in new}
        else:
            rule = f"its edges must lead from one of {len(sizes)} places to one of the new ones"
            raise InvalidValue(f"nodes[{number}]", tuple(edge), rule, "use a builder")
        self.ended = self.ended or edge.node == END
        if edge.node != END:
            _add(after, edge.node, self.sizes(edge.node, moved), asked)
        return held

    def _check_rows(self, number: int, sizes: _Sizes, *rows: int) -> None:
        if any(many not in (1, len(sizes)) for many in rows):
            rule = f"must have one row, or one for each of its {len(sizes)} places"
            raise InvalidValue(f"nodes[{number}]", max(rows), rule, "use a builder")


def _add(front: _Front, number: int, sizes: _Sizes, asked: int) -> None:
    front[number, sizes] = max(asked, front.get((number, sizes), 0))
