"""One coordinate, audited exactly: one pass over every branch, grouped by what is overheard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.branches import (
    UNIFORM,
    Branches,
    Posteriors,
    Prior,
    Window,
    branches,
    mass,
    refine,
)
from feint.errors import InvalidValue
from feint.interfaces import Strategy
from feint.strategies import Product

LIMIT = 1 << 26
"""Branches beyond which an exact audit refuses."""

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Exhibit:
    """One transcript and what it tells.

    Attributes:
        rounds: The queries, a tuple a round; boundaries of the lattice.
        cells: How many cells the lattice has.
        heard: The probability of hearing it.
        window: The best guess she can make: a window of length δ.
        pieces: Where X* may be, each piece with its probability.
        covering: The fewest windows of length δ that cover the pieces.
    """

    rounds: tuple[tuple[int, ...], ...]
    cells: int
    heard: Fraction
    window: Window
    pieces: tuple[Window, ...]
    covering: int


@dataclass(frozen=True)
class Miss:
    """A place that the learner's estimate misses.

    Attributes:
        low: X* lies at or above this.
        high: X* lies below this.
        estimate: What the learner says.
        error: How far off it can be.
        rounds: The queries that lead there.
    """

    low: Fraction
    high: Fraction
    estimate: Fraction
    error: Fraction
    rounds: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Measured:
    """What one pass over a strategy in one dimension shows, exactly.

    Attributes:
        branches: How many ways a run can go.
        transcripts: How many of them sound different.
        success: What the best eavesdropper wins with.
        accuracy: Twice the worst error: the full width that the estimate is good for.
        covering: The smallest covering number of an information set.
        telling: The transcript after which she is surest.
        tightest: A transcript that attains the covering number.
        miss: The worst error and where it happens.
    """

    branches: int
    transcripts: int
    success: Fraction
    accuracy: Fraction
    covering: int
    telling: Exhibit
    tightest: Exhibit
    miss: Miss


def coordinates(strategy: Strategy) -> tuple[Strategy, ...]:
    """The searches of single coordinates that a strategy is made of.

    Raises:
        InvalidValue: It searches several coordinates in a way of its own.
    """
    if isinstance(strategy, Product):
        return tuple(one for factor in strategy.factors for one in coordinates(factor))
    if len(strategy.cells) != 1:
        rule = "several coordinates are audited one by one, as the factors of a Product"
        remedy = "make it a Product, or sample runs instead"
        raise InvalidValue("strategy", type(strategy).__name__, rule, remedy)
    return (strategy,)


def measure(
    strategy: Strategy,
    delta: Fraction,
    *,
    prior: Prior = UNIFORM,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Measured:
    """Walk every branch of one coordinate and measure what is overheard.

    Args:
        strategy: A noiseless search of one coordinate.
        delta: Full width within which an eavesdropper wins.
        prior: Where X* may be.
        limit: Branches beyond which to refuse.
        progress: Called with the share of the work that is done.

    Returns:
        Exact figures.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    tally = _Tally(strategy, delta, prior)
    for part in branches(strategy, limit=limit):
        tally.add(part)
        if progress is not None:
            progress(float(tally.walked))
    return tally.measured()


class _Tally:
    """Sums, maxima and the transcripts that attain them, chunk after chunk."""

    def __init__(self, strategy: Strategy, delta: Fraction, prior: Prior) -> None:
        self.strategy, self.delta, self.prior = strategy, delta, prior
        self.cells = strategy.cells[0]
        self.scale = refine(self.cells, delta, prior.bins)
        self.length = int(delta * self.cells * self.scale)
        self.whole = mass(self.cells * self.scale, prior)
        self.walked = self.success = Fraction(0)
        self.branches = self.transcripts = 0
        self.surest, self.covering = 0.0, 0
        self.telling: Exhibit | None = None
        self.tightest: Exhibit | None = None
        self.miss: Miss | None = None

    def add(self, part: Branches) -> None:
        flat = Posteriors.of(part, self.cells, self.scale)
        weighed = flat
        if not self.prior.uniform:
            weighed = Posteriors.of(part, self.cells, self.scale, prior=self.prior)
        self.branches += len(part.low)
        self.transcripts += len(part.heard)
        caught, total = weighed.caught(self.length), weighed.total()
        self.success += Fraction(int(caught.sum()), part.total * self.whole)
        self.walked += Fraction(int(total.sum()), part.total * self.whole)
        share = (caught / np.maximum(total, 1)).astype(float)
        if self.telling is None or share.max() > self.surest:
            self.surest = float(share.max())
            self.telling = self._exhibit(part, weighed, flat, _first(part, share == self.surest))
        numbers = flat.coverings(self.length)
        if self.tightest is None or numbers.min() < self.covering:
            self.covering = int(numbers.min())
            least = _first(part, numbers == self.covering)
            # A prior may rule the transcript out; then what is possible is shown, unweighed.
            shown = weighed if total[least] else flat
            self.tightest = self._exhibit(part, shown, flat, least)
        self._missed(part)

    def measured(self) -> Measured:
        if self.telling is None or self.tightest is None or self.miss is None:
            raise RuntimeError("a strategy has at least one branch")
        return Measured(
            self.branches,
            self.transcripts,
            self.success,
            2 * self.miss.error,
            self.covering,
            self.telling,
            self.tightest,
            self.miss,
        )

    def _exhibit(
        self, part: Branches, weighed: Posteriors, flat: Posteriors, group: int
    ) -> Exhibit:
        whole = self.whole if weighed is not flat else self.cells * self.scale
        return Exhibit(
            self._rounds(part, group),
            self.cells,
            Fraction(int(weighed.total()[group]), part.total * whole),
            weighed.window(group, self.delta),
            tuple(weighed.pieces(group)),
            int(flat.coverings(self.length)[group]),
        )

    def _rounds(self, part: Branches, group: int) -> tuple[tuple[int, ...], ...]:
        points = part.heard.table(np.array([group]))[0].tolist()
        rounds, column = [], 0
        for each in self.strategy.rounds:
            end = column + len(each.coordinates)
            rounds.append(tuple(points[column:end]))
            column = end
        return tuple(rounds)

    def _missed(self, part: Branches) -> None:
        """The learner says the middle of her interval; X* may be at either end of the row."""
        begin, end = (each[:, 0] for each in part.estimate)
        low, high = part.low[:, 0], part.high[:, 0]
        off = np.maximum((begin - low) + (end - low), (high - begin) + (high - end))
        worst = int(off.argmax())
        error = Fraction(int(off[worst]), 2 * self.cells)
        if self.miss is None or error > self.miss.error:
            self.miss = Miss(
                Fraction(int(low[worst]), self.cells),
                Fraction(int(high[worst]), self.cells),
                Fraction(int(begin[worst]) + int(end[worst]), 2 * self.cells),
                error,
                self._rounds(part, int(part.group[worst])),
            )


def _first(part: Branches, mask: NDArray[np.bool_]) -> int:
    """Of some transcripts, the one that comes first in the order of their queries."""
    rows = np.flatnonzero(mask)
    table = part.heard.table(rows)
    left = np.arange(len(rows))
    for column in table.T:
        if len(left) == 1:
            break
        left = left[column[left] == column[left].min()]
    return int(rows[left[0]])
