"""Plans whose searches stop when they are sure: how long they are, and what they promise."""

from fractions import Fraction
from typing import Any

import pytest

from feint import Domain, NoPlan, Problem, plan
from feint.planning import afford, compare
from feint.planning.noisy.stopping import capacity, lengths
from feint.problem import Exactly
from feint.simulate import clopper_pearson, run_lengths, simulate
from feint.strategies import SequentialNoisy, StagedNoisy

# MATH.md, section 12: mean questions of 10,000 runs.
ROWS = [
    (("0.001", "0.02", 5), "0.9", 20, 87),
    (("0.001", "0.02", 5), "0.75", 20, 265),
    (("0.0001", "0.01", 8), "0.9", 100, 208),
    (("0.0001", "0.005", 20), "0.9", 20, 377),
]
QUICK: dict[str, Any] = {"p": "0.9", "confidence": "0.95"}


@pytest.mark.parametrize(("fields", "p", "many", "mean"), ROWS)
def test_the_mean_is_that_of_the_table(
    fields: tuple[str, str, int], p: str, many: int, mean: int
) -> None:
    found = plan(Problem(*fields, p=p, confidence=1 - Fraction(1, many)))
    assert (found.certificate, found.private) == ("theorem", True)
    assert found.cost is not None
    assert found.cost.errors is not None
    assert found.cost.queries <= 1.05 * mean + 3 * found.cost.errors[0]
    assert found.losses is not None
    assert found.losses["total"] <= found.losses["allowed"]


@pytest.mark.parametrize(("p", "mean"), [("0.9", 15.5), ("0.8", 30.0)])
def test_with_nothing_hidden_200_values_take_as_few_as_the_table_says(p: str, mean: float) -> None:
    domain = Domain(1, 200, step=1)
    problem = domain.problem(delta=1, level=1, p=p, confidence="0.95")
    asked = run_lengths(plan(problem, domain=domain).strategy, 4000, seed=5).queries
    assert asked.mean() <= 1.05 * mean


CRITERIA = [
    ("confident", Domain(0, 1), {"epsilon": "0.01", "delta": "0.1", "level": 3, **QUICK}),
    ("average", Domain(0, 1), {"epsilon": "0.01", "delta": "0.1", "level": 3, "p": "0.9"}),
    ("values", Domain(1, 97, step=1), {"delta": 5, "level": 4, **QUICK}),
    ("values, average", Domain(1, 97, step=1), {"delta": 5, "level": 4, "p": "0.9"}),
    ("ticks", Domain(0, 90, tick="0.5"), {"epsilon": 5, "delta": 20, "level": 2, **QUICK}),
    (
        "two numbers",
        Domain(0, 1),
        {"epsilon": "0.02", "delta": "0.2", "level": 4, "dim": 2, **QUICK},
    ),
    (
        "prior",
        Domain(0, 200),
        {"epsilon": 2, "delta": 8, "level": 3, "prior": "normal(60, 30)", **QUICK},
    ),
]


@pytest.mark.parametrize(("domain", "given"), [each[1:] for each in CRITERIA])
def test_it_misses_no_more_often_than_promised_and_asks_fewer_than_a_fixed_length(
    domain: Domain, given: dict[str, Any]
) -> None:
    """The lower Clopper-Pearson limit of 1 in 10^4 would show a miss too many."""
    problem = domain.problem(**given)
    found = plan(problem, domain=domain)
    outcome = simulate(found, runs=4000, seed=11)
    if problem.confidence is not None:
        low, _ = clopper_pearson(round(outcome.miss_rate * 4000), 4000, 1e-4)
        assert float(low) <= 1 - problem.confidence
    else:
        assert outcome.mean_error <= problem.epsilon / 2
    assert found.private
    assert outcome.queries_mean < plan(problem, domain=domain, method="fixed").queries


