"""Sizing the staged family under noise: the fewest queries that a certificate allows.

With c₁ blocks, C parts of width w ≥ δ and L' of them kept, the best eavesdropper wins with
probability at most [A₀ + (δ/w)(A₋ + A₊)]/L', and the learner misses with probability at most
1 − (1−e₁)(1−e₂)(1−e₃): proofs/noisy.md. A₀, A₋, A₊ and e₂ are exact; e₁ and e₃ come from the BZ
bound (certificate "theorem") or from simulation ("calibrated").
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from feint.errors import NoPlan
from feint.exact import ceil_div, log2, plain
from feint.planning.exact_search import exact_search, few
from feint.problem import Problem
from feint.strategies.pursuit import Rule
from feint.strategies.vote import Vote, astray, vote

_ROUNDING = 1e-12  # floats' own errors are far smaller
# Cells an ε that are tried when the error is on average: one of width 2ε spends it all.
_FINER = [Fraction(each, 8) for each in (5, 6, 7, 8, 10, 12, 16)]
NEVER = 1 << 30


class Misses(Protocol):
    """How many answers a noisy search needs, and why that is so."""

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """The fewest answers with which a search on `cells` cells misses with at most this chance.

        Returns:
            How many, the chance it then has at most, and the rule to search by; `NEVER` when
            there is no such number.
        """


@dataclass(frozen=True)
class Theorem:
    """The BZ bound: at most (cells − 1)·ρ^n after n answers, ρ = ½ + √(p(1−p)).

    Among few cells every history is walked instead, which is exact, and the posterior rule is the
    better one.

    Attributes:
        p: Probability that an answer is right.
    """

    p: Fraction

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """Enough answers for the bound to fall to `miss`."""
        if cells <= 1:
            return 0, 0.0, "tilted"
        if miss <= 0:
            return NEVER, 1.0, "tilted"
        count = self.bound_answers(cells, miss)
        if few(cells, count):
            walked = exact_search(cells, self.p, "posterior")
            exact = walked.fewest(miss, count - 1)
            if exact is not None:
                return exact, walked.after(exact), "posterior"
        return count, self._bound(cells, count), "tilted"

    def bound_answers(self, cells: int, miss: float) -> int:
        """Enough answers for (cells − 1)·ρ^n to fall to `miss`."""
        count = max(0, math.ceil(math.log((cells - 1) / miss) / -_log_rho(self.p) - 1e-9))
        while self._bound(cells, count) > miss:
            count += 1
        return count

    def _bound(self, cells: int, answers: int) -> float:
        return (cells - 1) * math.exp(_log_rho(self.p) * answers)


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


def tight(problem: Problem, level: Fraction | int, misses: Misses) -> NoisyShape | None:
    """The fewest queries under a certificate.

    Args:
        problem: What is wanted; its level is not looked at.
        level: L of this coordinate; any rational of at least 1.
        misses: The certificate.

    Returns:
        The shape, or None when no member of the family is private enough.
    """
    search = _Search(problem, level, misses)
    parts = math.ceil(level)
    while search.worth(parts):
        search.cut_into(parts)
        parts += 1
    return search.best


def near(
    problem: Problem, level: Fraction | int, known: Misses, misses: Misses
) -> NoisyShape | None:
    """The fewest queries under a certificate that is dear to ask, near what a cheap one chooses.

    Args:
        problem: What is wanted; its level is not looked at.
        level: L of this coordinate.
        known: The cheap certificate.
        misses: The dear one; it is asked about few numbers of cells only.

    Returns:
        The shape, or None when no member of the family is private enough.
    """
    rough = tight(problem, level, known)
    if rough is None:
        return None
    search = _Search(problem, level, misses)
    fewer = {rough.blocks * 3 // 4, rough.blocks * 5 // 4, rough.blocks + 1, 1}
    most = int(1 / (rough.parts * problem.delta))
    for blocks in [rough.blocks, *sorted(fewer - {rough.blocks, 0})]:
        if blocks <= most:
            for cells in _cells(problem, blocks, rough.parts):
                kept = math.ceil(level)
                search.repeat(NoisyShape(blocks, 0, rough.parts, 0, kept, 0, cells))
    return search.best


def paper(problem: Problem, level: Fraction | int) -> NoisyShape:
    """The paper's constants, L' = 7L; on average with the real part width in place of δ.

    Args:
        problem: What is wanted.
        level: L of this coordinate.

    Returns:
        The shape.

    Raises:
        NoPlan: 7Lδ > 1, where the paper's strategy is not defined.
    """
    p, parts = odds(problem), 7 * math.ceil(level)
    if parts * problem.delta > 1:
        most = plain(Fraction(1, parts))
        rule = f"the paper's strategy needs 7·level·delta ≤ 1, so delta ≤ {most}"
        raise NoPlan("delta", plain(problem.delta), rule, 'use method "tight"')
    blocks = int(1 / (parts * problem.delta))
    width = Fraction(1, blocks * parts)
    c3 = float(p - Fraction(1, 2)) ** 2 * math.log2(math.e)
    c4 = -log2(4 * p * (1 - p)) / 2
    delta, epsilon = problem.delta, problem.epsilon
    if problem.confidence is None:
        narrow = log2(Fraction(8, 7) / (epsilon * math.ceil(level) * delta)) / c3
        repeats = log2(64 * width / epsilon) / c4
        hide = 2 * (log2(4 * width / epsilon) + 0.5) / c3
    else:
        many = 1 / (1 - problem.confidence)
        narrow = log2(3 * many / delta) / c3
        repeats = log2(12 * many) / c4
        hide = log2(12 * many * delta / epsilon) / c3
    sized = (math.ceil(each) for each in (narrow, repeats, hide))
    k1, m, k2 = sized
    shape = NoisyShape(blocks, k1, parts, m, parts, k2, ceil_div(4 * width, epsilon))
    rho = math.exp(_log_rho(p))
    first, third = (blocks - 1) * rho**k1, (shape.cells - 1) * rho**k2
    budget = _budget(problem, shape, vote(parts, m, float(p)), first, third)
    return replace(shape, success=_success(problem, shape), budget=budget)


def alone(problem: Problem, misses: Misses) -> NoisyShape:
    """One search of everything: no privacy.

    Args:
        problem: What is wanted.
        misses: The certificate.

    Returns:
        The shape.

    Raises:
        NoPlan: The certificate cannot vouch for any number of answers.
    """
    found = tight(problem, 1, misses)
    if found is None:
        raise NoPlan("p", problem.p, "no number of answers is known to suffice", "raise epsilon")
    return found


class _Search:
    """The best shape so far."""

    def __init__(self, problem: Problem, level: Fraction | int, misses: Misses) -> None:
        self.problem, self.level, self.misses = problem, level, misses
        self.p = float(odds(problem))
        self.best: NoisyShape | None = None

    @property
    def _negligible(self) -> float:
        """With an error as small as this, more repeats gain nothing."""
        sure = self.problem.confidence
        return 1e-3 * float(self.problem.epsilon if sure is None else 1 - sure)

    @property
    def queries(self) -> int:
        return NEVER if self.best is None else self.best.queries

    def worth(self, parts: int) -> bool:
        """Whether so many parts may be tried: they must fit, and not cost too much by themselves.

        Past half as many again as the level, blocks cut finer more cheaply than parts do. One part
        is all there is to try at level 1.
        """
        if parts > (1 if self.level == 1 else self.level * 3 / 2 + 2):
            return False
        fits = parts * self.problem.delta <= 1
        return fits and (parts - 1) * max(1, self._fewest_repeats(parts)) < self.queries

    def cut_into(self, parts: int) -> None:
        most = int(1 / (parts * self.problem.delta)) if parts > 1 else 1
        for blocks in _down_from(most):
            for cells in _cells(self.problem, blocks, parts):
                self.repeat(NoisyShape(blocks, 0, parts, 0, math.ceil(self.level), 0, cells))

    def repeat(self, shape: NoisyShape) -> None:
        """Every number of repeats that may pay, for one way to cut."""
        hide = self._least_hide(shape)
        for repeats in self._repeats(shape.parts):
            shape = replace(shape, repeats=repeats)
            voted = vote(shape.parts, repeats, self.p)
            if replace(shape, hide=hide).queries >= self.queries:
                return
            kept = _kept(self.problem, shape, self.level)
            if kept <= shape.parts:
                total, weight = _allowed(self.problem, shape, voted)
                if total > 0:
                    self._split(replace(shape, kept=kept), voted, total, weight)
            if voted.error <= self._negligible:
                return

    def _split(self, shape: NoisyShape, voted: Vote, total: float, weight: float) -> None:
        """Share what is left of the budget between the two searches."""
        hide, third, rule = self._answers(shape.cells, min(1.0, total / weight), shape)
        floor = shape.queries
        while hide < NEVER and floor + shape.kept * hide < self.queries:
            first = _rest(self.problem, total, weight * third)
            narrow, lost, other = self._answers(shape.blocks, first, shape)
            found = replace(shape, narrow=narrow, hide=hide, rules=(other, rule))
            if found.queries < self.queries:
                budget = _budget(self.problem, found, voted, lost, third)
                success = _success(self.problem, found)
                self.best = replace(found, success=success, budget=budget)
            if narrow == 0:
                return
            more, third, rule = self._answers(shape.cells, third * (1 - 1e-9), shape)
            hide = max(more, hide + 1)

    def _repeats(self, parts: int) -> Iterator[int]:
        """Numbers of repeats worth trying, from the fewest that may do."""
        if parts == 1:
            yield 0
            return
        repeats = self._fewest_repeats(parts)
        while True:
            yield repeats
            repeats += max(1, repeats // 64)

    def _fewest_repeats(self, parts: int) -> int:
        """The fewest with which the vote alone does not spend the budget (errors fall with m)."""
        sure = self.problem.confidence
        wide = self.problem.epsilon / (4 * self.problem.delta)  # an error spans two parts or more
        allowed = float(wide if sure is None else 1 - sure)
        if parts == 1:
            return 0
        high = 1
        while vote(parts, high, self.p).error > allowed:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            if vote(parts, middle, self.p).error > allowed:
                low = middle
            else:
                high = middle
        return max(1, high - 2)  # an odd number may do where the next even one does not

    def _least_hide(self, shape: NoisyShape) -> int:
        """No search in a part has fewer answers: it would spend the whole budget alone."""
        sure, width = self.problem.confidence, 1 / (shape.blocks * shape.parts)
        spent = float(self.problem.epsilon) / 2 - width / shape.cells / 4
        most = spent / width if sure is None else float(1 - sure)
        return self._answers(shape.cells, most, shape)[0]

    def _answers(self, cells: int, miss: float, shape: NoisyShape) -> tuple[int, float, Rule]:
        """As the certificate has it; whole numbers make some cells likelier than others."""
        values, more = self.problem.values, 1.0
        if values is not None:
            least = values // shape.blocks // shape.parts
            more = max(shape.cells / least, shape.blocks * ceil_div(values, shape.blocks) / values)
        count, lost, rule = self.misses.answers(cells, miss / more)
        return count, lost * more, rule


def _down_from(most: int) -> Iterator[int]:
    """Every number of blocks from the most down to half of it, or some two dozen of them."""
    step = max(1, most // 48)
    tried = {*range(most, max(0, most // 2 - 1), -step), *range(1, min(most, 8) + 1)}
    yield from sorted(tried, reverse=True)


def _cells(problem: Problem, blocks: int, parts: int) -> Iterator[int]:
    """Numbers of cells a part: as few as ε allows, or finer ones when the error is on average."""
    if problem.values is not None:
        longest = ceil_div(problem.values, blocks)
        if (problem.values // blocks) // parts >= max(1, int(problem.delta * problem.values)):
            yield ceil_div(longest, parts)
        return
    width = Fraction(1, blocks * parts)
    if problem.confidence is not None:
        yield ceil_div(width, problem.epsilon)
        return
    yield from {max(2, ceil_div(width * finer, problem.epsilon)) for finer in _FINER}


def _success(problem: Problem, shape: NoisyShape) -> Fraction:
    """The bound on the best eavesdropper, rounded up."""
    return _privacy(problem, shape) / shape.kept


def _privacy(problem: Problem, shape: NoisyShape) -> Fraction:
    """L' times the bound: C·[A₀⌈b/C⌉/b + (D/b)(A₋ + A₊)], the worse of the block sizes b."""
    if shape.parts == 1:
        return Fraction(1)
    chances = vote(shape.parts, shape.repeats, float(odds(problem)))
    right, wrong = (_up(each) for each in (chances.right, chances.before + chances.after))
    if problem.values is None:
        return right + problem.delta * shape.blocks * shape.parts * wrong
    blocks = {problem.values // shape.blocks, ceil_div(problem.values, shape.blocks)}
    reach = problem.delta * problem.values
    return max(
        shape.parts * (right * ceil_div(block, shape.parts) + reach * wrong) / block
        for block in blocks
    )


def _kept(problem: Problem, shape: NoisyShape, level: Fraction | int) -> int:
    """The fewest parts to keep; there may not be as many."""
    return max(1, ceil_div(level * _privacy(problem, shape), 1))


def _up(chance: float) -> Fraction:
    """A chance as a rational that is no smaller."""
    return Fraction(math.ceil((chance + _ROUNDING) * 10**12), 10**12)


def _allowed(problem: Problem, shape: NoisyShape, voted: Vote) -> tuple[float, float]:
    """What the two searches may lose in all, and what the second one's miss counts."""
    if problem.confidence is not None:
        error = voted.worst if problem.values is not None else voted.error
        return 1 - float(problem.confidence) / (1 - error) - _ROUNDING, 1.0
    width = 1 / (shape.blocks * shape.parts)
    spent = _strayed(problem, shape) + width / shape.cells / 4
    return float(problem.epsilon) / 2 - spent - _ROUNDING * float(problem.epsilon), width


def _rest(problem: Problem, total: float, third: float) -> float:
    """What is left for the first search."""
    if problem.confidence is None:
        return total - third
    return 1 - (1 - total) / (1 - third) if third < total else 0.0


def _strayed(problem: Problem, shape: NoisyShape) -> float:
    """Σ_j (j+1)·w·P{|k̂ − k*| = j} over j ≥ 1: how far a wrong part leads astray."""
    if shape.parts == 1:
        return 0.0
    far = astray(shape.parts, shape.repeats, float(odds(problem)))
    return far / (shape.blocks * shape.parts)


def _budget(
    problem: Problem, shape: NoisyShape, voted: Vote, first: float, third: float
) -> tuple[tuple[str, float], ...]:
    """What each stage may lose, what that comes to, and what is allowed."""
    if problem.confidence is not None:
        second = voted.worst if problem.values is not None else voted.error
        total = 1 - (1 - first) * (1 - second) * (1 - third)
        stages = [("narrow", first), ("cut", second), ("hide", third), ("total", total)]
        return (*stages, ("allowed", float(1 - problem.confidence)))
    width = 1 / (shape.blocks * shape.parts)
    stages = [("narrow", first), ("cut", _strayed(problem, shape)), ("hide", width * third)]
    stages += [("cell", width / shape.cells / 4)]
    total = sum(each for _, each in stages)
    return (*stages, ("total", total), ("allowed", float(problem.epsilon) / 2))


def _log_rho(p: Fraction) -> float:
    """Ln ρ, without cancelling near p = 1/2: 1 − ρ = (p−½)²/(½ + √(p(1−p)))."""
    spread = math.sqrt(float(p * (1 - p)))
    return math.log1p(-(float(p - Fraction(1, 2)) ** 2) / (0.5 + spread))


def odds(problem: Problem) -> Fraction:
    """The probability p that an answer is right; it must be there."""
    if problem.p is None:
        raise NoPlan("p", None, "answers that may be wrong need it", "give p")
    return problem.p
