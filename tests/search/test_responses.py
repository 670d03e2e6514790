"""Live searches by customers' answers: one answer each, saved and resumed."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from feint import BadState, Domain, Plan, Search
from feint.problem import Responses
from feint.search.reliability import misfits
from feint.search.saved import decode, encode
from feint.search.units import Asked
from feint.simulate.oracles import Customers
from feint.strategies import ResponseNoisy, ResponseShape

DOMAIN = Domain(0, 100, label="price")


def planned(p: str = "logistic(6)") -> Plan:
    """A plan like those that are made, without their simulation."""
    problem = DOMAIN.problem(epsilon=5, delta=20, level=2, confidence="0.8", p=p)
    shape = ResponseShape(parts=5, repeats=4, kept=3, at_once=4, hide_error=Fraction(1, 4), most=30)
    made = Plan.of(ResponseNoisy(problem, 100, shape), domain=DOMAIN)
    return replace(made, certificate="calibrated", adversary_success=Fraction(1, 2))


@pytest.mark.parametrize("p", ["logistic(6)", "probit(3|12)"])
def test_customers_lead_to_the_price(p: str) -> None:
    near = 0
    for seed in range(12):
        price = Fraction(random.Random(seed).randrange(1000), 10)
        market, search = Customers(price, p, seed=seed), Search(planned(p), seed=seed)
        while not search.done:
            asked = search.ask()
            answers = market.answer(asked)
            search.tell_all({each.id: yes for each, yes in zip(asked, answers, strict=True)})
        near += abs(search.result.estimate - price) <= Fraction(5, 2)
        assert "as stated" in str(search.result)
    assert near >= 7  # 80 % of 12 are promised; 6 or fewer come once in 250


def test_a_search_that_is_resumed_goes_on_alike() -> None:
    market = Customers(37, "logistic(6)", seed=4)
    search = Search(planned(), seed=9)
    lengths = set()
    while not search.done:
        asked = search.ask()
        text = search.to_json()
        lengths.add(len(text))
        other = Search.from_json(text)
        assert [each.value for each in other.ask()] == [each.value for each in asked]
        answers = dict(zip([each.id for each in asked], market.answer(asked), strict=True))
        search.tell_all(answers)
        assert search.sureness == () or search.sureness[0] is None or search.sureness[0].sure > 0
    other = Search.from_json(search.to_json())
    assert other.result.x == search.result.x
    assert len(lengths) == 1  # a file's length tells no answer


def test_nothing_that_is_asked_depends_on_other_parts_answers() -> None:
    """Two searches with one key: the followed copies are answered alike, all others are not."""
    first, second = Search(planned(), seed=2), Search(planned(), seed=2)
    random_ = random.Random(1)
    for number in range(12):
        if first.done:
            break
        asked = first.ask()
        assert [each.value for each in second.ask()] == [each.value for each in asked]
        yes = {each.id: each.value <= 45 for each in asked}
        other = dict(yes)
        if number:
            own = first._course.followed()
            for place, each in enumerate(asked):
                if own[place] != place:
                    other[each.id] = random_.random() < 0.5
        first.tell_all(yes)
        second.tell_all(other)


def test_plans_are_saved_with_their_model() -> None:
    plan = planned("logistic(3:1|6:2|12:1)")
    assert decode(json.loads(json.dumps(encode(plan)))) == plan
    assert isinstance(plan.problem.p, Responses)


@pytest.mark.parametrize(
    ("name", "value"),
    [("at_once", 0), ("most", 0), ("kept", 9), ("repeats", 0), ("parts", 0), ("most", 1 << 40)],
)
def test_a_damaged_shape_is_refused(name: str, value: int) -> None:
    from feint.search.saved import plan_of

    document = json.loads(json.dumps(encode(planned())))
    document["strategy"]["shape"][name] = value
    with pytest.raises((ValueError, LookupError, RuntimeError, BadState)):
        plan_of(document, 5)


def test_customers_are_asked_about_one_number() -> None:
    from feint import InvalidValue

    with pytest.raises(InvalidValue):
        Customers(3, "0.9")
    with pytest.raises(InvalidValue):
        Customers("much", "logistic(6)")
    shop = Customers(63, "logistic(3|12)", seed=2)
    assert "63" not in repr(shop).split(" at 0x")[0]  # an address may hold any digits


def searched(seed: int, scale: str, stated: str = "logistic(6)") -> Search:
    """A search of which the planned scale is `stated`, and the true one is `scale`."""
    price = Fraction(random.Random(seed).randrange(1000), 10)
    market, search = Customers(price, scale, seed=seed), Search(planned(stated), seed=seed)
    while not search.done:
        asked = search.ask()
        answers = market.answer(asked)
        search.tell_all({each.id: yes for each, yes in zip(asked, answers, strict=True)})
    return search


def test_the_owner_is_warned_of_another_scale() -> None:
    warned = [search for seed in range(8) if (search := searched(seed, "logistic(24)")).warning]
    assert len(warned) >= 6
    assert "fit another scale far better than what is stated" in str(warned[0].result)
    for p in ("logistic(6)", "logistic(3|6|12)"):
        assert not any(searched(seed, "logistic(6)", p).warning for seed in range(12))


@pytest.mark.long
def test_false_alarms_of_another_scale_are_as_rare_as_is_said() -> None:
    """All numbers of yeses at two boundaries, by their law: at most 1/1000 is warned of."""
    six, cells, points, each = Responses("logistic", (Fraction(3, 10),)), 12, (3, 8), 36
    middles = np.arange(cells) + 0.5

    def likelihood(scale: float, counts: tuple[int, ...]) -> float:
        found = np.ones(cells)
        for point, yes in zip(points, counts, strict=True):
            chance = 1 / (1 + np.exp(-(middles - point) / (scale * cells)))
            found *= comb(each, yes) * chance**yes * (1 - chance) ** (each - yes)
        return float(found.mean())

    total = warned = 0.0
    for counts in product(range(each + 1), repeat=len(points)):
        stated = likelihood(0.3, counts)
        nearby = float(np.mean([likelihood(scale, counts) for scale in six.nearby]))
        said = [
            (Asked(0, 0, point), 0, number < yes)
            for point, yes in zip(points, counts, strict=True)
            for number in range(each)
        ]
        is_off = misfits(said, six, cells)
        assert is_off == (nearby > 1000 * stated)
        total, warned = total + stated, warned + stated * is_off
    assert total == pytest.approx(1)
    assert 0 < warned <= 1e-3
