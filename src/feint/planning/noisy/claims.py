"""A member of the staged family under noise, and what it claims: proofs/noisy.md.

With c₁ blocks, C parts of width w ≥ δ and L' of them kept, the best eavesdropper wins with
probability at most [1 + (2δ/w − 1)Ā]/L' where that is more than 1/L', and 1/L' otherwise, whatever
p is from the promised one upwards; Ā is what an end part loses in the vote. The learner misses with
probability at most 1 − (1−e₁)(1−e₂)(1−e₃), or errs on average by no more than her stages in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from feint.errors import NoPlan
from feint.exact import ceil_div
from feint.problem import Problem
from feint.strategies import NoisyShape, astray, vote

_ROUNDING = 1e-12  # floats' own errors are far smaller


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member of the family on its lattice, and what it claims.

    Attributes:
        shape: Which member it is.
        part_cells: Cells of the longest part.
        success: What the best eavesdropper wins with, at most.
        losses: What each stage may lose, by name: chances of a miss, or expected errors.
    """

    shape: NoisyShape
    part_cells: int
    success: Fraction = Fraction(1)
    losses: tuple[tuple[str, float], ...] = ()

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

    def but(self, **changes: Any) -> Member:
        """The member with another shape, which claims nothing yet."""
        return Member(shape=replace(self.shape, **changes), part_cells=self.part_cells)


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


def lean(problem: Problem, member: Member) -> Lean:
    """How uneven a member's blocks, parts and places are."""
    if problem.values is None:
        return _EVEN
    return _lean(problem.values, member.shape.blocks, member.shape.parts, member.part_cells)


_EVEN = Lean()


@lru_cache(maxsize=64)  # a search asks again and again about the member it is at
def _lean(values: int, blocks: int, parts: int, cells: int) -> Lean:
    block = blocks * ceil_div(values, blocks) / values
    part = max(parts * ceil_div(b, parts) / b for b in block_sizes(values, blocks))
    return Lean(block, part, cells / (values // blocks // parts))


def block_sizes(values: int, blocks: int) -> set[int]:
    """The sizes of near-equal blocks of whole values: they differ by one at most."""
    return {values // blocks, ceil_div(values, blocks)}


def width(problem: Problem, member: Member) -> Fraction:
    """The width of the longest part."""
    if problem.values is not None:
        return Fraction(member.part_cells, problem.values)
    return Fraction(1, member.shape.blocks * member.shape.parts)


def success(problem: Problem, member: Member) -> Fraction:
    """The bound on the best eavesdropper, rounded up."""
    return _privacy(problem, member) / member.shape.kept


def least_kept(problem: Problem, member: Member, level: Fraction | int) -> int:
    """The fewest parts to keep; there may not be as many."""
    return ceil_div(level * _privacy(problem, member), 1)


def _privacy(problem: Problem, member: Member) -> Fraction:
    """L' times the bound, the largest over every p from the promised one upwards.

    With whole values it is that of the worse of the block sizes b, times C⌈b/C⌉/b.
    """
    if member.shape.parts == 1:
        return Fraction(1)
    lost = _up(vote(member.shape.parts, member.shape.repeats, float(odds(problem))).lost)

    def bound(ratio: Fraction) -> Fraction:
        return max(Fraction(1), 1 + (2 * ratio - 1) * lost)

    values = problem.values
    if values is None:
        return bound(problem.delta / width(problem, member))
    lengths = {b: ceil_div(b, member.shape.parts) for b in block_sizes(values, member.shape.blocks)}
    return max(
        Fraction(member.shape.parts * length, b) * bound(problem.delta * values / length)
        for b, length in lengths.items()
    )


def _up(chance: float) -> Fraction:
    """A chance as a rational that is no smaller."""
    return Fraction(math.ceil((chance + _ROUNDING) * 10**12), 10**12)


def allowed(problem: Problem, member: Member) -> tuple[float, float]:
    """What the two searches may lose in all, and what the second one's miss counts."""
    if problem.confidence is not None:
        return 1 - float(problem.confidence) / (1 - _voted(problem, member)) - _ROUNDING, 1.0
    spent = _strayed(problem, member) + _blurred(problem, member)
    total = float(problem.epsilon) / 2 - spent - _ROUNDING * float(problem.epsilon)
    return total, float(width(problem, member))


def rest(problem: Problem, total: float, third: float) -> float:
    """What is left for the first search when the second loses so much."""
    if problem.confidence is None:
        return total - third
    return 1 - (1 - total) / (1 - third) if third < total else 0.0


def most(problem: Problem, member: Member) -> tuple[float, float]:
    """The largest chances of a miss of the two searches: each alone loses all that may be."""
    if problem.confidence is not None:
        return float(1 - problem.confidence), float(1 - problem.confidence)
    total = float(problem.epsilon) / 2 - _blurred(problem, member)
    return total, total / float(width(problem, member))


def losses(
    problem: Problem, member: Member, first: float, third: float
) -> tuple[tuple[str, float], ...]:
    """What each stage may lose, what that comes to, and what is allowed."""
    if problem.confidence is not None:
        second = _voted(problem, member)
        total = 1 - (1 - first) * (1 - second) * (1 - third)
        stages = [("narrow", first), ("cut", second), ("hide", third), ("total", total)]
        return (*stages, ("allowed", float(1 - problem.confidence)))
    hidden = float(width(problem, member)) * third
    stages = [("narrow", first), ("cut", _strayed(problem, member)), ("hide", hidden)]
    stages += [("cell", _blurred(problem, member))]
    total = sum(each for _, each in stages)
    return (*stages, ("total", total), ("allowed", float(problem.epsilon) / 2))


def claimed(problem: Problem, member: Member, first: float, third: float) -> Member:
    """The member with its claims, when the two searches miss with such chances at most."""
    return replace(
        member,
        success=success(problem, member),
        losses=losses(problem, member, first, third),
    )


def _voted(problem: Problem, member: Member) -> float:
    """The chance that the vote takes a wrong part, at most."""
    if member.shape.parts == 1:
        return 0.0
    chances = vote(member.shape.parts, member.shape.repeats, float(odds(problem)))
    return min(chances.worst, lean(problem, member).part * chances.error) + _ROUNDING


def _strayed(problem: Problem, member: Member) -> float:
    """Σ_j (j+1)·w·P{|k̂ − k*| = j} over j ≥ 1, at most: how far a wrong part leads astray."""
    if member.shape.parts == 1:
        return 0.0
    far = astray(member.shape.parts, member.shape.repeats, float(odds(problem)))
    return lean(problem, member).part * far * float(width(problem, member))


def _blurred(problem: Problem, member: Member) -> float:
    """The mean error in the right cell, a quarter of it; a whole value that is found is exact."""
    return (
        0.0 if problem.values is not None else float(width(problem, member)) / member.part_cells / 4
    )


def odds(problem: Problem) -> Fraction:
    """The probability p that an answer is right; it must be there."""
    if problem.p is None:
        raise NoPlan("p", None, "answers that may be wrong need it", "give p")
    return problem.p
