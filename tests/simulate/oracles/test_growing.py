"""Samples that grow until they are decided: exact figures, and the smallest of them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.grown import outcomes

from feint.errors import InvalidValue
from feint.simulate.oracles import GrowingSample, growing_sample, promised, reliability

samples = st.builds(
    lambda half, more, others, lead: GrowingSample(
        first=2 * half + 1, more=2 * more, batches=others + 1 if more else 1, lead=lead
    ),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(1, 2),
    st.integers(1, 7),
)


def test_two_batches_by_hand() -> None:
    """Three agree with probability .343 + .027; otherwise two more decide: 3·.37 + 5·.63."""
    sample = GrowingSample(first=3, more=2, batches=2, lead=3)
    assert sample.sizes == (3, 5)
    assert sample.ends("0.2").after == (Fraction("0.37"), Fraction("0.63"))
    assert sample.mean("0.2") == Fraction("4.26")
    assert sample.ends("0.2").p == Fraction("0.83692") == promised(5, "0.2")


@given(samples, st.fractions("1/20", "9/20", max_denominator=50))
@examples(40)
def test_figures_are_those_of_every_order_of_votes(sample: GrowingSample, margin: Fraction) -> None:
    found = outcomes(sample, Fraction(1, 2) + margin)
    ends = sample.ends(margin)
    assert ends.p == sum(often for right, _, often in found if right)
    for size, often in zip(sample.sizes, ends.after, strict=True):
        assert often == sum(each for _, other, each in found if other == size)
    assert sample.mean(margin) == sum(size * often for _, size, often in found)
    assert sum(ends.after) == 1


@pytest.mark.parametrize("batches", [2, 3])
@pytest.mark.parametrize("voters", [5, 9, 15])
def test_no_sample_of_such_batches_is_smaller_on_average(voters: int, batches: int) -> None:
    """Against every first batch, every other batch and every lead, up to twice the voters."""
    margin = Fraction(1, 5)
    wanted = GrowingSample(first=voters).ends(margin).p
    least = Fraction(voters)
    for count in range(2, batches + 1):
        for first in range(1, voters + 1, 2):
            for more in range(2, voters + 1, 2):
                if not voters <= first + (count - 1) * more <= 2 * voters:
                    continue
                for lead in range(1, voters + 1, 2):
                    sample = GrowingSample(first=first, more=more, batches=count, lead=lead)
                    if sample.ends(margin).p >= wanted:
                        least = min(least, sample.mean(margin))
                        break
    assert growing_sample(voters, margin, batches=batches).mean(margin) == least


@given(st.integers(0, 40), st.sampled_from(["1/10", "1/5", "2/5"]), st.integers(1, 5))
@examples(20)
def test_it_is_right_as_often_as_a_fixed_sample(half: int, margin: str, batches: int) -> None:
    voters, exact = 2 * half + 1, Fraction(margin)
    sample = growing_sample(voters, exact, batches=batches)
    assert sample.ends(exact).p >= GrowingSample(first=voters).ends(exact).p
    assert sample.mean(exact) <= voters
    assert sample.largest <= 2 * voters
    assert sample.batches <= batches


def test_a_third_to_a_half_of_large_samples_is_saved() -> None:
    """31 voters, .2: 16.42 on average (a search over all batches of up to 62 voters)."""
    sample = growing_sample(31, Fraction(1, 5))
    assert float(sample.mean("0.2")) == pytest.approx(16.41735, abs=1e-5)
    assert float(sample.ends("0.2").p) >= reliability(31, "0.2")
    large = growing_sample(1003, Fraction(1, 50))
    assert large == GrowingSample(first=1003)  # more than are tried


def test_refusals() -> None:
    with pytest.raises(InvalidValue, match="first = 4: must be odd"):
        GrowingSample(first=4)
    with pytest.raises(InvalidValue, match="more = 3: must be even"):
        GrowingSample(first=3, more=3, batches=2)
    with pytest.raises(InvalidValue, match="more = 2: must be even"):
        GrowingSample(first=3, more=2)
    with pytest.raises(InvalidValue, match="more = 0: must be even"):
        GrowingSample(first=3, batches=2)
    with pytest.raises(InvalidValue, match="lead = 0"):
        GrowingSample(first=3, lead=0)
    with pytest.raises(InvalidValue, match="batches = 0"):
        growing_sample(5, Fraction(1, 5), batches=0)
