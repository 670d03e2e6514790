"""One coordinate under a prior: the cheapest candidate, and her success by questions asked."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import Progress
from feint.planning.limits import LONGEST, PRIOR_BINS, PRIOR_TRIES, STRETCH_HALVINGS, STRETCHES
from feint.planning.option import Option
from feint.planning.priors.borrowed import cheapest_uniform
from feint.planning.priors.layout import Candidate, Ground
from feint.planning.priors.places import Divider, Float, PriorLine
from feint.planning.priors.stretched import stretched
from feint.planning.priors.weighted import Weighted, part_counts

# By how much her exact success may exceed a point of a curve: the smallest that ticks allow.
_ROUGH = tuple(Fraction(each, 1000) for each in (0, 2, 10, 40, 200))
# Coordinates in which places to cut at are equally spaced, and the dividers of their blocks.
_CUTS = ((0.0, (1, 2)), (0.5, (2,)))
_EXCESS = Fraction(1, 2 * 10**6)  # that rounding to ticks may add if no other option holds


class Point(NamedTuple):
    """A number of questions and roughly her success with it."""

    queries: int
    share: Fraction


class Single:
    """The plans of one coordinate. Nothing is shared with another plan."""

    def __init__(
        self,
        ground: Ground,
        level: Fraction,
        most: Fraction,
        *,
        spare: bool,
        progress: Progress | None = None,
    ) -> None:
        """Prepare a search without running it.

        Args:
            ground: The coordinate.
            level: L times the margin.
            most: The limit on her success under the binned prior, at most 1/`level`.
            spare: True if some parts may be left alone. If False, there is no coin.
            progress: Receives the number of ways to divide that were tried.
        """
        self.ground, self.level, self.most, self.spare = ground, level, most, spare
        # The search uses a coarser prior. Its result is placed and certified with the prior itself.
        values = ground.problem.values is not None
        law = ground.prior if values else ground.prior.coarser(PRIOR_BINS)
        self._rough = replace(ground, prior=law)
        self._line = self._rough.line(ground.finest)
        self._trees: dict[tuple[int, int, int | None], Weighted] = {}
        self._progress = progress

    def cheapest(self, rounds: int | None) -> Option | None:
        """Return the cheapest option that keeps the promise within a number of rounds.

        Args:
            rounds: The most rounds; None for any number.
        """
        most = self.most
        first = stretched(
            self.ground, self.level, rounds=rounds, below=self.limit, most=most, spare=self.spare
        )
        for room in (most, most * (1 + _EXCESS)):
            found = self._cheapest(first, rounds, room)
            below = self.limit if found is None else found.queries
            uniform = cheapest_uniform(
                self.ground, self.level, rounds=rounds, below=below, most=room, spare=self.spare
            )
            if uniform is not None or found is not None:
                return uniform or found
        return None

    def _cheapest(self, best: Option | None, rounds: int | None, most: Fraction) -> Option | None:
        """Return the cheapest tree, or the best known option if no tree is cheaper."""
        for number in range(len(_CUTS)):
            below = self.limit if best is None else best.queries
            tree = self._tree(number, below, rounds)
            least = tree.row[:below]
            enough = np.flatnonzero(_falls(least) & (least <= float(most)))
            for queries in enough.tolist()[:PRIOR_TRIES]:
                found = self.ground.option(Candidate(queries, tuple(tree.blocks(queries))), most)
                if found is None or found.queries >= below:
                    continue
                if rounds is None or len(found.strategy.rounds) <= rounds:
                    best = found
                    break
        return best

    def curve(self, rounds: int | None) -> list[Point]:
        """Return numbers of questions, rising, and roughly her success with each.

        Args:
            rounds: The most rounds; None for any number.
        """
        points: list[Point] = []
        trees = [self._tree(number, self.limit, rounds).row for number in range(len(_CUTS))]
        for queries, share in enumerate(np.min(trees, axis=0).tolist()):
            if share < math.inf and (not points or share < float(points[-1].share) * (1 - 1e-9)):
                points.append(Point(queries, min(Fraction(1), Fraction(share))))
        return points

    def at(self, point: Point, rounds: int | None) -> Option | None:
        """Return the option of a point of `curve`; her exact success may be a little higher."""
        queries, share = point
        for number in range(len(_CUTS)):
            tree = self._tree(number, self.limit, rounds)
            if tree.row[queries] <= float(share) * (1 + 1e-12):
                found = Candidate(queries, tuple(tree.blocks(queries)))
                rooms = (share * (1 + each) for each in _ROUGH)
                laid = (self.ground.option(found, room) for room in rooms)
                return next((each for each in laid if each is not None), None)
        return None

    @property
    def limit(self) -> int:
        """Return an upper limit on the questions of useful plans."""
        problem = self.ground.problem
        parts = math.ceil(self.level)
        rounds = math.ceil(math.log2(1 / problem.epsilon)) + 2
        return min(LONGEST, 4 * (parts + 2) * rounds + 64)

    def _tree(self, number: int, below: int, rounds: int | None = None) -> Weighted:
        """Return V with equal cuts in one of the coordinates, for fewer questions than a limit.

        A cached tree of a larger limit would also hold the answer, but may attain the same price in
        another way. A plan must not depend on the plans before it.
        """
        known = self._trees.get((number, below, rounds))
        if known is not None:
            return known
        line, (blend, parts) = self._line, _CUTS[number]
        blind = line.prior.blind(line.window / line.cells)
        deep = (
            math.ceil(math.log2(max(1.0, 1 / float(self.level * blind))))
            - STRETCHES.bit_length()
            + 1
        )
        stride = 1 << max(1, min(STRETCH_HALVINGS, deep))
        ways = len(list(part_counts(self.level)))
        done = 0

        def tell() -> None:
            nonlocal done
            done += 1
            if self._progress is not None:
                self._progress("ways to divide", number * ways + done, len(_CUTS) * ways)

        found = Weighted(
            line,
            _placed(line, blend, STRETCHES * stride),
            self._dividers(parts),
            self.level,
            below,
            stride=stride,
            spare=self.spare,
            rounds=rounds,
            tell=tell,
        )
        self._trees[number, below, rounds] = found
        return found

    def _dividers(self, parts: tuple[int, ...]) -> dict[int, Divider]:
        """Return some of the ways to divide; for whole values there is one."""
        ways = dict(enumerate(self._rough.dividers(self._line)))
        return {part: ways[part] for part in parts if part in ways} or ways


def _falls(least: Float) -> NDArray[np.bool_]:
    """Return True for each number of questions that improves on one question fewer."""
    before = np.concatenate(([np.inf], least[:-1]))
    return least < before


def _placed(line: PriorLine, blend: float, count: int) -> list[int]:
    """Return places that are equally spaced in a coordinate, including the ends."""
    places = line.coordinate(blend).place(np.arange(count + 1) / count)
    places[0], places[-1] = 0, line.cells
    return [int(place) for place in np.maximum.accumulate(places)]
