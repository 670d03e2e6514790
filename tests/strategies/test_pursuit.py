"""One noisy search: the lemma behind its certificate, state by state."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from feint.interfaces import take
from feint.strategies import Pursuit, PursuitState

Weights = list[float]


def walked(search: Pursuit, cells: int, answers: int) -> Iterator[tuple[PursuitState, Weights]]:
    """Every state of the first answers, with its belief worked out from those answers alone."""
    ratio = math.sqrt(float(search.p / (1 - search.p)))
    states = [(search.start(np.array([cells])), [1.0] * cells)]
    for _ in range(answers):
        yield from states
        after = []
        for state, weights in states:
            for side in (0, 1):
                if (float(state.left[0]), 1 - float(state.left[0]))[side] > 0:
                    tossed = search.toss(state, np.array([side]))
                    point = int(search.ask(tossed)[0])
                    for answer in (False, True):
                        agreed = [(cell >= point) == answer for cell in range(cells)]
                        told = [
                            w * (ratio if a else 1) for w, a in zip(weights, agreed, strict=True)
                        ]
                        after.append((search.tell(tossed, np.array([answer])), told))
        states = after


def growth(search: Pursuit, state: PursuitState, weights: Weights, left: float) -> float:
    """The largest E[M after]/M over the true cell, M = (1−μ)/μ, by the left end's chance."""
    p, cell, total = float(search.p), int(state.cell[0]), sum(weights)
    ratio = math.sqrt(p / (1 - p))
    found = 0.0
    for true in range(len(weights)):
        after = 0.0
        for chance, point in ((left, cell), (1 - left, cell + 1)):
            for answer in (False, True):
                told = [w * (ratio if (c >= point) == answer else 1) for c, w in enumerate(weights)]
                likely = p if (true >= point) == answer else 1 - p
                after += chance * likely * (sum(told) / told[true] - 1)
        found = max(found, after / (total / weights[true] - 1))
    return found


@pytest.mark.parametrize("p", ["0.55", "0.7", "0.9", "0.99"])
@pytest.mark.parametrize(("cells", "answers"), [(2, 4), (3, 4), (5, 4), (8, 3), (9, 3)])
def test_every_answer_lowers_the_odds_against_the_true_cell_as_proved(
    cells: int, answers: int, p: str
) -> None:
    """E[M] falls by ρ = ½ + √(p(1−p)) at least, whatever cell is the true one: the lemma of BZ.

    The left end has the chance (μ[0,t) − μ[t,1])/2μ(cell), t the right end.
    """
    search = Pursuit(Fraction(p), "tilted")
    rho = 0.5 + math.sqrt(float(p) * (1 - float(p)))
    for state, weights in walked(search, cells, answers):
        left, cell, half = float(state.left[0]), int(state.cell[0]), sum(weights) / 2
        assert sum(weights[:cell]) <= half * (1 + 1e-9)  # it holds the median
        assert sum(weights[: cell + 1]) >= half * (1 - 1e-9)
        more = sum(weights[: cell + 1]) - sum(weights[cell + 1 :])
        assert left == pytest.approx(more / (2 * weights[cell]), abs=1e-9)
        assert growth(search, state, weights, left) <= rho * (1 + 1e-9)


@pytest.mark.parametrize(("cells", "answers"), [(3, 4), (5, 4), (7, 3), (9, 3)])
def test_another_coin_would_break_the_lemma(cells: int, answers: int) -> None:
    """By one part in a hundred, either way, where answers are good; a fair coin by far more."""
    search = Pursuit(Fraction("0.99"), "tilted")
    rho = 0.5 + math.sqrt(0.99 * 0.01)
    broken = dict.fromkeys(("more", "less", "fair"), 0.0)
    for state, weights in walked(search, cells, answers):
        left = float(state.left[0])
        for name, other in (("more", left + 0.01), ("less", left - 0.01), ("fair", 0.5)):
            if 0 <= other <= 1:
                broken[name] = max(broken[name], growth(search, state, weights, other))
    assert min(broken.values()) > 1.002 * rho
    assert broken["fair"] > 1.05 * rho


@pytest.mark.parametrize("rule", ["tilted", "posterior"])
def test_the_belief_is_that_of_the_answers(rule: str) -> None:
    """The cell that most answers agree with is found, the first of equals."""
    search = Pursuit(Fraction("0.8"), "tilted" if rule == "tilted" else "posterior")
    random = np.random.default_rng(4)
    state = search.start(np.full(200, 7))
    agree = np.zeros((200, 7), int)
    for _ in range(12):
        if search.tossed:
            state = search.toss(state, (random.random(200) >= state.left).astype(np.int64))
        point, answer = search.ask(state), random.random(200) < 0.5
        agree += (np.arange(7) >= point[:, None]) == answer[:, None]
        state = search.tell(state, answer)
        assert (search.found(state) == agree.argmax(axis=1)).all()
    assert (take(state, np.array([3])).cell == state.cell[3]).all()
