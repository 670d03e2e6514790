"""No secret is longer than its bound says, and a body is as long as its longest form."""

import json
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feint import Domain, Problem, Search, plan
from feint.exact import FLOAT_WIDTH, text, text_width
from feint.interfaces import Sureness
from feint.planning import Plan
from feint.search import sureness_words
from feint.server import padding
from feint.server.padding import Overlong, Secret
from feint.server.story import told

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda each: st.lists(each, max_size=4)
)


@given(st.lists(st.tuples(st.text(), JSON, st.integers(0, 30)), max_size=5))
def test_a_body_is_as_long_as_its_longest_form(leaves: list[tuple[str, object, int]]) -> None:
    """And says the same as without padding."""
    plain = [{name: value} for name, value, _ in leaves]
    secret = [{name: Secret(value, len(_written(value)) + spare)} for name, value, spare in leaves]
    made = padding.body(secret)
    assert json.loads(made) == plain
    assert len(made) == len(_written(plain)) + sum(spare for _, _, spare in leaves)


def test_the_counter_of_a_status_has_one_length() -> None:
    """A vote that is refused is not written, and whether it is may follow from how it was cast."""
    held = [{"counter": counter, "questions": []} for counter in (9, 10, (1 << 63) - 1)]
    assert len({len(padding.body(padding.status(each))) for each in held}) == 1


def test_a_secret_that_is_longer_than_its_bound_is_not_sent() -> None:
    with pytest.raises(Overlong) as error:
        padding.body({"known": [Secret("ünknown", 9)]})
    assert "ünknown" not in str(error.value)
    assert padding.body(Secret("ünknown", 10)) == '"ünknown"'.encode()  # ü has two bytes


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_float_is_longer_than_floats_are(value: float) -> None:
    assert len(json.dumps(value)) <= FLOAT_WIDTH
    assert len(json.dumps(-5e-324)) < len(json.dumps(-2.2250738585072014e-308)) == FLOAT_WIDTH


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(1, 10**6))
def test_no_rational_is_longer_than_its_size_and_denominator_allow(
    below: int, most: int, above: int
) -> None:
    for divisor in (each for each in range(1, 50) if below % each == 0):
        value = Fraction(above, divisor)
        if value <= most:
            assert len(text(value)) < len(text(-value)) <= text_width(most, below)


_HUNDRED = Domain(0, 100)
_ROUGH: dict[str, Any] = {"p": "0.9", "confidence": "0.5", "prior": [7, 11, 13, 13, 13, 11, 7]}
"""A prior under noise: an estimate is a quantile, and its denominator has the weights in it."""


def _chosen(random: Random) -> Plan:
    """A small plan of some kind: even, whole or ticked values, a prior, noise, several numbers."""
    low = random.choice([Fraction(0), Fraction(-7, 3), Fraction(10**9), Fraction(random.random())])
    width = Fraction(random.choice(["1", "3", "100", "22/7", "1/999", "1e24"]))
    kind = random.choice(
        ["even", "whole", "tick", "prior", "noise", "two", "grid", "rough", "none"]
    )
    if kind == "none":
        return plan(Problem("1/48", "1/8", random.choice([2, 3, 4])))
    if kind == "whole":
        step = width / random.choice([12, 25, 40])
        whole = Domain(low, low + width, step=step)
        return plan(whole.problem(delta=2 * step, level=2), domain=whole)
    if kind == "rough":
        return plan(_HUNDRED.problem(epsilon=3, delta=13, level=2, **_ROUGH), domain=_HUNDRED)
    if kind == "prior":
        low, width = Fraction(random.randrange(-5, 5)), Fraction(random.choice([1, 3, 100]))
    kinds: dict[str, dict[str, Any]] = {
        "prior": {"prior": [1, 2, 3, 3, 2, 2, 1, 1]},
        "noise": {"p": Fraction(9, 10), "confidence": Fraction(1, 2)},
        "two": {"dim": 2},
    }
    domain = Domain(low, low + width, tick=width / 240 if kind == "tick" else None)
    problem = domain.problem(epsilon=width / 16, delta=width / 4, level=2, **kinds.get(kind, {}))
    return plan(problem, domain=domain, method="grid" if kind == "grid" else "tight")


def _check(count: int) -> None:
    """Stories and results of random searches that are answered at random in the last round."""
    random, warned = Random(7), 0
    for _ in range(count):
        chosen, key, share = _chosen(random), random.randbytes(32), Fraction(random.random())
        last = max(n for n, each in enumerate(chosen.strategy.rounds) if each.coordinates)
        units = chosen.domain
        named = Domain(units.low, units.high, step=units.step, label='a "ü"')
        lengths = set[tuple[int, int]]()
        for odds in (0, 0.5, 0.5, 1):
            search = Search(chosen, key=key, domains=[named] * chosen.problem.dim)
            while not search.done:
                for query in search.ask():
                    right = query.value <= units.low + units.width * share
                    search.tell(query.id, random.random() < odds if query.round == last else right)
            story = padding.body(padding.story(search, told(search)))
            result = padding.body(padding.result(search))
            assert json.loads(story)["warnings"] == told(search)["warnings"]
            assert json.loads(result) == json.loads(json.dumps(search.result.to_dict()))
            warned += len(told(search)["warnings"])
            lengths.add((len(story), len(result)))
        assert len(lengths) == 1, chosen
    assert warned > count / 2


def test_how_sure_a_search_is_has_one_length_whatever_it_says() -> None:
    shares = (0.0, 1 / 3, 0.5, 0.97, 1 - 1e-9, 1 - 1e-15, 1.0)
    phases = ("narrow", "hide")
    found = [Sureness(*each) for each in product(phases, shares, shares[1:])]
    words = [None, *map(sureness_words, found)]
    lines = [padding._line({"rounds": [], "sureness": each}) for each in words]
    assert len({len(padding.body(line)) for line in lines}) == 1
    assert len(set(words)) > 30


def test_stories_and_results_have_one_length_whatever_the_answers_are() -> None:
    _check(25)


@pytest.mark.long
def test_many_stories_and_results_have_one_length_whatever_the_answers_are() -> None:
    _check(400)


def _written(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
