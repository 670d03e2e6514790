"""Define plans: a strategy, its cost, and the success of the best eavesdropper against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from html import escape
from itertools import groupby
from textwrap import wrap
from typing import Any, Literal

import numpy as np

from feint.branches import Mass
from feint.exact import chance, plain, rounded, text
from feint.exact.stability import deprecated
from feint.interfaces import Strategy, Varying, asks_all, most_queries, strategy_of
from feint.picture import lanes, lanes_svg, paragraphs, played, strip, table
from feint.planning.costs import UNKNOWN, Cost, cost
from feint.planning.least import least_queries, least_words
from feint.planning.noisy import MAJORITY
from feint.planning.repetition import repeatable
from feint.planning.sentences import deal, promise
from feint.planning.ticks import keeps, rounding
from feint.problem import (
    UNIT,
    Domain,
    Line,
    Problem,
    averaged,
    domain_of,
    equally_right,
    length_words,
    right_by_distance,
)

Certificate = Literal["theorem", "exact", "calibrated"]
_WIDTH = 79  # columns of the plan in words
_DRAWN = 10_000  # the most questions of a plan that is drawn
_SHOWN = 0.618  # the position of the number on the range in the drawn search


@dataclass(frozen=True)
class Phase:
    """Neighbouring rounds that serve one purpose.

    Attributes:
        name: The purpose.
        rounds: The maximum number of rounds.
        queries: The maximum number of questions in all of them.
    """

    name: str
    rounds: int
    queries: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A strategy with its cost and its promise.

    Attributes:
        problem: The problem that the plan solves.
        domain: The user's units.
        method: The name of the method.
        strategy: The strategy to run.
        certificate: The reason why the promise holds. "theorem": it is a bound, proved for the
            family. "exact": this very strategy was enumerated, for every number. "calibrated": it
            was sized by simulation.
            None: nothing is promised (bisection, printed specimens).
        adversary_success: An upper bound on the best eavesdropper's success if X* is uniform or
            follows the problem's prior; None if it is not known.
        places: In the deterministic setting, the number of places, δ apart, that stay possible
            after every transcript.
        losses: Under noise, the limit on each stage's loss: probabilities of a miss, or expected
            errors if accurate on average, with their total and the allowed total.
        scales: The positions of each coordinate's boundaries in the user's units. None for whole
            values, which lie at their steps, and for a plan without units. Empty in plans saved
            before version 3, whose questions are still shown as in that version.
    """

    problem: Problem
    domain: Domain
    method: str
    strategy: Strategy
    certificate: Certificate | None
    adversary_success: Fraction | None
    places: int | None = None
    losses: Mapping[str, float] | None = None
    scales: tuple[Line, ...] | None = None

    @classmethod
    def of(cls, strategy: Strategy, *, domain: Domain = UNIT, method: str = "own") -> Plan:
        """Build the plan that runs a given strategy.

        Args:
            strategy: The strategy to run. The plan is for its problem.
            domain: The user's units.
            method: The name to show for it.

        Returns:
            The plan. It promises nothing; `audit` computes what an eavesdropper achieves.

        Raises:
            WrongType: `strategy` is not a strategy, or `domain` is not a domain.
        """
        inner = strategy_of(strategy, argument="strategy")
        return cls(
            problem=inner.problem,
            domain=domain_of(domain) or UNIT,
            method=method,
            strategy=inner,
            certificate=None,
            adversary_success=None,
        )

    @property
    def queries(self) -> int:
        """Return the maximum number of questions of a search."""
        return most_queries(self.strategy)

    @property
    def rounds(self) -> int:
        """Return the maximum number of rounds of a search."""
        return len(self.strategy.rounds)

    @cached_property
    def lower_bound(self) -> int | None:
        """Return a lower bound on the maximum number of questions of every plan as private as this.

        It bounds `queries`, and not the mean. With a tick or a prior it covers plans on the same
        lattice, and for several numbers it covers plans that search each number by itself. None if
        nothing is proved, or if this plan does not keep the promise that the bound assumes.

        >>> from feint import plan
        >>> found = plan(Problem("2^-20", "2^-8", 15))
        >>> found.queries, found.lower_bound, found.is_optimal
        (199, 199, True)
        """
        if not self.private:
            return None
        success = self.promised if self.excused else None
        return least_queries(self.problem, self.domain, self._lines, success)

    @property
    def is_optimal(self) -> bool:
        """Return True if no plan can have a smaller maximum number of questions, by proof."""
        return self.lower_bound is not None and self.queries <= self.lower_bound

    @property
    def optimality(self) -> str:
        """Return a sentence about `lower_bound` and this plan; empty if there is no bound."""
        return least_words(self.problem, self.domain, self.queries, self.lower_bound)

    @property
    def queries_mean(self) -> Fraction | float | None:
        """Return the mean number of questions of a search.

        The mean is over the coins, wrong answers, and the number, which is uniform or follows the
        problem's prior. It is a fraction if it is exact, a float if it is simulated, and None if
        there are too many branches to enumerate. See `cost` for more.
        """
        return None if self.cost is None else self.cost.queries

    @property
    def rounds_mean(self) -> Fraction | float | None:
        """Return the mean number of rounds of a search, as `queries_mean` does for questions."""
        return None if self.cost is None else self.cost.rounds

    @property
    def queries_95(self) -> int | None:
        """Return the number of questions that 95 % of searches do not exceed; None if not known."""
        return None if self.cost is None else self.cost.queries_95

    @property
    def rounds_95(self) -> int | None:
        """Return the number of rounds that 95 % of searches do not exceed; None if not known."""
        return None if self.cost is None else self.cost.rounds_95

    @property
    def asks_all(self) -> bool:
        """Return True if every search is known to ask the same number of questions."""
        return asks_all(self.strategy)

    @property
    def length(self) -> str:
        """Return the numbers of questions and rounds in words.

        For example "at most 17 questions (14.2 on average) in at most 6 rounds".
        """
        means = None if self.cost is None else (self.cost.queries, self.cost.rounds)
        return length_words(self.queries, self.rounds, means)

    @cached_property
    def deal(self) -> str:
        """Return the cost, what the owner learns and what a watcher learns, in two sentences.

        >>> from feint import Domain, plan
        >>> market = Domain(20, 100, label="price")
        >>> problem = market.problem(within="0.5", delta=5, level=4)
        >>> print(plan(problem, domain=market).deal.split(". ")[1])
        You learn the price to within ±0.5; a watcher gets within ±2.5 at most 1 time in 4.
        """
        return deal(self)

    @cached_property
    def cost(self) -> Cost | None:
        """Return the means and 95 % limits of a search's cost; None if they are not known."""
        masses = None if self.asks_all or self.problem.noisy else self._masses()
        return cost(self.strategy, masses)

    def _masses(self) -> list[Mass] | None:
        """Return the mass below each boundary of each lattice; None if all are equal."""
        priors, lines = self.problem.prior, self._lines
        if priors is None and all(each.even for each in lines):
            return None
        laws = priors or (None,) * len(lines)
        return [replace(line, prior=law).mass for line, law in zip(lines, laws, strict=True)]

    @property
    def _lines(self) -> tuple[Line, ...]:
        """Return the positions of the boundaries of each coordinate's lattice."""
        return self.scales or tuple(map(Line.of_cells, self.cells))

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the size of the lattice in each coordinate."""
        return self.strategy.cells

    @property
    @deprecated(use="Plan.losses", since="0.2")
    def budget(self) -> Mapping[str, float] | None:
        """Return `losses`, under its name before version 0.2."""
        return self.losses

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Return the phases of the rounds.

        If the length of a phase varies between runs, these are its maximum numbers in one run.
        """
        if isinstance(self.strategy, Varying) and (stated := self.strategy.phase_limits):
            return tuple(Phase(*each) for each in stated)
        runs = groupby(self.strategy.rounds, key=lambda each: each.phase)
        widths = ((name, [len(each.coordinates) for each in group]) for name, group in runs)
        return tuple(Phase(name, len(each), sum(each)) for name, each in widths)

    @property
    def private(self) -> bool:
        """Return True if the promise is what the problem asks for.

        If no decimals divide the range, questions are rounded. The eavesdropper's success may then
        exceed 1/L by one part in a million: proofs/rounding.md.
        """
        if self.certificate is None:
            return False
        if self.problem.setting == "deterministic":
            return self.places is not None and self.places >= self.problem.level
        success = self.adversary_success
        return success is not None and keeps(success, self.problem, self.scales)

    @property
    def promised(self) -> Fraction | None:
        """Return an upper bound on her success under the prior as stated, which `private` checks.

        It is `adversary_success` plus what binning the prior may add. None if that success is not
        known. Samples add nothing, since their distance from their distribution is unknown.
        """
        success = self.adversary_success
        return None if success is None else min(Fraction(1), success + self.problem.distance)

    @property
    def excused(self) -> bool:
        """Return True if the promise holds only up to rounding: her success is above 1/L."""
        most, worst_case = self.promised, self.problem.setting == "deterministic"
        above = most is not None and most * self.problem.level > 1
        return self.private and above and not worst_case

    @property
    def margin(self) -> Fraction | None:
        """Return the allowed error of the prior, as a ratio of the true density to the stated one.

        The promise holds for every distribution with at most this density ratio. Without a prior
        the ratio is to the uniform distribution. None if nothing is promised, or if the promise is
        about the worst case.
        """
        most = self.promised
        if not self.private or not most or self.problem.setting == "deterministic":
            return None
        return max(Fraction(1), 1 / (self.problem.level * most))

    @property
    def stated_success(self) -> float | None:
        """Return an upper bound on her success under the prior as stated, before it was binned.

        None if it is not known: samples do not determine the distribution that they came from.
        """
        most = self.promised
        if most is None or any(each.distance is None for each in self.problem.prior or ()):
            return None
        return float(most)

    @property
    def condition(self) -> str:
        """Return the assumption of the promises about noisy answers; empty without noise."""
        needed = right_by_distance if self.method == MAJORITY else equally_right
        words = [needed(self.problem)] if self.private else []
        words += [averaged(self.problem)] if self.certificate is not None else []
        return " ".join(each for each in words if each)

    @property
    def repeatable(self) -> bool:
        """Return True if only the number decides the questions, so that a repeat reveals nothing.

        Otherwise a second search for the same number needs the same key. Under noise even the same
        key does not help.
        """
        return repeatable(self.strategy)

    def __str__(self) -> str:
        """Return the plan in words, with a picture of one search."""
        asked, number = self._search()
        drawn = strip(asked, self._place, width=_WIDTH)
        if not self.problem.noisy:
            drawn = lanes(played(asked, number), number, self._place, width=_WIDTH)
        told = [line for each in self._sentences() for line in wrap(each, _WIDTH)]
        return "\n".join([*told, *([self._caption(), *drawn] if asked else [])])

    def _repr_html_(self) -> str:
        """Return the plan in words for a notebook."""
        first, *others = self._sentences()
        asked, number = self._search()
        rows = [(each.name, str(each.rounds), str(each.queries)) for each in self.phases]
        parts = [f"<p><b>{escape(first)}</b></p>", paragraphs(others[:-1])]
        parts += [table(("phase", "rounds", "questions"), rows)]
        if asked:
            seen = None if self.problem.noisy else number
            drawn = lanes_svg(played(asked, number), self._place, number=seen)
            parts += [paragraphs([self._caption()]), drawn]
        return "".join(parts)

    def _sentences(self) -> list[str]:
        """Return the lines about the strategy, the problem, the promise, and the rounds."""
        wins = self.domain.wins(self.problem)
        often = "" if self.promised is None else f" {chance(self.promised)};"
        assured = f"An eavesdropper wins when she {wins}:{often} nothing is promised"
        if self.private and self.places is not None:
            assured = (
                f"An eavesdropper is left with at least {self.places} possible places,"
                f" {plain(self.problem.delta * self.domain.width)} apart ({self.certificate})"
            )
        elif self.private:
            most = chance(self.promised)
            assured = f"An eavesdropper wins when she {wins}: at most {most} ({self.certificate})"
            if self.excused:
                assured += f", one part in a million above 1/{self.problem.level} at most,"
                assured += " since its questions are rounded to decimals"
        purposes = ", ".join(
            f"{each.name} {length_words(each.queries, each.rounds, (each.queries, each.rounds))}"
            for each in self.phases
        )
        head = f"Method {self.method}: {self.length}"
        usual = [] if self.cost is None or self.cost.errors is None else [self.cost.words()]
        needs = [self.condition] if self.condition else []
        wanted = self.domain.states(self.problem)
        most = "" if self.asks_all else ", at most"
        least = [self.optimality] if self.optimality else []
        # ASCII only, since some terminals show nothing else.
        offer = promise(self).replace("±", "+/- ")
        said = [head, offer, *usual, wanted, f"{assured}.", *needs, *least]
        return [*said, f"Phases{most}: {purposes}."]

    def _search(self) -> tuple[list[list[float]], float]:
        """Return one search for the first number: its questions by round, and its position.

        Both are shares of the range. There are no questions if the plan is too long to draw.
        """
        if self.queries > _DRAWN:
            return [], 0.0
        from feint.simulate import play

        cells = np.array([[int(size * _SHOWN) for size in self.cells]])
        heard = play(self.strategy, cells, np.random.default_rng(0)).transcript
        size, cell = self.cells[0], int(cells[0, 0])
        asked = [[self._share(round(each * size)) for each in some] for some in heard.shares()]
        return asked, (self._share(cell) + self._share(cell + 1)) / 2

    def _share(self, boundary: int) -> float:
        """Return the shown position of a boundary of the first number's lattice, as a share."""
        if not self.scales:
            return boundary / self.cells[0]
        return float((self.scales[0].at(boundary) - self.domain.low) / self.domain.width)

    def _caption(self) -> str:
        about = "" if len(self.cells) == 1 else f" (the first of {len(self.cells)} numbers)"
        return f"One search, as an example{about}:"

    def _place(self, share: float) -> str:
        """Return the label of a place; with a step the range ends at the last value."""
        low, width = self.domain.low, self.domain.width
        place = min(low + width * Fraction(share), self.domain.high)
        return rounded(place, width / 1000) if 0 < share < 1 else plain(place)

    def means(self) -> dict[str, float | None]:
        """Return `queries_mean` and `rounds_mean` for JSON, as floats."""
        found = {"queries_mean": self.queries_mean, "rounds_mean": self.rounds_mean}
        return {name: None if mean is None else float(mean) for name, mean in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the plan for JSON, with rationals as strings."""
        success = self.adversary_success
        stated = {} if self.problem.prior is None else {"stated_success": self.stated_success}
        margin = self.margin
        return stated | {
            "margin": None if margin is None else text(margin),
            "method": self.method,
            "deal": self.deal,
            "queries": self.queries,
            "lower_bound": self.lower_bound,
            "rounds": self.rounds,
            **(UNKNOWN if self.cost is None else self.cost.to_dict()),
            "phases": [
                {"phase": each.name, "rounds": each.rounds, "queries": each.queries}
                for each in self.phases
            ],
            "cells": list(self.cells),
            "certificate": self.certificate,
            "adversary_success": None if success is None else text(success),
            "places": self.places,
            "private": self.private,
            "condition": self.condition or None,
            "rounding": text(rounding(self.scales)),
            "repeatable": self.repeatable,
            "losses": None if self.losses is None else dict(self.losses),
            "ticks": None
            if self.scales is None
            else [None if each.unit is None else text(each.unit) for each in self.scales],
        }
