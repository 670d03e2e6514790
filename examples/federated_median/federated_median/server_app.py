"""Find the median on the server, and keep it out of logs and records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flwr.serverapp import ServerApp

from feint.integrations.flower import private_quantile
from feint.journal import Folder

from .data import EPSILON, HIGH, LOW

app = ServerApp()


@app.main()
def main(grid: Any, context: Any) -> None:
    """Find the median of all clients' numbers."""
    words = context.run_config
    folder = Path(str(words["folder"]))
    found = private_quantile(
        grid,
        journal=Folder(folder),  # which only its owner may enter; a killed run goes on
        name=f"{words['data']} {words['run']}",
        count=int(words["clients"]),
        low=LOW,
        high=HIGH,
        epsilon=EPSILON,
        delta=str(words["delta"]),
        level=int(words["level"]),
    )
    kept = {
        "estimate": float(found.result.estimate),
        "rounds": found.result.rounds,
        "messages": found.messages,
        "claim": found.claim,
    }
    (folder / "median.json").write_text(json.dumps(kept), "utf-8")
