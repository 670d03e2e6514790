"""Private root finding and minimising: SciPy's own results are the reference."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special
from tests.support.examples import examples

from feint import InvalidValue, NoPlan, OutOfRegime, TooLarge
from feint.integrations.scipy import (
    private_minimize,
    private_minimize_scalar,
    private_root_scalar,
)

Case = tuple[Callable[[float], float], float, float]


def _cases() -> dict[str, Case]:
    """Standard test functions with brackets (Alefeld, Potra and Shi's families among them)."""
    cases: dict[str, Case] = {
        "line": (lambda x: 3 * x - 1, 0, 1),
        "falling line": (lambda x: 1 - 3 * x, 0, 1),
        "square": (lambda x: x * x - 2, 0, 2),
        "cube": (lambda x: x**3 - 2, 0, 2),
        "wallis": (lambda x: x**3 - 2 * x - 5, 2, 3),
        "flat cube": (lambda x: (x - 1.2) ** 3, 0, 3),
        "ninth": (lambda x: (x - 0.7) ** 9, 0, 1),
        "dottie": (lambda x: math.cos(x) - x, 0, 1),
        "cos": (math.cos, 0, 3),
        "sin": (math.sin, 2, 4),
        "tan": (math.tan, 2.5, 3.9),
        "sin minus half": (lambda x: math.sin(x) - x / 2, math.pi / 2, math.pi),
        "kepler": (lambda x: x - 0.9 * math.sin(x) - 1, 0, 4),
        "kepler, steep": (lambda x: x - 0.99 * math.sin(x) - 0.2, 0, 2),
        "exp": (lambda x: math.exp(x) - 2, 0, 2),
        "exp and line": (lambda x: math.exp(-x) - x, 0, 1),
        "exp and cube": (lambda x: x * math.exp(-x) - 0.1, 0, 1),
        "omega": (lambda x: x * math.exp(x) - 1, 0, 1),
        "log": (math.log, 0.5, 3),
        "log and line": (lambda x: math.log(x) + x, 0.1, 1),
        "x log x": (lambda x: x * math.log10(x) - 1.2, 2, 3),
        "erf": (lambda x: math.erf(x) - 0.5, 0, 2),
        "quantile": (lambda x: float(special.ndtr(x)) - 0.975, 0, 4),
        "gamma": (lambda x: math.gamma(x) - 1.5, 2, 4),
        "digamma": (lambda x: float(special.psi(x)), 1, 2),
        "airy": (lambda x: float(special.airy(x)[0]), -3, -1),
        "bessel": (lambda x: float(special.j0(x)), 2, 3),
        "bessel, second": (lambda x: float(special.j1(x)), 3, 5),
        "lambert": (lambda x: float(special.lambertw(x).real) - 1, 0, 5),
        "arctan": (math.atan, -1, 2),
        "tanh": (lambda x: math.tanh(x - 0.3), -4, 5),
        "sign": (lambda x: math.copysign(1, x - 0.3), 0, 1),
        "step": (lambda x: -1.0 if x < 1 / 3 else 2.0, 0, 1),
        "kink": (lambda x: x - 0.2 if x < 0.5 else 5 * x, 0, 1),
        "pole": (lambda x: 1 / (x - 0.3001), 0, 1),
        "root": (lambda x: math.sqrt(abs(x - 0.6)) * math.copysign(1, x - 0.6), 0, 1),
        "huge": (lambda x: 1e300 * (x - 0.1), 0, 1),
        "tiny": (lambda x: 1e-300 * (x - 0.1), 0, 1),
        "infinite": (lambda x: math.inf if x > 0.25 else -math.inf, 0, 1),
        "interest": (lambda x: 1 - (1 + x) ** -30 - 20 * x, 0.001, 1),
        "colebrook": (
            lambda x: 1 / math.sqrt(x) + 2 * math.log10(1e-4 / 3.7 + 2.51 / (1e5 * math.sqrt(x))),
            0.005,
            0.1,
        ),
        "van der waals": (lambda x: (1 + 3.6 / x**2) * (x - 0.04) - 24.5, 10, 40),
        "manning": (lambda x: x ** (5 / 3) / (1 + 2 * x) ** (2 / 3) - 0.4, 0.1, 5),
        "far away": (lambda x: x - 1234567.8, 1e6, 2e6),
        "negative": (lambda x: x + 7.3, -10, -5),
        "around zero": (lambda x: x - 1e-3, -1, 1),
        "sum of poles": (
            lambda x: -2 * sum((2 * i - 5) ** 2 / (x - i * i) ** 3 for i in range(1, 21)),
            1.001,
            3.999,
        ),
    }
    for n in range(2, 16, 2):
        cases[f"power {n}"] = (partial(_power, n), 0, 5)
        cases[f"exponential {n}"] = (partial(_exponential, n), 0, 1)
        cases[f"difference {n}"] = (partial(_difference, n), 0.1, 1)
    return cases


def _power(n: int, x: float) -> float:
    return x**n - 0.2


def _exponential(n: int, x: float) -> float:
    return 2 * x * math.exp(-n) + 1 - 2 * math.exp(-n * x)


def _difference(n: int, x: float) -> float:
    return x * x - (1 - x) ** n


CASES = _cases()
XTOL = 1e-6


class Spied:
    """A function that keeps where it was called."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f, self.points = f, list[float]()

    def __call__(self, x: Any, *args: Any) -> Any:
        self.points += np.ravel(x).tolist()
        return self.f(x, *args)


def test_there_are_sixty_functions() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_a_root_is_found_within_xtol(name: str) -> None:
    """Between two points that near to it, one on each side, the sign changes."""
    f, low, high = CASES[name]
    spied, width = Spied(f), high - low
    found = private_root_scalar(
        spied, (low, high), xtol=XTOL * width, delta=width / 50, level=4, seed=1
    )
    assert found.converged
    assert found.flag == "converged"
    assert low <= min(spied.points) <= max(spied.points) <= high
    assert found.function_calls == len(spied.points)
    assert found.adversary_success <= Fraction(1, 4)
    left, right = max(low, found.root - XTOL * width), min(high, found.root + XTOL * width)
    assert np.sign(f(left)) * np.sign(f(right)) <= 0 or f(found.root) == 0


@pytest.mark.parametrize("seed", range(12))
def test_nobody_wins_more_often_than_one_in_level(seed: int) -> None:
    """Decimals seldom divide a bracket between two floats, and rounding to them would cost."""
    random = Random(seed)
    level, low = random.choice([2, 3, 4, 5, 8]), random.uniform(-5, 0)
    high = low + random.uniform(1, 10)
    delta = (high - low) / level * random.choice([0.999, 0.9, 0.5, 0.1, 0.01])
    root = random.uniform(low, high)
    found = private_root_scalar(
        lambda x: x - root, (low, high), xtol=delta / 100, delta=delta, level=level
    )
    assert found.adversary_success <= Fraction(1, level)
    assert abs(found.root - root) <= delta / 100


def test_the_default_accuracy_is_scipys() -> None:
    found = private_root_scalar(math.cos, (0, 3), delta=0.01, level=4)
    assert abs(found.root - optimize.brentq(math.cos, 0, 3)) <= 2e-12 + 1e-15
    assert (found.status, found.converged) == (0, True)
    far = private_root_scalar(lambda x: x - 1234.5, (1e3, 2e3), delta=1, level=4)
    assert abs(far.root - 1234.5) <= 2e-12 * 2e3


@pytest.mark.parametrize("high", [1100.0, 3777.1, 44275.9, 1e5, 9.87e9])
def test_the_default_accuracy_is_one_that_floats_allow(high: float) -> None:
    """Far from 0 floats are coarser than 2e-12: what is said of them is no less than they need."""
    wanted: dict[str, Any] = {"bracket": (high / 2, high), "delta": high / 50, "level": 4}
    root = 0.7 * high
    found = private_root_scalar(lambda x: x - root, **wanted)
    assert abs(found.root - root) <= 10 * math.ulp(high)
    with pytest.raises(InvalidValue, match=r"floats near .* not fine enough") as refused:
        private_root_scalar(lambda x: x - root, xtol=1e-15, **wanted)
    least = float(str(refused.value).split("give ")[1].split()[0])
    assert private_root_scalar(lambda x: x - root, xtol=least, **wanted).converged


def test_a_relative_tolerance_counts_the_nearest_root_there_can_be() -> None:
    wanted: dict[str, Any] = {"xtol": 1e-6, "delta": 1, "level": 4}
    plain_ = private_root_scalar(lambda x: x - 150, (100, 200), **wanted)
    loose = private_root_scalar(lambda x: x - 150, (100, 200), rtol=1e-3, **wanted)
    as_loose = private_root_scalar(lambda x: x - 150, (100, 200), **wanted | {"xtol": 0.100001})
    assert loose.function_calls == as_loose.function_calls < plain_.function_calls
    across = private_root_scalar(
        lambda x: x - 0.1, (-1, 1), xtol=1e-3, rtol=0.5, delta=0.1, level=4
    )
    assert abs(across.root - 0.1) <= 1e-3
    with pytest.raises(InvalidValue, match="rtol"):
        private_root_scalar(math.cos, (0, 3), rtol=-1, delta=0.01, level=4)


def test_maxiter_limits_the_rounds() -> None:
    free = private_root_scalar(math.cos, (0, 3), xtol=1e-6, delta=0.01, level=4)
    few = private_root_scalar(math.cos, (0, 3), xtol=1e-6, delta=0.01, level=4, maxiter=6)
    assert few.iterations <= 6 < free.iterations
    with pytest.warns(DeprecationWarning, match="maxiter"):
        old = cast(Any, private_root_scalar)(
            math.cos, (0, 3), xtol=1e-6, delta=0.01, level=4, max_rounds=6
        )
    assert old.function_calls == few.function_calls
    with pytest.raises(TooLarge):
        private_root_scalar(math.cos, (0, 3), xtol=1e-9, delta=0.01, level=4, maxiter=1)


def test_a_minimum_has_scipys_default_and_status() -> None:
    found = private_minimize_scalar(lambda x: (x - 0.3) ** 2, (0, 1), delta=0.05, level=4)
    assert abs(found.x - 0.3) <= 1e-5
    assert (found.success, found.status) == (True, 0)
    flat = private_minimize_scalar(lambda x: 1e9 + (x - 0.3) ** 2, (0, 1), delta=0.05, level=4)
    assert (flat.success, flat.status) == (False, 1)


def test_the_points_are_those_of_the_plan_and_two() -> None:
    spied = Spied(math.cos)
    found = private_root_scalar(spied, (0, 3), xtol=1e-6, delta=0.01, level=4)
    hidden = private_root_scalar(Spied(math.cos), (0, 3), xtol=1e-6, delta=0.01, level=2)
    assert found.function_calls == len(spied.points)
    assert spied.points[:2] == [0, 3]
    assert hidden.function_calls < found.function_calls
    assert abs(found.root - math.pi / 2) <= 1e-6


@given(st.integers(0, 2**40), st.booleans())
@examples(15)
def test_any_root_of_a_line(place: int, rising: bool) -> None:
    root, slope = 5 * place / 2**40 - 2, 1 if rising else -1
    found = private_root_scalar(
        lambda x: slope * (x - root), (-2, 3), xtol=1e-4, delta=0.05, level=5
    )
    assert abs(found.root - root) <= 1e-4


def test_what_is_evaluated_is_the_same_wherever_the_root_lies_in_a_part() -> None:
    """Which part holds the root is all that the number of points and their order could tell."""
    lengths = set()
    for root in np.linspace(0.01, 0.99, 25):
        spied = Spied(lambda x, root=root: x - root)
        private_root_scalar(spied, (0, 1), xtol=1e-3, delta=0.02, level=4, seed=3)
        lengths.add(len(spied.points))
    assert len(lengths) == 1


def test_of_several_roots_one_is_found() -> None:
    for seed in range(10):
        found = private_root_scalar(
            lambda x: math.sin(5 * x) + 0.1, (0, 3.5), xtol=1e-5, delta=0.1, level=4, seed=seed
        )
        assert abs(math.sin(5 * found.root) + 0.1) < 1e-4


def test_a_round_is_one_call_of_a_vectorized_function() -> None:
    calls = list[int]()

    def f(x: Any, shift: float) -> Any:
        calls.append(len(x))
        return np.tanh(x - shift)

    found = private_root_scalar(
        f, (-4, 5), xtol=1e-5, delta=0.1, level=6, args=(0.3,), vectorized=True
    )
    assert abs(found.root - 0.3) <= 1e-5
    assert len(calls) == found.iterations + 1
    assert sum(calls) == found.function_calls


def test_an_executor_evaluates_a_round_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = private_root_scalar(math.cos, (0, 3), xtol=1e-4, delta=0.05, level=4, executor=pool)
    assert abs(found.root - math.pi / 2) <= 1e-4


def test_a_sign_that_may_be_wrong() -> None:
    random, misses = Random(5), 0
    for _ in range(60):
        root = random.random()
        found = private_root_scalar(
            lambda x, root=root: (x - root) * (1 if random.random() < 0.9 else -1),
            (0, 1),
            xtol=0.01,
            delta=0.1,
            level=3,
            p=0.9,
            confidence=0.9,
            rising=True,
        )
        misses += abs(found.root - root) > 0.01
    assert misses <= 14  # of 60 when one in ten may miss: more have a chance of 0.0007


def test_errors_are_scipys() -> None:
    with pytest.raises(ValueError, match="different signs") as ours:
        private_root_scalar(lambda x: x + 5, (0, 1), xtol=0.01, delta=0.1, level=2)
    with pytest.raises(ValueError, match="different signs") as theirs:
        optimize.root_scalar(lambda x: x + 5, bracket=(0, 1))
    assert str(ours.value) == str(theirs.value)
    with pytest.raises(ValueError, match=r"function value at x=.* is NaN"):
        private_root_scalar(
            lambda x: math.nan if 0.1 < x < 0.9 else x - 0.5, (0, 1), xtol=0.01, delta=0.1, level=2
        )


def test_what_the_function_raises_comes_out_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        private_root_scalar(lambda x: 1 / (x - x), (0, 1), xtol=0.01, delta=0.1, level=2)
    with pytest.raises(LookupError, match="no such price"):
        private_root_scalar(_raises_inside, (0, 1), xtol=0.01, delta=0.1, level=2)


def _raises_inside(x: float) -> float:
    if 0 < x < 1:
        raise LookupError("no such price")
    return x - 0.5


def test_bad_arguments_are_named() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"bracket": 1}, "bracket"),
        ({"bracket": (1, 1)}, "high"),
        ({"xtol": 0}, "xtol"),
        ({"xtol": 1e-18}, "floats near 1 are not fine enough"),
        ({"delta": -1}, "delta"),
        ({"level": "many"}, "level"),
        ({"p": 0.9, "confidence": 0.9}, "rising"),
        ({"vectorized": True, "f": lambda x: 1.0}, "one per point"),
    ]
    for change, said in wrong:
        given: dict[str, Any] = {
            "f": lambda x: x - 0.5,
            "bracket": (0, 1),
            "xtol": 0.01,
            "delta": 0.1,
            "level": 2,
        }
        with pytest.raises(InvalidValue, match=said):
            private_root_scalar(**given | change)
    with pytest.raises((InvalidValue, NoPlan)):
        private_root_scalar(lambda x: x, (-1, 1), xtol=0.01, delta=1.5, level=2)


@pytest.mark.parametrize(("delta", "said"), [(0.5, "delta = 0.5"), (0.6, "delta = 0.6")])
def test_a_window_that_does_not_fit_is_refused_with_one_that_does(delta: float, said: str) -> None:
    """Points lie at floats, or beside questions: half of a bracket has no room for that."""
    root: dict[str, Any] = {"f": lambda x: x - 0.3, "bracket": (0, 1), "xtol": 1e-3, "level": 2}
    with pytest.raises(OutOfRegime, match=said) as refused:
        private_root_scalar(delta=delta, **root)
    assert "must be at most width/level = 0.5 minus 4.5e-16" in str(refused.value)
    assert "give 0.499999 or less" in str(refused.value)
    assert private_root_scalar(delta=0.499999, **root).converged
    lowest: dict[str, Any] = {"fun": lambda x: abs(x - 0.3), "bounds": (0, 1), "xtol": 1e-3}
    with pytest.raises(OutOfRegime, match=said) as refused:
        private_minimize_scalar(delta=delta, level=2, **lowest)
    assert "give 0.499874 or less" in str(refused.value)
    assert private_minimize_scalar(delta="0.499874", level=2, **lowest).success
    with pytest.raises(OutOfRegime, match=r"dim\)⌉ = 0.5 minus .* give 0.499999 or less"):
        private_minimize(None, [(0, 1), (0, 2)], jac=lambda x: x, xtol=1e-3, delta=delta, level=4)
    with pytest.raises(OutOfRegime, match=r"delta = 0.001: with p it must be at least 8·xtol"):
        private_root_scalar(delta=0.001, p=0.9, confidence=0.9, rising=True, **root)


def test_bounds_and_gradients_of_the_wrong_length_are_named() -> None:
    wanted: dict[str, Any] = {"xtol": 1e-3, "delta": 0.05, "level": 4}
    none: list[Any] = [[], None, 3]
    for bounds in none:
        with pytest.raises(InvalidValue, match=r"bounds = .*one interval per coordinate"):
            private_minimize(lambda x: 1.0, bounds, **wanted)
    two = [(0, 1), (0, 1)]
    for slope in (lambda x: [1.0, 2.0, 3.0], lambda x: 1.0, lambda x: None, lambda x: [[1.0], 2.0]):
        with pytest.raises(InvalidValue, match=r"jac = .*2 numbers per point, one per coordinate"):
            private_minimize(None, two, jac=slope, **wanted)
    with pytest.raises(InvalidValue, match=r"jac = .* shape"):
        private_minimize(None, two, jac=lambda x: x[:, :1], vectorized=True, **wanted)
    with pytest.raises(InvalidValue, match=r"fun = .*one per point; return one"):
        private_minimize(lambda x: [1.0, 2.0], two, **wanted)
    with pytest.raises(InvalidValue, match=r"f = .*one per point"):
        private_root_scalar(lambda x: [1.0, -2.0], (0, 1), **wanted)


CONVEX: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    "parabola": (lambda x: (x - 0.3) ** 2, 0, 1, 0.3),
    "corner": (lambda x: abs(x - 0.3), 0, 1, 0.3),
    "at the left end": (lambda x: x, 0, 1, 0),
    "at the right end": (lambda x: -x, 0, 1, 1),
    "exp": (lambda x: math.exp(x) - 2 * x, 0, 2, math.log(2)),
    "entropy": (lambda x: x * math.log(x), 0.05, 2, math.exp(-1)),
    "hinge": (lambda x: max(0.8 - x, 2 * x - 1.6), 0, 3, 0.8),
    "softplus": (lambda x: math.log1p(math.exp(4 * x)) - x, -3, 3, math.log(1 / 3) / 4),
}


@pytest.mark.parametrize("name", CONVEX)
def test_a_minimum_by_differences(name: str) -> None:
    f, low, high, best = CONVEX[name]
    spied = Spied(f)
    found = private_minimize_scalar(spied, (low, high), xtol=1e-3, delta=0.05, level=4)
    assert abs(found.x - best) <= 1e-3
    assert found.nfev == len(spied.points)
    assert low <= min(spied.points) <= max(spied.points) <= high
    assert "fun" not in found


def test_a_minimum_by_the_derivative() -> None:
    found = private_minimize_scalar(
        None, (0, 1), jac=lambda x: 2 * (x - 0.3), xtol=1e-4, delta=0.02, level=4
    )
    assert abs(found.x - 0.3) <= 1e-4
    assert found.nfev == 0
    rows = private_minimize_scalar(
        lambda x: (x - 0.3) ** 2, (0, 1), xtol=1e-4, delta=0.02, level=4, vectorized=True
    )
    assert abs(rows.x - 0.3) <= 1e-4
    with pytest.raises(InvalidValue, match="fun"):
        private_minimize_scalar(None, (0, 1), xtol=1e-4, delta=0.02, level=4)


def test_a_separable_minimum_all_coordinates_at_once() -> None:
    bounds = [(0, 1), (5, 10), (-1, 1)]
    best = np.array([0.3, 7.1, -0.5])
    by_points = private_minimize(
        lambda x: float(((x - best) ** 2).sum()), bounds, xtol=1e-3, delta=0.02, level=8
    )
    by_gradient = private_minimize(
        None, bounds, jac=lambda x: 2 * (x - best), xtol=1e-3, delta=0.02, level=8
    )
    for found in (by_points, by_gradient):
        assert np.abs(found.x - best).max() <= 1e-3
    assert by_gradient.njev < by_points.nfev / 2


def test_a_slope_that_rounding_hides_is_no_success() -> None:
    """10⁶ + (x − 0.3)²: within 5·10⁻⁴ of its minimum all values are one float."""
    wanted: dict[str, Any] = {"bounds": (0, 1), "delta": 0.05, "level": 4, "seed": 1}
    blurred = private_minimize_scalar(lambda x: 1e6 + (x - 0.3) ** 2, xtol=1e-6, **wanted)
    assert not blurred.success
    assert "give jac, or a larger xtol" in blurred.message
    coarse = private_minimize_scalar(lambda x: 1e6 + (x - 0.3) ** 2, xtol=1e-2, **wanted)
    assert coarse.success
    assert abs(coarse.x - 0.3) <= 1e-2
    known = private_minimize_scalar(None, jac=lambda x: 2 * (x - 0.3), xtol=1e-6, **wanted)
    assert known.success
    assert abs(known.x - 0.3) <= 1e-6


@pytest.mark.parametrize("offset", [1e6, 1e9, 1e10, 1e11])
def test_a_success_is_right_however_great_the_values_are(offset: float) -> None:
    """(x − c)² + K, xtol 10⁻³: from K = 10⁹ on differences near c are a few units of rounding."""
    random = Random(1)
    wanted: dict[str, Any] = {"xtol": 1e-3, "delta": 0.05, "level": 4, "seed": 1}
    for _ in range(12):
        best = random.uniform(0.1, 0.9)
        found = private_minimize_scalar(
            lambda x, best=best: (x - best) ** 2 + offset, (0, 1), **wanted
        )
        assert found.success == (offset == 1e6)
        assert abs(found.x - best) <= 1e-3 or not found.success


@pytest.mark.parametrize("xtol", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize(
    ("f", "low", "high", "best"),
    [
        (lambda x: x * x, -1, 1, 0),
        (abs, -1, 1, 0),
        (math.cosh, -2, 2, 0),
        (lambda x: (x - 0.5) ** 2 + 1, 0, 1, 0.5),
        (lambda x: x, 0, 1, 0),
        (lambda x: -x, 0, 1, 1),
    ],
)
def test_a_minimum_where_a_question_is_put_is_a_success(
    f: Callable[[float], float], low: float, high: float, best: float, xtol: float
) -> None:
    """Two points even beside a round number would have one value, which shows nothing."""
    found = private_minimize_scalar(
        f, (low, high), xtol=xtol, delta=(high - low) / 20, level=4, seed=2
    )
    assert found.success
    assert abs(found.x - best) <= xtol


def test_a_stretch_without_a_slope_is_a_success_only_if_it_is_short() -> None:
    wanted: dict[str, Any] = {"xtol": 1e-3, "delta": 0.05, "level": 4, "seed": 1}
    for half, short in ((2e-4, True), (2e-3, False), (0.2, False)):
        found = private_minimize_scalar(lambda x, h=half: max(h, abs(x - 0.3)), (0, 1), **wanted)
        assert found.success == short
    one_flat = private_minimize(
        lambda x: abs(x[0] - 0.3) + max(0.1, abs(x[1] - 0.6)), [(0, 1), (0, 1)], **wanted
    )
    assert not one_flat.success


def test_arguments_as_scipy_takes_them() -> None:
    wanted: dict[str, Any] = {"xtol": 0.01, "delta": 0.1, "level": 2}
    alone = private_root_scalar(lambda x, a: x - a, (0, 1), args=cast(Any, 0.3), **wanted)
    boxed = private_root_scalar(lambda x: np.array([x - 0.3]), (0, 1), **wanted)
    assert abs(alone.root - 0.3) <= 0.01
    assert abs(boxed.root - 0.3) <= 0.01
    with pytest.raises(InvalidValue, match="xtol = 2: the middle of the interval is that near"):
        private_root_scalar(lambda x: x - 0.3, (0, 1), **wanted | {"xtol": 2})
