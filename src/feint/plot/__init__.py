"""Pictures of a report, and how each thing looks in every picture there is."""

from feint.plot.looks import INK, PALE, Look, look
from feint.plot.plans import draw_plan, plan_figure
from feint.plot.report import adversaries, check, draw, figure, posterior, searches

__all__ = [
    "INK",
    "PALE",
    "Look",
    "adversaries",
    "check",
    "draw",
    "draw_plan",
    "figure",
    "look",
    "plan_figure",
    "posterior",
    "searches",
]
