"""examples/federated_median runs as it is, and says what it promises."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from examples.federated_median.federated_median.server_app import main

from feint.integrations.flower import InProcess

EXAMPLE = Path(__file__).parents[2] / "examples" / "federated_median"
NUMBER = r"(\d+\.\d+)"


@pytest.mark.long
def test_a_federated_median_three_ways(tmp_path: Path) -> None:
    """Within epsilon/2 = 1 on both data sets; feint alone keeps the median from a client."""
    picture = tmp_path / "drawn.png"
    words = [sys.executable, "-m", "federated_median.compare", str(picture), "12"]
    run = subprocess.run(words, capture_output=True, text=True, cwd=EXAMPLE, check=True)
    *rows, drawn = run.stdout.splitlines()
    assert drawn.split(maxsplit=1) == ["picture", str(picture)]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(rows) == 6
    for row in rows:
        method = row[:17].strip()
        off, won = _found(rf"off by +{NUMBER}", row), _found(rf"a client wins {NUMBER}", row)
        assert off <= 1 or method == "geometric update"
        assert (won <= 0.6) == (method == "feint")


def test_another_run_or_other_data_is_another_search(tmp_path: Path) -> None:
    """In one folder, and each within epsilon/2 = 1 of its own clients' median."""
    for data, run, true in (("drawn", "first", 90.0), ("drawn", "second", 200.0)):
        words = {"data": data, "run": run, "clients": 5, "delta": "20", "level": 8}
        context: Any = SimpleNamespace(run_config=words | {"folder": str(tmp_path)})
        grid: Any = InProcess.holding([true] * 5)
        main(grid, context)
        found = json.loads((tmp_path / "median.json").read_text("utf-8"))
        assert abs(found["estimate"] - true) <= 1


def _found(pattern: str, line: str) -> float:
    match = re.search(pattern, line)
    assert match, line
    return float(match[1])
