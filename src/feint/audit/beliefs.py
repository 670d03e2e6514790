"""Follow the eavesdropper's exact posteriors over several searches, with a forward filter.

A search multiplies each posterior by the likelihood of every possible transcript, which splits
histories. Between searches the number may move, and so does the mass. Histories with proportional
posteriors are merged by adding their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.audit.motion import Kernel
from feint.audit.outcomes import Outcomes, too_many
from feint.audit.places import Int, Places
from feint.branches import SAFE, Posteriors, exact_product

_HELD = 1 << 22  # the most masses of all beliefs: a few seconds per search
_LARGE = 1 << 19  # the most masses beyond 62 bits, which take ten times as long
_DENSE = 1 << 20  # masses moved at once


@dataclass(frozen=True)
class Past:
    """One history of each belief.

    Attributes:
        before: The histories up to the previous search; None before the first search.
        after: [beliefs] the index of the earlier history that each one continues.
        outcome: [beliefs] the outcome that was heard after that history.
    """

    before: Past | None
    after: Int
    outcome: Int

    def way(self, belief: int) -> list[int]:
        """Return the outcomes that lead to a belief, one per search."""
        if self.before is None:
            return []
        return [*self.before.way(int(self.after[belief])), int(self.outcome[belief])]


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """Distinct posteriors, each with the probability of all histories that lead to it.

    Belief b holds state s with mass factor[b]·weight/total for each place of the state, where the
    weight is that of its entry for s.

    Attributes:
        start: [beliefs + 1] the index of the first entry of each belief.
        state: [entries] the states, rising within a belief.
        weight: [entries] the weights, whole numbers without a common factor within a belief.
        factor: [beliefs] the factors of the weights, as Python integers.
        total: The common denominator of all masses.
        past: One history that leads to each belief.
    """

    start: Int
    state: Int
    weight: NDArray[Any]
    factor: NDArray[Any]
    total: int
    past: Past

    def __len__(self) -> int:
        return len(self.factor)

    @classmethod
    def first(cls, likelihood: Outcomes, line: Places) -> Beliefs:
        """Return the prior, the belief before the first search."""
        weight = np.tile(line.density(likelihood.cuts[:-1]), likelihood.keys)
        held = np.flatnonzero(weight)
        none = np.zeros(1, np.int64)
        return cls(
            start=np.array([0, len(held)]),
            state=held,
            weight=weight[held],
            factor=np.ones(1, object),
            total=likelihood.keys,
            past=Past(None, none, none),
        )

    def heard(self, likelihood: Outcomes) -> Beliefs:
        """Return the beliefs after one more search.

        Raises:
            TooLarge: There are too many beliefs.
        """
        count = likelihood.start[self.state + 1] - likelihood.start[self.state]
        size = int(count.sum())
        _check(size, self.weight)
        entry = np.repeat(np.arange(len(self.state)), count)
        turn = np.arange(size) - np.repeat(np.cumsum(count) - count, count)
        chosen = likelihood.start[self.state[entry]] + turn
        owner = np.repeat(np.arange(len(self)), np.diff(self.start))[entry]
        outcome = likelihood.outcome[chosen]
        order = np.lexsort((self.state[entry], outcome, owner))
        owner, outcome = owner[order], outcome[order]
        weight = exact_product(self.weight[entry[order]], likelihood.weight[chosen[order]])
        fresh = np.ones(size, bool)
        fresh[1:] = (np.diff(owner) != 0) | (np.diff(outcome) != 0)
        begins = np.flatnonzero(fresh)
        return _merged(
            start=np.append(begins, size),
            state=self.state[entry[order]],
            weight=weight,
            factor=self.factor[owner[begins]],
            total=self.total * likelihood.total,
            past=Past(self.past, owner[begins], outcome[begins]),
        )

    def moved(self, kernel: Kernel, likelihood: Outcomes) -> Beliefs:
        """Return the beliefs about the number after it has moved.

        Raises:
            TooLarge: There are too many beliefs.
        """
        parts, atoms, times, held = [], likelihood.atoms, 1, 0
        for first, table in self._dense(atoms, likelihood.keys):
            spread, times = kernel.moved(table)
            spread = spread.reshape(len(table) // likelihood.keys, likelihood.keys * atoms)
            row, state = np.nonzero(spread)
            parts.append((row + first, state, spread[row, state]))
            held += len(row)
            _check(held, spread)
        owner, state, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        return _merged(
            start=np.searchsorted(owner, np.arange(len(self) + 1)),
            state=state,
            weight=weight,
            factor=self.factor,
            total=self.total * times,
            past=self.past,
        )

    def posteriors(self, likelihood: Outcomes, line: Places) -> Posteriors:
        """Return the beliefs as `Posteriors`, summed over keys."""
        atom = self.state % likelihood.atoms
        return Posteriors(  # the weights already include the prior
            likelihood.cuts[atom],
            likelihood.cuts[atom + 1],
            self.weight,
            np.repeat(np.arange(len(self)), np.diff(self.start)),
            groups=len(self),
            cells=line.units,
        )

    def _dense(self, atoms: int, keys: int) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield chunks of the beliefs as tables [beliefs · keys, atoms], with their first index."""
        size = max(1, _DENSE // (atoms * keys))
        for first in range(0, len(self), size):
            last = min(first + size, len(self))
            mine = slice(int(self.start[first]), int(self.start[last]))
            table = np.zeros((last - first, keys * atoms), self.weight.dtype)
            row = np.repeat(np.arange(last - first), np.diff(self.start[first : last + 1]))
            table[row, self.state[mine]] = self.weight[mine]
            yield first, table.reshape(-1, atoms)


def _check(count: int, weight: NDArray[Any]) -> None:
    """Refuse more masses than fit. Whole numbers beyond 62 bits take more time and memory.

    Raises:
        TooLarge: There are more masses than the limit.
    """
    most = _LARGE if weight.dtype == object else _HELD
    if count > most:
        raise too_many("beliefs", count, most=most)


def _merged(
    *,
    start: Int,
    state: Int,
    weight: NDArray[Any],
    factor: NDArray[Any],
    total: int,
    past: Past,
) -> Beliefs:
    """Divide each belief by its common factor, and merge equal beliefs."""
    common = np.gcd.reduceat(weight, start[:-1])
    weight = weight // np.repeat(common, np.diff(start))
    if weight.dtype == object and max(map(int, weight)) < SAFE:
        weight = weight.astype(np.int64)
    known: dict[tuple[bytes, bytes | tuple[int, ...]], int] = {}
    kept, factors = list[int](), list[int]()
    whole = weight.dtype == object
    for belief, (low, high) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
        odds = tuple(weight[low:high]) if whole else weight[low:high].tobytes()
        number = known.setdefault((state[low:high].tobytes(), odds), len(kept))
        share = int(factor[belief]) * int(common[belief])
        if number == len(kept):
            kept.append(belief)
            factors.append(share)
        else:
            factors[number] += share
    shared = math.gcd(total, *factors)
    count = np.diff(start)[kept]
    entry = np.repeat(start[kept] - (np.cumsum(count) - count), count) + np.arange(count.sum())
    return Beliefs(
        start=np.cumsum([0, *count]),
        state=state[entry],
        weight=weight[entry],
        factor=np.array([each // shared for each in factors], object),
        total=total // shared,
        past=replace(past, after=past.after[kept], outcome=past.outcome[kept]),
    )
