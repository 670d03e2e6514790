"""Count the client's visits on request, and answer feint's questions too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flwr.app as flwr
import numpy as np
from flwr.clientapp import ClientApp

from feint.integrations.flower import add_answers, private_values

VISITS = 40  # visits of a client, on average


def minutes(node: int) -> list[float]:
    """Return how long the visits of a client took; in a simulation, that of its partition."""
    random = np.random.default_rng(node)
    return [float(each) for each in random.lognormal(3, 0.4, VISITS + node % 7).clip(0, 99)]


def noted(message: Any, context: Any, call_next: Any) -> Any:
    """Count, in the client's state, how many messages of each type the app handled."""
    reply = call_next(message, context)
    held: dict[str, Any] = dict(context.state.config_records.get("noted", {}))
    kind = message.metadata.message_type
    held[kind] = int(held.get(kind, 0)) + 1
    context.state.config_records["noted"] = flwr.ConfigRecord(held)
    return reply


def mean_visit(context: Any) -> float:
    """Return the client's own number: the mean length of its visits."""
    return float(np.mean(minutes(int(context.node_config["partition-id"]))))


def count(message: Any, context: Any) -> Any:
    """Answer the app's own query: how many visits there were, and what the mod noted."""
    visits = len(minutes(int(context.node_config["partition-id"])))
    noted_here = context.state.config_records.get("noted", {})
    held: dict[str, Any] = {"visits": visits, "asked": int(noted_here.get("query.feint", 0))}
    return flwr.Message(flwr.RecordDict({"count": flwr.MetricRecord(held)}), reply_to=message)


def own(context: Any) -> Any:
    """Return the client's number, or if there is a folder, what flips its bits."""
    folder = str(context.run_config["flipped"])
    if not folder:
        return mean_visit(context)
    budget = str(context.run_config["local-epsilon"])
    mine = Path(folder) / str(context.node_config["partition-id"])
    return private_values(mean_visit, local_epsilon=budget, folder=mine)(context)


app = ClientApp(mods=[noted])
app.query()(count)  # stays the app's own
add_answers(app, own)
