"""A clipping norm that clients cannot tell: found, applied, audited as it moves, and not logged."""

import json
import logging
import math
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flwr.app as flwr
import numpy as np
import pytest
from flwr.serverapp.strategy import (
    DifferentialPrivacyClientSideAdaptiveClipping,
    DifferentialPrivacyServerSideAdaptiveClipping,
    FedAvg,
)

from feint.audit import audit
from feint.errors import BadState, InvalidValue, MotionBroken, NoPlan, OracleFailed
from feint.integrations.flower import InProcess, clipping_plan, norm_client_app, private_clipping
from feint.integrations.flower.updates import clipped, update_norm
from feint.journal import Memory

WANTED: dict[str, Any] = {"high": 10, "epsilon": "0.1", "delta": 1, "level": 4}
CLIENTS, SIZE = 21, 8


def trainer(node: int, norms: Callable[[int, int], float]) -> Callable[[Any], Any]:
    """A client whose update in round k has the norm that is told."""
    context = flwr.Context(
        run_id=1, node_id=node, node_config={}, state=flwr.RecordDict(), run_config={}
    )

    def train(message: Any, _: Any) -> Any:
        sent = message.content["arrays"].to_numpy_ndarrays()[0]
        update = np.full(
            SIZE, norms(node, message.content["config"]["server-round"]) / math.sqrt(SIZE)
        )
        content = flwr.RecordDict(
            {
                "arrays": flwr.ArrayRecord([sent + update]),
                "metrics": flwr.MetricRecord({"num-examples": 1}),
            }
        )
        return flwr.Message(content, reply_to=message)

    app = norm_client_app()
    app.train()(train)
    return lambda message: app(message, context)


def drifting(seed: int) -> Callable[[int, int], float]:
    """Norms of clients whose median moves by at most 0.2 from round to round."""
    own = np.random.default_rng(seed).lognormal(0, 0.4, CLIENTS + 1)
    return lambda node, k: float(own[node] * 3 + 0.2 * math.sin(k))


def plain() -> FedAvg:
    return FedAvg(fraction_train=1, fraction_evaluate=0, min_train_nodes=1, min_available_nodes=1)


def grid_of(norms: Callable[[int, int], float]) -> Any:
    return InProcess({node: trainer(node, norms) for node in range(1, CLIENTS + 1)})


def trained(strategy: Any, norms: Callable[[int, int], float], rounds: int) -> Any:
    grid = grid_of(norms)
    strategy.start(grid, flwr.ArrayRecord([np.zeros(SIZE)]), num_rounds=rounds)
    return grid


def true_norm(norms: Callable[[int, int], float], k: int) -> float:
    return float(np.median([norms(node, k) for node in range(1, CLIENTS + 1)]))


def test_the_norm_is_the_median_of_this_rounds_updates_in_every_round() -> None:
    norms, rounds = drifting(1), 4
    strategy = private_clipping(plain(), 0, CLIENTS, searches=rounds, motion="steps(0.3)", **WANTED)
    grid = trained(strategy, norms, rounds)
    for k in range(1, rounds + 1):
        assert abs(strategy.norms[k] - true_norm(norms, k)) <= 0.05 + 1e-9
    assert strategy.messages == rounds * strategy.plan.rounds * CLIENTS
    assert {len(heard) for heard in grid.heard.values()} == {rounds * strategy.plan.rounds}


def test_updates_are_clipped_by_it() -> None:
    """The mean of clipped updates, worked out here, is what the model moved by."""
    norms = drifting(2)
    strategy = private_clipping(plain(), 0, CLIENTS, **WANTED)
    result = strategy.start(grid_of(norms), flwr.ArrayRecord([np.zeros(SIZE)]), num_rounds=1)
    clip = strategy.norms[1]
    mean = np.mean([min(norms(node, 1), clip) for node in range(1, CLIENTS + 1)])
    moved = np.linalg.norm(result.arrays.to_numpy_ndarrays()[0])
    assert moved == pytest.approx(mean)


