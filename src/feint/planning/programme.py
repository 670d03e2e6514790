"""The dynamic programme behind every noiseless plan: V(interval, questions, rounds).

V is the least mass that the best eavesdropper catches of an interval. An interval is hidden by
itself (a *leaf*), or cut in two, which takes a question and a round. Which side it is is public, so
what she catches adds up over the two sides: see proofs/hiding.md. A plan for everything and level L
needs V ≤ 1/L.

This file knows nothing of how an interval is hidden. `noiseless.uniform` offers leaves on equal
cells, where V depends on the size alone; `priors.weighted` offers them under a prior.
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
"""Sums of floats are off by less than this, relatively; exact arithmetic decides what is enough."""


@dataclass(frozen=True)
class Choice:
    """What attains V of an interval.

    Attributes:
        row: The interval.
        queries: As many questions as it needs.
        layer: As many rounds as it may have.
        cut: Where it is cut in two, as the programme counts; 0: it is a leaf; −k: it is cut into k.
        leaf: How it is hidden if it is a leaf, as it was offered.
    """

    row: int
    queries: int
    layer: int
    cut: int
    leaf: tuple[int, ...]


class Programme:
    """V of all intervals, and what attains it.

    Attributes:
        limit: Only fewer questions than this are looked at.
        rounds: How many rounds there may be; None: any number.
        least: [rounds, intervals, questions] V; with any number of rounds there is one layer.
        cut_cost: What a cut of an interval adds to V: nothing, or for `priced` its questions.
    """

    cut_cost: Float | float = 0.0

    def __init__(self, intervals: int, limit: int, rounds: int | None, *, fields: int) -> None:
        """Prepare a programme in which nothing is hidden yet.

        Args:
            intervals: How many there are; the last is everything.
            limit: Only fewer questions than this are looked at.
            rounds: How many rounds there may be; None: any number.
            fields: How many numbers describe a leaf.
        """
        self.limit, self.rounds = limit, rounds
        shape = (1 if rounds is None else rounds + 1, intervals, limit)
        self.least: Float = np.full(shape, np.inf)
        self._leaves = np.zeros((*shape, fields), np.int64)
        self._cuts = np.zeros(shape, np.int64)  # cuts of large blocks lie beyond 2^31

    @property
    def row(self) -> Float:
        """[questions] V of everything."""
        found: Float = self.least[-1, -1]
        return found

    def layer_of(self, rounds: int) -> int | None:
        """Return the layer of a leaf that takes so many rounds; None: too many."""
        if self.rounds is None:
            return 0
        return rounds if rounds <= self.rounds else None

    def offer(self, layer: int, row: Int, asked: Int, catch: Float, leaf: Any) -> None:
        """Take leaves for those intervals and numbers of questions at which they catch less.

        Args:
            layer: As `layer_of` says.
            row: [leaves] the intervals; none comes twice with the same number of questions.
            asked: [leaves] how many questions each asks.
            catch: [leaves] what she catches.
            leaf: What describes them: one for all, or [leaves, fields].
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
            The interval, the lower sides and the upper sides as rows, and where each cut lies.
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
            if self.rounds is not None and not layer:  # without a round nothing is cut
                continue
            bar = least[:, 1:] * (1 - SLACK)
            # Most of the time goes into calls on small arrays: as few as possible are made.
            for row, lower, upper, places in splits:
                both = before[lower, :-1] + before[upper, :-1]
                total = np.minimum.reduce(both) + costs[row]
                (better,) = (total < bar[row]).nonzero()
                if len(better):
                    best = both[:, better].argmin(axis=0)  # slow: only where it is of use
                    least[row, better + 1] = total[better]
                    self._cuts[layer, row, better + 1] = places[best]
                    np.minimum.accumulate(least[row], out=least[row])
            if self.rounds is not None:
                self.cut_further(layer, before)
                np.minimum.accumulate(least, axis=1, out=least)

    def cut_further(self, layer: int, before: Float) -> None:
        """Cut intervals into more than two at once; without an override, none is.

        Args:
            layer: The number of rounds.
            before: [intervals, questions] V with a round fewer.
        """

    def improve(self, layer: int, asked: int, row: Int, total: Float, cut: int) -> None:
        """Take cuts that ask some questions at once where they are better.

        Args:
            layer: The number of rounds.
            asked: How many questions a cut asks.
            row: [rows] the intervals.
            total: [rows, limit − asked] what she catches.
            cut: What stands for the cut.
        """
        here = self.least[layer, row, asked:]
        rows, queries = np.nonzero(total < here * (1 - SLACK))
        at = (layer, row[rows], queries + asked)
        self.least[at] = total[rows, queries]
        self._cuts[at] = cut

    def priced(self, sizes: Int, price: float) -> Self:
        """Return the programme of mean questions plus a price for what is caught.

        Args:
            sizes: [intervals] how likely each is: it weighs the questions that are asked in it.
            price: How many questions a unit of what is caught is worth.

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
        """Return what attains V of an interval with the fewest questions, then rounds."""
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
