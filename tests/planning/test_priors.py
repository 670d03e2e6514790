"""Plans for a number that is not uniform, against an enumeration that shares no code with them."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.believed import best_window, brute, random_weights
from tests.support.examples import examples, later

from feint import Domain, Problem, Search, afford, frontier, plan
from feint.audit import Prior, audit, measure
from feint.errors import InvalidValue, NoPlan, OutOfRegime, TooLarge, UnknownMethod
from feint.planning import Plan, compare
from feint.problem import UNIT
from feint.simulate import simulate
from feint.simulate.adversaries import standard

# epsilon, delta, level, prior, and the fewest questions known before: quantile-staged, or the
# uniform plan for a raised level.
KNOWN = [
    ("1/200", "1/40", 3, "normal(0.5, 0.15)", 18),
    ("1/200", "1/40", 3, "normal(0.3, 0.08)", 22),
    ("1/1000", "1/50", 4, "normal(0.5, 0.15)", 38),
    ("1/1000", "1/50", 4, "normal(0.3, 0.08)", 40),
    ("1/1000", "1/50", 4, "beta(2, 5)", 32),
    ("1/1000", "1/50", 4, "lognormal(0.5, 0.3)", 38),
]
SHOP = Domain(0, 200, label="price")


def checked(found: Plan) -> None:
    """A plan's claims, by brute force."""
    success, width = brute(found)
    assert success == found.adversary_success
    assert success * found.problem.level <= 1
    assert width <= found.problem.epsilon
    assert found.certificate == "exact"
    assert found.private


def known(case: tuple[str, str, int, str, int]) -> None:
    epsilon, delta, level, prior, most = case
    found = plan(UNIT.problem(epsilon=epsilon, delta=delta, level=level, prior=prior))
    assert found.queries <= most
    checked(found)


@pytest.mark.parametrize("case", KNOWN[:1])
def test_no_plan_is_longer_than_the_best_known(case: Any) -> None:
    known(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", KNOWN[1:])
def test_none_of_the_others_is(case: Any) -> None:
    known(case)


def attempt(seed: int) -> None:
    """A random problem is planned, and brute force agrees; or rightly refused."""
    draw = random.Random(1000 + seed)
    level = draw.randint(2, 5)
    if seed % 3 == 0:
        values = draw.randint(12, 60)
        domain = Domain(1, values, step=1)
        widths: dict[str, Any] = {"delta": draw.randint(1, 3)}
        weights = random_weights(seed, values)
    else:
        domain = Domain(0, draw.choice([1, 10, 100]))
        fine = draw.randint(20, 60)
        widths = {
            "epsilon": domain.width / fine,
            "delta": domain.width * Fraction(draw.randint(2, 4), fine),
        }
        weights = random_weights(seed, draw.choice([7, 16, 50]))
    prior = Prior(weights)
    width = Fraction(widths["delta"]) / domain.width
    blind = prior.blind(width)
    try:
        problem = domain.problem(level=level, prior=prior, **widths)
    except OutOfRegime:
        assert blind * level > 1 or width * level > 1
        return
    assert blind * level <= 1
    found = plan(problem, domain=domain)
    if problem.prior is None:
        return
    success, error = brute(found)
    assert success == found.adversary_success
    assert found.private
    assert success * level <= 1 + Fraction(1, 10**6)
    if problem.values is None:
        assert error <= problem.epsilon
    else:
        assert error <= Fraction(1, problem.values)


@pytest.mark.parametrize("seed", later(range(8), {5, 6, 7}))
def test_random_priors(seed: int) -> None:
    attempt(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 312))
def test_three_hundred_random_priors(seed: int) -> None:
    attempt(seed)


def quantile_staged(seed: int) -> None:
    """Parts of equal mass at exact quantiles, pieces at the same shares: never above 1/L_p."""
    draw = random.Random(seed)
    weights = random_weights(seed, draw.randint(3, 9))
    law, parts = Prior(weights), draw.randint(2, 4)
    kept = draw.randint(1, parts)
    shares = sorted({Fraction(0), Fraction(1), *(Fraction(draw.randint(1, 11), 12) for _ in "abc")})
    delta = law.widest(Fraction(1, parts))
    assert delta is not None
    heap = [law.below(Fraction(k, law.bins)) for k in range(law.bins + 1)]

    def place(mass: Fraction) -> Fraction:
        bin_ = next((k for k in range(law.bins) if heap[k] <= mass < heap[k + 1]), law.bins - 1)
        inside = (mass - heap[bin_]) / (heap[bin_ + 1] - heap[bin_]) if mass < 1 else Fraction(1)
        return (bin_ + inside) / law.bins

    won = Fraction(0)
    for first in range(parts if kept < parts else 1):
        for low, high in pairwise(shares):
            chosen = [(first + k) % parts for k in range(kept)]
            pieces = [(place((c + low) / parts), place((c + high) / parts)) for c in chosen]
            weight = Fraction(1, kept) if kept < parts else Fraction(1)
            won += best_window([(a, b, weight) for a, b in pieces], law.weights, delta)
    assert won <= Fraction(1, kept)


