"""Pictures of a report, and how each thing looks in every picture there is."""

from feint.plot.looks import INK, PALE, Look, look
from feint.plot.report import adversaries, check, draw, figure, posterior, searches

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
