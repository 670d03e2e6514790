"""Every theorem: its numbers, its conditions, and the laws between bounds."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feint import InvalidValue, OutOfRegime, Problem, bounds
from feint.bounds import Bound, Value, bayesian_lower, c1, c2, c3, c4, table
from feint.cli.app import run
from feint.problem import SETTINGS, Setting


def values(problem: Problem) -> dict[str, Value | None]:
    return {row.name: row.value for row in table(problem)}


def test_the_figures_at_fifteen_parts() -> None:
    rows = values(Problem("2^-20", "2^-8", 15))
    assert (rows["paper.upper"], rows["paper.lower"], rows["earlier.upper"]) == (213, 153, 269)
    rows = values(Problem("2^-20", "2^-8", 15, setting="deterministic"))
    assert list(rows.values()) == [42, 38, 47, 38, 39]


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


@pytest.mark.parametrize(
    ("function", "problem", "value"),
    [
        # δ/ε = 2^16, so log = 16 and log log = 4: 15(16 − 12 − 1).
        ("bayesian_earlier_lower", Problem("2^-24", "2^-8", 15), 45),
        # log 1000 = 9.96578428, its log 3.31698335: 2(9.96578428 − 9.95095004 − 1).
        ("bayesian_earlier_lower", Problem("1/10000", "1/10", 2), -1.97033151),
        # ⌊log 10/3⌋ = 1, ⌈log 10⌉ = 4: 1 + 3·6 − 1; log 10 = 3.32192809: 1 + 3·1.32192809 − 1.
        ("bayesian_upper", Problem("1/100", "1/10", 3), 18),
        ("bayesian_lower", Problem("1/100", "1/10", 3), 3.96578428),
        # ⌈log 100/3⌉ = 6: 3·6 + 3 − 1.
        ("bayesian_earlier_upper", Problem("1/100", "1/10", 3), 20),
    ],
)
def test_bayesian_values_by_hand(function: str, problem: Problem, value: float) -> None:
    assert getattr(bounds, function)(problem) == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(
    ("delta", "upper", "lower", "earlier_upper", "earlier_lower", "feint_lower"),
    [
        # δ small, L = 3, ε = 2^-40: the first terms win, 40 + 3, 40 + 3 − 8, 40; ⌈40 − log 3⌉ = 39.
        # One guess saves a halving, the other next to nothing: 39 halvings and 2.
        ("2^-30", 43, 35, 39 + 6, 40, 41),
        # δ large: the second terms win, 38 + 6 and 38 + 2; ⌈log (2^38 − 1)⌉ + 3.
        ("2^-2", 44, 40, 39 + 6, 40, 41),
        # δ = 1/3: ⌈40 − log 3⌉ = 39, 39 + 6 and 39 + 2; 39 + 3.
        ("1/3", 45, 41, 39 + 6, 41, 42),
    ],
)
def test_deterministic_values_by_hand(
    delta: str,
    upper: int,
    lower: int,
    earlier_upper: int,
    earlier_lower: int,
    feint_lower: int,
) -> None:
    rows = values(Problem("2^-40", delta, 3, setting="deterministic"))
    assert list(rows.values()) == [upper, lower, earlier_upper, earlier_lower, feint_lower]


@pytest.mark.parametrize(
    ("setting", "level", "dim", "delta", "upper", "lower"),
    [
        # g = γ = 3, ⌊log 256/3⌋ = 6, log δ/ε = 12: 2(6 + 3·14 − 1) and 2(6 + 3·10 − 1).
        ("bayesian", 9, 2, "2^-8", 94, 70),
        # g = 3 but γ = 10^(1/3) = 2.15443469: ⌊log 10/3⌋ = 1, ⌊log 10/γ⌋ = ⌊log 4.64⌋ = 2, and
        # log δ/ε = 12: 3(1 + 3·14 − 1) and 3(2 + 10γ − 1).
        ("bayesian", 10, 3, "1/10", 126, 3 * (1 + 21.5443469)),
        # g = γ = 3, max{2^-3, 2^-8}/ε = 2^17: 2(6 + 17 + 1) and 2(6 + 17 − 8).
        ("deterministic", 9, 2, "2^-8", 48, 30),
        # max{2^-3, 2^-2}/ε = 2^18: 2(6 + 18 + 1) and 2(6 + 18 − 8).
        ("deterministic", 9, 2, "2^-2", 50, 32),
        # max{1/8, 1/7} = δ, and log δ/ε = 12: 2(6 + 12 + 1) and 2(6 + 12 − 8).
        ("deterministic", 9, 2, "1/7", 38, 20),
    ],
)
def test_values_in_many_dimensions_by_hand(
    setting: Setting, level: int, dim: int, delta: str, upper: float, lower: float
) -> None:
    epsilon = "2^-20" if delta.startswith("2") else Fraction(delta) / 2**12
    rows = values(Problem(epsilon, delta, level, dim=dim, setting=setting))
    assert [rows["paper.upper"], rows["paper.lower"]] == pytest.approx([upper, lower])


# The constants of Theorem 5 at p = 3/4, from log 3 = 1.5849625007211562 and log e.
C1 = 1.5849625007211562 / 2
C2 = 1.5849625007211562 * 3 / 4 - 1
C3 = math.log2(math.e) / 16
C4 = (2 - 1.5849625007211562) / 2


@pytest.mark.parametrize(
    ("level", "many", "upper", "lower"),
    [
        # ε = 2^-10, δ = 2^-4, δ/ε = 2^6. On average: log 64δ/ε = 12, and L log δ/16ε = 2L = 8
        # outweighs log 1/8ε = 7 at L = 4 but not at L = 2.
        (4, None, (14 / C3 + 7 / C4) * (10 + 4 * 12), 8 / (2 * C2)),
        (2, None, (14 / C3 + 7 / C4) * (10 + 2 * 12), 7 / (2 * C2)),
        # M = 16: log 12Mδ/ε = 10 + log 12 = 12 + log 3; L log δ/8ε = 3L against log 1/4ε = 8.
        (4, 16, (8 / C3 + 7 / C4) * (10 + 4 * (12 + 1.5849625007)), 12 / (2 * C2)),
        (2, 16, (8 / C3 + 7 / C4) * (10 + 2 * (12 + 1.5849625007)), 8 / (2 * C2)),
        # M = 2^20: log 12Mδ/ε = 28 + log 3, and L log M/8 = 17L over 2c₁ is the largest.
        (4, 2**20, (8 / C3 + 7 / C4) * (10 + 4 * (28 + 1.5849625007)), 4 * 17 / (2 * C1)),
    ],
)
def test_noisy_values_by_hand(level: int, many: int | None, upper: float, lower: float) -> None:
    confidence = None if many is None else 1 - Fraction(1, many)
    rows = values(Problem("2^-10", "2^-4", level, p="3/4", confidence=confidence))
    assert [rows["paper.upper"], rows["paper.lower"]] == pytest.approx([upper, lower], rel=1e-9)


def test_noisy_bounds_keep_their_digits_near_a_half() -> None:
    """With x = 2p − 1 small, c₂ → x²/2 · log e and c₃ = x²/4 · log e, c₄ → x²/2 · log e."""
    rows = values(Problem("2^-10", "2^-4", 4, p="0.500000001"))
    square = 4e-18 * math.log2(math.e)
    expected = [(14 / (square / 4) + 7 / (square / 2)) * 58, 8 / square]
    assert [rows["paper.upper"], rows["paper.lower"]] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", range(51))
def test_floors_and_ceilings_at_thirds(k: int, capsys: pytest.CaptureFixture[str]) -> None:
    """At δ = 1/(3·2^k) and L = 3, 1/(Lδ) = 2^k exactly, and ε = δ/2^j makes δ/ε = 2^j."""
    for j in (1, 7, 40):
        epsilon, delta = Fraction(1, 3 * 2 ** (k + j)), Fraction(1, 3 * 2**k)
        bayesian = [k + 3 * (j + 2) - 1, max(0, k + 3 * (j - 2) - 1), 3 * (k + j) + 2]
        narrow = ceiling_log2(3 * 2 ** (k + j))
        deterministic = [
            max(narrow + 3, j + 6),
            max(narrow + 3 - 8, j + 6 - 4),
            k + j + 6,
            max(narrow, j + 6 - 4),
        ]
        words = ["bounds", "--json", f"--epsilon={epsilon}", f"--delta={delta}", "--level=3"]
        for setting, expected in zip(SETTINGS, (bayesian, deterministic), strict=True):
            problem = Problem(epsilon, delta, 3, setting=setting)
            assert list(values(problem).values())[: len(expected)] == expected
            assert run([*words, f"--setting={setting}"]) == 0
            shown = [row["value"] for row in json.loads(capsys.readouterr().out)["bounds"]]
            assert shown[: len(expected)] == expected


@given(st.integers(0, 50), st.integers(0, 60))
def test_ceilings_between_powers_of_two(k: int, j: int) -> None:
    """ε = 2^-(k+j+3) makes δ/ε = 2^(j+3)/3, between 2^(j+1) and 2^(j+2)."""
    problem = Problem(Fraction(1, 2 ** (k + j + 3)), Fraction(1, 3 * 2**k), 3)
    assert values(problem)["paper.upper"] == k + 3 * (j + 2 + 2) - 1


def ceiling_log2(x: int) -> int:
    """The least c with 2^c ≥ x, by integers alone."""
    return next(c for c in range(200) if 2**c >= x)


@st.composite
def problems(draw: Any) -> Problem:
    level, dim = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    setting = draw(st.sampled_from(["bayesian", "deterministic"]))
    noisy = setting == "bayesian" and draw(st.booleans())
    parts = Problem("1/100000", "1/10000", level, dim=dim).parts
    delta = draw(st.fractions(Fraction(1, 10**9), Fraction(1, parts)))
    epsilon = delta / draw(st.fractions(4 if noisy else 2, 10**9))
    p = draw(st.fractions(Fraction(51, 100), Fraction(99, 100))) if noisy else None
    sure = draw(st.one_of(st.none(), st.fractions(Fraction(1, 2), Fraction(999, 1000))))
    confidence = sure if noisy else None
    return Problem(epsilon, delta, level, setting=setting, dim=dim, p=p, confidence=confidence)


@given(problems())
def test_no_lower_bound_exceeds_an_upper_bound(problem: Problem) -> None:
    rows = [(row.kind, row.value) for row in table(problem) if row.applies]
    lower = [value for kind, value in rows if kind == "lower" and value is not None]
    upper = [value for kind, value in rows if kind == "upper" and value is not None]
    assert all(low <= high + 1e-9 for low in lower for high in upper)


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
        return {row.name: row.applies for row in table(problem)}["earlier.lower"]

    assert applies(Problem("1/1000", "1/100", 3))
    assert not applies(Problem("1/1000", "4/1000", 3))
    assert not applies(Problem("1/1000", "1/3", 3))


@pytest.mark.parametrize(
    ("problem", "subject", "least"),
    [
        # 2^6 < 97 ≤ 2^7, and 97² < 2^14.
        (Problem("1/97", "7/97", 4, values=97), "whole values", 7),
        (Problem("1/97", "7/97", 4, values=97, dim=2, setting="deterministic"), "whole values", 14),
        # (.95·2·log 1000 − 1)/c₂(.9), and log 97 = 6.5999 of whole values.
        (Problem(0.001, 0.1, 4, p=0.9, confidence=0.95, dim=2), "several dimensions", 33.7755),
        (Problem("1/97", "7/97", 4, values=97, p=0.9, confidence=0.95), "whole values", 9.9245),
    ],
)
def test_where_no_theorem_is_known_the_table_says_so(
    problem: Problem, subject: str, least: float
) -> None:
    """What it takes to find X* at all is known even so."""
    upper, lower, search, *others = table(problem)
    assert {each.name for each in others} <= {"feint.lower", "converse.lower"}
    for row in (upper, lower):
        assert (row.value, row.applies, row.reference) == (None, False, "none known")
        assert row.reason.endswith(subject)
    assert search.name == "search.lower"
    assert search.value == pytest.approx(least, abs=1e-4)


def test_the_sharper_rows_of_theorem_5() -> None:
    """5/c₂·(.95·log 10 − 1) and (.95·log 1000 − 1)/c₂ with c₂ = 1 − h(.9) = .531004."""
    rows = values(Problem(0.001, 0.02, 5, p=0.9, confidence=0.95))
    assert rows["paper.lower"] == pytest.approx(7.50, abs=0.01)
    assert rows["sharper.lower"] == pytest.approx(20.30, abs=0.01)
    assert rows["search.lower"] == pytest.approx(15.95, abs=0.01)
    # 2/δ = 66.7 is no whole number: 67 stretches, log(1/(67·.001)) = 3.8997.
    rows = values(Problem(0.001, 0.03, 5, p=0.9, confidence=0.95))
    assert rows["sharper.lower"] == pytest.approx(5 / c2("0.9") * (0.95 * 3.8997 - 1), abs=0.01)


def test_on_average_the_sharper_rows_say_nothing() -> None:
    rows = [row for row in table(Problem(0.001, 0.02, 5, p=0.9)) if row.name != "feint.lower"]
    for row in rows[2:4]:
        assert (row.value, row.reason) == (
            None,
            "this theorem is about accuracy with a stated confidence",
        )


def test_a_bound_that_is_argued_approximately_says_so() -> None:
    rows = table(Problem("2^-20", "2^-8", 10, dim=3, setting="deterministic"))
    named = [row.reference for row in rows if row.name != "feint.lower"]
    assert named == ["Theorem 4", "Theorem 4, argued approximately"]


def test_the_rates_of_a_noisy_answer() -> None:
    """By hand at p = 3/4; near 1/2 all vanish like (p − ½)², at the rates of their series."""
    assert [c1("3/4"), c2("3/4"), c3("3/4"), c4("3/4")] == pytest.approx([C1, C2, C3, C4])
    small, e = Fraction(1, 10**4), math.log2(math.e)
    near = [float(rate(Fraction(1, 2) + small)) / float(small) ** 2 for rate in (c1, c2, c3, c4)]
    assert near == pytest.approx([8 * e, 2 * e, e, 2 * e], rel=1e-6)
    with pytest.raises(InvalidValue, match="between 1/2 and 1"):
        c2("1/2")


KINDS = {
    "bayesian": Problem(0.001, 0.1, 4),
    "deterministic": Problem(0.001, 0.1, 4, setting="deterministic"),
    "noisy": Problem(0.001, 0.1, 4, p=0.9),
}


@pytest.mark.parametrize(
    "suffix", ["_upper", "_lower", "_earlier_upper", "_earlier_lower", "_many"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_refuses_a_problem_its_theorem_is_not_about(kind: str, suffix: str) -> None:
    name = f"{kind}_upper_many" if suffix == "_many" else kind + suffix
    function = getattr(bounds, name, None)
    if function is None:
        return
    assert function(KINDS[kind]) is not None
    for other in KINDS.keys() - {kind}:
        with pytest.raises(OutOfRegime, match="this theorem is about"):
            function(KINDS[other])
    with pytest.raises(OutOfRegime, match="whole values"):
        function(changed(KINDS[kind], epsilon="1/20", delta="2/20", values=20))
    if suffix != "_many":
        with pytest.raises(OutOfRegime, match="one dimension"):
            function(changed(KINDS[kind], dim=2))


def test_nobody_asks_fewer_than_no_questions(capsys: pytest.CaptureFixture[str]) -> None:
    """ε = 1/4, δ = 1/2, L = 2: ⌊log 1⌋ + 2(1 − 2) − 1 = −3, which says nothing."""
    problem = Problem("1/4", "1/2", 2)
    assert bayesian_lower(problem) == -3
    row = table(problem)[1]
    assert (row.name, row.value, row.applies, row.reason) == ("paper.lower", 0, True, "")
    assert row.note == "the formula gives -3; no search asks fewer than 0 questions"
    words = ["--epsilon", "1/4", "--delta", "1/2", "--level", "2"]
    assert run(["bounds", *words]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[4].split()[:2] == ["paper.lower", "0"]
    assert told[-2] == f"paper.lower: {row.note}"
    assert run(["plan", *words]) == 0
    assert "paper.lower 0," in capsys.readouterr().out


def test_rationals_are_strings_in_json() -> None:
    third = Bound("paper.lower", "lower", Fraction(1, 3), "Theorem 1", True)
    assert third.to_dict() == {
        "name": "paper.lower",
        "kind": "lower",
        "value": "1/3",
        "reference": "Theorem 1",
        "applies": True,
        "reason": "",
        "note": "",
    }
    assert table(Problem("2^-20", "2^-8", 15))[0].to_dict()["value"] == 213
