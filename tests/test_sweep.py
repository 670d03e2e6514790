"""Sweeps: one tidy table, whoever does the work, in every format."""

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from feint import InvalidValue, Problem, plan
from feint.simulate import Processes
from feint.sweep import DTYPE, Table, grid, records, save, sweep, to_csv

POINTS = grid({"epsilon": ["2^-12"], "delta": ["2^-6", "1/3"], "level": [2, 5]})


@pytest.fixture(scope="module")
def table() -> Table:
    names = ["uniform", "truncated"]
    return sweep(POINTS, methods=["tight", "paper"], runs=300, adversaries=names, seed=4)


def test_rows_are_points_by_methods_by_adversaries(table: Table) -> None:
    assert table.dtype == DTYPE
    # Three points are in the regime; (1/3, 5) is not, and keeps one row a method.
    assert len(table) == 3 * 2 * 2 + 2
    refused = table[table["refused"] != ""]
    assert (refused["level"] == 5).all()
    assert np.isnan(refused["success"]).all()
    good = table[table["refused"] == ""]
    for row in good:
        problem = Problem(
            "2^-12", row["delta"].item() if row["delta"] < 0.1 else "1/3", int(row["level"])
        )
        assert row["queries"] == plan(problem, method=str(row["method"])).queries
        assert row["queries"] <= row["paper_upper"]
        assert row["low"] <= row["success"] <= row["high"]
        assert row["claimed"] <= 1 / row["level"]


def test_two_processes_give_the_same_table(table: Table) -> None:
    with Processes(2) as two:
        other = sweep(
            POINTS,
            methods=["tight", "paper"],
            runs=300,
            adversaries=["uniform", "truncated"],
            seed=4,
            executor=two,
        )
    assert to_csv(other) == to_csv(table)


def test_without_runs_only_plans_are_compared() -> None:
    told: list[tuple[int, int]] = []
    found = sweep(POINTS[:1], methods=["tight", "nonsense"], progress=lambda *it: told.append(it))
    assert found["queries"].tolist() == [plan(Problem("2^-12", "2^-6", 2)).queries, 0]
    assert "nonsense" in found["refused"][1]
    assert told == [(1, 2), (2, 2)]


def test_every_format_says_the_same(table: Table, tmp_path: Path) -> None:
    from pyarrow import parquet

    for ending in ("csv", "json", "parquet"):
        save(table, tmp_path / f"table.{ending}")
    rows = records(table)
    assert rows[0]["miss_rate"] == 0
    assert rows[0]["p"] is None
    assert json.loads((tmp_path / "table.json").read_text("utf-8")) == rows
    assert parquet.read_table(tmp_path / "table.parquet").to_pylist() == rows
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        for read, row in zip(csv.DictReader(file), rows, strict=True):
            assert read == {name: "" if cell is None else str(cell) for name, cell in row.items()}


def test_what_is_no_axis_or_no_format_is_refused(table: Table, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="a grid may have epsilon"):
        grid({"epsilom": ["1/2"]})
    with pytest.raises(InvalidValue, match=r"must end in \.csv"):
        save(table, tmp_path / "table.xls")


def test_an_interrupted_row_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the second row: the first stands, whole; half a row would have other digits."""
    room = importlib.import_module("feint.sweep")
    real, calls = room.simulate, list[int]()

    def stopped(*words: Any, **options: Any) -> Any:
        calls.append(1)
        fewer = options["runs"] // (1 if len(calls) < 2 else 2)
        return real(*words, **(options | {"runs": fewer}))

    monkeypatch.setattr(room, "simulate", stopped)
    points = grid({"epsilon": ["1/64"], "delta": ["1/8"], "level": [2, 3, 4]})
    table = sweep(points, runs=50)
    assert table["level"].tolist() == [2]
    assert table["runs"].tolist() == [50]