Update = Callable[[int, dict[str, Any]], dict[str, Any]]


def keyed(node: int, update: Update) -> Callable[[Any], Any]:
    """A client that makes its arrays of those it was sent, by key."""
    context = flwr.Context(
        run_id=1, node_id=node, node_config={}, state=flwr.RecordDict(), run_config={}
    )

    def train(message: Any, _: Any) -> Any:
        sent = {key: each.numpy() for key, each in message.content["arrays"].items()}
        made = {key: flwr.Array(np.asarray(each)) for key, each in update(node, sent).items()}
        metrics = flwr.MetricRecord({"num-examples": 1})
        content = flwr.RecordDict({"arrays": flwr.ArrayRecord(made), "metrics": metrics})
        return flwr.Message(content, reply_to=message)

    app = norm_client_app()
    app.train()(train)
    return lambda message: app(message, context)


def model_after(update: Update, noise: float = 0.0, **arrays: Any) -> dict[str, Any]:
    """The model of one round of training with three clients."""
    grid: Any = InProcess({node: keyed(node, update) for node in (1, 2, 3)})
    sent = flwr.ArrayRecord({key: flwr.Array(each) for key, each in arrays.items()})
    strategy = private_clipping(plain(), noise, 3, **WANTED)
    found = strategy.start(grid, sent, num_rounds=1).arrays
    return {key: each.numpy() for key, each in found.items()}


@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_arrays_without_a_shape_are_clipped_too(noise: float) -> None:
    """The counter of a BatchNorm layer, and a temperature: norms 3, 6 and 9, clipped to 6."""

    def update(node: int, sent: dict[str, Any]) -> dict[str, Any]:
        return {"t": sent["t"] + np.float32(node * 3 * 0.6), "n": sent["n"] + node * 2.4}

    found = model_after(update, noise, t=np.array(5, np.float32), n=np.array(7.0))
    assert found["t"].dtype == np.float32
    assert found["t"].shape == found["n"].shape == ()
    assert abs(float(found["t"]) - (5 + 0.6 * (3 + 6 + 6) / 3)) <= 0.05
    assert abs(float(found["n"]) - (7 + 0.8 * (3 + 6 + 6) / 3)) <= 0.05


@pytest.mark.parametrize("kind", ["int64", "int8", "uint8", "uint64"])
def test_whole_numbers_stay_whole_and_within_the_norm(kind: str) -> None:
    """Scaled as all others, and rounded towards what they were: shape and type are kept."""
    old, new = np.array([3, 100, 100], kind), np.array([103, 0, 90], kind)
    half, one = np.array(0.5, np.float16), np.array(1, np.float16)
    before = flwr.ArrayRecord({"n": flwr.Array(old), "f": flwr.Array(half)})
    after = flwr.ArrayRecord({"f": flwr.Array(one), "n": flwr.Array(new)})
    held = clipped(before, after, 10.0)
    assert list(held) == ["n", "f"]
    assert held["n"].dtype == old.dtype
    assert held["f"].dtype == half.dtype
    assert update_norm(before, after) == pytest.approx(math.sqrt(20100.25))
    assert held["n"].tolist() == [10, 93, 100]  # 10/141.8 of 100, -100 and -10
    np.testing.assert_array_equal(clipped(before, after, 200.0)["n"], new)


def test_truth_values_are_clipped_to_what_they_were() -> None:
    before = flwr.ArrayRecord([np.array([True, False, True])])
    after = flwr.ArrayRecord([np.array([True, True, False])])
    assert update_norm(before, after) == pytest.approx(math.sqrt(2))
    held = clipped(before, after, 1.0)["0"]
    assert held.dtype == bool
    assert held.tolist() == [True, False, True]


def test_great_whole_numbers_are_clipped_exactly() -> None:
    """Beyond 2^53, where floats are not fine enough to tell two neighbours."""
    old, new = np.array([2**62 + 1, -(2**62)]), np.array([2**62 + 2, -(2**62)])
    before, after = (flwr.ArrayRecord([each]) for each in (old, new))
    assert update_norm(before, after) == 1
    assert clipped(before, after, 0.5)["0"].tolist() == old.tolist()
    assert clipped(before, after, 1.0)["0"].tolist() == new.tolist()


