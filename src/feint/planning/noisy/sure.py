"""Search for the cheapest member, by mean questions, among those that stop when they are sure.

Numbers of parts, blocks, cells and repeats are tried as for members of a fixed length (`search`).
In the innermost loop, the allowed loss is divided between the two searches. A search that may miss
with probability e takes a constant times log(1/e), and an answer of the second one costs L'
questions. So the best shares lie near e₁ : w·e₃ = 1 : L', and some on either side are tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_div
from feint.planning.limits import LONGEST
from feint.planning.noisy.certificates import Theorem
from feint.planning.noisy.claims import Division, Member, claimed, noise_of
from feint.planning.noisy.search import NoisySearch, cell_numbers, dividing
from feint.planning.noisy.stopping import Lengths, Measure, lengths
from feint.problem import Problem
from feint.strategies import SequentialShape

Float = NDArray[np.float64]

_ODDS = 2.0 ** (np.arange(-16, 17) / 4)  # second share over the first, in multiples of L'
_CAPPED = (1 / 16, 1 / 4, 1 / 2, 7 / 8)  # shares of the misses of a search that its cap may spend
_UNDECIDED = 1 / 1000  # share of runs that reach a cap without limits: they cost little
_AT_ONCE = (1, 2, 3, 5, 8)  # quantiles per round; more tell little more
_DIGITS = 4  # digits of e₁ and e₃: further ones are worth less than a thousandth of an answer
_MOST_LOST = 0.5  # the largest loss of one search; larger ones are never needed
_CELLS = 16  # cells per ε if the error is on average; finer cells only delay the cap


@dataclass(frozen=True)
class Limits:
    """The most that any run may take.

    Attributes:
        rounds: The most rounds; None for any number.
        queries: The most questions; None for any number.
    """

    rounds: int | None = None
    queries: int | None = None

    @property
    def any(self) -> bool:
        """Return True if there is a limit."""
        return self.rounds is not None or self.queries is not None

    def keep(self, rounds: int, queries: int) -> bool:
        """Return True if numbers of rounds and questions are within the limits."""
        few = self.rounds is None or rounds <= self.rounds
        return few and (self.queries is None or queries <= self.queries)


@dataclass(frozen=True)
class _Capped:
    """One of the two searches with its cap.

    Attributes:
        error: The search stops when its measure is at most this.
        cap: The number of undecided answers before a fresh search decides, and its answers.
        lost: An upper bound on its loss: the probability of a miss, or the mean error in parts.
        queries: The mean number of questions.
    """

    error: Fraction
    cap: tuple[int, int]
    lost: float
    queries: float


@dataclass(frozen=True)
class _Stage:
    """One of the two searches.

    Attributes:
        cells: The number of cells it chooses among.
        lean: A limit on how much likelier than average a cell can be.
        copies: The number of parts in which every question is asked.
        at_once: The number of quantiles asked in every round.
        blur: The mean error of an estimate in the right cell, in parts, if errors count.
        theorem: The certificate, which gives the number of answers that decide at a cap.
        lengths: The lengths of the search; None if there is one cell and nothing to find.
    """

    cells: int
    lean: float
    copies: int
    at_once: int
    blur: float
    theorem: Theorem
    lengths: Lengths | None

    @property
    def price(self) -> int:
        """Return the number of questions per round."""
        return self.copies * self.at_once

    def average(self, lost: Float) -> Float:
        """Return the mean number of questions without a cap, given the allowed loss."""
        if self.lengths is None:
            return np.zeros_like(lost)
        return self.price * self.lengths.average(self._allowed(lost))

    def split(self, lost: float, spent: float) -> tuple[float, int]:
        """Return the error it stops at and the number of answers that decide at a cap.

        Args:
            lost: The allowed loss.
            spent: The share of it that the cap may lose.
        """
        if self.lengths is None:
            return _MOST_LOST, 0
        allowed = float(self._allowed(np.array(lost)))
        return (1 - spent) * allowed, self.theorem.bound_answers(self.cells, spent * allowed)

    def capped(self, error: float, rounds: int, answers: int) -> _Capped:
        """Return the search that stops at an error, with a cap after a number of rounds."""
        if self.lengths is None:
            return _Capped(_rounded(error), (0, 0), 0.0, 0.0)
        exact, (mean, reached) = _rounded(error), self.lengths.capped(error, rounds)
        wrong = (self.cells - 1) * math.exp(self.theorem.log_rho * answers)
        return _Capped(
            exact,
            (rounds * self.at_once, answers),
            self.lean * (float(exact) + wrong) + self.blur,
            self.price * mean + self.copies * reached * answers,
        )

    def longest(self, error: float) -> int:
        """Return a cap in rounds that hardly any run reaches."""
        return 0 if self.lengths is None else max(1, self.lengths.within(error, _UNDECIDED))

    def _allowed(self, lost: Float) -> Float:
        """Return the limit on the measure of equally likely cells."""
        found: Float = np.clip((lost - self.blur) / self.lean, 1e-300, _MOST_LOST)
        return found


def surest(
    problem: Problem,
    level: Fraction | int,
    limits: Limits,
    *,
    ticks: int | None = None,
    best: Member | None = None,
    by_distance: bool = False,
) -> Member | None:
    """Return the member that asks the fewest questions on average.

    Args:
        problem: The problem of one coordinate. Its level is ignored.
        level: The level L of this coordinate.
        limits: The most that any run may take.
        ticks: The number of ticks of the range, if every cell must have a whole number of them.
        best: A member within the limits to beat; None if there is none.
        by_distance: True if the promise must hold even if answers near the number err more often.

    Returns:
        The member, or `best` if no member beats it. None if no member keeps the limits and is
        private enough.

    Raises:
        TooLarge: All members that are private enough have runs of more than 2^24 questions.
    """
    for at_once in _AT_ONCE if limits.rounds is not None else _AT_ONCE[:1]:
        search = SureSearch(
            problem,
            level,
            limits=limits,
            ticks=ticks,
            at_once=at_once,
            best=best,
            by_distance=by_distance,
        )
        best = search.all()
    return best


class SureSearch(NoisySearch):
    """A search for the member with the fewest mean questions, with limits on every run.

    Attributes:
        limits: The most that any run may take.
        at_once: The number of quantiles asked in every kept part in every round.
        by_distance: True if the promise must hold even if answers near the number err more often.
    """

    def __init__(
        self,
        problem: Problem,
        level: Fraction | int,
        *,
        limits: Limits | None = None,
        ticks: int | None = None,
        at_once: int = 1,
        best: Member | None = None,
        by_distance: bool = False,
    ) -> None:
        """Prepare the search; `all` runs it.

        Args:
            problem: The problem of one coordinate. Its level is ignored.
            level: The level L of this coordinate.
            limits: The most that any run may take; None for no limit.
            ticks: The number of ticks of the range, if every cell must have a whole number of them.
            at_once: The number of quantiles asked in every kept part in every round.
            best: A member to beat; None if there is none.
            by_distance: True if the promise must hold even if answers near the number err more
                often.
        """
        self.limits, self.at_once = limits or Limits(), at_once
        self.by_distance = by_distance
        self._noise = noise_of(problem)
        self._theorem = Theorem(self._noise.least)
        super().__init__(problem, level, self._theorem, rounds=self.limits.rounds, ticks=ticks)
        self.best = best

    @property
    def queries(self) -> float:
        """The mean number of queries that a member must stay below.

        Before one is found it is half of what a run may ask, because the longest run of a member
        asks at least twice the mean.
        """
        return LONGEST / 2 if self.best is None else self.best.mean

    def _block_counts(self, parts: int) -> Iterator[int]:
        """Yield numbers of blocks; only 1 if narrowing would reveal what is near the number."""
        return iter((1,)) if self.by_distance else super()._block_counts(parts)

    def divide(self, blocks: int, parts: int) -> None:
        """Try one number of blocks and of parts.

        If the error is on average, the second search stops by its mean error, so only a large
        number of cells is tried.
        """
        numbers = cell_numbers(self.problem, blocks, parts)
        if self._measure == "error":
            finest = ceil_div(_CELLS, blocks * parts * self.problem.epsilon)
            numbers = iter((max(2, finest),))
        for cells in numbers:
            if self.ticks is not None:
                cells = dividing(self.ticks // (blocks * parts), cells)
            division = Division(
                self.problem, blocks, parts, cells, stops=True, by_distance=self.by_distance
            )
            self._try_repeats(division)

    def _try_repeats(self, division: Division) -> None:
        """Try every number of repeats that may pay, for one way to divide."""
        narrow = self._narrow(division)
        first, third = (np.array([each]) for each in division.most())
        full, parts = math.ceil(self.level), division.parts
        hide = self._hide(division, full)
        least = float(narrow.average(first)[0] + hide.average(third)[0])
        one, three = (
            stage.split(float(lost[0]), 1.0)[1] for stage, lost in ((narrow, first), (hide, third))
        )
        if not self.limits.keep(one + three, one + full * three):
            return
        for repeats in self._repeat_counts(parts):
            if not self._short(least + (parts - 1) * repeats):
                return
            if division.allowed(repeats, at_most=True) > 0:
                kept = division.least_kept(repeats, self.level)
                if kept <= parts:
                    kept = kept if division.part_cells > 1 else parts  # all cost the same
                    self._balance(division, repeats, narrow, self._hide(division, kept))
            if self.votes.vote(parts, repeats).error <= self._negligible:
                return

    def _narrow(self, division: Division) -> _Stage:
        known = None
        if division.blocks > 1:
            known = lengths(self._noise, division.blocks, at_once=self.at_once)
        lean = division.lean.block
        return _Stage(division.blocks, lean, 1, self.at_once, 0.0, self._theorem, known)

    def _hide(self, division: Division, kept: int) -> _Stage:
        cells, known, measure = division.part_cells, None, self._measure
        if cells > 1:
            known = lengths(self._noise, cells, measure, self.at_once)
        blur = 1 / (4 * cells) if measure == "error" else 0.0
        lean = division.lean.place
        return _Stage(cells, lean, kept, self.at_once, blur, self._theorem, known)

    @property
    def _measure(self) -> Measure:
        """The measure that the second search stops by."""
        if self.problem.confidence is not None:
            return "miss"
        return "error" if self.problem.values is None else "values"

    def _balance(self, division: Division, repeats: int, narrow: _Stage, hide: _Stage) -> None:
        """Try the ways to divide the allowed loss between the two searches."""
        total = division.allowed(repeats)
        if total <= 0:
            return
        odds = hide.copies * _ODDS
        share = odds / (1 + odds)
        if narrow.lengths is None or hide.lengths is None:
            share = np.array([float(narrow.lengths is None)])
        third = np.minimum(share * total / division.weight, 1.0)
        first = np.array([division.rest(total, division.weight * each) for each in third])
        cut = (division.parts - 1) * repeats
        with np.errstate(divide="ignore"):
            asked = cut + narrow.average(first) + hide.average(third)
        if not self.limits.any:
            order = [int(asked.argmin())]
        else:
            order = sorted(range(0, len(asked)), key=lambda each: float(asked[each]))[::3]
        for each in order:
            if not self._short(float(asked[each])):
                return
            for spent in _CAPPED if self.limits.any else _CAPPED[:1]:
                stages = (narrow, float(first[each])), (hide, float(third[each]))
                self._cap(division, repeats, stages, spent)

    def _cap(
        self,
        division: Division,
        repeats: int,
        stages: tuple[tuple[_Stage, float], tuple[_Stage, float]],
        spent: float,
    ) -> None:
        """Put caps on the two searches, as late as the limits allow, and keep the best member."""
        (narrow, first), (hide, third) = stages
        (first, one), (third, three) = narrow.split(first, spent), hide.split(third, spent)
        cut = (division.parts - 1) * repeats
        rounds = (division.parts > 1) + one + three
        if not self.limits.keep(rounds, cut + one + hide.copies * three):
            return
        wanted, share = (narrow.longest(first), hide.longest(third)), 1.0
        if self.limits.rounds is not None:
            share = min(share, (self.limits.rounds - rounds) / max(1, sum(wanted)))
        if self.limits.queries is not None:
            left = self.limits.queries - cut - one - hide.copies * three
            most = narrow.price * wanted[0] + hide.price * wanted[1]
            share = min(share, left / max(1, most))
        before, after = (math.floor(share * each) for each in wanted)
        if before < (narrow.lengths is not None) or after < (hide.lengths is not None):
            return
        coarse, fine = narrow.capped(first, before, one), hide.capped(third, after, three)
        mean = cut + coarse.queries + fine.queries
        if not self._short(mean):
            return
        shape = SequentialShape(
            blocks=division.blocks,
            narrow_error=coarse.error,
            narrow_cap=coarse.cap,
            parts=division.parts,
            repeats=repeats,
            kept=hide.copies,
            hide_error=fine.error,
            hide_cap=fine.cap,
            at_once=self.at_once,
        )
        if shape.queries > LONGEST:
            self.shortest = min(self.shortest, shape.queries)
        elif self.limits.keep(shape.rounds, shape.queries):
            found = claimed(division, shape, coarse.lost, fine.lost, mean)
            if found.is_accurate:
                self.best = found


def _rounded(error: float) -> Fraction:
    """Return an error rounded down to a few digits."""
    unit = 10 ** max(0, _DIGITS - 1 - math.floor(math.log10(error)))
    return Fraction(math.floor(error * unit), unit)
