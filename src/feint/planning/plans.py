"""The plan: a strategy, what it costs, and what an eavesdropper can do against it at best."""

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
_DRAWN = 10_000  # questions of a plan that is drawn
_SHOWN = 0.618  # where on the range the number of a drawn search lies


@dataclass(frozen=True)
class Phase:
    """Neighbouring rounds that serve one purpose.

    Attributes:
        name: The purpose.
        rounds: How many rounds, at most.
        queries: How many queries in all of them, at most.
    """

    name: str
    rounds: int
    queries: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A strategy with its price and its promise.

    Attributes:
        problem: What was asked for.
        domain: The user's units.
        method: The method's name.
        strategy: What to run.
        certificate: Why the promise holds: "theorem", proved for the family, or "exact", this very
            strategy was enumerated, or "calibrated", sized by simulation. None: nothing is
            promised (bisection, printed specimens).
        adversary_success: What the best eavesdropper wins with when X* is uniform, or follows the
            problem's prior, at most; None where it is not known.
        places: Deterministic setting: how many places, δ apart, stay possible whatever is
            overheard.
        losses: Under noise, what each stage may lose: chances of a miss, or expected errors when
            accurate on average; with their total and what is allowed.
        scales: Where the boundaries of each coordinate's lattice lie in the user's units; None for
            whole values, which lie at their steps, and for a plan without units. Empty in plans
            saved before version 3, whose questions are shown as they were then.
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
        """The plan that runs a strategy of one's own.

        Args:
            strategy: What to run; its own problem says what it is for.
            domain: The user's units.
            method: What to call it.

        Returns:
            The plan. It promises nothing: `audit` tells what an eavesdropper wins with.

        Raises:
            WrongType: It is no strategy, or the domain is none.
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
        """Return the most questions that a search asks."""
        return most_queries(self.strategy)

    @property
    def rounds(self) -> int:
        """Return the most rounds that a search takes."""
        return len(self.strategy.rounds)

    @cached_property
    def lower_bound(self) -> int | None:
        """Return how many questions every plan that is as private must be ready to ask.

        It bounds the largest number of questions, `queries`, and no mean. With a tick or under a
        prior it is about plans on the same lattice, and for several numbers about plans that search
        each by itself. None if nothing is proved, and if this plan does not keep the promise that
        the bound is about.

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
        """Return True if it is proved that no plan can ask fewer questions at most."""
        return self.lower_bound is not None and self.queries <= self.lower_bound

    @property
    def optimality(self) -> str:
        """Return what `lower_bound` says of this plan, in a sentence; empty if it is None."""
        return least_words(self.problem, self.domain, self.queries, self.lower_bound)

    @property
    def queries_mean(self) -> Fraction | float | None:
        """Return how many questions a search asks on average.

        The average is over the coins, wrong answers, and the number, which is uniform or follows
        the problem's prior. It is a fraction if it is exact, a float if it is simulated, and None
        if there are too many branches to enumerate. `cost` says more.
        """
        return None if self.cost is None else self.cost.queries

    @property
    def rounds_mean(self) -> Fraction | float | None:
        """Return how many rounds a search takes on average, as `queries_mean` does."""
        return None if self.cost is None else self.cost.rounds

    @property
    def queries_95(self) -> int | None:
        """Return how many questions 95 % of the searches ask at most; None if not known."""
        return None if self.cost is None else self.cost.queries_95

    @property
    def rounds_95(self) -> int | None:
        """Return how many rounds 95 % of the searches take at most; None if not known."""
        return None if self.cost is None else self.cost.rounds_95

    @property
    def asks_all(self) -> bool:
        """Return True if it is known that every search asks as many questions as any other."""
        return asks_all(self.strategy)

    @property
    def length(self) -> str:
        """Return how many questions and rounds it takes, in words.

        Such as "at most 17 questions (14.2 on average) in at most 6 rounds".
        """
        means = None if self.cost is None else (self.cost.queries, self.cost.rounds)
        return length_words(self.queries, self.rounds, means)

    @cached_property
    def deal(self) -> str:
        """Return what it costs, what you learn and what a watcher learns, in two sentences.

        >>> from feint import Domain, plan
        >>> market = Domain(20, 100, label="price")
        >>> problem = market.problem(within="0.5", delta=5, level=4)
        >>> print(plan(problem, domain=market).deal.split(". ")[1])
        You learn the price to within ±0.5; a watcher gets within ±2.5 at most 1 time in 4.
        """
        return deal(self)

    @cached_property
    def cost(self) -> Cost | None:
        """Return what a search costs on average and as a rule; None if that is not known."""
        masses = None if self.asks_all or self.problem.noisy else self._masses()
        return cost(self.strategy, masses)

    def _masses(self) -> list[Mass] | None:
        """Return the mass below each boundary of each lattice; None: all cells have the same."""
        priors, lines = self.problem.prior, self._lines
        if priors is None and all(each.even for each in lines):
            return None
        laws = priors or (None,) * len(lines)
        return [replace(line, prior=law).mass for line, law in zip(lines, laws, strict=True)]

    @property
    def _lines(self) -> tuple[Line, ...]:
        """Return where the boundaries of each coordinate's lattice lie."""
        return self.scales or tuple(map(Line.of_cells, self.cells))

    @property
    def cells(self) -> tuple[int, ...]:
        """The lattice, one size a coordinate."""
        return self.strategy.cells

    @property
    @deprecated(use="Plan.losses", since="0.2")
    def budget(self) -> Mapping[str, float] | None:
        """The losses, by their name before version 0.2."""
        return self.losses

    @property
    def phases(self) -> tuple[Phase, ...]:
        """What the rounds are for.

        Where each phase takes as long as a run needs, these are the most that it takes in one run.
        """
        if isinstance(self.strategy, Varying) and (stated := self.strategy.phase_limits):
            return tuple(Phase(*each) for each in stated)
        runs = groupby(self.strategy.rounds, key=lambda each: each.phase)
        widths = ((name, [len(each.coordinates) for each in group]) for name, group in runs)
        return tuple(Phase(name, len(each), sum(each)) for name, each in widths)

    @property
    def private(self) -> bool:
        """Whether the promise is what the problem asks for.

        Where no decimals divide the range, questions are rounded, and she may win one part in a
        million more often than 1/L: proofs/rounding.md.
        """
        if self.certificate is None:
            return False
        if self.problem.setting == "deterministic":
            return self.places is not None and self.places >= self.problem.level
        success = self.adversary_success
        return success is not None and keeps(success, self.problem, self.scales)

    @property
    def promised(self) -> Fraction | None:
        """What she wins with, at most, under the law as it was stated: what `private` is about.

        It is `adversary_success` and what reading the law into bins may add to it. None where that
        success is not known. How far samples are from their law nobody knows: they add nothing.
        """
        success = self.adversary_success
        return None if success is None else min(Fraction(1), success + self.problem.distance)

    @property
    def excused(self) -> bool:
        """Whether it is private only up to what rounding to decimals adds: she wins above 1/L."""
        most, worst_case = self.promised, self.problem.setting == "deterministic"
        above = most is not None and most * self.problem.level > 1
        return self.private and above and not worst_case

    @property
    def margin(self) -> Fraction | None:
        """How wrong the prior may be: the promise holds for every law at most this much denser.

        It is about the stated prior, or about a uniform X* where none is stated. None where nothing
        is promised, or where the promise is about the worst case.
        """
        most = self.promised
        if not self.private or not most or self.problem.setting == "deterministic":
            return None
        return max(Fraction(1), 1 / (self.problem.level * most))

    @property
    def stated_success(self) -> float | None:
        """What she wins with, at most, under the law as it was stated, before it was binned.

        None where it is not known: samples do not tell the law that they came from.
        """
        most = self.promised
        if most is None or any(each.distance is None for each in self.problem.prior or ()):
            return None
        return float(most)

    @property
    def condition(self) -> str:
        """Return what the promises need of the answers under noise; otherwise empty."""
        needed = right_by_distance if self.method == MAJORITY else equally_right
        words = [needed(self.problem)] if self.private else []
        words += [averaged(self.problem)] if self.certificate is not None else []
        return " ".join(each for each in words if each)

    @property
    def repeatable(self) -> bool:
        """Whether nothing but the number decides what is asked, so that asking again tells nothing.

        Otherwise a second search for the same number needs the same key; under noise even that
        does not help.
        """
        return repeatable(self.strategy)

    def __str__(self) -> str:
        """The plan in words, with a picture of one search."""
        asked, number = self._search()
        drawn = strip(asked, self._place, width=_WIDTH)
        if not self.problem.noisy:
            drawn = lanes(played(asked, number), number, self._place, width=_WIDTH)
        told = [line for each in self._sentences() for line in wrap(each, _WIDTH)]
        return "\n".join([*told, *([self._caption(), *drawn] if asked else [])])

    def _repr_html_(self) -> str:
        """The same for a notebook."""
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
        """What it is, what was asked for, what it promises, what its rounds are for."""
        wins = self.domain.wins(self.problem)
        often = "" if self.promised is None else f" {chance(self.promised)};"
        assured = f"An eavesdropper wins when she {wins}:{often} nothing is promised"
        if self.private and self.places is not None:
            assured = (
                f"Whatever is overheard, {self.places} places or more stay possible,"
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
        # ASCII, as all that is printed of a plan: a terminal may know no more.
        offer = promise(self).replace("±", "+/- ")
        said = [head, offer, *usual, wanted, f"{assured}.", *needs, *least]
        return [*said, f"Phases{most}: {purposes}."]

    def _search(self) -> tuple[list[list[float]], float]:
        """One search for the first number: its questions round by round, and where the number is.

        Both are shares of the range. Of a plan too long to draw there are no questions.
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
        """Where on the range a boundary of the first number's lattice is shown."""
        if not self.scales:
            return boundary / self.cells[0]
        return float((self.scales[0].at(boundary) - self.domain.low) / self.domain.width)

    def _caption(self) -> str:
        about = "" if len(self.cells) == 1 else f" (the first of {len(self.cells)} numbers)"
        return f"One search, as an example{about}:"

    def _place(self, share: float) -> str:
        """What a place of the range is called; with a step the range ends at the last value."""
        low, width = self.domain.low, self.domain.width
        place = min(low + width * Fraction(share), self.domain.high)
        return rounded(place, width / 1000) if 0 < share < 1 else plain(place)

    def means(self) -> dict[str, float | None]:
        """Return `queries_mean` and `rounds_mean` for JSON, as floats."""
        found = {"queries_mean": self.queries_mean, "rounds_mean": self.rounds_mean}
        return {name: None if mean is None else float(mean) for name, mean in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """The plan for JSON: rationals as strings."""
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
