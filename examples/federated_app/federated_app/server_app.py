"""Find the median with feint on the server, then send the app's own query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import flwr.app as flwr
from flwr.serverapp import ServerApp

from feint.integrations.flower import private_quantile

app = ServerApp()


@app.main()
def main(grid: Any, context: Any) -> None:
    """Find the median of the clients' mean visits, then ask the app's own query."""
    words = context.run_config
    private: dict[str, Any] = (
        {"local_epsilon": str(words["local-epsilon"])} if words["flipped"] else {}
    )
    found = private_quantile(
        grid,
        count=int(words["clients"]),
        low=0,
        high=100,
        epsilon=10 if private else 1,
        delta=20 if private else 5,
        level=2 if private else 4,
        rank=str(words["rank"]),
        **private,
    )
    counted = counts(grid)
    kept = {
        "estimate": float(found.result.estimate),
        "claim": found.claim,
        "messages": found.messages,
        "visits": sum(visits for visits, _ in counted),
        "asked": sum(asked for _, asked in counted),
    }
    Path(str(words["result"])).write_text(json.dumps(kept), "utf-8")


def counts(grid: Any) -> list[tuple[int, int]]:
    """Ask every client by the app's own query: its visits, and how often feint asked it."""
    asked = [
        flwr.Message(flwr.RecordDict(), dst_node_id=node, message_type="query")
        for node in grid.get_node_ids()
    ]
    told = [reply.content["count"] for reply in grid.send_and_receive(asked)]
    return [(int(each["visits"]), int(each["asked"])) for each in told]
