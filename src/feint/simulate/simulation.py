"""Report simulated runs: rates and means, each with a confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from textwrap import wrap
from typing import Any, Self

import numpy as np

from feint.exact.stability import deprecated
from feint.interfaces import Strategy, most_queries
from feint.picture import aligned, paragraphs, table
from feint.problem import count_words, length_words, mean_words
from feint.simulate.intervals import bernstein, clopper_pearson
from feint.simulate.place import Float, Int
from feint.simulate.tally import Tally, edges


@dataclass(frozen=True, kw_only=True)
class Success:
    """The number of runs in which an adversary came within δ/2 of X*.

    Attributes:
        name: The adversary's name.
        wins: The number of runs that it won.
        runs: The number of runs.
        low: The lower Clopper–Pearson limit of the probability that it wins. The simulation or the
            audit states the probability that the limits are wrong.
        high: The upper limit.
    """

    name: str
    wins: int
    runs: int
    low: float
    high: float

    @property
    def rate(self) -> Fraction:
        """Return the share of the runs that it won, as a fraction."""
        return Fraction(self.wins, self.runs)

    @property
    def success(self) -> float:
        """Return the share of the runs that it won."""
        return self.wins / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Return both limits."""
        return self.low, self.high


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """The results of a simulation.

    Attributes:
        strategy: The strategy that ran.
        wanted: The number of runs asked for, or the look at which `stop` ended them. `runs` is
            smaller if Ctrl-C came first.
        failure: The probability that an interval is wrong, for each interval by itself. For the
            mean error it is approximate.
        names: The names of the adversaries.
        limit: The promised limit on the success of any adversary, 1/L. None if the promise does
            not cover such runs: in the deterministic setting, with a prior, or a larger delta.
        taught: The number of other runs on which adversaries that learn were fitted.
        tally: The sums from which all figures are computed.
        epsilon: The full width of the accuracy to judge by; None: that of the strategy's problem.
        sizes: The number of units that widths are counted in, per coordinate; None: cells.
    """

    strategy: Strategy
    wanted: int
    failure: float
    names: tuple[str, ...]
    limit: Fraction | None
    taught: int
    tally: Tally
    epsilon: Fraction | None = None
    sizes: tuple[int, ...] | None = None

    @property
    @deprecated(use="Simulation.failure", since="0.2")
    def coverage(self) -> float:
        """Return the probability that an interval holds, 1 minus the failure."""
        return 1 - self.failure

    @property
    def runs(self) -> int:
        """Return the number of completed runs."""
        return self.tally.runs

    @property
    def queries(self) -> int:
        """Return the most questions that a run can ask."""
        return most_queries(self.strategy)

    @property
    def rounds(self) -> int:
        """Return the most rounds that a run can take."""
        return len(self.strategy.rounds)

    @property
    def queries_mean(self) -> float:
        """Return the mean number of questions of these runs."""
        return self.tally.queries / self.runs

    @property
    def rounds_mean(self) -> float:
        """Return the mean number of rounds of these runs."""
        return self.tally.rounds / self.runs

    @property
    def length(self) -> str:
        """Return a phrase that says how many questions and rounds a run takes."""
        return length_words(self.queries, self.rounds, (self.queries_mean, self.rounds_mean))

    @cached_property
    def adversaries(self) -> tuple[Success, ...]:
        """Return the success of each adversary."""
        found = []
        for name, wins in zip(self.names, self.tally.wins, strict=True):
            low, high = self._interval(wins)
            found.append(Success(name=name, wins=wins, runs=self.runs, low=low, high=high))
        return tuple(found)

    @property
    def miss_rate(self) -> float:
        """Return the share of runs in which the learner did not come within ε/2 of X*."""
        return self.tally.misses / self.runs

    @cached_property
    def miss_interval(self) -> tuple[float, float]:
        """Return the Clopper–Pearson interval of the probability of a miss."""
        return self._interval(self.tally.misses)

    @property
    def mean_error(self) -> float:
        """Return the learner's mean error in the sup norm, on the unit interval."""
        return float(self.tally.total / self.runs)

    @cached_property
    def mean_error_interval(self) -> tuple[float, float]:
        """Return an approximate interval for the expected error, by the normal approximation.

        Under noise a rare error may be as large as the whole interval and outweigh all others. If
        no run had such an error, the expected error may lie far above the interval.
        """
        from scipy.special import ndtri

        if self.runs == 1:  # a single run says nothing
            return 0.0, 1.0
        spread = float(self.tally.squares / self.runs - (self.tally.total / self.runs) ** 2)
        deviation = math.sqrt(max(0, spread) / (self.runs - 1))
        half = -float(ndtri(self.failure / 2)) * deviation
        return max(0.0, self.mean_error - half), min(1.0, self.mean_error + half)

    @property
    def accuracy(self) -> Fraction:
        """Return twice the worst error of any X* in a drawn cell, as a share of the interval.

        The error is that of the middle of the estimate's ends, which is the estimate without noise.
        """
        pairs = zip(self.tally.widest, self.sizes or self.strategy.cells, strict=True)
        return max(Fraction(width, cells) for width, cells in pairs)

    @cached_property
    def errors(self) -> tuple[Float, Int]:
        """Return a histogram of the errors: the edges of its bins, and the runs in each bin."""
        wanted = self.strategy.problem.epsilon if self.epsilon is None else self.epsilon
        return edges(wanted), self.tally.errors

    @property
    def near(self) -> float:
        """Return the mean number of queries of a run that lie within δ/2 of X*."""
        numbers = np.flatnonzero(self.tally.near)
        counted = zip(numbers.tolist(), self.tally.near[numbers].tolist(), strict=True)
        return float(Fraction(sum(number * runs for number, runs in counted), self.runs))

    @cached_property
    def near_interval(self) -> tuple[float, float]:
        """Return an empirical Bernstein interval for the expected number of such queries."""
        most = float(self.queries)
        if self.runs == 1:  # a single run says nothing
            return 0.0, most
        numbers = np.flatnonzero(self.tally.near)
        shares, counts = numbers / max(1.0, most), self.tally.near[numbers]
        half = most * bernstein(shares, self.failure, counts=counts)
        return max(0.0, self.near - half), min(most, self.near + half)

    def _interval(self, count: int) -> tuple[float, float]:
        low, high = clopper_pearson(count, self.runs, self.failure)
        return float(low), float(high)

    def finished(self) -> Self:
        """Return this simulation if all runs are done.

        Raises:
            KeyboardInterrupt: Ctrl-C ended the simulation early, so its figures are incomplete.
        """
        if self.runs < self.wanted:
            raise KeyboardInterrupt
        return self

    def words(self, *, unit: float | None = None) -> list[str]:
        """Return the results as text: a table of the adversaries, then a sentence per figure.

        Args:
            unit: The length of the range in the units of the errors; None: errors are shown as
                parts of the range.

        Returns:
            The lines. Those of the table take at most 60 columns if names are short.
        """
        header, rows = self._table()
        return [*(aligned(header, rows) if rows else []), *self._sentences(unit)]

    def __str__(self) -> str:
        """Return the results as text, 79 columns wide if names are short."""
        lines = [self._title(), *self.words()]
        return "\n".join(
            part for line in lines for part in wrap(line, 79, subsequent_indent="    ")
        )

    def _repr_html_(self) -> str:
        """Return the results as HTML for a notebook."""
        header, rows = self._table()
        head = f"<p><b>{escape(self._title())}</b></p>"
        return head + (table(header, rows) if rows else "") + paragraphs(self._sentences(None))

    def _title(self) -> str:
        stopped = "" if self.runs == self.wanted else f" of {self.wanted:,}, then stopped,"
        return f"{count_words(self.runs, 'run')}{stopped} of {self.length}"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the column names and a row for each adversary."""
        header = ["eavesdropper", "wins", self._sure]
        header += [] if self.limit is None else ["limit"]
        rows = []
        for each in self.adversaries:
            row = [each.name, f"{each.success:.5f}", f"{each.low:.5f} to {each.high:.5f}"]
            if self.limit is not None:
                above = ", exceeded" if each.low > self.limit else ""
                row += [f"{float(self.limit):.5f}{above}"]
            rows.append(row)
        return header, rows

    def _sentences(self, unit: float | None) -> list[str]:
        """Return a sentence for each of the learner's figures."""
        sure, noisy = self._sure, self.strategy.problem.noisy
        width, told = (1.0, " of the range") if unit is None else (unit, "")

        def between(limits: tuple[float, float], digits: str, scale: float = 1) -> str:
            low, high = (format(each * scale, digits) for each in limits)
            return f"{sure} {low} to {high}"

        runs = count_words(self.runs, "run")
        missed = f"Missed by more than epsilon/2: {self.tally.misses:,} of {runs}"
        error = f"Mean error: {self.mean_error * width:.4g}{told}"
        unseen = "; rare large errors may be unseen" if noisy else ""
        asked = mean_words(self.queries_mean)
        near = f"Questions within delta/2 of the number: {self.near:.4f} of {asked}"
        return [
            f"{missed} ({between(self.miss_interval, '.2g')})",
            f"{error} (approximate {between(self.mean_error_interval, '.4g', width)}{unseen})",
            f"{near} ({between(self.near_interval, '.4f')})",
        ]

    @property
    def _sure(self) -> str:
        return f"{100 * (1 - self.failure):g} % interval"

    def to_dict(self, *, unit: float = 1.0) -> dict[str, Any]:
        """Return the results for JSON.

        Args:
            unit: The length of the interval in the units of the errors.

        Returns:
            A dictionary of plain numbers, strings and lists.
        """
        bins, counts = self.errors
        return {
            "runs": self.runs,
            "wanted": self.wanted,
            "queries": self.queries,
            "rounds": self.rounds,
            "queries_mean": self.queries_mean,
            "rounds_mean": self.rounds_mean,
            "failure": self.failure,
            "limit": None if self.limit is None else float(self.limit),
            "adversaries": [
                {"name": each.name, "success": each.success, "interval": list(each.interval)}
                for each in self.adversaries
            ],
            "miss_rate": self.miss_rate,
            "miss_interval": list(self.miss_interval),
            "mean_error": self.mean_error * unit,
            "mean_error_interval": [each * unit for each in self.mean_error_interval],
            "errors": {"edges": (bins * unit).tolist(), "counts": counts.tolist()},
            "near": self.near,
            "near_interval": list(self.near_interval),
        }
