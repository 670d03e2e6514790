"""What a plan says of searches that have different lengths."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.uneven import PROBLEM, Forked

from feint import Domain, Plan, Prior, Problem, plan
from feint.interfaces import UNASKED, Round
from feint.problem import Line
from feint.strategies import Product, Scalar

UNEVEN = Plan.of(Forked(), domain=Domain(0, 15, step=1))


def test_at_most_and_on_average() -> None:
    assert (UNEVEN.queries, UNEVEN.rounds) == (7, 4)
    assert (UNEVEN.queries_mean, UNEVEN.rounds_mean) == (Fraction(25, 4), Fraction(15, 4))
    assert UNEVEN.length == "at most 7 questions (6.25 on average) in at most 4 rounds"
    assert f"Method own: {UNEVEN.length}" in str(UNEVEN)
    assert "Phases, at most: cut" in str(UNEVEN)
    told = UNEVEN.to_dict()
    assert (told["queries"], told["queries_mean"]) == (7, 6.25)
    assert (told["rounds"], told["rounds_mean"]) == (4, 3.75)


def test_one_length_is_said_once() -> None:
    found = plan(Problem("1/64", "1/8", 4))
    assert found.queries_mean == found.queries
    assert found.rounds_mean == found.rounds
    assert found.length == f"{found.queries} questions in {found.rounds} rounds"


def test_averages_follow_the_prior() -> None:
    """Three in four of the mass lie right of the cut, where searches are short."""
    prior = Prior([1] * 12 + [9] * 4)
    inner = Problem("1/16", "1/16", 2, values=16, prior=prior)
    found = Plan.of(Forked(inner))
    assert found.queries_mean == Fraction(7 * 12 + 4 * 36, 48)


def test_averages_follow_the_ticks() -> None:
    """Cells that are shown with unequal widths count by what they hold of the user's range."""
    line = Line(Fraction(0), Fraction(1), 16, tick=Fraction(1, 10))
    assert line.at(12) == Fraction(8, 10)
    found = Plan(
        problem=PROBLEM,
        domain=Domain(0, 1),
        method="own",
        strategy=Forked(),
        certificate=None,
        adversary_success=None,
        scales=(line,),
    )
    assert found.queries_mean == Fraction(8 * 7 + 2 * 4, 10)


def test_averages_of_several_numbers() -> None:
    both = Product(Problem("1/16", "1/16", 2, dim=2), (Forked(), Forked()))
    found = Plan.of(both)
    assert (found.queries, found.queries_mean) == (14, Fraction(25, 2))
    assert found.rounds_mean == 4 - Fraction(1, 16)


def test_no_average_where_there_is_too_much_to_enumerate() -> None:
    def function(told: object, _: object) -> list[int]:
        return [UNASKED]

    size = 1 << 30
    found = Plan.of(Scalar(Problem("1/8", "1/4", 2), size, (Round("ask", (0,)),) * 30, function))
    assert found.queries_mean is None
    assert found.length == "at most 30 questions in at most 30 rounds"
    assert found.to_dict()["queries_mean"] is None


@pytest.mark.parametrize("number", [3, 14])
def test_pictures_leave_out_what_was_not_asked(number: int) -> None:
    from feint.simulate import play

    heard = play(Forked(), np.array([[number]]), np.random.default_rng(0)).transcript
    assert sum(map(len, heard.shares())) == {3: 7, 14: 4}[number]
    assert "-1" not in str(heard)
