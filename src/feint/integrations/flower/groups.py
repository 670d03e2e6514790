"""Ask a new group of clients for each question, on the server, if bits are flipped."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any

from feint.errors import BadState
from feint.exact import Number, plain
from feint.integrations.flower.claims import ranked_claim
from feint.integrations.flower.server import Clients, shuffled
from feint.integrations.flower.wire import Terms, questions
from feint.journal import Lasting
from feint.planning import PrivateBits, bisected
from feint.problem import Query, Told

_PLACES = 10**4  # decimals of a probability in words
_SEARCH, _NAME = b"feint search", 16  # purpose and bytes of the identifier that clients receive


@dataclass
class Groups(Clients):
    """Clients of a Flower run that answer with flipped bits, one question per group.

    The search's key decides the order of the clients. So a server that continues asks the same
    clients the same questions, and they resend the same bits.

    Attributes:
        bits: The plan.
        lasting: The search.
    """

    bits: PrivateBits | None = None
    lasting: Lasting | None = None

    def begin(self, bits: PrivateBits, lasting: Lasting) -> None:
        """Start a search by assigning the clients to groups."""
        self.bits, self.lasting, key = bits, lasting, bytes.fromhex(lasting.search.header()["key"])
        name = blake2b(digest_size=_NAME, key=key, person=_SEARCH).hexdigest()
        self._terms = Terms(name, bits.loss_each)
        self._order = shuffled(self.present(), key)

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """Ask a group for each question, and follow the votes from the middle one on.

        The votes of a round are always counted together. If some of its answers were given before
        the server was killed, the same votes lead to the same answers again.

        Raises:
            OracleFailed: A client did not reply.
            BadState: No search has begun.
        """
        if self.bits is None or self.lasting is None:
            raise BadState("search", None, "must be begun first", "call begin")
        search = self.lasting.search
        shown = search.history
        now = [told for told in shown if told.round == queries[0].round]
        index = {told.id: number for number, told in enumerate(shown)}
        whole = {told.id: search.query(told.id) for told in now}
        asked: dict[int, list[Query]] = defaultdict(list)
        for id, query in whole.items():
            for node in self._group(index[id]):
                asked[node].append(query)
        count: dict[Fraction, int] = defaultdict(int)
        for node, bits in self._replies(asked).items():
            for query, bit in zip(asked[node], bits, strict=True):
                count[query.value] += bit
        low, high = self._known(shown, queries[0].round)
        least = self.bits.threshold
        points = [query.value for query in whole.values()]
        low, high, _ = bisected(points, low, high, lambda point: count[point] >= least)
        return [query.value <= low for query in queries]

    def _known(self, shown: Sequence[Told], round_: int) -> tuple[Any, Any]:
        """Return the greatest yes and the least no of earlier rounds."""
        low, high = -math.inf, math.inf
        for told in shown:
            if told.round < round_ and told.answer is not None and self.lasting is not None:
                value: Any = self.lasting.search.query(told.id).value
                low, high = (max(low, value), high) if told.answer else (low, min(high, value))
        return low, high

    def _group(self, number: int) -> list[int]:
        """Return the clients that answer the question of a number, in the order of asking."""
        size, there = (self.bits.group if self.bits else 0), len(self._order)
        return [self._order[(number * size + each) % there] for each in range(size)]

    def _learns_kind(self, node: int, reason: str) -> bool:
        """Return False, because a client of an earlier version would answer with its true bit."""
        return False

    def _content(self, queries: Sequence[Query]) -> Any:
        return questions(queries, dim=self.dim, stepped=self.stepped, terms=self._terms)


def bits_claim(
    bits: PrivateBits, share: Number, confidence: Number, success: Fraction | None
) -> str:
    """Return all guarantees for a search with flipped bits.

    Args:
        bits: The plan with its groups.
        share: The quantile, as it was given.
        confidence: The probability, as it was given.
        success: The largest success of an eavesdropper.
    """
    condition = "they flip true answers as they should"
    found = ranked_claim(
        bits.clients,
        share=share,
        rank=bits.rank,
        confidence=confidence,
        condition=condition,
        page="bits",
    )
    prior = bits.plan.problem.prior is not None
    believed = (
        "it believes the prior of the number found" if prior else "all are equally likely to it"
    )
    wins = (
        ""
        if success is None
        else " a client that hears every question is within delta/2 of the number found with"
        f" probability at most {_rounded_up(success)}, if {believed} and apart from what its own"
        " bits tell it;"
    )
    often = "one question" if bits.answers_each == 1 else f"{bits.answers_each} questions at most"
    return (
        f"{found};{wins} all that a client sends is {plain(bits.local_epsilon)}-locally"
        f" differentially private (computed: {bits.privacy_loss:.6f}), decoys and"
        f" resends included: it answers {often}, and flips a bit with probability"
        f" {float(bits.flip):.6f}"
    )


def _rounded_up(chance: Fraction) -> str:
    """Return a probability as a decimal that is not below it."""
    return plain(Fraction(math.ceil(chance * _PLACES), _PLACES))
