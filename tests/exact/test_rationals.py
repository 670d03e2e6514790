"""Exact numbers: what people may write, and floors and ceilings of logarithms."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feint import FeintError, InvalidValue
from feint.exact import (
    Number,
    ceil_div,
    ceil_log2,
    ceil_root,
    floor_log2,
    floor_log2_root,
    fraction,
    log2,
    near,
    plain,
    rational,
    root,
    rounded,
    text,
    whole,
)

positive = st.fractions(min_value=Fraction(1, 10**30), max_value=10**30)


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-6, Fraction(1, 10**6)),
        ("1/3", Fraction(1, 3)),
        (" 0.1 ", Fraction(1, 10)),
        ("1e-6", Fraction(1, 10**6)),
        ("2^-20", Fraction(1, 2**20)),
        ("2**-20", Fraction(1, 2**20)),
        ("10^3", Fraction(1000)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.int64(2**60 + 1), Fraction(2**60 + 1)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        ("1_000", Fraction(1000)),
        ("2^-996", Fraction(1, 2**996)),
    ],
)
def test_every_form_is_read_exactly(written: Number, exact: Fraction) -> None:
    read = rational(written, "value")
    assert read == exact
    assert type(read.numerator) is int


@pytest.mark.parametrize(
    "written",
    [
        "",
        "abc",
        "1/0",
        "nan",
        "inf",
        float("nan"),
        float("-inf"),
        Decimal("NaN"),
        "0^-1",
        "-2^2",
        True,
        None,
        [1],
        "1/3/5",
        "0x10",
        "\N{FULLWIDTH DIGIT TWO}",
        "\N{ARABIC-INDIC DIGIT THREE}/7",
        "1e\N{DEVANAGARI DIGIT FIVE}",
        "2^\N{SUPERSCRIPT TWO}",
        "1\0",
        "\ud800",
    ],
)
def test_what_is_no_number_is_refused_by_name(written: Any) -> None:
    with pytest.raises(InvalidValue, match=r"^epsilon = .*: must be a .*number.*; write it as 3, "):
        rational(written, "epsilon")


@pytest.mark.parametrize(
    "written",
    [
        "2^-20000",
        "7^-10000",
        "9^-999999999999",
        "9" * 10**6,
        "9" * 890 + "^1200",
        "1e400000",
        "1e-5000",
        "1e-9_99999999",
        "1e300",
        "1/" + "3" * 301,
        "0." + "3" * 5000,
        Decimal("1e-99999999"),
        10**300,
        Fraction(1, 10**5000),
    ],
)
def test_what_is_too_long_to_print_is_refused_with_the_limit(written: Number) -> None:
    with pytest.raises(InvalidValue, match=r"^epsilon = .*: .* at most 300 digits .*; round it"):
        rational(written, "epsilon")


def test_whole_numbers_name_the_nearest() -> None:
    assert whole("15", "level", least=2) == 15
    with pytest.raises(FeintError, match=r"level = 2.5: must be a whole .* nearest .* is 3"):
        whole(2.5, "level", least=2)
    with pytest.raises(FeintError, match=r"nearest that works is 2"):
        whole(-7, "level", least=2)
    with pytest.raises(FeintError, match=r"dim = 1e30: .* from 1 to 9; .* nearest .* is 9$"):
        whole("1e30", "dim", least=1, most=9)


@given(positive)
def test_floor_and_ceiling_bracket_the_logarithm(x: Fraction) -> None:
    floor, ceiling = floor_log2(x), ceil_log2(x)
    assert Fraction(2) ** floor <= x < Fraction(2) ** (floor + 1)
    assert Fraction(2) ** (ceiling - 1) < x <= Fraction(2) ** ceiling
    assert floor <= log2(x) <= ceiling


@given(st.integers(1, 200), st.sampled_from([-1, 1]))
def test_the_logarithm_keeps_its_digits_near_one(k: int, sign: int) -> None:
    """ln(1+t) lies within t² of t, so log2(1 ± 10^-k) is ±10^-k/ln 2 to a relative 10^-k."""
    tiny = Fraction(sign, 10**k)
    assert log2(1 + tiny) == pytest.approx(float(tiny) / math.log(2), rel=max(1e-14, 10.0**-k))


@given(st.integers(-400, 400))
def test_powers_of_two_are_exact_and_their_neighbours_are_not_missed(k: int) -> None:
    x, tiny = Fraction(2) ** k, Fraction(1, 10**200)
    assert floor_log2(x) == ceil_log2(x) == log2(x) == k
    assert floor_log2(x * (1 - tiny)) == k - 1
    assert ceil_log2(x * (1 + tiny)) == k + 1


@given(positive, st.integers(1, 6))
def test_floor_of_the_log_of_a_root(x: Fraction, degree: int) -> None:
    floor = floor_log2_root(x, degree)
    assert Fraction(2) ** (floor * degree) <= x < Fraction(2) ** ((floor + 1) * degree)


@given(st.integers(1, 10**40), st.integers(1, 7))
def test_ceiling_of_a_root(x: int, degree: int) -> None:
    g = ceil_root(x, degree)
    assert (g - 1) ** degree < x <= g**degree
    assert abs(root(x, degree) ** degree / x - 1) < 1e-9


def test_ceiling_of_a_quotient() -> None:
    assert [ceil_div(7, 2), ceil_div(6, 2), ceil_div(-7, 2)] == [4, 3, -3]
    assert ceil_div(Fraction(1, 2), Fraction(1, 3)) == 2


def test_a_whole_root_is_an_int() -> None:
    assert root(27, 3) == 3
    assert isinstance(root(27, 3), int)


def test_logarithms_need_a_positive_number() -> None:
    with pytest.raises(InvalidValue):
        floor_log2(0)


@given(st.fractions())
def test_text_reads_back(x: Fraction) -> None:
    assert rational(text(x), "x") == x
    assert rational(plain(x), "x") == x


def test_plain_prefers_decimals() -> None:
    assert [plain(Fraction(97, 5)), plain(Fraction(1, 3)), plain(100)] == ["19.4", "1/3", "100"]


@given(st.fractions(), positive)
def test_decimals_are_as_near_as_they_say(value: Fraction, unit: Fraction) -> None:
    assert abs(Fraction(rounded(value, unit)) - value) <= unit
    assert abs(Fraction(near(value, unit)) - value) <= unit / 1000
    assert set(near(value, unit)) <= set("-.0123456789")
    assert Fraction(near(Fraction(round(value * 1000), 1000), unit)) * 1000 == round(value * 1000)


def test_decimals_for_people() -> None:
    assert near(Fraction(1, 3), Fraction(1, 100)) == "0.33333"
    assert near(Fraction(-1, 8), Fraction(1)) == "-0.125"
    assert rounded(Fraction(75165, 1024), Fraction(1, 1000)) == "73.403"
    assert rounded(Fraction(-1, 1000), Fraction(1, 10)) == "0"


def test_a_rational_as_it_is_printed_is_read_back_and_nothing_else() -> None:
    for number in (Fraction(1, 3), Fraction(-7), Fraction(0), Fraction(10**4000, 3**500)):
        assert fraction(str(number), "value") == number
    for word in ("1e5", "0.5", "1/0", "1/-3", "+1", " 1", "1_0", "", "9" * 4301, 5, None):
        with pytest.raises(InvalidValue, match=r"^value = something else: must be a rational in"):
            fraction(word, "value")
