"""Compute the mean cost of a search, exactly if it can be enumerated, otherwise by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from feint.branches import Mass, mean_lengths
from feint.errors import TooLarge
from feint.interfaces import Strategy, asks_all, hiding_stage, most_queries
from feint.planning.enumeration import is_quick
from feint.planning.limits import COST_LEAST, COST_RUNS, COST_WORK, PLAN_BRANCHES
from feint.problem import Line, count_words, mean_words
from feint.simulate import run_lengths

_RULE = 95  # the percentage of runs that stay within the stated figures


@dataclass(frozen=True)
class Cost:
    """The numbers of questions and rounds of a search.

    Attributes:
        queries: The mean number of questions; a fraction if it is exact.
        rounds: The mean number of rounds.
        queries_95: The number of questions that 95 % of the searches do not exceed; None if not
            known.
        rounds_95: The number of rounds that 95 % of the searches do not exceed.
        errors: The standard errors of both means if they are simulated; None if they are exact.
        hidden: The mean number of questions of the hiding stage, under noise.
    """

    queries: Fraction | float
    rounds: Fraction | float
    queries_95: int | None = None
    rounds_95: int | None = None
    errors: tuple[float, float] | None = None
    hidden: Fraction | float = Fraction(0)

    @property
    def source(self) -> Literal["exact", "simulated"]:
        """Return "exact" if the means are exact, else "simulated"."""
        return "exact" if self.errors is None else "simulated"

    def words(self) -> str:
        """Return the mean number of rounds and the limits for 95 % of the searches, in words."""
        asked = count_words(self.queries_95 or 0, "question")
        took = count_words(self.rounds_95 or 0, "round")
        often = f"95 % of searches ask at most {asked} in at most {took}"
        error = 0.0 if self.errors is None else self.errors[0]
        mean = f"{mean_words(self.rounds)} rounds on average"
        return f"{often}; {mean} (simulated; the mean of questions has standard error {error:.2g})."

    def to_dict(self) -> dict[str, Any]:
        """Return the means and the limits for 95 % of the searches, for JSON."""
        errors = self.errors or (None, None)
        return {
            "queries_mean": float(self.queries),
            "rounds_mean": float(self.rounds),
            "mean_source": self.source,
            "queries_mean_error": errors[0],
            "rounds_mean_error": errors[1],
            "queries_95": self.queries_95,
            "rounds_95": self.rounds_95,
        }


UNKNOWN: dict[str, Any] = dict.fromkeys(Cost(0, 0).to_dict())
"""The JSON fields of a plan without a known mean."""


def cost(strategy: Strategy, masses: Sequence[Mass] | None) -> Cost | None:
    """Return the cost of a search.

    Args:
        strategy: The strategy that is run.
        masses: The probability that X* lies below a boundary, for each coordinate. None: X* is
            uniform on the lattice.

    Returns:
        The cost. None if the branches are too many to enumerate and the runs too long to simulate.
    """
    if asks_all(strategy):
        queries, rounds = most_queries(strategy), len(strategy.rounds)
        hidden = Fraction(hiding_stage(strategy).queries)
        return Cost(Fraction(queries), Fraction(rounds), queries, rounds, hidden=hidden)
    if strategy.problem.noisy:
        return _simulated(strategy)
    if not is_quick(strategy):
        return None
    try:
        return Cost(*mean_lengths(strategy, masses, limit=PLAN_BRANCHES))
    except TooLarge:
        return None


def mean_queries(strategy: Strategy, line: Line | None) -> Fraction | None:
    """Return the exact mean number of questions for a uniform number, or None if it is not known.

    Args:
        strategy: A noiseless strategy of one number.
        line: The cells of its lattice; None if they are equal.
    """
    found = cost(strategy, None if line is None or line.even else [line.mass])
    return None if found is None else Fraction(found.queries)


def _simulated(strategy: Strategy) -> Cost | None:
    """Return the cost by simulated searches.

    Cells are drawn uniformly, also under a prior, since noisy plans use its quantiles as cells.
    """
    runs = min(COST_RUNS, COST_WORK // most_queries(strategy))
    if runs < COST_LEAST:
        return None
    found = run_lengths(strategy, runs)
    both = found.queries, found.rounds
    queries, rounds = (float(each.mean()) for each in both)
    often = [int(np.percentile(each, _RULE, method="higher")) for each in both]
    first, second = (float(each.std(ddof=1)) / runs**0.5 for each in both)
    hidden = float(found.hidden.mean())
    return Cost(queries, rounds, often[0], often[1], (first, second), hidden)
