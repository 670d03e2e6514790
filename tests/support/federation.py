"""What feint uses of a Flower Grid, in this process; the network can misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import flwr.app as flwr
from flwr.supercore.task_identity import TaskIdentity

Client = Callable[[Any], Any]
"""From a message to its reply."""


class InProcess:
    """Every client answers at once; replies may be lost, doubled, damaged or errors.

    Attributes:
        heard: What each client has received: a list of (coordinate, value) a message.
    """

    def __init__(
        self,
        clients: dict[int, Client],
        *,
        lost: float = 0.0,
        damaged: float = 0.0,
        doubled: float = 0.0,
        failing: float = 0.0,
        seed: int = 0,
    ) -> None:
        TaskIdentity.run_id = TaskIdentity.task_id = 1  # who sends, as in a ServerApp
        TaskIdentity.node_id = 0
        self.clients, self.random = clients, Random(seed)
        self.lost, self.damaged, self.doubled, self.failing = lost, damaged, doubled, failing
        self.heard: dict[int, list[list[tuple[int, str]]]] = {node: [] for node in clients}
        self.waiting: dict[str, list[Any]] = {}

    def get_node_ids(self) -> Iterable[int]:
        return list(self.clients)

    def push_messages(self, messages: Iterable[Any]) -> Iterable[str]:
        ids = []
        for message in messages:
            node = message.metadata.dst_node_id
            held = message.content.config_records["feint"]
            self.heard[node].append(list(zip(held["coordinate"], held["value"], strict=True)))
            name = f"{len(self.waiting)}"
            self.waiting[name] = self._replies(message, node)
            ids.append(name)
        return ids

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Any]:
        return [reply for name in message_ids for reply in self.waiting.pop(name, [])]

    def send_and_receive(
        self, messages: Iterable[Any], *, timeout: float | None = None
    ) -> Iterable[Any]:
        return self.pull_messages(self.push_messages(messages))

    def _replies(self, message: Any, node: int) -> list[Any]:
        if self.random.random() < self.lost:
            return []
        if self.random.random() < self.failing:
            failed = flwr.Message(flwr.Error(code=1, reason="broken"), reply_to=message)
            return [failed]
        reply = self.clients[node](message)
        if self.random.random() < self.damaged:
            reply.content.config_records["feint"]["bits"] = b"\x07"
        return [reply] * (2 if self.random.random() < self.doubled else 1)
