"""What the paper says in passing, drawn: the price as a ratio, changes of regime, the duality."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.bounds import deterministic_lower, deterministic_upper
from feint.exact import ceil_log2
from feint.planning import plan
from feint.problem import Problem, Setting
from feint.research.reproduce.exhibit import Chart, Curve, Number
from feint.simulate.adversaries import first_queries

_EXPONENT = 20
_EPSILON = Fraction(1, 2**_EXPONENT)
_SETTINGS: tuple[tuple[Setting, str, str], ...] = (
    ("bayesian", "Bayesian", "tight"),
    ("deterministic", "deterministic", "tight, deterministic"),
)


def remarks() -> list[Chart]:
    """Every chart, in the order of the page."""
    return [price_ratio(), price_noise(), settings(), regimes(), free(), duality()]


def price_ratio() -> Chart:
    """Questions as a multiple of bisection's, in both settings, as δ goes from 2ε to 1/L."""
    deltas = [Fraction(1, 2**j) for j in range(_EXPONENT - 1, 0, -1)]
    curves = [Curve("bisection, no privacy", (1.0,) * len(deltas), "bisection")]
    for setting, label, thing in _SETTINGS:
        for level in (4, 16):
            ratios = tuple(
                _ratio(Problem(_EPSILON, delta, level, setting=setting))
                if delta * level <= 1
                else None
                for delta in deltas
            )
            curves.append(Curve(f"{label}, L = {level}", ratios, thing))
    return Chart(
        name="price-ratio",
        title="The price of privacy, as a multiple of bisection",
        parameters=f"method tight, ε = 2⁻²⁰; bisection asks {_EXPONENT}",
        caption="In the Bayesian setting large δ multiplies the search by about L; in the "
        "deterministic one privacy adds at most two questions a place, whatever δ is. The promises "
        "are not the same: the deterministic one is about the worst case only.",
        x_label="δ",
        y_label="questions over ⌈log 1/ε⌉",
        x=tuple(float(delta) for delta in deltas),
        curves=tuple(curves),
        log_x=2,
        log_y=10,
        named_in_place=True,
    )


def price_noise() -> Chart:
    """The same multiple when answers may be wrong, against 1 − p."""
    wrong = tuple(Fraction(each, 100) for each in (1, 5, 10, 20, 30, 40))
    alone = ceil_log2(Fraction(1000))
    curves = [
        Curve(
            "nothing hidden, L = 1" if level == 1 else f"L = {level}",
            tuple(
                plan(Problem(0.001, 0.02, level, p=1 - each, confidence=0.95)).queries / alone
                for each in wrong
            ),
            "bisection" if level == 1 else "tight",
        )
        for level in (1, 10, 40)
    ]
    return Chart(
        name="price-noise",
        title="The price of noise and of privacy, as a multiple of bisection",
        parameters=f"method tight, ε = 0.001, δ = 0.02, confidence 95 %; bisection asks {alone}",
        caption="Both prices multiply. Hiding among L places costs about the same factor however "
        "noisy answers are; noise itself costs 1/(p − ½)² as p nears 1/2.",
        x_label="1 − p, the chance that an answer is wrong",
        y_label="questions over ⌈log 1/ε⌉",
        x=tuple(map(float, wrong)),
        curves=tuple(curves),
        log_y=10,
        named_in_place=True,
    )


def settings() -> Chart:
    """Bayesian beside deterministic, against the level."""
    levels = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    curves = [
        Curve(
            label,
            tuple(
                plan(Problem(_EPSILON, "2^-10", level, setting=setting)).queries for level in levels
            ),
            thing,
        )
        for setting, label, thing in _SETTINGS
    ]
    alone = Curve("bisection, no privacy", (_EXPONENT,) * len(levels), "bisection")
    return Chart(
        name="settings",
        title="Bayesian beside deterministic",
        parameters="method tight, ε = 2⁻²⁰, δ = 2⁻¹⁰",
        caption="A promise about every eavesdropper's chance costs log δ/ε questions for each "
        "place to hide in; one about what stays possible in the worst case costs at most two.",
        x_label="L",
        y_label="questions",
        x=tuple(map(float, levels)),
        curves=(alone, *curves),
        log_x=2,
    )


