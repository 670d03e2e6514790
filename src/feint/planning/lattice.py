"""Cells that are given rather than chosen: whole values, or the ticks of a range."""

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
        window: D, how many neighbouring cells the eavesdropper names; of ticks it may be
            fractional.
        accuracy: How many cells the learner's last interval may have; 1 for whole values.
        whole: Whether its cells are whole values, which the domain's step lays out.
    """

    line: Line
    window: Fraction
    accuracy: int = 1
    whole: bool = False

    @classmethod
    def of_values(cls, problem: Problem) -> Lattice:
        """Return whole values, one a cell; without values, the fewest cells no wider than ε."""
        values = problem.values or ceil_div(1, problem.epsilon)
        window = Fraction(ceil_div(problem.delta * values, 1))
        return cls(Line.of_cells(values), window, whole=True)

    @classmethod
    def of_ticks(cls, problem: Problem, domain: Domain, tick: Fraction) -> Lattice:
        """Return the ticks that cover a range; the first and the last may stick out of it."""
        line = Line.of_ticks(domain.low, domain.low + domain.width, tick)
        return cls(line, line.window(problem.delta), line.accuracy(problem.epsilon))

    @property
    def cells(self) -> int:
        """m, how many cells there are."""
        return self.line.size

    @property
    def pieces(self) -> int:
        """How many intervals the learner must tell apart."""
        return ceil_div(self.cells, self.accuracy)

    @property
    def slack(self) -> Fraction:
        """How many times as long as the range all cells are together."""
        return self.line.slack

    @property
    def scale(self) -> Line | None:
        """Where the cells lie in the user's units; None: the domain's step says it."""
        return None if self.whole else self.line
