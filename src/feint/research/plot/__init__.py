"""Draw plans, reports, simulations and sweeps, each thing with one look in all pictures."""

from feint.research.plot.drawing import check, draw, figure
from feint.research.plot.looks import INK, PALE, Look, look
from feint.research.plot.report import adversaries, posterior, searches

__all__ = [
    "INK",
    "PALE",
    "Look",
    "adversaries",
    "check",
    "draw",
    "figure",
    "look",
    "posterior",
    "searches",
]
