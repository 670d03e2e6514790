"""Plans for customers: the pricing problem, X* anywhere in its cell."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from feint import Domain, InvalidValue, Plan, plan
from feint.interfaces import UNASKED
from feint.planning.noisy.responses import claimed_success, fewest_repeats
from feint.problem import Responses
from feint.simulate import clopper_pearson
from feint.strategies import ResponseNoisy, ResponseShape

DOMAIN = Domain(0, 100, label="price")
WANTED: dict[str, Any] = {"epsilon": 2, "delta": 10, "level": 4, "confidence": "0.9"}
KNOWN = Responses("logistic", (Fraction(6, 100),))
SHAPE = ResponseShape(
    parts=10, repeats=16, kept=5, at_once=6, hide_error=Fraction(21, 100), most=180
)


def customers(strategy: Any, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """How many customers were asked, and which prices were within ±1; X* is anywhere."""
    random, state = np.random.default_rng(seed), strategy.start(runs)
    price = 100 * random.random(runs)
    scales = [100 * float(each) for each in strategy.responses.scales]
    scale = random.choice(scales, runs, p=[float(each) for each in strategy.responses.weights])
    asked = np.zeros(runs, int)
    for _ in strategy.rounds:
        weights = strategy.coin(state)
        if weights is not None:
            state = strategy.toss(state, random.integers(weights.shape[1], size=runs))
        points = strategy.ask(state)
        put = points != UNASKED
        if not put.any():
            break
        far = (price[:, None] - points * 100 / strategy.size) / scale[:, None]
        state = strategy.tell(state, put & (random.random(put.shape) < 1 / (1 + np.exp(-far))))
        asked += put.sum(axis=1)
    found = strategy.estimate(state).point[:, 0] * 100 / strategy.size
    return asked, np.abs(found - price) <= 1


def kept_promise(right: np.ndarray, sure: float = 0.9) -> bool:
    """The 99.9 % upper limit of the success rate is not below the promise."""
    return float(clopper_pearson(int(right.sum()), len(right), 2e-3)[1]) >= sure


def test_a_shape_like_the_planned_one_finds_prices_with_few_customers() -> None:
    """The quick sibling of the full figures: 60 searches, against 2,600 customers."""
    problem = DOMAIN.problem(p="logistic(6)", **WANTED)
    asked, right = customers(ResponseNoisy(problem, 500, SHAPE), 60, 1)
    assert asked.mean() < 1500
    assert kept_promise(right)
    assert right.mean() > 0.75


def test_its_claim_keeps_the_level_and_a_smaller_cut_does_not() -> None:
    assert claimed_success(KNOWN, 10, 5, 16) == Fraction(224590779, 10**9)
    assert claimed_success(KNOWN, 5, 5, 3) <= Fraction(1, 4) < claimed_success(KNOWN, 5, 5, 2)
    assert claimed_success(KNOWN, 4, 4, 50, 24) > Fraction(1, 4)


def test_the_least_cut_is_the_least() -> None:
    least = fewest_repeats(KNOWN, 10, 6, Fraction(53, 10))
    assert least is not None
    assert least > 16
    assert claimed_success(KNOWN, 10, 6, least, 16) * Fraction(53, 10) <= 1
    assert claimed_success(KNOWN, 10, 6, least - 1, 16) * Fraction(53, 10) > 1


def test_of_several_scales_the_worst_is_claimed() -> None:
    scales = tuple(Fraction(each, 100) for each in (3, 6, 12))
    found = claimed_success(Responses("logistic", scales), 8, 5, 16, 24)
    alone = [claimed_success(Responses("logistic", (each,)), 8, 5, 16, 24) for each in scales]
    assert found == max(alone) == alone[-1]


@pytest.mark.parametrize(
    ("domain", "more", "argument"),
    [
        (Domain("1/3", 100), {}, "high"),
        (DOMAIN, {"level": 10}, "delta"),
        (DOMAIN, {"confidence": "0.99999"}, "confidence"),
        (DOMAIN, {"max_rounds": 1}, "max_rounds"),
        (DOMAIN, {"method": "fixed"}, "method"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    domain: Domain, more: dict[str, Any], argument: str
) -> None:
    options = {name: more[name] for name in ("max_rounds", "method") if name in more}
    wanted = {**WANTED, **{name: each for name, each in more.items() if name not in options}}
    problem = domain.problem(p="logistic(6)", **wanted)
    with pytest.raises(InvalidValue) as caught:
        plan(problem, domain=domain, **options)
    assert caught.value.argument == argument
    assert caught.value.remedy


@pytest.fixture(scope="module")
def known() -> Plan:
    return plan(DOMAIN.problem(p="logistic(6)", **WANTED), domain=DOMAIN)


@pytest.mark.long
def test_the_plan_says_what_it_promises(known: Plan) -> None:
    assert known.private
    assert known.certificate == "calibrated"
    assert known.losses is not None
    assert known.losses["total"] <= known.losses["allowed"]
    assert "logistic answers" in known.condition
    assert known.queries_mean is not None
    assert known.queries_mean <= 2600


@pytest.mark.slow
def test_with_a_known_scale_2600_customers_are_enough(known: Plan) -> None:
    asked, right = customers(known.strategy, 500, 7)
    assert asked.mean() <= 2600
    assert kept_promise(right)


@pytest.mark.slow
def test_with_one_of_three_scales_3500_customers_are_enough() -> None:
    problem = DOMAIN.problem(p="logistic(3|6|12)", **WANTED)
    found = plan(problem, domain=DOMAIN)
    asked, right = customers(found.strategy, 500, 7)
    assert asked.mean() <= 3500
    assert kept_promise(right)
    assert found.private


@pytest.mark.long
def test_nothing_is_cut_where_nothing_is_hidden() -> None:
    """A sequential method without privacy needs 450 to 570."""
    problem = DOMAIN.problem(p="logistic(6)", **{**WANTED, "level": 1})
    found = plan(problem, domain=DOMAIN)
    assert [each.name for each in found.phases] == ["narrow"]
    asked, right = customers(found.strategy, 300, 3)
    assert asked.mean() < 570
    assert kept_promise(right)
