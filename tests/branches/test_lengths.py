"""Runs of different lengths: where they end, what is heard of it, and how long they are."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tests.support.ladder import Ladder
from tests.support.strategies import staged
from tests.support.uneven import Forked

from feint import Problem
from feint.branches import Lengths, branches, mean_lengths, success
from feint.errors import TooLarge
from feint.interfaces import UNASKED, Round, asks_all, most_queries
from feint.simulate import play
from feint.strategies import Product, Scalar, Staged
from feint.testing import check

EIGHT = Problem("1/8", "1/4", 2, values=8)


def test_runs_of_different_lengths_obey_the_laws() -> None:
    check(Forked())
    check(Ladder(EIGHT, 8))


def test_rows_that_have_ended_are_heard_to_end() -> None:
    """By hand: right of the cut a column of the second round and the last round are left out."""
    heard = {tuple(row) for part in branches(Forked()) for row in part.transcripts.tolist()}
    right = {row for row in heard if row[1] == 14}
    assert right == {(12, 14, UNASKED, 13, 15, UNASKED, UNASKED)}
    assert all(UNASKED not in row for row in heard - right)
    assert {row[:5] for row in heard - right} == {
        (12, 4, 8, first + 2, second + 2) for first, second in ((0, 4), (0, 8), (4, 8))
    }


def test_success_counts_what_was_left_out() -> None:
    """The last question leaves two values in each of two parts: she guesses one in four."""
    assert success(Forked()) == Fraction(1, 4)
    assert success(Ladder(EIGHT, 8)) == 1


def test_means_by_hand() -> None:
    assert mean_lengths(Forked()) == (Fraction(12 * 7 + 4 * 4, 16), Fraction(12 * 4 + 4 * 3, 16))
    # The ladder asks k + 1 questions for the value k, and 7 for the last.
    assert mean_lengths(Ladder(EIGHT, 8)) == (Fraction(35, 8), Fraction(35, 8))


def test_means_under_another_law() -> None:
    """All mass on the last four cells: only short runs are left."""

    def below(boundary: int) -> Fraction:
        return Fraction(max(0, boundary - 12), 4)

    assert mean_lengths(Forked(), [below]) == Lengths(Fraction(4), Fraction(3))


def test_means_agree_with_every_run() -> None:
    """Every cell, both sides of the coin, counted in transcripts that are played."""
    targets = np.repeat(np.arange(16), 4000)[:, None]
    points = play(Forked(), targets, np.random.default_rng(5)).transcript.points
    lengths = Counter((points != UNASKED).sum(axis=1).tolist())
    assert lengths == {7: 12 * 4000, 4: 4 * 4000}


def test_means_of_a_product_are_those_of_every_pair() -> None:
    """Against an enumeration of both at once, which does not know that they are independent."""
    both = Product(Problem("1/16", "1/16", 2, dim=2), (Forked(), Ladder(EIGHT, 8)))
    queries = rounds = Fraction(0)
    for part in branches(both):
        asked = part.transcripts != UNASKED
        number = np.repeat(
            np.arange(1, len(both.rounds) + 1), [len(each.coordinates) for each in both.rounds]
        )
        share = (part.high - part.low).prod(axis=1) * part.weight
        queries += Fraction(int((share * asked.sum(axis=1)[part.group]).sum()), part.total * 128)
        last = (asked * number).max(axis=1)
        rounds += Fraction(int((share * last[part.group]).sum()), part.total * 128)
    assert mean_lengths(both) == (queries, rounds)
    assert most_queries(both) == 7 + 7
    assert not asks_all(both)


def test_a_strategy_that_asks_all_needs_no_enumeration() -> None:
    huge = staged(Problem("1/48", "1/12", 3), 3 << 60, (2,), 4, 3, (2, 3))
    assert mean_lengths(huge).queries == most_queries(huge)
    assert mean_lengths(huge).rounds == len(huge.rounds)
    with pytest.raises(TooLarge):
        mean_lengths(Forked(), limit=3)


def test_a_subclass_that_overrides_ask_promises_nothing() -> None:
    class Own(Staged):
        def ask(self, state):  # type: ignore[no-untyped-def]
            return super().ask(state)

    assert not asks_all(staged(EIGHT, 8, (2,), 2, 2, (2,), Own))
    assert asks_all(staged(EIGHT, 8, (2,), 2, 2, (2,)))


def test_most_queries_is_the_sum_of_the_widths_unless_it_is_stated() -> None:
    rounds = (Round("all", (0, 0)), Round("all", (0,)))
    assert most_queries(Scalar(EIGHT, 8, rounds, lambda *_: (4, 4))) == 3
    assert most_queries(Forked()) == 7
