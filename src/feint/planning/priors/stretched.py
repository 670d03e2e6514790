"""Members of the uniform family for a larger level, in any coordinate, audited under the prior.

If a prior is mild, the shape of a uniform plan for a slightly higher level holds under it. Parts
and pieces are made equal in place, or in a blend of place and quantile.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from feint.planning.limits import UNEVEN_CELLS
from feint.planning.noiseless import cheapest_staged, cheapest_whole
from feint.planning.option import Option
from feint.planning.priors.layout import Candidate, Ground
from feint.planning.priors.places import Blend, PriorLine, bounds
from feint.planning.priors.weighted import Hidden
from feint.strategies import StagedShape

_FINER = (Fraction(1), Fraction(2, 3), Fraction(1, 2), Fraction(1, 3), Fraction(1, 5))


def stretched(
    ground: Ground,
    level: Fraction,
    *,
    rounds: int | None,
    below: int,
    most: Fraction,
    spare: bool,
) -> Option | None:
    """Return the cheapest uniform shape of this level or a larger one that holds under the prior.

    Args:
        ground: The coordinate.
        level: The level L.
        rounds: The most rounds; None for any number.
        below: Only shapes with fewer questions are considered.
        most: The limit on her success.
        spare: True if some parts may be left alone.

    Returns:
        The option, or None.
    """
    line = ground.line(ground.finest)
    best: Option | None = None
    # With any number of rounds, trees are no longer than shapes that are equal in a blend.
    ways = len(ground.dividers(line)) if rounds is not None else 1
    for divider in range(ways):
        finer = _FINER if divider else _FINER[:1]
        for share in finer:
            limit = below if best is None else best.queries
            found = _stretched(ground, line, (level, most, spare), rounds, limit, divider, share)
            best = found or best
    return best


def _stretched(
    ground: Ground,
    line: PriorLine,
    wanted: tuple[Fraction, Fraction, bool],
    rounds: int | None,
    below: int,
    divider: int,
    share: Fraction,
) -> Option | None:
    problem, (level, most, spare) = ground.problem, wanted
    for each in _levels(level):
        if each * problem.delta > 1:
            return None
        if problem.values is not None:
            shape = cheapest_whole(problem.values, line.window, each, rounds=rounds, spare=spare)
        else:
            shape = cheapest_staged(
                problem.epsilon * share, problem.delta, each, rounds=rounds, spare=spare
            )
        if shape is None or shape.queries >= below:
            return None
        found = _laid(ground, line, shape, divider)
        if found is None:
            if divider:
                return None
            continue
        # It must hold on the finest ticks. If not, coarser ones would be tried in vain.
        fine = ground.shown(found, ground.finest)
        if fine is not None and fine.share <= most:
            return ground.option(found, most)
    return None


def _levels(level: Fraction) -> Iterator[Fraction]:
    """Yield the level and larger ones, up to six times the level."""
    each = Fraction(level)
    while each <= 6 * level:
        yield each
        each = Fraction(math.floor(each) + max(1, math.floor(each) // 16))


def _laid(ground: Ground, line: PriorLine, shape: StagedShape, divider: int) -> Candidate | None:
    """Return a shape with blocks, parts and pieces that are equal in a coordinate."""
    count, most = math.prod(shape.narrow), math.prod(shape.hide)
    if count * shape.parts * most > UNEVEN_CELLS:
        return None
    how = ground.dividers(line)[divider]
    if isinstance(how, Blend):
        at = how.place(np.arange(count + 1) / count)
        at[0], at[-1] = 0, line.cells
    else:
        at = bounds(line.cells, shape.narrow)
    ends = list(zip(at[:-1].tolist(), at[1:].tolist(), strict=True))
    pieces = None
    if isinstance(how, Blend):
        tried = [how.divided(each, shape.parts, None) for each in ends if each[0] < each[1]]
        found = [each.pieces for each in tried if each is not None]
        if len(found) < len(ends) or max(found) > most:
            return None
        pieces = max(found)
    own = StagedShape(parts=shape.parts, kept=shape.kept, hide=shape.hide)
    blocks = []
    for each in ends:
        divided = how.divided(each, shape.parts, pieces)
        if divided is None:
            return None
        blocks.append(Hidden(each, divided, divider, own, ()))
    return Candidate(shape.queries, tuple(blocks), shape.narrow)
