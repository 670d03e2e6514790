"""The plan: a strategy, what it costs, and what an eavesdropper can do against it at best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal

from feint.branches import shown_success
from feint.branches import success as enumerate_success
from feint.errors import TooLarge
from feint.exact import text
from feint.interfaces import Strategy, strategy_of
from feint.planning.ticks import rounding
from feint.problem import UNIT, Domain, Problem, Scale, domain_of
from feint.stability import deprecated

Certificate = Literal["theorem", "exact", "calibrated"]
_ENUMERATED = 1 << 14  # branches that are cheap enough to enumerate for every plan


@dataclass(frozen=True)
class Phase:
    """Neighbouring rounds that serve one purpose.

    Attributes:
        name: The purpose.
        rounds: How many rounds.
        queries: How many queries in all of them.
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
        adversary_success: What the best eavesdropper wins with when X* is uniform, at most; None
            where it is not known.
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
    scales: tuple[Scale, ...] | None = None

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
        inner = strategy_of(strategy)
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
        """How many questions it asks."""
        return sum(len(each.coordinates) for each in self.strategy.rounds)

    @property
    def rounds(self) -> int:
        """How many rounds it takes."""
        return len(self.strategy.rounds)

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
        """What the rounds are for."""
        runs = groupby(self.strategy.rounds, key=lambda each: each.phase)
        widths = ((name, [len(each.coordinates) for each in group]) for name, group in runs)
        return tuple(Phase(name, len(each), sum(each)) for name, each in widths)

    @property
    def private(self) -> bool:
        """Whether the promise is what the problem asks for."""
        if self.certificate is None:
            return False
        if self.problem.setting == "deterministic":
            return self.places is not None and self.places >= self.problem.level
        success = self.adversary_success
        return success is not None and success * self.problem.level <= 1 + rounding(self.scales)

    def to_dict(self) -> dict[str, Any]:
        """The plan for JSON: rationals as strings."""
        success = self.adversary_success
        return {
            "method": self.method,
            "queries": self.queries,
            "rounds": self.rounds,
            "phases": [
                {"phase": each.name, "rounds": each.rounds, "queries": each.queries}
                for each in self.phases
            ],
            "cells": list(self.cells),
            "certificate": self.certificate,
            "adversary_success": None if success is None else text(success),
            "places": self.places,
            "private": self.private,
            "losses": None if self.losses is None else dict(self.losses),
            "ticks": None
            if self.scales is None
            else [None if each.unit is None else text(each.unit) for each in self.scales],
        }


def enumerated(strategy: Strategy, scale: Scale | None = None) -> Fraction | None:
    """What the best eavesdropper wins with when X* is uniform, if it is quick to enumerate.

    Args:
        strategy: A noiseless strategy.
        scale: Where its questions are shown; None: where they fall.

    Returns:
        Her exact success, or None where there are too many branches.
    """
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    if max(strategy.cells) * queries > _ENUMERATED << 8:
        return None
    try:
        if scale is None:
            return enumerate_success(strategy, limit=_ENUMERATED)
        delta = strategy.problem.delta * (scale.at(scale.size) - scale.at(0))
        return shown_success(strategy, scale, delta, limit=_ENUMERATED)
    except TooLarge:
        return None
