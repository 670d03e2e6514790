"""Plans for a uniform number that hold under a prior, too: each is audited exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any, cast

from feint.interfaces import Strategy
from feint.planning.enumeration import enumerated
from feint.planning.lattice import Lattice
from feint.planning.limits import BORROWED_CELLS, BORROWED_TICKS
from feint.planning.noiseless import noiseless_methods
from feint.planning.option import Option
from feint.planning.priors.layout import Ground
from feint.planning.ticks import even_ticks

# Levels to plan a uniform number for, as multiples of the level that is wanted. A prior that is
# nearly uniform costs a little, and one for which more than twice the level is needed is cheaper to
# plan for by itself.
_LEVELS = tuple(Fraction(each, 100) for each in (100, 101, 103, 106, 110, 120, 135, 150, 175, 200))


def cheapest_uniform(
    ground: Ground, level: Fraction, *, rounds: int | None, below: int, most: Fraction, spare: bool
) -> Option | None:
    """Return the cheapest plan for a uniform number that holds under the prior.

    Args:
        ground: What is wanted, and where.
        level: L.
        rounds: How many rounds there may be; None: any number.
        below: Only a plan with fewer questions is of use.
        most: What she may win with under the prior.
        spare: Whether some parts may be left alone.

    Returns:
        The option, its success exact under the prior; None if no such plan is cheap enough.
    """
    best: Option | None = None
    uniform = replace(ground.problem, prior=None)
    for lattice in islice(_lattices(ground), BORROWED_TICKS):
        tight = noiseless_methods(uniform, lattice, spare=spare, alone=False)["tight"]
        tried = set[Strategy]()
        for raised in _LEVELS:
            if level * raised * lattice.window > lattice.cells:
                break
            found = tight(uniform, level * raised, rounds)
            if found is None or found.queries >= (best.queries if best else below):
                break
            if found.strategy in tried:
                continue
            tried.add(found.strategy)
            line = replace(lattice.line, prior=ground.prior)
            won = enumerated(found.strategy, line)
            if won is not None and won <= most:
                strategy = replace(cast(Any, found.strategy), problem=ground.problem)
                best = replace(found, share=won, success=won, strategy=strategy, is_enumerated=True)
                break
    return best


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
