"""Answer questions on a client from its own number, one bit per question."""

from __future__ import annotations

from typing import Any

from feint.integrations.flower import client_app

from .data import numbers


def own_number(context: Any) -> float:
    """Return the number of this client; in a simulation, that of its partition."""
    held = numbers(str(context.run_config["data"]), int(context.run_config["clients"]))
    return held[int(context.node_config["partition-id"])]


app = client_app(own_number)
