"""Represent a noiseless strategy as data: a graph of `Ask` and `Coin` nodes, run on whole arrays.

A run has a node and several *places*: intervals of cells that the eavesdropper cannot tell apart.
The run follows one of them, its *own* place. All offsets are relative to the start of a place. So
"the same point in every part" is one node, and pieces of equal size share their nodes.

- An `Ask` asks the same offsets in every place, in one round. An offset that does not lie inside a
  place is left out there, because its answer is known. The number of yes answers in the own place
  picks the edge.
- A `Coin` picks an edge by whole weights.
- An edge leads to a node, or to `END`. Its *layout* says what the places become.

A run without another question has ended: it asks nothing from then on. A table guarantees only what
its enumeration shows. `feint.strategies.building` makes tables whose privacy is proved in
proofs/hiding.md and proofs/planted.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Sides, Weights, take
from feint.problem import Problem
from feint.strategies.compiled import Arrays, compiled
from feint.strategies.course import Course, course
from feint.strategies.cuts import Int
from feint.strategies.nodes import (
    END,
    SAME,
    Layout,
    Node,
    check_node,
    check_sizes,
    frozen_layout,
    frozen_node,
)


class TableState(NamedTuple):
    """The state of each run.

    The rest of a place begins `at` cells after its start and has at most `most` cells. Both are the
    same in all places of a run, so a move of all places changes two numbers.

    Attributes:
        round: The number of the next round.
        tossed: The number of its coins that were tossed.
        node: [runs] the node.
        own: [runs] the number of the own place.
        at: [runs] the offset at which the rest of every place begins.
        most: [runs] the most cells that the rest of a place has.
        starts: [runs, places] the first cell of every place.
        sizes: [runs, places] the number of its cells; 0 if a run has fewer places.
        low: [runs] the boundary that X* lies at or above.
        high: [runs] the boundary that X* lies below.
    """

    round: int
    tossed: int
    node: Int
    own: Int
    at: Int
    most: Int
    starts: Int
    sizes: Int
    low: Int
    high: Int


@dataclass(frozen=True)
class Table:
    """A strategy as data.

    Example:
        >>> from feint import Problem
        >>> from feint.strategies import Table, staged
        >>> table = staged(Problem("1/9", "2/9", 3), 9, parts=3, kept=2, hide=(3,))
        >>> table.queries, len(table.rounds), len(table.nodes)
        (6, 2, 3)

    Attributes:
        problem: The problem that it is meant to solve; only the nodes decide what it does.
        size: The number of cells of the lattice.
        layouts: The changes of places; edges name them by number.
        nodes: The graph. Node 0 comes first, and edges lead only to higher numbers, so that every
            run ends. Lists, as in JSON, are accepted.
        follows_place: Whether the estimate is the rest of the own place rather than the cells that
            agree with the answers. They differ if a run acts; only a flawed specimen needs it.
    """

    problem: Problem
    size: int
    layouts: tuple[Layout, ...]
    nodes: tuple[Node, ...]
    follows_place: bool = False

    def __post_init__(self) -> None:
        """Freeze the graph and check it node by node.

        Raises:
            InvalidValue: An edge leads back or nowhere, offsets do not rise, or weights are wrong.
        """
        layouts = [frozen_layout(each, f"layouts[{k}]") for k, each in enumerate(self.layouts)]
        nodes = [frozen_node(each, f"nodes[{k}]") for k, each in enumerate(self.nodes)]
        for number, node in enumerate(nodes):
            check_node(node, f"nodes[{number}]", number, len(nodes), len(layouts))
        check_sizes(layouts, nodes)
        object.__setattr__(self, "layouts", tuple(layouts))
        object.__setattr__(self, "nodes", tuple(nodes))

    @property
    def cells(self) -> tuple[int, ...]:
        """One coordinate of `size` cells."""
        return (self.size,)

    @property
    def rounds(self) -> Sequence[Round]:
        """The largest possible rounds, each with the most questions of a run."""
        return self._course.rounds

    @property
    def queries(self) -> int:
        """The most questions of a run."""
        return self._course.queries

    @property
    def asks_all(self) -> bool:
        """Whether it is known that every run asks every column, so that all have one length."""
        return self._course.asks_all

    @property
    def has_coins(self) -> bool:
        """Whether a coin decides anything; if not, the questions depend only on X*."""
        # A side that leaves the own place out cannot fall, so some coins have one side only.
        return bool(((self._arrays.weights > 0).sum(axis=1) > 1).any())

    def start(self, runs: int) -> TableState:
        """Return the state before the first round: one place, the whole lattice."""
        zero, cells = np.zeros(runs, np.int64), np.full(runs, self.size, np.int64)
        return TableState(
            round=0,
            tossed=0,
            node=zero if self.nodes else zero + END,
            own=zero,
            at=zero,
            most=cells,
            starts=zero[:, None],
            sizes=cells[:, None],
            low=zero,
            high=cells,
        )

    def coin(self, state: TableState) -> Weights | None:
        """Return the weights of the coins; at other nodes, only one side is possible."""
        due = self._course.coins[state.round]
        if state.tossed == len(due):
            return None
        arrays = self._arrays
        row = arrays.weight_row[state.node]
        return arrays.weights[np.where(row > 0, row + state.own, 0), : due[state.tossed]]

    def toss(self, state: TableState, side: Sides) -> TableState:
        """Return the state after the toss; runs whose node is not a coin stay unchanged."""
        if state.tossed == len(self._course.coins[state.round]):
            raise RuntimeError("this round has no coin left")
        tossed = self._arrays.weight_row[state.node] > 0
        state = self._moved(state, self._edge(state) + side, tossed)
        return state._replace(tossed=state.tossed + 1)

    def ask(self, state: TableState) -> Points:
        """Return the queries of the round: the node's offsets in every place that contains them."""
        self._check_tossed(state)
        runs, wide = len(state.node), len(self.rounds[state.round].coordinates)
        offsets = self._offsets(state)
        points = state.starts[:, :, None] + offsets
        points = points.reshape(runs, points.shape[1] * points.shape[2])
        if self._is_full(state):
            more = ((0, 0), (0, wide - points.shape[1]))
            return (
                points if points.shape[1] == wide else np.pad(points, more, constant_values=UNASKED)
            )
        row, at = np.nonzero(self._inside(state, offsets).reshape(runs, -1))
        column = np.arange(len(row))
        column -= np.searchsorted(row, np.arange(runs))[row]  # counted from each run's first
        found = np.full((runs, wide), UNASKED, np.int64)
        found[row, column] = points[row, at]
        return found

    def tell(self, state: TableState, answers: Answers) -> TableState:
        """Return the state after the answers; the yes answers in the own place pick the edge."""
        self._check_tossed(state)
        arrays, runs = self._arrays, np.arange(len(state.node))
        if self._is_full(state):
            asked = arrays.asked[state.node]
            first, goes = state.own * asked, asked > 0
        else:
            inside = self._inside(state, self._offsets(state)).sum(axis=2)
            past = np.cumsum(inside, axis=1)
            asked, goes = inside[runs, state.own], past[:, -1] > 0
            first = past[runs, state.own] - asked
        yes = _yes(answers, first, asked)
        row = arrays.ask_row[state.node] + arrays.ask_step[state.node] * state.own
        start = state.starts[runs, state.own] + state.at
        low = np.where(yes > 0, start + arrays.offsets[row, yes - 1], state.low)
        last = arrays.offsets.shape[1] - 1
        high = np.where(yes < asked, start + arrays.offsets[row, np.minimum(yes, last)], state.high)
        moved = self._moved(state, self._edge(state) + yes, goes)
        return moved._replace(
            round=state.round + 1,
            tossed=0,
            node=np.where(goes, moved.node, END),  # a run that asks nothing has ended
            low=np.maximum(state.low, low),
            high=np.minimum(state.high, high),
        )

    def estimate(self, state: TableState) -> Estimate:
        """Return the estimates: the cells that agree with the answers that were followed."""
        low, high = state.low, state.high
        if self.follows_place:
            runs = np.arange(len(low))
            end = np.minimum(state.sizes[runs, state.own], state.at + state.most)
            start = state.starts[runs, state.own]
            low, high = start + state.at, start + end
        return Estimate.between(low[:, None], high[:, None])

    def _check_tossed(self, state: TableState) -> None:
        if state.tossed < len(self._course.coins[state.round]):
            raise RuntimeError("a coin of this round was not tossed")

    def _offsets(self, state: TableState) -> Int:
        """Return [runs, places or 1, offsets] the offsets asked in each place, from its start.

        `FAR` stands for no question.
        """
        arrays, node, at = self._arrays, state.node, state.at[:, None, None]
        if len(node) and (node == node[0]).all():  # usually true
            node = node[:1]
        most = int(arrays.asked[node].max(initial=0))
        row, step = arrays.ask_row[node, None], arrays.ask_step[node, None]
        if step.any():
            row = row + step * np.arange(state.starts.shape[1])
            # A run with fewer places than another has empty places, in which nothing is asked.
            row = np.minimum(row, len(arrays.offsets) - 1)
        return arrays.offsets[row, :most] + at

    def _is_full(self, state: TableState) -> bool:
        """Return True if all runs ask equally many offsets, all of them inside every place."""
        arrays, node = self._arrays, state.node
        asked, last = arrays.asked[node], state.at + arrays.last[node]
        alike = bool((asked == asked[:1]).all() and (last < state.at + state.most).all())
        return alike and bool((last[:, None] < state.sizes).all())

    def _inside(self, state: TableState, offsets: Int) -> NDArray[np.bool_]:
        """Return [runs, places, offsets] True if an offset lies inside a place."""
        end = np.minimum(state.sizes, (state.at + state.most)[:, None])
        inside: NDArray[np.bool_] = offsets < end[:, :, None]
        return inside

    def _edge(self, state: TableState) -> Int:
        """Return [runs] the first edge of a node in the row of the own place."""
        arrays, node = self._arrays, state.node
        edge: Int = arrays.first[arrays.edge_row[node] + arrays.edge_step[node] * state.own]
        return edge

    def _moved(self, state: TableState, edge: Int, goes: NDArray[np.bool_]) -> TableState:
        """Return the state in which some runs follow one edge each."""
        arrays = self._arrays
        layout, own = arrays.layout[edge], arrays.own[edge]
        alike = goes & arrays.alike[layout]
        at, most = arrays.at[layout, 0], arrays.most[layout, 0]
        moved = state._replace(
            node=np.where(goes, arrays.node[edge], state.node),
            # A place has no cells past its end; the limit keeps sums below 2^63.
            at=np.where(alike, np.minimum(state.at + at, self.size - 1), state.at),
            most=np.where(alike, np.minimum(state.most - at, most), state.most),
        )
        rows = np.flatnonzero(goes & ~alike)
        return self._replaced(moved, rows, layout[rows], own[rows]) if len(rows) else moved

    def _replaced(self, state: TableState, rows: Int, layout: Int, own: Int) -> TableState:
        """Return the state in which some runs have new places."""
        arrays, wide = self._arrays, int(self._arrays.many[layout].max())
        old, at, most = (each[layout, :wide] for each in (arrays.old, arrays.at, arrays.most))
        before = take(state, rows) if len(rows) < len(state.node) else state
        begin, end = before.at[:, None] + at, (before.at + before.most)[:, None]
        starts = np.take_along_axis(before.starts, old, axis=1) + begin
        sizes = np.minimum(np.take_along_axis(before.sizes, old, axis=1), end) - begin
        sizes = np.minimum(np.maximum(sizes, 0), most)
        new = before._replace(
            own=np.where(own == SAME, arrays.after[layout, before.own], own),
            at=np.zeros_like(own),
            most=np.full_like(own, self.size),
            starts=starts,
            sizes=sizes,
        )
        return new if before is state else _put(state, rows, new)

    @cached_property
    def _arrays(self) -> Arrays:
        return compiled(self.layouts, self.nodes)

    @cached_property
    def _course(self) -> Course:
        return course(self.size, self.layouts, self.nodes)


