"""Simulate a client who keeps every broadcast, and count how often she wins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from feint.audit import BestReply
from feint.interfaces import UNASKED
from feint.planning import Plan
from feint.problem import Transcript
from feint.search import prepared

from .data import EPSILON, HIGH, LOW
from .estimators import Estimator, Run


@dataclass(frozen=True)
class Ear:
    """An eavesdropper who knows the method and hears every question.

    Attributes:
        plan: The plan that is followed; None: the geometric update, of which she takes the last
            broadcast.
        best: The best reply to it there is, computed exactly from the plan.
        delta: Within half of this she wins.
    """

    plan: Plan | None
    best: BestReply | None
    delta: int

    @classmethod
    def of(cls, name: str, *, delta: int, level: int) -> Ear:
        """Return the best listener to a method: "feint", "bisection" or "geometric update"."""
        if name not in ("feint", "bisection"):
            return cls(None, None, delta)
        method = "tight" if name == "feint" else name
        plan, _ = prepared(
            low=LOW, high=HIGH, epsilon=EPSILON, delta=delta, level=level, method=method
        )
        return cls(plan, BestReply(plan.strategy), delta)

    def guess(self, run: Run) -> float:
        """Return her guess of the median."""
        if self.plan is None or self.best is None:
            return run.heard[-1][-1]
        cells = self.plan.cells[0]
        points, rounds = list[int](), list[int]()
        for number, each in enumerate(self.plan.strategy.rounds):
            values = np.array(run.heard[number] if number < len(run.heard) else [])
            asked = np.rint((values - LOW) / (HIGH - LOW) * cells).astype(np.int64).tolist()
            # What a round left out, and that the search ended, is heard too.
            points += asked + [UNASKED] * (len(each.coordinates) - len(asked))
            rounds += [number] * len(each.coordinates)
        coordinates = (0,) * len(rounds)
        heard = Transcript(np.array([points]), coordinates, tuple(rounds), self.plan.cells)
        found = self.best.guess(heard, np.random.default_rng())
        return LOW + float(found[0, 0]) * (HIGH - LOW) / cells


def wins(ear: Ear, method: Estimator, *, runs: int, seed: int) -> int:
    """Count the runs in which she comes within delta/2 of the median, which is uniform.

    Five clients hold numbers around it, as far as 60 away.
    """
    random, won = np.random.default_rng(seed), 0
    for true in random.uniform(LOW, HIGH, runs):
        run = method([float(each) for each in true + np.linspace(-60, 60, 5)])
        won += abs(ear.guess(run) - true) <= ear.delta / 2
    return won
