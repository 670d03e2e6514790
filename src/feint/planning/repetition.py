"""Whether a search may be repeated: whether nothing but X* decides what it asks."""

from __future__ import annotations

from feint.branches import branches
from feint.errors import TooLarge
from feint.interfaces import Strategy
from feint.problem import Problem
from feint.strategies import (
    Block,
    Blocks,
    LooseShape,
    Padded,
    Planted,
    Product,
    Staged,
    Tailed,
    TailedShape,
)

_WALKED = 1 << 16  # branches of a strategy of an unknown family, before it is given up


def repeatable(strategy: Strategy) -> bool:
    """Whether every search for the same number asks the same, whatever the key.

    Then asking again tells an eavesdropper nothing new. Noise decides too, so a noisy strategy
    never is; nor is one with spare parts, whose window is a coin.

    Args:
        strategy: What would be searched with.

    Returns:
        True where it is certain; False where a coin may decide, or where it would take too long to
        find out.
    """
    if strategy.problem.noisy:
        return False
    if isinstance(strategy, Product):
        return all(repeatable(each) for each in strategy.factors)
    if isinstance(strategy, Padded):
        return repeatable(strategy.inner)
    if type(strategy) is Staged:
        return _coinless(strategy.shape.kept, strategy.shape.parts)
    if isinstance(strategy, Blocks):
        return all(_alone(strategy.problem, each) for each in strategy.blocks)
    if isinstance(strategy, Tailed):
        return not strategy.tossed
    if isinstance(strategy, Planted) and strategy.shape.steps:
        return False  # once a guess is right, the other steps are acted out on coins
    try:
        chunks = branches(strategy, limit=_WALKED)
        return all(bool((part.weight == part.total).all()) for part in chunks)
    except TooLarge:
        return False


def _alone(problem: Problem, block: Block) -> bool:
    """Whether a block is searched without a coin."""
    if isinstance(block.shape, TailedShape):
        return not Tailed(problem, block.size, block.shape).tossed
    if isinstance(block.shape, LooseShape):
        return False
    return _coinless(block.shape.kept, block.shape.parts)


def _coinless(kept: int, parts: int) -> bool:
    """Whether there is one window of kept parts only."""
    return kept in (1, parts)