def test_a_mean_that_is_not_whole_stays_as_it_is() -> None:
    before, after = flwr.ArrayRecord([np.array(6.5)]), flwr.ArrayRecord([np.array(9)])
    assert clipped(before, after, 1.0)["0"] == 7.5


def test_arrays_are_paired_by_their_keys() -> None:
    """A client may return them in any order: what is in one is not taken for another."""

    def update(node: int, sent: dict[str, Any]) -> dict[str, Any]:
        return {key: sent[key] + node * 3 / math.sqrt(8) for key in reversed(list(sent))}

    found = model_after(update, a=np.zeros(4), b=np.full(4, 100.0))
    assert list(found) == ["a", "b"]
    for key, start in (("a", 0), ("b", 100)):
        np.testing.assert_allclose(found[key] - start, (3 + 6 + 6) / 3 / math.sqrt(8), atol=0.05)


@pytest.mark.parametrize(
    "other",
    [
        lambda sent: {"a": sent["a"], "c": sent["b"]},
        lambda sent: {"a": sent["a"]},
        lambda sent: {"a": sent["a"], "b": sent["b"][:2]},
        lambda sent: {"a": sent["a"], "b": sent["b"] * math.nan},
    ],
)
def test_an_update_of_another_model_is_an_error_of_that_client(
    other: Callable[[dict[str, Any]], dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    """It is left out before anybody is asked, and the others are clipped."""

    def update(node: int, sent: dict[str, Any]) -> dict[str, Any]:
        return {key: each + node * 3 / math.sqrt(8) for key, each in sent.items()}

    def foreign(message: Any) -> Any:
        """As a client would that has no mod of ours, which refuses such an update itself."""
        sent = {key: each.numpy() for key, each in message.content["arrays"].items()}
        made = {key: flwr.Array(each) for key, each in other(sent).items()}
        metrics = flwr.MetricRecord({"num-examples": 1})
        content = flwr.RecordDict({"arrays": flwr.ArrayRecord(made), "metrics": metrics})
        return flwr.Message(content, reply_to=message)

    grid: Any = InProcess({node: keyed(node, update) for node in (1, 2, 3)} | {4: foreign})
    arrays = {key: flwr.Array(np.zeros(4)) for key in ("a", "b")}
    strategy = private_clipping(plain(), 0, 4, **WANTED)
    found = strategy.start(grid, flwr.ArrayRecord(arrays), num_rounds=1).arrays
    assert abs(strategy.norms[1] - 6) <= 0.05 + 1e-9
    assert not grid.heard[4]
    assert "the update of node 4 is left out" in caplog.text
    for each in found.values():
        np.testing.assert_allclose(each.numpy(), (3 + 6 + 6) / 3 / math.sqrt(8), atol=0.05)
    own = keyed(4, lambda _, sent: other(sent))
    InProcess({4: own})  # who sends
    content = flwr.RecordDict({"arrays": flwr.ArrayRecord(arrays)})
    with pytest.raises(InvalidValue, match="update = "):
        own(flwr.Message(content, dst_node_id=4, message_type="train"))


def test_one_search_serves_later_rounds_and_noise_is_in_proportion() -> None:
    norms = drifting(3)
    strategy = private_clipping(plain(), 0.5, CLIENTS, target_clipped_quantile="0.9", **WANTED)
    trained(strategy, norms, 3)
    assert list(strategy.norms) == [1]
    assert strategy.messages % CLIENTS == 0
    assert 0 < strategy.messages <= strategy.plan.rounds * CLIENTS


def test_searches_may_be_rounds_apart() -> None:
    norms = drifting(8)
    strategy = private_clipping(
        plain(), 0, CLIENTS, searches=2, every=3, motion="steps(0.6)", **WANTED
    )
    trained(strategy, norms, 8)
    assert list(strategy.norms) == [1, 4]


def test_the_promise_is_about_all_searches_together() -> None:
    """One plan for level 4 wins more than 1/4 after five searches; the plan that is chosen not."""
    once = clipping_plan(**WANTED)
    often = clipping_plan(searches=5, motion="steps(0.2)", **WANTED)
    assert audit(once, repeat=5, motion="steps(0.2)").successes[-1] > Fraction(1, 4)
    assert audit(often, repeat=5, motion="steps(0.2)").successes[-1] <= Fraction(1, 4)
    assert often.repeatable
    assert often.queries > once.queries
    with pytest.raises(NoPlan, match="searches = 3: after that many"):
        clipping_plan(searches=3, motion="steps(0.4)", **WANTED | {"high": 5})


def test_client_side_clipping_is_refused_with_the_reason() -> None:
    theirs = DifferentialPrivacyClientSideAdaptiveClipping(plain(), 0, CLIENTS)
    with pytest.raises(InvalidValue, match="the norm, which is the result"):
        private_clipping(theirs, 0, CLIENTS, **WANTED)
    inside = DifferentialPrivacyServerSideAdaptiveClipping(theirs, 0, CLIENTS)
    with pytest.raises(InvalidValue, match="the norm, which is the result"):
        trained(private_clipping(inside, 0, CLIENTS, **WANTED), drifting(1), 1)
    strategy = private_clipping(plain(), 0, CLIENTS, **WANTED)
    grid: Any = grid_of(drifting(1))
    config = flwr.ConfigRecord({"clipping_norm": 1.0})
    with pytest.raises(InvalidValue, match="the norm, which is the result"):
        strategy.configure_train(1, flwr.ArrayRecord(), config, grid)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"noise_multiplier": -1.0}, "noise_multiplier"),
        ({"num_sampled_clients": 0}, "num_sampled_clients"),
        ({"searches": 2}, "motion"),
        ({"motion": "steps(1)"}, "motion"),
        ({"searches": 0}, "searches"),
        ({"every": 0}, "every"),
        ({"missing": 1}, "missing"),
    ],
)
def test_bad_arguments_are_named(wrong: dict[str, Any], named: str) -> None:
    given = {"noise_multiplier": 0.0, "num_sampled_clients": CLIENTS} | WANTED | wrong
    with pytest.raises(InvalidValue, match=named):
        private_clipping(plain(), **given)


