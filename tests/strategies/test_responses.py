"""Searches by answers that depend on the distance: their votes, laws and posteriors."""

from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np
import pytest

from feint import Domain
from feint.interfaces import UNASKED, take
from feint.problem import Responses
from feint.strategies import (
    ResponseNoisy,
    ResponseShape,
    ResponseState,
    placed_privacy,
    placed_vote,
)
from feint.testing import check

LOGISTIC = Responses("logistic", (Fraction(1),))
SHAPE = ResponseShape(
    parts=10, repeats=16, kept=5, at_once=6, hide_error=Fraction(21, 100), most=60
)


def search(p: str = "logistic(6)", shape: ResponseShape = SHAPE, size: int = 500) -> ResponseNoisy:
    problem = Domain(0, 100).problem(epsilon=2, delta=10, level=4, confidence="0.9", p=p)
    return ResponseNoisy(problem, size, shape)


def voted(parts: int, repeats: int, scale: float, x: float) -> list[float]:
    """P{k̂ = k}, by all numbers of yeses; X* = x in parts."""
    yes = [1 / (1 + exp(-(x - i) / scale)) for i in range(1, parts)]
    found = [0.0] * parts
    for counts in product(range(repeats + 1), repeat=parts - 1):
        chance = 1.0
        for count, p in zip(counts, yes, strict=True):
            chance *= comb(repeats, count) * p**count * (1 - p) ** (repeats - count)
        score = [0]
        for count in counts:
            score.append(score[-1] + 2 * count - repeats)
        best = [k for k in range(parts) if score[k] == max(score)]
        found[best[0]] += chance / 2
        found[best[-1]] += chance / 2
    return found


@pytest.mark.parametrize(("parts", "repeats", "scale"), [(3, 3, 0.3), (4, 2, 0.6), (2, 5, 2.0)])
def test_votes_are_those_of_every_number_of_yeses(parts: int, repeats: int, scale: float) -> None:
    fine = 4
    vote = placed_vote(LOGISTIC, scale, parts, repeats, fine)
    for part in range(parts):
        for piece in range((2 * parts - 1) * fine):
            u = -(parts - 1) + (piece + 0.5) / fine
            if not 0 <= part + u <= parts:
                assert vote.high[part, piece] == 0
                continue
            assert vote.middle[part, piece] == pytest.approx(
                voted(parts, repeats, scale, part + u)[part], rel=1e-9
            )
            for within in (-0.4999, -0.2, 0.3, 0.4999):
                exact = voted(parts, repeats, scale, part + u + within / fine)[part]
                assert vote.low[part, piece] - 1e-12 <= exact <= vote.high[part, piece] + 1e-12


def test_the_claim_is_the_integral_over_places() -> None:
    """Riemann sums over many places, every window of kept parts, against the upper bound."""
    parts, repeats, kept, scale, fine = 4, 3, 3, 0.4, 200
    votes = np.array([voted(parts, repeats, scale, (i + 0.5) / fine) for i in range(parts * fine)])
    total = 0.0
    for first in range(parts):
        window = [(first + i) % parts for i in range(kept)]
        for u in range(-(parts - 1) * fine, parts * fine):
            at = [u + part * fine for part in window]
            total += max(
                votes[x, part] if 0 <= x < parts * fine else 0.0
                for x, part in zip(at, window, strict=True)
            )
    wanted = total / (parts * fine * kept)
    bound = placed_privacy(LOGISTIC, scale, parts, repeats, kept, 256)
    assert wanted <= bound <= wanted * 1.01
    assert bound > 1 / kept


def test_more_answers_to_the_cut_and_finer_pieces_claim_less() -> None:
    found = [placed_privacy(LOGISTIC, 0.6, 5, m, 5, 64) for m in (1, 3, 9, 33, 99)]
    assert found == sorted(found, reverse=True)
    assert found[-1] > 1 / 5
    fine = [placed_privacy(LOGISTIC, 0.6, 5, 9, 5, each) for each in (4, 16, 64, 256)]
    assert fine == sorted(fine, reverse=True)


