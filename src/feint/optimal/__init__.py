"""The best strategy there is on a small lattice: by linear programme, or by search."""

from feint.optimal.solver import Solution, complexity, solve, success_under
from feint.optimal.worst import worst_case, worst_case_strategy

__all__ = ["Solution", "complexity", "solve", "success_under", "worst_case", "worst_case_strategy"]
