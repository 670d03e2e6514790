"""Whether a search may be repeated: whether nothing but X* decides what it asks."""

from __future__ import annotations

from feint.branches import branches
from feint.errors import TooLarge
from feint.interfaces import Strategy
from feint.planning.limits import WALKED_BRANCHES


def repeatable(strategy: Strategy) -> bool:
    """Return whether every search for the same number asks the same, whatever the key.

    Then asking again tells an eavesdropper nothing new. Noise decides too, so a noisy strategy
    never is; nor is one with spare parts, whose window is a coin.

    Args:
        strategy: What would be searched with.

    Returns:
        True if it is certain; False if a coin may decide, or if it would take too long to find out.
    """
    if strategy.problem.noisy:
        return False
    # What a class says of its own `coin` need not hold of a subclass that overrides it.
    owner = next(kind for kind in type(strategy).__mro__ if "coin" in vars(kind))
    stated = getattr(strategy, "has_coins", None) if "has_coins" in vars(owner) else None
    if stated is not None:
        return not stated
    try:
        chunks = branches(strategy, limit=WALKED_BRANCHES)
        return all(bool((part.weight == part.total).all()) for part in chunks)
    except TooLarge:
        return False
