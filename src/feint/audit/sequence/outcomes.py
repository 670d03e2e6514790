"""What one search may tell, and with which probability, by where X* lies.

Branches are grouped by what the eavesdropper hears of them and by the answers that she knows. The
line is cut into atoms that no branch tells apart; with motion, into equal ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.audit.sequence.hearing import Bool, Hearing
from feint.audit.sequence.line import Int, Line
from feint.branches import Branches, branches
from feint.errors import TooLarge
from feint.interfaces import UNASKED, Strategy

HELD = 1 << 23
"""Probabilities, or entries of a table of transcripts, that are held at once."""
_SMALL = 1 << 40  # as many of these as are held add up to less than 2^63
_SAMPLE = "sample: give runs = 1000"


class Ear(NamedTuple):
    """Who listens to one coordinate of a search.

    Attributes:
        hears: [questions] those that may be heard.
        chance: The probability that one of them is, independently of the others.
        knows: [questions] those whose answers are known.
    """

    hears: Bool
    chance: Fraction
    knows: Bool

    @property
    def deaf(self) -> bool:
        """Whether nothing is heard and no answer known."""
        return not self.hears.any() and not self.knows.any()

    @classmethod
    def of(cls, hears: Hearing, knows: Hearing, strategy: Strategy) -> tuple[Ear, ...]:
        """One a coordinate.

        Raises:
            InvalidValue: They name rounds, coordinates or questions that there are not.
        """
        heard = hears.columns(strategy.rounds, "hears")
        known = knows.columns(strategy.rounds, "knows")
        axis = np.array([axis for each in strategy.rounds for axis in each.coordinates], np.int64)
        chance = hears.chance if hears.random else Fraction(1)
        axes = range(len(strategy.cells))
        return tuple(cls(heard[axis == i], chance, known[axis == i]) for i in axes)


class Word(NamedTuple):
    """What is known of one question.

    Attributes:
        point: The boundary that was asked about; None: it was not heard.
        answer: The answer; None: it is not known.
    """

    point: int | None
    answer: bool | None


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
        count: The number of outcomes.
        words: [outcomes] what each consists of, one word a question.
    """

    cuts: NDArray[Any]
    keys: int
    start: Int
    outcome: Int
    weight: NDArray[Any]
    total: int
    count: int
    words: Sequence[tuple[Word, ...]]

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return len(self.cuts) - 1


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


