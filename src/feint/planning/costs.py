"""What a search costs on average: exactly if it can be enumerated, otherwise by simulation."""

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
from feint.problem import count_words, mean_words
from feint.simulate import run_lengths

_RULE = 95  # percent of the runs that stay within what is said to be so as a rule


@dataclass(frozen=True)
class Cost:
    """How many questions a search asks and how many rounds it takes.

    Attributes:
        queries: The mean number of questions: a fraction if it is exact.
        rounds: The mean number of rounds.
        queries_95: How many questions 95 % of the searches ask at most; None if not known.
        rounds_95: How many rounds 95 % of them take at most.
        errors: The standard errors of both means where they are simulated; None: they are exact.
        hidden: Under noise, the mean number of questions that belong to the hiding stage.
    """

    queries: Fraction | float
    rounds: Fraction | float
    queries_95: int | None = None
    rounds_95: int | None = None
    errors: tuple[float, float] | None = None
    hidden: Fraction | float = Fraction(0)

    @property
    def source(self) -> Literal["exact", "simulated"]:
        """Return how the means were found."""
        return "exact" if self.errors is None else "simulated"

    def words(self) -> str:
        """Return the mean number of rounds and what 95 % of the searches take at most, in words."""
        asked = count_words(self.queries_95 or 0, "question")
        took = count_words(self.rounds_95 or 0, "round")
        often = f"95 % of searches ask at most {asked} in at most {took}"
        error = 0.0 if self.errors is None else self.errors[0]
        mean = f"{mean_words(self.rounds)} rounds on average"
        return f"{often}; {mean} (simulated; the mean of questions has standard error {error:.2g})."

    def to_dict(self) -> dict[str, Any]:
        """Return the means and what 95 % of the searches stay within, for JSON."""
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
"""What JSON says of a plan whose mean is not known."""


def cost(strategy: Strategy, masses: Sequence[Mass] | None) -> Cost | None:
    """Return what a search costs.

    Args:
        strategy: What is run.
        masses: For each coordinate, the probability that X* lies below a boundary; None: X* is
            uniform on the lattice.

    Returns:
        Its cost; None if there are too many branches to enumerate, or runs to simulate are too
        long.
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


def _simulated(strategy: Strategy) -> Cost | None:
    """Return the cost in simulated searches.

    Cells are drawn uniformly, also under a prior: noisy plans are laid on its quantiles.
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
