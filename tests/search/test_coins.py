"""Every coin follows from the key, the round and the toss."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.support.price import KEY

from feint import Problem, Search
from feint.errors import (
    InvalidValue,
)
from feint.interfaces import Estimate, Round
from feint.planning import Plan, plan
from feint.search import coins, finish
from feint.simulate.oracles import Hidden


@dataclass(frozen=True)
class Tossing:
    """Two coins of a thousand sides a round, and the points asked about are what they showed."""

    problem: Problem
    cells: tuple[int, ...] = (1000,)
    rounds: Sequence[Round] = (Round("toss", (0, 0)),) * 3

    def start(self, runs: int) -> Any:
        return ((),)

    def coin(self, state: Any) -> Any:
        return np.ones((1, 1000), np.int64) if len(state[-1]) < 2 else None

    def toss(self, state: Any, side: Any) -> Any:
        return (*state[:-1], (*state[-1], int(side[0])))

    def ask(self, state: Any) -> Any:
        return np.array([state[-1]])

    def tell(self, state: Any, answers: Any) -> Any:
        return (*state, ())

    def estimate(self, state: Any) -> Estimate:
        zero = np.zeros((1, 1), np.int64)
        return Estimate(cell=zero, rest=zero.astype(float), low=zero, high=zero + 1)


def test_every_coin_of_a_search_follows_from_its_round_and_its_toss() -> None:
    """BLAKE2b of the round and the toss, 8 bytes each, under the key, modulo the sides."""
    problem = Problem("1/1000", "1/100", 2)
    search = Search(Plan.of(Tossing(problem)), key=KEY)
    finish(search, Hidden("0.5"))
    expected = []
    for place in ((round_, toss) for round_ in range(3) for toss in range(2)):
        counters = b"".join(each.to_bytes(8, "big") for each in place)
        digest = hashlib.blake2b(counters, key=KEY, person=b"feint coin").digest()
        expected.append(int.from_bytes(digest, "big") % 1000)
    assert search.transcript.points.tolist() == [expected]
    assert len(set(expected)) == 6


def test_keys_and_seeds() -> None:
    chosen = plan(Problem("1/25", "2/25", 7))  # the first query of its third round is a coin's
    assert finish(Search(chosen, seed=4), Hidden("0.4")).seeded
    assert not finish(Search(chosen), Hidden("0.4")).seeded
    seen = set()
    for _ in range(40):
        search = Search(chosen)
        finish(search, Hidden("0.4"))
        seen.add(tuple(search.transcript.points[0].tolist()))
    assert len(seen) == 3  # L_p = 3 windows hold the true part: all are drawn within 40 searches
    with pytest.raises(InvalidValue, match="give one of them"):
        Search(chosen, key=KEY, seed=1)
    with pytest.raises(InvalidValue, match="32 secret bytes") as caught:
        Search(chosen, key=b"recognisable")
    assert "recognisable" not in str(caught.value)
    nothing: Any = "yes"
    with pytest.raises(InvalidValue, match="at least"):
        Search(chosen, yes_means=nothing)


def test_coins_are_fixed_for_ever_and_fall_as_they_weigh() -> None:
    """A golden value: hashlib's BLAKE2b of two 8-byte counters under the key, modulo the sum."""
    from hashlib import blake2b

    place = (5).to_bytes(8, "big") + (2).to_bytes(8, "big")
    digest = int.from_bytes(blake2b(place, key=KEY, person=b"feint coin").digest(), "big")
    assert coins.side(KEY, 5, 2, np.ones(1000, np.int64)) == digest % 1000
    for weights in (np.array([0, 3, 0, 1]), np.array([0.0, 0.3, 0.0, 0.1])):
        sides = [coins.side(KEY, 0, toss, weights) for toss in range(4000)]
        assert set(sides) == {1, 3}
        assert abs(sides.count(1) - 3000) < 150  # five standard deviations and more
    assert coins.side(KEY, 0, 0, np.array([0.0, 5e-324, 0.0])) == 1
