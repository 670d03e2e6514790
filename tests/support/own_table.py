"""Play tables from their nodes alone, run by run, in plain Python; make random tables.

It shares no code with feint. A table is JSON. Layouts are lists of [first old place, how many,
offset, most cells], a node is [phase, rows of offsets, rows of edges] or [weights, edges], an edge
is [node, layout, own place]. There -1 stands for the end, for all places, and for the own place as
it goes along.
"""

import random
from collections import defaultdict
from fractions import Fraction
from typing import Any, NamedTuple

Nodes = list[list[Any]]
Layouts = list[list[list[int]]]


class Run(NamedTuple):
    """One possible run of a search for one cell, with its probability.

    Attributes:
        cell: Where X* is.
        rounds: The questions of every round that asked any.
        low: The greatest question of an own place that was answered yes.
        high: The least that was answered no.
    """

    cell: int
    rounds: tuple[tuple[int, ...], ...]
    low: int
    high: int


class _Where(NamedTuple):
    """The position of a run: its node, its places by their first cells, and its own place."""

    node: int
    places: tuple[tuple[int, int], ...]
    own: int


def runs(size: int, layouts: Layouts, nodes: Nodes) -> dict[Run, Fraction]:
    """Play a table for every cell and every side of every coin."""
    found: dict[Run, Fraction] = defaultdict(Fraction)
    for cell in range(size):
        waiting = [(_Where(0, ((0, size),), 0), Run(cell, (), 0, size), Fraction(1))]
        while waiting:
            where, run, chance = waiting.pop()
            if where.node == -1:
                found[run] += chance
                continue
            node = nodes[where.node]
            if len(node) == 2:
                sides = [
                    (weight, edge)
                    for weight, edge in zip(*node, strict=True)
                    if weight and where.own in _kept(where, layouts, edge)
                ]
                for weight, edge in sides:
                    part = chance * Fraction(weight, sum(each for each, _ in sides))
                    waiting.append((_moved(where, layouts, edge), run, part))
                continue
            asked = [
                tuple(start + offset for offset in _row(node[1], number) if offset < cells)
                for number, (start, cells) in enumerate(where.places)
            ]
            if not any(asked):
                found[run] += chance  # everybody knows the answers: it has ended
                continue
            mine = asked[where.own]
            yes = [point for point in mine if point <= cell]
            no = [point for point in mine if point > cell]
            heard = (*run.rounds, tuple(point for place in asked for point in place))
            run = Run(cell, heard, max([run.low, *yes]), min([run.high, *no]))
            edge = _row(node[2], where.own)[len(yes)]
            waiting.append((_moved(where, layouts, edge), run, chance))
    return dict(found)


def _row(rows: list[Any], number: int) -> Any:
    """Return the row of a place, if places have rows of their own."""
    return rows[0] if len(rows) == 1 else rows[number]


def _kept(where: _Where, layouts: Layouts, edge: list[int]) -> list[int]:
    """Return the number of the old place that each new one is made of."""
    layout = layouts[edge[1]]
    if layout[0][0] == -1:
        return list(range(len(where.places)))
    return [first + k for first, many, _, _ in layout for k in range(many)]


def _moved(where: _Where, layouts: Layouts, edge: list[int]) -> _Where:
    """Follow an edge: cut all places alike, or make new ones of them."""
    node, layout, own = edge
    old = _kept(where, layouts, edge)
    cuts = [(at, most) for _, many, at, most in layouts[layout] for _ in range(many)]
    if layouts[layout][0][0] == -1:
        cuts *= len(old)
    places = (_cut(where.places[k], *cut) for k, cut in zip(old, cuts, strict=True))
    return _Where(node, tuple(places), old.index(where.own) if own == -1 else own)


def _cut(place: tuple[int, int], at: int, most: int) -> tuple[int, int]:
    start, cells = place
    return start + at, min(max(cells - at, 0), most)


def success(found: dict[Run, Fraction], size: int, window: int) -> Fraction:
    """Return what the best eavesdropper wins with, who names `window` neighbouring cells."""
    heard: dict[Any, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * size)
    for run, chance in found.items():
        heard[run.rounds][run.cell] += chance
    best = (
        max(sum(cells[k : k + window], Fraction(0)) for k in range(size - window + 1))
        for cells in heard.values()
    )
    return sum(best, Fraction(0)) / size


def drawn(draw: random.Random) -> tuple[int, Layouts, Nodes]:
    """Draw a table: its size, its layouts and its nodes.

    Offsets may lie outside of places, places may be short, and runs may act.
    """
    table = _Drawn(draw)
    return table.size, table.layouts, [table.node(number) for number in range(table.count)]


class _Drawn:
    def __init__(self, draw: random.Random) -> None:
        self.draw, self.layouts = draw, list[list[list[int]]]()
        self.size, self.count = draw.randrange(6, 30), draw.randrange(3, 10)
        self.many = [1, *(draw.choice([1, 2, 2, 3]) for _ in range(self.count - 1))]

    def node(self, number: int) -> list[Any]:
        draw, many = self.draw, self.many[number]
        if number and draw.random() < 0.35:
            sides = draw.choice([1, 1, 2])
            weights = [draw.randrange(3) for _ in range(sides)]
            edges = [self.edge(number, range(0)) for _ in range(sides)]
            # The last side can fall whichever place is the own one.
            return [[*weights, 1], [*edges, self.edge(number, range(many))]]
        asked, rows = draw.choice([1, 1, 2, 3]), draw.choice([1, many])
        places = range(1, self.size // 2 + 1)
        offsets = [sorted(draw.sample(places, asked)) for _ in range(rows)]
        if draw.random() < 0.3:  # it acts: the answers decide nothing
            return ["hide", offsets, [[self.edge(number, range(many))] * (asked + 1)]]
        kinds = draw.choice([1, many])
        owners = [range(many)] if kinds == 1 else [range(own, own + 1) for own in range(many)]
        rows_of_edges = [[self.edge(number, own) for _ in range(asked + 1)] for own in owners]
        return ["hide", offsets, rows_of_edges]

    def edge(self, number: int, owners: range) -> list[int]:
        """Draw an edge that any of these own places may follow."""
        draw, many, later = self.draw, self.many[number], range(number + 1, self.count)
        target = draw.choice(later[:3]) if later and draw.random() < 0.9 else -1
        new = many if target == -1 else self.many[target]
        if new == many and draw.random() < 0.5:
            self.layouts.append([[-1, 1, draw.choice([0, 0, 1, 2, 3]), self.cells()]])
            return [target, len(self.layouts) - 1, -1]
        if len(owners) > new:  # there is no place for every own one
            target, new = -1, many
        old = sorted([*owners, *(draw.randrange(many) for _ in range(new - len(owners)))])
        layout = list[list[int]]()
        for place in old:
            if layout and place == sum(layout[-1][:2]) and draw.random() < 0.3:
                layout[-1][1] += 1  # neighbours that are cut alike
            else:
                layout.append([place, 1, draw.randrange(self.size // 3 + 1), self.cells()])
        self.layouts.append(layout)
        goes_along = len(owners) > 0 and draw.random() < 0.5
        own = -1 if goes_along or not owners else draw.randrange(new)
        return [target, len(self.layouts) - 1, own]

    def cells(self) -> int:
        return self.draw.randrange(2, self.size + 1)
