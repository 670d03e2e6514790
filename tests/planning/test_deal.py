"""The deal in one sentence: true for every kind of plan, and no more than the plan certifies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from feint import Domain, Plan, Problem, find, plan
from feint.errors import InvalidValue
from feint.planning import deal, promise
from feint.search import Search, named, worded

PRICES = Domain(20, 100, label="price")
AGES = Domain(1, 97, step=1, label="age")
LEARNT = "You learn the price to within ±0.5"
EQUALLY = "if all answers are right equally often"


def made(domain: Domain, method: str = "tight", **wanted: Any) -> Plan:
    return plan(domain.problem(**wanted), domain=domain, method=method)


def test_it_says_cost_accuracy_and_privacy() -> None:
    found = made(PRICES, within="0.5", delta=5, level=4)
    assert found.queries == 17
    assert found.queries_mean == Fraction(77, 5)
    assert found.deal == (
        "At most 17 questions (15.4 on average) in 5 rounds. You learn the price to within ±0.5;"
        " a watcher gets within ±2.5 at most 1 time in 4."
    )
    assert found.to_dict()["deal"] == found.deal


@pytest.mark.parametrize(
    ("domain", "wanted", "said"),
    [
        (
            PRICES,
            {"within": "0.5", "delta": 5, "level": 4, "setting": "deterministic"},
            f"{LEARNT}; a watcher is left with at least 4 places, 5 apart, any of which is possible"
            " (not equally likely).",
        ),
        (
            PRICES,
            {"within": "0.5", "delta": 5, "level": 1},
            f"{LEARNT}; nothing is hidden from a watcher.",
        ),
        (
            PRICES,
            {"within": "0.5", "delta": 5, "level": 4, "method": "bisection"},
            f"{LEARNT}; nothing is promised about what a watcher learns.",
        ),
        (
            PRICES,
            {"within": 2, "delta": 16, "level": 2, "prior": "normal(60, 15)"},
            "You learn the price to within ±2; a watcher gets within ±8 at most 1 time in 2, if the"
            " prior is right.",
        ),
        (
            AGES,
            {"delta": 7, "level": 4},
            "You learn the age exactly; a watcher names 7 neighbouring values that include the"
            " right one at most 1 time in 4.",
        ),
        (
            AGES,
            {"delta": 1, "level": 4},
            "You learn the age exactly; a watcher names it at most 1 time in 4.",
        ),
        (
            Domain(0, 8),
            {"within": "0.5", "delta": 2, "level": 2, "dim": 2},
            "You learn both numbers, each to within ±0.5; a watcher gets within ±1 of both at once"
            " at most 1 time in 2.",
        ),
        (
            Domain(20, 100, label="price", unit="€"),
            {"within": "0.5", "delta": 5, "level": 4},
            "You learn the price to within ±€0.5; a watcher gets within ±€2.5 at most 1 time in 4.",
        ),
        (  # no decimals divide this range: the certificate is up to a part in a million
            Domain(0, "1/3"),
            {"within": "1/97", "delta": "1/17", "level": 3},
            "You learn the number to within ±1/97; a watcher gets within ±1/34 at most 1 time in 3"
            " (or one part in a million more often).",
        ),
    ],
)
def test_every_kind_of_plan_has_a_true_sentence(
    domain: Domain, wanted: dict[str, Any], said: str
) -> None:
    assert promise(made(domain, **wanted)) == said


@pytest.mark.parametrize(
    ("p", "confidence", "learnt"),
    [
        ("0.9", "0.95", "with probability 0.95 or more;"),
        ("0.9", None, "on average;"),
        (
            (0.7, 0.95),
            "0.95",
            "with probability 0.95 or more, averaged over all possible p",
        ),
    ],
)
def test_under_noise_it_says_how_sure_and_what_that_needs(
    p: Any, confidence: str | None, learnt: str
) -> None:
    found = made(PRICES, within=2, delta=20, level=2, p=p, confidence=confidence)
    assert f"You learn the price to within ±2 {learnt}" in found.deal
    assert found.deal.endswith(f"a watcher gets within ±10 at most 1 time in 2, {EQUALLY}.")
    assert found.cost is not None
    assert found.cost.errors is not None
    assert f"(about {float(found.cost.queries):.3g} on average)" in found.deal  # it is simulated


def test_a_strategy_of_ones_own_promises_nothing() -> None:
    own = Plan.of(made(PRICES, within="0.5", delta=5, level=4).strategy, domain=PRICES)
    assert promise(own) == (
        "It aims to find the price to within ±0.5, which is not promised;"
        " nothing is promised about what a watcher learns."
    )


def test_one_time_in_is_never_rounded_up() -> None:
    """The times are at most 1/success, to a tenth: any more would promise too much."""
    shown = set()
    for level in (2, 3, 4, 5, 12):
        each = made(Domain(1, 61, step=1), delta=3, level=level)
        assert each.promised is not None
        times = Fraction(each.deal.split("1 time in ")[1].removesuffix("."))
        step = Fraction(1, 10) if times < 10 else 1
        assert times <= 1 / each.promised < times + step
        shown.add(times.denominator)
    assert shown >= {1}


def test_numbers_of_different_units_are_named_one_by_one() -> None:
    both = (Domain(0, 8, label="price", unit="€"), Domain(0, 80, label="size", unit="g"))
    found = made(Domain(0, 8), within="0.5", delta=2, level=2, dim=2)
    assert promise(found, both) == (
        "You learn the price to within ±€0.5 and the size to within ±5 g;"
        " a watcher gets within ±€1 and ±10 g of both at once at most 1 time in 2."
    )


def test_a_result_and_a_search_say_it_of_themselves() -> None:
    found = made(PRICES, within="0.5", delta=5, level=4)
    search = Search(found, seed=1)
    assert search.deal == deal(found)
    again = search.again(fresh_key=True) if found.repeatable else None
    result = find(
        lambda x: x <= 50, low=20, high=100, labels="price", within="0.5", delta=5, level=4
    )
    assert result.deal == (
        f"It took {result.queries} questions in {result.rounds} rounds. {promise(found)}"
    )
    assert result.to_dict()["deal"] == result.deal
    assert promise(found) in str(result)
    assert again is None or again.keys == 1
    several = promise(found, keys=2)
    assert (
        several
        == f"{LEARNT}; nothing is promised about a watcher of 2 searches with different keys."
    )


def test_within_is_half_of_epsilon() -> None:
    assert PRICES.problem(within="0.5", delta=5, level=4) == PRICES.problem(
        epsilon=1, delta=5, level=4
    )
    one = find(lambda x: x <= 50, low=20, high=100, within="0.5", delta=5, level=4, seed=1)
    assert one == find(lambda x: x <= 50, low=20, high=100, epsilon=1, delta=5, level=4, seed=1)
    several = find(
        lambda x, which: x <= (5, 50)[which],
        low=[0, 0],
        high=[10, 100],
        within="0.5",
        delta=4,
        level=2,
    )
    assert all(each.high - each.low <= 1 for each in several.coordinates)


@pytest.mark.parametrize(
    ("domain", "wanted", "said"),
    [
        (PRICES, {"within": "0.5", "epsilon": 1}, "within = 0.5: is half of epsilon, and epsilon"),
        (PRICES, {"within": "0.5", "epsilon": "0.5"}, "leave one of the two out"),
        (PRICES, {"within": 0}, "within = 0: must be above zero"),
        (PRICES, {"within": "a"}, "within = a"),
        (PRICES, {"within": 60}, "epsilon = 120: (twice within)"),
        (AGES, {"within": "0.5"}, "within = 0.5: with a step the number is found exactly"),
        (PRICES, {}, "give its width, or half of it as within"),
    ],
)
def test_within_is_refused_in_its_own_words(
    domain: Domain, wanted: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidValue) as refused:
        domain.problem(delta=5, level=4, **wanted)
    assert said in str(refused.value)


def test_wording_is_one_for_each_number() -> None:
    domains = worded(
        named(PRICES, 2, ["a", "b"]), units=["€"], questions=["A {value}?", "B {value}?"]
    )
    assert [(each.label, each.unit, each.question) for each in domains] == [
        ("a", "€", "A {value}?"),
        ("b", "€", "B {value}?"),
    ]
    with pytest.raises(InvalidValue, match="there are 2 coordinates"):
        worded(domains, questions=["A {value}?"])


def test_a_problem_on_the_unit_interval_has_a_deal_too() -> None:
    assert plan(Problem("2^-20", "2^-8", 15)).deal == (
        "199 questions in 17 rounds. You learn the number to within ±1/2097152;"
        " a watcher gets within ±0.001953125 at most 1 time in 15."
    )
