"""Search without hiding under two nearly unknown rates of failed checks.

The ends of the history may be checked again, since they show how often such commits fail. Both
rates have a Beta(½, ½) belief, truncated at their bounds and so that a bad commit does not fail
less often than a good one. The belief is integrated at equally likely nodes. The search asks the
most informative question at the mean rates, and stops when one cell has the required posterior
probability. So it is right with that probability on average over the belief (proofs/rates.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.interfaces import (
    UNASKED,
    Answers,
    Estimate,
    Points,
    Round,
    Sides,
    Sureness,
    Weights,
)
from feint.problem import Problem, Rate, Rates
from feint.strategies.cuts import Int
from feint.strategies.rates import entropy
from feint.strategies.stages import best_estimate

Float = NDArray[np.float64]
_NODES = 16  # nodes per rate: a search has too few checks to distinguish more
_LONGEST = 1000  # the most checks: people could not distinguish rates that need more either


class UnknownRatesState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        points: [runs, room] the boundaries that were asked about, in order, including both ends
            of the history; then size + 1.
        checks: [runs, room, 2] the number of failed checks there, and that of passed ones.
        point: [runs] the boundary that is asked about next; `UNASKED` once a run is sure.
        density: [runs, room + 1] the posterior between the boundaries, relative to its top.
        doubt: [runs] the probability that the likeliest cell is wrong.
    """

    round: int
    points: Int
    checks: Int
    point: Int
    density: Float
    doubt: Float


