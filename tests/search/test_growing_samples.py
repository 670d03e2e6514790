"""Live searches whose samples of hiding grow: what decides, and what is refused."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.support.price import KEY

from feint import Plan, Problem, Search
from feint.errors import InvalidValue
from feint.planning import plan, sample_sizes
from feint.simulate import clopper_pearson
from feint.simulate.oracles import GrowingSample
from feint.strategies import Product, SequentialNoisy, SequentialShape

ONE = Problem("1/48", "1/12", 2, p="0.8", confidence="0.8")
SHAPE = SequentialShape(
    blocks=2, narrow_cap=(4, 2), parts=3, repeats=2, kept=2, hide_cap=(5, 3), at_once=1
)
STRATEGY = SequentialNoisy(ONE, 48, SHAPE)
BOTH = Problem("1/48", "1/12", 4, p="0.8", confidence="0.6", dim=2)
NAMES = ("one", "two at once", "two numbers", "fixed")
SAMPLE = GrowingSample(first=3, more=2, batches=2, lead=3)


@cache
def plan_of(name: str) -> Plan:
    """Make the plan of a name when a test needs it, and not when tests are collected."""
    if name == "two at once":
        return Plan.of(replace(STRATEGY, shape=replace(SHAPE, at_once=2)))
    if name == "two numbers":
        return Plan.of(Product(BOTH, (STRATEGY,) * 2))
    if name == "fixed":
        return plan(Problem("1/16", "1/4", 2, p="0.8", confidence="0.9"), method="fixed")
    return Plan.of(STRATEGY)


def rounds(search: Search, random: np.random.Generator) -> list[Search]:
    """Answer a search at random; return it as it stood in each round that has hidden questions."""
    stood = []
    while not search.done:
        asked = search.ask()
        if search.hidden:
            stood.append(Search.from_json(search.to_json()))
        search.tell_all({each.id: bool(random.random() < 0.5) for each in asked})
    return stood


@pytest.mark.parametrize("name", NAMES)
def test_of_the_copies_of_a_question_one_decides(name: str) -> None:
    """One copy is torn and all others are clear, or the other way round; a saved search agrees."""
    stood = rounds(Search(plan_of(name), key=KEY), np.random.default_rng(0))
    assert stood
    for search in stood:
        ids = [each.id for each in search.hidden]
        again = Search.from_json(search.to_json())
        clear, torn = dict.fromkeys(ids, 3), dict.fromkeys(ids, 1)
        assert set(search.decided(SAMPLE, 0, clear)) == set(ids)
        assert search.decided(SAMPLE, 0, torn) == ()
        assert set(search.decided(SAMPLE, 1, torn)) == set(ids)  # no batch is left
        deciding = []
        for id in ids:
            going = set(ids) - set(search.decided(SAMPLE, 0, clear | {id: 1}))
            stopping = set(search.decided(SAMPLE, 0, torn | {id: 3}))
            assert going == stopping == set(ids) - set(again.decided(SAMPLE, 0, clear | {id: 1}))
            assert id in going or not going
            if going:
                deciding.append(going)
        assert sum(map(len, deciding)) == len(ids)  # every question has one copy that decides
        assert set().union(*deciding) == set(ids)


def test_the_copy_that_decides_is_the_one_that_the_search_follows() -> None:
    """If its answer alone is turned round, the next relative question is another one."""
    search = Search(plan_of("one"), key=KEY)
    stood = rounds(search, np.random.default_rng(1))[0]
    ids = [each.id for each in stood.hidden]
    nexts = {}
    for turned in (None, *ids):
        other = Search.from_json(stood.to_json())
        other.tell_all({id: id == turned for id in ids})
        nexts[turned] = tuple(each.value for each in other.ask())
    moved = [id for id in ids if nexts[id] != nexts[None]]
    torn = dict.fromkeys(ids, 1)
    assert moved == [id for id in ids if stood.decided(SAMPLE, 0, torn | {id: 3})]
    assert len(moved) == 1


@pytest.mark.long
def test_whole_searches_take_as_many_voters_as_advised_and_keep_their_promise() -> None:
    """Every voter is simulated; the mean is that of `sample_sizes`, which multiplies two means."""
    problem, random = Problem("0.02", "0.1", 4), np.random.default_rng(3)
    (advice,) = sample_sizes(problem, "0.2", confidence="0.9", voters=[31]).sizes
    used, misses = [], 0
    for seed in range(300):
        number, voters = random.random(), 0
        search = Search(advice.plan, seed=seed)
        while not search.done:
            asked = search.ask()
            shares = {each.id: 0.7 if each.number <= number else 0.3 for each in asked}
            batch, yes = 0, dict.fromkeys((each.id for each in search.hidden), 0)
            for id in shares.keys() - yes.keys():
                search.tell(id, bool(2 * random.binomial(31, shares[id]) > 31))
                voters += 31
            while yes:
                size = advice.growing.size(batch)
                more = size - (advice.growing.size(batch - 1) if batch else 0)
                yes = {id: yes[id] + int(random.binomial(more, shares[id])) for id in yes}
                voters += more * len(yes)
                stop = advice.growing, batch, yes
                search.tell_all({id: 2 * yes[id] > size for id in search.decided(*stop)})
                yes = {id: count for id, count in yes.items() if search.told(id) is None}
                batch += 1
        used.append(voters)
        found = search.result.x
        assert isinstance(found, float)
        misses += abs(found - number) > 0.01
    error = float(np.std(used, ddof=1)) / len(used) ** 0.5
    assert advice.voters_mean is not None
    assert abs(np.mean(used) - advice.voters_mean) < 4 * error
    assert clopper_pearson(misses, len(used), 0.01)[0] <= 0.1


def test_questions_before_hiding_have_samples_of_a_fixed_size() -> None:
    search = Search(plan_of("one"), key=KEY)
    (first,) = search.ask()
    assert search.hidden == ()
    with pytest.raises(InvalidValue, match="its sample has a fixed size"):
        search.decided(SAMPLE, 0, {first.id: 3})
    assert Search(plan(Problem("1/64", "1/8", 2))).hidden == ()


def test_refusals() -> None:
    search = rounds(Search(plan_of("two numbers"), key=KEY), np.random.default_rng(0))[0]
    ids = [each.id for each in search.hidden]
    full = dict.fromkeys(ids, 3)
    with pytest.raises(InvalidValue, match="batch = 2: must be the number of one of 2 batches"):
        search.decided(SAMPLE, 2, full)
    with pytest.raises(InvalidValue, match="must be from 0 to 3"):
        search.decided(SAMPLE, 0, full | {ids[0]: 4})
    with pytest.raises(InvalidValue, match="for every copy of a question"):
        search.decided(SAMPLE, 0, {ids[0]: 3})
    assert set(search.decided(SAMPLE, 1, dict.fromkeys(ids[:2], 3))) == set(ids[:2])