def test_a_client_that_has_not_trained_is_not_asked() -> None:
    client = trainer(1, lambda node, k: 1.0)
    InProcess({1: client})  # who sends
    held: dict[str, Any] = {"coordinate": [0], "value": ["1"], "exact": [False], "dim": 1}
    content = flwr.RecordDict({"feint": flwr.ConfigRecord(held)})
    message = flwr.Message(content, dst_node_id=1, message_type="query.feint")
    with pytest.raises(InvalidValue, match="train first"):
        client(message)


def test_a_killed_server_goes_on_with_the_norm_it_was_asking_about() -> None:
    norms, journal = drifting(4), Memory()
    first = private_clipping(plain(), 0, CLIENTS, journal=journal, **WANTED)
    trained(first, norms, 1)
    again = private_clipping(plain(), 0, CLIENTS, journal=journal, **WANTED)
    grid = trained(again, norms, 1)
    assert again.norms == first.norms
    assert all(not heard for heard in grid.heard.values())  # nothing is asked a second time


def test_searches_of_a_process_before_count() -> None:
    """Three were promised for; the process after the third goes on with its norm, and asks none."""
    norms, journal = drifting(1), Memory()
    wanted: dict[str, Any] = {"searches": 3, "motion": "steps(0.2)", "journal": journal, **WANTED}
    first = private_clipping(plain(), 0, CLIENTS, **wanted)
    trained(first, norms, 4)
    again = private_clipping(plain(), 0, CLIENTS, **wanted)
    assert again.norms == first.norms
    grid, arrays = grid_of(norms), flwr.ArrayRecord([np.zeros(SIZE)])
    for k in range(5, 8):
        sent = again.configure_train(k, arrays, flwr.ConfigRecord({"server-round": k}), grid)
        again.aggregate_train(k, grid.send_and_receive(sent))
    assert again.norms == first.norms
    assert again.messages == 0
    with pytest.raises(BadState, match="it asked another question"):
        private_clipping(plain(), 0, CLIENTS, target_clipped_quantile="0.9", **wanted)


