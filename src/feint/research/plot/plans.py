"""Draw a plan: the density of the prior, and on it blocks, parts and pieces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from feint.audit import coordinates
from feint.interfaces import Strategy
from feint.planning import Plan
from feint.research.plot.parts import density
from feint.strategies import Staged, StagedNoisy, StagedShape, Table, boundaries_asked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMED = 12  # values with a label below the axis; more would overlap
_DRAWN = 400  # boundaries that are drawn; more would run together


def draw_plan(plan: Plan, made: Figure) -> None:
    """Draw the density of the prior, and on it the blocks, parts and pieces of the plan.

    Args:
        plan: The plan. Every coordinate of a Product is drawn.
        made: An empty figure.
    """
    each = coordinates(plan.strategy)
    made.set_size_inches(9, 1 + 3.2 * len(each))
    axes = made.subplots(len(each), 1, squeeze=False)[:, 0]
    for number, (strategy, place) in enumerate(zip(each, axes, strict=True)):
        _planned(plan, number, strategy, place)


def _planned(plan: Plan, number: int, strategy: Strategy, axes: Axes) -> None:
    """Draw one coordinate of a plan."""
    domain, law = plan.domain, plan.problem.law(number)
    density(law, domain, axes, by_value=True)
    scale = None if plan.scales is None else plan.scales[number]
    scale = scale or domain.line(strategy.cells[0])
    top = axes.get_ylim()[1]
    levels = (("pieces", 0.06, 0.4), ("parts", 0.55, 0.9), ("blocks", 1.0, 1.6))
    for (name, height, wide), marks in zip(levels, _cuts(strategy), strict=True):
        if marks and len(marks) <= _DRAWN:
            at = [float(scale.at(each)) for each in marks]
            axes.vlines(at, 0, height * top, color="black", linewidth=wide, label=name)
    one = plan.problem.dim == 1
    axes.set_xlabel(domain.label or ("the number" if one else f"coordinate {number + 1}"))
    axes.set_ylabel("probability density")
    if domain.values is not None:
        axes.set_ylabel("probability of a value")
        every = math.ceil(domain.values / _NAMED)
        shown = range(0, domain.values, every)
        axes.set_xticks([float(domain.line(domain.values).at(each)) for each in shown])
    if not number:  # the promise covers all coordinates, so it is stated once
        words = plan.length
        if plan.adversary_success is not None:
            words += f"; she wins {100 * float(plan.adversary_success):.3g} % at most"
        axes.set_title(words, loc="left")
    axes.legend(loc="upper right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _cuts(strategy: Strategy) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Return the boundaries of pieces, parts and blocks: the longer the line, the larger."""
    size = strategy.cells[0]
    parts, blocks = list[int](), list[int]()
    if isinstance(strategy, Table):
        asked = boundaries_asked(strategy, ("cut", "narrow"))
        parts, blocks = asked["cut"], asked["narrow"]
    elif isinstance(strategy, Staged | StagedNoisy):
        shape = strategy.shape
        count = math.prod(shape.narrow) if isinstance(shape, StagedShape) else shape.blocks
        if count <= _DRAWN:  # no more are drawn, and there may be billions
            ends = [size * each // count for each in range(count + 1)]
            blocks = ends[1:-1]
            parts = [
                low + (high - low) * j // shape.parts
                for low, high in pairwise(ends)
                for j in range(1, shape.parts)
            ]
    return range(1, size), parts, blocks
