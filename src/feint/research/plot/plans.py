"""A picture of a plan: the density of what is believed, and on it blocks, parts and pieces."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from feint.audit import coordinates
from feint.interfaces import Strategy
from feint.planning import Plan
from feint.research.plot.density import density
from feint.strategies import (
    Blocks,
    LooseShape,
    Staged,
    StagedNoisy,
    StagedShape,
    Tailed,
    TailedShape,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMED = 12  # values that are named below, at most
_DRAWN = 400  # boundaries that are drawn; more would be one blot


def draw_plan(plan: Plan, made: Figure) -> None:
    """Draw the density of what is believed, and on it the blocks, parts and pieces of the plan.

    Args:
        plan: The plan; of a Product, every coordinate is drawn.
        made: An empty figure.
    """
    each = coordinates(plan.strategy)
    made.set_size_inches(9, 1 + 3.2 * len(each))
    axes = made.subplots(len(each), 1, squeeze=False)[:, 0]
    for number, (strategy, place) in enumerate(zip(each, axes, strict=True)):
        _planned(plan, number, strategy, place)


def _planned(plan: Plan, number: int, strategy: Strategy, axes: Axes) -> None:
    """One coordinate of a plan."""
    domain, law = plan.domain, plan.problem.law(number)
    density(law, domain, axes, by_value=True)
    scale = None if plan.scales is None else plan.scales[number]
    scale = scale or domain.scale(strategy.cells[0])
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
        axes.set_xticks([float(domain.at(each, domain.values)) for each in shown])
    if not number:  # what is promised of all coordinates is said once
        words = f"{plan.queries} questions in {plan.rounds} rounds"
        if plan.adversary_success is not None:
            words += f"; she wins {100 * float(plan.adversary_success):.3g} % at most"
        axes.set_title(words, loc="left")
    axes.legend(loc="upper right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _parts(start: int, size: int, shape: StagedShape | TailedShape | LooseShape) -> list[int]:
    """The inner boundaries of the parts of a block; the tail is one of them."""
    if isinstance(shape, TailedShape | LooseShape):
        return list(range(start + shape.width, start + size, shape.width))
    return [start + size * j // shape.parts for j in range(1, shape.parts)]


def _cuts(strategy: Strategy) -> tuple[list[int], list[int], list[int]]:
    """The boundaries of pieces, parts and blocks: long lines are blocks, short ones pieces."""
    blocks: list[tuple[int, int, int]] = []
    if isinstance(strategy, Blocks):
        held = [(each.start, each.size, each.shape) for each in strategy.blocks]
        parts = [each for start, size, shape in held for each in _parts(start, size, shape)]
        return list(range(1, strategy.size)), parts, [start for start, _, _ in held if start]
    if isinstance(strategy, Tailed):
        parts = _parts(0, strategy.size, strategy.shape)
        return list(range(1, strategy.size)), parts, []
    if isinstance(strategy, Staged):
        count = math.prod(strategy.shape.narrow)
        ends = [strategy.size * each // count for each in range(count + 1)]
        blocks = [(a, b - a, strategy.shape.parts) for a, b in pairwise(ends)]
    elif isinstance(strategy, StagedNoisy):
        count = strategy.shape.blocks
        ends = [strategy.size * each // count for each in range(count + 1)]
        blocks = [(a, b - a, strategy.shape.parts) for a, b in pairwise(ends)]
    parts = [start + size * j // each for start, size, each in blocks for j in range(1, each)]
    pieces = list(range(1, strategy.cells[0]))
    return pieces, parts, [start for start, _, _ in blocks if start]
