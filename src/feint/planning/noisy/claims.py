"""Compute the claims of members of the staged family under noise: proofs/noisy.md.

With c₁ blocks, C parts of width w ≥ δ and L' of them kept, the best eavesdropper wins with
probability at most [1 + (2δ/w − 1)Ā]/L' if that exceeds 1/L', and at most 1/L' otherwise. Ā is the
probability that an end part loses in the vote. The bound holds for every p from the promised one
upwards, if all answers are right equally often. The learner misses with probability at most
1 − (1−e₁)(1−e₂)(1−e₃), or her mean error is at most the sum over her stages.

The reliability of an answer may also depend on the distance of its question from X*, and be p or
more. Then a member of one block claims 1/L' plus the loss of the cut at p: proofs/samples.md.

If p is known only by a belief, privacy is claimed for every p, with Ā at most 1. The misses of the
cut are averaged over the belief, and those of all stages are added up.
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

_ROUNDING = 1e-12  # the errors of floats are far smaller
_UNIT = 10**12
_NEAR = 1e-9  # the largest difference between the two sums of the errors of a vote


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member of the family on its lattice, with its claims.

    Attributes:
        shape: The parameters of the member.
        part_cells: The number of cells of the longest part.
        success: An upper bound on the best eavesdropper's success.
        losses: The most that each stage may lose by name, in chances of a miss or expected errors.
        average: The approximate mean number of queries, if it stops when sure.
    """

    shape: NoisyShape | SequentialShape
    part_cells: int
    success: Fraction = Fraction(1)
    losses: tuple[tuple[str, float], ...] = ()
    average: float | None = None

    @property
    def mean(self) -> float:
        """Return the mean number of queries."""
        return self.shape.queries if self.average is None else self.average

    @property
    def is_accurate(self) -> bool:
        """Return True if its stages lose no more than is allowed."""
        lost = dict(self.losses)
        return lost["total"] <= lost["allowed"]

    @property
    def queries(self) -> int:
        """The number of queries."""
        return self.shape.queries

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return self.shape.rounds

    @property
    def size(self) -> int:
        """The number of cells of a lattice on which blocks and parts are equal."""
        return self.shape.blocks * self.shape.parts * self.part_cells


@dataclass(frozen=True)
class Lean:
    """Limits on how much likelier than average a block, a part and a place can be.

    Whole numbers do not divide evenly. A mean with weights of at most t times the equal ones is at
    most t times the equal mean.

    Attributes:
        block: The factor of blocks.
        part: The factor of parts, given the block.
        place: The factor of places, given the part.
    """

    block: float = 1.0
    part: float = 1.0
    place: float = 1.0


_EVEN = Lean()


