"""Compute every theorem on the optimal number of queries N (Theorems 1 to 5).

A bound takes a `Problem`. It returns an int or Fraction where the formula is rational and a float
where a logarithm or a root is irrational; ⌊log⌋ and ⌈log⌉ are always exact. It raises OutOfRegime
for a problem that its theorem does not cover. `table` collects the bounds of a problem's setting.

References: "this paper" is J. Xu, K. Xu and D. Yang, *Optimal query complexity for private
sequential learning against eavesdropping*, 2021; the earlier ones are J. Tsitsiklis, K. Xu and
Z. Xu, *Private sequential learning*, 2018, and K. Xu, *Query complexity of Bayesian private
learning*, 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NoReturn

from feint.bounds.constants import c1, c2, c3, c4
from feint.bounds.near import near_lower, near_product_lower
from feint.bounds.noisy_near import meta_converse_lower, near_noisy_lower
from feint.bounds.worst_case import guesses_lower
from feint.errors import OutOfRegime
from feint.exact import ceil_log2, floor_log2, floor_log2_root, log2, root, text
from feint.problem import Problem, Setting, problem_of

Value = int | Fraction | float
"""A number of questions: exact where the theorem gives an exact number."""

Kind = Literal["lower", "upper"]
"""Whether a bound is on the questions that are needed, or on those that suffice."""


@dataclass(frozen=True)
class Bound:
    """A row of the table.

    Attributes:
        name: "paper.upper", "paper.lower", "earlier.upper" or "earlier.lower"; "sharper.lower"
            if a proof gives more than its theorem states; "feint.lower" for the bound on the
            largest number of questions of a plan in proofs/near.md; "search.lower" and
            "converse.lower" for the search without privacy.
        kind: "lower" or "upper".
        value: The number of queries, 0 or more; None if the theorem's conditions fail or no value
            is known.
        reference: The theorem.
        applies: True if the theorem's conditions hold for this problem.
        reason: The condition that fails; empty if none does.
        note: The negative value of a lower bound's formula, which is shown as 0; otherwise empty.
    """

    name: str
    kind: Kind
    value: Value | None
    reference: str
    applies: bool
    reason: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, str | int | float | bool | None]:
        """Return the row for JSON, with rationals as strings and whole numbers as numbers."""
        value = text(self.value) if isinstance(self.value, Fraction) else self.value
        row = {"name": self.name, "kind": self.kind, "value": value}
        row |= {"reference": self.reference, "applies": self.applies}
        return row | {"reason": self.reason, "note": self.note}


def bayesian_upper(problem: Problem) -> Value:
    """Return the upper bound N ≤ ⌊log 1/(Lδ)⌋ + L(⌈log δ/ε⌉ + 2) − 1.

    Conditions: Bayesian, noiseless, one dimension, 2ε ≤ δ ≤ 1/L. Reference: Theorem 1.
    """
    _only(problem, "bayesian")
    halvings = floor_log2(1 / (problem.level * problem.delta))
    return halvings + problem.level * (ceil_log2(problem.delta / problem.epsilon) + 2) - 1


def bayesian_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ ⌊log 1/(Lδ)⌋ + L(log δ/ε − 2) − 1.

    Conditions: Bayesian, noiseless, one dimension, 2ε ≤ δ ≤ 1/L. Reference: Theorem 1.
    """
    _only(problem, "bayesian")
    halvings = floor_log2(1 / (problem.level * problem.delta))
    return halvings + problem.level * (log2(problem.delta / problem.epsilon) - 2) - 1


def bayesian_earlier_upper(problem: Problem) -> Value:
    """Return the upper bound N ≤ L⌈log 1/(Lε)⌉ + L − 1, by replicated bisection.

    Conditions: Bayesian, noiseless, one dimension, 2ε ≤ δ ≤ 1/L; stated for 2ε < δ, but the
    strategy keeps its promise at 2ε = δ too. Reference: Tsitsiklis, Xu and Xu 2018.
    """
    _only(problem, "bayesian")
    return problem.level * ceil_log2(1 / (problem.level * problem.epsilon)) + problem.level - 1


