"""The Bayes-optimal eavesdropper, exactly: for every transcript the best window's middle."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.audit.exact import LIMIT, coordinates
from feint.branches import Posteriors, branches, refine
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import Strategy
from feint.problem import UNIFORM, Prior, Transcript

_REMEMBERED = 1 << 22
_FINEST = 1 << 40


class BestReply:
    """The exact best reply to a noiseless strategy: nobody who hears only the queries does better.

    It holds a guess for every transcript, so it is for strategies with at most 2^22 of them.
    """

    name = "best reply"

    def __init__(
        self,
        strategy: Strategy,
        *,
        delta: Fraction | None = None,
        prior: Prior = UNIFORM,
        limit: int = LIMIT,
    ) -> None:
        """Enumerate the strategy.

        Args:
            strategy: What she will listen to; several coordinates as a Product.
            delta: Full width within which she wins; the strategy's own problem says it.
            prior: Where X* may be.
            limit: Branches beyond which to refuse.

        Raises:
            TooLarge: There are more branches than that, more transcripts than are remembered, or
                cells so small that a float does not tell them apart.
        """
        width = strategy.problem.delta if delta is None else delta
        self._replies = [_replies(each, width, prior, limit) for each in coordinates(strategy)]

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """The middle of the best window, [runs, coordinates].

        Raises:
            InvalidValue: The strategy never asks such queries.
        """
        axis = np.array(transcript.coordinates, np.int64)
        found = np.empty((len(transcript.points), len(self._replies)))
        for coordinate, replies in enumerate(self._replies):
            points = np.ascontiguousarray(transcript.points[:, axis == coordinate], np.int64)
            found[:, coordinate] = [replies.get(row.tobytes(), np.nan) for row in points]
        if np.isnan(found).any():
            rule = "holds queries that the strategy never asks"
            raise InvalidValue(
                "transcript", "unknown", rule, "reply to the strategy that was heard"
            )
        return found


def _replies(strategy: Strategy, delta: Fraction, prior: Prior, limit: int) -> dict[bytes, float]:
    """For the queries of every transcript of one coordinate, the best window's middle in cells."""
    cells = strategy.cells[0]
    if cells > _FINEST:
        rule = f"a reply is a float, and tells at most {_FINEST} cells apart"
        raise TooLarge("cells", cells, rule, "measure the best reply by an exact audit instead")
    scale = refine(cells, delta, prior.bins)
    found: dict[bytes, float] = {}
    for part in branches(strategy, limit=limit):
        held = Posteriors.of(part, cells, scale, prior=prior)
        middles = (held.opens(int(delta * held.units)) / scale + float(delta * cells) / 2).tolist()
        table = np.ascontiguousarray(part.transcripts)
        found |= {row.tobytes(): middle for row, middle in zip(table, middles, strict=True)}
        if len(found) > _REMEMBERED:
            rule = f"at most {_REMEMBERED} are remembered"
            remedy = "measure the best reply by an exact audit instead"
            raise TooLarge("transcripts", len(found), rule, remedy)
    return found
