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

from feint.errors import InvalidValue, NoPlan
from feint.exact import ceil_div, rounded
from feint.problem import Problem
from feint.strategies.pursuit import Rule
from feint.strategies.vote import astray, vote

_ROUNDING = 1e-12  # floats' own errors are far smaller
_RAREST = Fraction(1, 10**11)  # a miss of one number must be as likely: it is rounded up at stages


@dataclass(frozen=True)
class NoisyShape:
    """A member of the family and what is known of it.

    Attributes:
        blocks: c₁.
        narrow: K₁.
        parts: C.
        repeats: m.
        kept: L'.
        hide: K₂.
        cells: Cells of the longest part.
        rules: The rules of the two searches.
        success: What the best eavesdropper wins with, at most.
        budget: What each stage may lose, by name: chances of a miss, or expected errors.
    """

    blocks: int
    narrow: int
    parts: int
    repeats: int
    kept: int
    hide: int
    cells: int
    rules: tuple[Rule, Rule] = ("tilted", "tilted")
    success: Fraction = Fraction(1)
    budget: tuple[tuple[str, float], ...] = ()

    @property
    def queries(self) -> int:
        """K₁ + (C − 1)m + L'K₂."""
        return self.narrow + (self.parts - 1) * self.repeats + self.kept * self.hide

    @property
    def rounds(self) -> int:
        """One a narrowing query, one for the cut, one a hidden query."""
        return self.narrow + (self.parts > 1) + self.hide

    @property
    def size(self) -> int:
        """Cells of a lattice on which blocks and parts are equal."""
        return self.blocks * self.parts * self.cells


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


def lean(problem: Problem, shape: NoisyShape) -> Lean:
    """How uneven a shape's blocks, parts and places are."""
    if problem.values is None:
        return _EVEN
    return _lean(problem.values, shape.blocks, shape.parts, shape.cells)


_EVEN = Lean()


