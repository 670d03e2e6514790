"""Sweeps: one tidy table, whoever does the work, in every format."""

import csv
import importlib
import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from feint import InvalidValue, Problem, plan
from feint.errors import FeintError, MissingExtra
from feint.interfaces import Done, Task
from feint.research.sweep import COLUMNS, SweepTable, grid, save, sweep, writer
from feint.research.sweep.table import tabled
from feint.simulate import Processes, Serial
from feint.simulate.run import chunk_size

POINTS = grid({"epsilon": ["2^-12"], "delta": ["2^-6", "1/3"], "level": [2, 5]})


def swept(**more: Any) -> SweepTable:
    names = ["uniform", "truncated"]
    return sweep(POINTS, methods=["tight", "paper"], runs=300, adversaries=names, seed=4, **more)


@pytest.fixture(scope="module")
def table() -> SweepTable:
    return swept()


def test_rows_are_points_by_methods_by_adversaries(table: SweepTable) -> None:
    assert all(list(row) == list(COLUMNS) for row in table)
    # Three points are in the regime; (1/3, 5) is not, and keeps one row a method.
    assert len(table) == 3 * 2 * 2 + 2
    refused = table[~table.missing("refused")]
    assert refused["level"].tolist() == [5, 5]
    assert refused.missing("success").all()
    good = table[table.missing("refused")]
    assert len(good) == 12
    for row in good:
        problem = Problem("2^-12", row["delta"] if row["delta"] < 0.1 else "1/3", row["level"])
        assert row["queries"] == plan(problem, method=row["method"]).queries
        assert row["queries"] <= row["paper_upper"]
        assert row["low"] <= row["success"] <= row["high"]
        assert row["claimed"] <= 1 / row["level"]


def test_two_processes_give_the_same_table(table: SweepTable, two: Processes) -> None:
    assert swept(executor=two) == table


def test_without_runs_only_plans_are_compared() -> None:
    told: list[tuple[str, int, int]] = []
    points = grid({"epsilon": ["2^-12"], "delta": ["2^-6", "1/3"], "level": [5]})
    found = sweep(points, progress=lambda *it: told.append(it))
    assert found["queries"].tolist() == [plan(Problem("2^-12", "2^-6", 5)).queries, None]
    assert found["refused"].tolist() == [None, str(_refusal(Problem, "2^-12", "1/3", 5))]
    assert told == [("rows", 1, 2), ("rows", 2, 2)]


def _refusal(function: Callable[..., object], *words: object) -> FeintError:
    with pytest.raises(FeintError) as caught:
        function(*words)
    return caught.value


def test_words_are_never_cut() -> None:
    rows: list[dict[str, Any]] = [{"refused": "why " * 250, "method": "m"}, {"method": "n" * 99}]
    first, second = tabled(rows)
    assert (first["refused"], first["method"]) == ("why " * 250, "m")
    assert (second["refused"], second["method"]) == (None, "n" * 99)


def test_nothing_is_not_zero() -> None:
    """A zero is told as one; what makes no sense as a number is not told as another one."""
    small = {"epsilon": ["1/9"], "delta": ["1/3"]}
    rows = sweep(grid(small | {"level": [0, "5/2", 10**30, -1]})).records()
    assert [row["level"] for row in rows] == [0, None, None, -1]
    assert all(row["refused"] and row["queries"] is None for row in rows)
    (huge,) = sweep(grid(small | {"epsilon": ["1e299"], "level": [2]}))
    assert huge["epsilon"] == 1e299


def test_names_are_checked_before_the_work(tmp_path: Path) -> None:
    told: list[int] = []

    def refused(**words: Any) -> str:
        with pytest.raises(InvalidValue) as caught:
            sweep(POINTS, progress=lambda *_: told.append(1), **words)
        return str(caught.value)

    assert "methods = tihgt: the problems of this sweep have tight" in refused(
        methods=["tight", "tihgt"]
    )
    assert "adversaries = nobody: must be one of" in refused(adversaries=["nobody"], runs=10)
    assert "each listens once" in refused(adversaries=["last", "last"], runs=10)
    assert "without runs there are no eavesdroppers; give runs" in refused(adversaries=["last"])
    assert "at least one" in refused(methods=[])
    assert "each is tried once" in refused(methods=["tight", "tight"])
    assert "runs = 10000000000000" in refused(runs=10**13)
    assert not told
    for path in (tmp_path / "nowhere" / "table.csv", tmp_path / "table.csv"):
        (tmp_path / "table.csv").mkdir(exist_ok=True)
        with pytest.raises(InvalidValue, match="must be a file in a folder that is there"):
            writer(path)
    with pytest.raises(InvalidValue, match="at least one value"):
        grid({"epsilon": []})


class Counting(Serial):
    """Two workers by its own account; it counts what it is given."""

    slots = workers = 2

    def __init__(self) -> None:
        self.tasks = 0

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        for number, done in super().map(function, tasks):
            self.tasks += 1
            yield number, done


def test_one_row_keeps_all_workers_busy_and_gives_the_same_digits() -> None:
    points, names = POINTS[:1], ["uniform", "last"]
    runs = 2 * chunk_size(plan(Problem(**points[0])).strategy) + 1
    alone = sweep(points, runs=runs, adversaries=names, seed=4)
    many = Counting()
    shared = sweep(points, runs=runs, adversaries=names, seed=4, executor=many)
    assert many.tasks == 3  # chunks, not rows
    assert shared == alone
    many = Counting()
    sweep(POINTS[:3], runs=10, executor=many)
    assert many.tasks == 3  # rows


