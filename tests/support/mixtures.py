"""Define distributions of points and flat blocks, and their exact figures by brute force.

Their distance from any bins is a finite sum, and so is what the best eavesdropper wins with when a
plan is played for every cell and every side of every coin. Nothing of feint's reading, planning or
audit is used.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.support.believed import heard

from feint.planning import Plan

Float = NDArray[np.float64]
LOW, HIGH = 0.0, 16.0
STRETCH = (HIGH - LOW) / 16_000
KINDS = 8


@dataclass(frozen=True)
class Mixture:
    """Points with masses, and blocks with evenly spread mass; the total is one.

    Attributes:
        points: [m] where points lie.
        heavy: [m] their masses.
        blocks: [n, 2] where blocks begin and end.
        masses: [n] their masses.
        one_by_one: Whether the cdf takes one number at a time.
    """

    points: Float
    heavy: Float
    blocks: Float
    masses: Float
    one_by_one: bool = False

    @classmethod
    def of(
        cls,
        points: list[tuple[float, float]],
        blocks: list[tuple[float, float, float]],
        *,
        one_by_one: bool = False,
    ) -> Mixture:
        """Build a mixture of points and blocks with odds, sorted and scaled to one."""
        total = sum(mass for _, mass in points) + sum(mass for *_, mass in blocks)
        dots = np.array(sorted(points), float).reshape(-1, 2)
        flats = np.array(sorted(blocks), float).reshape(-1, 3)
        return cls(dots[:, 0], dots[:, 1] / total, flats[:, :2], flats[:, 2] / total, one_by_one)

    def cdf(self, x: Any) -> Any:
        """Return the share at or below each place."""
        if self.one_by_one and np.ndim(x):
            raise TypeError("one number at a time")
        at = np.asarray(x, float)
        found = self._heap[np.searchsorted(self.points, at, side="right")]
        found = found + np.interp(at, *self._curve)
        return found if at.ndim else float(found)

    @cached_property
    def _heap(self) -> Float:
        return np.concatenate(([0.0], np.cumsum(self.heavy)))

    @cached_property
    def _curve(self) -> tuple[Float, Float]:
        """Where blocks begin and end, and what they hold below."""
        marks = np.unique(np.append(self.blocks, LOW))
        found = np.zeros(len(marks))
        for (low, high), mass in zip(self.blocks, self.masses, strict=True):
            found += mass * np.clip((marks - low) / (high - low), 0, 1)
        return marks, found

    def spread(self, at: Float) -> Float:
        """Return the mass of the blocks alone below each place."""
        return np.interp(at, *self._curve)

    def distance(self, weights: tuple[int, ...], low: float, high: float) -> float:
        """Return the total variation distance from bins of such weights; points count in full."""
        ends = np.linspace(low, high, len(weights) + 1)
        odds = np.array([float(each) for each in weights])
        marks = np.unique(np.concatenate((ends, np.clip(self.blocks.ravel(), low, high))))
        held = np.diff(self.spread(marks))
        binned = np.diff(
            np.interp(marks, ends, np.concatenate(([0.0], np.cumsum(odds / odds.sum()))))
        )
        return float(np.maximum(held - binned, 0).sum() + self.heavy.sum())

    def success(self, plan: Plan) -> float:
        """Return the best eavesdropper's success against a plan, for a number so distributed."""
        size, delta = plan.strategy.cells[0], float(plan.problem.delta * plan.domain.width)
        if plan.scales is None:
            at = np.linspace(float(plan.domain.low), float(plan.domain.high), size + 1)
        else:
            at = np.array([float(plan.scales[0].at(k)) for k in range(size + 1)])
        return sum(self._best(at, rows, delta) for rows in heard(plan.strategy)[0].values())

    def _best(self, at: Float, rows: list[tuple[int, Any]], delta: float) -> float:
        """Return the largest mass of a closed window of length δ, after one transcript."""
        cells = np.array([cell for cell, _ in rows])
        chance = np.zeros(len(at) - 1)
        np.add.at(chance, cells, [float(weight) for _, weight in rows])
        own = np.searchsorted(at, self.points, side="right") - 1  # at a boundary: the answer is yes
        heavy = self.heavy * chance[np.clip(own, 0, len(chance) - 1)]
        marks = np.unique(np.concatenate((at, self.blocks.ravel())))
        inside = np.clip(np.searchsorted(at, marks[:-1], side="right") - 1, 0, len(chance) - 1)
        held = np.diff(self.spread(marks)) * chance[inside]
        heap = np.concatenate(([0.0], np.cumsum(held)))
        places = np.concatenate((marks, self.points[heavy > 0]))
        opens = np.concatenate((places, places - delta))
        even = np.interp(opens + delta, marks, heap) - np.interp(opens, marks, heap)
        dots = np.concatenate(([0.0], np.cumsum(heavy)))
        slack = 1e-9  # a window that ends at a point holds it, whatever floats say
        first = np.searchsorted(self.points, opens - slack)
        last = np.searchsorted(self.points, opens + delta + slack, side="right")
        return float((even + dots[last] - dots[first]).max())