def bayesian_earlier_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ L(log δ/ε − 3 log log δ/ε − 1).

    Conditions: Bayesian, noiseless, one dimension, 4ε < δ < 1/L. Reference: K. Xu 2018.
    """
    _only(problem, "bayesian")
    if not 4 * problem.epsilon < problem.delta < Fraction(1, problem.level):
        _refuse("delta", problem.delta, "needs 4·epsilon < delta < 1/level")
    ratio = log2(problem.delta / problem.epsilon)
    double = log2(ratio) if isinstance(ratio, int) else math.log2(ratio)
    return problem.level * (ratio - 3 * double - 1)


def deterministic_upper(problem: Problem) -> Value:
    """Return the upper bound N ≤ max{⌈log 1/ε⌉ + L, ⌈log δ/ε⌉ + 2L}.

    Conditions: deterministic, noiseless, one dimension, 2ε ≤ δ ≤ 1/L. Reference: Theorem 2.
    """
    _only(problem, "deterministic")
    fine = ceil_log2(problem.delta / problem.epsilon)
    return max(ceil_log2(1 / problem.epsilon) + problem.level, fine + 2 * problem.level)


def deterministic_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ max{⌈log 1/ε⌉ + L − 8, ⌈log δ/ε⌉ + 2L − 4}.

    Conditions: deterministic, noiseless, one dimension, 2ε ≤ δ ≤ 1/L. Reference: Theorem 2.
    """
    _only(problem, "deterministic")
    fine = ceil_log2(problem.delta / problem.epsilon)
    return max(ceil_log2(1 / problem.epsilon) + problem.level - 8, fine + 2 * problem.level - 4)


def deterministic_earlier_upper(problem: Problem) -> Value:
    """Return the upper bound N ≤ ⌈log 1/(Lε)⌉ + 2L, by opportunistic bisection.

    Conditions: deterministic, noiseless, one dimension, 2ε ≤ δ ≤ 1/L.
    Reference: Tsitsiklis, Xu and Xu 2018.
    """
    _only(problem, "deterministic")
    return ceil_log2(1 / (problem.level * problem.epsilon)) + 2 * problem.level


