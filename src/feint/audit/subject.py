"""What is audited: a strategy, what is promised of it, and why that is expected to hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from feint.audit import explain
from feint.branches import blind_success
from feint.interfaces import Progress, Strategy
from feint.planning import rounding
from feint.problem import Domain, Prior, Problem, Scale, off_by


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A strategy and the promise that it is audited against.

    Attributes:
        strategy: What is audited.
        problem: What is promised: need not be what the strategy was made for.
        domain: The user's units.
        prior: Where X* may be, one law a coordinate.
        theorem: Why the promise is expected to hold; empty where nothing is proved.
        scales: Where each coordinate's questions are shown; None: where they fall.
    """

    strategy: Strategy
    problem: Problem
    domain: Domain
    prior: tuple[Prior, ...]
    theorem: str
    scales: tuple[Scale, ...] | None = None

    @property
    def worst_case(self) -> bool:
        """Whether the promise is about what is possible, not about what is likely."""
        return self.problem.setting == "deterministic"

    @property
    def blind(self) -> Fraction:
        """The success of the best guess without listening, over all coordinates."""
        each = (blind_success(law, self.problem.delta) for law in self.prior)
        return math.prod(each, start=Fraction(1))

    @property
    def uniform(self) -> bool:
        """Return True if X* is uniform in the bins of every coordinate."""
        return all(each.uniform for each in self.prior)

    @property
    def rounded(self) -> bool:
        """Whether an even lattice's questions are rounded to decimals, since none divide it."""
        return any(each.tick is not None and each.marks is None for each in self.scales or ())

    @property
    def distance(self) -> Fraction:
        """What she may win more often under the laws as stated than under their bins.

        Nothing in the worst case, which has no prior.
        """
        return Fraction(0) if self.worst_case else off_by(self.prior)

    def keeps(self, success: Fraction) -> bool:
        """Whether the promise holds under the laws as stated, of which she wins this in the bins.

        Up to what rounding to decimals may add.
        """
        return (success + self.distance) * self.problem.level <= 1 + rounding(self.scales)

    def stated_ratio(self, success: float) -> float:
        """Return what she may win with under the laws as stated, as a multiple of the promise.

        Args:
            success: What she wins with in the bins.
        """
        return (success + float(self.distance)) * self.problem.level

    def unsure(self, success: Fraction) -> bool:
        """Whether it holds in the bins, which are too far from the laws to say it of those."""
        binned = success * self.problem.level <= 1 + rounding(self.scales)
        return not self.worst_case and binned and not self.keeps(success)

    def excused(self, success: Fraction) -> bool:
        """Whether her success lies above 1/L, by no more than rounding to decimals may add."""
        above = (success + self.distance) * self.problem.level - 1
        return not self.worst_case and 0 < above <= rounding(self.scales)

    def fields(self) -> dict[str, Any]:
        """The fields of a `Report` that do not depend on how it was audited, by name."""
        return {
            "problem": self.problem,
            "domain": self.domain,
            "claim": explain.claim(self.problem, self.domain, rounded=self.rounded),
            "theorem": self.theorem,
            "assumptions": explain.assumptions(self.problem, self.prior),
            "queries": sum(len(each.coordinates) for each in self.strategy.rounds),
            "blind": self.blind,
        }


def of_coordinate(progress: Progress | None, index: int, count: int) -> Progress | None:
    """Progress that says which of several coordinates it is about; of one, progress as it is."""
    if progress is None or count == 1:
        return progress
    tell: Callable[[str, int, int], None] = progress
    return lambda what, done, wanted: tell(f"{what} of coordinate {index}", done, wanted)