def drawn(seed: int) -> Mixture:
    """Draw a distribution of one of eight kinds on the range that are hard for binning."""
    draw = random.Random(seed)
    kind, span = seed % KINDS, HIGH - LOW
    flat = [(LOW, HIGH, 1.0)]
    share = draw.choice((0.002, 0.01, 0.03, 0.1, 0.5, 3.0, 100.0))
    if kind == 0:  # spikes
        count, wide = draw.randint(1, 30), span * 10 ** draw.uniform(-6, -2)
        starts = [draw.uniform(LOW, HIGH - wide) for _ in range(count)]
        return Mixture.of([], flat + [(a, a + wide, share / count) for a in starts])
    if kind == 1:  # points only, anywhere or at whole multiples
        count = draw.randint(2, 300)
        step = draw.choice((None, STRETCH, 2 * STRETCH, 7 * STRETCH, 0.5, 1 / 3))
        at = {draw.uniform(LOW, HIGH) if step is None else k * step for k in range(count)}
        return Mixture.of([(x, draw.choice((1, draw.random() + 0.1))) for x in at if x <= HIGH], [])
    if kind == 2:  # points on a density
        dots = [(draw.uniform(LOW, HIGH), draw.random() + 0.01) for _ in range(draw.randint(1, 40))]
        total = sum(mass for _, mass in dots)
        return Mixture.of([(x, mass * share / total) for x, mass in dots], flat)
    if kind == 3:  # clusters of 3 to 40 points in neighbouring stretches
        dots, clusters = [], draw.randint(1, 5)
        for _ in range(clusters):
            count, first = draw.randint(3, 40), draw.uniform(LOW, HIGH - 1)
            step = STRETCH * draw.choice((0.2, 0.4, 1.0, 1.6, 0.3, 4.0))
            first = draw.choice((first, round(first / STRETCH) * STRETCH))
            dots += [(first + k * step, share / clusters / count) for k in range(count)]
        return Mixture.of(dots, flat if draw.random() < 0.8 else [(2.0, 3.0, 1.0)])
    if kind == 4:  # a multiple of a step plus something small that is uniform
        step = draw.choice((1.0, 0.5, STRETCH, STRETCH / 3, 0.25, STRETCH * 16, 0.1))
        wide = step * draw.choice((0.5, 0.1, 0.9, 0.01))
        count = min(int(span / step), 2_000)
        own = [(LOW + k * step, LOW + k * step + wide, share / count) for k in range(count)]
        return Mixture.of([], own + (flat if share < 3 else []))
    if kind == 5:  # an uneven histogram
        ends = sorted({LOW, HIGH, *(draw.uniform(LOW, HIGH) for _ in range(draw.randint(1, 60)))})
        pairs = pairwise(ends)
        return Mixture.of([], [(a, b, (b - a) * draw.uniform(0.2, 1)) for a, b in pairs])
    if kind == 6:  # narrow, with or without points
        middle, wide = draw.uniform(4, 12), 10 ** draw.uniform(-3, 0)
        dots = [(middle + wide * draw.random(), share) for _ in range(draw.randint(0, 3))]
        base = (LOW, HIGH, draw.choice((0.5, 9.0)))
        return Mixture.of(dots, [(middle, middle + wide, 1.0), base])
    heights = [math.exp(-(((k - 31.5) / 24) ** 2)) for k in range(64)]
    bell = [(k * span / 64, (k + 1) * span / 64, high) for k, high in enumerate(heights)]
    dots = [(draw.uniform(LOW, HIGH), share / 3) for _ in range(3)] if draw.random() < 0.5 else []
    return Mixture.of(dots, bell, one_by_one=seed % 40 == 7)