def deterministic_earlier_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ max{⌈log 1/ε⌉, ⌈log δ/ε⌉ + 2L − 4}.

    Conditions: deterministic, noiseless, one dimension, 2ε ≤ δ ≤ 1/L.
    Reference: Tsitsiklis, Xu and Xu 2018.
    """
    _only(problem, "deterministic")
    fine = ceil_log2(problem.delta / problem.epsilon)
    return max(ceil_log2(1 / problem.epsilon), fine + 2 * problem.level - 4)


def bayesian_upper_many(problem: Problem) -> Value:
    """Return the upper bound N ≤ d(⌊log 1/(gδ)⌋ + g(⌈log δ/ε⌉ + 2) − 1) with g = ⌈L^(1/d)⌉.

    Conditions: Bayesian, noiseless, d dimensions, 2ε ≤ δ ≤ 1/g. Reference: Theorem 3.
    """
    _only(problem, "bayesian", many=True)
    parts = problem.parts
    halvings = floor_log2(1 / (parts * problem.delta))
    fine = ceil_log2(problem.delta / problem.epsilon)
    return problem.dim * (halvings + parts * (fine + 2) - 1)


def bayesian_lower_many(problem: Problem) -> Value:
    """Return the lower bound N ≥ d(⌊log 1/(γδ)⌋ + γ(log δ/ε − 2) − 1) with γ = L^(1/d).

    Conditions: Bayesian, noiseless, d dimensions, 2ε ≤ δ ≤ 1/⌈γ⌉, and each coordinate searched
    independently of the others. Reference: Theorem 3.
    """
    _only(problem, "bayesian", many=True)
    halvings = floor_log2_root(1 / (problem.level * problem.delta**problem.dim), problem.dim)
    gamma = root(problem.level, problem.dim)
    fine = log2(problem.delta / problem.epsilon)
    return problem.dim * (halvings + gamma * (fine - 2) - 1)


def deterministic_upper_many(problem: Problem) -> Value:
    """Return the upper bound N ≤ d(2g + ⌈log max{2^−g, δ}/ε⌉ + 1) with g = ⌈L^(1/d)⌉.

    Conditions: deterministic, noiseless, d dimensions, 2ε ≤ δ ≤ 1/g. Reference: Theorem 4.
    """
    _only(problem, "deterministic", many=True)
    return problem.dim * (2 * problem.parts + ceil_log2(_reach(problem) / problem.epsilon) + 1)


def deterministic_lower_many(problem: Problem) -> Value:
    """Return the lower bound N ≥ d(2γ + log max{2^−g, δ}/ε − 8), γ = L^(1/d), g = ⌈γ⌉.

    Conditions: deterministic, noiseless, d dimensions, 2ε ≤ δ ≤ 1/g. Reference: Theorem 4. Its
    proof is approximate: it counts the boxes of possible numbers roughly, and allows 5 per
    coordinate for those at the edges. So the bound is a guide, not a certainty.
    """
    _only(problem, "deterministic", many=True)
    gamma = root(problem.level, problem.dim)
    return problem.dim * (2 * gamma + log2(_reach(problem) / problem.epsilon) - 8)


def noisy_upper(problem: Problem) -> Value:
    """Return an upper bound on N if each answer is right with probability p.

    On average: (14/c₃ + 7/c₄)(log 1/ε + L log 64δ/ε). With probability 1 − 1/M:
    (8/c₃ + 7/c₄)(log 1/ε + L log 12Mδ/ε).
    c₃ = (p−½)² log e and c₄ = ½(log 1/2p + log 1/2(1−p)).

    Conditions: Bayesian, one dimension, 4ε ≤ δ ≤ 1/L. Reference: Theorem 5. The paper's strategy
    is not defined if 7Lδ > 1, so its proof does not cover that case. The bound is as stated.
    """
    _only(problem, "bayesian", noisy=True)
    p, ratio = Fraction(problem.known_p or 1), problem.delta / problem.epsilon
    search, vote = 1 / c3(p), 1 / c4(p)
    coarse = log2(1 / problem.epsilon)
    if problem.confidence is None:
        return (14 * search + 7 * vote) * (coarse + problem.level * log2(64 * ratio))
    fine = log2(12 * ratio / (1 - problem.confidence))
    return (8 * search + 7 * vote) * (coarse + problem.level * fine)


def noisy_lower(problem: Problem) -> Value:
    """Return a lower bound on N if each answer is right with probability p.

    On average: (1/2c₂) max{L log δ/16ε, log 1/8ε}. With probability 1 − 1/M:
    max{(L/2c₂) log δ/8ε, (1/2c₂) log 1/4ε, (L/2c₁) log M/8}.
    c₁ = (1−p) log((1−p)/p) + p log(p/(1−p)) and c₂ = 1 − h(p), the channel's capacity.

    Conditions: Bayesian, one dimension, 4ε ≤ δ ≤ 1/L. Reference: Theorem 5.
    """
    _only(problem, "bayesian", noisy=True)
    p, ratio = Fraction(problem.known_p or 1), problem.delta / problem.epsilon
    twice = 2 * c2(p)
    if problem.confidence is None:
        coarse, fine = log2(1 / (8 * problem.epsilon)), log2(ratio / 16)
        return max(problem.level * fine, coarse) / twice
    coarse, fine = log2(1 / (4 * problem.epsilon)), log2(ratio / 8)
    sure = log2(1 / (8 * (1 - problem.confidence)))
    return max(problem.level * fine / twice, coarse / twice, problem.level * sure / (2 * c1(p)))


def noisy_private_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ (L/c₂)((1 − 1/M) log(1/(⌈2/δ⌉ε)) − 1).

    The logarithm is log δ/2ε if 2/δ is whole.

    Conditions: Bayesian, noisy, with probability 1 − 1/M, one dimension, 4ε ≤ δ ≤ 1/L.
    Reference: the proof of Theorem 5, before it rounds 1 − 1/M down to 1/2: the proportional
    eavesdropper and the expected number of queries in each of ⌈2/δ⌉ equal stretches.
    """
    _only(problem, "bayesian", noisy=True)
    sure = _sure(problem)
    stretches = math.ceil(2 / problem.delta)
    told = float(sure) * log2(1 / (stretches * problem.epsilon)) - 1
    return problem.level * told / c2(problem.known_p or 1)


