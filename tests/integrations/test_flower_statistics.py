"""What is promised of federated searches, over many runs: a few here, a thousand when asked for."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import flwr.app as flwr
import numpy as np
import pytest
from examples.federated_median.federated_median.eavesdropper import Ear, wins
from examples.federated_median.federated_median.estimators import geometric, searched

from feint.audit import clopper_pearson
from feint.integrations.flower import InProcess, private_quantile
from feint.integrations.flower.wire import bits, read_questions

WANTED: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 1, "delta": 5, "level": 4}
FAILURE = 1e-4
RUNS = [25, pytest.param(1000, marks=pytest.mark.slow)]
Client = Callable[[Any], Any]


def lying(kind: str, random: Random) -> Client:
    """A client that always says yes, always no, or anything."""
    say: dict[str, Callable[[], bool]] = {
        "yes": lambda: True,
        "no": lambda: False,
        "anything": lambda: random.random() < 0.5,
    }

    def answer(message: Any) -> Any:
        told = [say[kind]() for _ in read_questions(message.content)[0]]
        return flwr.Message(bits(told), reply_to=message)

    return answer


def limits(count: int, runs: int) -> tuple[float, float]:
    low, high = clopper_pearson(count, runs, FAILURE)
    return float(low), float(high)


@pytest.mark.parametrize("lost", [0.0, 0.2])
@pytest.mark.parametrize("runs", RUNS)
def test_the_median_is_found_whether_or_not_replies_are_dropped(runs: int, lost: float) -> None:
    """All clients answer, so the promise is certain: no run may miss."""
    random, misses = np.random.default_rng(1), 0
    for seed in range(runs):
        values = random.normal(random.uniform(20, 80), 8, 21).clip(0, 99.9)
        grid = InProcess.holding(map(float, values), lost=lost, seed=seed)
        found = private_quantile(grid, tries=40, **WANTED)
        misses += abs(float(found.result.estimate) - np.median(values)) > 0.5
    low, high = limits(misses, runs)
    print(f"lost {lost}: {misses} of {runs} missed, {low:.5f} to {high:.5f}")
    assert misses == 0


@pytest.mark.parametrize("runs", RUNS)
def test_sampled_clients_keep_the_confidence_where_it_is_claimed(runs: int) -> None:
    """Three in five clients hold the median, so that no question is near it."""
    wanted: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 5, "delta": 25, "level": 2}
    random, misses = Random(4), 0
    for seed in range(runs):
        true = random.uniform(5, 95)
        values = [true - 1e-6] * 20 + [true] * 60 + [true + 1e-6] * 20
        found = private_quantile(
            InProcess.holding(values, lost=0.2, seed=seed),
            sample=9,
            margin="0.2",
            confidence="0.9",
            random=random,
            tries=40,
            **wanted,
        )
        misses += abs(found.result.estimate - Fraction(true)) > Fraction(5, 2)
        assert "or else a question was asked" in found.claim
    low, high = limits(misses, runs)
    print(f"sampled: {misses} of {runs} missed, {low:.5f} to {high:.5f}")
    assert low <= 0.1
    assert high <= 0.1 or runs < 1000


@pytest.mark.parametrize("runs", RUNS)
def test_liars_stay_within_their_band(runs: int) -> None:
    """Two liars in twenty: between the quantiles 4/9 and 5/9 of the eighteen others."""
    random, numbers, outside = Random(2), np.random.default_rng(2), 0
    for run in range(runs):
        values = np.sort(numbers.normal(numbers.uniform(20, 80), 10, 18).clip(0, 99.9))
        grid = InProcess.holding([*map(float, values), 0.0, 0.0])
        for node in (19, 20):
            grid.clients[node] = lying(("yes", "no", "anything")[run % 3], random)
        found = private_quantile(grid, liars="0.1", **WANTED)
        outside += not values[8] - 0.5 <= float(found.result.estimate) <= values[10] + 0.5
        assert "quantiles 4/9 to 5/9" in found.claim
    low, high = limits(outside, runs)
    print(f"liars: {outside} of {runs} outside, {low:.5f} to {high:.5f}")
    assert outside == 0


@pytest.mark.parametrize("runs", RUNS)
def test_captured_broadcasts_stay_within_one_in_level_and_others_do_not(runs: int) -> None:
    """The best eavesdropper of the audit, on what a client heard of each run."""
    level, delta = 4, 20
    shares = {}
    for name, method in (
        ("feint", searched("tight", delta=delta, level=level)),
        ("bisection", searched("bisection", delta=delta, level=level)),
        ("geometric update", geometric),
    ):
        won = wins(Ear.of(name, delta=delta, level=level), method, runs=runs, seed=1)
        shares[name] = limits(won, runs)
        print(f"{name}: {won} of {runs} won, {shares[name][0]:.3f} to {shares[name][1]:.3f}")
    assert shares["feint"][0] <= 1 / level
    assert shares["bisection"][0] > 1 / level
    assert shares["geometric update"][0] > 1 / level
