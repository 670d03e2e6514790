"""Run a Flower Grid in this process, for experiments without Ray or a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any
from uuid import uuid4

from feint.integrations.flower.clients import Values, replied
from feint.integrations.flower.wire import RECORD, flwr

_RAISED = 2  # Flower's code for a ClientApp that raised an exception
Client = Callable[[Any], Any]
"""A function that returns the reply to a message."""


class InProcess:
    """A Grid whose clients answer at once. Replies may be lost, doubled, damaged or errors.

    If a client raises an exception, its reply is an error, as in Flower.

    The grid records what every client hears, so that experiments can pass it to an eavesdropper.

    Attributes:
        clients: The function that answers for each node.
        heard: The questions to each node by message, as pairs of a coordinate and a number.
        lost: The probability that a reply is lost.
        damaged: The probability that its bits are malformed.
        doubled: The probability that it comes twice.
        failing: The probability that it is an error.
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
        """Store the clients and the probabilities of faults.

        Args:
            clients: By node, a function from a message to its reply, such as
                `lambda message: replied(message, 3.5)`.
            lost: As the attribute.
            damaged: As the attribute.
            doubled: As the attribute.
            failing: As the attribute.
            seed: The seed that decides which replies go wrong.

        Raises:
            MissingExtra: Flower is not installed.
        """
        flwr()
        from flwr.supercore.task_identity import TaskIdentity

        TaskIdentity.run_id = TaskIdentity.task_id = 1  # the sender, as in a ServerApp
        TaskIdentity.node_id = 0
        self.clients, self._random = dict(clients), Random(seed)
        self.lost, self.damaged, self.doubled, self.failing = lost, damaged, doubled, failing
        self.heard: dict[int, list[list[tuple[int, str]]]] = {node: [] for node in clients}

    @classmethod
    def holding(cls, values: Iterable[Values], **network: Any) -> InProcess:
        """Return a grid of clients that answer truly, each from its own number.

        Args:
            values: The numbers of each client, as in `replied`; the first is node 1.
            network: Further arguments of `InProcess`.

        Returns:
            The grid.
        """

        def client(own: Values) -> Client:
            return lambda message: replied(message, own)

        return cls({node: client(own) for node, own in enumerate(values, 1)}, **network)

    def get_node_ids(self) -> Iterable[int]:
        """Return all nodes."""
        return list(self.clients)

    def send_and_receive(
        self, messages: Iterable[Any], *, timeout: float | None = None
    ) -> Iterable[Any]:
        """Return the replies to messages, except lost ones."""
        return [reply for message in messages for reply in self._replies(message)]

    def _replies(self, message: Any) -> list[Any]:
        node = message.metadata.dst_node_id
        message.metadata.__dict__["_message_id"] = str(uuid4())  # as Flower's Grids do
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
        except Exception as error:  # noqa: BLE001 - a client may raise anything
            # As in Flower's runtime, and in its words, a client's error becomes its reply.
            failed = flwr().Error(code=_RAISED, reason=f"{type(error)}:<'{error}'>")
            return [flwr().Message(failed, reply_to=message)]
        if self._random.random() < self.damaged:
            reply.content.config_records[RECORD]["bits"] = b"\x07"
        return [reply] * (2 if self._random.random() < self.doubled else 1)
