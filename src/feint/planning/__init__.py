"""From a problem to the cheapest certified strategy, and from a budget to what it buys."""

from feint.planning.budget import Affordable, afford
from feint.planning.plan import Phase, Plan, compare, frontier, methods, plan

__all__ = ["Affordable", "Phase", "Plan", "afford", "compare", "frontier", "methods", "plan"]
