"""Problems and units: what is accepted, what is refused, and in which words."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feint import Domain, InvalidValue, OutOfRegime, Problem
from feint.problem import Transcript


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
        ({"epsilon": 0}, "epsilon = 0: must be above zero; .* such as 0.001"),
        ({"epsilon": "-0.1"}, "epsilon = -0.1: must be above zero; .* epsilon = 0.1"),
        ({"delta": "nan"}, "delta = nan: must be a finite number"),
        ({"delta": float("inf")}, "delta = inf: must be a finite number"),
        ({"delta": "a lot"}, "delta = a lot: must be a finite number"),
        ({"level": 0}, "level = 0: .* nearest that works is 1"),
        ({"level": 2.5}, "level = 2.5: .* nearest that works is 3"),
        ({"setting": "frequentist"}, "setting = frequentist: .* bayesian, deterministic"),
        ({"level": "1e30"}, r"level = 1e30: .* nearest that works is 10\^18"),
        ({"p": 0.5}, "p = 0.5: .* carry no information"),
        ({"p": 0.2}, "negate the answers and give p = 0.8"),
        ({"p": 0}, "p = 0: .* negate the answers and leave p out"),
        ({"p": 1}, "p = 1: .* no noise; leave p out"),
        ({"p": 90}, "p = 90: must be a probability; .* percentage .* p = 0.9"),
        ({"p": -1}, "p = -1: must be a probability; .* such as 0.9"),
        ({"p": "0.5000000001"}, "nearest that works is p = 0.500000001"),
        ({"p": "0.99999999999999999999"}, "nearest that works is p = 0.999999999"),
        ({"p": 0.9, "setting": "deterministic"}, "p = 0.9: .* Bayesian setting only"),
        ({"confidence": 0.9}, "confidence = 0.9: .*; leave confidence out, or give p"),
        ({"p": 0.9, "confidence": 1}, r"confidence = 1: must lie in \[1/2, 1\).* such as 0.999"),
        ({"p": 0.9, "confidence": 95}, "percentage .* confidence = 0.95"),
        ({"p": 0.9, "confidence": 0.3}, "nearest that works is confidence = 0.5"),
        ({"dim": 0}, "dim = 0: .* nearest that works is 1"),
        ({"dim": "1e30"}, "dim = 1e30: .* nearest that works is 1000"),
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
        (
            ("1/2", "1/2", 4),
            "delta = 0.5: must be at most 1/level = 0.25; "
            "the nearest that works is delta = 0.25 with epsilon = 0.125",
        ),
    ],
)
def test_outside_the_regime_the_nearest_values_are_named(
    arguments: tuple[str, str, int], words: str
) -> None:
    with pytest.raises(OutOfRegime) as caught:
        Problem(*arguments, setting="deterministic")
    assert str(caught.value) == words


def test_an_accuracy_as_wide_as_everything_is_refused() -> None:
    """Nothing would be asked; in any setting, at any level, in the user's units."""
    words = "must be less than {}: the middle is that near without a question;"
    for epsilon in ("1", "3/2", 2):
        with pytest.raises(OutOfRegime) as refused:
            Problem(epsilon, "1/12", 3)
        assert refused.value.argument == "epsilon"
        assert words.format(1) in str(refused.value)
        assert refused.value.remedy == "the nearest that works is epsilon = 0.5"
    wanted: dict[str, Any] = {"epsilon": 1, "delta": "1/12", "level": 2}
    others: list[dict[str, Any]] = [{"p": "0.9"}, {"setting": "deterministic"}, {"dim": 2}]
    for more in [{"level": 1}, *others]:
        with pytest.raises(OutOfRegime, match="epsilon = 1: must be less than 1"):
            Problem(**wanted | more)
    with pytest.raises(OutOfRegime) as refused:
        Domain(20, 100).problem(epsilon=80, delta=8, level=2)
    assert str(refused.value).startswith("epsilon = 80: " + words.format("(high − low) = 80"))
    assert refused.value.remedy == "the nearest that works is epsilon = 40"
    assert Problem("0.999", "1/12", 3).epsilon < 1


def test_the_bayesian_setting_needs_no_delta_of_two_epsilon() -> None:
    """Nor does level 1, where delta says nothing."""
    assert Problem("1/8", "1/10", 2).delta < Problem("1/8", "1/10", 2).epsilon
    Problem("1/8", "1/100", 1, setting="deterministic")
    Problem("1/8", "1/100", 1, p=0.9)
    with pytest.raises(OutOfRegime, match=r"works is delta = 0\.25, or level = 2$"):
        Problem("1/2", "1/2", 4)


def test_noise_asks_for_four_epsilon_but_not_of_whole_values() -> None:
    Problem("1/100", "4/100", 3, p=0.9)
    with pytest.raises(OutOfRegime, match="4·epsilon"):
        Problem("1/100", "3/100", 3, p=0.9)
    assert Problem("1/97", "1/97", 3, p=0.9, values=97).delta == Fraction(1, 97)


