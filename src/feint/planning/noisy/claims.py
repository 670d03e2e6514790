"""A member of the staged family under noise, and what it claims: proofs/noisy.md.

With c₁ blocks, C parts of width w ≥ δ and L' of them kept, the best eavesdropper wins with
probability at most [1 + (2δ/w − 1)Ā]/L' where that is more than 1/L', and 1/L' otherwise. That
holds if all answers are right equally often, for every p from the promised one upwards; Ā is what
an end part loses in the vote. The learner misses with probability at most 1 − (1−e₁)(1−e₂)(1−e₃),
or errs on average by no more than her stages in all.

If how often an answer is right depends on how far its question is from X*, and is p or more, a
member of one block claims 1/L' and what the cut loses at p: proofs/samples.md.

If there is only a belief about p, privacy is claimed for every p: Ā is then 1 at most. The misses
of the cut are averaged over the belief, and those of all stages are added up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from feint.errors import NoPlan
from feint.exact import ceil_div
from feint.planning.noisy.votes import votes_of
from feint.problem import Between, Noise, Problem
from feint.strategies import NoisyShape, SequentialShape

_ROUNDING = 1e-12  # floats' own errors are far smaller
_UNIT = 10**12
_NEAR = 1e-9  # and by so much the two ways to sum a vote's errors may differ


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member of the family on its lattice, and what it claims.

    Attributes:
        shape: Which member it is.
        part_cells: Cells of the longest part.
        success: What the best eavesdropper wins with, at most.
        losses: What each stage may lose, by name: chances of a miss, or expected errors.
        average: How many queries it asks on average, where it stops when sure, about.
    """

    shape: NoisyShape | SequentialShape
    part_cells: int
    success: Fraction = Fraction(1)
    losses: tuple[tuple[str, float], ...] = ()
    average: float | None = None

    @property
    def mean(self) -> float:
        """Return how many queries it asks on average."""
        return self.shape.queries if self.average is None else self.average

    @property
    def is_accurate(self) -> bool:
        """Return True if its stages lose no more than is allowed."""
        lost = dict(self.losses)
        return lost["total"] <= lost["allowed"]

    @property
    def queries(self) -> int:
        """How many queries it asks."""
        return self.shape.queries

    @property
    def rounds(self) -> int:
        """How many rounds it takes."""
        return self.shape.rounds

    @property
    def size(self) -> int:
        """Cells of a lattice on which blocks and parts are equal."""
        return self.shape.blocks * self.shape.parts * self.part_cells


@dataclass(frozen=True)
class Lean:
    """How much likelier than all alike a block, a part of it and a place in a part can be.

    Whole numbers do not divide evenly: a mean with weights of at most t times the equal ones is at
    most t times the equal mean.

    Attributes:
        block: Of blocks.
        part: Of parts, given the block.
        place: Of places, given the part.
    """

    block: float = 1.0
    part: float = 1.0
    place: float = 1.0


_EVEN = Lean()