def noisy_search_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ (1/c₂)((1 − 1/M)·d·log 1/ε − 1) without privacy.

    Conditions: Bayesian, noisy, with probability 1 − 1/M, any dimension, 4ε ≤ δ ≤ 1/L.
    Reference: the proof of Theorem 5 with everything as its interval; in d dimensions the same
    inequality of Fano, for a cube of side ε among ε^−d of them; whole values have ε = 1/m.
    """
    _only(problem, "bayesian", noisy=True, many=True, values=True)
    sure = _sure(problem)
    told = float(sure) * problem.dim * log2(1 / problem.epsilon) - 1
    return told / c2(problem.known_p or 1)


def counting_lower(problem: Problem) -> Value:
    """Return the lower bound N ≥ ⌈d log m⌉ for m whole values in each of d coordinates.

    Conditions: whole values, noiseless; either setting. Privacy is not taken into account.
    Reference: counting; with fixed coins, n answers distinguish at most 2^n numbers.
    """
    if problem.values is None:
        _refuse("values", None, "is about whole values")
    if problem.noisy:
        _refuse("p", problem.p, "is about answers that are never wrong")
    return ceil_log2(Fraction(problem.values**problem.dim))


def table(problem: Problem) -> list[Bound]:
    """Return all bounds on the number of queries for this problem's setting.

    Args:
        problem: The problem.

    Returns:
        One row per theorem: those of the paper first, upper before lower. If the formula of a lower
        bound is negative, the row has 0 and a note.
    """
    problem = problem_of(problem)
    if problem.values is not None:
        if problem.noisy:
            found = _NOISY_MANY if problem.dim > 1 else _NOISY_VALUES
        else:
            found = [_COUNTING, (_MANY if problem.dim > 1 else _ONE)[problem.setting][-1]]
        return [*_unknown("whole values"), *_rows(problem, found)]
    if problem.noisy and problem.dim > 1:
        return [*_unknown("noisy answers in several dimensions"), *_rows(problem, _NOISY_MANY)]
    if problem.noisy:
        return _rows(problem, _NOISY)
    return _rows(problem, (_MANY if problem.dim > 1 else _ONE)[problem.setting])


_Theorem = tuple[str, Callable[[Problem], Value], str]


def _rows(problem: Problem, theorems: Sequence[_Theorem]) -> list[Bound]:
    return [_row(problem, *each) for each in theorems]


def _row(
    problem: Problem, name: str, function: Callable[[Problem], Value], reference: str
) -> Bound:
    kind: Kind = "upper" if name.endswith("upper") else "lower"
    try:
        value = function(problem)
    except OutOfRegime as error:
        return Bound(name, kind, None, reference, False, reason=error.rule)
    if kind == "upper" or value >= 0:
        return Bound(name, kind, value, reference, True)
    note = f"the formula gives {_rounded(value)}; no search asks fewer than 0 questions"
    return Bound(name, kind, 0, reference, True, note=note)


def _rounded(value: Value) -> str:
    """Return a number with at most one decimal."""
    return str(value) if isinstance(value, int) else f"{float(value):.1f}"


def _unknown(subject: str) -> list[Bound]:
    """Return rows that say that no theorem bounds the price of privacy."""
    reason = f"no theorem is known for {subject}"
    return [
        Bound("paper.upper", "upper", None, "none known", False, reason),
        Bound("paper.lower", "lower", None, "none known", False, reason),
    ]


_EARLIER, _XU = "Tsitsiklis, Xu and Xu 2018", "K. Xu 2018"
_PROOF = "proof of Theorem 5"
_NEAR = "proofs/near.md: largest number of a plan"
_ALONE = f"{_NEAR}, each number by itself"
_NOISY_MANY: list[_Theorem] = [
    ("search.lower", noisy_search_lower, f"{_PROOF}, nothing hidden"),
]
_NOISY_VALUES: list[_Theorem] = [
    *_NOISY_MANY,
    ("feint.lower", near_noisy_lower, _NEAR),
    ("converse.lower", meta_converse_lower, "meta-converse, nothing hidden"),
]
_NOISY: list[_Theorem] = [
    ("paper.upper", noisy_upper, "Theorem 5"),
    ("paper.lower", noisy_lower, "Theorem 5"),
    ("sharper.lower", noisy_private_lower, _PROOF),
    *_NOISY_VALUES,
]
_COUNTING: _Theorem = ("search.lower", counting_lower, "counting, nothing hidden")
_ONE: dict[Setting, list[_Theorem]] = {
    "bayesian": [
        ("paper.upper", bayesian_upper, "Theorem 1"),
        ("paper.lower", bayesian_lower, "Theorem 1"),
        ("earlier.upper", bayesian_earlier_upper, _EARLIER),
        ("earlier.lower", bayesian_earlier_lower, _XU),
        ("feint.lower", near_lower, _NEAR),
    ],
    "deterministic": [
        ("paper.upper", deterministic_upper, "Theorem 2"),
        ("paper.lower", deterministic_lower, "Theorem 2"),
        ("earlier.upper", deterministic_earlier_upper, _EARLIER),
        ("earlier.lower", deterministic_earlier_lower, _EARLIER),
        ("feint.lower", guesses_lower, _NEAR),
    ],
}
_MANY: dict[Setting, list[_Theorem]] = {
    "bayesian": [
        ("paper.upper", bayesian_upper_many, "Theorem 3"),
        ("paper.lower", bayesian_lower_many, "Theorem 3"),
        ("feint.lower", near_product_lower, _ALONE),
    ],
    "deterministic": [
        ("paper.upper", deterministic_upper_many, "Theorem 4"),
        ("paper.lower", deterministic_lower_many, "Theorem 4, argued approximately"),
        ("feint.lower", guesses_lower, _ALONE),
    ],
}


def _sure(problem: Problem) -> Fraction:
    """Return 1 − 1/M; refuse accuracy on average."""
    if problem.confidence is None:
        _refuse("confidence", None, "is about accuracy with a stated confidence")
    return problem.confidence


def _only(
    problem: Problem,
    setting: Setting,
    *,
    noisy: bool = False,
    many: bool = False,
    values: bool = False,
) -> None:
    """Refuse a problem that the theorem does not cover, or outside the common conditions."""
    problem_of(problem)
    if problem.level < 2:
        _refuse("level", problem.level, "is about level 2 and more: at level 1 nothing is hidden")
    if problem.values is None and problem.delta < 2 * problem.epsilon:
        _refuse("delta", problem.delta, "needs 2·epsilon ≤ delta")
    if problem.setting != setting:
        _refuse("setting", problem.setting, f"is about the {setting} setting")
    if problem.noisy != noisy:
        wrong = "may be" if noisy else "are never"
        _refuse("p", problem.p, f"is about answers that {wrong} wrong")
    if problem.noisy and problem.known_p is None:
        _refuse("p", problem.p, "is about answers that are right with one known probability")
    if problem.prior is not None:
        _refuse("prior", problem.prior[0], "is about a number that is equally likely anywhere")
    if problem.values is not None and not values:
        _refuse("values", problem.values, "is about intervals, not about whole values")
    if problem.dim > 1 and not many:
        _refuse("dim", problem.dim, "is about one dimension")


def _refuse(argument: str, value: object, rule: str) -> NoReturn:
    raise OutOfRegime(argument, value, f"this theorem {rule}", "bounds.table finds others")


def _reach(problem: Problem) -> Fraction:
    """Return max{2^−g, δ}, even if 2^g is too large to write down."""
    if problem.parts >= ceil_log2(1 / problem.delta):
        return problem.delta
    return Fraction(1, 2**problem.parts)