def test_a_search_that_was_not_finished_counts() -> None:
    """One was promised for, and broke off: the next round may not begin another."""
    norms, journal = drifting(1), Memory()
    arrays = flwr.ArrayRecord([np.zeros(SIZE)])
    first = private_clipping(plain(), 0, CLIENTS, journal=journal, tries=1, **WANTED)
    grid = grid_of(norms)
    for server_round, error in ((1, OracleFailed), (2, BadState)):
        config = flwr.ConfigRecord({"server-round": server_round})
        replies = grid.send_and_receive(first.configure_train(server_round, arrays, config, grid))
        grid.lost = 1.0
        with pytest.raises(error):
            first.aggregate_train(server_round, replies)
        grid.lost = 0.0
    assert journal.names() == ["norm of round 1 (share 1 of 2)"]


def test_clients_may_stay_silent_where_that_is_allowed() -> None:
    """Of 21 clients four never answer after their training: the norm is that of the others."""
    norms, silent = drifting(1), range(1, 5)
    strategy = private_clipping(plain(), 0, CLIENTS, missing="0.2", tries=2, **WANTED)
    grid = grid_of(norms)
    for node in silent:
        grid.clients[node] = _after_training(grid.clients[node])
    strategy.start(grid, flwr.ArrayRecord([np.zeros(SIZE)]), num_rounds=1)
    answering = [norms(node, 1) for node in range(5, CLIENTS + 1)]
    assert abs(strategy.norms[1] - float(np.median(answering))) <= 0.05 + 1e-9


