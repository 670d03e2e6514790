"""Define the figures and the table of the paper as data: their lines and their problems.

`figure.compute` makes an exhibit of any entry. An entry added here is drawn, written as CSV and
shown on the page. The page has the entries in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from feint.exact import ceil_log2
from feint.problem import Problem
from feint.research.reproduce.figure import (
    Figure,
    Formulas,
    Line,
    Run,
    Runs,
    above,
    best,
    bound,
    mean_questions,
    mean_ratio,
    narrowing,
    of_runs,
    questions,
    ratio,
    wins,
)
from feint.simulate.adversaries import NAMES, first_queries
from feint.strategies import Staged, StagedShape, planted

_POWER = 20
_FINE = Fraction(1, 2**_POWER)
_HALF = Fraction(1, 2)
_DELTAS = tuple(Fraction(1, 2**j) for j in range(_POWER - 1, 0, -1))

_UPPER = Line("upper bound, this paper", "upper bound", bound("paper.upper"))
_LOWER = Line("lower bound, this paper", "lower bound", bound("paper.lower"))
_THEOREMS = (
    Line("upper bound, earlier", "earlier upper bound", bound("earlier.upper")),
    _UPPER,
    _LOWER,
    Line("lower bound, earlier", "earlier lower bound", bound("earlier.lower")),
)
_OURS = Line("lower bound, feint", "feint lower bound", bound("feint.lower"))
_PAPER = Line("the paper's strategy", "paper", questions("paper"))
_TIGHT = Line("tight (feint's default)", "tight", questions("tight"))
_FIXED = Line("fixed (feint)", "fixed", questions("fixed"))
# Under noise the default stops when it is sure. Its maximum is a cap that searches rarely approach,
# so it would be misleading beside the fixed numbers of the others.
_MEAN = Line("tight (feint), mean", "tight", mean_questions("tight"))
_ASKED = Line("asked in every run", "tight", of_runs(lambda runs: runs.queries))
_SETTINGS: tuple[tuple[Mapping[str, Any], str, str], ...] = (
    ({"setting": "bayesian"}, "Bayesian", "tight"),
    ({"setting": "deterministic"}, "deterministic", "tight, deterministic"),
)
_LINES = (
    "Lines are theorems: solid ones from this paper, dashed ones from earlier papers, the bright "
    "one from feint. Markers are strategies: the questions that a search really asks."
)


def _bisection(value: float) -> Line:
    """Return the level line of a search without privacy."""
    return Line("bisection, no privacy", "bisection", lambda point: value)


_FIGURE_1 = Figure(
    source="Figure 1",
    name="figure-1",
    title="Figure 1. Questions in the Bayesian setting",
    parameters="L = 15, δ = 4·ε^0.5, cut where δ reaches 1/L",
    caption=_LINES,
    x_label="ε",
    y_label="questions",
    x=tuple(Fraction(1, 2**k) for k in range(60, 11, -1)),
    problem=lambda epsilon: {
        "epsilon": epsilon,
        "delta": Fraction(4 * float(epsilon) ** 0.5),
        "level": 15,
    },
    lines=(
        *_THEOREMS,
        _OURS,
        Line("replicated bisection", "replicated", questions("replicated")),
        _PAPER,
        _TIGHT,
    ),
    log_x=2,
)
_FIGURE_2 = Figure(
    source="Figure 2",
    name="figure-2",
    title="Figure 2. Questions in the deterministic setting",
    parameters="L = 15, δ = 4·ε^0.9, cut where δ reaches 1/L",
    caption=_LINES,
    x_label="ε",
    y_label="questions",
    x=tuple(Fraction(1, 2**k) for k in range(60, 6, -1)),
    problem=lambda epsilon: {
        "epsilon": epsilon,
        "delta": Fraction(4 * float(epsilon) ** 0.9),
        "level": 15,
        "setting": "deterministic",
    },
    lines=(
        *_THEOREMS,
        _OURS,
        Line("opportunistic bisection", "opportunistic", questions("opportunistic")),
        _PAPER,
        _TIGHT,
    ),
    log_x=2,
)
_GAP = (
    Line("the paper's two bounds", "paper", above(bound("paper.upper"), bound("paper.lower"))),
    Line("tight, paper's bound", "lower bound", above(questions("tight"), bound("paper.lower"))),
    Line("tight, feint's bound", "tight", above(questions("tight"), bound("feint.lower"))),
)


def _gap(figure: Figure, name: str, title: str) -> Figure:
    """Return the figure of the gaps between the upper and lower bounds that a figure shows."""
    return replace(
        figure,
        source="",
        name=name,
        title=title,
        caption="The number of questions between a lower and an upper bound: between the paper's "
        "two bounds, and between either lower bound and the number that `tight` asks. At 0 the "
        "plan is optimal.",
        y_label="questions between",
        lines=_GAP,
    )


BOUNDS = (
    _FIGURE_1,
    _FIGURE_2,
    _gap(_FIGURE_1, "gap-bayesian", "The gap between the bounds, Bayesian"),
    _gap(_FIGURE_2, "gap-deterministic", "The gap between the bounds, deterministic"),
    Formulas(
        source="Table 1",
        name="table-1",
        title="Table 1. Bounds on the fewest questions, old and new",
        parameters="values at ε = 2⁻²⁰, δ = 2⁻⁸, L = 15",
        caption="log is to base 2, and proofs/near.md defines f and T. The last two rows are the "
        "numbers of questions that plans ask.",
        problem={"epsilon": "2^-20", "delta": "2^-8", "level": 15},
        lines=(
            (
                "upper bound, earlier",
                "earlier.upper",
                "L⌈log 1/(Lε)⌉ + L − 1",
                "⌈log 1/(Lε)⌉ + 2L",
            ),
            (
                "lower bound, earlier",
                "earlier.lower",
                "L(log δ/ε − 3 log log δ/ε − 1)",
                "max{⌈log 1/ε⌉, ⌈log δ/ε⌉ + 2L − 4}",
            ),
            (
                "upper bound, this paper",
                "paper.upper",
                "⌊log 1/(Lδ)⌋ + L(⌈log δ/ε⌉ + 2) − 1",
                "max{⌈log 1/ε⌉ + L, ⌈log δ/ε⌉ + 2L}",
            ),
            (
                "lower bound, this paper",
                "paper.lower",
                "⌊log 1/(Lδ)⌋ + L(log δ/ε − 2) − 1",
                "max{⌈log 1/ε⌉ + L − 8, ⌈log δ/ε⌉ + 2L − 4}",
            ),
            (
                "lower bound, feint",
                "feint.lower",
                "max over K of K + L(f − δ(2^K − 1))",
                "max{⌈log(δ/ε − 1)⌉ + 2L − 3, L − 1 + T}",
            ),
            ("the paper's strategy", "paper", "", ""),
            ("tight (feint's default)", "tight", "", ""),
        ),
    ),
)

_HIDE = StagedShape(narrow=(2, 2, 2), parts=5, kept=5, hide=(2, 2, 2))
_GUESSES = "guesses: each may\nhold the number"
STRATEGIES = (
    Run(
        source="Algorithm 1",
        name="strategy-bayesian",
        title="The Bayesian strategy",
        parameters="L = 5, K₁ = 3 halvings, K₂ = 3 rounds in every part",
        caption="Three halvings, the four cuts of five parts, then three rounds that ask the same "
        "relative point in all five. To an eavesdropper the five places look the same.",
        strategy=Staged(Problem("1/320", "1/40", 5), _HIDE.size, _HIDE),
        target=149,  # in the fourth part of the fourth eighth
        possible_label="places left to\nthe eavesdropper",
        zoom=3,
    ),
    Run(
        source="Algorithm 2",
        name="strategy-deterministic-3",
        title="The deterministic strategy, δ ≤ 2⁻ᴸ",
        parameters="L = 3, ε = 1/64, δ = 1/8",
        caption="A guess asks two neighbouring boundaries; three guesses lie along a bisection. "
        "The second is right, so coins decide every later move. Any of the three guesses may hold "
        "the number.",
        strategy=planted(
            Problem("1/64", "1/8", 3, setting="deterministic"), 64, bisected=3, steps=(2, 2, 2)
        ),
        target=16,
        possible_label=_GUESSES,
        guesses=True,
    ),
    Run(
        source="Algorithm 3",
        name="strategy-deterministic-7",
        title="The deterministic strategy, δ > 2⁻ᴸ",
        parameters="L = 7, K = 2 guesses along a bisection, ε = 1/160, δ = 1/20",
        caption="A guess at 0, two along a bisection, and one at each of the four cuts of five "
        "parts; then one part is bisected. Any of the seven guesses may hold the number, or none.",
        strategy=planted(
            Problem("1/160", "1/20", 7, setting="deterministic"),
            160,
            left=True,
            bisected=2,
            parts=5,
            steps=(2, 2, 2),
        ),
        target=67,
        possible_label=_GUESSES,
        guesses=True,
    ),
)

_LISTENED = (
    "Below: how often the proof's eavesdropper (truncated proportional sampling) won. The table "
    "also has the number of questions of those runs, and how often the learner missed."
)
_THEOREM_3 = Figure(
    source="Theorem 3",
    name="dimensions-bayesian",
    title="Theorem 3. Several numbers at once, Bayesian",
    parameters="ε = 2⁻¹⁶, δ = 2⁻⁶, L = 60; below: {asked} runs of each tight plan, bars: 99 % "
    "intervals",
    caption="With more coordinates, each one hides among fewer places, so the total falls at "
    "first. Then every further coordinate adds its own cost. The eavesdropper must not win more "
    f"often than 1/L. {_LISTENED}",
    x_label="coordinates d",
    y_label="questions",
    x=tuple(range(1, 9)),
    problem=lambda d: {
        "epsilon": Fraction(1, 2**16),
        "delta": Fraction(1, 2**6),
        "level": 60,
        "dim": d,
    },
    lines=(*_THEOREMS, _PAPER, _TIGHT),
    below=(
        Line("1/L, the promise", "promise", lambda point: 1 / 60),
        Line("eavesdropper truncated", "truncated", wins("truncated")),
    ),
    below_label="she wins",
    more=(_ASKED, Line("missed", "missed", of_runs(lambda runs: runs.miss_rate))),
    runs=Runs(heard=("truncated",)),
)
_UNPROMISED = "1/L, promised in the worst case only, not on average"
DIMENSIONS = (
    _THEOREM_3,
    replace(
        _THEOREM_3,
        source="Theorem 4",
        name="dimensions-deterministic",
        title="Theorem 4. Several numbers at once, deterministic",
        caption="Here L places stay possible after every transcript, but they are not equally "
        "likely. If the number is uniform, she may win more often than 1/L, and does. "
        f"{_LISTENED}",
        problem=lambda d: {**_THEOREM_3.problem(d), "setting": "deterministic"},
        below=(replace(_THEOREM_3.below[0], label=_UNPROMISED), _THEOREM_3.below[1]),
    ),
)

_MISSES = (
    Line("allowed: 0.05", "promise", lambda point: 0.05),
    Line(
        "missed by more than ε/2",
        "missed",
        of_runs(lambda runs: (runs.miss_rate, runs.miss_interval)),
    ),
)
_RUNS = (
    Line("simulated runs", "tight", of_runs(lambda runs: runs.runs)),
    Line("asked by simulated runs, mean", "tight", of_runs(lambda runs: runs.queries_mean)),
    Line("tight (feint), at most", "tight", questions("tight")),
)
_ACCURATE = (
    "Lines are the theorem's bounds, markers the numbers of questions of plans. `tight` stops when "
    "it is sure, so its marker is a mean; the other plans ask fixed numbers. Below: {}."
)
_CONFIDENT = Figure(
    source="Theorem 5",
    name="noisy-confident",
    title="Theorem 5. Answers that may be wrong, accurate with probability 0.95",
    parameters="p = 0.9, δ = 1/50, L = 5; below: {done} of the tight plan, bars: 99 % intervals",
    caption=_ACCURATE.format("how often the `tight` plan missed"),
    x_label="ε",
    y_label="questions",
    x=tuple(Fraction(1, 2**k) for k in range(30, 7, -2)),
    problem=lambda epsilon: {
        "epsilon": epsilon,
        "delta": Fraction(1, 50),
        "level": 5,
        "p": "9/10",
        "confidence": "19/20",
    },
    lines=(_UPPER, _LOWER, _PAPER, _FIXED, _MEAN),
    log_x=2,
    log_y=10,
    below=_MISSES,
    below_label="missed",
    more=_RUNS,
    runs=Runs(questions=4_000_000),  # a few seconds; noisy runs are long
)


def _scaled(line: Line) -> Line:
    """Return a line times (p − 1/2)², at the place p − 1/2."""

    def value(point: Any) -> Any:
        y: Any = line.value(point)
        return y if y is None else y * float(point.place) ** 2

    return replace(line, value=value)


NOISE = (
    _CONFIDENT,
    replace(
        _CONFIDENT,
        name="noisy-average",
        title="Theorem 5. Answers that may be wrong, accurate on average",
        parameters="p = 0.9, δ = 1/50, L = 5; below: {done} of the tight plan",
        caption=_ACCURATE.format(
            "the mean error of the `tight` plan, without bars, because a rare error that no run "
            "had may be so large that it outweighs all others"
        ),
        problem=lambda epsilon: {**_CONFIDENT.problem(epsilon), "confidence": None},
        below=(
            Line("allowed: 1/2", "promise", lambda point: 0.5),
            # Without bars: no interval is valid if an unseen error may outweigh all others.
            Line(
                "mean error / ε",
                "mean error",
                of_runs(lambda runs: runs.mean_error / float(runs.strategy.problem.epsilon)),
                simulated=True,
            ),
        ),
        below_label="mean error / ε",
    ),
    replace(
        _CONFIDENT,
        name="noisy-limit",
        title="Theorem 5 as answers come to say nothing",
        parameters="ε = 1/1000, δ = 1/50, L = 5, accurate with probability 0.95\n"
        "below: {done} of the tight plan, bars: 99 % intervals",
        caption="As p goes to 1/2 the number of questions grows like 1/(p − 1/2)². Multiplied by "
        "(p − 1/2)², every curve levels off. `tight` stops when it is sure, so its marker is a "
        "mean; the other plans ask fixed numbers. A plan may ask at most 2^24 questions: "
        "markers end where a method would ask more, and means end where runs are too long to "
        "simulate. Below: how often the `tight` plan missed, if it is short enough to be run "
        "often.",
        x_label="p − 1/2",
        y_label="questions × (p − 1/2)²",
        x=(*(Fraction(1, 2**j) for j in range(10, 1, -1)), Fraction(2, 5)),
        problem=lambda gap: {**_CONFIDENT.problem(Fraction(1, 1000)), "p": _HALF + gap},
        lines=tuple(map(_scaled, _CONFIDENT.lines)),
        more=(
            *(replace(line, label=f"questions, {line.label}") for line in _CONFIDENT.lines),
            *_RUNS,
        ),
    ),
)

_PRIVACY = Figure(
    source="Theorem 1",
    name="privacy-tight",
    title="Privacy against L, method tight",
    parameters="ε = 2⁻¹⁶, δ = 2⁻⁸, {asked} runs for each marker, bars: 99 % intervals",
    caption="How often each eavesdropper comes within δ/2, and the best that any eavesdropper "
    "can do, exactly.",
    x_label="L",
    y_label="probability that the eavesdropper wins",
    x=(2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
    problem=lambda level: {
        "epsilon": Fraction(1, 2**16),
        "delta": Fraction(1, 2**8),
        "level": level,
    },
    lines=(
        Line("best eavesdropper, exact", "best eavesdropper", best),
        Line("1/L, the promise", "promise", lambda point: 1 / point.problem.level),
        *(Line(f"eavesdropper {name}", name, wins(name)) for name in NAMES),
    ),
    log_x=2,
    log_y=10,
    runs=Runs(heard=NAMES),
)
PRIVACY = (
    _PRIVACY,
    replace(
        _PRIVACY,
        name="privacy-paper",
        title="Privacy against L, method paper",
        runs=Runs(method="paper", heard=NAMES),
    ),
)

PRICE = (
    Figure(
        source="Theorem 1",
        name="price",
        title="The price of privacy",
        parameters="method tight, ε = 2⁻²⁰",
        caption="A small δ costs a few questions per hiding place; a large δ multiplies the cost.",
        x_label="δ",
        y_label="questions",
        x=_DELTAS,
        problem=lambda delta: {"epsilon": _FINE, "delta": delta, "level": 2},
        lines=(
            _bisection(_POWER),
            *(Line(f"L = {n}", "tight", questions("tight"), {"level": n}) for n in (2, 4, 8, 16)),
        ),
        log_x=2,
        named_in_place=True,
    ),
)

_THOUSAND = ceil_log2(Fraction(1000))  # questions of bisection at ε = 0.001
REMARKS = (
    Figure(
        source="remark on Theorems 1 and 2",
        name="price-ratio",
        title="The price of privacy, as a multiple of bisection",
        parameters=f"method tight, ε = 2⁻²⁰; bisection asks {_POWER}",
        caption="In the Bayesian setting a large δ multiplies the cost by about L. In the "
        "deterministic setting privacy adds at most two questions per place, for every δ. The "
        "promises differ: the deterministic one is about the worst case only.",
        x_label="δ",
        y_label="questions over ⌈log 1/ε⌉",
        x=_DELTAS,
        problem=lambda delta: {"epsilon": _FINE, "delta": delta, "level": 2},
        lines=(
            _bisection(1.0),
            *(
                Line(f"{label}, L = {level}", thing, ratio, {**setting, "level": level})
                for setting, label, thing in _SETTINGS
                for level in (4, 16)
            ),
        ),
        log_x=2,
        log_y=10,
        named_in_place=True,
    ),
    Figure(
        source="remark on Theorem 5",
        name="price-noise",
        title="The price of noise and of privacy, as a multiple of bisection",
        parameters="method tight, ε = 0.001, δ = 0.02, confidence 95 %; bisection asks"
        f" {_THOUSAND}",
        caption="Mean numbers, since searches stop when they are sure. The two prices multiply. "
        "Hiding among L places costs about the same factor at every level of noise. Noise itself "
        "costs 1/(p − ½)² as p nears 1/2.",
        x_label="1 − p, the chance that an answer is wrong",
        y_label="mean questions over ⌈log 1/ε⌉",
        x=tuple(Fraction(each, 100) for each in (1, 5, 10, 20, 30, 40)),
        problem=lambda wrong: {
            "epsilon": Fraction(1, 1000),
            "delta": Fraction(1, 50),
            "p": 1 - wrong,
            "confidence": "0.95",
        },
        lines=(
            Line("nothing hidden, L = 1", "bisection", mean_ratio, {"level": 1}),
            Line("L = 10", "tight", mean_ratio, {"level": 10}),
            Line("L = 40", "tight", mean_ratio, {"level": 40}),
        ),
        log_y=10,
        named_in_place=True,
    ),
    Figure(
        source="remark on Theorems 1 and 2",
        name="settings",
        title="Bayesian beside deterministic",
        parameters="method tight, ε = 2⁻²⁰, δ = 2⁻¹⁰",
        caption="Limiting every eavesdropper's chance costs log δ/ε questions per hiding place. "
        "Keeping a place possible in the worst case costs at most two.",
        x_label="L",
        y_label="questions",
        x=(2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
        problem=lambda level: {"epsilon": _FINE, "delta": Fraction(1, 2**10), "level": level},
        lines=(
            _bisection(_POWER),
            *(Line(label, thing, questions("tight"), each) for each, label, thing in _SETTINGS),
        ),
        log_x=2,
    ),
    Figure(
        source="remark on Theorem 2",
        name="regimes",
        title="The change of regime at δ = 2⁻ᴸ",
        parameters="deterministic setting, ε = 2⁻²⁰, δ = 2⁻¹⁰, so that 2⁻ᴸ = δ at L = 10",
        caption="Up to L = 10 every guess halves the remaining interval, and a place costs one "
        "question. Beyond that, guesses along a bisection would come too near to each other, and "
        "a place costs two.",
        x_label="L",
        y_label="questions",
        x=tuple(range(2, 25)),
        problem=lambda level: {
            "epsilon": _FINE,
            "delta": Fraction(1, 2**10),
            "level": level,
            "setting": "deterministic",
        },
        lines=(_UPPER, _LOWER, _PAPER, _TIGHT),
    ),
    Figure(
        source="remark on Theorems 3 and 4",
        name="free",
        title="Privacy becomes free as numbers are added",
        parameters="method tight, ε = 2⁻¹⁶, δ = 2⁻⁶, L = 60",
        caption="She must come near to all d numbers at once, so a few numbers that are well "
        "hidden protect the rest, and all share the cost.",
        x_label="coordinates d",
        y_label="questions over d⌈log 1/ε⌉",
        x=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
        problem=_THEOREM_3.problem,
        lines=(
            _bisection(1.0),
            *(Line(label, thing, ratio, each) for each, label, thing in _SETTINGS),
        ),
        log_x=2,
        log_y=10,
    ),
    Figure(
        source="remark on Theorem 1",
        name="duality",
        title="Questions that narrow, and questions that the eavesdropper ignores",
        parameters="Bayesian setting, ε = 2⁻²⁰, δ = 1/1000",
        caption="K₁ questions of the paper's strategy reveal the block to everybody. The "
        "eavesdropper in the proof of the lower bound ignores the same number, "
        "K = ⌊log 1/(Lδ)⌋. `tight` narrows with the same number here.",
        x_label="L",
        y_label="questions",
        x=(2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128),
        problem=lambda level: {"epsilon": _FINE, "delta": Fraction(1, 1000), "level": level},
        lines=(
            Line(
                "K, ignored by eavesdropper truncated",
                "truncated",
                lambda point: first_queries(point.problem),
            ),
            Line("K₁, the paper's strategy", "paper", narrowing("paper")),
            Line("K₁, tight", "tight", narrowing("tight")),
        ),
        log_x=2,
    ),
)

FIGURES: Mapping[str, tuple[Figure | Run | Formulas, ...]] = {
    "bounds": BOUNDS,
    "strategies": STRATEGIES,
    "dimensions": DIMENSIONS,
    "noise": NOISE,
    "privacy": PRIVACY,
    "price": PRICE,
    "remarks": REMARKS,
}
"""The figures of each group."""
