"""Strategies at their ends: nothing to ask, nothing to toss, answers that are all the same."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from tests.support.strategies import staged_noisy

from feint import InvalidValue, Problem
from feint.branches import success
from feint.interfaces import UNASKED, Round, Strategy
from feint.simulate import play
from feint.strategies import (
    Pursuit,
    Scalar,
    astray,
    law,
    vote,
)
from feint.strategies.retired import (
    Padded,
    Tabular,
)
from feint.strategies.retired.tabular import History

FOUR = Problem("1/4", "1/4", 2, values=4)


@pytest.mark.parametrize("repeats", [20_001, 40_000])
def test_long_votes_lose_no_less_than_the_truth(repeats: int) -> None:
    """What a transform may be off by, some 1e-15, is added a hundred times over; but not much more.

    Of two parts the true one loses if most answers are wrong, or by a coin if half are.
    """
    p = 0.51
    tied = binom.pmf(repeats // 2, repeats, p) / 2 if repeats % 2 == 0 else 0.0
    truth = float(binom.cdf((repeats - 1) // 2, repeats, p) + tied)
    found = vote(2, repeats, p)
    for claimed in (found.lost, found.error, found.worst, astray(2, repeats, p) / 2):
        assert truth + 1e-13 <= claimed <= truth + 1e-11


@pytest.mark.parametrize("repeats", [5, 8, 101])
def test_short_votes_are_added_up_and_need_nothing_more(repeats: int) -> None:
    tied = binom.pmf(repeats // 2, repeats, 0.6) / 2 if repeats % 2 == 0 else 0.0
    truth = float(binom.cdf((repeats - 1) // 2, repeats, 0.6) + tied)
    found = vote(2, repeats, 0.6)
    for claimed in (found.lost, found.error, found.worst, astray(2, repeats, 0.6) / 2):
        assert claimed == pytest.approx(truth, rel=1e-12, abs=0)


def test_a_vote_of_one_part() -> None:
    found = vote(1, 3, 0.9)
    assert (found.lost, found.error, found.worst) == (0, 0, 0)
    assert law(1, 3, 0.9).tolist() == [[1.0]]
    assert astray(1, 3, 0.9) == 0


@pytest.mark.parametrize("sides", [(), (0, 0), (1, 1), (1,)])
def test_a_coin_of_one_side_is_no_coin(sides: tuple[int, ...]) -> None:
    """Nor is there one after the last round; and the function sees none."""
    seen = set[tuple[int, ...]]()

    def both(answers: Any, coins: tuple[int, ...]) -> list[int]:
        seen.add(coins)
        return [1 + len(answers)]

    strategy = Scalar(FOUR, 4, (Round("ask", (0,)),) * 2, both, sides=sides)
    state = strategy.start(3)
    for _ in range(2):
        assert strategy.coin(state) is None
        state = strategy.tell(state, np.ones((3, 1), bool))
    assert strategy.coin(state) is None
    assert seen == {()}


def test_a_coin_is_tossed_before_the_rounds_that_have_one() -> None:
    """Three sides before the second round alone, each as likely, and once."""
    strategy = Scalar(FOUR, 4, (Round("ask", (0,)),) * 2, lambda _, __: [2], sides=(1, 3))
    state = strategy.start(2)
    assert strategy.coin(state) is None
    state = strategy.tell(state, np.ones((2, 1), bool))
    weights = strategy.coin(state)
    assert weights is not None
    assert weights.tolist() == [[1, 1, 1]] * 2
    state = strategy.toss(state, np.array([0, 2]))
    assert strategy.coin(state) is None
    assert state.coins.tolist() == [[0], [2]]


@pytest.mark.parametrize("point", [-3, -2, 5, 6])
def test_a_point_off_the_lattice_is_refused(point: int) -> None:
    strategy = Scalar(FOUR, 4, (Round("ask", (0, 0)),), lambda _, __: [1, point])
    with pytest.raises(InvalidValue, match=r"= \[1, -?\d\]: must return boundaries .*, 0 to 4"):
        strategy.ask(strategy.start(1))


@pytest.mark.parametrize("point", [0, 4, UNASKED])
def test_the_ends_of_the_lattice_may_be_asked(point: int) -> None:
    strategy = Scalar(FOUR, 4, (Round("ask", (0,)),), lambda _, __: [point])
    assert strategy.ask(strategy.start(2)).tolist() == [[point]] * 2


def test_who_asks_nothing_knows_nothing() -> None:
    """Of four cells a window of one catches a fourth; the estimate is everything."""
    nothing: tuple[Strategy, ...] = (
        Scalar(FOUR, 4, (), lambda _, __: []),
        Tabular.from_histories(FOUR, 4, 0, {}),
        Padded(Tabular(FOUR, 4, 0, ())),
    )
    for strategy in nothing:
        assert len(strategy.rounds) == 0
        assert success(strategy) == Fraction(1, 4)
        state = strategy.start(2)
        assert strategy.coin(state) is None
        found = strategy.estimate(state)
        assert (found.low.tolist(), found.high.tolist()) == ([[0]] * 2, [[4]] * 2)


def test_a_table_that_leads_back_to_itself_ends_after_its_queries() -> None:
    """Every answer leads to the one node there is; a choice of no weight is never made."""
    nodes: Any = [[[[2, 5], [1, 0]], [[0, 0], [0, 0]]]]
    strategy = Tabular(FOUR, 4, 3, nodes)
    assert success(strategy) == Fraction(1, 4)
    state = strategy.start(1)
    for _ in range(3):
        weights = strategy.coin(state)
        assert weights is not None
        assert weights.tolist() == [[5, 0]]
        state = strategy.toss(state, np.zeros(1, np.int64))
        assert strategy.coin(state) is None
        state = strategy.tell(state, np.ones((1, 1), bool))
    assert strategy.coin(state) is None


def test_what_is_known_is_not_forgotten_where_less_is_asked() -> None:
    """2 and then 1, both yes, or 2 and then 3, both no: the nearer bound stands."""
    table: dict[History, list[tuple[int, int]]] = {
        (): [(2, 1)],
        ((2, True),): [(1, 1)],
        ((2, False),): [(3, 1)],
    }
    strategy = Tabular.from_histories(FOUR, 4, 2, table)
    state = strategy.start(2)
    for _ in range(2):
        state = strategy.toss(state, np.zeros(2, np.int64))
        state = strategy.tell(state, np.array([[True], [False]]))
    found = strategy.estimate(state)
    assert (found.low[:, 0].tolist(), found.high[:, 0].tolist()) == ([2, 0], [4, 2])


@pytest.mark.parametrize("confidence", ["0.5", "0.999999", None])
@pytest.mark.parametrize("shape", [(1, 0, 1, 0, 1, 60), (3, 20, 2, 9, 2, 30), (1, 0, 3, 9, 2, 0)])
@pytest.mark.parametrize("answer", [False, True])
def test_where_all_answers_are_the_same_the_estimate_lies_at_that_end(
    answer: bool, shape: tuple[int, ...], confidence: str | None
) -> None:
    """Within the range, within its interval, and the interval is a cell at least."""
    problem = Problem("1/24", "1/6", 2, p="0.9", confidence=confidence)
    strategy = staged_noisy(problem, 24, *shape, ("posterior", "posterior"))
    state = strategy.start(1)
    for round_ in strategy.rounds:
        while strategy.coin(state) is not None:
            state = strategy.toss(state, np.zeros(1, np.int64))
        state = strategy.tell(state, np.full((1, len(round_.coordinates)), answer))
    found = strategy.estimate(state)
    low, high, point = (float(each[0, 0]) for each in (found.low, found.high, found.point))
    assert 0 <= low < high <= 24
    assert low <= point <= high
    assert (point > 12) is answer
    if shape[-1] == 60:  # so many answers leave no doubt
        assert (low, high) == ((23, 24) if answer else (0, 1))


@pytest.mark.parametrize("shape", [(1, 0, 1, 0, 1, 5), (4, 3, 3, 2, 2, 4), (1, 0, 4, 1, 4, 2)])
def test_an_interval_that_is_hardly_sure_still_reaches_to_the_estimate(
    shape: tuple[int, ...],
) -> None:
    """One chance in two lies about the median; the likeliest window may lie on either side."""
    problem = Problem("1/20", "1/5", 2, p="0.7", confidence="1/2")
    strategy = staged_noisy(problem, 240, *shape)
    random = np.random.default_rng(8)
    found = play(strategy, random.integers(240, size=(60, 1)), random).estimate
    assert (found.low <= found.point).all()
    assert (found.point <= found.high).all()
    assert (found.low < found.high).all()
    assert found.low.min() >= 0
    assert found.high.max() <= 240


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("rule", ["tilted", "posterior"])
def test_a_search_of_few_cells_asks_within_them(rule: Any, size: int) -> None:
    """One cell has nothing but its ends to ask about; of more an inner end can be asked about."""
    search = Pursuit(Fraction("0.8"), rule)
    state = search.start(np.array([size]))
    assert 0 <= float(state.left[0]) <= 1
    assert search.found(state).tolist() == [0]
    for side in (0, 1) if search.tossed else (None,):
        tossed = state if side is None else search.toss(state, np.array([side]))
        asked = int(search.ask(tossed)[0])
        assert 0 <= asked <= size
        assert search.tossed or size == 1 or 0 < asked < size
