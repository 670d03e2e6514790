"""What one search may tell the eavesdropper, and with which probability, by where X* lies.

Branches are grouped by what she hears of them and by the answers that she knows. The line is cut
into atoms that no branch tells apart; if the number moves, into equal ones.
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
"""Probabilities, or entries of a table of transcripts, that are held at once: some 100 MB."""

_SMALL = 1 << 40  # as many of these as are held add up to less than 2^63
_KINDS = 20  # of questions that may be heard or not: 2^20 ways are the most that are tried
_MISSED = -2  # in place of a point that is not heard, or of an answer that is not known
_SAMPLE = "sample: give runs = 1000"


class Word(NamedTuple):
    """What is known of one question.

    Attributes:
        point: The boundary that was asked about, or UNASKED; None: it was not heard.
        answer: The answer; None: it is not known.
    """

    point: int | None
    answer: bool | None


class Rows(NamedTuple):
    """Every branch of a search, held at once; rows as in `Branches`.

    Attributes:
        low: [rows] the first cell.
        high: [rows] the cell past the last.
        weight: [rows] whole numbers.
        total: What they are out of.
        group: [rows] the transcript.
        heard: [transcripts, questions] what is asked.
        key: [rows] which key it belongs to.
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
        """Return one branch for all cells: all that matters of a search if nothing is heard."""
        zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
        return cls(zero, one * cells, one, 1, zero, np.full((1, questions), UNASKED), zero)

    @classmethod
    def held(cls, parts: Iterable[tuple[int, Branches]], questions: int) -> Rows:
        """Hold chunks of branches in one dimension, each with the number of its key.

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
        cuts: [atoms + 1] where atoms begin and end, in places.
        keys: The number of keys that are told apart; each has states for all atoms.
        start: [states + 1] where each state's entries begin.
        outcome: [entries] what is heard, numbered.
        weight: [entries] whole numbers.
        total: What the weights are out of.
        words: [outcomes] what each consists of, one word per question.
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
        """Return the probability of everything that may be heard of a search.

        If `equal`, atoms are equally wide, and a grain is a whole number of them.

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
    """Equal atoms that end wherever a cut is, a grain a whole number of them.

    Raises:
        TooLarge: There are too many.
    """
    width = reduce(math.gcd, map(int, cuts), line.stride)
    if line.units // width > HELD:
        raise too_many("cells", line.units // width)
    return np.arange(line.units // width + 1) * width


def _masks(rows: Rows, ear: Ear, entries: int) -> Iterator[tuple[Bool, int]]:
    """What may be heard, each with its odds; they add up to what the chances are out of.

    Questions that divide transcripts alike tell the same, so only one of them need be heard: a kind
    of m questions is missed with the chance of missing m. One that is the same in every transcript
    tells nothing, heard or not.
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
    """[rows] what is heard and known, numbered, and what each number stands for."""
    points = rows.heard[rows.group]
    answers = (rows.low[:, None] >= points) & (points != UNASKED)
    heard, known = ear._replace(hears=mask).heard_in(points), ear.known_in(points)
    if ear.chance < 1:  # she notices what is left out
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
    """Entries sorted by state and outcome, those of one state and outcome added up."""
    order = np.lexsort((outcome, state))
    state, outcome, weight = state[order], outcome[order], weight[order]
    fresh = np.ones(len(state), bool)
    fresh[1:] = (np.diff(state) != 0) | (np.diff(outcome) != 0)
    first = np.flatnonzero(fresh)
    return state[first], outcome[first], np.add.reduceat(weight, first)


def _ranges(first: Int, last: Int) -> Int:
    """The numbers first…last−1 of each row, one row after another."""
    count = last - first
    begin = np.repeat(first - (np.cumsum(count) - count), count)
    found: Int = begin + np.arange(int(count.sum()))
    return found


def _scaled(weight: NDArray[Any], factor: int) -> NDArray[Any]:
    """Exact product: from 2^40 on in Python's own integers, so that entries can be added up."""
    if weight.dtype != object and int(weight.max(initial=0)) * factor >= _SMALL:
        weight = weight.astype(object)
    found: NDArray[Any] = weight * factor
    return found


def too_many(what: str, count: int, *, most: int | None = None) -> TooLarge:
    """Return the error for an exact audit that would take too much memory."""
    rule = f"at most {most or HELD} are held at once to audit several searches, or who hears what"
    return TooLarge(what, f"over {count}", rule, _SAMPLE)
