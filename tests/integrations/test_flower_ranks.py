"""Quantiles of populations by rank: what is promised holds for every distribution."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from feint.audit import clopper_pearson
from feint.errors import BadState, InvalidValue, NoPlan, OracleFailed
from feint.integrations.flower import Clients, InProcess, private_quantile
from feint.journal import Memory

WANTED: dict[str, Any] = {"low": 0, "high": 100, "epsilon": "1/8", "delta": 5, "level": 4}
FAILURE = 1e-3
RUNS = [pytest.param(6, marks=pytest.mark.long), pytest.param(500, marks=pytest.mark.slow)]
Floats = NDArray[np.float64]
POPULATIONS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda random, count: random.normal(50, 12, count),
    "lognormal": lambda random, count: random.lognormal(3.5, 0.5, count),
    "bimodal": lambda random, count: np.where(
        random.random(count) < 0.5, random.normal(25, 5, count), random.normal(75, 5, count)
    ),
    "ties": lambda random, count: random.choice(
        [20.0, 40.0, 41.0, 60.0], count, p=[0.2, 0.3, 0.4, 0.1]
    ),
}


def ranks_near(values: Floats, estimate: float, epsilon: float) -> tuple[float, float]:
    """The ranks of all numbers within epsilon/2 of the estimate, from the least to the greatest."""
    half = epsilon / 2 + 1e-9
    less = float(np.mean(values < estimate - half))
    return less, float(np.mean(values <= estimate + half))


def unwired(clients: Clients, asked: dict[int, Any]) -> dict[int, list[bool]]:
    """What clients would reply, without messages: thousands of runs take minutes so."""
    held = clients.grid.values
    points = {id(each): float(each.value) for queries in asked.values() for each in queries}
    return {
        node: [bool(held[node - 1] >= points[id(each)]) for each in queries]
        for node, queries in asked.items()
    }


class Held:
    """A Grid of which only the nodes are asked for."""

    def __init__(self, values: Floats) -> None:
        self.values = values.tolist()

    def get_node_ids(self) -> list[int]:
        return list(range(1, len(self.values) + 1))


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize(
    ("count", "sampled"), [(101, True), (101, False), (1001, True), (1001, False)]
)
def test_ranks_are_as_near_as_promised(
    name: str, count: int, sampled: bool, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """95 % within 2 % of the median; where all answer, every run is exact."""
    monkeypatch.setattr(Clients, "_replies", unwired)
    random, misses = np.random.default_rng(count), 0
    for seed in range(runs):
        values = POPULATIONS[name](random, count).clip(0, 99.8)
        rank: dict[str, Any] = {"rank": "0.02"} if sampled else {}
        found = private_quantile(Held(values), seed=seed, **rank, **WANTED)
        assert found.messages == 0
        assert ("rank among all" in found.claim) == sampled
        least, most = ranks_near(values, float(found.result.estimate), 1 / 8)
        off = 0.02 if sampled else 0
        misses += not (least <= 0.5 + off and most >= 0.5 - off)
    high = 1 - float(clopper_pearson(misses, runs, FAILURE)[0])
    print(f"{name}, {count} clients, {'sampled' if sampled else 'all'}: {misses} of {runs} off,")
    print(f"right at most {high:.4f} of the time")
    assert high >= 0.95
    assert sampled or misses == 0


def test_the_same_over_the_wire() -> None:
    values = np.random.default_rng(3).normal(50, 12, 101).clip(0, 99.8)
    found = private_quantile(InProcess.holding(values.tolist()), rank="0.1", seed=1, **WANTED)
    assert found.clients == 101
    assert found.messages == 47 * found.result.rounds  # panel_size(101, rank=0.1)
    least, most = ranks_near(values, float(found.result.estimate), 1 / 8)
    assert least <= 0.6
    assert most >= 0.4
    assert "within 0.1 of 1/2: at most a share 0.6 of them hold less" in found.claim


def test_a_sample_that_is_too_small_is_refused_with_what_it_takes() -> None:
    grid = InProcess.holding([float(each % 50) for each in range(101)])
    with pytest.raises(NoPlan, match=r"sample = 31: is too few.*ask 95 of these 101 clients"):
        private_quantile(grid, rank="0.02", sample=31, **WANTED)
    assert not any(grid.heard.values())  # before anybody is asked
    found = private_quantile(grid, rank="0.02", sample=97, **WANTED)
    assert found.messages == 97 * found.result.rounds
    few = InProcess.holding([1.0, 2.0, 3.0])
    found = private_quantile(few, rank="0.02", **WANTED)  # nobody can be spared: all are asked
    assert found.messages == 3 * found.result.rounds
    assert found.claim.startswith("within epsilon/2 of the median")


def test_of_an_even_number_the_greater_of_the_middle_two_is_found() -> None:
    found = private_quantile(InProcess.holding([10.0, 20.0, 30.0, 40.0]), **WANTED)
    assert abs(found.result.estimate - 30) <= Fraction(1, 16)
    assert "median (the greater one if two numbers qualify)" in found.claim
    odd = private_quantile(InProcess.holding([10.0, 20.0, 30.0]), **WANTED)
    assert "greater" not in odd.claim


def test_a_search_that_goes_on_asks_the_same_clients() -> None:
    values = [float(each % 90) for each in range(101)]
    journal, grid = Memory(), InProcess.holding(values)
    drawn = set[int]()

    def tired(message: Any, client: Any, node: int) -> Any:
        drawn.add(node)
        if len(grid.heard[node]) > 2:
            raise RuntimeError("gone")
        return client(message)

    for node, client in list(grid.clients.items()):
        grid.clients[node] = partial(tired, client=client, node=node)
    with pytest.raises(OracleFailed):
        private_quantile(grid, rank="0.1", journal=journal, tries=1, **WANTED)
    fresh = InProcess.holding(values)
    private_quantile(fresh, rank="0.1", journal=journal, **WANTED)
    assert {node for node, heard in fresh.heard.items() if heard} == drawn
    assert len(drawn) == 47
    other = InProcess(dict(list(fresh.clients.items())[:-1]) | {500: fresh.clients[101]})
    with pytest.raises(BadState, match="another number of clients"):
        private_quantile(other, rank="0.1", journal=journal, **WANTED)


def test_silent_clients_count_against_the_rank() -> None:
    values = [float(each % 90) for each in range(101)]
    grid = InProcess.holding(values)
    for node in (3, 50):
        grid.clients[node] = lambda message: 1 / 0
    found = private_quantile(grid, rank="0.1", missing="0.05", tries=1, **WANTED)
    assert found.messages > 47 * found.result.rounds
    assert "no round were more than 0.05 of those asked silent" in found.claim
    with pytest.raises(NoPlan, match="silent"):
        private_quantile(grid, rank="0.01", missing="0.05", **WANTED)


@pytest.mark.parametrize("wrong", [{"margin": "0.1"}, {"liars": "0.1"}, {"rank": "2"}])
def test_what_does_not_go_with_a_rank_is_named(wrong: dict[str, Any]) -> None:
    grid = InProcess.holding([1.0, 2.0])
    with pytest.raises(InvalidValue, match=next(iter(wrong))):
        private_quantile(grid, **{"rank": "0.1"} | wrong | WANTED)
