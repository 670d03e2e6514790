"""Figures 1 and 2, Table 1, the d-dimensional theorems and the price of privacy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.bounds import table
from feint.errors import FeintError
from feint.exact import ceil_log2
from feint.interfaces import Executor
from feint.planning import plan
from feint.problem import Problem, Setting
from feint.research.reproduce.exhibit import Chart, Curve, Listing, Number, Sampled
from feint.simulate import simulate, spawned
from feint.simulate.adversaries import Proportional

LEVEL = 15
_BOUNDS = (
    ("earlier.upper", "upper bound, earlier", "earlier upper bound"),
    ("paper.upper", "upper bound, this paper", "upper bound"),
    ("paper.lower", "lower bound, this paper", "lower bound"),
    ("earlier.lower", "lower bound, earlier", "earlier lower bound"),
)
_LINES = (
    "Lines are theorems: solid of this paper, dashed of earlier ones. Markers are strategies: what "
    "a search really asks."
)


def figure_1() -> Chart:
    """Bayesian, δ = 4ε^0.5: bounds old and new, and what plans really ask."""
    problems = [Problem(Fraction(1, 2**k), _delta(k, 0.5), LEVEL) for k in range(60, 11, -1)]
    return Chart(
        name="figure-1",
        title="Figure 1. Questions in the Bayesian setting",
        parameters=f"L = {LEVEL}, δ = 4·ε^0.5, cut where δ reaches 1/L",
        caption=_LINES,
        x_label="ε",
        y_label="questions",
        x=tuple(float(problem.epsilon) for problem in problems),
        curves=(*_theorems(problems), *_counts(problems, ("replicated", "paper", "tight"))),
        log_x=2,
    )


def figure_2() -> Chart:
    """Deterministic, δ = 4ε^0.9: bounds old and new, and what plans really ask."""
    problems = [
        Problem(Fraction(1, 2**k), _delta(k, 0.9), LEVEL, setting="deterministic")
        for k in range(60, 6, -1)
    ]
    return Chart(
        name="figure-2",
        title="Figure 2. Questions in the deterministic setting",
        parameters=f"L = {LEVEL}, δ = 4·ε^0.9, cut where δ reaches 1/L",
        caption=_LINES,
        x_label="ε",
        y_label="questions",
        x=tuple(float(problem.epsilon) for problem in problems),
        curves=(*_theorems(problems), *_counts(problems, ("opportunistic", "paper", "tight"))),
        log_x=2,
    )


def table_1() -> Listing:
    """The theorems of both settings, as formulas, and their values where both have one."""
    values: dict[Setting, dict[str, str]] = {}
    settings: tuple[Setting, ...] = ("bayesian", "deterministic")
    for setting in settings:
        problem = Problem("2^-20", "2^-8", LEVEL, setting=setting)
        shown = {row.name: _short(row.value) for row in table(problem)}
        shown |= {name: str(plan(problem, method=name).queries) for name in ("paper", "tight")}
        values[setting] = shown
    return Listing(
        name="table-1",
        title="Table 1. Bounds on the fewest questions, old and new",
        parameters=f"values at ε = 2⁻²⁰, δ = 2⁻⁸, L = {LEVEL}",
        caption="log is to base 2. The last two rows are what plans ask.",
        header=("", "Bayesian", "value", "deterministic", "value"),
        rows=[
            (label, left, values["bayesian"][name], right, values["deterministic"][name])
            for label, name, left, right in _TABLE_1
        ],
    )


def dimensions(runs: int, seed: int, executor: Executor) -> list[Chart]:
    """Theorems 3 and 4 against the number of coordinates, with plans run and listened to."""
    return [
        _dimensions(
            "bayesian",
            "Theorem 3. Several numbers at once, Bayesian",
            "The fewer places each coordinate must hide among, the fewer questions in all, until "
            "every coordinate pays for itself. She must not win more often than 1/L.",
            runs,
            seed,
            executor,
        ),
        _dimensions(
            "deterministic",
            "Theorem 4. Several numbers at once, deterministic",
            "Here L places stay possible whatever she hears, but not equally likely: when the "
            "number is uniform she may win more often than 1/L, and does.",
            runs,
            seed,
            executor,
        ),
    ]


def price() -> Chart:
    """How many questions privacy costs, as δ goes from 2ε to 1/L."""
    exponent = 20
    levels = (2, 4, 8, 16)
    deltas = [Fraction(1, 2**j) for j in range(exponent - 1, 0, -1)]
    epsilon = Fraction(1, 2**exponent)
    curves = [
        Curve(
            f"L = {level}",
            tuple(
                plan(Problem(epsilon, delta, level)).queries if delta * level <= 1 else None
                for delta in deltas
            ),
            "tight",
        )
        for level in levels
    ]
    alone = ceil_log2(1 / epsilon)
    return Chart(
        name="price",
        title="The price of privacy",
        parameters="method tight, ε = 2⁻²⁰",
        caption="Small δ costs a few questions a place to hide in; large δ multiplies the search.",
        x_label="δ",
        y_label="questions",
        x=tuple(float(delta) for delta in deltas),
        curves=(Curve("bisection, no privacy", (alone,) * len(deltas), "bisection"), *curves),
        log_x=2,
        named_in_place=True,
    )


def _dimensions(
    setting: Setting, title: str, remark: str, runs: int, seed: int, executor: Executor
) -> Chart:
    counts, level, name = range(1, 9), 60, f"dimensions-{setting}"
    promise = "1/L, the promise"
    if setting == "deterministic":
        promise = "1/L, promised in the worst case only, not on average"
    problems = [Problem("2^-16", "2^-6", level, setting=setting, dim=d) for d in counts]
    wins: list[Sampled] = []
    asked: list[Number] = []
    missed: list[Number] = []
    for problem in problems:
        search = plan(problem).strategy
        heard = [Proportional.truncated(problem)]
        found = simulate(
            search,
            runs=runs,
            adversaries=heard,
            seed=spawned(seed, name, problem.dim),
            executor=executor,
        ).finished()
        wins.append((found.adversaries[0].success, found.adversaries[0].interval))
        asked.append(found.queries)
        missed.append(found.miss_rate)
    return Chart(
        name=name,
        title=title,
        parameters=f"ε = 2⁻¹⁶, δ = 2⁻⁶, L = {level}; below: {runs:,} runs of each tight plan, "
        "bars: 99 % intervals",
        caption=f"{remark} Below: how often the proof's eavesdropper (truncated proportional "
        "sampling) won. The table says how many questions those runs asked, and how often the "
        "learner missed.",
        x_label="coordinates d",
        y_label="questions",
        x=tuple(map(float, counts)),
        curves=(*_theorems(problems, many=True), *_counts(problems, ("paper", "tight"))),
        more=(("asked in every run", tuple(asked)), ("missed", tuple(missed))),
        below=(
            Curve(promise, (1 / level,) * len(counts), "promise"),
            Curve.sampled("eavesdropper truncated", wins, "truncated"),
        ),
        below_label="she wins",
    )


def _delta(k: int, power: float) -> Fraction:
    """4ε^power at ε = 2^−k, to 53 bits."""
    return Fraction(4 * 2.0 ** (-k * power))


def _theorems(problems: Sequence[Problem], *, many: bool = False) -> list[Curve]:
    rows = [{row.name: row.value for row in table(problem)} for problem in problems]
    wanted = [each for each in _BOUNDS if not (many and each[0].startswith("prior"))]
    return [
        Curve(label, tuple(_float(row.get(name)) for row in rows), thing)
        for name, label, thing in wanted
    ]


def _counts(problems: Sequence[Problem], methods: Sequence[str]) -> list[Curve]:
    labels = {"tight": "tight (feint's default)", "paper": "the paper's strategy"}
    return [
        Curve(
            labels.get(method, f"{method} bisection"),
            tuple(_queries(each, method) for each in problems),
            method,
        )
        for method in methods
    ]


def _queries(problem: Problem, method: str) -> Number:
    try:
        return plan(problem, method=method).queries
    except FeintError:
        return None


def _float(value: Fraction | float | int | None) -> Number:
    return float(value) if isinstance(value, Fraction) else value


def _short(value: Fraction | float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{float(value):.1f}"


_TABLE_1 = (
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
    ("the paper's strategy", "paper", "", ""),
    ("tight (feint's default)", "tight", "", ""),
)
