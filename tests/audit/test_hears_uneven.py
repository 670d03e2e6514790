"""Who hears, or knows the answers of, some questions of a search that leaves others out.

Questions are counted as they are asked. A column that a run leaves out is no question.
"""

from fractions import Fraction

from feint import Problem
from feint.audit import audit
from feint.interfaces import UNASKED, Round
from feint.strategies import Scalar

PROBLEM = Problem("1/8", "1/4", 1)
"""Eight cells; she names two neighbouring ones."""


def short_above(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    """Ask 4, then 6 and nothing more if it was yes, then 2 and 1 if it was no."""
    if not answers:
        return [4]
    if answers[0][0]:
        return [6] if len(answers) == 1 else [UNASKED]
    return [2] if len(answers) == 1 else [1]


def test_the_last_answer_is_that_of_the_last_question_asked() -> None:
    """Above 4 it is whether X* is at least 6, so that two cells are left.

    Below 4 it is whether X* is at least 1: cell 0 alone, or the cells 1, 2 and 3.
    """
    search = Scalar(PROBLEM, 8, (Round("ask", (0,)),) * 3, short_above)
    assert audit(search).adversary_success == Fraction(1, 2)
    assert audit(search, knows="last").adversary_success == Fraction(4 + 1 + 2, 8)


def gap(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    """Ask 4 and 6 in one round, with a column left out between them."""
    return [4, UNASKED, 6]


def test_questions_are_counted_without_columns_that_are_left_out() -> None:
    """The second answer tells 0 to 5 from 6 and 7: two of six cells, or both."""
    search = Scalar(PROBLEM, 8, (Round("ask", (0, 0, 0)),), gap)
    for knows in ("questions(2)", "every(2)", "last"):
        report = audit(search, knows=knows)
        assert report.adversary_success == Fraction(2 + 2, 8), knows
