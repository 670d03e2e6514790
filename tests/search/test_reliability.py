"""How often answers were right: told to the owner, and warned of where it is far too rare."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.price import KEY

from feint import Plan, Problem
from feint.problem import Exactly, unreliable
from feint.search import Agreement, Search
from feint.search.reliability import agreement, is_worse
from feint.search.units import Asked
from feint.server.padding import body, result, story
from feint.server.story import told
from feint.strategies import SequentialNoisy, SequentialShape

NOISE = Exactly(Fraction(9, 10))
SHAPE = SequentialShape(
    blocks=2,
    narrow_error=Fraction(1, 20),
    narrow_cap=(60, 0),
    parts=2,
    repeats=61,
    kept=2,
    hide_error=Fraction(1, 20),
    hide_cap=(60, 0),
)


def searched(p: str, truth: float, seed: int) -> Search:
    """A search whose answers are right with another probability than is promised."""
    random = np.random.default_rng(seed)
    problem = Problem("1/64", "1/8", 2, p=p, confidence="0.6")
    search = Search(Plan.of(SequentialNoisy(problem, 64, SHAPE)), key=KEY)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, bool((query.number <= 0.33) == (random.random() < truth)))
    return search


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6), st.booleans()), max_size=30))
def test_the_most_answers_that_can_be_right_are_counted(said: list[tuple[int, int, bool]]) -> None:
    right = sum(
        max(
            sum((x >= point) == yes for about, point, yes in said if about == coordinate)
            for x in range(-1, 7)
        )
        for coordinate in (0, 1)
    )
    answers = [(Asked(0, at, point), about, yes) for at, (about, point, yes) in enumerate(said)]
    assert agreement(answers) == Agreement(right, len(said))


@pytest.mark.parametrize("p", [0.9, 0.75])
def test_false_alarms_are_as_rare_as_is_said(p: float) -> None:
    """Ville: of fair sequences at most 1/1000 are ever warned of; here of the true agreements.

    All 2^n sequences of n answers, by how many were right so far; the first warning ends one.
    """
    noise, chance, warned = Exactly(Fraction(str(p))), np.ones(1), 0.0
    for count in range(1, 200):
        chance = np.append(chance * (1 - p), 0.0) + np.append(0.0, chance * p)
        worse = np.array([is_worse(Agreement(right, count), noise) for right in range(count + 1)])
        warned += chance[worse].sum()
        chance[worse] = 0.0
    assert 1e-5 < warned <= 1e-3


def test_a_result_says_how_often_answers_were_right() -> None:
    result = searched("0.6..0.95", 0.84, 1).result
    assert result.agreement is not None
    right, count = result.agreement
    assert count == result.queries
    assert right / count == pytest.approx(0.84, abs=0.08)
    assert f"({right} of {count} agree with what was found)" in str(result)
    assert result.to_dict()["agreement"] == [right, count]
    assert result.warning is None


def test_the_owner_is_warned_of_answers_that_are_far_worse_than_promised() -> None:
    searches = [searched("0.9", 0.6, seed) for seed in range(10)]
    assert sum(search.warning is not None for search in searches) >= 9
    warned = next(search for search in searches if search.warning is not None)
    assert str(warned.warning) in str(warned.result)
    assert "p = 0.9 was promised" in str(warned.warning)
    assert all(searched("0.9", 0.9, seed).warning is None for seed in range(10))


def test_nobody_else_is_told() -> None:
    """A decoy answered otherwise: what the owner is told changes, and no length does."""
    truth = searched("0.6..0.95", 0.84, 1)
    left, agreements = 0, set()
    for query in truth.current:
        other = searched("0.6..0.95", 0.84, 1)
        other.tell(query.id, not other.told(query.id))
        if not other.done or (truth.transcript.points != other.transcript.points).any():
            continue
        left += 1
        agreements |= {truth.agreement, other.agreement}
        assert len(truth.to_json()) == len(other.to_json())
        bodies = [body(result(each)) for each in (truth, other)]
        assert len(bodies[0]) == len(bodies[1])
        assert bodies[0] != bodies[1]
        stories = [body(story(each, told(each))) for each in (truth, other)]
        assert len(stories[0]) == len(stories[1])
    assert left
    assert len(agreements) > 1


def test_a_warned_owner_gets_no_longer_page() -> None:
    """Two searches with equal questions of which one is warned of: both stories are as long."""
    first, other = (searched("0.9", 0.9, 3) for _ in range(2))
    before = len(body(story(first, told(first))))
    for query in other.current:
        flipped = not other.told(query.id)
        other.tell(query.id, flipped)
        if not other.done:
            other.tell(query.id, not flipped)
    assert (first.transcript.points == other.transcript.points).all()
    warned = told(other) | {"warnings": [unreliable(other.answered, other.answered, NOISE)]}
    assert len(body(story(other, warned))) == before
