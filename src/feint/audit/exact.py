"""One coordinate, audited exactly: one pass over every branch, grouped by what is overheard."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.branches import (
    Branches,
    Posteriors,
    Ruler,
    Window,
    branches,
    mass,
    refine,
)
from feint.errors import InvalidValue
from feint.interfaces import Progress, Strategy, strategy_of
from feint.problem import UNIFORM, Prior, Scale
from feint.strategies import Product

LIMIT = 1 << 26
"""Branches beyond which an exact audit refuses."""

_PARTS = 1000  # in which progress is told


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A transcript of one coordinate, and what it tells.

    Attributes:
        rounds: The queries, a tuple a round; boundaries of the lattice, or places on the user's
            scale where that is not even.
        cells: The size of the lattice, or the number of places.
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

    @property
    def shares(self) -> list[float]:
        """Where the questions are put, as shares of the range; those that were asked."""
        return [point / self.cells for each in self.rounds for point in each if point >= 0]


@dataclass(frozen=True, kw_only=True)
class Miss:
    """The worst error, where it happens, and the queries that lead there.

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


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one pass over a strategy in one dimension shows, exactly.

    Attributes:
        branches: The number of ways a run can go.
        transcripts: The number of different transcripts.
        success: What the best eavesdropper wins with.
        accuracy: Twice the worst error: the full width that the estimate is good for.
        covering: The smallest covering number of an information set.
        telling: The transcript after which she is surest.
        narrowest: A transcript that attains the covering number.
        miss: The worst error and where it happens.
    """

    branches: int
    transcripts: int
    success: Fraction
    accuracy: Fraction
    covering: int
    telling: Exhibit
    narrowest: Exhibit
    miss: Miss


def coordinates(strategy: Strategy) -> tuple[Strategy, ...]:
    """The searches of single coordinates that a strategy is made of.

    Args:
        strategy: A search of one coordinate, or a Product of such.

    Returns:
        One search a coordinate, in order.

    Raises:
        InvalidValue: It searches several coordinates in a way of its own.
    """
    strategy = strategy_of(strategy)
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
    scale: Scale | None = None,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Measured:
    """Walk every branch of one coordinate and measure what is overheard.

    Args:
        strategy: A noiseless search of one coordinate.
        delta: Full width within which an eavesdropper wins.
        prior: Where X* may be.
        scale: Where the questions are shown; None: where they fall.
        limit: Branches beyond which to refuse.
        progress: Told the share of the probability that is walked, in thousandths.

    Returns:
        Exact figures.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    inner = strategy_of(strategy)
    tally = _Tally(inner, delta, prior, scale)
    for part in branches(inner, limit=limit):
        tally.add(part)
        if progress is not None:
            progress("branches", int(_PARTS * tally.walked), _PARTS)
    return tally.measured()


class _Tally:
    """Sums, maxima and the transcripts that attain them, over the chunks that were added.

    Two posteriors are kept of each transcript: `weighed` by the prior, which says how likely places
    are, and `flat`, which says which are possible: covering numbers do not depend on the prior.
    """

    def __init__(
        self, strategy: Strategy, delta: Fraction, prior: Prior, scale: Scale | None
    ) -> None:
        self.strategy, self.delta, self.prior = strategy, delta, prior
        self.cells = strategy.cells[0]
        self.ruler: Ruler | None = None
        if scale is not None and not scale.even:
            self.ruler = Ruler(scale, delta * (scale.at(scale.size) - scale.at(0)))
            self.cells = self.ruler.places
        self.scale = refine(self.cells, delta, prior.bins)
        self.length = int(delta * self.cells * self.scale)
        self.whole = mass(self.cells * self.scale, prior)
        self.walked = self.success = Fraction(0)
        self.branches = self.transcripts = 0
        self.surest, self.covering = 0.0, 0
        self.telling: Exhibit | None = None
        self.narrowest: Exhibit | None = None
        self.miss: Miss | None = None

    def add(self, part: Branches) -> None:
        """Add a chunk; no transcript is in two of them."""
        if self.ruler is not None:
            part = self.ruler.laid(part)
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
        if share.max() > self.surest:
            self.surest = float(share.max())
            self.telling = self._exhibit(part, weighed, flat, _first(part, share == self.surest))
        # Cells that come to nothing as shown make transcripts that nobody hears.
        numbers, heard = flat.coverings(self.length), flat.total() > 0
        if heard.any() and (self.narrowest is None or numbers[heard].min() < self.covering):
            self.covering = int(numbers[heard].min())
            least = _first(part, heard & (numbers == self.covering))
            # A prior may rule the transcript out; then what is possible is shown, unweighed.
            shown = weighed if total[least] else flat
            self.narrowest = self._exhibit(part, shown, flat, least)
        self._missed(part)

    def measured(self) -> Measured:
        """What all chunks together show."""
        if self.telling is None or self.narrowest is None or self.miss is None:
            raise RuntimeError("a strategy has at least one branch")
        return Measured(
            branches=self.branches,
            transcripts=self.transcripts,
            success=self.success,
            accuracy=2 * self.miss.error,
            covering=self.covering,
            telling=self.telling,
            narrowest=self.narrowest,
            miss=self.miss,
        )

    def _exhibit(
        self, part: Branches, weighed: Posteriors, flat: Posteriors, group: int
    ) -> Exhibit:
        whole = self.whole if weighed is not flat else self.cells * self.scale
        return Exhibit(
            rounds=self._rounds(part, group),
            cells=self.cells,
            heard=Fraction(int(weighed.total()[group]), part.total * whole),
            window=weighed.window(group, self.delta),
            pieces=tuple(weighed.pieces(group)),
            covering=int(flat.coverings(self.length)[group]),
        )

    def _rounds(self, part: Branches, group: int) -> tuple[tuple[int, ...], ...]:
        table = part.heard.table(np.array([group]))[0]
        points = (table if self.ruler is None else self.ruler.place(table)).tolist()
        rounds, column = [], 0
        for each in self.strategy.rounds:
            end = column + len(each.coordinates)
            rounds.append(tuple(points[column:end]))
            column = end
        return tuple(rounds)

    def _missed(self, part: Branches) -> None:
        """Keep the worst error: the estimate is the middle of an interval, X* anywhere in its row.

        Distances from the middle to the row's ends are doubled, so that they are whole numbers.
        """
        begin, end = (each[:, 0] for each in part.estimate)
        low, high = part.low[:, 0], part.high[:, 0]
        off = np.maximum((begin - low) + (end - low), (high - begin) + (high - end))
        worst = int(off.argmax())
        error = Fraction(int(off[worst]), 2 * self.cells)
        if self.miss is None or error > self.miss.error:
            self.miss = Miss(
                low=Fraction(int(low[worst]), self.cells),
                high=Fraction(int(high[worst]), self.cells),
                estimate=Fraction(int(begin[worst]) + int(end[worst]), 2 * self.cells),
                error=error,
                rounds=self._rounds(part, int(part.group[worst])),
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
