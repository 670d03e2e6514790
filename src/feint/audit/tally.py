"""Add up posteriors into her success, the covering number and the most informative transcript."""

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
"""One search as the eavesdropper knows it: the words of its questions, by round."""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """One coordinate's transcript as it is heard, with the posterior given it.

    Attributes:
        rounds: The queries of all searches, a tuple per round: boundaries of the lattice, or places
            on the user's scale if that is not even. UNASKED: not asked, or not heard.
        cells: The size of the lattice, or the number of places.
        heard: The probability of hearing it; over several searches, of hearing something with the
            same posterior.
        window: Her best guess, a window of length δ.
        pieces: The possible pieces of the range, each with its probability.
        covering: The fewest windows of length δ that cover the pieces.
        words: The words heard and known in each search; empty: one search, all of whose queries
            are heard.
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
        """The words that are heard and known in each search."""
        return self.words or (
            tuple(tuple(Word(point, None) for point in each) for each in self.rounds),
        )

    @property
    def shares(self) -> list[float]:
        """The places of the asked questions, as shares of the range."""
        return [point / self.cells for each in self.rounds for point in each if point >= 0]


@dataclass(frozen=True, kw_only=True)
class Step:
    """The best eavesdropper's knowledge after some searches.

    Attributes:
        success: Her success, for the number as it is at the last search.
        covering: The fewest windows of length δ that cover all possible places.
        telling: The exhibit in which she is surest.
        narrowest: The exhibit in which the fewest windows cover all possible places.
    """

    success: Fraction
    covering: int
    telling: Exhibit
    narrowest: Exhibit


class Group(NamedTuple):
    """Posteriors that the eavesdropper may end with.

    Attributes:
        held: The posteriors.
        factor: [posteriors] whole numbers that multiply their masses, or 1 for all.
        total: The total of the products.
        order: Returns rows to sort given posteriors by if they are equal.
        words: Returns the words heard in each search that lead to a given posterior.
    """

    held: Posteriors
    factor: NDArray[Any] | int
    total: int
    order: Callable[[Int], Int]
    words: Callable[[int], list[tuple[Word, ...]]]

    @classmethod
    def of_chunk(cls, part: Branches, line: Places) -> Group:
        """Return the posteriors of transcripts that are heard in full."""

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
        """Return the sum of some masses of the posteriors as a probability."""
        return Fraction(int((masses * self.factor).sum()), self.total)


class Tally:
    """A tally of posteriors: sums, maxima, and the posteriors that attain them."""

    def __init__(self, strategy: Strategy, line: Places) -> None:
        """Start without posteriors."""
        self.line, self._rounds = line, strategy.rounds
        self._success, self._covering, self._surest = Fraction(0), 0, 0.0
        self._telling: Exhibit | None = None
        self._narrowest: Exhibit | None = None

    def add(self, group: Group) -> Tally:
        """Add posteriors of outcomes that were not added before."""
        held, length = group.held, self.line.length
        caught, total, numbers = held.caught(length), held.total(), held.coverings(length)
        self._success += group.probability(caught)
        share = (caught / np.maximum(total, 1)).astype(float)
        if share.max() > self._surest:
            self._surest = float(share.max())
            self._telling = self._exhibit(group, share == self._surest)
        # Rounding may leave cells empty, whose transcripts then have probability 0.
        heard = total > 0
        if heard.any() and (self._narrowest is None or numbers[heard].min() < self._covering):
            self._covering = int(numbers[heard].min())
            self._narrowest = self._exhibit(group, heard & (numbers == self._covering))
        return self

    def step(self) -> Step:
        """Return the step that follows from all added posteriors."""
        if self._telling is None or self._narrowest is None:
            raise RuntimeError("a strategy has at least one branch")
        return Step(
            success=self._success,
            covering=self._covering,
            telling=self._telling,
            narrowest=self._narrowest,
        )

    def _exhibit(self, group: Group, mask: NDArray[np.bool_]) -> Exhibit:
        """Return the exhibit of the first of some posteriors, in the order of the words heard."""
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
    """Return the index of the first row in lexicographic order."""
    left = np.arange(len(table))
    for column in table.T:
        if len(left) == 1:
            break
        left = left[column[left] == column[left].min()]
    return int(left[0])
