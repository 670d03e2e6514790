"""Ask clients through Flower's Grid, as an oracle on the server."""

from __future__ import annotations

import math
import time
import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b
from random import Random, SystemRandom
from typing import Any

from feint.errors import InvalidValue, OracleFailed
from feint.exact import Number, rational
from feint.integrations.flower.wire import ACTION, EARLIER, KIND, flwr, questions, read_bits
from feint.problem import Query
from feint.search import Search
from feint.simulate.oracles import Bracket

_PAUSE = 0.2  # seconds between two checks for clients
_DIGEST = 6  # bytes of the fingerprint of a set of clients
_WHO, _ORDER = b"feint clients", b"feint panel"
_UNKNOWN = f"registered with name '{ACTION}'"  # Flower's reply if there is no handler
_OLD = (
    "some clients have feint before 0.2 and were asked by a plain query: update them; later"
    " versions will not ask so"
)


@dataclass
class Clients:
    """An oracle of the clients of a Flower run: yes if at least a share of them reaches a number.

    All questions of a round go to a client in one message, and one bit per question comes back.
    Replies that are missing, late, erroneous or damaged are requested again. Of duplicate replies
    the first counts, and replies to messages of other rounds are dropped.

    Attributes:
        grid: Flower's Grid.
        share: The quantile: the greatest number with at most this share of clients below it. If the
            number of clients is even, the median is the greater of the middle two.
        count: The number of clients to wait for; None: those that are connected.
        sample: The number of clients to draw for each question; None: all of them are asked.
        missing: The share of clients that may stay silent in a round; they are then left out of it.
        timeout: Seconds to wait for replies at a time.
        tries: The number of attempts with a client that does not reply.
        dim: The exact number of numbers that a client must have; None: at least the number that the
            questions need.
        stepped: Whether these numbers are whole steps; a float near a step then counts as it.
        nodes: The clients to ask; None: all that are connected at the first question.
        random: The source of randomness for samples; by default that of the system.
        messages: The number of messages that were sent.
    """

    grid: Any
    share: Number = "1/2"
    count: int | None = None
    sample: int | None = None
    missing: Number = 0
    timeout: float = 60.0
    tries: int = 10
    dim: int | None = None
    stepped: bool = False
    nodes: Sequence[int] | None = None
    random: Random = field(default_factory=SystemRandom)
    messages: int = 0
    _nodes: list[int] = field(default_factory=list, repr=False)
    _earlier: set[int] = field(default_factory=set, repr=False)
    _brackets: dict[int, Bracket] = field(default_factory=lambda: defaultdict(Bracket), repr=False)

    def __post_init__(self) -> None:
        """Check the shares.

        Raises:
            InvalidValue: One of them is not a share.
        """
        if not 0 < rational(self.share, "share") < 1:
            rule = "must lie between 0 and 1"
            raise InvalidValue("share", self.share, rule, "1/2 is the median")
        if not 0 <= rational(self.missing, "missing") < 1:
            rule = "must be at least 0 and below 1"
            raise InvalidValue("missing", self.missing, rule, "0 waits for every client")

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """Ask the clients, and count their answers.

        Raises:
            OracleFailed: Too few clients are connected, or too few replied.
        """
        nodes = self.present()
        asked: dict[int, list[Query]]
        if self.sample is None:
            asked = {node: list(queries) for node in nodes}
        else:
            asked = defaultdict(list)
            for query in queries:
                for node in self.random.sample(nodes, min(self.sample, len(nodes))):
                    asked[node].append(query)
        replies = self._replies(asked)
        votes: dict[str, list[bool]] = defaultdict(list)
        for node, answers in replies.items():
            for query, answer in zip(asked[node], answers, strict=True):
                votes[query.id].append(answer)
        least = 1 - rational(self.share, "share")
        raw = [_reached(votes[query.id], least) for query in queries]
        return raw if self.sample is not None else self._fitting(queries, raw)

    def recall(self, search: Search) -> None:
        """Take the answers of a continued search, so that later answers fit them."""
        if self.sample is None:
            for each in search.history:
                if each.answer is not None:
                    # the value in the history may be rounded to a float
                    exactly = search.query(each.id).value
                    self._brackets[each.coordinate].take([exactly], [each.answer])

    def _fitting(self, queries: Sequence[Query], raw: list[bool]) -> list[bool]:
        """Return answers that are consistent with one number, even if clients lie."""
        found = dict[str, bool]()
        for coordinate in {query.coordinate for query in queries}:
            own = [query for query in queries if query.coordinate == coordinate]
            said = [yes for query, yes in zip(queries, raw, strict=True) if query in own]
            points = [query.value for query in own]
            answers = self._brackets[coordinate].take(points, said)
            found |= {query.id: yes for query, yes in zip(own, answers, strict=True)}
        return [found[query.id] for query in queries]

    def present(self) -> list[int]:
        """Return the clients once enough are connected. They stay the same from then on.

        Raises:
            OracleFailed: Too few are connected.
        """
        until = time.monotonic() + self.timeout
        while not self._nodes:
            there = sorted(self.grid.get_node_ids() if self.nodes is None else self.nodes)
            wanted = max(1, self.count or 1, self.sample or 1)
            if len(there) >= wanted:
                self._nodes = there
            elif time.monotonic() > until:
                rule = f"{len(there)} clients are there, and {wanted} are wanted"
                raise OracleFailed(f"too few clients: {rule}; wait for them, or ask for fewer")
            else:
                time.sleep(_PAUSE)
        return self._nodes

    def fingerprint(self) -> int:
        """Return a whole number that identifies the set of clients."""
        names = " ".join(map(str, sorted(self.present()))).encode()
        return int.from_bytes(blake2b(names, digest_size=_DIGEST, person=_WHO).digest(), "big")

    def draw(self, size: int, key: bytes) -> None:
        """Keep a sample of the clients, which depends only on the key and on the clients."""
        self._nodes = shuffled(self.present(), key)[:size]

    def _replies(self, asked: dict[int, list[Query]]) -> dict[int, list[bool]]:
        """Return the answers of each client that replied in time.

        Raises:
            OracleFailed: Too few clients replied.
        """
        replies: dict[int, list[bool]] = {}
        ids = set[str]()  # ids of this round's messages; a Grid may not assign any
        errors: dict[int, str] = {}
        left = self.tries
        while left > 0:
            left -= 1
            silent = [node for node in asked if node not in replies]
            if not silent:
                break
            content = {node: self._content(asked[node]) for node in silent}
            sent = [
                flwr().Message(
                    content=content[node], dst_node_id=node, message_type=self._kind(node)
                )
                for node in silent
            ]
            self.messages += len(sent)
            received = list(self.grid.send_and_receive(sent, timeout=self.timeout))
            ids |= {each.metadata.message_id for each in sent} - {""}
            for reply in received:
                node = reply.metadata.src_node_id
                late = ids and reply.metadata.reply_to_message_id not in ids
                if late or node not in asked or node in replies:
                    continue
                if reply.has_error():
                    errors[node] = reply.error.reason or "no reason"
                    if self._learns_kind(node, errors[node]):
                        left = max(left, 1)  # it was not asked yet in a form that it understands
                    continue
                held = read_bits(reply.content, len(asked[node]))
                if held is not None:
                    replies[node] = held
        lacking = len(asked) - len(replies)
        if lacking > math.floor(rational(self.missing, "missing") * len(asked)):
            raise self._too_few(
                lacking, len(asked), [errors[each] for each in errors.keys() - replies]
            )
        return replies

    def _content(self, queries: Sequence[Query]) -> Any:
        """Return the record of a client's questions."""
        return questions(queries, dim=self.dim, stepped=self.stepped)

    def _kind(self, node: int) -> str:
        """Return the type of message that a client has a handler for."""
        return EARLIER if node in self._earlier else KIND

    def _learns_kind(self, node: int, reason: str) -> bool:
        """Switch a client to the messages of earlier versions if it does not know the type."""
        if _UNKNOWN not in reason or node in self._earlier:
            return False
        if not self._earlier:
            warnings.warn(_OLD, DeprecationWarning, stacklevel=2)
        self._earlier.add(node)
        return True

    def _too_few(self, lacking: int, asked: int, errors: list[str]) -> OracleFailed:
        """Build the error for too few replies. Only the owner reads messages of clients' errors."""
        said = f", and {len(errors)} with an error, which `for_owner` tells" if errors else ""
        rule = f"{lacking} of {asked} clients did not reply after {self.tries} tries{said}"
        failure = OracleFailed(f"{rule}; go on when they are back, or let more be missing")
        failure.for_owner = next(iter(errors), None)
        return failure


def shuffled(nodes: Sequence[int], key: bytes) -> list[int]:
    """Return clients in an order that a key decides, and that looks random without the key."""

    def place(node: int) -> bytes:
        return blake2b(str(node).encode(), key=key, person=_ORDER).digest()

    return sorted(nodes, key=place)


def _reached(votes: Sequence[bool], least: Fraction) -> bool:
    """Return True if at least a share of the votes is yes; without votes, return False."""
    return bool(votes) and sum(votes) >= least * len(votes)
