"""Define broken searches under noise that an audit must reject, each with a forbidden rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import doubt
from feint.branches import Right
from feint.interfaces import UNASKED, Round, Strategy, take
from feint.problem import Problem
from feint.strategies import Int, Scalar, SequentialNoisy, SequentialShape, SequentialState

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class NoisySpecimen:
    """A strategy under noise that does not keep its promise, beside one that does.

    Attributes:
        mistake: The mistake, in one sentence.
        strategy: The strategy.
        sound: The strategy without the mistake, which stays within 1/L.
        right: The true probability that answers are right; None: always p.
    """

    mistake: str
    strategy: Strategy
    sound: Strategy
    right: Right | None = None


class StopsOnDecoys(SequentialNoisy):
    """A search that stops hiding when all answers, also about decoys, make one cell certain."""

    def is_found(self, state: SequentialState, rows: Int) -> Bool:
        """Judge by the posterior that the estimate uses."""
        edges, density = self.belief(take(state, rows))
        mass = np.diff(edges) * density
        top = np.where(mass > 0, density, 0.0).max(axis=1)
        sure: Bool = top >= (1 - float(self.shape.hide_error)) * mass.sum(axis=1)
        return sure

    def summary(self, state: SequentialState) -> Int:
        """Return every answer, since each decides how a run goes on."""
        heard = [np.concatenate(each, axis=1) for each in state.heard]
        return np.concatenate((super().summary(state), state.yes, *heard), axis=1)


class StopsOnConfidence(SequentialNoisy):
    """A search that stops hiding when part and cell together are sure: P(k̂)·P(cell) ≥ 1 − e₃."""

    def is_found(self, state: SequentialState, rows: Int) -> Bool:
        """Judge by the confidence in the part too."""
        odds = float(self.p / (1 - self.p))
        steps = np.cumsum(2 * state.yes[rows] - self.shape.repeats, axis=1)
        score = np.pad(steps, ((0, 0), (1, 0))).astype(float)
        weight = odds ** (score - score.max(axis=1, keepdims=True))
        part = weight[np.arange(len(rows)), state.part[rows]] / weight.sum(axis=1)
        cell = 1 - doubt(take(state.belief, rows), odds)
        sure: Bool = part * cell >= 1 - float(self.shape.hide_error)
        return sure

    def summary(self, state: SequentialState) -> Int:
        """Return the usual summary and the answers of the cut, which decide how a run goes on."""
        return np.concatenate((super().summary(state), state.yes, state.part[:, None]), axis=1)


_CELLS, _PARTS, _HIDES = 4, 3, 2
"""The numbers of cells of a part, of parts, and of questions in every part, if the cut is early."""


def _majorities(*, early: bool) -> Scalar:
    """Cut by majorities of three, all parts kept, then bisect the part that was found.

    Args:
        early: Whether a boundary is not asked about again once two answers to it agree.
    """

    def ask(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
        yes, asked = [0] * (_PARTS - 1), [0] * (_PARTS - 1)
        for number, told in enumerate(answers):
            if not any(open_ := _open(yes, asked, early=early)):
                return _hidden(yes, coins[0], answers[number:])
            for boundary, goes_on in enumerate(open_):
                yes[boundary] += told[boundary] and goes_on
                asked[boundary] += goes_on
        if not any(open_ := _open(yes, asked, early=early)):
            return _hidden(yes, coins[0], ())
        points = [(number + 1) * _CELLS if each else UNASKED for number, each in enumerate(open_)]
        return [*points, UNASKED]

    problem = Problem("1/24", "1/6", _PARTS, p="0.9", confidence="0.6")
    rounds = (Round("cut", (0,) * _PARTS),) * 3 + (Round("hide", (0,) * _PARTS),) * _HIDES
    return Scalar(problem, _CELLS * _PARTS, rounds, ask, sides=(2,))


def _open(yes: list[int], asked: list[int], *, early: bool) -> list[bool]:
    """Return True for the boundaries that are asked about again."""
    return [
        many < 3 and not (early and many == 2 and said != 1)
        for said, many in zip(yes, asked, strict=True)
    ]


def _hidden(yes: list[int], last: int, answers: tuple[tuple[bool, ...], ...]) -> list[int]:
    """Bisect the part that most decisions agree with, at the same place in every part."""
    above = [each >= 2 for each in yes]
    score = [sum(above[:part]) - sum(above[part:]) for part in range(_PARTS)]
    best = [part for part in range(_PARTS) if score[part] == max(score)]
    part, low, high = best[-1 if last else 0], 0, _CELLS
    for told in answers:
        middle = (low + high) // 2
        low, high = (middle, high) if told[part] else (low, middle)
    if len(answers) == _HIDES:
        return [UNASKED] * _PARTS
    return [each * _CELLS + (low + high) // 2 for each in range(_PARTS)]


def _worse_nearby(points: Int, cells: Int) -> NDArray[np.float64]:
    """Return .55 for the two boundaries of X*'s own part, .9 for all others."""
    beside = (points // _CELLS - cells // _CELLS >= 0) & (points // _CELLS - cells // _CELLS <= 1)
    inner = (points % _CELLS == 0) & (points > 0) & (points < _CELLS * _PARTS)
    return np.where(beside & inner, 0.55, 0.9)


def _worse_at_half(points: Int, cells: Int) -> NDArray[np.float64]:
    """Return a logistic function of the distance at the boundary of the two blocks, 1 elsewhere."""
    near = 1 / (1 + np.exp(-2 * np.abs(cells + 0.5 - points)))
    return np.where(points == 4, near, 1.0)


def _logistic(points: Int, cells: Int) -> NDArray[np.float64]:
    """Return a logistic function, of scale half a cell, of the distance from X*'s middle."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-2 * np.abs(cells + 0.5 - points)))
    return found


def _specimens() -> dict[str, NoisySpecimen]:
    decoys = SequentialShape(
        parts=3, repeats=1, kept=2, hide_error=Fraction("0.2"), hide_cap=(4, 0)
    )
    confident = SequentialShape(
        parts=3, repeats=1, kept=3, hide_error=Fraction("0.2"), hide_cap=(8, 0)
    )
    halves = Problem("1/32", "1/8", 4, p="0.9", confidence="0.6")
    walked = SequentialShape(
        blocks=2, narrow_error=Fraction("0.02"), narrow_cap=(20, 0), parts=4, repeats=1, kept=4
    )
    never = Fraction(1, 10**9)  # five answers never make this certain, so there are always five
    two = Problem("1/24", "1/6", 2, p="0.9", confidence="0.6")
    wide = Problem("1/12", "1/3", 2, p="0.9", confidence="0.6")
    return {
        "stops on decoys": NoisySpecimen(
            "it stops when all answers are sure, and the decoys' tell where the part is",
            StopsOnDecoys(two, 12, decoys),
            SequentialNoisy(two, 12, decoys),
        ),
        "stops on confidence": NoisySpecimen(
            "it stops when part and cell are sure together, and how sure a part is tells which",
            StopsOnConfidence(wide, 6, confident),
            SequentialNoisy(wide, 6, confident),
        ),
        "cut stops early": NoisySpecimen(
            "its cut asks on about boundaries where answers differ, as they do near X*",
            _majorities(early=True),
            _majorities(early=False),
            _worse_nearby,
        ),
        "cut asks on": NoisySpecimen(
            "its cut asks more customers about prices near X*, where they do not agree",
            _majorities(early=True),
            _majorities(early=False),
            _logistic,
        ),
        "narrows adaptively": NoisySpecimen(
            "it narrows for longer if X* is near the middle, where answers are worse",
            SequentialNoisy(halves, 8, walked),
            SequentialNoisy(halves, 8, replace(walked, narrow_error=never, narrow_cap=(5, 0))),
            _worse_at_half,
        ),
    }


NOISY_SPECIMENS: Mapping[str, NoisySpecimen] = MappingProxyType(_specimens())
"""Every specimen under noise by name."""