def regimes() -> Chart:
    """Theorem 2 changes from L + log 1/ε to 2L + log δ/ε where δ = 2^−L."""
    levels = range(2, 25)
    problems = [Problem(_EPSILON, "2^-10", each, setting="deterministic") for each in levels]
    upper, lower = (
        tuple(float(bound(each)) for each in problems)
        for bound in (deterministic_upper, deterministic_lower)
    )
    return Chart(
        name="regimes",
        title="The change of regime at δ = 2⁻ᴸ",
        parameters="deterministic setting, ε = 2⁻²⁰, δ = 2⁻¹⁰, so that 2⁻ᴸ = δ at L = 10",
        caption="Up to L = 10 every guess halves what is left, and a place costs one question; "
        "beyond, guesses along a bisection would come too near to each other, and a place costs "
        "two.",
        x_label="L",
        y_label="questions",
        x=tuple(map(float, levels)),
        curves=(
            Curve("upper bound, this paper", upper, "upper bound"),
            Curve("lower bound, this paper", lower, "lower bound"),
            _counts("the paper's strategy", problems, "paper"),
            _counts("tight (feint's default)", problems, "tight"),
        ),
    )


def free() -> Chart:
    """With L fixed privacy becomes free as coordinates are added."""
    counts = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    curves = [
        Curve(
            label,
            tuple(_ratio(Problem("2^-16", "2^-6", 60, setting=setting, dim=d)) for d in counts),
            thing,
        )
        for setting, label, thing in _SETTINGS
    ]
    alone = Curve("bisection, no privacy", (1.0,) * len(counts), "bisection")
    return Chart(
        name="free",
        title="Privacy becomes free as numbers are added",
        parameters="method tight, ε = 2⁻¹⁶, δ = 2⁻⁶, L = 60",
        caption="She must come near to all d numbers at once, so that a few that hide well hide "
        "the rest; what they cost is shared by all.",
        x_label="coordinates d",
        y_label="questions over d⌈log 1/ε⌉",
        x=tuple(map(float, counts)),
        curves=(alone, *curves),
        log_x=2,
        log_y=10,
    )


def duality() -> Chart:
    """How many queries the learner narrows with, and how many the eavesdropper ignores."""
    levels = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
    problems = [Problem(_EPSILON, "1/1000", each) for each in levels]
    ignored = tuple(first_queries(each) for each in problems)
    return Chart(
        name="duality",
        title="What the learner narrows with, and what the eavesdropper ignores",
        parameters="Bayesian setting, ε = 2⁻²⁰, δ = 1/1000",
        caption="K₁ questions of the paper's strategy tell everybody the block; the eavesdropper "
        "of the lower bound's proof ignores as many, K = ⌊log 1/(Lδ)⌋. `tight` narrows "
        "with as many here.",
        x_label="L",
        y_label="questions",
        x=tuple(map(float, levels)),
        curves=(
            Curve("K, ignored by eavesdropper truncated", ignored, "truncated"),
            Curve("K₁, the paper's strategy", _narrowing(problems, "paper"), "paper"),
            Curve("K₁, tight", _narrowing(problems, "tight"), "tight"),
        ),
        log_x=2,
    )


def _ratio(problem: Problem) -> float:
    """How many times as many questions as bisection asks."""
    return plan(problem).queries / (problem.dim * ceil_log2(1 / problem.epsilon))


def _counts(label: str, problems: Sequence[Problem], method: str) -> Curve:
    return Curve(label, tuple(plan(each, method=method).queries for each in problems), method)


def _narrowing(problems: Sequence[Problem], method: str) -> tuple[Number, ...]:
    """How many questions a plan narrows with."""
    phases = [plan(each, method=method).phases for each in problems]
    return tuple(sum(one.queries for one in each if one.name == "narrow") for each in phases)
