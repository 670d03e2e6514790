"""What is believed of the number before anything is overheard, behind other pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feint.problem import Domain, Prior

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def density(law: Prior, domain: Domain, axes: Axes) -> None:
    """What is believed before anything is overheard."""
    low, width = float(domain.low), float(domain.width)
    edges = [low + width * place / law.bins for place in range(law.bins + 1)]
    heights = [weight / law.total * law.bins / width for weight in law.weights]
    axes.stairs(heights, edges, fill=True, color="#dfe8ef", label="what is believed")
    axes.set_xlim(low, low + width)
    axes.set_ylim(0, 1.15 * max(heights))
