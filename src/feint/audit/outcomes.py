"""Compute the probability of everything the eavesdropper may learn from a search, given X*.

Branches are grouped by the questions that she hears and the answers that she knows. The line is cut
into atoms, inside which every branch is constant. If the number moves, atoms are equally wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.audit.hearing import Bool, Ear
from feint.audit.places import Int, Places
from feint.branches import Branches
from feint.errors import TooLarge
from feint.interfaces import UNASKED

HELD = 1 << 23
"""The most probabilities, or entries of a table of transcripts, in memory: some 100 MB."""

_SMALL = 1 << 40  # `HELD` weights below this add up to less than 2^63
_KINDS = 20  # kinds of questions that may be heard or not: 2^20 combinations take seconds
_MISSED = -2  # stands for a point that is not heard, or an answer that is not known
_SAMPLE = "sample: give runs = 1000"


class Word(NamedTuple):
    """One question as the eavesdropper knows it.

    Attributes:
        point: The boundary that was asked about, or UNASKED; None: she did not hear it.
        answer: The answer; None: she does not know it.
    """

    point: int | None
    answer: bool | None


class Rows(NamedTuple):
    """Every branch of a search in memory, with rows as in `Branches`.

    Attributes:
        low: [rows] the first cell.
        high: [rows] the cell past the last.
        weight: [rows] the probabilities, as whole numbers out of `total`.
        total: The total of the weights.
        group: [rows] the transcript.
        heard: [transcripts, questions] the questions.
        key: [rows] the number of the key.
    """

    low: Int
    high: Int
    weight: NDArray[Any]
    total: int
    group: Int
    heard: Int
    key: Int

    @classmethod
    def unheard(cls, cells: int, questions: int) -> Rows:
        """Return one branch for all cells, which represents a search of which nothing is heard."""
        zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
        return cls(zero, one * cells, one, 1, zero, np.full((1, questions), UNASKED), zero)

    @classmethod
    def held(cls, parts: Iterable[tuple[int, Branches]], questions: int) -> Rows:
        """Combine chunks of branches in one dimension, each with the number of its key.

        Raises:
            TooLarge: There are too many branches, or questions in their transcripts.
        """
        chunks: list[tuple[int, Branches]] = []
        rows = tables = 0
        for key, part in parts:
            chunks.append((key, part))
            rows += len(part.low)
            tables += len(part.heard) * questions
            if rows > HELD:
                raise too_many("branches", rows)
            if tables > HELD:
                raise too_many("questions in its transcripts", tables)
        total = math.lcm(*(part.total for _, part in chunks))
        first = np.cumsum([0, *(len(part.heard) for _, part in chunks)]).tolist()
        weights = [_scaled(part.weight, total // part.total) for _, part in chunks]
        groups = [part.group + begin for (_, part), begin in zip(chunks, first, strict=False)]
        return cls(
            low=np.concatenate([part.low[:, 0] for _, part in chunks]),
            high=np.concatenate([part.high[:, 0] for _, part in chunks]),
            weight=np.concatenate(weights),
            total=total,
            group=np.concatenate(groups),
            heard=np.concatenate([part.transcripts for _, part in chunks]),
            key=np.concatenate([np.full(len(part.low), key) for key, part in chunks]),
        )


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """P(what she hears and knows | X*), exactly.

    Entries are sorted by state; a state is an atom or, with several keys, an atom with a key.

    Attributes:
        cuts: [atoms + 1] the ends of the atoms, in places.
        keys: The number of keys that are distinguished; each has states for all atoms.
        start: [states + 1] the index of each state's first entry.
        outcome: [entries] the number of the outcome.
        weight: [entries] the probabilities, as whole numbers out of `total`.
        total: The total of the weights.
        words: [outcomes] what she hears and knows, one word per question.
    """

    cuts: NDArray[Any]
    keys: int
    start: Int
    outcome: Int
    weight: NDArray[Any]
    total: int
    words: Sequence[tuple[Word, ...]]

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return len(self.cuts) - 1

    @classmethod
    def of(cls, rows: Rows, line: Places, ear: Ear, *, equal: bool) -> Outcomes:
        """Return the probability of every outcome of a search.

        If `equal` is true, atoms are equally wide, and a grain is a whole number of them.

        Raises:
            TooLarge: There are too many probabilities to hold.
        """
        low, high = line.place(rows.low), line.place(rows.high)
        cuts = np.unique(np.concatenate((low, high, line.bins)))
        if equal:
            cuts = _even(cuts, line)
        atoms, keys = len(cuts) - 1, int(rows.key.max()) + 1
        first, last = np.searchsorted(cuts, low), np.searchsorted(cuts, high)
        spread = np.repeat(np.arange(len(low)), last - first)
        state = _ranges(first, last) + rows.key[spread] * atoms
        entries, words = list[tuple[Int, Int, NDArray[Any]]](), list[tuple[Word, ...]]()
        total = 0
        for mask, odds in _masks(rows, ear, len(spread)):
            outcome, told = _grouped(rows, ear, mask)
            weight = _scaled(rows.weight, odds)
            entries.append((state, outcome[spread] + len(words), weight[spread]))
            total += odds
            words += told
        merged = _merged(*(np.concatenate(each) for each in zip(*entries, strict=True)))
        return cls(
            cuts=cuts,
            keys=keys,
            start=np.searchsorted(merged[0], np.arange(keys * atoms + 1)),
            outcome=merged[1],
            weight=merged[2],
            total=rows.total * total,
            words=words,
        )


def _even(cuts: NDArray[Any], line: Places) -> Int:
    """Return equal atoms that have an end at every cut, a whole number of them per grain.

    Raises:
        TooLarge: There are too many.
    """
    width = reduce(math.gcd, map(int, cuts), line.stride)
    if line.units // width > HELD:
        raise too_many("cells", line.units // width)
    return np.arange(line.units // width + 1) * width


def _masks(rows: Rows, ear: Ear, entries: int) -> Iterator[tuple[Bool, int]]:
    """Yield every combination of questions that she may hear, with its odds.

    Questions that divide transcripts alike carry the same information, so it is enough to hear one
    of them: a kind of m questions is missed with the probability of missing all m. A question that
    is the same in every transcript carries no information.
    """
    if ear.chance == 1:
        yield ear.hears, 1
        return
    kinds: dict[bytes, list[int]] = {}
    for column in np.flatnonzero(ear.hears & (rows.heard != rows.heard[:1]).any(axis=0)).tolist():
        _, first, number = np.unique(rows.heard[:, column], return_index=True, return_inverse=True)
        kinds.setdefault(first[number].tobytes(), []).append(column)
    if len(kinds) > _KINDS or entries << len(kinds) > HELD:
        rule = (
            f"{len(kinds)} kinds of questions may be heard or not: too many ways to walk them all"
        )
        raise TooLarge("hears", f"{len(kinds)} kinds", rule, _SAMPLE)
    whole, miss = ear.chance.denominator, ear.chance.denominator - ear.chance.numerator
    for heard in product((False, True), repeat=len(kinds)):
        mask, odds = np.zeros_like(ear.hears), 1
        for told, columns in zip(heard, kinds.values(), strict=True):
            mask[columns[0]] = told
            missed = miss ** len(columns)
            odds *= whole ** len(columns) - missed if told else missed
        yield mask, odds


def _grouped(rows: Rows, ear: Ear, mask: Bool) -> tuple[Int, list[tuple[Word, ...]]]:
    """Number the distinct observations of the rows, and return the words of each number."""
    points = rows.heard[rows.group]
    answers = (rows.low[:, None] >= points) & (points != UNASKED)
    heard, known = ear._replace(hears=mask).heard_in(points), ear.known_in(points)
    if ear.chance < 1:  # she notices a question that is left out
        heard = heard | (ear.hears & (points == UNASKED))
    asked, told = heard.any(axis=0), known.any(axis=0)
    table = np.concatenate(
        (
            np.where(heard[:, asked], points[:, asked], _MISSED),
            np.where(known[:, told], answers[:, told], _MISSED),
        ),
        axis=1,
    )
    if table.shape[1]:
        _, one, number = np.unique(table, axis=0, return_index=True, return_inverse=True)
    else:
        one, number = np.zeros(1, np.int64), np.zeros(len(table), np.int64)
    words = [
        tuple(
            Word(point if hears else None, answer if knows else None)
            for point, answer, hears, knows in zip(*each, strict=True)
        )
        for each in zip(*(x[one].tolist() for x in (points, answers, heard, known)), strict=True)
    ]
    return number.reshape(-1), words


def _merged(state: Int, outcome: Int, weight: NDArray[Any]) -> tuple[Int, Int, NDArray[Any]]:
    """Sort entries by state and outcome, and add up those of one state and outcome."""
    order = np.lexsort((outcome, state))
    state, outcome, weight = state[order], outcome[order], weight[order]
    fresh = np.ones(len(state), bool)
    fresh[1:] = (np.diff(state) != 0) | (np.diff(outcome) != 0)
    first = np.flatnonzero(fresh)
    return state[first], outcome[first], np.add.reduceat(weight, first)


def _ranges(first: Int, last: Int) -> Int:
    """Return the numbers first…last−1 of each row, one row after another."""
    count = last - first
    begin = np.repeat(first - (np.cumsum(count) - count), count)
    found: Int = begin + np.arange(int(count.sum()))
    return found


def _scaled(weight: NDArray[Any], factor: int) -> NDArray[Any]:
    """Multiply exactly, with Python's integers from 2^40 on, so that entries can be added up."""
    if weight.dtype != object and int(weight.max(initial=0)) * factor >= _SMALL:
        weight = weight.astype(object)
    found: NDArray[Any] = weight * factor
    return found


def too_many(what: str, count: int, *, most: int | None = None) -> TooLarge:
    """Return the error for an exact audit that would take too much memory."""
    rule = f"at most {most or HELD} are held at once to audit several searches, or who hears what"
    return TooLarge(what, f"over {count}", rule, _SAMPLE)