@dataclass(frozen=True)
class UnknownRates:
    """A sequential search under unknown rates.

    Attributes:
        problem: The problem to solve; its noise is `Rates`, and it has a confidence.
        size: The number of cells.
    """

    problem: Problem
    size: int

    def __post_init__(self) -> None:
        """Check that there are rates and a confidence.

        Raises:
            InvalidValue: The rates or the confidence are missing.
        """
        if not isinstance(self.problem.noise, Rates) or self.problem.confidence is None:
            rule = "this search needs two rates and a confidence"
            raise InvalidValue("p", self.problem.noise, rule, "give p as Rates.of(...)")

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the most rounds there can be, of one check each."""
        return (Round("narrow", (0,)),) * _LONGEST

    def start(self, runs: int) -> UnknownRatesState:
        """Return the state before the first round."""
        points, checks = np.zeros((runs, 0), np.int64), np.zeros((runs, 0, 2), np.int64)
        first, doubt = np.zeros(runs, np.int64), np.ones(runs)
        state = UnknownRatesState(0, points, checks, first, np.ones((runs, 1)), doubt)
        return self._aimed(state)

    def coin(self, state: UnknownRatesState) -> Weights | None:
        """Return None, since there is nothing to hide."""
        return None

    def toss(self, state: UnknownRatesState, side: Sides) -> UnknownRatesState:
        """Raise an error, since there is no coin."""
        raise RuntimeError("there is no coin to toss")

    def ask(self, state: UnknownRatesState) -> Points:
        """Return the boundary about which a check is the most informative."""
        return state.point[:, None]

    def tell(self, state: UnknownRatesState, answers: Answers) -> UnknownRatesState:
        """Return the state after the verdicts."""
        put = state.point != UNASKED
        same = state.points == state.point[:, None]
        is_new = put & ~same.any(axis=1)
        verdict = (put[:, None] & np.column_stack((~answers[:, 0], answers[:, 0]))).astype(np.int64)
        checks = state.checks + same[..., None] * verdict[:, None, :]
        points = state.points
        if is_new.any():
            points = np.column_stack((points, np.where(is_new, state.point, self.size + 1)))
            more = np.where(is_new[:, None], verdict, 0)
            checks = np.concatenate((checks, more[:, None, :]), axis=1)
            order = np.argsort(points, axis=1, kind="stable")
            points = np.take_along_axis(points, order, axis=1)
            checks = np.take_along_axis(checks, order[..., None], axis=1)
            room = int((points <= self.size).sum(axis=1).max())
            points, checks = points[:, :room], checks[:, :room]
        state = state._replace(round=state.round + 1, points=points, checks=checks)
        return self._aimed(state)

    def estimate(self, state: UnknownRatesState) -> Estimate:
        """Return the likeliest cell."""
        return best_estimate(self.problem, self.size, self._edges(state.points), state.density)

    def sureness(self, state: UnknownRatesState) -> tuple[Sureness | None, ...]:
        """Return the sureness of the first run's cell.

        Args:
            state: The state of the runs.
        """
        return (Sureness("narrow", 1 - float(state.doubt[0]), 1 - self._error),)

    @property
    def _error(self) -> float:
        sure = self.problem.confidence
        return 1.0 if sure is None else float(1 - sure)

    @cached_property
    def _pairs(self) -> tuple[Float, Float]:
        """Return the pairs of rates, [pairs] each; all are equally likely a priori."""
        rates = self.problem.noise
        if not isinstance(rates, Rates):
            raise RuntimeError("there are no rates")
        good, bad = np.meshgrid(nodes(rates.good), nodes(rates.bad), indexing="ij")
        held = bad > good
        return good[held], bad[held]

    def _edges(self, points: Int) -> Int:
        zero, end = np.zeros((len(points), 1), np.int64), np.full((len(points), 1), self.size)
        return np.concatenate((zero, np.minimum(points, end), end), axis=1)

    def _aimed(self, state: UnknownRatesState) -> UnknownRatesState:
        """Return the state with the posterior after all verdicts and the next question."""
        rows = np.flatnonzero(state.point != UNASKED)
        if not len(rows):
            return state
        edges = self._edges(state.points[rows])
        density, means = self._posterior(edges, state.checks[rows])
        mass = density * np.diff(edges, axis=1)
        total = mass.sum(axis=1)
        doubt = state.doubt.copy()
        doubt[rows] = (total - 1) / total
        held = np.zeros((len(state.points), density.shape[1]))
        held[:, : state.density.shape[1]] = state.density[:, : held.shape[1]]
        held[rows] = density
        going = (doubt[rows] > self._error) & (state.round < _LONGEST)
        point = np.full(len(doubt), UNASKED, np.int64)
        shares = (density / total[:, None])[going]
        found = _telling(edges[going], shares, *means[:, going])
        point[rows[going]] = found
        return state._replace(point=point, density=held, doubt=doubt)

    def _posterior(self, edges: Int, checks: Int) -> tuple[Float, Float]:
        """Return densities relative to the largest, and [2, runs, pieces] the mean rates."""
        from scipy.special import xlog1py, xlogy

        good, bad = self._pairs
        # A cell at or above a boundary has all checks at lower ones on its good side.
        none = np.zeros((len(checks), 1, 2), np.int64)
        below = np.concatenate((none, checks.cumsum(axis=1)), axis=1)
        above = below[:, -1:] - below
        above[..., 0] += 1  # the bad end of the history failed
        below[..., 1] += 1  # the good end of the history passed
        logs = xlogy(below[..., :1], good) + xlog1py(below[..., 1:], -good)
        logs += xlogy(above[..., :1], bad) + xlog1py(above[..., 1:], -bad)
        cells = np.diff(edges, axis=1)
        logs[cells == 0] = -np.inf
        chances = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
        density = chances.sum(axis=2)
        most = density.max(axis=1)
        # Pieces without mass have no rates, so any rates will do.
        held = density.clip(1e-300)
        means = np.stack([(chances * each).sum(axis=2) / held for each in (good, bad)])
        return density / most[:, None], means


def nodes(rate: Rate) -> Float:
    """Return equally likely values of a rate under a truncated Beta(½, ½) belief.

    >>> nodes(Rate.of("0.25", "bad_fails")).tolist()
    [0.25]
    """
    if rate.is_known:
        return np.array([float(rate.low)])
    low, high = (2 / np.pi * np.arcsin(np.sqrt(float(end))) for end in (rate.low, rate.high))
    marks = low + (high - low) * (np.arange(_NODES) + 0.5) / _NODES
    found: Float = np.sin(np.pi / 2 * marks) ** 2
    return found


def _telling(edges: Int, density: Float, good: Float, bad: Float) -> Int:
    """Return the boundary about which a check is the most informative, one per run.

    Args:
        edges: [runs, pieces + 1] the ends of the pieces.
        density: [runs, pieces] the posterior, whose mass is 1.
        good: [runs, pieces] the mean rate of good commits, if X* lies in a piece.
        bad: [runs, pieces] the mean rate of bad commits.
    """
    size, mass = np.diff(edges, axis=1), density * np.diff(edges, axis=1)
    noise = entropy(good), entropy(bad)
    # At an end of a piece: the probability that the check fails, and its entropy given X*.
    fails = _split(mass * bad, mass * good)
    left = _split(mass * noise[1], mass * noise[0])
    # Inside a piece both are linear, so the information is concave. It is largest where it stops
    # rising.
    rise, more = (bad - good) * density, (noise[1] - noise[0]) * density
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wanted = 1 / (1 + np.exp2(more / rise))
        place = np.nan_to_num((wanted - fails[:, :-1]) / rise)
    place = np.floor(np.clip(place, 0, size))
    told, points = list[Float](), list[Int]()
    for step in (0, 1):
        here = np.minimum(place + step, size)
        points.append(edges[:, :-1] + here.astype(np.int64))
        chance = fails[:, :-1] + here * rise
        found = entropy(chance) - left[:, :-1] - here * more
        told.append(found)
    best = np.concatenate(told, axis=1).argmax(axis=1)
    chosen: Int = np.concatenate(points, axis=1)[np.arange(len(best)), best]
    return chosen


def _split(below: Float, above: Float) -> Float:
    """Return at every end of pieces the sum of one over the pieces below and the other above."""
    zero = np.zeros((len(below), 1))
    under = np.concatenate((zero, np.cumsum(below, axis=1)), axis=1)
    over = np.concatenate((zero, np.cumsum(above, axis=1)), axis=1)
    return under + over[:, -1:] - over
