"""Place a plan's questions at decimals in the user's units, and certify the plan there.

Questions are shown as decimals, so the lattice of a search has its boundaries at multiples of a
tick. The tick is the coarsest that adds no questions. The promise of a plan covers the questions as
they are shown.

- *Staged shapes* use whole ticks: the same steps on m ticks, with parts near-equal as for whole
  values. proofs/hiding.md bounds her success (D = δ in ticks, which may be fractional).
- *Other strategies* keep their lattice if a cell is a whole number of ticks. So do all strategies
  whose boundaries already are decimals, if no coarser ticks work.
- *If no tick divides the range* (a third of 1), boundaries are rounded to enough digits that her
  success grows by less than one part in a million: proofs/rounding.md. The plan states it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan
from feint.exact import ceil_div, plain, rounded
from feint.planning.costs import mean_queries
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
"""The relative amount by which rounding may raise her success above the requested bound."""

_FINE = Fraction(4, 10**7)  # the largest tick as a share of a cell: (1 + that)² is below 1 + EXCESS


def rounding(scales: Iterable[Line | None] | None) -> Fraction:
    """Return the relative excess of her success over 1/L: 0 if no question is rounded."""
    some = any(each is not None and each.tick is not None for each in scales or ())
    return EXCESS if some else Fraction(0)


def keeps(
    success: Fraction,
    problem: Problem,
    scales: Iterable[Line | None] | None,
    *,
    distance: Fraction | None = None,
) -> bool:
    """Return True if a success keeps a problem's promise, up to rounding to decimals.

    Args:
        success: An upper bound on the best eavesdropper's success, under the binned priors.
        problem: The problem with the promise.
        scales: The shown positions of the questions of each coordinate. None: the exact positions.
        distance: The extra success that she may have under the priors as stated. None: the
            distance in the problem.
    """
    more = problem.distance if distance is None else distance
    return min(Fraction(1), success + more) * problem.level <= 1 + rounding(scales)


def check_tick(problem: Problem, domain: Domain) -> None:
    """Raise an error if a tick is too coarse for the accuracy.

    Raises:
        InvalidValue: The tick is too coarse. The error names the nearest one that works.
    """
    epsilon = problem.epsilon * domain.width
    if domain.tick is not None and domain.tick > epsilon:
        rule = f"questions that far apart cannot tell a number to epsilon = {plain(epsilon)}"
        raise InvalidValue("tick", plain(domain.tick), rule, f"tick = {plain(epsilon)} works")


def multiples(problem: Problem, domain: Domain) -> list[Fraction]:
    """Return the user's tick and coarser multiples of it, which keep questions at the tick.

    Coarser ticks give fewer cells, and other plans divide these evenly.

    Args:
        problem: The problem to plan for.
        domain: The user's units, with a tick that `check_tick` accepts.

    Returns:
        The ticks to plan with, the user's own first. Multiples with many cells are left out. Which
        ones these are depends on the range and on epsilon but not on the tick, except for the
        coarsest multiple.
    """
    tick, widest = domain.tick, problem.epsilon * domain.width
    if tick is None:
        return []
    shares = (widest / each for each in range(1, TICK_SHARES + 1))
    # A tick wider than epsilon has no such multiple; the planner raises an error for it.
    coarse = [max(tick, widest // tick * tick), *shares, *decimals(widest), 10 * tick]
    whole = (each for each in coarse if not each % tick and each <= widest)
    fits = (each for each in whole if domain.width / each <= TICK_CELLS)
    return list(dict.fromkeys((tick, *fits)))


def coarsest(problem: Problem, domain: Domain) -> Fraction:
    """Return the coarsest tick, 1, 2 or 5 times a power of ten, that the accuracy allows."""
    return next(decimals(problem.epsilon * domain.width))


def laid(
    problem: Problem,
    domain: Domain,
    option: Option,
    most: Fraction,
    planned: Callable[[Lattice], Option | None] | None = None,
) -> Option | None:
    """Return an option on the coarsest ticks that keep its questions and its promise.

    Of one number, the option and the one that is planned there are compared by their means too.

    Args:
        problem: The problem of all coordinates.
        domain: The user's units, without a tick.
        option: The way to search one coordinate, on equal cells.
        most: The largest share that it may have on ticks that divide the range.
        planned: A function that returns the cheapest option on given ticks with that share. None:
            only `option` may be used.

    Returns:
        The option as shown. None if rounding would make a cell wider than epsilon, or in the
        worst-case notion would bring guesses too near. The caller then plans for a little more.
    """
    for turn, tick in enumerate(even_ticks(domain, problem.epsilon * domain.width)):
        found = _on_ticks(problem, domain, option, tick)
        able = [] if found is None or found.share > most else [found]
        lattice = Lattice.of_ticks(problem, domain, tick)
        is_small = turn < TICKS_PLANNED and lattice.cells <= TICK_CELLS
        if planned is not None and is_small and (not able or problem.dim == 1):
            other = planned(lattice)
            if other is not None and other.queries <= option.queries:
                able.append(replace(other, scale=lattice.line))
        if able:
            return able[0] if len(able) == 1 else min(able, key=_length)
    even = domain.line(option.strategy.cells[0])
    if even.unit is not None:  # the boundaries are decimals, although such ticks are too many
        return replace(option, scale=even)
    fine = finest(problem, dict(option.losses) or None, even.size)
    return _rounded(problem, domain, option, power_of_ten(even.cell * fine))


def _length(option: Option) -> tuple[int, Fraction]:
    """Return the most questions of an option on ticks, and their mean if it is known."""
    mean = mean_queries(option.strategy, option.scale)
    return option.queries, Fraction(option.queries) if mean is None else mean


def scale_for(domain: Domain, size: int, *, fine: Fraction = _FINE) -> Line:
    """Return a lattice of a given size on decimals, over a domain that it was not planned for.

    Args:
        domain: The user's units.
        size: The number of cells of the lattice.
        fine: The largest tick, as a share of a cell.

    Returns:
        The even lattice if its boundaries are decimals. Otherwise one whose boundaries are rounded
        so finely that her success grows by less than a millionth.
    """
    scale = domain.line(size)
    if domain.step is not None or scale.unit is not None:
        return scale
    return domain.line(size, power_of_ten(scale.cell * fine))


def stricter(problem: Problem, domain: Domain) -> Problem:
    """Return the problem with room for rounding: more accurate, guesses further apart.

    Raises:
        NoPlan: There is no such room. The error names the nearest delta with some.
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
    """Return the largest tick, as a share of a cell, if questions must be rounded to one.

    Rounding raises her success by less than a millionth. Under noise (proofs/rounding.md, 4) X*
    lies between a boundary and its decimal, at most half a tick away, with a probability of at most
    this share. Then the search may miss. For mean errors, cells gain at most twice this share of
    their weight, and X* is at most this far, in cells, from the place that the answers indicate.
    The loss must fit into the unused part of the plan's budget.

    Args:
        problem: The problem to plan for.
        losses: The losses of a noisy plan, or of one coordinate of it.
        size: The number of cells of the lattice.

    Returns:
        The share of a cell.
    """
    if losses is None:
        return _FINE / problem.dim
    spare, cost = losses["allowed"] - losses["total"], 1.0
    if problem.confidence is None:
        cost = 2 * losses["total"] + 1 / size
    room = max(spare / (cost * problem.dim), NEAREST)
    return min(_FINE / problem.dim, 2 * Fraction(room))


def _on_ticks(problem: Problem, domain: Domain, option: Option, tick: Fraction) -> Option | None:
    """Return the option with boundaries at multiples of the tick, if it keeps its accuracy."""
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
        success = bound if even else None  # None: the caller enumerates it
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
    """Return True if a shape ends within the accuracy on given cells, with no repeated question."""
    blocks = math.prod(shape.narrow)
    least = lattice.cells // blocks // shape.parts
    last = ceil_div(ceil_div(ceil_div(lattice.cells, blocks), shape.parts), math.prod(shape.hide))
    wide = shape.parts == 1 or least >= lattice.window
    return wide and last <= lattice.accuracy and least >= math.prod(shape.hide)


def _rounded(problem: Problem, domain: Domain, option: Option, tick: Fraction) -> Option | None:
    """Return the option with its boundaries rounded, since no tick divides the range."""
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
    """Return True if rounding by a tick, in cells, may bring two guesses nearer than δ."""
    shape, size = option.shape, option.strategy.cells[0]
    if not isinstance(shape, PlantedShape):
        return False
    least = (size >> shape.bisected) // shape.parts - shape.right
    return least < problem.delta * size + tick
