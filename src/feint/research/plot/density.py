"""What is believed of the number before anything is overheard, behind other pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feint.problem import Domain, Prior

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def density(law: Prior, domain: Domain, axes: Axes, *, by_value: bool = False) -> None:
    """What is believed before anything is overheard.

    Args:
        law: It.
        domain: The user's units.
        axes: Where it is drawn.
        by_value: Whether heights are probabilities of whole values, where there are such.
    """
    low, width = float(domain.low), float(domain.width)
    edges = [low + width * place / law.bins for place in range(law.bins + 1)]
    whole = domain.values if by_value and domain.values is not None else width
    heights = [weight / law.total * law.bins / whole for weight in law.weights]
    axes.stairs(heights, edges, fill=True, color="#dfe8ef", label="what is believed")
    axes.set_xlim(low, low + width)
    axes.set_ylim(0, 1.15 * max(heights))