def walked(searches: Sequence[Strategy], *, limit: int) -> Rows:
    """Every branch of a search, or of one search under several keys.

    Args:
        searches: One a key; in one dimension, and without noise.
        limit: The number of branches beyond which to refuse.

    Returns:
        Their rows.

    Raises:
        TooLarge: There are more branches than that, or too many to hold.
    """
    parts: list[tuple[int, Branches]] = []
    rows = tables = 0
    for key, search in enumerate(searches):
        columns = sum(len(each.coordinates) for each in search.rounds)
        for part in branches(search, limit=limit):
            parts.append((key, part))
            rows += len(part.low)
            tables += len(part.heard) * columns
            if max(rows, tables) > HELD:
                branchy = rows > HELD
                what = "branches" if branchy else "questions in its transcripts"
                raise too_many(what, rows if branchy else tables)
    total = math.lcm(*(part.total for _, part in parts))
    groups = np.cumsum([0, *(len(part.heard) for _, part in parts)])
    scaled = [_scaled(part.weight, total // part.total) for _, part in parts]
    return Rows(
        low=np.concatenate([part.low[:, 0] for _, part in parts]),
        high=np.concatenate([part.high[:, 0] for _, part in parts]),
        weight=np.concatenate(scaled),
        total=total,
        group=np.concatenate(
            [part.group + first for (_, part), first in zip(parts, groups[:-1], strict=True)]
        ),
        heard=np.concatenate([part.transcripts for _, part in parts]),
        key=np.concatenate([np.full(len(part.low), key) for key, part in parts]),
    )


def outcomes(rows: Rows, line: Line, ear: Ear, *, equal: bool) -> Outcomes:
    """What a search may tell.

    Args:
        rows: Its branches.
        line: Where they lie.
        ear: Who listens.
        equal: Whether all atoms must be equally wide, and a grain a whole number of them.

    Returns:
        The probability of all that may be heard, by where X* lies.

    Raises:
        TooLarge: There are too many probabilities to hold.
    """
    low, high = line.place(rows.low), line.place(rows.high)
    cuts = np.unique(np.concatenate((low, high, line.bins)))
    if equal:
        cuts = _even(cuts, line)
    atoms, keys = len(cuts) - 1, int(rows.key.max()) + 1
    entries, total, words = list[tuple[Int, Int, NDArray[Any]]](), 0, list[tuple[Word, ...]]()
    first, last = np.searchsorted(cuts, low), np.searchsorted(cuts, high)
    spread = np.repeat(np.arange(len(low)), last - first)
    state = _ranges(first, last) + rows.key[spread] * atoms
    for mask, odds in _masks(rows, ear, len(spread)):
        outcome, told = _grouped(rows, mask, ear.knows)
        entries.append((state, outcome[spread] + len(words), _scaled(rows.weight, odds)[spread]))
        total += odds
        words += told
    merged = _merged(*(np.concatenate(each) for each in zip(*entries, strict=True)))
    begins = np.searchsorted(merged[0], np.arange(keys * atoms + 1))
    return Outcomes(
        cuts=cuts,
        keys=keys,
        start=begins,
        outcome=merged[1],
        weight=merged[2],
        total=rows.total * total,
        count=len(words),
        words=words,
    )


def silence(line: Line, questions: int, *, equal: bool) -> Outcomes:
    """What a search tells whoever hears nothing of it: one outcome, wherever X* lies.

    Args:
        line: Where it searches.
        questions: The number of questions it asks.
        equal: As in `outcomes`.

    Returns:
        As `outcomes`, without walking a branch.

    Raises:
        TooLarge: There are too many equal atoms.
    """
    cuts = _even(line.bins, line) if equal else line.bins
    atoms = len(cuts) - 1
    return Outcomes(
        cuts=cuts,
        keys=1,
        start=np.arange(atoms + 1),
        outcome=np.zeros(atoms, np.int64),
        weight=np.ones(atoms, np.int64),
        total=1,
        count=1,
        words=((Word(None, None),) * questions,),
    )


def _even(cuts: NDArray[Any], line: Line) -> Int:
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

    Questions that part transcripts alike tell the same, so only one of them need be heard: a kind
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
    if len(kinds) > 20 or entries << len(kinds) > HELD:
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


def _grouped(rows: Rows, mask: Bool, knows: Bool) -> tuple[Int, list[tuple[Word, ...]]]:
    """[rows] what is heard and known, numbered, and what each number stands for."""
    asked = rows.heard[rows.group][:, mask]
    known = rows.heard[rows.group][:, knows]
    answers = (rows.low[:, None] >= known) & (known != UNASKED)
    table = np.concatenate((asked, answers), axis=1)
    if table.shape[1]:
        _, one, number = np.unique(table, axis=0, return_index=True, return_inverse=True)
    else:
        one, number = np.zeros(1, np.int64), np.zeros(len(table), np.int64)
    return number.reshape(-1), [
        _words(rows.heard[rows.group[row]], mask, knows, int(rows.low[row])) for row in one
    ]


def _words(points: Int, mask: Bool, knows: Bool, low: int) -> tuple[Word, ...]:
    return tuple(
        Word(
            int(point) if heard else None,
            bool(low >= point) and point != UNASKED if known else None,
        )
        for point, heard, known in zip(points, mask, knows, strict=True)
    )


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
    """That an exact audit of what is heard would take too much room."""
    rule = f"at most {most or HELD} are held at once to audit several searches, or who hears what"
    return TooLarge(what, f"over {count}", rule, _SAMPLE)