@lru_cache(maxsize=64)  # a search asks again and again about the shape it is at
def _lean(values: int, blocks: int, parts: int, cells: int) -> Lean:
    block = blocks * ceil_div(values, blocks) / values
    part = max(parts * ceil_div(b, parts) / b for b in block_sizes(values, blocks))
    return Lean(block, part, cells / (values // blocks // parts))


def block_sizes(values: int, blocks: int) -> set[int]:
    """The sizes of so many blocks of whole values: they differ by one at most."""
    return {values // blocks, ceil_div(values, blocks)}


def width(problem: Problem, shape: NoisyShape) -> Fraction:
    """The width of the longest part."""
    if problem.values is not None:
        return Fraction(shape.cells, problem.values)
    return Fraction(1, shape.blocks * shape.parts)


def success(problem: Problem, shape: NoisyShape) -> Fraction:
    """The bound on the best eavesdropper, rounded up."""
    return _privacy(problem, shape) / shape.kept


def least_kept(problem: Problem, shape: NoisyShape, level: Fraction | int) -> int:
    """The fewest parts to keep; there may not be as many."""
    return ceil_div(level * _privacy(problem, shape), 1)


def _privacy(problem: Problem, shape: NoisyShape) -> Fraction:
    """L' times the bound, the largest over every p from the promised one upwards.

    With whole values it is that of the worse of the block sizes b, times C⌈b/C⌉/b.
    """
    if shape.parts == 1:
        return Fraction(1)
    lost = _up(vote(shape.parts, shape.repeats, float(odds(problem))).lost)

    def bound(ratio: Fraction) -> Fraction:
        return max(Fraction(1), 1 + (2 * ratio - 1) * lost)

    values = problem.values
    if values is None:
        return bound(problem.delta / width(problem, shape))
    lengths = {b: ceil_div(b, shape.parts) for b in block_sizes(values, shape.blocks)}
    return max(
        Fraction(shape.parts * length, b) * bound(problem.delta * values / length)
        for b, length in lengths.items()
    )


def _up(chance: float) -> Fraction:
    """A chance as a rational that is no smaller."""
    return Fraction(math.ceil((chance + _ROUNDING) * 10**12), 10**12)


def allowed(problem: Problem, shape: NoisyShape) -> tuple[float, float]:
    """What the two searches may lose in all, and what the second one's miss counts."""
    if problem.confidence is not None:
        return 1 - float(problem.confidence) / (1 - _voted(problem, shape)) - _ROUNDING, 1.0
    spent = _strayed(problem, shape) + _blurred(problem, shape)
    total = float(problem.epsilon) / 2 - spent - _ROUNDING * float(problem.epsilon)
    return total, float(width(problem, shape))


def rest(problem: Problem, total: float, third: float) -> float:
    """What is left for the first search when the second loses so much."""
    if problem.confidence is None:
        return total - third
    return 1 - (1 - total) / (1 - third) if third < total else 0.0


def most(problem: Problem, shape: NoisyShape) -> tuple[float, float]:
    """The largest chances of a miss of the two searches: each spends the whole budget alone."""
    if problem.confidence is not None:
        return float(1 - problem.confidence), float(1 - problem.confidence)
    total = float(problem.epsilon) / 2 - _blurred(problem, shape)
    return total, total / float(width(problem, shape))


def budget(
    problem: Problem, shape: NoisyShape, first: float, third: float
) -> tuple[tuple[str, float], ...]:
    """What each stage may lose, what that comes to, and what is allowed."""
    if problem.confidence is not None:
        second = _voted(problem, shape)
        total = 1 - (1 - first) * (1 - second) * (1 - third)
        stages = [("narrow", first), ("cut", second), ("hide", third), ("total", total)]
        return (*stages, ("allowed", float(1 - problem.confidence)))
    hidden = float(width(problem, shape)) * third
    stages = [("narrow", first), ("cut", _strayed(problem, shape)), ("hide", hidden)]
    stages += [("cell", _blurred(problem, shape))]
    total = sum(each for _, each in stages)
    return (*stages, ("total", total), ("allowed", float(problem.epsilon) / 2))


def claimed(problem: Problem, shape: NoisyShape, first: float, third: float) -> NoisyShape:
    """The shape with its claims, when the two searches miss with such chances at most."""
    return replace(
        shape,
        success=success(problem, shape),
        budget=budget(problem, shape, first, third),
    )


def _voted(problem: Problem, shape: NoisyShape) -> float:
    """The chance that the vote takes a wrong part, at most."""
    if shape.parts == 1:
        return 0.0
    chances = vote(shape.parts, shape.repeats, float(odds(problem)))
    return min(chances.worst, lean(problem, shape).part * chances.error) + _ROUNDING


def _strayed(problem: Problem, shape: NoisyShape) -> float:
    """Σ_j (j+1)·w·P{|k̂ − k*| = j} over j ≥ 1, at most: how far a wrong part leads astray."""
    if shape.parts == 1:
        return 0.0
    far = astray(shape.parts, shape.repeats, float(odds(problem)))
    return lean(problem, shape).part * far * float(width(problem, shape))


def _blurred(problem: Problem, shape: NoisyShape) -> float:
    """The mean error in the right cell, a quarter of it; a whole value that is found is exact."""
    return 0.0 if problem.values is not None else float(width(problem, shape)) / shape.cells / 4


def check_confidence(problem: Problem) -> None:
    """Refuse a confidence so near to 1 that rounding up alone would spend what may be missed.

    Raises:
        InvalidValue: It is; the nearest that works is named.
    """
    sure, most = problem.confidence, 1 - problem.dim * _RAREST
    if sure is not None and sure > most:
        rule = "to plan, must be below 1 by 10^-11 or more for each number: no certificate is finer"
        remedy = f"the nearest that works is confidence = {rounded(most, _RAREST / 10)}"
        shown = rounded(sure, min(1 - sure, sure - most) / 4)
        raise InvalidValue("confidence", shown, rule, remedy)


def odds(problem: Problem) -> Fraction:
    """The probability p that an answer is right; it must be there."""
    if problem.p is None:
        raise NoPlan("p", None, "answers that may be wrong need it", "give p")
    return problem.p
