"""Where plans are as cheap, as coarse and as private as they may be, and not a little less."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from tests.support.believed import best_window, heard

from feint import Domain, Problem, plan
from feint.planning.noiseless.whole import cheapest_whole
from feint.strategies import Product, Staged


def won(strategy: Any, places: list[Fraction], delta: Fraction) -> Fraction:
    """What she wins with against one coordinate whose cells end at these shares of the range."""
    found, _ = heard(strategy)
    total = Fraction(0)
    for rows in found.values():
        pieces = [(places[cell], places[cell + 1], weight) for cell, weight in rows]
        total += best_window(pieces, (1,), delta)
    return total


@pytest.mark.parametrize(
    ("high", "epsilon", "delta", "level"),
    [
        ("1/3", "1/24", "1/6", 4),
        ("7", "1/24", "1/6", 4),
        ("1/3", "1/30", "1/7", 5),
        ("1/7", "1/30", "1/7", 5),
    ],
)
def test_two_numbers_in_awkward_units_multiply_to_the_promise(
    high: str, epsilon: str, delta: str, level: int
) -> None:
    """What is stated is no less than she wins with, and at most a millionth more than 1/level."""
    domain = Domain(0, high)
    found = plan(Problem(epsilon, delta, level, dim=2), domain=domain)
    assert isinstance(found.strategy, Product)
    assert found.scales is not None
    assert found.private
    really = Fraction(1)
    for factor, scale in zip(found.strategy.factors, found.scales, strict=True):
        places = [scale.at(k) / domain.width for k in range(factor.cells[0] + 1)]
        assert max(b - a for a, b in pairwise(places)) <= Fraction(epsilon)
        really *= won(factor, places, Fraction(delta))
    assert found.adversary_success is not None
    assert really <= found.adversary_success
    assert found.adversary_success * level <= 1 + Fraction(1, 10**6)


def test_one_number_may_use_all_of_the_promise_for_coarser_ticks() -> None:
    """Equal cells would leave her 1/8, where 1/(7·1.1) is promised: at hundredths she has 22/175.

    The same questions at equal cells of their own would need ticks of 1/2000.
    """
    domain, problem = Domain(0, 7), Problem("1/211", "1/23", 7)
    free = plan(problem, margin="1.1")
    found = plan(problem, domain=domain, margin="1.1")
    assert found.queries == free.queries
    assert found.cells == (700,)
    assert free.adversary_success == Fraction(1, 8)
    assert (found.adversary_success, found.certificate) == (Fraction(22, 175), "exact")
    assert Fraction(22, 175) * 7 * Fraction(11, 10) <= 1


def test_a_part_kept_by_itself_needs_no_coin() -> None:
    """Six questions in three rounds tell (6/3 + 1)³ = 27 values apart at most; seven are needed.

    Four blocks, each in two parts of which one is searched: nothing but the number sought decides
    which.
    """
    domain = Domain(1, 32, step=1)
    problem = domain.problem(delta=2, level=2)
    found = plan(problem, domain=domain, max_rounds=3, repeatable=True)
    assert found.repeatable
    assert found.private
    assert found.queries == 7


def test_to_be_repeatable_costs_nothing_where_one_part_is_kept() -> None:
    for values, window, level in ((32, 2, 2), (40, 3, Fraction(3, 2)), (48, 3, 2), (48, 2, 3)):
        bare = cheapest_whole(values, window, level, rounds=3, spare=False)
        free = cheapest_whole(values, window, level, rounds=3)
        assert bare is not None
        assert free is not None
        assert bare.kept in (1, bare.parts)
        assert bare.queries == free.queries
        strategy = Staged(Problem(Fraction(1, values), Fraction(window, values), 1), values, bare)
        assert len(heard(strategy)[1]) == values
        places = [Fraction(k, values) for k in range(values + 1)]
        assert won(strategy, places, Fraction(window, values)) * level <= 1


@pytest.mark.parametrize("window", [1, 2, 3])
@pytest.mark.parametrize("rounds", [None, 2, 3])
def test_whole_values_are_private_to_the_last_value(window: int, rounds: int | None) -> None:
    """Also where level times delta is all there is: she has no more than 1/level of anything."""
    for level in (2, 3, Fraction(7, 2)):
        for values in (math.ceil(level * window), 11, 17, 24):
            if values < level * window:
                continue
            for spare in (True, False):
                found = cheapest_whole(values, window, level, rounds=rounds, spare=spare)
                assert found is not None
                share = Fraction(window, values)
                strategy = Staged(Problem(Fraction(1, values), share, 1), values, found)
                places = [Fraction(k, values) for k in range(values + 1)]
                assert won(strategy, places, share) * level <= 1
                assert rounds is None or len(strategy.rounds) <= rounds
                assert spare or found.kept in (1, found.parts)
        assert cheapest_whole(math.ceil(level * window) - 1, window, level) is None
