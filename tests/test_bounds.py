"""Every theorem: its numbers, its conditions, and the laws between bounds."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feint import Problem
from feint.bounds import Value, bayesian_lower, bayesian_upper, table


def values(problem: Problem) -> dict[str, Value | None]:
    return {row.name: row.value for row in table(problem)}


def test_the_figures_at_fifteen_parts() -> None:
    rows = values(Problem("2^-20", "2^-8", 15))
    assert (rows["paper.upper"], rows["paper.lower"], rows["prior.upper"]) == (213, 153, 269)
    rows = values(Problem("2^-20", "2^-8", 15, setting="deterministic"))
    assert list(rows.values()) == [42, 38, 47, 38]


def test_the_figures_in_three_dimensions() -> None:
    assert values(Problem("2^-20", "2^-8", 10, dim=3))["paper.upper"] == 141
    problem = Problem("2^-20", "2^-8", 10, dim=3, setting="deterministic")
    assert values(problem)["paper.upper"] == 72


def test_the_noisy_figure() -> None:
    rows = values(Problem(0.001, 0.05, 5, p=0.9, confidence=0.95))
    assert rows["paper.upper"] == pytest.approx(3431.8, abs=0.05)


def test_whole_values_are_ints_and_irrational_ones_floats() -> None:
    assert isinstance(bayesian_lower(Problem("2^-20", "2^-8", 15)), int)
    assert isinstance(bayesian_lower(Problem("1/1000", "1/100", 15)), float)


@given(st.integers(0, 50), st.integers(0, 60))
def test_floors_and_ceilings_at_thirds(k: int, j: int) -> None:
    """At δ = 1/(3·2^k) and L = 3, 1/(Lδ) = 2^k exactly; δ/ε is (2^j)/3·… by integers alone."""
    epsilon, delta = Fraction(1, 2 ** (k + j + 3)), Fraction(1, 3 * 2**k)
    ceiling = next(c for c in range(200) if 2**c * 3 >= 2 ** (j + 3))
    assert bayesian_upper(Problem(epsilon, delta, 3)) == k + 3 * (ceiling + 2) - 1
    assert bayesian_upper(Problem(delta / 2**j / 2, delta, 3)) == k + 3 * (j + 1 + 2) - 1


@st.composite
def problems(draw: Any) -> Problem:
    level, dim = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    setting = draw(st.sampled_from(["bayesian", "deterministic"]))
    noisy = setting == "bayesian" and draw(st.booleans())
    parts = Problem("1/100000", "1/10000", level, dim=dim).parts
    delta = draw(st.fractions(Fraction(1, 10**9), Fraction(1, parts)))
    epsilon = delta / draw(st.fractions(4, 10**9))
    p = draw(st.fractions(Fraction(51, 100), Fraction(99, 100))) if noisy else None
    sure = draw(st.one_of(st.none(), st.fractions(Fraction(1, 2), Fraction(999, 1000))))
    confidence = sure if noisy else None
    return Problem(epsilon, delta, level, setting=setting, dim=dim, p=p, confidence=confidence)


@given(problems())
def test_no_lower_bound_exceeds_an_upper_bound(problem: Problem) -> None:
    rows = [row for row in table(problem) if row.applies and row.value is not None]
    lower = [row.value for row in rows if row.kind == "lower"]
    upper = [row.value for row in rows if row.kind == "upper"]
    assert all(low <= high + 1e-9 for low in lower for high in upper)  # type: ignore[operator]


@given(problems())
def test_the_papers_bounds_never_fall_as_the_level_rises(problem: Problem) -> None:
    """In d dimensions the law is about levels g^d: between them ⌈γ⌉ jumps while γ creeps."""
    parts = problem.parts
    assume(problem.delta * (parts + 1) <= 1)
    assert_no_fall(
        changed(problem, level=parts**problem.dim if parts > 1 else 2),
        changed(problem, level=(parts + 1) ** problem.dim),
    )


@given(problems())
def test_the_papers_bounds_never_fall_as_delta_doubles(problem: Problem) -> None:
    """⌊log 1/(Lδ)⌋ may fall by one before ⌈log δ/ε⌉ rises, so the law is about doublings."""
    assume(2 * problem.delta * problem.parts <= 1)
    assert_no_fall(problem, changed(problem, delta=2 * problem.delta))


def changed(problem: Problem, **fields: Any) -> Problem:
    same = ("epsilon", "delta", "level", "setting", "dim", "p", "confidence")
    return Problem(**({name: getattr(problem, name) for name in same} | fields))


def assert_no_fall(easy: Problem, hard: Problem) -> None:
    """A positive lower bound rises too, once log δ/ε − 2 ≥ 1 outweighs the floor that falls."""
    before, after = values(easy), values(hard)
    for name in ("paper.upper", "paper.lower"):
        small, large = before[name], after[name]
        if small is None or large is None:
            continue
        if name == "paper.upper" or (small > 0 and easy.delta >= 8 * easy.epsilon):
            assert large >= small - 1e-9


def test_the_earlier_lower_bound_has_conditions() -> None:
    def applies(problem: Problem) -> bool:
        return {row.name: row.applies for row in table(problem)}["prior.lower"]

    assert applies(Problem("1/1000", "1/100", 3))
    assert not applies(Problem("1/1000", "4/1000", 3))
    assert not applies(Problem("1/1000", "1/3", 3))


def test_where_no_theorem_speaks_the_table_says_so() -> None:
    for problem in (Problem("1/97", "7/97", 4, values=97), Problem(0.001, 0.1, 4, p=0.9, dim=2)):
        assert next((row.value, row.applies) for row in table(problem)) == (None, False)


def test_rationals_are_strings_in_json() -> None:
    row = table(Problem("2^-20", "2^-8", 15))[0].to_dict()
    assert row == {
        "name": "paper.upper",
        "kind": "upper",
        "value": 213,
        "reference": "Theorem 1",
        "applies": True,
    }
