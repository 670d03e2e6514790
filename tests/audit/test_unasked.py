"""Questions that a run leaves out: that they were is heard too, and with it when a search ended.

What is heard of every cell is listed by hand, in dictionaries that share no code with the audit.
"""

from fractions import Fraction
from typing import Any

import pytest
from tests.support.repeated import repeated, stay

from feint import Problem
from feint.audit import audit
from feint.interfaces import UNASKED, Round
from feint.strategies import Scalar

F = Fraction
PROBLEM = Problem("1/8", "1/4", 2)
CELLS, WINDOW = 8, 2
ROUNDS = tuple(Round("ask", (0,)) for _ in range(4))


def points(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> tuple[int]:
    """Halve, but go upwards one by one below 4; end as soon as the cell is known."""
    low, high = 0, CELLS
    asked = list[int]()
    for (answer,) in (*answers, (False,)):
        if high - low == 1:
            asked.append(UNASKED)
            continue
        asked.append((low + high) // 2 if high - low > 4 or low >= 4 else low + 1)
        low, high = (asked[-1], high) if answer else (low, asked[-1])
    return (asked[len(answers)],)


ENDS = Scalar(PROBLEM, CELLS, ROUNDS, points)


def run(cell: int) -> tuple[list[int], list[bool]]:
    """What is asked, and the answers, if X* is in a cell."""
    asked, told = list[int](), list[bool]()
    for _ in ROUNDS:
        (point,) = points(tuple((each,) for each in told), ())
        asked.append(point)
        told.append(point != UNASKED and cell >= point)
    return asked, told


def test_runs_end_at_different_times() -> None:
    lengths = [sum(point != UNASKED for point in run(cell)[0]) for cell in range(CELLS)]
    assert lengths == [2, 3, 4, 4, 3, 3, 3, 3]


def everything(cell: int) -> dict[Any, Fraction]:
    return {tuple(run(cell)[0]): F(1)}


def last_answer(cell: int) -> dict[Any, Fraction]:
    """All questions, and the answer of the last one that was asked."""
    asked, told = run(cell)
    length = sum(point != UNASKED for point in asked)
    return {(*asked, told[length - 1]): F(1)}


def last_question(cell: int) -> dict[Any, Fraction]:
    """The last question that was asked, and when."""
    asked, _ = run(cell)
    length = sum(point != UNASKED for point in asked)
    return {(length, asked[length - 1]): F(1)}


def third_question(cell: int) -> dict[Any, Fraction]:
    """The third question that was asked, if there was one."""
    asked = [(turn, point) for turn, point in enumerate(run(cell)[0]) if point != UNASKED]
    return {tuple(asked[2:3]): F(1)}


def first_round(cell: int) -> dict[Any, Fraction]:
    return {tuple(run(cell)[0][:1]): F(1)}


def last_round(cell: int) -> dict[Any, Fraction]:
    """Whether it takes place, and what it asks."""
    return {tuple(run(cell)[0][3:]): F(1)}


def by_chance(cell: int) -> dict[Any, Fraction]:
    """Each question with probability 1/2; that it took place is noticed."""
    found: dict[Any, Fraction] = {(): F(1)}
    for point in run(cell)[0]:
        after = dict[Any, Fraction]()
        for before, share in found.items():
            for word in (point, "missed") if point != UNASKED else ("nothing",):
                key = (*before, word)
                after[key] = after.get(key, F(0)) + share / (1 if word == "nothing" else 2)
        found = after
    return found


CASES: list[tuple[dict[str, Any], Any]] = [
    ({}, everything),
    ({"knows": "last"}, last_answer),
    ({"hears": "last"}, last_question),
    ({"hears": "questions(3)"}, third_question),
    ({"hears": "rounds(1)"}, first_round),
    ({"hears": "rounds(4)"}, last_round),
    ({"hears": "each(1/2)"}, by_chance),
]


@pytest.mark.parametrize(("given", "search"), CASES)
def test_what_was_left_out_is_heard(given: dict[str, Any], search: Any) -> None:
    (once,) = repeated(CELLS, WINDOW, search, stay, 1)
    assert audit(ENDS, **given).adversary_success == once


@pytest.mark.parametrize(("given", "search"), CASES[1:])
def test_samples_hear_the_same(given: dict[str, Any], search: Any) -> None:
    (once,) = repeated(CELLS, WINDOW, search, stay, 1)
    found = audit(ENDS, **given, runs=400, seed=1).adversary_success
    assert found is not None
    assert abs(found - once) < F(1, 16)


def test_when_a_search_ended_is_told() -> None:
    """A question that only some runs ask tells those who hear nothing else."""
    assert audit(ENDS, hears="rounds(4)").adversary_success == F(1, 2)
    assert audit(ENDS, hears="nothing").adversary_success == F(1, 4)
