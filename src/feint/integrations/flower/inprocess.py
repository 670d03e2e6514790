"""What feint uses of a Flower Grid, in this process: for experiments, without Ray or a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any
from uuid import uuid4

from feint.integrations.flower.clients import Values, replied
from feint.integrations.flower.wire import RECORD, flwr

_RAISED = 2  # Flower's code for a ClientApp that raised an exception
Client = Callable[[Any], Any]
"""From a message to its reply."""


class InProcess:
    """A Grid whose clients answer at once; replies may be lost, doubled, damaged or errors.

    What a client raises is an error that it replies with, as in Flower.

    It keeps what every client hears, so that experiments can hand it to an eavesdropper.

    Attributes:
        clients: What answers for each node.
        heard: What each node was asked, message by message: pairs of a coordinate and a number.
        lost: The probability that a reply is lost, and so for the others.
        damaged: That its bits are not as they must be.
        doubled: That it comes twice.
        failing: That it is an error.
    """

    def __init__(
        self,
        clients: Mapping[int, Client],
        *,
        lost: float = 0.0,
        damaged: float = 0.0,
        doubled: float = 0.0,
        failing: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Take the clients.

        Args:
            clients: From a message to its reply, by node; `lambda message: replied(message, 3.5)`.
            lost: As the attribute.
            damaged: As the attribute.
            doubled: As the attribute.
            failing: As the attribute.
            seed: Which replies go wrong.

        Raises:
            MissingExtra: Flower is not installed.
        """
        flwr()
        from flwr.supercore.task_identity import TaskIdentity

        TaskIdentity.run_id = TaskIdentity.task_id = 1  # who sends, as in a ServerApp
        TaskIdentity.node_id = 0
        self.clients, self._random = dict(clients), Random(seed)
        self.lost, self.damaged, self.doubled, self.failing = lost, damaged, doubled, failing
        self.heard: dict[int, list[list[tuple[int, str]]]] = {node: [] for node in clients}

    @classmethod
    def holding(cls, values: Iterable[Values], **network: Any) -> InProcess:
        """Clients that answer truly, each from its own number.

        Args:
            values: What each holds, as in `replied`; the first is node 1.
            network: What goes wrong, as at the beginning.

        Returns:
            The grid.
        """

        def client(own: Values) -> Client:
            return lambda message: replied(message, own)

        return cls({node: client(own) for node, own in enumerate(values, 1)}, **network)

    def get_node_ids(self) -> Iterable[int]:
        """The nodes that are there: all of them."""
        return list(self.clients)

    def send_and_receive(
        self, messages: Iterable[Any], *, timeout: float | None = None
    ) -> Iterable[Any]:
        """The replies to messages, without those that are lost."""
        return [reply for message in messages for reply in self._replies(message)]

    def _replies(self, message: Any) -> list[Any]:
        node = message.metadata.dst_node_id
        message.metadata.__dict__["_message_id"] = str(uuid4())  # as Flower's own Grids do
        held = message.content.config_records.get(RECORD)
        if held is not None:
            values = [value.strip() for value in held["value"]]
            self.heard[node].append(list(zip(held["coordinate"], values, strict=True)))
        if self._random.random() < self.lost:
            return []
        if self._random.random() < self.failing:
            failed = flwr().Error(code=1, reason="broken")
            return [flwr().Message(failed, reply_to=message)]
        try:
            reply = self.clients[node](message)
        except Exception as error:  # noqa: BLE001 - whatever a client raises
            # As Flower's own runtime does, and in its words: one client's error is its reply.
            failed = flwr().Error(code=_RAISED, reason=f"{type(error)}:<'{error}'>")
            return [flwr().Message(failed, reply_to=message)]
        if self._random.random() < self.damaged:
            reply.content.config_records[RECORD]["bits"] = b"\x07"
        return [reply] * (2 if self._random.random() < self.doubled else 1)
