"""Solve the dynamic programme V(interval, questions, rounds), which finds most noiseless plans.

V is the least mass that the best eavesdropper catches of an interval. There are two ways to treat
an interval. A *leaf* is hidden by itself. A *cut* divides the interval in two, which takes a
question and a round. She then hears on which side the number lies, so what she catches is the sum
over both sides: see proofs/hiding.md. A plan for level L needs V ≤ 1/L on the whole range.

This module does not depend on how an interval is hidden. `noiseless.uniform` offers leaves on equal
cells, where V depends on the size alone. `priors.weighted` offers leaves under a prior.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Float = NDArray[np.float64]

SLACK = 1e-9
"""Bound on the relative error of sums of floats; exact arithmetic makes the final decision."""


@dataclass(frozen=True)
class Choice:
    """A choice that attains V of an interval.

    Attributes:
        row: The interval.
        queries: The number of questions it needs.
        layer: The most rounds it may have.
        cut: The position of the cut in two, as the programme counts; 0 for a leaf; −k for a cut
            into k.
        leaf: The description of a leaf, as it was offered.
    """

    row: int
    queries: int
    layer: int
    cut: int
    leaf: tuple[int, ...]


class Programme:
    """The values V of all intervals, and the choices that attain them.

    Attributes:
        limit: Only fewer questions than this are considered.
        rounds: The most rounds; None for any number.
        least: [rounds, intervals, questions] The values V. With any number of rounds, there is one
            layer.
        cut_cost: The cost of a cut of an interval in V: 0, or for `priced` its questions.
    """

    cut_cost: Float | float = 0.0

    def __init__(self, intervals: int, limit: int, rounds: int | None, *, fields: int) -> None:
        """Prepare a programme in which nothing is hidden yet.

        Args:
            intervals: The number of intervals. The last is the whole range.
            limit: Only fewer questions than this are considered.
            rounds: The most rounds; None for any number.
            fields: The number of integers that describe a leaf.
        """
        self.limit, self.rounds = limit, rounds
        shape = (1 if rounds is None else rounds + 1, intervals, limit)
        self.least: Float = np.full(shape, np.inf)
        self._leaves = np.zeros((*shape, fields), np.int64)
        self._cuts = np.zeros(shape, np.int64)  # cuts of large blocks lie beyond 2^31

    @property
    def row(self) -> Float:
        """[questions] V of the whole range."""
        found: Float = self.least[-1, -1]
        return found

    def layer_of(self, rounds: int) -> int | None:
        """Return the layer of a leaf that takes a number of rounds; None if there are too many."""
        if self.rounds is None:
            return 0
        return rounds if rounds <= self.rounds else None

    def offer(self, layer: int, row: Int, asked: Int, catch: Float, leaf: Any) -> None:
        """Use leaves for the intervals and numbers of questions at which she catches less.

        Args:
            layer: The layer from `layer_of`.
            row: [leaves] The intervals. No two leaves share both interval and number of questions.
            asked: [leaves] The number of questions of each leaf.
            catch: [leaves] The mass that she catches.
            leaf: The description of the leaves: one for all, or [leaves, fields].
        """
        short = np.flatnonzero(asked < self.limit)
        better = catch[short] < self.least[layer, row[short], asked[short]] * (1 - SLACK)
        short = short[better]
        at = (layer, row[short], asked[short])
        self.least[at] = catch[short]
        self._leaves[at] = leaf[short] if isinstance(leaf, np.ndarray) else leaf

    def splits(self) -> Iterator[tuple[int, Any, Any, Int]]:
        """Yield each interval that may be cut, shorter ones first.

        Yields:
            The interval, the rows of the lower and the upper sides, and the positions of the cuts.
        """
        raise NotImplementedError

    def cut(self) -> None:
        """Cut every interval in two if that is better; more questions or rounds never hurt."""
        self._alone = self.least.copy()
        costs = np.broadcast_to(self.cut_cost, self.least.shape[1])
        splits = list(self.splits())
        for layer, least in enumerate(self.least):
            before = least
            if self.rounds is not None and layer:
                before = self.least[layer - 1]
                np.minimum(least, before, out=least)
            np.minimum.accumulate(least, axis=1, out=least)
            if self.rounds is not None and not layer:  # there is no cut without a round
                continue
            bar = least[:, 1:] * (1 - SLACK)
            # Most of the time goes into calls on small arrays, so make as few as possible.
            for row, lower, upper, places in splits:
                both = before[lower, :-1] + before[upper, :-1]
                total = np.minimum.reduce(both) + costs[row]
                (better,) = (total < bar[row]).nonzero()
                if len(better):
                    best = both[:, better].argmin(axis=0)  # slow: only if needed
                    least[row, better + 1] = total[better]
                    self._cuts[layer, row, better + 1] = places[best]
                    np.minimum.accumulate(least[row], out=least[row])
            if self.rounds is not None:
                self.cut_further(layer, before)
                np.minimum.accumulate(least, axis=1, out=least)

    def cut_further(self, layer: int, before: Float) -> None:
        """Cut intervals into more than two at once; by default, do nothing.

        Args:
            layer: The number of rounds.
            before: [intervals, questions] V with a round fewer.
        """

    def improve(self, layer: int, asked: int, row: Int, total: Float, cut: int) -> None:
        """Take cuts that ask several questions at once if they are better.

        Args:
            layer: The number of rounds.
            asked: The number of questions of a cut.
            row: [rows] The intervals.
            total: [rows, limit − asked] The mass that she catches.
            cut: The code of the cut.
        """
        here = self.least[layer, row, asked:]
        rows, queries = np.nonzero(total < here * (1 - SLACK))
        at = (layer, row[rows], queries + asked)
        self.least[at] = total[rows, queries]
        self._cuts[at] = cut

    def priced(self, sizes: Int, price: float) -> Self:
        """Return the programme of mean questions plus a price on the catch.

        Args:
            sizes: [intervals] The probability of each, which weights the questions asked in it.
            price: The value of a unit of catch, in questions.

        Returns:
            A copy in which V is Σ size × questions + price × catch.
        """
        found = copy(self)
        asked = np.arange(self.limit) * sizes[:, None]
        found.least, found._cuts = self._alone * price + asked, np.zeros_like(self._cuts)
        found.cut_cost = sizes.astype(float)
        found.cut()
        return found

    def choice(self, row: int, queries: int, layer: int) -> Choice:
        """Return the choice that attains V of an interval with fewest questions, then rounds."""
        least = self.least[:, row]
        if not least[layer, queries] < np.inf:
            raise RuntimeError("no interval is hidden with that many questions")
        enough = least[layer, queries] * (1 + SLACK)
        while queries and least[layer, queries - 1] <= enough:
            queries -= 1
        while layer and least[layer - 1, queries] <= enough:
            layer -= 1
        cut = int(self._cuts[layer, row, queries])
        leaf = tuple(self._leaves[layer, row, queries].tolist())
        return Choice(row, queries, layer, cut, leaf)