class Division:
    """A division into blocks, parts and cells, which its members share before the vote.

    The search uses it again and again, so constants are computed once.

    Attributes:
        problem: The problem.
        blocks: The number c₁ of blocks.
        parts: The number C of parts.
        part_cells: The number of cells of the longest part.
        lean: The unevenness of blocks, parts and places.
        width: The width of the longest part.
        weight: The weight of a miss of the second search: 1, or `width` if errors are counted.
        by_distance: True if privacy is claimed for answers that err more often near X*.
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
        """Compute what all members share.

        Args:
            problem: The problem.
            blocks: The number c₁ of blocks.
            parts: The number C of parts.
            part_cells: The number of cells of the longest part.
            stops: True if the searches stop when they are sure. Then the second one measures its
                mean error, including the error inside its cell.
            by_distance: True if privacy is claimed for answers that err more often near X*. Then
                there must be one block.
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
        # The mean error in the right cell is a quarter of its width. A whole value is exact.
        exactly = stops or problem.values is not None
        self._blurred = 0.0 if exactly else self.width / part_cells / 4
        self._epsilon = float(problem.epsilon)
        self._sure = None if problem.confidence is None else float(problem.confidence)
        self._miss = 0.0 if problem.confidence is None else float(1 - problem.confidence)
        self._bounds = tuple(self._privacies(exact))

    @classmethod
    def of(cls, problem: Problem, member: Member) -> Division:
        """Return the division of a member."""
        return cls(problem, member.shape.blocks, member.shape.parts, member.part_cells)

    def _privacies(self, width: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield the factor by which a part is likelier, and 2δ/w − 1, for each size of block."""
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

        It is the maximum over every p from the promised one upwards.

        If there is only a belief about p, it is the maximum over every p.

        One p applies to all answers: they must be right equally often.

        With whole values it is the bound of the worse block size b, times C⌈b/C⌉/b.
        """
        if self.parts == 1:
            return Fraction(1)
        if self.by_distance:
            return self._most_even
        lost = Fraction(_up(self._votes.vote(self.parts, repeats).lost), _UNIT)
        if not self._votes.is_even:  # the chosen part may always be right while both sides lose
            return max(more * (1 + (slope + 1) * lost) for more, slope in self._bounds)
        return max(more * max(Fraction(1), 1 + slope * lost) for more, slope in self._bounds)

    def success(self, repeats: int, kept: int) -> Fraction:
        """Return an upper bound on the best eavesdropper's success with a number of kept parts."""
        return self.privacy(repeats) / kept + self._seen(repeats)

    @property
    def _most_even(self) -> Fraction:
        """Return L' times her success if the cut is never wrong."""
        return max(more for more, _ in self._bounds)

    def _seen(self, repeats: int) -> Fraction:
        """Return the success that a wrong part adds if answers near X* err more often."""
        if not self.by_distance:
            return Fraction(0)
        return min(Fraction(1), Fraction(_up(self.voted(repeats)), _UNIT))

    def least_kept(self, repeats: int, level: Fraction | int) -> int:
        """Return the fewest parts to keep, such as ⌈L·privacy⌉, which may exceed C."""
        if self.parts == 1:
            return math.ceil(level)
        if self.by_distance:
            left = 1 / Fraction(level) - self._seen(repeats)
            return math.ceil(self._most_even / left) if left > 0 else self.parts + 1
        if not self._votes.is_even:
            return math.ceil(level * self.privacy(repeats))
        lost, found = _up(self._votes.vote(self.parts, repeats).lost), 0
        for more, slope in self._bounds:  # in whole numbers, since this is called often
            least = slope.denominator * _UNIT
            above = level.numerator * more.numerator * max(least, least + slope.numerator * lost)
            found = max(found, -(-above // (level.denominator * more.denominator * least)))
        return found

    def allowed(self, repeats: int, *, at_most: bool = False) -> float:
        """Return the loss that the vote leaves to the two searches together.

        Args:
            repeats: The number m of repeats.
            at_most: True if an upper bound suffices, which is quick to compute.

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
        """Return the loss that the second search leaves to the first."""
        if self._sure is None or self._averaged:
            return total - third
        return 1 - (1 - total) / (1 - third) if third < total else 0.0

    def most(self) -> tuple[float, float]:
        """Return the largest allowed misses of each search, if the other one misses nothing."""
        if self._sure is not None:
            return self._miss, self._miss
        total = self._epsilon / 2 - self._blurred
        return total, total / self.width

    def losses(self, repeats: int, first: float, third: float) -> tuple[tuple[str, float], ...]:
        """Return the loss of each stage, the total, and the allowed loss."""
        if self._sure is not None:
            second = self.voted(repeats)
            total = 1 - (1 - first) * (1 - second) * (1 - third)
            if (
                self._averaged
            ):  # an error of one stage suggests a smaller p, so the stages are not independent
                total = first + second + third
            stages = [("narrow", first), ("cut", second), ("hide", third), ("total", total)]
            return (*stages, ("allowed", self._miss))
        stages = [("narrow", first), ("cut", self._strayed(repeats))]
        stages += [("hide", self.width * third), ("cell", self._blurred)]
        total = sum(each for _, each in stages)
        return (*stages, ("total", total), ("allowed", self._epsilon / 2))

    def voted(self, repeats: int) -> float:
        """Return an upper bound on the chance that the vote takes a wrong part."""
        if self.parts == 1:
            return 0.0
        chances = self._votes.vote(self.parts, repeats)
        return min(chances.worst, self.lean.part * chances.error) + _ROUNDING

    def _strayed(self, repeats: int) -> float:
        """Bound the distance to which a wrong part leads: Σ_{j≥1} (j+1)·w·P{|k̂ − k*| = j}."""
        if self.parts == 1:
            return 0.0
        return self.lean.part * self._votes.astray(self.parts, repeats) * self.width

    def _strayed_least(self, repeats: int) -> float:
        """Return a lower bound on `_strayed`: a wrong part is at least one part away."""
        if self.parts == 1:
            return 0.0
        far = 2 * self._votes.vote(self.parts, repeats).error * (1 - _NEAR) - _NEAR
        return self.lean.part * far * self.width


@lru_cache(maxsize=64)  # a search calls this repeatedly for its current division
def _lean(values: int, blocks: int, parts: int, cells: int) -> Lean:
    block = blocks * ceil_div(values, blocks) / values
    part = max(parts * ceil_div(b, parts) / b for b in block_sizes(values, blocks))
    return Lean(block, part, cells / (values // blocks // parts))


def block_sizes(values: int, blocks: int) -> set[int]:
    """Return the sizes of near-equal blocks of whole values, which differ by at most one."""
    return {values // blocks, ceil_div(values, blocks)}


def claimed(
    division: Division,
    shape: NoisyShape | SequentialShape,
    first: float,
    third: float,
    average: float | None = None,
) -> Member:
    """Return the member with its claims, given the losses of the two searches.

    Args:
        division: The blocks, parts and cells.
        shape: The parameters of the member.
        first: An upper bound on the loss of the search among blocks.
        third: An upper bound on the loss of the search in a part.
        average: The mean number of queries; None if every run asks equally many.
    """
    return Member(
        shape=shape,
        part_cells=division.part_cells,
        success=division.success(shape.repeats, shape.kept),
        losses=division.losses(shape.repeats, first, third),
        average=average,
    )


def _up(chance: float) -> int:
    """Return a chance in units of 10^-12, rounded up."""
    return math.ceil((chance + _ROUNDING) * _UNIT)


def noise_of(problem: Problem) -> Noise:
    """Return the noise model of a problem, which must have one."""
    if problem.noise is None:
        raise NoPlan("p", None, "answers that may be wrong need it", "give p")
    return problem.noise


def p_of(problem: Problem) -> Fraction:
    """Return the probability p that an answer is right; the problem must have one."""
    if problem.known_p is None:
        rule = "this method needs one known probability that an answer is right"
        shown = noise_of(problem).words
        raise NoPlan("p", shown, rule, "give p as one number, such as 0.9")
    return problem.known_p
