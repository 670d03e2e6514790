"""Play any finite strategy from a table: at every history a random choice of the next query.

The linear programme of the optimum writes its answer in this form. A table has no guarantee except
what its enumeration shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.interfaces import Answers, Estimate, Points, Round, Sides, Weights
from feint.problem import Problem

Int = NDArray[np.int64]
History = tuple[tuple[int, bool], ...]
"""The queries so far, each with its answer."""

NOWHERE = -1
"""The child after the last query, or after an answer that cannot come."""


class Node(NamedTuple):
    """The choices at one history; two lists of whole numbers in JSON.

    Attributes:
        choices: The boundaries to choose from, each with its whole weight.
        children: The numbers of the nodes after "no" and after "yes", for each choice.
    """

    choices: tuple[tuple[int, int], ...]
    children: tuple[tuple[int, int], ...]


class TabularState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        tossed: True if this round's query was chosen.
        node: The node of the history so far.
        choice: The number of the chosen query at that node.
        low: The boundary X* lies at or above.
        high: The boundary X* lies below.
    """

    round: int
    tossed: bool
    node: Int
    choice: Int
    low: Int
    high: Int


@dataclass(frozen=True)
class Tabular:
    """A strategy of single queries that a table defines.

    Attributes:
        problem: The problem that the strategy solves.
        size: The number of cells of the lattice.
        queries: The number of queries of every run, one per round.
        nodes: The table. Node 0 comes first. Lists are accepted, as JSON has them.
    """

    problem: Problem
    size: int
    queries: int
    nodes: tuple[Node, ...]

    asks_all = True

    def __post_init__(self) -> None:
        """Freeze the table and check it node by node.

        Raises:
            InvalidValue: A query is off the lattice, a weight is missing, or a child does not
                exist.
        """
        try:
            nodes = tuple(_frozen(*node) for node in self.nodes)
        except (TypeError, ValueError):
            rule = "must be (choices, children), pairs of whole numbers in both"
            raise InvalidValue("nodes", "something else", rule, "scale weights to ints") from None
        for number, node in enumerate(nodes):
            _check(node, f"nodes[{number}]", self.size, len(nodes))
        object.__setattr__(self, "nodes", nodes)

    @classmethod
    def from_histories(
        cls,
        problem: Problem,
        size: int,
        queries: int,
        table: Mapping[History, Sequence[tuple[int, int]]],
    ) -> Tabular:
        """Build the strategy from choices that are keyed by history.

        Args:
            problem: The problem that the strategy solves.
            size: The number of cells of the lattice.
            queries: The number of queries of every run.
            table: The boundaries to choose from at each history, with their whole weights. The
                empty history is the start. Histories that cannot occur may be left out.

        Returns:
            The strategy, with nodes ordered by the length of their histories.

        Raises:
            InvalidValue: As in `Tabular`, or the start has no entry.
        """
        if queries > 0 and () not in table:
            raise InvalidValue("table", "no ()", "must say how to start", "add the empty history")
        order = sorted(table, key=len)
        number = {history: index for index, history in enumerate(order)}

        def child(history: History, point: int, answer: bool) -> int:
            return number.get((*history, (point, answer)), NOWHERE)

        nodes = (
            Node(
                tuple(table[each]),
                tuple((child(each, q, False), child(each, q, True)) for q, _ in table[each]),
            )
            for each in order
        )
        return cls(problem, size, queries, tuple(nodes))

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the rounds, with one query per round."""
        return (Round("table", (0,)),) * self.queries

    def start(self, runs: int) -> TabularState:
        """Return the state at the first node, with everything possible."""
        zero = np.zeros(runs, np.int64)
        return TabularState(0, False, zero, zero, zero, np.full(runs, self.size, np.int64))

    def coin(self, state: TabularState) -> Weights | None:
        """Return the weights of the queries at the current node."""
        if state.tossed or state.round == self.queries:
            return None
        if (state.node == NOWHERE).any():
            rule = f"has no entry for a history of {state.round} queries that occurs"
            raise InvalidValue("nodes", len(self.nodes), rule, "add it to the table")
        return self._compiled[0][state.node]

    def toss(self, state: TabularState, side: Sides) -> TabularState:
        """Record the side, which is the query to ask."""
        return state._replace(tossed=True, choice=side)

    def ask(self, state: TabularState) -> Points:
        """Return the chosen query."""
        if not state.tossed:
            raise RuntimeError("the coin of this round was not tossed")
        return self._compiled[1][state.node, state.choice][:, None]

    def tell(self, state: TabularState, answers: Answers) -> TabularState:
        """Move to the child that the answer leads to."""
        point, yes = self.ask(state)[:, 0], answers[:, 0]
        return TabularState(
            state.round + 1,
            False,
            self._compiled[2][state.node, state.choice, yes.astype(np.int64)],
            np.zeros_like(state.choice),
            np.where(yes, np.maximum(state.low, point), state.low),
            np.where(yes, state.high, np.minimum(state.high, point)),
        )

    def estimate(self, state: TabularState) -> Estimate:
        """Return the cells that agree with every answer."""
        low, high = state.low[:, None], state.high[:, None]
        return Estimate.between(low, high)

    @cached_property
    def _compiled(self) -> tuple[Int, Int, Int]:
        """Return weights and points, [nodes, choices], and children, [nodes, choices, answers]."""
        width = max((len(node.choices) for node in self.nodes), default=0)
        weights = np.zeros((len(self.nodes), width), np.int64)
        points = np.zeros_like(weights)
        children = np.full((len(self.nodes), width, 2), NOWHERE, np.int64)
        for row, (choices, after) in enumerate(self.nodes):
            points[row, : len(choices)] = [point for point, _ in choices]
            weights[row, : len(choices)] = [weight for _, weight in choices]
            children[row, : len(choices)] = after
        return weights, points, children


def _frozen(choices: Sequence[Any], children: Sequence[Any]) -> Node:
    return Node(
        tuple((index(point), index(weight)) for point, weight in choices),
        tuple((index(no), index(yes)) for no, yes in children),
    )


def _check(node: Node, name: str, size: int, count: int) -> None:
    if len(node.choices) != len(node.children):
        rule = f"must give children to each of its {len(node.choices)} choices"
        raise InvalidValue(name, node.children, rule, f"{NOWHERE} stands for none")
    for point, _ in node.choices:
        if not 0 <= point <= size:
            rule = f"queries must lie on the lattice, 0 to {size}"
            raise InvalidValue(name, point, rule, "move it to the nearest boundary")
    weights = [weight for _, weight in node.choices]
    if min(weights, default=0) < 0 or not 0 < sum(weights) < 1 << 62:
        rule = "weights must not be negative, and their sum must lie between 1 and 2^62"
        raise InvalidValue(name, weights, rule, "scale them, or drop the node")
    for child in (child for pair in node.children for child in pair):
        if not NOWHERE <= child < count:
            rule = f"children must be nodes, 0 to {count - 1}"
            raise InvalidValue(name, child, rule, f"{NOWHERE} stands for none")
