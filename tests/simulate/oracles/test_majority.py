"""Majority votes: exact reliability, the size for a wanted p, and what is not independent."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from feint.errors import InvalidValue
from feint.simulate.oracles.majority import Majority, promised, reliability, voters_for


def test_three_voters_by_hand() -> None:
    """0.6³ + 3·0.6²·0.4 = 0.648."""
    assert reliability(3, "0.1") == pytest.approx(0.648)
    assert reliability(1, "0.1") == pytest.approx(0.6)


@given(st.fractions("0.51", "0.999"), st.fractions("0.02", "0.5"))
@examples(60)
def test_the_fewest_voters(p: Fraction, margin: Fraction) -> None:
    count = voters_for(p, margin)
    assert count % 2 == 1
    assert reliability(count, margin) >= p
    if count > 1:
        assert reliability(count - 2, margin) < p


def test_fresh_samples_are_as_reliable_as_promised_and_the_same_people_are_not() -> None:
    random = np.random.default_rng(0)
    margin, voters = 0.1, voters_for("0.9", "0.1")
    fresh = Majority(lambda value, k: random.binomial(k, 0.5 + margin), voters)
    answers = [fresh(1) for _ in range(4000)]
    assert np.mean(answers) == pytest.approx(reliability(voters, "0.1"), abs=0.03)
    # The same panel gives one answer for ever: asking again adds nothing.
    panel = random.random(voters) < 0.5 + margin
    again = Majority(lambda value, k: int(panel.sum()), voters)
    assert len({again(1) for _ in range(50)}) == 1


def test_refusals() -> None:
    with pytest.raises(InvalidValue, match="odd"):
        Majority(lambda value, k: k, 4)
    with pytest.raises(InvalidValue, match="margin"):
        voters_for("0.9", 0)
    with pytest.raises(InvalidValue, match="2\\^40"):
        voters_for("0.9", "1e-9")


@given(st.integers(0, 60).map(lambda half: 2 * half + 1), st.fractions("1/100", "1/2"))
@examples(60)
def test_what_is_promised_is_not_above_what_is_so_and_hardly_below(
    voters: int, margin: Fraction
) -> None:
    """Against the sum of the binomial law in rationals; one voter is as she is."""
    right = Fraction(1, 2) + margin
    exact = sum(
        comb(voters, k) * right**k * (1 - right) ** (voters - k)
        for k in range(voters // 2 + 1, voters + 1)
    )
    promise = promised(voters, margin)
    assert promise <= exact
    assert exact - promise < Fraction(1, 10**6) + Fraction(1, 10**11)
    assert voters > 1 or promise == right


def test_three_voters_are_promised_exactly() -> None:
    assert promised(3, "0.1") == Fraction("0.648")
    assert promised(100_001, "0.001") <= reliability(100_001, "0.001")