def _put(state: TableState, rows: Int, some: TableState) -> TableState:
    """Write the places of some runs over their old ones."""
    wide = max(state.starts.shape[1], some.starts.shape[1])

    def put(before: Int, after: Int) -> Int:
        found = before.copy()
        found[rows] = after
        return found

    def widened(places: Int) -> Int:
        return np.pad(places, ((0, 0), (0, wide - places.shape[1])))

    return state._replace(
        own=put(state.own, some.own),
        at=put(state.at, some.at),
        most=put(state.most, some.most),
        starts=put(widened(state.starts), widened(some.starts)),
        sizes=put(widened(state.sizes), widened(some.sizes)),
    )


def _yes(answers: Answers, first: Int, many: Int) -> Int:
    """Return [runs] the number of yes answers among the `many` from column `first` on."""
    wide = int(many.max(initial=0))
    if not wide:
        return np.zeros_like(many)
    last = answers.shape[1] - 1
    if wide == 1:
        yes = answers[np.arange(len(first)), np.minimum(first, last)]
        found: Int = (yes & (many > 0)).astype(np.int64)
        return found
    column = np.arange(wide)
    if not first.any():  # with one place, all answers are its own
        mine = answers[:, :wide]
    else:
        mine = np.take_along_axis(answers, np.minimum(first[:, None] + column, last), axis=1)
    if (many < wide).any():
        mine = mine & (column < many[:, None])
    count: Int = mine.sum(axis=1)
    return count
