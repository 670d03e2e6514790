"""Decide whether a search may be repeated: whether only X* determines its questions."""

from __future__ import annotations

from feint.branches import branches
from feint.errors import TooLarge
from feint.interfaces import Strategy
from feint.planning.limits import WALKED_BRANCHES


def repeatable(strategy: Strategy) -> bool:
    """Return True if every search for the same number asks the same questions, for any key.

    A repeated search then tells an eavesdropper nothing new. A noisy strategy is never repeatable,
    since wrong answers decide too. A strategy with spare parts is not either, since a coin chooses
    its window.

    Args:
        strategy: The strategy of the searches.

    Returns:
        True if it is certain. False if a coin may decide, or if checking takes too long.
    """
    if strategy.problem.noisy:
        return False
    # A subclass that overrides `coin` need not keep what its base class says about it.
    owner = next(kind for kind in type(strategy).__mro__ if "coin" in vars(kind))
    stated = getattr(strategy, "has_coins", None) if "has_coins" in vars(owner) else None
    if stated is not None:
        return not stated
    try:
        chunks = branches(strategy, limit=WALKED_BRANCHES)
        return all(bool((part.weight == part.total).all()) for part in chunks)
    except TooLarge:
        return False