def test_memory_is_shared_among_the_workers() -> None:
    """What is enough for one process is not for two, whether rows or chunks are side by side."""
    for points in (POINTS[:1], POINTS[:2]):
        one = sweep(points, runs=10, memory=160 << 20)
        two = sweep(points, runs=10, memory=160 << 20, executor=Counting())
        assert one.missing("refused").all()
        assert all("2 at once, need" in reason for reason in two["refused"])


def test_every_format_says_the_same(table: SweepTable, tmp_path: Path) -> None:
    from pyarrow import parquet

    for ending in ("csv", "json", "parquet"):
        save(table, tmp_path / f"table.{ending}")
    rows = table.records()
    assert rows[0]["miss_rate"] == 0
    assert rows[0]["p"] is None
    assert json.loads((tmp_path / "table.json").read_text("utf-8")) == rows
    assert parquet.read_table(tmp_path / "table.parquet").to_pylist() == rows
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        for read, row in zip(csv.DictReader(file), rows, strict=True):
            assert read == {name: "" if cell is None else str(cell) for name, cell in row.items()}


def test_nothing_stands_for_what_is_missing(table: SweepTable) -> None:
    """Whole numbers, fractions and words: none in rows is masked, null and not available."""
    frame, arrow, rows = table.to_pandas(), table.to_arrow(), table.records()
    assert list(frame) == arrow.column_names == list(COLUMNS)
    assert str(frame["queries"].dtype) == "Int64"
    for name, kind in COLUMNS.items():
        cells = [row[name] for row in rows]
        assert all(cell is None or type(cell) is kind for cell in cells)
        gone = [cell is None for cell in cells]
        assert table.missing(name).tolist() == gone
        assert table[name].tolist() == cells
        assert arrow[name].to_pylist() == cells
        assert frame[name].isna().tolist() == gone
        assert frame[name].dropna().tolist() == table[name].compressed().tolist()
    assert table.missing("queries").any()
    assert not table.missing("level").any()


def test_whoever_reads_arrow_reads_a_table(table: SweepTable) -> None:
    import pyarrow

    assert pyarrow.table(table) == table.to_arrow()


def test_an_empty_table_has_its_columns() -> None:
    empty = tabled([])
    assert empty.to_csv() == ",".join(COLUMNS) + "\n"
    assert empty.to_arrow().column_names == list(empty.to_pandas()) == list(COLUMNS)
    assert empty["queries"].dtype == np.int64


@pytest.mark.parametrize(
    ("package", "extra", "read"),
    [
        ("pandas", "pandas", SweepTable.to_pandas),
        ("pyarrow", "parquet", SweepTable.to_arrow),
        ("pyarrow", "parquet", SweepTable.__arrow_c_stream__),
    ],
)
def test_a_reader_that_is_not_installed_is_named(
    package: str,
    extra: str,
    read: Callable[[SweepTable], object],
    table: SweepTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package} is not installed: .*feint\[{extra}\]"):
        read(table)


def test_what_is_no_axis_or_no_format_is_refused(table: SweepTable, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="a grid may have epsilon"):
        grid({"epsilom": ["1/2"]})
    with pytest.raises(InvalidValue, match=r"must end in \.csv"):
        save(table, tmp_path / "table.xls")


def test_an_interrupted_row_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the second row: the first stands, whole; half a row would have other digits."""
    room = importlib.import_module("feint.research.sweep.run")
    real, calls = room.simulate, list[int]()

    def stopped(*words: Any, **options: Any) -> Any:
        calls.append(1)
        done = real(*words, **options)
        return done if len(calls) < 2 else replace(done, wanted=2 * done.wanted)

    monkeypatch.setattr(room, "simulate", stopped)
    points = grid({"epsilon": ["1/64"], "delta": ["1/8"], "level": [2, 3, 4]})
    table = sweep(points, runs=50)
    assert table["level"].tolist() == [2]
    assert table["runs"].tolist() == [50]


def test_ctrl_c_keeps_the_rows_that_two_processes_have_done(table: SweepTable) -> None:
    def interrupt(what: str, done: int, wanted: int) -> None:
        if done == 3:
            signal.raise_signal(signal.SIGINT)

    with Processes(2) as two:
        some = swept(executor=two, progress=interrupt)
    kept = {json.dumps(row) for row in some}
    assert kept < {json.dumps(row) for row in table}
    refused = some["refused"].count()
    assert len(some) == 2 * (3 - refused) + refused  # two adversaries, unless there is no plan


def test_noisy_rows_show_the_average_beside_the_most() -> None:
    """A search that stops when it is sure asks far fewer questions than its plan has."""
    noisy = Problem("1/16", "1/4", 2, p="0.95", confidence="0.9")
    table = sweep([noisy], methods=["tight", "fixed"])
    shown = str(table)
    assert "average" in shown
    assert table["queries_mean"][0] < table["queries_mean"][1] == table["queries"][1]
    assert "average" not in str(sweep([Problem("1/16", "1/4", 2)]))