@pytest.mark.parametrize("p", ["logistic(6)", "probit(3|12)"])
def test_it_obeys_the_laws(p: str) -> None:
    shape = ResponseShape(parts=4, repeats=2, kept=3, at_once=2, hide_error=Fraction(1, 3), most=6)
    check(search(p, shape, 48))


def played(strategy: ResponseNoisy, runs: int, seed: int) -> tuple[np.ndarray, ResponseState]:
    random, state = np.random.default_rng(seed), strategy.start(runs)
    x = random.integers(strategy.size, size=runs)
    asked = []
    for _ in strategy.rounds:
        weights = strategy.coin(state)
        if weights is not None:
            state = strategy.toss(state, random.integers(weights.shape[1], size=runs))
        points = strategy.ask(state)
        far = (x[:, None] + 0.5 - points) / (0.06 * strategy.size)
        yes = (random.random(points.shape) < 1 / (1 + np.exp(-far))) & (points != UNASKED)
        state = strategy.tell(state, yes)
        asked.append(points)
    return np.concatenate(asked, axis=1), state


def test_one_run_is_the_same_alone_and_in_a_batch() -> None:
    strategy = search("logistic(3|6|12)")
    _, state = played(strategy, 6, 1)
    whole = strategy.estimate(state)
    for run in range(6):
        alone = strategy.estimate(take(state, np.array([run])))
        assert alone.point[0, 0] == whole.point[run, 0]
        log = take(state, np.array([run])).log
        assert (strategy.aims(log, 5) == strategy.aims(state.log, 5)[run]).all()


def test_questions_follow_the_answers_in_one_part_alone() -> None:
    """The cut's answers, and those of all other copies, change nothing but the estimate."""
    strategy = search()
    random, state = np.random.default_rng(2), strategy.start(2)
    state = strategy.toss(state, np.array([3, 3]))
    cut = random.random((1, 144)) < 0.5
    state = strategy.tell(state, np.repeat(cut, 2, axis=0))
    for _ in range(20):
        points = strategy.ask(state)
        assert (points[0] == points[1]).all()
        told = random.random((2, 30)) < 0.5
        own = np.arange(30) % 5 == state.column[0]
        told[1, own] = told[0, own]
        state = strategy.tell(state, told)
    assert (state.log[0] == state.log[1]).all()


def test_a_search_stops_once_it_is_sure_and_stays_silent() -> None:
    strategy = search()
    asked, state = played(strategy, 50, 3)
    hide = asked[:, 144:].reshape(50, -1, 30)
    silent = (hide == UNASKED).all(axis=2)
    assert silent[:, -1].all()
    assert (np.diff(silent.astype(int), axis=1) >= 0).all()
    mass = np.exp((state.log - state.log.max(axis=(1, 2), keepdims=True)) * 2.0**-36).sum(axis=1)
    wide = 10  # epsilon is 10 of 500 cells
    for row in mass / mass.sum(axis=1, keepdims=True):
        best = max(row[i : i + wide].sum() for i in range(len(row) - wide + 1))
        assert best >= 1 - 0.21 - 1e-9


def test_an_estimate_allows_for_a_scale_that_is_not_stated() -> None:
    """Twice as steep a curve than stated: the other parts' answers would pull it aside."""
    strategy, random, runs = search(), np.random.default_rng(8), 60
    x, state = random.integers(500, size=runs), strategy.start(runs)
    for _ in strategy.rounds:
        weights = strategy.coin(state)
        if weights is not None:
            state = strategy.toss(state, random.integers(weights.shape[1], size=runs))
        points = strategy.ask(state)
        far = (x[:, None] + 0.5 - points) / 15  # logistic(3): a cell is a fifth
        yes = (random.random(points.shape) < 1 / (1 + np.exp(-far))) & (points != UNASKED)
        state = strategy.tell(state, yes)
    off = np.abs(strategy.estimate(state).point[:, 0] - x - 0.5)
    assert (off <= 5).mean() >= 0.9


def test_scales_nearby_are_those_said() -> None:
    found = Responses("logistic", (Fraction(3), Fraction(12))).nearby
    assert (found[0], found[-1]) == pytest.approx((1.5, 24))
    ratios = np.array(found[1:]) / np.array(found[:-1])
    assert ratios == pytest.approx(2 ** (1 / 3))
