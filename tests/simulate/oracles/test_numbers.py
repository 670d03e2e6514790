"""What functions are handed: plain numbers where those keep the promise, exact ones elsewhere."""

import math
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from feint import Domain, find, finish
from feint.errors import OracleFailed
from feint.exact import rational
from feint.planning import plan
from feint.search import Search
from feint.search.units import Asked
from feint.simulate.oracles import Hidden, Rounds
from feint.simulate.oracles.majority import Majority

KINDS: list[tuple[dict[str, Any], set[type]]] = [
    ({"low": 10, "high": 110, "epsilon": "0.05", "delta": 2, "level": 8}, {int, float}),
    ({"epsilon": "2^-40", "delta": "2^-38", "level": 2}, {float}),  # exact, so nothing is lost
    ({"epsilon": "0.1", "delta": "0.2", "level": 5}, {float}),
    ({"high": "1/3", "epsilon": "1e-6", "delta": "4e-6", "level": 3}, {float}),
    ({"high": "1/3", "epsilon": "1e-11", "delta": "4e-11", "level": 3}, {float, Fraction}),
    ({"epsilon": "2^-60", "delta": "2^-58", "level": 2}, {float, Fraction}),
    (
        {"low": 10**6, "high": 10**6 + 1, "epsilon": "1e-11", "delta": "4e-11", "level": 2},
        {float, Fraction},
    ),
    ({"low": 10**17, "high": 10**17 + 96, "step": 1, "delta": 7, "level": 4}, {int}),
    (
        {"low": 10**6, "high": 10**6 + 1, "step": "1e-11", "delta": "1e-10", "level": 2},
        {float, Fraction},
    ),
]


@pytest.mark.parametrize(("wanted", "kinds"), KINDS)
def test_a_number_is_as_plain_as_the_search_allows(
    wanted: dict[str, Any], kinds: set[type]
) -> None:
    """Whatever it is, the number is found, one of 200 bits or the value next below it."""
    bits, seen = Random(3).getrandbits(200), set[type]()
    low, high = Fraction(wanted.get("low", 0)), Fraction(wanted.get("high", 1))
    number = low + (high - low) * Fraction(bits, 1 << 200)

    def answer(value: Any) -> bool:
        seen.add(type(value))
        return bool(value <= number)

    found = find(answer, **wanted)
    assert found.low <= number
    if "step" in wanted:
        assert 0 <= number - found.estimate < rational(wanted["step"], "step")
    else:
        assert abs(found.estimate - number) <= rational(wanted["epsilon"], "epsilon") / 2
    assert seen - {int} == kinds - {int}


@given(
    low=st.fractions(-(10**7), 10**7, max_denominator=1000),
    width=st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    bits=st.integers(10, 58),
    noise=st.sampled_from([{}, {"p": "0.9", "confidence": "0.9"}]),
    share=st.fractions(0, 1, max_denominator=10**18),
)
@examples(60)
def test_a_float_is_nearer_than_a_billionth_of_a_cell(
    low: Fraction, width: Fraction, bits: int, noise: dict[str, Any], share: Fraction
) -> None:
    """Under noise also nearer than what the plan's budget leaves."""
    domain = Domain(low, low + width)
    epsilon = width / 2**bits
    wanted = domain.problem(epsilon=epsilon, delta=5 * epsilon, level=3, **noise)
    chosen = plan(wanted, domain=domain)
    (cells,), room = chosen.cells, Fraction(1, 10**9)
    if chosen.losses is not None:
        room = min(
            room,
            max(Fraction(1, 10**12), Fraction(chosen.losses["allowed"] - chosen.losses["total"])),
        )
    query = Search(chosen)._units.query(Asked(0, 0, int(share * cells)))
    off = abs(Fraction(query.number) - query.value)
    assert off * cells <= room * width
    if isinstance(query.number, Fraction):
        assert Fraction(float(query.value)) != query.value
        ends = max(abs(domain.low), abs(domain.high))
        assert Fraction(math.ulp(float(ends))) * cells > room * width  # no float to be sure of
    assert query.to_dict()["number"] == (
        None if isinstance(query.number, Fraction) else query.number
    )


@pytest.mark.parametrize("yes_means", ["at least", "below"])
def test_decimal_steps_are_found_by_functions_of_every_kind(yes_means: Any) -> None:
    """0.07 as a float is above 7/100, and 0.37 below 37/100: neither must cost a step."""
    domain = Domain(0, 1, step="0.01")
    chosen = plan(domain.problem(delta="0.05", level=4), domain=domain)
    for cents in range(101):
        for mine in (Fraction(cents, 100), Decimal(cents) / 100, cents / 100, float(f"{cents}e-2")):

            def answer(value: Any, mine: Any = mine) -> bool:
                return bool((value <= mine) == (yes_means == "at least"))

            assert finish(Search(chosen, yes_means=yes_means), answer).estimate * 100 == cents


def test_every_oracle_of_numbers_gets_the_same_ones() -> None:
    wanted: dict[str, Any] = {"epsilon": "2^-57", "delta": "2^-55", "level": 2, "seed": 1}
    number = Fraction(Random(5).getrandbits(200), 1 << 200)
    found = find(lambda value: value <= number, **wanted)
    assert abs(found.estimate - number) <= Fraction(1, 1 << 58)
    votes = Majority(lambda value, voters: voters * (value <= number), 3)
    rounds = Rounds(lambda queries: [query.number <= number for query in queries])
    assert (
        find(votes, **wanted) == find(rounds, **wanted) == find(Hidden(number), **wanted) == found
    )


def test_a_function_that_cannot_take_exact_numbers_is_told_why() -> None:
    fine: dict[str, Any] = {"epsilon": "1e-18", "delta": "1e-17", "level": 3}
    with pytest.raises(OracleFailed, match="raised TypeError; no float is close enough") as caught:
        find(lambda value: np.exp(value) <= 1.5, **fine)
    assert isinstance(caught.value.search, Search)
    with pytest.raises(OracleFailed, match=r"raised ZeroDivisionError$"):
        find(lambda value: value / 0 > 1, **fine)
