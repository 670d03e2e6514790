"""Try every answer and coin of noisy strategies, also with answers worse than promised."""

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint import Problem
from feint.beliefs import best_window
from feint.interfaces import take
from feint.planning.noisy.claims import Division, Member, claimed
from feint.strategies import StagedNoisy

Float = NDArray[np.float64]


def claims(problem: Problem, member: Member, first: float = 0.0, third: float = 0.0) -> Member:
    """Return a member with its claims, given bounds on the misses of its two searches."""
    return claimed(Division.of(problem, member), member.shape, first, third)


def brute(strategy: StagedNoisy, truth: float | None = None) -> dict[tuple[int, ...], Float]:
    """Return P(q | X) for every transcript and cell, by trying all answers and coins.

    `truth` is how often answers are right, if not as often as promised.
    """
    p = float(strategy.p) if truth is None else truth
    cells = np.arange(strategy.size)
    heard, chance = np.empty((1, 0), np.int64), np.ones((1, strategy.size))
    state = strategy.start(1)
    for round_ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            index, side = np.nonzero(weights)
            share = weights[index, side] / weights.sum(axis=1)[index]
            heard, chance = heard[index], chance[index] * share[:, None]
            state = strategy.toss(take(state, index), side)
        asked = strategy.ask(state)
        width = len(round_.coordinates)
        patterns = np.array(list(product((False, True), repeat=width)))
        index = np.repeat(np.arange(len(heard)), len(patterns))
        answers = np.tile(patterns, (len(heard), 1))
        right = np.zeros((len(index), strategy.size), np.int64)
        for column in range(width):
            above = cells >= asked[index, column][:, None]
            right += above == answers[:, column][:, None]
        chance = chance[index] * p**right * (1 - p) ** (width - right)
        heard = np.concatenate([heard[index], asked[index]], axis=1)
        state = strategy.tell(take(state, index), answers)
    found: dict[tuple[int, ...], Float] = defaultdict(lambda: np.zeros(strategy.size))
    for transcript, each in zip(map(tuple, heard.tolist()), chance, strict=True):
        found[transcript] += each
    return found


def caught(strategy: StagedNoisy, mass: Float) -> float:
    edges = np.arange(strategy.size + 1)[None]
    length = strategy.problem.delta * strategy.size
    return float(best_window(edges, mass[None], length)[1][0])


class Promised:
    """A strategy whose answers are worse, or better, than it assumes."""

    def __init__(self, inner: Any, truth: Problem) -> None:
        self.inner, self.problem = inner, truth

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def missed(cells: int, most: int, odds: int) -> list[float]:
    """Return P{miss} of the posterior rule after 0, 1, … answers for p = odds/(odds + 1).

    It asks about the end of the median's cell that is nearer to the median, the right one of
    equals, but never about an end of everything. Scores count from the worst cell's.
    """
    p, found = odds / (odds + 1), list[float]()
    states = {(0,) * cells: [1.0] * cells}
    for _ in range(most + 1):
        hit = sum(chances[score.index(max(score))] for score, chances in states.items())
        found.append(1 - hit / cells)
        after: dict[tuple[int, ...], list[float]] = {}
        for score, chances in states.items():
            mass = [odds**each for each in score]
            below = cell = 0
            while 2 * (below + mass[cell]) <= sum(mass):
                below, cell = below + mass[cell], cell + 1
            nearer = sum(mass) - 2 * below < 2 * (below + mass[cell]) - sum(mass)
            point = cell if cell > 0 and (nearer or cell == cells - 1) else cell + 1
            for answer in (False, True):
                right = [(each >= point) == answer for each in range(cells)]
                gained = [n + agrees for n, agrees in zip(score, right, strict=True)]
                here = after.setdefault(tuple(n - min(gained) for n in gained), [0.0] * cells)
                for each, agrees in enumerate(right):
                    here[each] += chances[each] * (p if agrees else 1 - p)
        states = after
    return found