def test_limits_hold_for_the_longest_search() -> None:
    problem = Problem("0.001", "0.02", 5, **QUICK)
    free, fixed = plan(problem), plan(problem, method="fixed")
    assert isinstance(free.strategy, SequentialNoisy)
    before: Any = 0
    for most in (free.queries, 400, 300, fixed.queries):
        found = plan(problem, max_queries=most)
        assert found.queries <= most
        assert found.cost is not None
        assert before <= found.cost.queries
        before = found.cost.queries
    assert isinstance(found.strategy, StagedNoisy)  # no search that stops is as short
    with pytest.raises(NoPlan, match="max_queries = 192: every plan has longer") as refused:
        plan(problem, max_queries=fixed.queries - 1)
    enough = int(refused.value.remedy.split(",")[0].removeprefix("allow "))
    assert fixed.queries <= enough <= fixed.queries * 9 / 8
    assert plan(problem, max_queries=enough).queries <= enough
    for rounds in (100, 60, 46):
        found = plan(problem, max_rounds=rounds)
        assert found.rounds <= rounds
        assert found.cost is not None
        assert found.cost.queries <= fixed.queries
    few = plan(problem, max_rounds=60).strategy
    assert isinstance(few, SequentialNoisy)
    assert few.shape.at_once > 1


def test_a_budget_limits_the_longest_search() -> None:
    found = afford(queries=150, epsilon="0.01", level=3, **QUICK)
    assert found.plan.queries <= 150
    with pytest.raises(NoPlan, match=r"too few even for level 2; give \d+ or more") as refused:
        afford(queries=10, epsilon="0.01", delta="0.05", **QUICK)
    least = int(refused.value.remedy.split()[1])
    assert afford(queries=least, epsilon="0.01", delta="0.05", **QUICK).plan.queries <= least


def test_plans_say_how_their_mean_was_found() -> None:
    problem = Problem("0.01", "0.1", 3, **QUICK)
    told = plan(problem).to_dict()
    assert told["mean_source"] == "simulated"
    assert 0 < told["queries_mean_error"] < 0.02 * told["queries_mean"]
    assert told["queries_mean"] < told["queries_95"] < told["queries"]
    assert told["rounds_mean"] < told["rounds_95"] < told["rounds"]
    fixed = plan(problem, method="fixed").to_dict()
    assert fixed["mean_source"] == "exact"
    assert fixed["queries_mean"] == fixed["queries_95"] == fixed["queries"]
    assert fixed["queries_mean_error"] is None
    assert "95 % of searches ask at most" in str(plan(problem))


def test_calibrated_is_what_fixed_can_be() -> None:
    """The argument of method "tight" from before still works, and says what to write."""
    problem = Problem("0.05", "0.25", 2, p="0.9", confidence="0.7")
    with pytest.warns(DeprecationWarning, match='method="fixed"'):
        found = plan(problem, certificate="calibrated")
    assert (found.method, found.certificate) == ("fixed", "calibrated")
    names = [(each.method, each.certificate) for each in compare(problem, certificate="calibrated")]
    assert names[:2] == [("tight", "theorem"), ("fixed", "calibrated")]


def test_lengths_grow_by_one_bit_per_doubling_and_fall_with_p() -> None:
    """Section 12: 40 cells at p = .9 and e = .04, with 1, 2, 3, 5 and 8 quantiles at once."""
    p = Fraction(9, 10)
    for at_once, rounds in ((1, 11.2), (2, 6.8), (3, 5.5), (5, 4.0), (8, 3.2)):
        assert (
            abs(float(lengths(Exactly(p), 40, "miss", at_once).average(0.04)) / rounds - 1) < 0.05
        )
    wide = [float(lengths(Exactly(p), cells).average(0.04)) for cells in (64, 128, 4096)]
    assert abs((wide[1] - wide[0]) * capacity(p) - 1) < 0.1
    assert abs((wide[2] - wide[1]) / 5 / (wide[1] - wide[0]) - 1) < 1e-6
    assert float(lengths(Exactly(Fraction(4, 5)), 40).average(0.04)) > wide[0]
    near = [lengths(Exactly(Fraction(1, 2) + Fraction(1, 10**k)), 40).average(0.04) for k in (2, 3)]
    assert abs(float(near[1] / near[0]) / 100 - 1) < 0.01  # time grows by 1/(p − 1/2)²


def test_caps_cut_lengths_short() -> None:
    known = lengths(Exactly(Fraction(9, 10)), 40)
    mean, reached = known.capped(0.04, 10)
    assert 0 < reached < 1
    assert mean < known.average(0.04)
    late = known.within(0.04, 0.001)
    assert known.capped(0.04, late)[1] <= 0.001
    assert known.capped(0.04, 10**6) == pytest.approx((float(known.average(0.04)), 0.0))
