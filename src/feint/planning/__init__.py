"""From a problem to the cheapest certified strategy, and from a budget to what it buys."""

from feint.planning import optimal
from feint.planning.affordable import Affordable, afford
from feint.planning.limits import LARGEST as MOST_CELLS
from feint.planning.limits import LONGEST as MOST_QUERIES
from feint.planning.planner import methods, plan
from feint.planning.plans import Phase, Plan
from feint.planning.registry import register_method
from feint.planning.repetition import repeatable
from feint.planning.samples import Sample, Samples, sample_sizes
from feint.planning.ticks import EXCESS, finest, rounding, scale_for
from feint.planning.trades import compare, frontier, with_short_questions

__all__ = [
    "EXCESS",
    "MOST_CELLS",
    "MOST_QUERIES",
    "Affordable",
    "Phase",
    "Plan",
    "Sample",
    "Samples",
    "afford",
    "compare",
    "finest",
    "frontier",
    "methods",
    "optimal",
    "plan",
    "register_method",
    "repeatable",
    "rounding",
    "sample_sizes",
    "scale_for",
    "with_short_questions",
]
