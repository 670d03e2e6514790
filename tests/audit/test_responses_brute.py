"""Every run of small searches by answers that depend on the distance, one by one.

Brute force drives the strategy alone: probabilities of answers, what she hears, and her best window
are worked out here, from the definition.
"""

from collections.abc import Callable
from fractions import Fraction
from math import erf, exp, sqrt
from typing import Any

import numpy as np
import pytest

from feint import Problem
from feint.audit import noisy_exact
from feint.audit.placed import placed_joint
from feint.strategies import ResponseNoisy, ResponseShape, placed_privacy

CURVES: dict[str, Callable[[float], float]] = {
    "logistic": lambda z: 1 / (1 + exp(-z)),
    "probit": lambda z: (1 + erf(z / sqrt(2))) / 2,
}
SMALL = [
    # kind, scale in cells, parts, cells of a part, m, kept, rounds, at once, window in cells
    ("logistic", 0.5, 3, 4, 2, 3, 2, 1, 4),
    ("logistic", 2.0, 3, 4, 2, 3, 2, 1, 4),
    ("logistic", 1.0, 3, 5, 1, 2, 3, 1, 5),
    ("logistic", 4.0, 4, 3, 1, 4, 2, 1, 3),
    ("probit", 1.0, 3, 4, 3, 2, 2, 1, 3),
    ("probit", 3.0, 2, 6, 2, 2, 2, 2, 6),
    ("probit", 0.7, 4, 4, 1, 2, 3, 1, 2),
]


def made(case: tuple[Any, ...]) -> ResponseNoisy:
    kind, scale, parts, cells, repeats, kept, rounds, at_once, window = case
    size = parts * cells
    p = f"{kind}({Fraction(scale).limit_denominator(100) / size})"
    delta = Fraction(window, size)
    problem = Problem(delta / 4, delta, 2, p=p, confidence="0.5")
    shape = ResponseShape(
        parts=parts,
        repeats=repeats,
        kept=kept,
        at_once=at_once,
        hide_error=Fraction(1, 2),
        most=rounds,
    )
    return ResponseNoisy(problem, size, shape)


def transcripts(case: tuple[Any, ...]) -> dict[tuple[int, ...], np.ndarray]:
    """P(transcript | X* in the middle of each cell)."""
    strategy = made(case)
    curve, scale, size = (
        CURVES[case[0]],
        float(Fraction(case[1]).limit_denominator(100)),
        case[2] * case[3],
    )
    widths = [len(each.coordinates) for each in strategy.rounds]
    columns = sum(widths)
    sides = 2 if case[5] == case[2] else 2 * case[5]
    told = (np.arange(1 << columns)[:, None] >> np.arange(columns)) & 1
    answers = np.repeat(told.astype(bool), sides, axis=0)
    side = np.tile(np.arange(sides), len(told))
    rounds, first = list[np.ndarray](), 0
    state = strategy.start(len(answers))
    for width in widths:
        weights = strategy.coin(state)
        if weights is not None:
            assert weights.shape[1] == sides
            state = strategy.toss(state, side)
        points = strategy.ask(state)
        mine = answers[:, first : first + width] & (points >= 0)
        state, first = strategy.tell(state, mine), first + width
        rounds.append(points)
    asked = np.concatenate(rounds, axis=1)
    heard, index = np.unique(asked, axis=0, return_inverse=True)
    found = np.zeros((len(heard), size))
    yes = np.array(
        [[curve((x + 0.5 - q) / scale) for q in range(-1, size + 1)] for x in range(size)]
    )
    for x in range(size):
        right = yes[x][asked + 1]
        chance = np.where(answers, right, 1 - right)
        # What was not asked has no answer: count it once.
        chance = np.where(asked >= 0, chance, np.where(answers, 0.0, 1.0))
        np.add.at(found[:, x], index.reshape(-1), chance.prod(axis=1) / sides)
    return {tuple(row): each for row, each in zip(heard.tolist(), found, strict=True)}


def caught(masses: np.ndarray, window: int) -> float:
    return max(float(masses[i : i + window].sum()) for i in range(len(masses) - window + 1))


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_nobody_wins_with_more_than_is_claimed(case: tuple[Any, ...]) -> None:
    strategy, found, size = made(case), transcripts(case), case[2] * case[3]
    assert np.allclose(sum(found.values()), 1)
    success = sum(caught(each / size, case[8]) for each in found.values())
    claim = placed_privacy(
        strategy.responses,
        float(strategy.responses.scales[0]) * case[2],
        case[2],
        case[4],
        case[5],
        64,
    )
    assert success <= claim + 1e-12
    assert noisy_exact(strategy).success == pytest.approx(success, abs=1e-9)


@pytest.mark.parametrize("case", SMALL[:5], ids=str)
def test_her_posterior_is_that_of_every_run(case: tuple[Any, ...]) -> None:
    strategy, found = made(case), transcripts(case)
    for heard, masses in list(found.items())[:20]:
        placed = placed_joint(strategy, np.array(heard))
        assert not placed.helped
        assert placed.mass * np.exp(placed.log) == pytest.approx(masses, rel=1e-6, abs=1e-15)
