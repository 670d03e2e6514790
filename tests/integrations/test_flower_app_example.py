"""examples/federated_app: an app with its own query handler and a mod, in process and on Ray."""

import json
import subprocess
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import flwr.app as flwr
import numpy as np
import pytest
from examples.federated_app.federated_app import client_app, server_app
from tests.support.flower import BIN, environment, superlink

from feint.integrations.flower import InProcess

EXAMPLE = Path(__file__).parents[2] / "examples" / "federated_app"


def means(count: int) -> list[float]:
    return [float(np.mean(client_app.minutes(node))) for node in range(count)]


def ranks(values: list[float], found: float, half: float) -> tuple[float, float]:
    """The least and the greatest rank of numbers within half of what was found."""
    held = np.array(values)
    return float(np.mean(held < found - half)), float(np.mean(held <= found + half))


def run_in_process(count: int, folder: Path, **config: Any) -> dict[str, Any]:
    words: dict[str, Any] = {
        "clients": count,
        "rank": "0.1",
        "flipped": "",
        "local-epsilon": "4",
    } | config
    result = folder / "result.json"

    def client(node: int) -> Any:
        context = flwr.Context(
            run_id=1,
            node_id=node,
            node_config={"partition-id": node},
            state=flwr.RecordDict(),
            run_config={key: words[key] for key in ("flipped", "local-epsilon")},
        )
        return partial(_called, context)

    grid: Any = InProcess({node: client(node) for node in range(count)})
    context: Any = SimpleNamespace(run_config=words | {"result": str(result)})
    server_app.main(grid, context)
    found: dict[str, Any] = json.loads(result.read_text("utf-8"))
    return found


def _called(context: Any, message: Any) -> Any:
    return client_app.app(message, context)


def test_the_apps_own_query_and_mod_work_beside_feint(tmp_path: Path) -> None:
    found = run_in_process(51, tmp_path)
    low, high = ranks(means(51), found["estimate"], 0.5)
    assert low <= 0.6
    assert high >= 0.4
    assert found["visits"] == sum(len(client_app.minutes(node)) for node in range(51))
    assert found["asked"] == found["messages"]  # the mod wraps the answers to feint


@pytest.mark.long
def test_the_same_clients_may_flip_their_bits(tmp_path: Path) -> None:
    bits = tmp_path / "bits"
    found = run_in_process(201, tmp_path, flipped=str(bits), rank="0.3")
    low, high = ranks(means(201), found["estimate"], 5)
    assert low <= 0.8
    assert high >= 0.2
    assert "4-locally differentially private" in found["claim"]
    assert found["asked"] == found["messages"] == len(list(bits.rglob("*.json")))


@pytest.mark.slow
@pytest.mark.parametrize("flipped", [False, True])
def test_flwr_runs_it_on_ray(tmp_path: Path, flipped: bool) -> None:
    count, rank = (201, "0.3") if flipped else (51, "0.1")
    home, result = tmp_path / "flower", tmp_path / "result.json"
    home.mkdir()
    config = f"clients={count} rank='{rank}' result='{result}'"
    if flipped:
        config += f" flipped='{tmp_path / 'bits'}'"
    with superlink(home):
        words: list[str | Path] = [
            *(BIN / "flwr", "run", str(EXAMPLE), "--stream"),
            *("--federation-config", f"num-supernodes={count} client-resources-num-cpus=1"),
            *("--run-config", config),
        ]
        subprocess.run(words, env=environment(home), capture_output=True, text=True, check=True)
    found = json.loads(result.read_text("utf-8"))
    low, high = ranks(means(count), found["estimate"], 5 if flipped else 0.5)
    assert low <= 0.5 + float(rank)
    assert high >= 0.5 - float(rank)
    assert found["visits"] == sum(len(client_app.minutes(node)) for node in range(count))
    assert found["asked"] == found["messages"]