def _after_training(client: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The client, which fails at every question."""

    def reply(message: Any) -> Any:
        if message.metadata.message_type.startswith("train"):
            return client(message)
        return flwr.Message(flwr.Error(code=1, reason="gone"), reply_to=message)

    return reply


def test_flower_logs_and_keeps_neither_the_norm_nor_the_noise(
    caplog: pytest.LogCaptureFixture,
) -> None:
    norms = drifting(5)
    strategy = private_clipping(plain(), 1.0, CLIENTS, **WANTED)
    with caplog.at_level(logging.DEBUG, "flwr"):
        trained(strategy, norms, 2)
    (norm,) = strategy.norms.values()
    for told in (norm, norm / CLIENTS):
        assert f"{told:.3f}" not in caplog.text
    theirs = DifferentialPrivacyServerSideAdaptiveClipping(plain(), 0, CLIENTS, norm)
    with caplog.at_level(logging.DEBUG, "flwr"):
        trained(theirs, norms, 1)
    assert f"{norm:.3f}" in caplog.text  # Flower's own says it, so this test would see it


def geometric(norms: Callable[[int, int], float], rounds: int, start: float = 0.1) -> list[float]:
    """Andrew et al. (2021), without noise: C falls where more than the share lie at or below it."""
    found = [start]
    for k in range(1, rounds):
        below = np.mean([norms(node, k) <= found[-1] for node in range(1, CLIENTS + 1)])
        found.append(found[-1] * math.exp(-0.2 * (float(below) - 0.5)))
    return found


def test_error_beside_the_geometric_update() -> None:
    """From its default of 0.1 the geometric norm needs tens of rounds to come near."""
    norms, rounds = drifting(6), 80
    theirs = geometric(norms, rounds)
    off = [abs(norm - true_norm(norms, k + 1)) for k, norm in enumerate(theirs)]
    near = next(k for k, each in enumerate(off) if each <= 0.3)
    strategy = private_clipping(plain(), 0, CLIENTS, **WANTED)
    trained(strategy, norms, 1)
    assert abs(strategy.norms[1] - true_norm(norms, 1)) <= 0.05 + 1e-9
    assert near >= 20
    assert strategy.plan.rounds < near


def test_flowers_own_update_goes_the_other_way() -> None:
    """In flwr 1.41 the bit says that an update was clipped, and the norm falls the more are."""
    norms, rounds = drifting(7), 10
    theirs = DifferentialPrivacyServerSideAdaptiveClipping(plain(), 0, CLIENTS, 0.1)
    trained(theirs, norms, rounds)
    assert theirs.clipping_norm == pytest.approx(0.1 * math.exp(-0.2 * 0.5 * rounds))
    assert geometric(norms, rounds + 1)[-1] == pytest.approx(0.1 * math.exp(0.2 * 0.5 * rounds))


SIMULATION = """
import json
import flwr.app as flwr
import numpy as np
from flwr.serverapp import ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation
from feint.integrations.flower import norm_client_app, private_clipping

count, server, client, norms = 7, ServerApp(), norm_client_app(), {}

@client.train()
def train(message, context):
    sent = message.content["arrays"].to_numpy_ndarrays()[0]
    own = int(context.node_config["partition-id"]) + 1
    norm = own + message.content["config"]["server-round"] / 10
    arrays = flwr.ArrayRecord([sent + np.full(4, norm / 2)])
    metrics = flwr.MetricRecord({"num-examples": 1})
    content = flwr.RecordDict({"arrays": arrays, "metrics": metrics})
    return flwr.Message(content, reply_to=message)

@server.main()
def main(grid, context):
    plain = FedAvg(fraction_evaluate=0.0, min_train_nodes=count, min_available_nodes=count)
    wanted = dict(high=10, epsilon="0.2", delta=1, level=3, searches=2, motion="steps(0.2)")
    strategy = private_clipping(plain, 0.0, count, **wanted)
    strategy.start(grid, flwr.ArrayRecord([np.zeros(4)]), num_rounds=2)
    norms.update(strategy.norms)

run_simulation(
    server,
    client,
    num_supernodes=count,
    backend_config={"client_resources": {"num_cpus": 1.0, "num_gpus": 0.0}},
)
print("NORMS", json.dumps(norms))
"""


@pytest.mark.slow
def test_a_real_simulation_finds_the_norm() -> None:
    """On Ray, where a client is another process for every message: its norm is in its context."""
    words = [sys.executable, "-c", SIMULATION]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    (line,) = (each for each in run.stdout.splitlines() if each.startswith("NORMS"))
    norms = json.loads(line.removeprefix("NORMS"))
    assert abs(norms["1"] - 4.1) <= 0.1 + 1e-9
    assert abs(norms["2"] - 4.2) <= 0.1 + 1e-9
    assert str(norms["1"]) not in run.stderr


def falling(norms: list[float]) -> Callable[[int, int], float]:
    return lambda _, k: norms[k - 1]


def trained_with(norms: list[float], motion: str) -> Any:
    count = len(norms)
    strategy = private_clipping(plain(), 0, CLIENTS, searches=count, motion=motion, **WANTED)
    trained(strategy, falling(norms), count)
    return strategy


def test_norms_that_break_their_motion_are_said_without_the_norm(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        caplog.at_level(logging.DEBUG),
        pytest.warns(MotionBroken, match="further from the one before") as warned,
    ):
        strategy = trained_with([2.15, 1.15, 0.65], "steps(0.2)")
    assert strategy.too_far == {2, 3}
    assert len(warned) == 2
    assert not any(re.search(r"\d", str(each.message)) for each in warned)
    assert not any(each.name.startswith("feint") for each in caplog.records)


@pytest.mark.parametrize("motion", ["steps(0.2)", "walk(0.1, 2)", "jump(0.1)"])
def test_norms_that_keep_their_motion_raise_no_warning(motion: str) -> None:
    """Also at the ends: 0.2 apart in truth, and each is found to within 0.05."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotionBroken)
        strategy = trained_with([2.15, 1.95, 2.15], motion)
    assert strategy.too_far == set()
