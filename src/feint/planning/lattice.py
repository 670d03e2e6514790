"""Describe lattices that the problem determines: whole values, or the ticks of a range."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from feint.exact import ceil_div
from feint.problem import Domain, Line, Problem


@dataclass(frozen=True)
class Lattice:
    """A line, with delta and epsilon counted in its cells.

    Attributes:
        line: The cells.
        window: D, the number of neighbouring cells that the eavesdropper names. It may be
            fractional for ticks.
        accuracy: The maximum number of cells of the learner's last interval; 1 for whole values.
        whole: True if the cells are whole values, at the steps of the domain.
    """

    line: Line
    window: Fraction
    accuracy: int = 1
    whole: bool = False

    @classmethod
    def of_values(cls, problem: Problem) -> Lattice:
        """Return whole values, one per cell; without values, the coarsest cells no wider than ε."""
        values = problem.values or ceil_div(1, problem.epsilon)
        window = Fraction(ceil_div(problem.delta * values, 1))
        return cls(Line.of_cells(values), window, whole=True)

    @classmethod
    def of_ticks(cls, problem: Problem, domain: Domain, tick: Fraction) -> Lattice:
        """Return the ticks that cover a range; the first and the last may extend beyond it."""
        line = Line.of_ticks(domain.low, domain.low + domain.width, tick)
        return cls(line, line.window(problem.delta), line.accuracy(problem.epsilon))

    @property
    def cells(self) -> int:
        """Return m, the number of cells."""
        return self.line.size

    @property
    def pieces(self) -> int:
        """Return the number of intervals that the learner must distinguish."""
        return ceil_div(self.cells, self.accuracy)

    @property
    def slack(self) -> Fraction:
        """Return the length of all cells together, divided by the length of the range."""
        return self.line.slack

    @property
    def scale(self) -> Line | None:
        """Return the line of the cells in the user's units; None for the steps of a domain."""
        return None if self.whole else self.line
