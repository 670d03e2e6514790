"""The best strategy there is on a small lattice, by linear programme."""

from feint.optimal.solve import Solution, complexity, solve, success_under

__all__ = ["Solution", "complexity", "solve", "success_under"]
