"""Posteriors added up: her success, the covering number, and what is heard when she is surest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from feint.audit.beliefs import Beliefs
from feint.audit.outcomes import Outcomes, Word
from feint.audit.places import Int, Places
from feint.branches import Branches, Posteriors, Window
from feint.interfaces import UNASKED, Round, Strategy

T = TypeVar("T")
Search = tuple[tuple[Word, ...], ...]
"""What is known of one search: a word per question, round by round."""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """What is heard of one coordinate, and what it tells.

    Attributes:
        rounds: The queries, a tuple per round, of all searches; boundaries of the lattice, or
            places on the user's scale if that is not even. UNASKED if not asked, or not heard.
        cells: The size of the lattice, or the number of places.
        heard: The probability of hearing it; over several searches, or something that tells the
            same.
        window: The best guess she can make: a window of length δ.
        pieces: Where X* may be, each piece with its probability.
        covering: The fewest windows of length δ that cover the pieces.
        words: What is heard and known in each search; empty: the queries of one search.
    """

    rounds: tuple[tuple[int, ...], ...]
    cells: int
    heard: Fraction
    window: Window
    pieces: tuple[Window, ...]
    covering: int
    words: tuple[Search, ...] = field(default=(), repr=False)

    @property
    def searches(self) -> tuple[Search, ...]:
        """What is heard and known in each search."""
        return self.words or (
            tuple(tuple(Word(point, None) for point in each) for each in self.rounds),
        )

    @property
    def shares(self) -> list[float]:
        """Where the questions are put, as shares of the range; those that were asked."""
        return [point / self.cells for each in self.rounds for point in each if point >= 0]


@dataclass(frozen=True, kw_only=True)
class Step:
    """What the best eavesdropper can do after some searches.

    Attributes:
        success: Her success, for the number as it is at the last of them.
        covering: The fewest windows of length δ that cover all that is possible.
        telling: What is heard when she is surest.
        narrowest: What is heard when the fewest windows cover all that is possible.
    """

    success: Fraction
    covering: int
    telling: Exhibit
    narrowest: Exhibit


class Group(NamedTuple):
    """Posteriors that the eavesdropper may end with, side by side.

    Attributes:
        held: The posteriors.
        factor: [posteriors] whole numbers that their masses are multiplied by, or 1 for all.
        total: What the products are out of.
        order: Given some posteriors, rows that they are sorted by if they are alike.
        words: Given a posterior, what is heard in each search before it.
    """

    held: Posteriors
    factor: NDArray[Any] | int
    total: int
    order: Callable[[Int], Int]
    words: Callable[[int], list[tuple[Word, ...]]]

    @classmethod
    def of_chunk(cls, part: Branches, line: Places) -> Group:
        """Return the posteriors of some transcripts that are heard in full."""

        def words(transcript: int) -> list[tuple[Word, ...]]:
            asked = part.heard.table(np.array([transcript]))[0].tolist()
            return [tuple(Word(point, None) for point in asked)]

        held = Posteriors(
            line.place(part.low[:, 0]),
            line.place(part.high[:, 0]),
            part.weight,
            part.group,
            groups=len(part.heard),
            cells=line.units,
            prior=line.prior,
        )
        return cls(held, 1, part.total * line.mass, part.heard.table, words)

    @classmethod
    def of_beliefs(cls, beliefs: Beliefs, likelihood: Outcomes, line: Places) -> Group:
        """Return the posteriors that a filter ends with."""

        def words(belief: int) -> list[tuple[Word, ...]]:
            return [likelihood.words[each] for each in beliefs.past.way(belief)]

        held, total = beliefs.posteriors(likelihood, line), beliefs.total * line.mass
        return cls(held, beliefs.factor, total, lambda rows: rows[:, None], words)

    def probability(self, masses: NDArray[Any]) -> Fraction:
        """Return the probability of masses of the posteriors, added up."""
        return Fraction(int((masses * self.factor).sum()), self.total)


class Tally:
    """Sums, maxima and what attains them, over the posteriors that were added."""

    def __init__(self, strategy: Strategy, line: Places) -> None:
        """Begin with none."""
        self.line, self._rounds = line, strategy.rounds
        self._success, self._covering, self._surest = Fraction(0), 0, 0.0
        self._telling: Exhibit | None = None
        self._narrowest: Exhibit | None = None

    def add(self, group: Group) -> Tally:
        """Add posteriors that no others before are part of."""
        held, length = group.held, self.line.length
        caught, total, numbers = held.caught(length), held.total(), held.coverings(length)
        self._success += group.probability(caught)
        share = (caught / np.maximum(total, 1)).astype(float)
        if share.max() > self._surest:
            self._surest = float(share.max())
            self._telling = self._exhibit(group, share == self._surest)
        # Cells that come to nothing as shown make transcripts that nobody hears.
        heard = total > 0
        if heard.any() and (self._narrowest is None or numbers[heard].min() < self._covering):
            self._covering = int(numbers[heard].min())
            self._narrowest = self._exhibit(group, heard & (numbers == self._covering))
        return self

    def step(self) -> Step:
        """Return what all of them show together."""
        if self._telling is None or self._narrowest is None:
            raise RuntimeError("a strategy has at least one branch")
        return Step(
            success=self._success,
            covering=self._covering,
            telling=self._telling,
            narrowest=self._narrowest,
        )

    def _exhibit(self, group: Group, mask: NDArray[np.bool_]) -> Exhibit:
        """The first of some posteriors, in the order of what is heard before them."""
        line, rows, total = self.line, np.flatnonzero(mask), group.held.total()
        which = int(rows[_first(group.order(rows))])
        words = tuple(by_round(self._rounds, _words_at(line, each)) for each in group.words(which))
        rounds = tuple(
            tuple(UNASKED if word.point is None else word.point for word in each)
            for search in words
            for each in search
        )
        return Exhibit(
            rounds=rounds,
            cells=line.marks,
            heard=group.probability(total * (np.arange(len(total)) == which)),
            window=group.held.window(which, line.delta),
            pieces=tuple(group.held.pieces(which)),
            covering=int(group.held.coverings(line.length)[which]),
            words=words,
        )


def _words_at(line: Places, words: Sequence[Word]) -> list[Word]:
    points = np.array([UNASKED if each.point is None else each.point for each in words], np.int64)
    return [
        each if each.point is None else each._replace(point=mark)
        for each, mark in zip(words, line.mark(points).tolist(), strict=True)
    ]


def by_round(rounds: Sequence[Round], questions: Sequence[T]) -> tuple[tuple[T, ...], ...]:
    """Cut the questions of a search into rounds."""
    ends = list(accumulate((len(each.coordinates) for each in rounds), initial=0))
    return tuple(tuple(questions[low:high]) for low, high in pairwise(ends))


def _first(table: Int) -> int:
    """The row that comes first in the order of its columns."""
    left = np.arange(len(table))
    for column in table.T:
        if len(left) == 1:
            break
        left = left[column[left] == column[left].min()]
    return int(left[0])