def test_many_dimensions_share_the_level() -> None:
    assert Problem("1/100", "1/3", 10, dim=3).parts == 3
    with pytest.raises(OutOfRegime, match=r"at most 1/⌈level\^\(1/dim\)⌉ = 1/3; .* level = 8$"):
        Problem("1/100", "2/5", 10, dim=3)  # ⌊5/2⌋ = 2 parts in each of 3 coordinates


widths = st.fractions(Fraction(1, 10**6), 200)
shapes = st.fixed_dictionaries(
    {"level": st.integers(2, 50), "dim": st.integers(1, 4), "p": st.sampled_from([None, 0.9])}
)
intervals = st.sampled_from([Domain(0, 1), Domain(10, 110), Domain("-1/3", "1/7")])
steps = st.builds(
    lambda values, step: Domain(5, 5 + (values - 1) * step, step=step),
    st.integers(2, 60),
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3)]),
)


@given(intervals, widths, widths, shapes)
def test_the_remedy_on_an_interval_works(
    domain: Domain, epsilon: Fraction, delta: Fraction, shape: dict[str, Any]
) -> None:
    assert_every_remedy_works(domain, {"epsilon": epsilon, "delta": delta, **shape})


@given(steps, st.integers(1, 70), shapes)
def test_the_remedy_on_whole_values_works(domain: Domain, d: int, shape: dict[str, Any]) -> None:
    assert_every_remedy_works(domain, {"delta": d * (domain.step or 1), **shape})


def assert_every_remedy_works(domain: Domain, wanted: dict[str, Any]) -> None:
    try:
        domain.problem(**wanted)
    except OutOfRegime as error:
        choices = error.remedy.removeprefix("the nearest that works is ").split(", or ")
        assert choices
        for choice in choices:
            mended = dict(part.split(" = ") for part in choice.split(" with "))
            domain.problem(**wanted | mended)


def test_an_error_crosses_processes_whole() -> None:
    with pytest.raises(OutOfRegime) as caught:
        Problem("1/10", "1/10", 3, setting="deterministic")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_widths_in_dollars() -> None:
    problem = Domain(10, 110).problem(epsilon="0.50", delta=5, level=4)
    assert (problem.epsilon, problem.delta) == (Fraction(1, 200), Fraction(1, 20))
    with pytest.raises(OutOfRegime, match=r"delta = 40: .* \(high − low\)/level = 25;"):
        Domain(10, 110).problem(epsilon="0.50", delta=40, level=4)


def test_a_step_counts_both_ends() -> None:
    domain = Domain(1, 97, step=1)
    assert domain.values == 97
    problem = domain.problem(delta=7, level=4)
    assert (problem.epsilon, problem.delta) == (Fraction(1, 97), Fraction(7, 97))
    assert [domain.line(97).at(k) for k in (0, 1, 96)] == [1, 2, 97]
    assert domain.problem(delta=1, level=4).delta == Fraction(1, 97)
    halves = Domain(0, 10, step="1/2")  # 21 values: the unit interval is 21 halves
    assert halves.problem(delta=1, level=4).delta == Fraction(2, 21)
    with pytest.raises(OutOfRegime, match=r"\(high − low \+ step\)/level = 5.25; .* delta = 5$"):
        halves.problem(delta=6, level=2)


def test_an_interval_ends_where_it_ends() -> None:
    assert [Domain(10, 110).line(8).at(k) for k in (0, 1, 8)] == [10, Fraction(45, 2), 110]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Domain(5, 5), "high = 5: must be above low = 5; .* such as high = 6"),
        (lambda: Domain(7, 5), "high = 5: must be above low = 7; swap them: low = 5, high = 7"),
        (lambda: Domain(0, "x"), "high = x: must be a finite number"),
        (lambda: Domain(0, 10, step=3), "step = 3: must divide .* 10; .* high .* is 9 or 12"),
        (lambda: Domain(0, 10, step=20), "nearest high that works is 20"),
        (lambda: Domain(0, 10, step=0), "step = 0: must be above zero"),
        (lambda: Domain(0, 10, step=1).problem(delta=1.5, level=2), "nearest .* is delta = 2"),
        (lambda: Domain(0, 10, step=1).problem(delta=2, level=2, epsilon=3), "leave epsilon out"),
        (lambda: Domain(0, 10).problem(delta=2, level=2), "epsilon = None: is needed"),
        (lambda: Domain(1, 97, step=1).problem(delta=30, level=5), "delta = 19, or level = 3"),
    ],
)
def test_wrong_units_are_named(make: Any, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        make()


def test_transcripts_may_be_compared_and_hashed() -> None:
    one, other = (Transcript(np.zeros((2, 1), np.int64), (0,), (0,), (4,)) for _ in range(2))
    assert one == one
    assert one != other
    assert len({one, other}) == 2
