"""Ways to divide, by hand and against all of them."""

import math
from fractions import Fraction
from itertools import product
from typing import Any, cast

import numpy as np
import pytest

from feint import Problem, plan
from feint.audit import audit
from feint.planning.noiseless.steps import _ODD, _factors, _little_loss, narrowings
from feint.planning.noiseless.uniform import Uniform, Wanted
from feint.planning.priors.places import Values


def test_prime_factors() -> None:
    for number in range(1, 500):
        found = _factors(number)
        assert math.prod(found) == number
        assert list(found) == sorted(found)
        assert all(each % d for each in found for d in range(2, each))


def test_with_few_rounds_every_number_of_factors_is_tried() -> None:
    """With two factors at most: 1; 2…12 at once; near-equal pairs."""
    found = {way.narrow for way in narrowings(12, rounds=3)}
    near = {(), *((k,) for k in range(2, 13))}
    near |= {(b, a) for a, b in product(range(2, 5), repeat=2) if b - a in (0, 1) and a * b <= 12}
    assert {tuple(sorted(each)) for each in found} == {tuple(sorted(each)) for each in near}
    assert {way.narrow for way in narrowings(12, rounds=2)} == {
        each for each in near if len(each) < 2
    }
    assert [way.narrow for way in narrowings(12, rounds=1)] == [()]


def test_whole_values_in_near_equal_parts() -> None:
    """7 values in 3 parts: 2, 2 and 3; 2 values cannot be in 3 parts."""
    values = Values(cast(Any, None))
    found = values.divided((10, 17), 3)
    assert found is not None
    assert found.marks.tolist() == [[10, 11, 12, 12], [12, 13, 14, 14], [14, 15, 16, 17]]
    assert values.divided((3, 5), 3) is None
    assert values.divided((3, 6), 3) is not None


@pytest.mark.parametrize(
    ("cells", "window"), [(40, Fraction(1)), (60, Fraction(4)), (60, Fraction(7, 2))]
)
def test_more_questions_never_catch_more(cells: int, window: Fraction) -> None:
    table = Uniform(cells, 24, Wanted(window=window))
    assert (table.least[..., 1:] <= table.least[..., :-1]).all()


def test_more_rounds_never_catch_more() -> None:
    table = Uniform(40, 24, Wanted(window=Fraction(2), rounds=5))
    assert (table.least[1:] <= table.least[:-1]).all()
    free = Uniform(40, 24, Wanted(window=Fraction(2)))
    assert (free.row <= table.row).all()


@pytest.mark.parametrize("rounds", [None, 4, 6])
def test_a_price_counts_the_questions_of_every_cut(rounds: int | None) -> None:
    """V with a price is Σ size × questions + price × catch of the blocks that attain it."""
    table, price = Uniform(61, 24, Wanted(window=Fraction(4), rounds=rounds)), 9.75
    priced = table.priced(table.sizes, price)
    priced._nodes = {}
    for queries in np.flatnonzero(np.isfinite(priced.row)).tolist():
        node = priced.tree(queries)
        assert priced.row[queries] == pytest.approx(node.asked + price * float(node.caught))
    assert any(len(node.parts) > 2 for node in priced._nodes.values()) == (rounds is not None)


def test_few_rounds_ask_few_questions_on_average() -> None:
    """Cuts in three or more were free of charge: 9 on average for these 61 values."""
    problem = Problem("1/61", "4/61", 2, values=61)
    found = plan(problem, max_rounds=6)
    assert (found.queries, found.queries_mean) == (9, Fraction(500, 61))
    assert plan(problem).queries_mean == Fraction(497, 61)


@pytest.mark.parametrize(
    ("problem", "questions", "mean"),
    [
        (Problem("1/150", "1/30", 30), 119, Fraction(107)),
        (Problem("1/120", "1/24", 12), 48, Fraction(204, 5)),
    ],
)
def test_of_equally_long_plans_one_that_is_far_shorter_on_average_is_taken(
    problem: Problem, questions: int, mean: Fraction
) -> None:
    """The closed forms ask 119 and 48 questions in every search."""
    found = plan(problem)
    assert found.queries == questions
    assert isinstance(found.queries_mean, Fraction)
    assert found.queries_mean <= mean
    report = audit(found)
    assert report.holds
    assert report.adversary_success == found.adversary_success


def test_a_plan_of_even_rounds_is_kept_if_little_is_saved_on_average() -> None:
    """A tree would ask 7.49 on average, and take more rounds."""
    assert plan(Problem("1/170", "1/170", 2, values=170)).queries_mean == Fraction(658, 85)


def test_v_of_few_questions_does_not_depend_on_how_many_are_looked_at() -> None:
    """So a programme is shared by all who ask for fewer questions."""
    wanted = Wanted(window=Fraction(7, 2))
    few, many = Uniform(300, 16, wanted), Uniform(300, 48, wanted)
    assert (few.least == many.least[..., :16]).all()
    for queries in range(9, 16):
        target = Fraction(few.row[queries]) * Fraction(11, 10)
        assert few.frugal(queries, target) == many.frugal(queries, target)


def test_odd_numbers_that_lose_little_against_halving() -> None:
    """A factor k costs k − 1 questions, and halving as far log₂ k: at most 6 lost, or below 64."""
    loss = {3: 2 - math.log2(3), 5: 4 - math.log2(5), 7: 6 - math.log2(7)}
    powers = {
        3**a * 5**b * 7**c: a * loss[3] + b * loss[5] + c * loss[7]
        for a, b, c in product(range(16), range(5), range(3))
    }
    wanted = {odd for odd, lost in powers.items() if lost <= 6} | set(range(1, 64, 2))
    found = _little_loss()
    assert found == sorted(found) == _ODD
    assert {odd for _, odd, _, _ in found} == wanted
    for lost, odd, asked, narrow in found:
        assert math.prod(narrow) == odd
        assert asked == sum(each - 1 for each in narrow)
        assert lost == pytest.approx(asked - math.log2(odd))
