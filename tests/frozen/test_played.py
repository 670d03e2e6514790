"""The brute force itself, on cases worked out by hand, also searches that end when done."""

from fractions import Fraction

from tests.support.played import Line, figures
from tests.support.strategies import staged

from feint import Problem
from feint.interfaces import UNASKED, Round
from feint.strategies import (
    Product,
    Scalar,
)
from feint.strategies.retired import (
    Padded,
)

EIGHT = Line(tuple(Fraction(k, 8) for k in range(9)))
PROBLEM = Problem("1/8", "1/4", 2)

Heard = tuple[tuple[bool, ...], ...]


def ladder(answers: Heard, coins: tuple[int, ...]) -> list[int]:
    """Ask 1, 2, 3 … until the answer is no, then stop."""
    return [len(answers) + 1 if all(yes for (yes,) in answers) else UNASKED]


def stops() -> Scalar:
    """A search of eight cells that ends when it is done: after min(cell + 1, 7) questions."""
    return Scalar(PROBLEM, 8, (Round("climb", (0,)),) * 7, ladder)


def same_question(answers: Heard, coins: tuple[int, ...]) -> list[int]:
    """Ask the middle; ask it again only if the answer was yes."""
    return [4 if not answers or answers[0][0] else UNASKED]


def test_the_end_of_a_search_is_heard() -> None:
    """The last question tells the cell, except that cells 6 and 7 both end with question 7.

    A window of two cells holds both, so she always wins; a window of one misses one of the two.
    """
    found = figures(stops(), Fraction(1, 4), [EIGHT])
    assert (found.success, found.transcripts, found.covering) == (Fraction(1), 7, 1)
    assert found.queries_mean == Fraction(1 + 2 + 3 + 4 + 5 + 6 + 7 + 7, 8)
    assert found.rounds_mean == found.queries_mean
    assert (found.queries_most, found.rounds_most, found.resumed) == (7, 7, False)
    assert figures(stops(), Fraction(1, 8), [EIGHT]).success == Fraction(7, 8)


def test_length_alone_tells() -> None:
    """Both questions are the same: only whether there is a second one tells which half it is."""
    rounds = (Round("ask", (0,)), Round("ask", (0,)))
    short = Scalar(PROBLEM, 8, rounds, same_question)
    found = figures(short, Fraction(1, 4), [EIGHT])
    assert (found.success, found.transcripts) == (Fraction(1, 2), 2)
    assert (found.queries_mean, found.rounds_mean) == (Fraction(3, 2), Fraction(3, 2))
    always = Scalar(PROBLEM, 8, rounds, lambda answers, coins: [4])
    assert figures(always, Fraction(1, 4), [EIGHT]).success == Fraction(1, 4)


def test_a_search_that_goes_on_after_its_end_is_noticed() -> None:
    def late(answers: Heard, coins: tuple[int, ...]) -> list[int]:
        return [4 if not answers or (len(answers) == 2 and answers[0][0]) else UNASKED]

    found = figures(Scalar(PROBLEM, 8, (Round("ask", (0,)),) * 3, late), Fraction(1, 4), [EIGHT])
    assert found.resumed
    assert (found.queries_most, found.rounds_most, found.queries_mean) == (2, 2, Fraction(3, 2))


def test_padding_hides_nothing_but_costs_questions() -> None:
    found, padded = (figures(x, Fraction(1, 4), [EIGHT]) for x in (stops(), Padded(stops())))
    assert (padded.success, padded.transcripts) == (found.success, found.transcripts)
    assert padded.queries_mean == padded.rounds_mean == 7


def test_a_prior_by_hand() -> None:
    """Nothing is asked: the best window of a quarter holds the heavy bin and half of the next."""
    nothing = Scalar(PROBLEM, 8, (), ladder)
    line = EIGHT._replace(weights=(1, 4, 3, 1, 1, 1))
    assert figures(nothing, Fraction(1, 4), [line]).success == Fraction(4 * 2 + 3, 2 * 11)


def test_places_that_are_shown_as_one_are_one_question() -> None:
    """Boundaries 1 and 2 lie at one place: which of them was asked is not heard."""
    at = (*EIGHT.at[:2], EIGHT.at[1], *EIGHT.at[3:])
    either = Scalar(PROBLEM, 8, (Round("ask", (0,)),), lambda answers, coins: [1 + coins[0]], (2,))
    found = figures(either, Fraction(1, 4), [EIGHT._replace(at=at)])
    assert found.transcripts == 1
    assert figures(either, Fraction(1, 4), [EIGHT]).transcripts == 2


def test_two_numbers_multiply() -> None:
    """Independent searches: successes and covering numbers multiply, questions add up."""
    one = staged(PROBLEM, 8, (), 4, 3, (2,))
    both = Product(Problem("1/8", "1/4", 2, dim=2), (one, stops()))
    first, second = (figures(x, Fraction(1, 5), [EIGHT]) for x in (one, stops()))
    found = figures(both, Fraction(1, 5), [EIGHT, EIGHT])
    assert found.success == first.success * second.success
    assert found.covering == first.covering * second.covering
    assert found.queries_mean == first.queries_mean + second.queries_mean
