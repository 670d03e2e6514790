"""Compute the best eavesdropper's success under a prior by brute force.

A strategy is played by hand for every cell and every side of every coin; what is overheard is the
places as shown. Her posterior is weighed by the prior, bin by bin, and every window of length δ
that begins or ends where the density changes is tried: one of them is best among all real
positions. Nothing of `feint.branches` or `feint.planning` is used.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from feint.interfaces import Strategy, take
from feint.planning import Plan

Heard = dict[tuple[tuple[int, ...], ...], list[tuple[int, Fraction]]]


def heard(strategy: Strategy) -> tuple[Heard, dict[int, tuple[int, int]]]:
    """Return for every transcript the cells that lead to it, with probabilities, and estimates."""
    found: Heard = defaultdict(list)
    said: dict[int, tuple[int, int]] = {}
    cells = np.arange(strategy.cells[0])
    for cell, weight, words, ends in _played(strategy, cells):
        found[words].append((cell, weight))
        said[cell] = ends
    return found, said


def _played(strategy: Strategy, cells: Any) -> Iterator[tuple[int, Fraction, Any, Any]]:
    state, weight = strategy.start(len(cells)), [Fraction(1)] * len(cells)
    words: list[tuple[tuple[int, ...], ...]] = [()] * len(cells)
    for _ in strategy.rounds:
        while (coin := strategy.coin(state)) is not None:
            rows = [
                (i, j) for i, sides in enumerate(coin.tolist()) for j, w in enumerate(sides) if w
            ]
            own = [Fraction(int(coin[i][j]), int(coin[i].sum())) for i, j in rows]
            index = np.array([i for i, _ in rows])
            state = strategy.toss(take(state, index), np.array([j for _, j in rows]))
            weight = [weight[i] * share for (i, _), share in zip(rows, own, strict=True)]
            words, cells = [words[i] for i, _ in rows], cells[index]
        asked = strategy.ask(state)
        words = [(*before, tuple(row)) for before, row in zip(words, asked.tolist(), strict=True)]
        state = strategy.tell(state, cells[:, None] >= asked)
    said = strategy.estimate(state)
    ends = zip(said.low[:, 0].tolist(), said.high[:, 0].tolist(), strict=True)
    yield from zip(cells.tolist(), weight, words, ends, strict=True)


def brute(plan: Plan) -> tuple[Fraction, Fraction]:
    """Return her exact success and twice the learner's worst error, as shares of the range."""
    strategy, law, domain = plan.strategy, plan.problem.law(), plan.domain
    size = strategy.cells[0]
    if plan.problem.values is not None or plan.scales is None:
        at = [Fraction(k, size) for k in range(size + 1)]
    else:
        scale = plan.scales[0]
        at = [(scale.at(k) - domain.low) / domain.width for k in range(size + 1)]
    found, said = heard(strategy)
    won = Fraction(0)
    for rows in found.values():
        pieces = [(at[cell], at[cell + 1], weight) for cell, weight in rows]
        won += best_window(pieces, law.weights, plan.problem.delta)
    worst = Fraction(0)
    for cell, (low, high) in said.items():
        if at[cell] < at[cell + 1]:
            middle = (at[low] + at[high]) / 2
            worst = max(worst, middle - at[cell], at[cell + 1] - middle)
    return won, 2 * worst


def best_window(
    pieces: list[tuple[Fraction, Fraction, Fraction]], weights: tuple[int, ...], delta: Fraction
) -> Fraction:
    """Return the largest mass of a window of length δ."""
    bins, total = len(weights), sum(weights)
    ends = {end for low, high, _ in pieces for end in (low, high)}
    for low, high, _ in pieces:
        ends |= {
            Fraction(k, bins) for k in range(math.ceil(low * bins), math.floor(high * bins) + 1)
        }
    marks = sorted(ends)
    density = [Fraction(0)] * len(marks)
    for low, high, weight in pieces:
        if low < high:
            first, last = bisect_right(marks, low) - 1, bisect_right(marks, high) - 1
            for k in range(first, last):
                bin_ = min(bins - 1, math.floor(marks[k] * bins))
                density[k] += weight * Fraction(weights[bin_] * bins, total)
    heap = [Fraction(0)]
    for k, (a, b) in enumerate(pairwise(marks)):
        heap.append(heap[-1] + density[k] * (b - a))

    def below(place: Fraction) -> Fraction:
        k = bisect_right(marks, place) - 1
        if k < 0:
            return Fraction(0)
        return heap[-1] if k >= len(marks) - 1 else heap[k] + density[k] * (place - marks[k])

    opens = [*marks, *(mark - delta for mark in marks)]
    return max(below(each + delta) - below(each) for each in opens)


def random_weights(seed: int, bins: int) -> list[int]:
    """Return odds with a peak, flats, stretches without mass, two humps or a heavy tail."""
    draw = random.Random(seed)
    kind = seed % 6
    if kind == 0:
        middle, wide = draw.uniform(0.2, 0.8) * bins, draw.uniform(0.08, 0.3) * bins
        return [1 + int(1000 * math.exp(-(((k - middle) / wide) ** 2))) for k in range(bins)]
    if kind == 1:
        level = [draw.randint(1, 9) for _ in range(4)]
        return [level[4 * k // bins] for k in range(bins)]
    if kind == 2:
        gap = sorted(draw.sample(range(1, bins), 2))
        return [
            0 if gap[0] <= k < gap[1] and gap[1] - gap[0] < bins // 2 else 3 for k in range(bins)
        ]
    if kind == 3:
        humps = draw.uniform(0.1, 0.4) * bins, draw.uniform(0.6, 0.9) * bins
        return [
            5 + int(300 * max(math.exp(-(((k - at) / (0.1 * bins)) ** 2)) for at in humps))
            for k in range(bins)
        ]
    if kind == 4:
        return [1 + int(1000 / (1 + k * draw.uniform(0.9, 1.1)) ** 0.7) for k in range(bins)]
    return [draw.randint(1, 20) for _ in range(bins)]
