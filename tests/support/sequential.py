"""Compute sequential noisy searches by brute force: whole histories in exact fractions.

Blocks, parts and cells are whole numbers. A history is followed answer by answer; what is carried
along is its probability for every cell that may hold X*. Odds p/(1 − p) are whole numbers, and
squares where a tilted search may come, so that every figure is a fraction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import comb, isqrt
from typing import NamedTuple

Chances = tuple[Fraction, ...]
"""For every cell that may hold X*, the probability of what happened so far."""
Heard = tuple[tuple[int, ...], ...]
"""What a round after the other asked."""


class Way(NamedTuple):
    """One possible course of a search: questions, result, whether it was sure, probability."""

    asked: Heard
    found: int
    sure: bool
    chances: Chances


@dataclass(frozen=True)
class Small:
    """A small member: as in `SequentialShape`, with the number of cells, odds, and the true p."""

    cells: int
    odds: int
    truth: Fraction
    blocks: int
    narrow_error: Fraction
    narrow_cap: tuple[int, int]
    parts: int
    repeats: int
    kept: int
    hide_error: Fraction
    hide_cap: tuple[int, int]
    at_once: int

    def heard(self) -> dict[Heard, list[Fraction]]:
        """Return P(transcript | X*) for every transcript and every cell."""
        found: dict[Heard, list[Fraction]] = {}
        for asked, chances in self.every_run():
            here = found.setdefault(asked, [Fraction(0)] * self.cells)
            for cell, chance in enumerate(chances):
                here[cell] += chance
        return found

    def every_run(self) -> Iterator[tuple[Heard, Chances]]:
        """Yield every run with its transcript."""
        ends = [self.cells * each // self.blocks for each in range(self.blocks + 1)]
        for narrow in self.narrowed():
            low, high = ends[narrow.found], ends[narrow.found + 1]
            cuts = [low + (high - low) * each // self.parts for each in range(self.parts + 1)]
            inner = tuple(cut for cut in cuts[1:-1] for _ in range(self.repeats))
            heard = (*narrow.asked, inner) if self.parts > 1 else narrow.asked
            for part, voted in enumerate(self.voted(cuts)):
                both = tuple(a * b for a, b in zip(narrow.chances, voted, strict=True))
                if not any(both):
                    continue
                for hidden in self.hidden(cuts, part):
                    chances = tuple(a * b for a, b in zip(both, hidden.chances, strict=True))
                    for window in self.windows(part):
                        asked = (
                            tuple(cuts[each] + point for point in round_ for each in window)
                            for round_ in hidden.asked
                        )
                        share = Fraction(1, 1 if self.kept == self.parts else self.kept)
                        yield (*heard, *asked), tuple(share * each for each in chances)

    def narrowed(self) -> list[Way]:
        """Return every possible course of narrowing."""
        ends = [self.cells * each // self.blocks for each in range(self.blocks + 1)]
        return list(self._searched(ends, self.narrow_error, self.narrow_cap, narrow=True))

    def hidden(self, cuts: list[int], part: int) -> list[Way]:
        """Return every possible course of hiding in one part."""
        longest = max(b - a for a, b in pairwise(cuts))
        ends = [cuts[part] + each for each in range(longest + 1)]
        return list(self._searched(ends, self.hide_error, self.hide_cap, narrow=False))

    def windows(self, part: int) -> Iterator[tuple[int, ...]]:
        """Yield the windows of neighbouring parts, counted cyclically, that hold a part."""
        if self.kept == self.parts:
            yield tuple(range(self.parts))
            return
        for back in range(self.kept):
            first = part - back
            yield tuple(sorted((first + each) % self.parts for each in range(self.kept)))

    def voted(self, cuts: list[int]) -> list[list[Fraction]]:
        """Return P(the chosen part | X*) for every part and cell, by every count of answers."""
        found = [[Fraction(0)] * self.cells for _ in range(self.parts)]
        m, p = self.repeats, self.truth
        for yes in product(range(m + 1), repeat=self.parts - 1):
            score = [
                sum(yes[:part]) + sum(m - each for each in yes[part:]) for part in range(self.parts)
            ]
            best = [part for part in range(self.parts) if score[part] == max(score)]
            for cell in range(self.cells):
                chance = Fraction(1)
                for count, cut in zip(yes, cuts[1:-1], strict=True):
                    right = count if cell >= cut else m - count
                    chance *= comb(m, right) * p**right * (1 - p) ** (m - right)
                for part in (best[0], best[-1]):
                    found[part][cell] += chance / 2
        return found

    def lost(self) -> Fraction:
        """Return the loss of an end part in the vote, P{k̂ ≠ 1 | k* = 1}, for parts of one cell."""
        alone = Small(**{**self.__dict__, "cells": self.parts, "blocks": 1})
        return 1 - alone.voted(list(range(self.parts + 1)))[0][0]

    def _searched(
        self, ends: list[int], error: Fraction, cap: tuple[int, int], *, narrow: bool
    ) -> Iterator[Way]:
        """Yield every course of a search; questions of narrowing are boundaries of the lattice."""
        size = len(ends) - 1
        fixed, tilted = -(-cap[0] // self.at_once), cap[1]
        first = (), (1,) * size, (Fraction(1),) * self.cells
        waiting: list[tuple[Heard, tuple[int, ...], Chances]] = [first]
        while waiting:
            asked, weights, chances = waiting.pop()
            sure = sum(weights) - max(weights) <= error * sum(weights)
            if sure and (fixed or size == 1 or not narrow):
                yield Way(asked, weights.index(max(weights)), True, chances)
            elif len(asked) < fixed:
                for more in self._round(asked, weights, chances, ends, narrow):
                    waiting.append(more)
            elif tilted:
                yield from self._tilted(asked, chances, ends, tilted, narrow)
            else:
                yield Way(asked, weights.index(max(weights)), False, chances)

    def _round(
        self,
        asked: Heard,
        weights: tuple[int, ...],
        chances: Chances,
        ends: list[int],
        narrow: bool,
    ) -> Iterator[tuple[Heard, tuple[int, ...], Chances]]:
        levels = [Fraction(each + 1, self.at_once + 1) for each in range(self.at_once)]
        points = tuple(nearest(weights, level) for level in levels)
        places = tuple(ends[each] for each in points) if narrow else points
        for answers in product((False, True), repeat=len(points)):
            after, likely = weights, chances
            for point, yes in zip(points, answers, strict=True):
                after = self._agreed(after, point, yes, self.odds)
                likely = self._told(likely, ends[point], yes)
            yield (*asked, places), after, likely

    def _tilted(
        self, asked: Heard, chances: Chances, ends: list[int], left: int, narrow: bool
    ) -> Iterator[Way]:
        odds = isqrt(self.odds)
        ways = [(asked, (1,) * (len(ends) - 1), chances)]
        for _ in range(left):
            ways = [more for way in ways for more in self._tilted_round(*way, ends, odds, narrow)]
        for heard, weights, likely in ways:
            yield Way(heard, weights.index(max(weights)), False, likely)

    def _tilted_round(
        self,
        asked: Heard,
        weights: tuple[int, ...],
        chances: Chances,
        ends: list[int],
        odds: int,
        narrow: bool,
    ) -> Iterator[tuple[Heard, tuple[int, ...], Chances]]:
        cell, below = quantile(weights, Fraction(1, 2))
        inside = Fraction(weights[cell], sum(weights))
        low = min(max((2 * (below + inside) - 1) / (2 * inside), Fraction(0)), Fraction(1))
        for point, share in ((cell, low), (cell + 1, 1 - low)):
            if not share:
                continue
            place = ends[point] if narrow else point
            for yes in (False, True):
                after = weights
                if 0 < point < len(weights):
                    after = self._agreed(weights, point, yes, odds)
                told = self._told(chances, ends[point], yes)
                yield (*asked, (place,)), after, tuple(share * each for each in told)

    @staticmethod
    def _agreed(weights: tuple[int, ...], point: int, yes: bool, odds: int) -> tuple[int, ...]:
        return tuple(
            weight * (odds if (cell >= point) == yes else 1) for cell, weight in enumerate(weights)
        )

    def _told(self, chances: Chances, place: int, yes: bool) -> Chances:
        return tuple(
            chance * (self.truth if (cell >= place) == yes else 1 - self.truth)
            for cell, chance in enumerate(chances)
        )


def quantile(weights: tuple[int, ...], level: Fraction) -> tuple[int, Fraction]:
    """Return the cell that holds a quantile, and the mass below it."""
    total, below = sum(weights), 0
    for cell, weight in enumerate(weights):
        if below + weight > level * total:
            return cell, Fraction(below, total)
        below += weight
    raise RuntimeError("no weights")


def nearest(weights: tuple[int, ...], level: Fraction) -> int:
    """Return the nearer end of a quantile's cell, an inner boundary; the right one of equals."""
    cell, below = quantile(weights, level)
    above = below + Fraction(weights[cell], sum(weights))
    left = abs(below - level) < abs(above - level) or cell == len(weights) - 1
    return cell if left and cell > 0 else cell + 1


def wins(heard: dict[Heard, list[Fraction]], width: int, prior: list[Fraction]) -> Fraction:
    """Return the success of the best eavesdropper who names `width` neighbouring cells."""
    total = Fraction(0)
    for chances in heard.values():
        mass = [weight * chance for weight, chance in zip(prior, chances, strict=True)]
        total += max(sum(mass[at : at + width]) for at in range(len(mass) - width + 1))
    return total / sum(prior)
