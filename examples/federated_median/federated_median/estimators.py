"""Find the median through a Grid in three ways, and record what a client hears of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flwr.app as flwr

from feint.integrations.flower import InProcess, private_quantile

from .data import EPSILON, HIGH, LOW

RATE, ROUNDS = 0.2, 40


@dataclass(frozen=True)
class Run:
    """The result of one run.

    Attributes:
        estimate: What the server learned.
        heard: What a client was asked, round by round.
        messages: The number of messages to clients.
    """

    estimate: float
    heard: list[list[float]]
    messages: int


Estimator = Callable[[list[float]], Run]


def searched(method: str, *, delta: int, level: int) -> Estimator:
    """Return an estimator that runs feint: "tight", which is private, or plain "bisection"."""

    def run(values: list[float]) -> Run:
        grid = InProcess.holding(values)
        found = private_quantile(
            grid, low=LOW, high=HIGH, epsilon=EPSILON, delta=delta, level=level, method=method
        )
        heard = [[float(Fraction(value)) for _, value in each] for each in grid.heard[1]]
        return Run(float(found.result.estimate), heard, found.messages)

    return run


def geometric(values: list[float]) -> Run:
    """Run the geometric quantile update (Andrew et al., 2021): a factor moves the threshold.

    It has no end of its own: it is stopped after 40 rounds.
    """
    grid, estimate = InProcess.holding(values), (LOW + HIGH) / 2
    for _ in range(ROUNDS):
        asked = str(Fraction(estimate))
        question = flwr.ConfigRecord(
            {"coordinate": [0], "value": [asked], "exact": [False], "dim": 1}
        )
        sent = [
            flwr.Message(
                flwr.RecordDict({"feint": question}),
                dst_node_id=node,
                message_type="query.feint",
            )
            for node in grid.get_node_ids()
        ]
        replies = list(grid.send_and_receive(sent))
        bits: list[Any] = [each.content.config_records["feint"]["bits"] for each in replies]
        below = sum(bit == b"\x00" for bit in bits) / len(bits)
        estimate *= math.exp(-RATE * (below - 0.5))
    heard = [[float(Fraction(value)) for _, value in each] for each in grid.heard[1]]
    return Run(estimate, heard, ROUNDS * len(values))