@pytest.mark.parametrize("seed", range(0, 300, 5))
def test_parts_of_equal_mass_hide_alike(seed: int) -> None:
    quantile_staged(seed)


@pytest.mark.parametrize("high", [10**9, 10**12])
def test_so_fine_an_epsilon_is_refused_in_the_users_units(high: int) -> None:
    """Below a 2^33rd of the range it was nothing in places, and divided by."""
    domain = Domain(0, high)
    problem = domain.problem(epsilon=1, delta=high // 50, level=4, prior="ramp")
    with pytest.raises(TooLarge, match="epsilon = 1: so fine a search has too many cells"):
        plan(problem, domain=domain)


@pytest.mark.long
def test_what_was_planned_before_changes_no_plan() -> None:
    """After a plan in any number of rounds, one in 14 asked 24 questions in place of 22."""
    prices = Domain(0, 120)
    problem = prices.problem(epsilon=1, delta=4, level=4, prior="normal(60, 15)")
    assert plan(problem, domain=prices).queries == 22
    assert plan(problem, domain=prices, max_rounds=14).queries == 22


def test_each_coordinate_has_a_prior_of_its_own_in_any_form() -> None:
    stated: list[object] = ["normal(90, 45)", [1, 2, 1]]
    problem = SHOP.problem(epsilon=20, delta=40, level=4, dim=2, prior=stated)
    assert problem.prior == (SHOP.prior("normal(90, 45)"), SHOP.prior([1, 2, 1]))
    assert SHOP.priors([1, 2, 1], 2) == (Prior([1, 2, 1]),) * 2
    assert SHOP.priors(["1", "2", "1"], 1) == (Prior([1, 2, 1]),)
    with pytest.raises(InvalidValue, match="2 of them: must be one for each of the 3 coordinates"):
        SHOP.priors(stated, 3)
    with pytest.raises(InvalidValue, match="2 of them: must be one, for one coordinate"):
        SHOP.priors(stated, 1)


class Even:
    """A distribution of somebody's own."""

    def cdf(self, x: Any) -> Any:
        return np.clip(np.asarray(x) / 200, 0, 1)


@pytest.mark.parametrize(
    "uniform",
    [
        "uniform",
        "uniform(0, 200)",
        [1, 1, 1],
        Even(),
        {"weights": [2, 2], "edges": [0, 100, 200]},
        {"samples": [10, 60, 110, 160], "bins": 4},
        {"name": "uniform"},
        Prior([3]),
    ],
)
def test_a_uniform_prior_in_any_form_is_none(uniform: Any) -> None:
    plain = SHOP.problem(epsilon=1, delta=4, level=4)
    same = SHOP.problem(epsilon=1, delta=4, level=4, prior=uniform)
    assert same == plain
    assert plan(same, domain=SHOP) == plan(plain, domain=SHOP)


def test_whole_values_in_any_form_too() -> None:
    prices = Domain(1, 9, step=1)
    plain = prices.problem(delta=2, level=3)
    for uniform in ("uniform", "uniform(1, 9)", [2] * 9, {"samples": list(range(1, 10))}):
        assert prices.problem(delta=2, level=3, prior=uniform) == plain


SMALL = SHOP.problem(epsilon=5, delta=20, level=3, prior="normal(90, 45)")


@pytest.fixture(scope="module")
def small() -> Plan:
    return plan(SMALL, domain=SHOP)


@pytest.fixture(scope="module")
def wide() -> Plan:
    return plan(SMALL, domain=SHOP, margin="1.1")


def test_a_margin_is_kept_and_what_is_to_spare_is_told(small: Plan, wide: Plan) -> None:
    assert small.margin is not None
    assert wide.margin is not None
    assert wide.margin >= Fraction(11, 10)
    assert wide.queries >= small.queries
    assert small.adversary_success is not None
    assert small.promised == small.adversary_success + SMALL.distance
    assert small.margin == 1 / (3 * small.promised)
    with pytest.raises(OutOfRegime, match="and 3 times that is more than"):
        plan(SMALL, domain=SHOP, margin=3)
    with pytest.raises(InvalidValue, match="1 or more"):
        plan(SMALL, domain=SHOP, margin="0.9")


@examples(12)
@given(st.data())
def test_a_wrong_prior_costs_no_more_than_it_is_wrong(small: Plan, data: st.DataObject) -> None:
    """Tilted by factors between 1/2 and 3, then at most b times as dense: she wins b/L at most."""
    law = SMALL.law()
    tilts = data.draw(st.lists(st.integers(2, 12), min_size=4, max_size=4))
    wrong = Prior([w * tilts[4 * k // law.bins] for k, w in enumerate(law.weights)])
    denser = max(
        Fraction(theirs * law.total, ours * wrong.total)
        for theirs, ours in zip(wrong.weights, law.weights, strict=True)
        if ours
    )
    scale = None if small.scales is None else small.scales[0]
    found = measure(small.strategy, SMALL.delta, prior=wrong, scale=scale)
    assert small.adversary_success is not None
    assert found.success <= denser * small.adversary_success


def test_a_prior_a_coordinate() -> None:
    both = (SHOP.prior("normal(90, 50)"), SHOP.prior([1, 2, 3, 2]))
    problem = SHOP.problem(epsilon=10, delta=30, level=6, dim=2, prior=both)
    found = plan(problem, domain=SHOP)
    report = audit(found)
    assert report.adversary_success == found.adversary_success
    assert report.verdict == "private"
    assert found.scales is not None
    assert len(found.scales) == 2


@pytest.mark.long
def test_fewer_rounds_and_what_a_budget_buys(small: Plan) -> None:
    quick = plan(SMALL, domain=SHOP, max_rounds=3)
    assert quick.rounds <= 3
    assert quick.queries >= small.queries
    success, _ = brute(quick)
    assert success == quick.adversary_success
    trades = frontier(SMALL, domain=SHOP)
    assert trades[0].queries == small.queries
    assert trades[-1].rounds == 1
    prior = "normal(90, 45)"
    bought = afford(queries=small.queries, epsilon=5, delta=20, domain=SHOP, prior=prior)
    assert bought.level >= 3


def test_a_repeatable_plan_keeps_every_part() -> None:
    found = plan(SMALL, domain=SHOP, repeatable=True)
    assert found.repeatable
    success, _ = brute(found)
    assert success == found.adversary_success
    assert success * 3 <= 1


def test_ticks_that_are_given_are_kept() -> None:
    cents = Domain(0, 200, tick=2)
    problem = cents.problem(epsilon=6, delta=20, level=3, prior="normal(90, 45)")
    found = plan(problem, domain=cents)
    success, width = brute(found)
    assert success * 3 <= 1
    assert width <= problem.epsilon
    assert found.scales is not None
    assert all(found.scales[0].at(k) % 2 == 0 for k in range(found.cells[0] + 1))


def test_a_search_is_saved_and_goes_on(small: Plan) -> None:
    search = Search(small)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, query.value <= Fraction("87.4"))
        search = Search.from_json(search.to_json())
    assert search.plan == small
    assert search.result.low <= Fraction("87.4") < search.result.high
    assert search.result.high - search.result.low <= 5


def test_runs_are_drawn_by_the_prior_and_measured_on_the_scale(small: Plan) -> None:
    found = simulate(
        small.strategy,
        runs=4000,
        problem=SMALL,
        scales=small.scales,
        adversaries=standard(SMALL, small.cells),
    )
    assert found.miss_rate == 0
    assert found.accuracy <= SMALL.epsilon
    assert small.adversary_success is not None
    assert all(each.low <= small.adversary_success for each in found.adversaries)
    report = audit(small, runs=1000)
    assert report.verdict == "no leak found"


@pytest.mark.parametrize(
    ("epsilon", "delta", "most"), [(1, "9.46", 79), (1, "9.4", 79), (2, 9, 39)]
)
def test_no_plan_is_longer_than_the_grid(epsilon: int, delta: Any, most: int) -> None:
    """143, 87 and 41 questions before, where a blind guess wins nearly as often as allowed."""
    price = Domain(20, 100)
    problem = price.problem(epsilon=epsilon, delta=delta, level=4, prior="normal(60, 15)")
    found = plan(problem, domain=price)
    assert found.queries <= plan(problem, domain=price, method="grid").queries == most
    checked(found)


def test_nor_is_one_of_two_numbers() -> None:
    price = Domain(20, 100)
    problem = price.problem(epsilon=4, delta=19, level=3, dim=2, prior="normal(60, 15)")
    found = plan(problem, domain=price)
    assert found.queries <= plan(problem, domain=price, method="grid").queries
    assert found.private


def test_the_other_methods_say_what_they_are_worth() -> None:
    plans = {each.method: each for each in compare(SMALL, domain=SHOP)}
    assert list(plans) == ["tight", "bisection", "grid"]
    assert plans["grid"].adversary_success == SMALL.blind
    assert not plans["bisection"].private
    with pytest.raises(UnknownMethod, match="for a uniform number"):
        plan(SMALL, domain=SHOP, method="paper")


def test_the_worst_case_has_no_prior() -> None:
    with pytest.raises(InvalidValue, match="no place is likelier"):
        SHOP.problem(epsilon=5, delta=20, level=3, setting="deterministic", prior="normal(90, 45)")
    even = SHOP.problem(epsilon=5, delta=20, level=3, setting="deterministic", prior="uniform")
    assert even.prior is None


def test_what_nobody_can_hide_is_refused_with_what_works() -> None:
    with pytest.raises(OutOfRegime, match=r"probability 0\.5.*level = 1|delta = ") as caught:
        SHOP.problem(epsilon=1, delta=10, level=4, prior="normal(60, 8)")
    words = caught.value.remedy.partition("delta = ")[2]
    SHOP.problem(epsilon="0.1", delta=words, level=4, prior="normal(60, 8)")
    heavy = Domain(1, 5, step=1)
    with pytest.raises(OutOfRegime, match=r"probability 0\.6"):
        heavy.problem(delta=1, level=2, prior=[1, 1, 6, 1, 1])


NOISY = Domain(0, 100).problem(
    epsilon=4, delta=16, level=2, p="0.9", confidence="0.9", prior="normal(50, 30)"
)


def test_a_noisy_plan_under_a_prior() -> None:
    units = Domain(0, 100)
    found = plan(NOISY, domain=units)
    assert found.certificate == "theorem"
    assert found.losses is not None
    assert found.losses["total"] <= found.losses["allowed"] == pytest.approx(0.1)
    played = simulate(found.strategy, runs=3000, problem=NOISY, scales=found.scales)
    assert played.miss_interval[0] <= 0.1
    report = audit(found, runs=40)
    assert report.verdict == "no leak found"


def test_a_margin_under_noise_is_kept() -> None:
    for margin in ("1.2", "1.5"):
        found = plan(NOISY, domain=Domain(0, 100), margin=margin)
        assert found.adversary_success is not None
        assert found.adversary_success * NOISY.level * Fraction(margin) <= 1


def noisy(prior: Any, *, runs: int, transcripts: int) -> None:
    units = Domain(0, 100)
    problem = units.problem(epsilon=2, delta=8, level=3, p="0.9", confidence="0.95", prior=prior)
    found = plan(problem, domain=units)
    played = simulate(found.strategy, runs=runs, problem=problem, scales=found.scales)
    assert played.miss_rate <= 0.05
    report = audit(found, runs=transcripts, failure=0.01)
    assert report.verdict == "no leak found"
    assert report.adversary_success is not None
    assert float(report.adversary_success) <= 1.01 / 3


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["normal(50, 25)", "beta(2, 3)", [3, 1, 4, 1, 5, 4, 2, 6]])
def test_noisy_runs_keep_their_confidence(prior: Any) -> None:
    noisy(prior, runs=100_000, transcripts=1000)


def test_what_is_not_planned_under_noise_is_refused() -> None:
    with pytest.raises(NoPlan, match="without listening"):
        plan(Problem("1/100", "1/10", 3, p="0.9", prior=Prior([4, 0, 4, 4, 4])), domain=UNIT)
    prices = Domain(1, 9, step=1)
    problem = prices.problem(delta=1, level=2, p="0.9", prior=[1, 2, 2, 2, 2, 2, 2, 2, 1])
    with pytest.raises(InvalidValue, match="step = 1: under noise a prior is planned"):
        plan(problem, domain=prices)
    with pytest.raises(InvalidValue, match="by theorem or by enumeration"):
        plan(NOISY, certificate="calibrated")


def test_the_law_as_stated_gives_her_no_more_than_is_promised() -> None:
    """Read into 40 000 bins it is all but itself; in its own 10 000 it is a thousandth away."""
    found = plan(SHOP.problem(epsilon="0.5", delta=1, level=3, prior="normal(60, 2)"), domain=SHOP)
    finer = SHOP.prior("normal(60, 2)", bins=40_000)
    assert finer.distance is not None
    won = audit(found, prior=finer).adversary_success
    assert won is not None
    assert found.promised is not None
    assert won + Fraction(finer.distance) <= found.promised


@pytest.mark.parametrize("prior", ["normal(100, 40)", "lognormal(0.5, 60)", "exponential(40)"])
def test_what_is_private_is_so_under_the_law_as_stated(prior: str) -> None:
    """With what binning may add she won 0.5003, 0.5007 and 0.5005 of plans called private."""
    found = plan(SHOP.problem(epsilon=1, delta=8, level=2, prior=prior), domain=SHOP)
    assert found.private
    assert found.stated_success is not None
    assert found.stated_success <= 1 / 2
    assert audit(found).verdict == "private"


def test_a_plan_that_leaves_no_room_for_its_bins_is_not_private(small: Plan) -> None:
    """A law that is as far from its bins as there is room, and a little farther."""
    success = small.adversary_success
    assert success is not None
    room = float(Fraction(1, 3) - success)
    for distance, kept in ((room - 1e-9, True), (room + 1e-6, False)):
        law = Prior(SMALL.law().weights, distance=distance)
        held = replace(small, problem=replace(SMALL, prior=(law,)))
        assert held.private is kept
        assert (held.margin is not None) is kept
        report = audit(held)
        assert report.verdict == ("private" if kept else "not shown to be private")
        assert report.private is kept
        assert report.counterexample == ""
        again = audit(held, repeat=2)
        assert again.private is kept
        assert again.verdict.startswith(report.verdict)


def test_a_result_says_what_holds_under_the_law_as_stated(small: Plan) -> None:
    far = Prior(SMALL.law().weights, distance=2**-8)
    search = Search(replace(small, problem=replace(SMALL, prior=(far,))))
    while not search.done:
        for query in search.ask():
            search.tell(query.id, query.value <= 90)
    success = small.adversary_success
    assert success is not None
    assert search.result.adversary_success == success
    assert search.result.promised == success + Fraction(1, 256)
    assert success + Fraction(1, 256) <= Fraction(1, 3)
    assert "at most 1 time in 3, if the prior is right" in str(search.result)
    assert f"{100 * float(success):.3g} %" not in str(search.result)


NARROW: list[tuple[Domain, dict[str, Any], str]] = [
    (Domain(0, 10**5), {"epsilon": 10, "delta": 60, "level": 3}, "normal(60000, 40)"),
    (SHOP, {"epsilon": "0.05", "delta": "0.12", "level": 3}, "normal(60, 0.01)"),
]


def works(domain: Domain, wanted: dict[str, Any], prior: str) -> str:
    """The delta that a refusal names."""
    with pytest.raises(OutOfRegime, match="a guess without listening already wins") as caught:
        domain.problem(prior=prior, **wanted)
    return caught.value.remedy.partition("delta = ")[2]


def test_a_law_narrower_than_its_bins_is_refused() -> None:
    """Both were called private: a blind guess wins all but always, and with 0.547."""
    for each in NARROW:
        assert Fraction(works(*each)) > 0


@pytest.mark.parametrize(
    ("domain", "wanted", "prior"),
    [
        pytest.param(*NARROW[0], marks=pytest.mark.long),
        pytest.param(*NARROW[1], marks=pytest.mark.slow),
    ],
)
def test_what_the_refusal_of_a_narrow_law_names_works(
    domain: Domain, wanted: dict[str, Any], prior: str
) -> None:
    wider = wanted | {"delta": works(domain, wanted, prior)}
    found = plan(domain.problem(prior=prior, **wider), domain=domain)
    assert found.private
    assert found.stated_success is not None
    assert found.stated_success <= 1 / 3


class Atom:
    """A law with some of its mass at 77.1, the rest uniform."""

    def __init__(self, mass: float) -> None:
        self.mass = mass

    def cdf(self, x: Any) -> Any:
        even = np.clip(np.asarray(x) / 200, 0, 1)
        return (1 - self.mass) * even + self.mass * (np.asarray(x) >= 77.1)


@pytest.mark.parametrize("mass", [1.0, 0.5, 0.4])
def test_an_atom_heavier_than_the_promise_is_refused_by_its_mass(mass: float) -> None:
    with pytest.raises(OutOfRegime, match=f"one place has a mass of {mass:g}, more than") as caught:
        SHOP.problem(epsilon=1, delta=4, level=3, prior=Atom(mass))
    assert "delta =" not in caught.value.remedy


def test_a_lighter_atom_counts_as_what_bins_do_not_show() -> None:
    """0.412 and the whole atom, 0.4: what else there is lies in the bins as it was stated."""
    rule = (
        "in 1000 bins a guess without listening wins with probability 0.412, and under the law as"
    )
    with pytest.raises(OutOfRegime, match=f"{rule} stated with 0.812 at most") as caught:
        SHOP.problem(epsilon=1, delta=4, level=2, prior=Atom(0.4))
    assert caught.value.remedy.endswith("; or give a step, if only some values can be")
    delta = caught.value.remedy.partition("delta = ")[2].partition(";")[0]
    found = plan(SHOP.problem(epsilon=1, delta=delta, level=2, prior=Atom(0.4)), domain=SHOP)
    assert found.stated_success is not None
    assert found.stated_success <= 1 / 2


def test_samples_that_are_mostly_one_value_are_refused() -> None:
    samples = {"samples": [10, 60, 60, 60, 60, 110, 160, 190]}
    with pytest.raises(OutOfRegime, match=r"one place has a mass of 0\.5, more than 1/level"):
        SHOP.problem(epsilon=1, delta="0.5", level=3, prior=samples)
    assert SHOP.problem(epsilon=1, delta="0.5", level=2, prior=samples).level == 2
    # Of four bins they are uniform, and yet each comes twice.
    even = {"samples": [10, 10, 60, 60, 110, 110, 160, 160], "bins": 4}
    assert SHOP.problem(epsilon=1, delta=4, level=4, prior=even).prior is None
    with pytest.raises(OutOfRegime, match=r"one place has a mass of 0\.25"):
        SHOP.problem(epsilon=1, delta=4, level=5, prior=even)


def test_a_refusal_counts_the_margin_that_will_be_asked_for() -> None:
    """Without it, what was named as the nearest that works did not."""
    wanted: dict[str, Any] = {"epsilon": 1, "level": 4, "prior": "normal(60, 8)", "margin": "1.5"}
    with pytest.raises(OutOfRegime, match=r"and 1\.5 times that is more than 1/level") as caught:
        SHOP.problem(delta=10, **wanted)
    delta = caught.value.remedy.partition("delta = ")[2]
    problem = SHOP.problem(delta=delta, **wanted)
    found = plan(problem, domain=SHOP, margin="1.5")
    assert found.margin is not None
    assert found.margin >= Fraction(3, 2) * (1 - Fraction(1, 10**6))
    with pytest.raises(InvalidValue, match="margin = x: must be a finite number"):
        SHOP.problem(delta=10, **wanted | {"margin": "x"})


def test_two_who_plan_at_once_share_nothing() -> None:
    """One that gave up ended the other's plan, and progress went to whoever came last."""

    class Stop(Exception):
        pass

    told: dict[str, list[int]] = {"goes on": [], "gives up": []}
    first, second = threading.Event(), threading.Event()
    problem = SHOP.problem(epsilon=5, delta=20, level=3, prior="points(20, 90, 190)")

    def goes_on() -> int:
        def tell(what: str, done: int, wanted: int) -> None:
            told["goes on"].append(threading.get_ident())
            first.set()
            second.wait(60)

        return plan(problem, domain=SHOP, progress=tell).queries

    def gives_up() -> None:
        def tell(what: str, done: int, wanted: int) -> None:
            told["gives up"].append(threading.get_ident())
            second.set()
            raise Stop

        first.wait(60)
        plan(problem, domain=SHOP, progress=tell)

    with ThreadPoolExecutor(2) as both:
        one, other = both.submit(goes_on), both.submit(gives_up)
        with pytest.raises(Stop):
            other.result()
        assert one.result() == plan(problem, domain=SHOP).queries
    assert all(len(set(each)) == 1 for each in told.values())
    assert len(told["gives up"]) == 1


def test_under_noise_too_what_bins_do_not_show_is_hers() -> None:
    units = Domain(0, 100)
    found = plan(NOISY, domain=units)
    assert found.stated_success is not None
    assert found.stated_success <= 1 / 2
    assert found.adversary_success is not None
    far = Prior(NOISY.law().weights, distance=0.3)
    with pytest.raises(OutOfRegime, match="under the law as stated"):
        replace(NOISY, prior=(far,))
