"""Flower's log and stores, looked through for the result, the bits and the key."""

import base64
import json
import logging
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.flower import BIN, environment, superlink

from feint.integrations.flower import InProcess, private_quantile, replied
from feint.journal import Folder, Memory

EXAMPLE = Path(__file__).parents[2] / "examples" / "federated_median"


def secrets_of(header: Any, result: Any) -> list[bytes]:
    """What must be found nowhere: the key in any writing, the estimate as text and as a float."""
    key = bytes.fromhex(header["key"])
    told = [str(result), repr(float(result)), f"{float(result):.4f}"]
    keys = [key, key.hex().encode(), base64.b64encode(key), base64.urlsafe_b64encode(key)]
    return [*keys, *(each.encode() for each in told), np.float64(result).tobytes()]


def test_neither_records_nor_logs_hold_the_result_or_the_key(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    values = np.random.default_rng(5).normal(437, 60, 31)
    asked, told = list[Any](), list[Any]()

    def client(own: float) -> Any:
        def answer(message: Any) -> Any:
            reply = replied(message, own)
            asked.append(message.content)
            told.append(reply.content)
            return reply

        return answer

    grid = InProcess({node + 1: client(float(value)) for node, value in enumerate(values)})
    journal = Memory()
    with caplog.at_level(logging.DEBUG):
        found = private_quantile(
            grid, journal=journal, low=0, high=1000, epsilon="0.7", delta=20, level=4
        )
    hidden = secrets_of(journal.header(*journal.names()), found.result.estimate)
    records = "".join(repr(each) for each in (*asked, *told)).encode()
    out = "".join(capfd.readouterr()) + caplog.text
    for secret in hidden:
        assert secret not in records
        assert secret not in out.encode()
    assert {name for each in asked for name in only(each)} == {
        "coordinate",
        "value",
        "exact",
        "dim",
    }
    assert {name for each in told for name in only(each)} == {"bits"}
    assert "bits" not in out  # and so none of them was logged


def only(content: Any) -> Any:
    """The one record of what was sent, which holds no arrays and no metrics."""
    (record,) = content.values()
    return record


def stored(database: Path) -> bytes:
    """All that the rows of a database hold, but for the app's own source."""
    with closing(sqlite3.connect(database)) as held:
        tables = [
            name for (name,) in held.execute("select name from sqlite_master where type='table'")
        ]
        kept = [name for name in tables if name != "fab"]
        rows = [row for name in kept for row in _rows(held, name)]
    cells = [cell for row in rows for cell in row if cell is not None]
    return b"".join(cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells)


def _rows(held: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    return held.execute(f'select * from "{table}"').fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("data", ["drawn", "patients"])
def test_a_real_run_of_the_example_leaves_nothing_in_flowers_stores(
    tmp_path: Path, data: str
) -> None:
    """`flwr run` of examples/federated_median on Ray; then every file that Flower wrote."""
    from examples.federated_median.federated_median.data import numbers

    home, kept = tmp_path / "flower", tmp_path / "kept"
    home.mkdir()
    with superlink(home):
        words: list[str | Path] = [
            *(BIN / "flwr", "run", str(EXAMPLE), "--stream"),
            *("--federation-config", "num-supernodes=51 client-resources-num-cpus=1"),
            *("--run-config", f"data='{data}' folder='{kept}'"),
        ]
        run = subprocess.run(
            words, env=environment(home), capture_output=True, text=True, check=True
        )
    found = json.loads((kept / "median.json").read_text("utf-8"))
    assert abs(found["estimate"] - np.median(numbers(data, 51))) <= 1
    journal = Folder(kept)
    header = journal.header(*journal.names())
    written = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert any(path.name == "state.db" for path in written)
    assert b"bits" not in stored(home / "state.db")  # the record's name: no reply was kept
    written[tmp_path / "streamed"] = (run.stdout + run.stderr).encode()
    for secret in secrets_of(header, found["estimate"])[:-1]:
        for path, held in written.items():
            assert secret not in held, path.name
