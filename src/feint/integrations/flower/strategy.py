"""Clip updates in a Flower strategy by a norm that feint finds. This needs Flower."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import (
    DifferentialPrivacyClientSideAdaptiveClipping,
    DifferentialPrivacyClientSideFixedClipping,
    Strategy,
)

from feint.audit import Motion
from feint.errors import BadState, InvalidValue, MotionBroken
from feint.exact import Number, rational
from feint.integrations.flower.kept import kept, norm_name, norm_rounds
from feint.integrations.flower.server import Clients
from feint.integrations.flower.updates import clipped, update_norm
from feint.interfaces import Journal
from feint.journal import Lasting, Memory
from feint.planning import Plan

_CLIENT_SIDE = (
    DifferentialPrivacyClientSideAdaptiveClipping,
    DifferentialPrivacyClientSideFixedClipping,
)
_TOO_FAR = (
    "a norm was found further from the one before than motion allows: what is promised of all"
    " searches together does not hold for these; state how far norms really move, and plan anew"
)
_LOG = logging.getLogger(__name__)
_BROADCAST = "clipping_norm"  # the key with which Flower sends a norm to clients


class Clipping(Strategy):
    """A strategy around another one that clips its updates; `private_clipping` makes it.

    Neither the norm nor the answers behind it are logged or put into a record.

    Attributes:
        plan: The plan of the search for one norm.
        norms: The norms by round, including those of earlier processes in the journal. Secret.
        messages: The number of messages that asked about norms.
        too_far: The rounds whose norm differs from the previous one by more than `motion` allows.
    """

    def __init__(
        self,
        *,
        strategy: Strategy,
        noise_multiplier: float,
        num_sampled_clients: int,
        share: Number,
        plan: Plan,
        motion: Motion | None,
        searches: int,
        every: int,
        journal: Journal | None,
        missing: Number,
        timeout: float,
        tries: int,
    ) -> None:
        """Take the arguments of `private_clipping`.

        Raises:
            InvalidValue: The strategy lets its clients clip, or a number is wrong.
            BadState: The journal has norms of another plan or share.
        """
        if isinstance(strategy, _CLIENT_SIDE):
            raise _client_side("strategy", type(strategy).__name__)
        if noise_multiplier < 0:
            rule = "must be at least 0"
            raise InvalidValue("noise_multiplier", noise_multiplier, rule, "0 adds none")
        if num_sampled_clients < 1:
            rule = "must be at least 1"
            raise InvalidValue("num_sampled_clients", num_sampled_clients, rule, "say how many")
        self.strategy, self.plan = strategy, plan
        self.noise_multiplier, self.num_sampled_clients = noise_multiplier, num_sampled_clients
        self.norms: dict[int, float] = {}
        self.messages = 0
        self.too_far: set[int] = set()
        self._motion, self._share, self._searches, self._every = motion, share, searches, every
        self._journal = Memory() if journal is None else journal
        self._asking: dict[str, Any] = {"missing": missing, "timeout": timeout, "tries": tries}
        Clients(None, share=share, **self._asking)  # refuse wrong arguments before any round
        self._grid: Grid | None = None
        self._sent = ArrayRecord()
        self._begun = norm_rounds(self._journal)
        for begun in self._begun:
            with self._kept(begun) as search:
                if search.done:
                    self.norms[begun] = float(search.result.estimate)

    def __repr__(self) -> str:
        """Return a text without the norms, since Flower logs strategies."""
        return "private_clipping(...)"

    def summary(self) -> None:
        """Log the wrapped strategy's settings; the norm is not among them."""
        self.strategy.summary()

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Configure training as the wrapped strategy does.

        Raises:
            InvalidValue: A norm is about to be broadcast.
        """
        self._grid, self._sent = grid, arrays
        sent = list(self.strategy.configure_train(server_round, arrays, config, grid))
        told = [record for each in sent for record in each.content.config_records.values()]
        if any(_BROADCAST in record for record in (config, *told)):
            raise _client_side("config", _BROADCAST)
        return sent

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Find the norm of this round's updates, clip them, aggregate, add the noise.

        A reply whose arrays differ from the model's in name or shape, or are not finite, is an
        error of its client. It is left out before any question, and logged.

        Raises:
            OracleFailed: Too few of the clients answered; with a journal the search can continue.
            BadState: All searches have begun, and none is complete.
        """
        came = [reply for reply in replies if not reply.has_error()]
        there = [reply for reply in came if _fits(self._sent, reply)]
        if not there:
            return self.strategy.aggregate_train(server_round, there)
        if server_round not in self.norms and self._due(server_round):
            self.norms[server_round] = self._found(server_round, there)
            self._check_motion(server_round)
        norm = self._norm(server_round)
        for reply in there:
            for name, record in list(reply.content.array_records.items()):
                reply.content[name] = _clipped(self._sent, record, norm)
        arrays, metrics = self.strategy.aggregate_train(server_round, there)
        if arrays is not None:
            arrays = _noisy(arrays, self.noise_multiplier * norm / self.num_sampled_clients)
        return arrays, metrics

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Configure evaluation as the wrapped strategy does."""
        return self.strategy.configure_evaluate(server_round, arrays, config, grid)

    def aggregate_evaluate(
        self, server_round: int, replies: Iterable[Message]
    ) -> MetricRecord | None:
        """Aggregate evaluation as the wrapped strategy does."""
        return self.strategy.aggregate_evaluate(server_round, replies)

    def _due(self, server_round: int) -> bool:
        """Return True if this round has a search: one that began, or one of the remaining ones."""
        if server_round in self._begun or not self._begun:
            return True
        waited = server_round - max(self._begun) >= self._every
        return waited and len(self._begun) < self._searches

    def _check_motion(self, server_round: int) -> None:
        """Warn if this round's norm differs from the previous one by more than `motion` allows."""
        before = max((each for each in self.norms if each < server_round), default=None)
        if before is None or self._motion is None or self._motion.reach is None:
            return
        searches = sum(before < each <= server_round for each in self._begun)
        # Each of the two estimates is within epsilon/2 of its norm.
        most = searches * self._motion.reach + self.plan.domain.width * self.plan.problem.epsilon
        if abs(self.norms[server_round] - self.norms[before]) > most:
            self.too_far.add(server_round)
            warnings.warn(_TOO_FAR, MotionBroken, stacklevel=2)

    def _norm(self, server_round: int) -> float:
        """Return the last norm up to this round, or the first one if it came later.

        Raises:
            BadState: There is no norm.
        """
        if not self.norms:
            rule = "no norm was found in this number of searches: one more would break the promise"
            remedy = f"go on with round {max(self._begun)}"
            raise BadState("searches", self._searches, rule, remedy)
        before = [each for each in self.norms if each <= server_round]
        return self.norms[max(before, default=min(self.norms))]

    def _kept(self, server_round: int) -> AbstractContextManager[Lasting]:
        asked = {"share": rational(self._share, "target_clipped_quantile")}
        return kept(self._journal, norm_name(server_round), self.plan, asked=asked)

    def _found(self, server_round: int, replies: list[Message]) -> float:
        nodes = [reply.metadata.src_node_id for reply in replies]
        clients = Clients(self._grid, share=self._share, nodes=nodes, dim=1, **self._asking)
        self._begun.add(server_round)
        with self._kept(server_round) as search:
            clients.recall(search.search)
            found = search.finish(clients)
        self.messages += clients.messages
        return float(found.estimate)


