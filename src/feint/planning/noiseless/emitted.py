"""Strategies that play the shapes that planners find."""

from __future__ import annotations

import math
from itertools import accumulate

from feint.interfaces import Strategy
from feint.planning.limits import LARGEST, TABLE_ENTRIES
from feint.planning.noiseless.uniform import Node, Tails
from feint.problem import Problem
from feint.strategies import (
    Act,
    PlantedShape,
    Staged,
    StagedShape,
    Table,
    Tree,
    blocks,
    planted,
    staged,
    tailed,
)


def staged_of(problem: Problem, size: int, shape: StagedShape) -> Strategy:
    """Return the strategy of a staged shape.

    Uneven parts make runs of different lengths. A table plays them, because in a table a run
    stops as soon as it is done. On an even lattice all runs ask equally many questions, and the
    closed form is the same but quicker.
    """
    even = not size % (math.prod(shape.narrow) * shape.parts * math.prod(shape.hide))
    # No table holds a lattice beyond the limit. It is refused later, in the user's units.
    if even or size > LARGEST or not is_small(shape):
        return Staged(problem, size, shape)
    return staged_table(problem, size, shape)


def is_small(shape: StagedShape) -> bool:
    """Return True if the table of a staged shape is small enough."""
    steps = sum(shape.narrow) + sum(shape.hide)
    return shape.parts * shape.kept + steps <= TABLE_ENTRIES


def planted_of(problem: Problem, size: int, shape: PlantedShape, *, printed: bool) -> Table:
    """Return the strategy of a planted shape; `printed` keeps the flaw of the printed paper."""
    return planted(
        problem,
        size,
        left=shape.left,
        right=shape.right,
        bisected=shape.bisected,
        parts=shape.parts,
        steps=shape.steps,
        printed=printed,
    )


def table_of(problem: Problem, root: Node, riders: tuple[int, int] = (0, 0)) -> Table | None:
    """Return the table of a tree of blocks.

    Equal subtrees share their nodes in the table too, so it stays small: a lattice of a million
    cells has tens of kinds of blocks.

    Args:
        problem: The problem that the table solves.
        root: The root of the tree.
        riders: The numbers of cells that ride before the tree and after it: 0 or 1 each.

    Returns:
        The table, or None if an end has no part of one width for a cell to ride with.
    """
    (before, after), ends = riders, (_end(root, 0), _end(root, -1))
    if (before and not isinstance(ends[0], Tails)) or (after and not isinstance(ends[1], Tails)):
        return None
    found = _cuts(problem, root, {})
    if after and isinstance(ends[1], Tails):
        found = (root.size,), (found, Act(root.size - ends[1].width))
    if before and isinstance(ends[0], Tails):
        found = _ridden(found, ends[0].width)
    return found if isinstance(found, Table) else blocks(problem, found)


def _cuts(problem: Problem, node: Node, known: dict[int, Tree]) -> Tree:
    """Return a tree of cuts as `blocks` takes it, with one object for each node."""
    if id(node) not in known:
        if node.parts:
            parts = tuple(_cuts(problem, part, known) for part in node.parts)
            ends = tuple(accumulate(part.size for part in node.parts[:-1]))
            known[id(node)] = ends, parts
        else:
            known[id(node)] = _leaf(problem, node)
    return known[id(node)]


def _end(root: Node, side: int) -> StagedShape | Tails | None:
    """Return how the first block, or with -1 the last, is hidden; None if cells ride before it."""
    while root.parts:
        root = root.parts[side]
    return None if root.riders else root.shape


def _leaf(problem: Problem, node: Node) -> Tree:
    """Return a block that is hidden by itself, together with the cells that ride before it."""
    shape, size = node.shape, node.size - node.riders
    if shape is None:
        raise RuntimeError("a block is neither cut nor hidden")
    found: Tree
    if isinstance(shape, Tails):
        found = tailed(problem, size, **shape._asdict())
        width = shape.width
    else:
        found, width = staged_table(problem, size, shape), size // shape.parts
    # The nearest rider plays the last cell of a part, the next one the cell before, and so on.
    for _ in range(node.riders):
        found = _ridden(found, width)
    return found


def _ridden(found: Tree, width: int) -> Tree:
    """Return a tree preceded by a cell that plays the last cell of a part."""
    return (1,), (Act(width), found)


def staged_table(problem: Problem, size: int, shape: StagedShape) -> Table:
    """Return the table of a staged shape of any size."""
    return staged(
        problem,
        size,
        narrow=shape.narrow,
        parts=shape.parts,
        kept=shape.kept,
        hide=shape.hide,
    )
