"""Response models as they are typed, in units, and what problems accept them."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from feint import Domain, InvalidValue, Problem
from feint.problem import Responses, read_noise

WANTED: dict[str, Any] = {"epsilon": 2, "delta": 10, "level": 4, "confidence": "0.9"}


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("logistic(6)", "logistic(6)"),
        (" probit ( 12|3 | 6)", "probit(3|6|12)"),
        ("logistic(3:1|6:2|12:1)", "logistic(3:1/4|6:1/2|12:1/4)"),
        ("logistic(3:2|6:2)", "logistic(3|6)"),
        ("logistic(0.5)", "logistic(1/2)"),
    ],
)
def test_a_model_is_read_and_written(typed: str, text: str) -> None:
    found = read_noise(typed)
    assert isinstance(found, Responses)
    assert found.text == text
    assert read_noise(found.text) == found


@pytest.mark.parametrize(
    "typed",
    [
        "logistic()",
        "logistic(0)",
        "logistic(-1)",
        "logistic(3|3)",
        "logistic(3:1|6)",
        "logistic(3:0|6:1)",
        "logistic(a)",
        "logistic(1:2:3)",
        "cauchy(3)",
        "probit(nan)",
    ],
)
def test_what_is_no_model_is_refused(typed: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        read_noise(typed)
    assert caught.value.argument == "p"
    assert caught.value.remedy


def test_scales_are_in_the_units_of_the_domain() -> None:
    domain = Domain(50, 250)
    problem = domain.problem(p="logistic(6)", **WANTED)
    assert problem.p == Responses("logistic", (Fraction(6, 200),))
    assert domain.says(problem) == "logistic(6)"
    assert "p = logistic(6)" in domain.states(problem)
    again = Problem(**{**problem.to_dict(), "prior": None})
    assert again == problem


@pytest.mark.parametrize(
    "more",
    [
        {"confidence": None},
        {"dim": 2},
        {"prior": "normal(50, 10)"},
        {"setting": "deterministic"},
        {"p": "logistic(1e9)"},
        {"p": "logistic(1e-9)"},
    ],
)
def test_what_is_not_proved_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue) as caught:
        Domain(0, 100).problem(**{"p": "logistic(6)", **WANTED, **more})
    assert caught.value.remedy


def test_whole_values_are_refused() -> None:
    with pytest.raises(InvalidValue, match="step"):
        Domain(0, 100, step=1).problem(p="logistic(6)", delta=10, level=4, confidence="0.9")


def test_the_curves_are_those_of_their_names() -> None:
    z = np.array([-40.0, -1.3, 0.0, 0.7, 40.0])
    logistic = [1 / (1 + math.exp(-each)) for each in z]
    normal = [math.erfc(-each / math.sqrt(2)) / 2 for each in z]
    curves = Responses("logistic", (Fraction(1),)), Responses("probit", (Fraction(1),))
    for curve, wanted in zip(curves, (logistic, normal), strict=True):
        assert curve.yes(z) == pytest.approx(wanted, rel=1e-12)
        assert np.exp(curve.log_yes(z)) == pytest.approx(wanted, rel=1e-9)
