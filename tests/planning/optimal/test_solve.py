"""The optimum of small games: figures, brackets that hold, tables that can be played."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.checks import obeys
from tests.support.examples import examples

from feint.branches import success
from feint.errors import InvalidValue, NoPlan, OutOfRegime, TooLarge
from feint.planning.optimal import complexity, solve, success_under
from feint.planning.optimal.certificate import lower_bound, whole_weights
from feint.planning.optimal.game import Game
from feint.planning.optimal.programme import Programme

# cells, D, queries → the optimum, computed from the plain programme beforehand.
FIGURES = {
    (8, 2): ["1", "1/2", "7/16", "1/3", "1/4"],
    (8, 4): ["1", "3/4", "1/2", "1/2", "1/2"],
}


@pytest.mark.parametrize(("cells", "window"), FIGURES)
@pytest.mark.parametrize("queries", range(3, 8))
def test_figures(cells: int, window: int, queries: int) -> None:
    found = solve(cells, 1, window, queries)
    assert found.value == Fraction(FIGURES[cells, window][queries - 3])
    assert success(found.strategy) == found.value
    assert found.strategy.queries == queries


def test_more_figures() -> None:
    assert solve(6, 1, 3, 4).value == Fraction(7, 12)
    assert solve(9, 1, 3, 4).value == Fraction(7, 9)


@given(st.integers(2, 7), st.data())
@examples(40)
def test_the_bracket_closes_on_a_strategy_that_can_be_played(
    cells: int, data: st.DataObject
) -> None:
    """Up to 7 cells here (8 in the atlas) both ends meet; the table is accurate and as claimed."""
    window = data.draw(st.integers(1, cells // 2))
    coarse = window // 2 > 1 and data.draw(st.booleans())
    accuracy = 2 if coarse else 1
    least = (-(-cells // accuracy) - 1).bit_length()
    queries = data.draw(st.integers(max(1, least), cells + 1))
    found = solve(cells, accuracy, window, queries)
    assert found.lower == found.upper == success(found.strategy)
    assert found.upper >= Fraction(window, cells)
    obeys(found.strategy)


@pytest.mark.parametrize("cells", [4, 5, 6])
@pytest.mark.parametrize("accuracy", [1, 2])
@pytest.mark.parametrize("window", [1, 2, 3])
def test_what_is_left_out_is_not_needed(cells: int, accuracy: int, window: int) -> None:
    """The plain programme, every query and no symmetry, has the same optimum."""
    for queries in range((-(-cells // accuracy) - 1).bit_length(), cells):
        for prior in ((1,) * cells, tuple(range(1, cells + 1))):
            short = Programme(
                Game(cells=cells, accuracy=accuracy, window=window, queries=queries, prior=prior)
            )
            plain = Programme(
                Game(
                    cells=cells,
                    accuracy=accuracy,
                    window=window,
                    queries=queries,
                    prior=prior,
                    plain=True,
                )
            )
            assert short.size <= plain.size
            assert short.solve().value == pytest.approx(plain.solve().value, abs=1e-9)


def test_the_plain_programme_has_the_variables_that_are_written_down() -> None:
    """Σ_k (k+1)·(m−1)!/(m−2−k)! of x and (m−1)!/(m−1−n)! of z, and the start: 87 241 + 1."""
    assert (
        Programme(Game(cells=8, accuracy=1, window=2, queries=7, prior=(1,) * 8, plain=True)).size
        == 87_241 + 1
    )


@given(st.integers(0, 2**32), st.sampled_from([720720, 1 << 40, None]))
@examples(25)
def test_any_mixtures_at_all_give_a_lower_bound(seed: int, total: int | None) -> None:
    programme = Programme(Game(cells=6, accuracy=1, window=2, queries=4, prior=(1,) * 6))
    size = programme.solve().catch.size
    noise = np.random.default_rng(seed).random(size)
    assert lower_bound(programme, noise, total) <= Fraction(1, 2)


def test_weights_add_up() -> None:
    shares = np.array([[0.5, -1e-12, 0.5], [0.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    weights = whole_weights(shares, 7)
    assert (weights >= 0).all()
    assert (weights.sum(axis=1) == 7).all()


def test_a_prior_that_is_not_uniform() -> None:
    """All weight on one cell is no secret; a zero weight is one cell fewer to hide."""
    assert solve(4, 1, 1, 3, prior=[0, 1, 0, 0]).value == 1
    skewed = solve(5, 1, 2, 3, prior=[4, 3, "3/2", 1, 1])
    assert skewed.value == success_under(skewed.strategy, [8, 6, 3, 2, 2])
    assert skewed.value >= Fraction(14, 21)
    same = solve(5, 1, 2, 3, prior=["1/5"] * 5)
    assert same.value == solve(5, 1, 2, 3).value == success_under(same.strategy, [1] * 5)


def test_complexity() -> None:
    """Section 8's exception, 9 cells with δ = 4 cells at level 2, is in the slow tests."""
    assert [complexity(7, 2, level) for level in (2, 3)] == [5, 6]
    assert complexity(6, 3, 2) == 5
    assert complexity(8, 4, 2, epsilon_cells=2) == 3


@pytest.mark.slow
def test_nine_cells_and_a_window_of_four() -> None:
    assert complexity(9, 4, 2) == 6


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "queries"), [(12, 6), (10, 7)])
def test_larger_games(cells: int, queries: int) -> None:
    found = solve(cells, 1, 2, queries)
    assert found.upper - found.lower <= Fraction(1, 10**9)
    assert success(found.strategy) == found.upper


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((8, 1, 2, 2), NoPlan, "3 queries are needed"),
        ((8, 1, 5, 4), OutOfRegime, "delta_cells = 4 or less"),
        ((8, 2, 3, 4), OutOfRegime, "epsilon_cells"),
        ((1, 1, 1, 1), InvalidValue, "cells"),
        ((14, 1, 4, 9), TooLarge, "variables"),
    ],
)
def test_refusals(
    arguments: tuple[int, int, int, int], error: type[InvalidValue], words: str
) -> None:
    with pytest.raises(error, match=words):
        solve(*arguments)


def test_priors_that_make_no_sense() -> None:
    for prior, words in (([1, 1], "4 numbers"), ([1, -1, 1, 1], "negative"), ([0] * 4, "zero")):
        with pytest.raises(InvalidValue, match=words):
            solve(4, 1, 1, 2, prior=prior)
    with pytest.raises(TooLarge, match="prior"):
        solve(4, 1, 1, 2, prior=[1, 10**9, 1, 1])
