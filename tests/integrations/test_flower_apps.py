"""Feint beside what a Flower app already does: its own queries, its mods, earlier versions."""

import warnings
from functools import partial
from typing import Any

import flwr.app as flwr
import numpy as np
import pytest
from flwr.client import NumPyClient
from flwr.client.mod import secaggplus_mod
from flwr.clientapp import ClientApp

from feint.errors import InvalidValue
from feint.integrations.flower import (
    InProcess,
    add_answers,
    answering_mod,
    client_app,
    norm_mod,
    private_clipping,
    private_quantile,
)
from feint.integrations.flower.wire import KIND, questions

WANTED: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 1, "delta": 5, "level": 4}
VALUES = [float(each) for each in np.random.default_rng(1).normal(50, 10, 21)]


def context(node: int) -> Any:
    return flwr.Context(
        run_id=1, node_id=node, node_config={}, state=flwr.RecordDict(), run_config={}
    )


def grid_of(app: Any) -> Any:
    """Clients that run one app, each with its own context; node n holds VALUES[n - 1]."""
    contexts = {node: context(node) for node in range(1, len(VALUES) + 1)}
    return InProcess({node: partial(_run, app, own) for node, own in contexts.items()})


def _run(app: Any, context: Any, message: Any) -> Any:
    return app(message, context)


def own(context: Any) -> float:
    return VALUES[int(context.node_id) - 1]


def asked(kind: str, content: Any) -> Any:
    return flwr.Message(content=content, dst_node_id=3, message_type=kind)


def found_with(app: Any) -> float:
    return float(private_quantile(grid_of(app), **WANTED).result.estimate)


def counting() -> tuple[list[str], Any]:
    """A mod that notes the type of every message, and what it noted."""
    seen = list[str]()

    def mod(message: Any, context: Any, call_next: Any) -> Any:
        seen.append(message.metadata.message_type)
        return call_next(message, context)

    return seen, mod


@pytest.mark.parametrize("made", ["added", "client_app"])
def test_a_users_own_queries_stay_theirs(made: str) -> None:
    seen, mod = counting()
    if made == "added":
        app: Any = ClientApp(mods=[mod])
        add_answers(app, own)
    else:
        app = client_app(own, mods=[mod])
    grid = grid_of(app)

    def mine(message: Any, context: Any) -> Any:
        held = flwr.ConfigRecord({"mine": context.node_id})
        return flwr.Message(flwr.RecordDict({"feint": held}), reply_to=message)

    app.query()(mine)

    found = private_quantile(grid, **WANTED)
    assert abs(float(found.result.estimate) - float(np.median(VALUES))) <= 0.5
    assert set(seen) == {KIND}
    assert len(seen) == found.messages
    records: list[Any] = [{}, {"feint": flwr.ConfigRecord({"other": 1})}]
    for record in records:
        reply = app(asked("query", flwr.RecordDict(record)), context(3))
        assert reply.content["feint"]["mine"] == 3


def test_mods_of_the_answers_alone() -> None:
    seen, mod = counting()
    app = ClientApp()
    add_answers(app, own, mods=[mod])
    app.query()(lambda message, _: message)
    assert abs(found_with(app) - float(np.median(VALUES))) <= 0.5
    assert set(seen) == {KIND}


def test_an_app_with_a_client_fn_answers_by_a_mod() -> None:
    def client_fn(_: flwr.Context) -> Any:
        return NumPyClient().to_client()

    assert found_with(ClientApp(client_fn, mods=[answering_mod(own)])) == pytest.approx(
        float(np.median(VALUES)), abs=0.5
    )
    with pytest.raises(InvalidValue, match="answering_mod"):
        add_answers(ClientApp(client_fn), own)


def test_answers_are_added_once() -> None:
    app = client_app(own)
    with pytest.raises(InvalidValue, match="no answers to feint's questions yet"):
        add_answers(app, own)


@pytest.mark.parametrize("tries", [1, 10])
def test_clients_of_an_earlier_version_are_asked_as_they_understand(tries: int) -> None:
    """They have a handler of plain queries alone, and are asked once more, not counted as a try."""
    earlier, now = ClientApp(), client_app(own)
    add_answers(now_only := ClientApp(), own)
    earlier.query()(now_only._registered_funcs[KIND])
    grid = grid_of(now)
    grid.clients |= {node: grid_of(earlier).clients[node] for node in range(1, 8)}
    with pytest.warns(DeprecationWarning, match="asked by a plain query"):
        found = private_quantile(grid, tries=tries, **WANTED)
    assert abs(float(found.result.estimate) - float(np.median(VALUES))) <= 0.5
    assert found.messages == len(VALUES) * found.result.rounds + 7


def test_servers_of_an_earlier_version_are_answered() -> None:
    from feint import Search
    from feint.search import prepared

    plan, domains = prepared(**WANTED)
    content = questions(Search(plan, domains=domains, seed=1).ask(), dim=1)
    seen, mod = counting()
    app = client_app(own, mods=[mod])
    with pytest.warns(DeprecationWarning, match="plain query"):
        reply = app(asked("query", content), context(3))
    assert (
        reply.content["feint"]["bits"]
        == app(asked(KIND, content), context(3)).content["feint"]["bits"]
    )
    assert seen == ["query", KIND]
    assert reply.metadata.message_type == "query"


def trained(app: Any) -> Any:
    """Register training whose update in round k has the norm node + k/10."""

    def train(message: Any, context: Any) -> Any:
        (sent,) = message.content["arrays"].to_numpy_ndarrays()
        far = context.node_id + message.content["config"]["server-round"] / 10
        arrays = flwr.ArrayRecord([sent + far / 2])  # four entries
        metrics = flwr.MetricRecord({"num-examples": 1})
        return flwr.Message(
            flwr.RecordDict({"arrays": arrays, "metrics": metrics}), reply_to=message
        )

    app.train()(train)
    return app


def test_an_app_that_trains_is_clipped_too() -> None:
    from flwr.serverapp.strategy import FedAvg

    app = trained(ClientApp(mods=[norm_mod]))
    add_answers(app)
    strategy = private_clipping(
        FedAvg(fraction_train=1, fraction_evaluate=0, min_available_nodes=1),
        0,
        len(VALUES),
        high=30,
        epsilon="0.1",
        delta=1,
        level=4,
    )
    strategy.start(grid_of(app), flwr.ArrayRecord([np.zeros(4)]), num_rounds=1)
    assert abs(strategy.norms[1] - 11.1) <= 0.05  # the median of 1.1 … 21.1


def test_secure_aggregation_leaves_the_questions_to_feint() -> None:
    """Flower's SecAgg+ mod handles messages of type "train": bits pass it, and are not masked."""
    app = client_app(own, mods=[secaggplus_mod])
    assert abs(found_with(app) - float(np.median(VALUES))) <= 0.5


def test_nothing_warns_where_all_are_of_this_version() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found_with(client_app(own))
