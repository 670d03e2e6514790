"""Where a plan's questions are put in the user's units: at decimals, and certified there.

A search is asked about decimals, so its lattice is laid on them: boundaries at multiples of a tick,
as coarse as costs no question. What a plan promises is about the questions as they are shown.

- *Staged shapes* are laid on whole ticks: the same steps on m ticks, parts near-equal as for whole
  values, so that proofs/hiding.md bounds her success (D = δ in ticks, which may be fractional).
- *Other strategies* keep their lattice where a cell is a whole number of ticks; so do all whose
  boundaries are decimals as they are, where no coarser ticks will do.
- *Where no tick divides the range* (a third of 1) boundaries are rounded to enough digits that her
  success grows by less than one part in a million: proofs/rounding.md. The plan states it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan
from feint.exact import ceil_div, plain, rounded
from feint.planning.decimals import decimals, even_ticks, power_of_ten
from feint.planning.lattice import Lattice
from feint.planning.limits import (
    LARGEST,
    NEAREST,
    TICK_CELLS,
    TICK_SHARES,
    TICKS_PLANNED,
)
from feint.planning.noiseless import staged_of, success_bound
from feint.planning.option import Option
from feint.problem import Domain, Line, Problem
from feint.strategies import PlantedShape, StagedShape, Table

EXCESS = Fraction(1, 10**6)
"""The share by which rounding may raise her success above what is asked for."""

_FINE = Fraction(4, 10**7)  # a tick may be this share of a cell: (1 + that)² is below 1 + EXCESS


def rounding(scales: Iterable[Line | None] | None) -> Fraction:
    """Return the share by which her success may lie above 1/L: 0 if no question is rounded."""
    some = any(each is not None and each.tick is not None for each in scales or ())
    return EXCESS if some else Fraction(0)


def keeps(
    success: Fraction,
    problem: Problem,
    scales: Iterable[Line | None] | None,
    *,
    distance: Fraction | None = None,
) -> bool:
    """Return True if a success keeps a problem's promise, up to what rounding to decimals may add.

    Args:
        success: What the best eavesdropper wins with at most, under priors as read into bins.
        problem: What was promised.
        scales: Where the questions of each coordinate are shown; None: where they fall.
        distance: How much more often she may win under the priors as stated; None: as the problem
            states them.
    """
    more = problem.distance if distance is None else distance
    return min(Fraction(1), success + more) * problem.level <= 1 + rounding(scales)


def check_tick(problem: Problem, domain: Domain) -> None:
    """Refuse a tick that is too coarse for the accuracy that is wanted.

    Raises:
        InvalidValue: It is; the nearest that works is named.
    """
    epsilon = problem.epsilon * domain.width
    if domain.tick is not None and domain.tick > epsilon:
        rule = f"questions that far apart cannot tell a number to epsilon = {plain(epsilon)}"
        raise InvalidValue("tick", plain(domain.tick), rule, f"tick = {plain(epsilon)} works")


def multiples(problem: Problem, domain: Domain) -> list[Fraction]:
    """The user's tick, and coarser ones that are multiples of it: questions at those are at it.

    On coarser ticks cells are fewer, and other plans divide them evenly.

    Args:
        problem: What is wanted.
        domain: The user's units, with a tick that `check_tick` lets pass.

    Returns:
        The ticks on which plans are tried, the user's own first. Of the others, those with many
        cells are left out; which they are depends on the range and on epsilon, not on the tick,
        but for the coarsest multiple of all.
    """
    tick, widest = domain.tick, problem.epsilon * domain.width
    if tick is None:
        return []
    shares = (widest / each for each in range(1, TICK_SHARES + 1))
    # A tick wider than epsilon has no such multiple; whoever plans refuses it.
    coarse = [max(tick, widest // tick * tick), *shares, *decimals(widest), 10 * tick]
    whole = (each for each in coarse if not each % tick and each <= widest)
    fits = (each for each in whole if domain.width / each <= TICK_CELLS)
    return list(dict.fromkeys((tick, *fits)))


def coarsest(problem: Problem, domain: Domain) -> Fraction:
    """1, 2 or 5 times a power of ten: the coarsest tick that the accuracy allows."""
    return next(decimals(problem.epsilon * domain.width))


def laid(
    problem: Problem,
    domain: Domain,
    option: Option,
    most: Fraction,
    planned: Callable[[Lattice], Option | None] | None = None,
) -> Option | None:
    """An option on the coarsest ticks that keep its questions and its promise.

    Args:
        problem: What is wanted of all coordinates.
        domain: The user's units, without a tick of their own.
        option: The way to search one of them, on equal cells.
        most: The largest share it may have on ticks that divide the range.
        planned: The cheapest option on given ticks with that share; None: only this one will do.

    Returns:
        The option as shown; None where rounding would make a cell wider than epsilon, or in the
        worst-case notion bring guesses too near: then plan for a little more.
    """
    for turn, tick in enumerate(even_ticks(domain, problem.epsilon * domain.width)):
        found = _on_ticks(problem, domain, option, tick)
        if found is not None and found.share <= most:
            return found
        lattice = Lattice.of_ticks(problem, domain, tick)
        if planned is not None and turn < TICKS_PLANNED and lattice.cells <= TICK_CELLS:
            other = planned(lattice)
            if other is not None and other.queries <= option.queries:
                return replace(other, scale=lattice.line)
    even = domain.line(option.strategy.cells[0])
    if even.unit is not None:  # decimals as they are, though ticks so fine would be too many
        return replace(option, scale=even)
    fine = finest(problem, dict(option.losses) or None, even.size)
    return _rounded(problem, domain, option, power_of_ten(even.cell * fine))


def scale_for(domain: Domain, size: int, *, fine: Fraction = _FINE) -> Line:
    """A lattice of given size over a domain that it was not planned for, on decimals.

    Args:
        domain: The user's units.
        size: How many cells the lattice has.
        fine: The share of a cell that a tick may be.

    Returns:
        The even scale where its boundaries are decimals; else one with boundaries rounded so
        finely that her success grows by less than a millionth.
    """
    scale = domain.line(size)
    if domain.step is not None or scale.unit is not None:
        return scale
    return domain.line(size, power_of_ten(scale.cell * fine))


def stricter(problem: Problem, domain: Domain) -> Problem:
    """The problem with room for rounding: more accurate, guesses further apart, by a millionth.

    Raises:
        NoPlan: There is no such room; the nearest delta with some is named.
    """
    epsilon = problem.epsilon * (1 - EXCESS)
    if problem.setting != "deterministic":
        return replace(problem, epsilon=epsilon)
    most = 1 / (problem.parts * (1 + EXCESS))
    if problem.delta > most:
        rule = "no decimal divides this range, and so near to 1/level questions cannot be rounded"
        nearest = rounded(most * (1 - EXCESS) * domain.width, most * EXCESS * domain.width)
        remedy = f"delta = {nearest} works, or a range that decimals divide"
        raise NoPlan("delta", plain(problem.delta * domain.width), rule, remedy)
    return replace(problem, epsilon=epsilon, delta=problem.delta * (1 + EXCESS))


def finest(problem: Problem, losses: Mapping[str, float] | None, size: int) -> Fraction:
    """The share of a cell that a tick may be where questions must be rounded to one.

    Rounding raises her success by less than a millionth. Under noise (proofs/rounding.md, 4) X*
    lies between a boundary and its decimal, at most half a tick away, with at most that
    probability, and all of that may be misses; on average cells gain at most twice that share of
    their weight, and X* is that many cells from where answers place it. What this costs must be
    within what the plan leaves unused.

    Args:
        problem: What is wanted.
        losses: Of a noisy plan, or of one coordinate of it.
        size: How many cells the lattice has.

    Returns:
        The share.
    """
    if losses is None:
        return _FINE / problem.dim
    spare, cost = losses["allowed"] - losses["total"], 1.0
    if problem.confidence is None:
        cost = 2 * losses["total"] + 1 / size
    room = max(spare / (cost * problem.dim), NEAREST)
    return min(_FINE / problem.dim, 2 * Fraction(room))


def _on_ticks(problem: Problem, domain: Domain, option: Option, tick: Fraction) -> Option | None:
    """The option with every boundary at a multiple of the tick, if it keeps its accuracy."""
    lattice, strategy = Lattice.of_ticks(problem, domain, tick), option.strategy
    shape = option.shape
    if lattice.cells > LARGEST:
        return None
    if isinstance(shape, StagedShape) and problem.setting == "bayesian":
        if not _fits(shape, lattice):
            return None
        bound = min(Fraction(1), success_bound(shape, lattice.cells, lattice.window))
        even = not lattice.cells % (math.prod(shape.narrow) * shape.parts)
        moved = staged_of(strategy.problem, lattice.cells, shape)
        success = bound if even else None  # to be enumerated
        asked = moved.queries if isinstance(moved, Table) else shape.queries
        return replace(
            option,
            queries=asked,
            share=bound,
            success=success,
            strategy=moved,
            scale=lattice.line,
        )
    if lattice.cells % strategy.cells[0]:
        return None
    return replace(option, scale=domain.line(strategy.cells[0]))


def _fits(shape: StagedShape, lattice: Lattice) -> bool:
    """Whether a shape ends within the accuracy on given cells, and no question is asked twice."""
    blocks = math.prod(shape.narrow)
    least = lattice.cells // blocks // shape.parts
    last = ceil_div(ceil_div(ceil_div(lattice.cells, blocks), shape.parts), math.prod(shape.hide))
    wide = shape.parts == 1 or least >= lattice.window
    return wide and last <= lattice.accuracy and least >= math.prod(shape.hide)


def _rounded(problem: Problem, domain: Domain, option: Option, tick: Fraction) -> Option | None:
    """The option with its boundaries rounded, where no tick divides the range."""
    size = option.strategy.cells[0]
    cell, epsilon = domain.width / size, problem.epsilon * domain.width
    if not problem.noisy and cell + tick > epsilon:
        return None
    if problem.setting == "deterministic" and _crowded(option, problem, tick / cell):
        return None
    more = (1 + tick / cell) ** 2 if problem.setting == "bayesian" else Fraction(1)
    share = min(Fraction(1), option.share * more)
    return replace(option, share=share, success=None, scale=domain.line(size, tick))


def _crowded(option: Option, problem: Problem, tick: Fraction) -> bool:
    """Whether rounding may bring the starts of two guesses nearer than δ; a tick is in cells."""
    shape, size = option.shape, option.strategy.cells[0]
    if not isinstance(shape, PlantedShape):
        return False
    least = (size >> shape.bisected) // shape.parts - shape.right
    return least < problem.delta * size + tick
