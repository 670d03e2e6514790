"""The graph of a `Table` as arrays, so that many runs are looked up together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.strategies.cuts import Int
from feint.strategies.nodes import (
    END,
    FAR,
    Ask,
    Coin,
    Edge,
    Layout,
    Node,
    moves_all,
    places,
)


class Arrays(NamedTuple):
    """A graph as arrays of length [nodes + 1]; a node of number `END` has the last entry.

    Attributes:
        ask_row: [nodes + 1] the first row of offsets; row 0 asks nothing.
        ask_step: [nodes + 1] 1 if there is a row for each place, else 0.
        asked: [nodes + 1] the largest number of offsets in a row.
        last: [nodes + 1] the last offset; `FAR - 1` if rows differ or there is none.
        offsets: [rows, offsets] padded with `FAR`.
        weight_row: [nodes + 1] the first row of weights; a coin has one row per own place. Row 0,
            with one side, if the node is not a coin.
        weights: [rows, sides] padded with 0; 0 for sides that leave the own place out.
        edge_row: [nodes + 1] the first row of edges.
        edge_step: [nodes + 1] 1 if there is a row for each own place, else 0.
        first: [rows] the first edge of a row; the others follow.
        node: [edges] as in `Edge`.
        layout: [edges] as in `Edge`.
        own: [edges] as in `Edge`.
        alike: [layouts] True if all places move alike.
        many: [layouts] the number of places that a layout makes.
        old: [layouts, places] the old place that each is made of, as in `Layout`.
        at: [layouts, places] as in `Layout`.
        most: [layouts, places] as in `Layout`; 0 past the last place.
        after: [layouts, old places] the number of the new place made of an old one; -1: none.
    """

    ask_row: Int
    ask_step: Int
    asked: Int
    last: Int
    offsets: Int
    weight_row: Int
    weights: Int
    edge_row: Int
    edge_step: Int
    first: Int
    node: Int
    layout: Int
    own: Int
    alike: NDArray[np.bool_]
    many: Int
    old: Int
    at: Int
    most: Int
    after: Int


def compiled(layouts: Sequence[Layout], nodes: Sequence[Node]) -> Arrays:
    """Return a graph as arrays."""
    new = [[(0, *each[0][2:])] if moves_all(each) else places(each) for each in layouts]
    alike = np.array([moves_all(each) for each in layouts], np.bool_)
    after = _after(new, alike)
    offsets, weights = list[Sequence[int]]([()]), list[Sequence[int]]([(1,)])
    table, first, edges = list[tuple[int, ...]](), list[int](), list[Edge]()
    for node in nodes:
        if isinstance(node, Ask):
            step, most = len(node.offsets) > 1, max(map(len, node.offsets))
            last = node.offsets[0][-1] if most and not step else FAR - 1
            several = len(node.edges) > 1
            table.append((len(offsets), step, most, last, 0, len(first), several))
            offsets.extend(node.offsets)
        else:
            table.append((0, 0, 0, FAR - 1, len(weights), len(first), 0))
            held = after[[edge.layout for edge in node.edges]].T >= 0  # [own places, sides]
            weights.extend((held * np.array(node.weights, np.int64)).tolist())
        for row in (node.edges,) if isinstance(node, Coin) else node.edges:
            first.append(len(edges))
            edges.extend(row)
    table.append((0, 0, 0, FAR - 1, 0, 0, 0))
    columns = np.array(table, np.int64).T
    goal, layout, own = np.array(edges or [Edge(END, 0)], np.int64).T
    old, at, room = (_padded([[entry[k] for entry in each] for each in new], 0) for k in range(3))
    return Arrays(
        ask_row=columns[0],
        ask_step=columns[1],
        asked=columns[2],
        last=columns[3],
        offsets=_padded(offsets, FAR),
        weight_row=columns[4],
        weights=_padded(weights, 0),
        edge_row=columns[5],
        edge_step=columns[6],
        first=np.array(first or [0], np.int64),
        node=goal,
        layout=layout,
        own=own,
        alike=alike,
        many=np.array([len(each) for each in new], np.int64),
        old=old,
        at=at,
        most=room,
        after=after,
    )


def _after(new: Sequence[Sequence[tuple[int, int, int]]], alike: NDArray[np.bool_]) -> Int:
    """Return [layouts, old places] the number of the first new place of an old one; -1: none."""
    widest = max((max(len(each), each[-1][0] + 1) for each in new), default=1)
    after = np.full((len(new), widest), -1, np.int64)
    for number, each in enumerate(new):
        for place, (old, _, _) in reversed([*enumerate(each)]):
            after[number, old] = place
    after[alike] = np.arange(widest)
    return after


def _padded(rows: Sequence[Sequence[int]], filler: int) -> Int:
    """Return rows of different lengths as one padded array, at least one column wide."""
    found = np.full((len(rows), max(map(len, rows), default=0) or 1), filler, np.int64)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found
