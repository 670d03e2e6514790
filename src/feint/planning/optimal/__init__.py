"""Compute the best strategy of a small game, by linear programme or by exact search."""

from feint.planning.optimal.finite import FiniteGame
from feint.planning.optimal.finite_solver import Bracket, solve_finite
from feint.planning.optimal.plane import Norm, Questions, plane_game
from feint.planning.optimal.solver import Solution, complexity, solve, success_under
from feint.planning.optimal.worst import worst_case, worst_case_strategy

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
