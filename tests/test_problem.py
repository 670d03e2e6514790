"""Problems and units: what is accepted, what is refused, and in which words."""

import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feint import Domain, InvalidValue, OutOfRegime, Problem


def test_a_problem_keeps_exact_values() -> None:
    problem = Problem("2^-20", 0.1, 3)
    assert (problem.epsilon, problem.delta, problem.level) == (
        Fraction(1, 2**20),
        Fraction(1, 10),
        3,
    )
    assert not problem.noisy
    assert problem.to_dict()["delta"] == "1/10"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 0}, "epsilon = 0: must be above zero"),
        ({"epsilon": -1}, "epsilon = -1: must be above zero"),
        ({"delta": "nan"}, "delta = nan: must be a finite number"),
        ({"delta": float("inf")}, "delta = inf: must be a finite number"),
        ({"delta": "a lot"}, "delta = a lot: must be a finite number"),
        ({"level": 1}, "level = 1: .* nearest that works is 2"),
        ({"level": 2.5}, "level = 2.5: .* nearest that works is 3"),
        ({"setting": "frequentist"}, "setting = frequentist: .* bayesian, deterministic"),
        ({"p": 0.5}, "p = 0.5: must lie strictly between 1/2 and 1"),
        ({"p": 0.2}, "negate them and give 4/5"),
        ({"p": 1}, "p = 1: .* noiseless .*; leave p out"),
        ({"p": 0.9, "setting": "deterministic"}, "p = 0.9: .* Bayesian setting only"),
        ({"confidence": 0.9}, "confidence = 0.9: .*; leave confidence out, or give p"),
        ({"p": 0.9, "confidence": 1}, r"confidence = 1: must lie in \[1/2, 1\)"),
        ({"p": 0.9, "confidence": 0.3}, "nearest that works is 1/2"),
        ({"dim": 0}, "dim = 0: .* nearest that works is 1"),
        ({"values": 1}, "values = 1: .* nearest that works is 2"),
    ],
)
def test_each_wrong_argument_is_named_with_value_rule_and_remedy(
    arguments: dict[str, Any], words: str
) -> None:
    given_ = {"epsilon": "1/100", "delta": "1/10", "level": 3, **arguments}
    with pytest.raises(InvalidValue, match=words):
        Problem(**given_)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("1/10", "1/10", 3),
            "delta = 0.1: must be at least 2·epsilon = 0.2; "
            "the nearest that works is delta = 0.2, or epsilon = 0.05",
        ),
        (
            ("1/100", "1/2", 3),
            "delta = 0.5: must be at most 1/level = 1/3; "
            "the nearest that works is delta = 1/3, or level = 2",
        ),
    ],
)
def test_outside_the_regime_the_nearest_values_are_named(
    arguments: tuple[str, str, int], words: str
) -> None:
    with pytest.raises(OutOfRegime) as caught:
        Problem(*arguments)
    assert str(caught.value) == words


def test_noise_asks_for_four_epsilon() -> None:
    Problem("1/100", "4/100", 3, p=0.9)
    with pytest.raises(OutOfRegime, match="4·epsilon"):
        Problem("1/100", "3/100", 3, p=0.9)


def test_many_dimensions_share_the_level() -> None:
    assert Problem("1/100", "1/3", 10, dim=3).parts == 3
    with pytest.raises(OutOfRegime, match=r"at most 1/⌈level\^\(1/dim\)⌉ = 1/3"):
        Problem("1/100", "2/5", 10, dim=3)


@given(
    st.fractions(Fraction(1, 10**6), Fraction(1, 2)),
    st.fractions(Fraction(1, 10**6), 2),
    st.integers(2, 50),
)
def test_the_remedy_of_an_error_works(epsilon: Fraction, delta: Fraction, level: int) -> None:
    error = broken_rule(epsilon, delta, level)
    if error is None or "nearest" not in error.remedy:
        return
    for choice in error.remedy.removeprefix("the nearest that works is ").split(", or "):
        name, value = choice.split(" = ")
        mended = {"epsilon": epsilon, "delta": delta, "level": level, name: value}
        second = broken_rule(**mended)  # one inequality is mended, the other may remain
        assert second is None or second.rule != error.rule


def broken_rule(epsilon: Any, delta: Any, level: Any) -> OutOfRegime | None:
    try:
        Problem(epsilon, delta, level)
    except OutOfRegime as error:
        return error
    return None


def test_an_error_crosses_processes_whole() -> None:
    with pytest.raises(OutOfRegime) as caught:
        Problem("1/10", "1/10", 3)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_widths_in_dollars() -> None:
    problem = Domain(10, 110).problem(epsilon="0.50", delta=5, level=4)
    assert (problem.epsilon, problem.delta) == (Fraction(1, 200), Fraction(1, 20))
    with pytest.raises(OutOfRegime, match=r"delta = 40: .* = 25 \(the whole range is 100\)"):
        Domain(10, 110).problem(epsilon="0.50", delta=40, level=4)


def test_a_step_counts_both_ends() -> None:
    domain = Domain(1, 97, step=1)
    assert domain.values == 97
    problem = domain.problem(delta=7, level=4)
    assert (problem.epsilon, problem.delta) == (Fraction(1, 97), Fraction(7, 97))
    assert [domain.at(k, 97) for k in (0, 1, 96)] == [1, 2, 97]
    assert domain.problem(delta=1, level=4).delta == Fraction(1, 97)


def test_an_interval_ends_where_it_ends() -> None:
    assert [Domain(10, 110).at(k, 8) for k in (0, 1, 8)] == [10, Fraction(45, 2), 110]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Domain(5, 5), "high = 5: must be above low = 5"),
        (lambda: Domain(0, "x"), "high = x: must be a finite number"),
        (lambda: Domain(0, 10, step=3), "step = 3: must divide .* 10; .* high .* is 9 or 12"),
        (lambda: Domain(0, 10, step=20), "nearest high that works is 20"),
        (lambda: Domain(0, 10, step=0), "step = 0: must be above zero"),
        (lambda: Domain(0, 10, step=1).problem(delta=1.5, level=2), "nearest that works is 2"),
        (lambda: Domain(0, 10, step=1).problem(delta=2, level=2, epsilon=3), "leave it out"),
        (lambda: Domain(0, 10).problem(delta=2, level=2), "epsilon = None: is needed"),
        (lambda: Domain(1, 97, step=1).problem(delta=30, level=5), "delta = 19, or level = 3"),
    ],
)
def test_wrong_units_are_named(make: Any, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        make()