def _client_side(argument: str, value: str) -> InvalidValue:
    rule = "clients that clip are sent the norm, which is the result: nothing hides it from them"
    return InvalidValue(argument, value, rule, "wrap the plain strategy: the server clips")


def _clipped(before: ArrayRecord, after: ArrayRecord, norm: float) -> ArrayRecord:
    """Return the second record, clipped to the norm around the first, and in its order."""
    held = clipped(before, after, norm)
    return ArrayRecord({key: Array(each) for key, each in held.items()})


def _fits(model: ArrayRecord, reply: Message) -> bool:
    """Return True if a reply is an update of this model; log the rule that others violate."""
    records = list(reply.content.array_records.values())
    try:
        for record in records:
            update_norm(model, record)
    except InvalidValue as error:
        _LOG.warning("the update of node %s is left out: %s", reply.metadata.src_node_id, error)
        return False
    return bool(records)


def _noisy(arrays: ArrayRecord, spread: float) -> ArrayRecord:
    """Return arrays with Gaussian noise on every entry."""
    random = np.random.default_rng()
    held = {}
    for key, each in zip(arrays, arrays.to_numpy_ndarrays(), strict=True):
        noise = random.normal(0.0, spread, each.shape).astype(each.dtype)
        held[key] = Array(np.asarray(each + noise))
    return ArrayRecord(held)
