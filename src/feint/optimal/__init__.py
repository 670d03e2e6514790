"""The best strategy there is in a small game: by linear programme, or by search."""

from feint.optimal.finite import FiniteGame
from feint.optimal.finite_solver import Bracket, solve_finite
from feint.optimal.plane import Norm, Questions, plane_game
from feint.optimal.solver import Solution, complexity, solve, success_under
from feint.optimal.worst import worst_case, worst_case_strategy

__all__ = [
    "Bracket",
    "FiniteGame",
    "Norm",
    "Questions",
    "Solution",
    "complexity",
    "plane_game",
    "solve",
    "solve_finite",
    "success_under",
    "worst_case",
    "worst_case_strategy",
]
