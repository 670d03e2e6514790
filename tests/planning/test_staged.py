"""The planner of the staged family: the issue's figures, exhaustion, monotony."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.strategies import staged_shape

from feint.exact import rational
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import factors, fewest, largest_product
from feint.strategies import StagedShape


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "most"),
    [
        ("1/8", "1/4", 3, 6),
        ("1/9", "2/9", 3, 6),
        ("1/64", "1/12", 3, 13),
        ("1/100", "1/10", 3, 16),
        ("1/25", "2/25", 7, 16),
        ("1/1000", "1/400", 50, 127),
        ("2^-20", "2^-8", 15, 199),
    ],
)
def test_figures(epsilon: str, delta: str, level: int, most: int) -> None:
    shape = cheapest_staged(rational(epsilon, "ε"), rational(delta, "δ"), level)
    assert shape is not None
    assert shape.queries <= most


@pytest.mark.parametrize(("rounds", "most"), [(10, 254), (8, 300), (3, 2145), (1, 2**20 - 1)])
def test_figures_within_rounds(rounds: int, most: int) -> None:
    shape = cheapest_staged(Fraction(1, 2**20), Fraction(1, 2**8), 15, rounds=rounds)
    assert shape is not None
    assert shape.rounds <= rounds
    assert shape.queries <= most


@cache
def multisets(questions: int, least: int = 2) -> tuple[tuple[int, ...], ...]:
    """All factors k ≥ least in rising order with Σ(k−1) = questions."""
    if not questions:
        return ((),)
    return tuple(
        (k, *rest) for k in range(least, questions + 2) for rest in multisets(questions - k + 1, k)
    )


def family(epsilon: Fraction, delta: Fraction, level: int, below: int) -> Iterator[StagedShape]:
    """Every member, by definition, that is private, accurate and asks fewer than `below`."""
    for first in range(below):
        for narrow in multisets(first):
            whole = math.prod(narrow)
            if level * delta * whole > 1:
                continue
            for parts in range(1, max(2, int(1 / (whole * delta)) + 1)):
                width = Fraction(1, whole * parts)
                if parts > 1 and width < delta:
                    break
                for each in range(1, below - first - parts + 1):
                    # with a piece longer than δ every step but the last belongs in `narrow`
                    for hide in multisets(each) if each < 8 else ((each + 1,),):
                        for last in set(hide):
                            piece = width * last / math.prod(hide)
                            kept = math.ceil(level * min(piece, delta) / piece)
                            if piece / last <= epsilon and kept <= parts:
                                others = list(hide)
                                others.remove(last)
                                yield staged_shape(narrow, parts, kept, (*others, last))


@given(st.integers(2, 5), st.integers(2, 60), st.fractions(2, 8, max_denominator=7), st.data())
@examples(60)
def test_equals_exhaustive_search(
    level: int, inverse: int, ratio: Fraction, data: st.DataObject
) -> None:
    delta = Fraction(1, inverse)
    assume(level * delta <= 1)
    epsilon = delta / ratio
    rounds = data.draw(st.one_of(st.none(), st.integers(1, 6)))
    shape = cheapest_staged(epsilon, delta, level, rounds=rounds)
    assert shape is not None
    assert shape.success(delta) <= Fraction(1, level)
    assert Fraction(1, shape.size) <= epsilon
    assert rounds is None or shape.rounds <= rounds
    assume(shape.queries <= 22)
    members = family(epsilon, delta, level, shape.queries)
    shorter = [one for one in members if one.queries < shape.queries]
    assert not [one for one in shorter if rounds is None or one.rounds <= rounds]


@pytest.mark.slow
@given(st.integers(2, 6), st.integers(2, 120), st.fractions(2, 12, max_denominator=9))
@examples(1000)
def test_equals_exhaustive_search_a_thousand_times(
    level: int, inverse: int, ratio: Fraction
) -> None:
    delta = Fraction(1, inverse)
    assume(level * delta <= 1)
    shape = cheapest_staged(delta / ratio, delta, level)
    assert shape is not None
    assume(shape.queries <= 26)
    members = family(delta / ratio, delta, level, shape.queries)
    assert not [one for one in members if one.queries < shape.queries]


@given(
    st.integers(2, 3000),
    st.fractions(Fraction(1, 10**6), Fraction(1, 2)),
    st.fractions(2, 10**6),
    st.fractions(Fraction(1, 50), 1),
)
def test_counts_rise_with_delta_and_level(
    level: int, delta: Fraction, ratio: Fraction, smaller: Fraction
) -> None:
    assume(level * delta <= 1)
    epsilon = delta / ratio
    here = cheapest_staged(epsilon, delta, level)
    assert here is not None
    easier = cheapest_staged(epsilon, max(2 * epsilon, smaller * delta), level)
    assert easier is not None
    assert easier.queries <= here.queries
    fewer = cheapest_staged(epsilon, delta, max(2, math.floor(smaller * level)))
    assert fewer is not None
    assert fewer.queries <= here.queries


@given(st.integers(1, 10**12), st.integers(1, 12))
def test_fewest_questions_that_reach_a_product(product: int, rounds: int) -> None:
    questions = fewest(product, rounds)
    assert largest_product(questions, rounds) >= product
    assert questions == 0 or largest_product(questions - 1, rounds) < product
    chosen = factors(product, questions, rounds)
    assert math.prod(chosen) >= product
    assert sum(k - 1 for k in chosen) == questions
    assert len(chosen) <= rounds
