"""Plans for a uniform number that also hold under a prior: each is audited exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import Any, cast

from feint.interfaces import Strategy
from feint.planning.decimals import even_ticks
from feint.planning.enumeration import enumerated
from feint.planning.lattice import Lattice
from feint.planning.limits import BORROWED_CELLS, BORROWED_ROOM, BORROWED_TICKS
from feint.planning.noiseless import noiseless_methods
from feint.planning.option import Method, Option
from feint.planning.priors.layout import Ground

# Levels to plan a uniform number for, as multiples of the given level. A nearly uniform prior needs
# little more than the level. If a prior needs more than twice the level, a plan of its own is
# cheaper.
_LEVELS = tuple(Fraction(each, 100) for each in (100, 101, 103, 106, 110, 120, 135, 150, 175, 200))


def cheapest_uniform(
    ground: Ground, level: Fraction, *, rounds: int | None, below: int, most: Fraction, spare: bool
) -> Option | None:
    """Return the cheapest plan for a uniform number that holds under the prior.

    Args:
        ground: The coordinate.
        level: The level L.
        rounds: The most rounds; None for any number.
        below: Only plans with fewer questions are considered.
        most: The limit on her success under the prior.
        spare: True if some parts may be left alone.

    Returns:
        The option with its exact success under the prior, or None if no such plan is cheap enough.
    """
    best: Option | None = None
    for lattice in islice(_lattices(ground), BORROWED_TICKS):
        limit = best.queries if best else below
        found, is_hopeless = _cheapest_on(ground, lattice, level, rounds, limit, most, spare)
        best = found or best
        if is_hopeless:
            break
    return best


def _cheapest_on(
    ground: Ground,
    lattice: Lattice,
    level: Fraction,
    rounds: int | None,
    below: int,
    most: Fraction,
    spare: bool,
) -> tuple[Option | None, bool]:
    """Return the cheapest plan on given cells, and True if finer cells are not worth a try.

    The arguments are those of `cheapest_uniform`.
    """
    uniform, line = replace(ground.problem, prior=None), replace(lattice.line, prior=ground.prior)
    # Plans that ask less on average let her win more often under the prior, so try both kinds.
    frugal, plain = (
        noiseless_methods(uniform, lattice, spare=spare, below=below, frugal=each)["tight"]
        for each in (True, False)
    )
    tried = dict[Strategy, Fraction | None]()

    def planned(raised: Fraction, method: Method = plain) -> Option | None:
        found = method(uniform, raised, rounds)
        return None if found is None or found.queries >= below else found

    def won(option: Option) -> Fraction | None:
        if option.strategy not in tried:
            tried[option.strategy] = enumerated(option.strategy, line)
        return tried[option.strategy]

    levels = [level * each for each in _LEVELS if level * each * lattice.window <= lattice.cells]
    # The most private plan that is short enough shows whether any other can hold.
    best = next(filter(None, map(planned, reversed(levels))), None)
    if best is None:
        return None, False
    if (won(best) or 0) > most * BORROWED_ROOM:
        return None, True
    for raised, method in product(levels, (frugal, plain)):
        option = planned(raised, method)
        if option is None:
            break
        share = won(option)
        if share is not None and share <= most:
            strategy = replace(cast(Any, option.strategy), problem=ground.problem)
            found = replace(option, share=share, success=share, strategy=strategy)
            return replace(found, is_enumerated=True), False
    return None, False


def _lattices(ground: Ground) -> Iterator[Lattice]:
    """Yield the lattices to plan on: whole values, or ticks that divide the range."""
    problem, domain = ground.problem, ground.domain
    if problem.values is not None:
        yield Lattice.of_values(problem)
    elif domain.tick is not None:
        yield Lattice.of_ticks(problem, domain, domain.tick)
    else:
        for tick in even_ticks(domain, problem.epsilon * domain.width):
            lattice = Lattice.of_ticks(problem, domain, tick)
            if lattice.cells > BORROWED_CELLS:
                return
            yield lattice
