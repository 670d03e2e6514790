"""A lattice that is given rather than chosen: whole values, or the ticks of a range."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from feint.exact import ceil_div
from feint.problem import Domain, Problem, Scale


@dataclass(frozen=True)
class Grain:
    """What a search on given cells must do.

    Attributes:
        cells: m, how many cells there are.
        window: D, how many neighbouring cells the eavesdropper names; of ticks it may be
            fractional.
        accuracy: How many cells the learner's last interval may have; 1 for whole values.
        slack: How much longer the cells are together than the range: X* is at most so much denser
            on it, and her success so much larger, than if it were uniform on all cells.
        scale: Where the cells lie in the user's units; None: whole values, which the domain's step
            lays out.
    """

    cells: int
    window: Fraction
    accuracy: int = 1
    slack: Fraction = Fraction(1)
    scale: Scale | None = None

    @property
    def cut_short(self) -> tuple[int, int]:
        """Whether the first cell, and the last, stick out of the range: 0 or 1 each."""
        if self.scale is None or self.scale.clip is None:
            return 0, 0
        low, high = self.scale.clip
        return int(low > self.scale.low), int(high < self.scale.high)

    @classmethod
    def of_values(cls, problem: Problem) -> Grain:
        """Whole values, one a cell; without values, the fewest cells no wider than ε."""
        values = problem.values or ceil_div(1, problem.epsilon)
        return cls(values, Fraction(ceil_div(problem.delta * values, 1)))

    @classmethod
    def of_ticks(cls, problem: Problem, domain: Domain, tick: Fraction) -> Grain:
        """The ticks that cover a range; the first and the last may stick out of it."""
        low = (domain.low // tick) * tick
        count = ceil_div(domain.high - low, tick)
        high, ends = low + count * tick, (domain.low, domain.high)
        unit = domain.width / tick
        return cls(
            count,
            problem.delta * unit,
            int(problem.epsilon * unit),
            count / unit,
            Scale(low, high, count, None, None if ends == (low, high) else ends),
        )