class Division:
    """Blocks, parts and cells, before the vote and the two searches: what its members share.

    The search asks it again and again, so what does not change is worked out once.

    Attributes:
        problem: What is wanted.
        blocks: c₁.
        parts: C.
        part_cells: Cells of the longest part.
        lean: How uneven blocks, parts and places are.
        width: The width of the longest part.
        weight: What a miss of the second search counts: 1, or that width when errors are counted.
        by_distance: Whether privacy is claimed for answers that err more often near X*.
    """

    def __init__(
        self,
        problem: Problem,
        blocks: int,
        parts: int,
        part_cells: int,
        *,
        stops: bool = False,
        by_distance: bool = False,
    ) -> None:
        """Work out what all members share.

        Args:
            problem: What is wanted.
            blocks: c₁.
            parts: C.
            part_cells: Cells of the longest part.
            stops: Whether the searches stop when they are sure: the second one then measures its
                mean error, that inside its cell included.
            by_distance: Whether privacy is claimed for answers that err more often near X*; there
                must be one block.
        """
        self.problem, self.blocks, self.parts = problem, blocks, parts
        self.part_cells, self.by_distance = part_cells, by_distance
        noise = noise_of(problem)
        self._votes, self._averaged = votes_of(noise), isinstance(noise, Between)
        self.lean, exact = _EVEN, Fraction(1, blocks * parts)
        if problem.values is not None:
            self.lean = _lean(problem.values, blocks, parts, part_cells)
            exact = Fraction(part_cells, problem.values)
        self.width = float(exact)
        self.weight = 1.0 if problem.confidence is not None else self.width
        # The mean error in the right cell is a quarter of it; a whole value that is found is exact.
        exactly = stops or problem.values is not None
        self._blurred = 0.0 if exactly else self.width / part_cells / 4
        self._epsilon = float(problem.epsilon)
        self._sure = None if problem.confidence is None else float(problem.confidence)
        self._miss = 0.0 if problem.confidence is None else float(1 - problem.confidence)
        self._bounds = tuple(self._privacies(exact))

    @classmethod
    def of(cls, problem: Problem, member: Member) -> Division:
        """That of a member."""
        return cls(problem, member.shape.blocks, member.shape.parts, member.part_cells)

    def _privacies(self, width: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        """For each size of block, how much likelier a part of it is, and 2δ/w − 1."""
        values = self.problem.values
        if values is None:
            yield Fraction(1), 2 * self.problem.delta / width - 1
            return
        for b in block_sizes(values, self.blocks):
            longest = ceil_div(b, self.parts)
            ratio = self.problem.delta * values / longest
            yield Fraction(self.parts * longest, b), 2 * ratio - 1

    def privacy(self, repeats: int) -> Fraction:
        """Return L' times the bound if the cut is right or answers are right equally often.

        It is the largest over every p from the promised one upwards.

        If there is only a belief about p, it is the largest over every p.

        It is one p for all answers: they must be right equally often.

        With whole values it is that of the worse of the block sizes b, times C⌈b/C⌉/b.
        """
        if self.parts == 1:
            return Fraction(1)
        if self.by_distance:
            return self._most_even
        lost = Fraction(_up(self._votes.vote(self.parts, repeats).lost), _UNIT)
        if not self._votes.is_even:  # the part found may be right always, and yet both sides lose
            return max(more * (1 + (slope + 1) * lost) for more, slope in self._bounds)
        return max(more * max(Fraction(1), 1 + slope * lost) for more, slope in self._bounds)

    def success(self, repeats: int, kept: int) -> Fraction:
        """Return what the best eavesdropper wins with, at most, if so many parts are kept."""
        return self.privacy(repeats) / kept + self._seen(repeats)

    @property
    def _most_even(self) -> Fraction:
        """Return L' times what she wins with if the cut is never wrong."""
        return max(more for more, _ in self._bounds)

    def _seen(self, repeats: int) -> Fraction:
        """Return what a wrong part adds to her success if answers near X* err more often."""
        if not self.by_distance:
            return Fraction(0)
        return min(Fraction(1), Fraction(_up(self.voted(repeats)), _UNIT))

    def least_kept(self, repeats: int, level: Fraction | int) -> int:
        """Return the fewest parts to keep, such as ⌈L·privacy⌉; there may not be as many."""
        if self.parts == 1:
            return math.ceil(level)
        if self.by_distance:
            left = 1 / Fraction(level) - self._seen(repeats)
            return math.ceil(self._most_even / left) if left > 0 else self.parts + 1
        if not self._votes.is_even:
            return math.ceil(level * self.privacy(repeats))
        lost, found = _up(self._votes.vote(self.parts, repeats).lost), 0
        for more, slope in self._bounds:  # in whole numbers, since it is asked so often
            least = slope.denominator * _UNIT
            above = level.numerator * more.numerator * max(least, least + slope.numerator * lost)
            found = max(found, -(-above // (level.denominator * more.denominator * least)))
        return found

    def allowed(self, repeats: int, *, at_most: bool = False) -> float:
        """What the two searches may lose in all after the vote.

        Args:
            repeats: m.
            at_most: Whether an upper bound will do, which is quick to work out.

        Returns:
            The chance of a miss, or the expected error.
        """
        if self._averaged and self._sure is not None:
            return self._miss - self.voted(repeats) - _ROUNDING
        if self._sure is not None:
            return 1 - self._sure / (1 - self.voted(repeats)) - _ROUNDING
        lost = self._strayed_least(repeats) if at_most else self._strayed(repeats)
        return self._epsilon / 2 - (lost + self._blurred) - _ROUNDING * self._epsilon

    def rest(self, total: float, third: float) -> float:
        """What is left for the first search when the second loses so much."""
        if self._sure is None or self._averaged:
            return total - third
        return 1 - (1 - total) / (1 - third) if third < total else 0.0

    def most(self) -> tuple[float, float]:
        """The largest chances of a miss of the two searches: each alone loses all that may be."""
        if self._sure is not None:
            return self._miss, self._miss
        total = self._epsilon / 2 - self._blurred
        return total, total / self.width

    def losses(self, repeats: int, first: float, third: float) -> tuple[tuple[str, float], ...]:
        """What each stage may lose, what that comes to, and what is allowed."""
        if self._sure is not None:
            second = self.voted(repeats)
            total = 1 - (1 - first) * (1 - second) * (1 - third)
            if self._averaged:  # a stage that errs makes p smaller: the others are not independent
                total = first + second + third
            stages = [("narrow", first), ("cut", second), ("hide", third), ("total", total)]
            return (*stages, ("allowed", self._miss))
        stages = [("narrow", first), ("cut", self._strayed(repeats))]
        stages += [("hide", self.width * third), ("cell", self._blurred)]
        total = sum(each for _, each in stages)
        return (*stages, ("total", total), ("allowed", self._epsilon / 2))

    def voted(self, repeats: int) -> float:
        """The chance that the vote takes a wrong part, at most."""
        if self.parts == 1:
            return 0.0
        chances = self._votes.vote(self.parts, repeats)
        return min(chances.worst, self.lean.part * chances.error) + _ROUNDING

    def _strayed(self, repeats: int) -> float:
        """Σ_j (j+1)·w·P{|k̂ − k*| = j} over j ≥ 1, at most: how far a wrong part leads astray."""
        if self.parts == 1:
            return 0.0
        return self.lean.part * self._votes.astray(self.parts, repeats) * self.width

    def _strayed_least(self, repeats: int) -> float:
        """A lower bound on it: a wrong part is one away at least."""
        if self.parts == 1:
            return 0.0
        far = 2 * self._votes.vote(self.parts, repeats).error * (1 - _NEAR) - _NEAR
        return self.lean.part * far * self.width


@lru_cache(maxsize=64)  # a search asks again and again about the division it is at
def _lean(values: int, blocks: int, parts: int, cells: int) -> Lean:
    block = blocks * ceil_div(values, blocks) / values
    part = max(parts * ceil_div(b, parts) / b for b in block_sizes(values, blocks))
    return Lean(block, part, cells / (values // blocks // parts))


def block_sizes(values: int, blocks: int) -> set[int]:
    """The sizes of near-equal blocks of whole values: they differ by one at most."""
    return {values // blocks, ceil_div(values, blocks)}


def claimed(
    division: Division,
    shape: NoisyShape | SequentialShape,
    first: float,
    third: float,
    average: float | None = None,
) -> Member:
    """Return the member with its claims, when the two searches lose no more than that.

    Args:
        division: Blocks, parts and cells.
        shape: Which member it is.
        first: What the search among blocks may lose.
        third: What the search in a part may lose.
        average: How many queries it asks on average; None: every run asks as many.
    """
    return Member(
        shape=shape,
        part_cells=division.part_cells,
        success=division.success(shape.repeats, shape.kept),
        losses=division.losses(shape.repeats, first, third),
        average=average,
    )


def _up(chance: float) -> int:
    """A chance in units of 10^-12, rounded up."""
    return math.ceil((chance + _ROUNDING) * _UNIT)


def noise_of(problem: Problem) -> Noise:
    """Return how often answers are right; the problem must say it."""
    if problem.noise is None:
        raise NoPlan("p", None, "answers that may be wrong need it", "give p")
    return problem.noise


def p_of(problem: Problem) -> Fraction:
    """The probability p that an answer is right; it must be there."""
    if problem.known_p is None:
        rule = "this method needs one known probability that an answer is right"
        shown = noise_of(problem).words
        raise NoPlan("p", shown, rule, "give p as one number, such as 0.9")
    return problem.known_p
