"""Values that no flag can have, and files that hold no search: one sentence, and at once."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import damage

from feint import Domain, plan
from feint.cli.app import run
from feint.cli.codes import REFUSED
from feint.search import create

Output = pytest.CaptureFixture[str]
WORDS: tuple[str, ...] = ("1e400000", "9" * 10**6, "1/0", "0x10", "\N{FULLWIDTH DIGIT TWO}")
WORDS += ("1e-400000", "nan", "2^1000000000", "\ud800", "1e\N{DEVANAGARI DIGIT FIVE}", "", "-inf")
PROBLEM = {"--low": "0", "--high": "120", "--epsilon": "5", "--delta": "30", "--level": "3"}
FLAGS = {
    "plan": (*PROBLEM, "--dim", "--p", "--step", "--tick", "--max-rounds", "--margin", "--prior"),
    "audit": (*PROBLEM, "--runs", "--seed", "--times"),
    "bounds": (*PROBLEM, "--dim"),
}


@pytest.mark.parametrize("command", FLAGS)
def test_a_flag_with_an_extreme_value_is_refused_at_once(command: str, capsys: Output) -> None:
    run([command, *(word for pair in PROBLEM.items() for word in pair), "--json"])  # what is loaded
    for flag in FLAGS[command]:
        for value in WORDS:
            given = PROBLEM | {flag: value}
            capsys.readouterr()
            with damage.limited():
                code = run([command, *(word for pair in given.items() for word in pair)])
            said = capsys.readouterr()
            assert (code, said.out) == (REFUSED, ""), (flag, value[:20])
            assert len(said.err) < 700, (flag, value[:20])
            assert "Traceback" not in said.err


def test_a_tick_wider_than_epsilon_is_refused(capsys: Output) -> None:
    words = [word for pair in PROBLEM.items() for word in pair]
    assert run(["plan", *words, "--tick", "10"]) == REFUSED
    assert "--tick 5 works" in capsys.readouterr().err


def test_a_window_too_narrow_to_count_is_audited(capsys: Output) -> None:
    """She has so little room that her places are more than 64 bits count."""
    given = PROBLEM | {"--delta": "1/3" + "0" * 280}
    assert run(["audit", *(word for pair in given.items() for word in pair)]) == 0
    assert capsys.readouterr().out


@pytest.mark.usefixtures("in_a_folder")
@pytest.mark.parametrize(
    "change",
    [
        lambda held: held[: held.index(b"\n")],
        lambda held: held[:-1],
        lambda held: b"",
        lambda held: b"\0" * len(held),
        lambda held: held.replace(b'"told":"y', b'"told":"n', 1),
        lambda held: re.sub(rb'"fraction":"[^"]*"', b'"fraction":"1e30000000"', held),
        lambda held: b"[" * 10**6,
    ],
)
def test_a_damaged_file_is_not_resumed(change: Callable[[bytes], bytes], capsys: Output) -> None:
    path = Path("feint-search.jsonl")
    shop = Domain(0, 120)
    search = create(path, plan(shop.problem(epsilon=5, delta=30, level=3), domain=shop))
    search.tell(search.ask()[0].id, True)
    del search
    held = path.read_bytes()
    path.write_bytes(change(held))
    with damage.limited():
        assert run(["run", "--resume"]) == REFUSED
    said = capsys.readouterr().err
    assert said.startswith("feint: --state feint-search.jsonl: ")
    assert "Traceback" not in said


@pytest.mark.usefixtures("in_a_folder")
@pytest.mark.parametrize(
    "held",
    [
        b"",
        b"{}",
        b"\xff\xfe",
        b"[" * 10**6,
        b'{"version": 4, "rounds": [], "key": 1e999}',
        b'{"version": 4, "rounds": [], "keys": ' + b"9" * 10**6 + b"}",
    ],
)
def test_what_is_no_export_is_not_imported(held: bytes, capsys: Output) -> None:
    Path("export.json").write_bytes(held)
    words = ["import", "price", "--from", "export.json", "--database", "sqlite:///kept.db"]
    with damage.limited(5):  # a database is made, and its key
        assert run([*words, "--key-file", "key"]) == REFUSED
    said = capsys.readouterr().err
    assert "saved search" in said
    assert "Traceback" not in said


@pytest.mark.usefixtures("in_a_folder")
@pytest.mark.parametrize(
    "held",
    [
        b"id,label,value,answer\nq0.0,,60\0,yes\n",
        b'id,label,value,answer\nq0.0,,"' + b"6" * 200_000 + b'",yes\n',
        b"id,label,value,answer\nq" + b"9" * 10_000 + b".0,,60,yes\n",
        b"id,label,value,answer\nq0.0,,1e99999999,yes\n",
        b"id,label,value,answer\nq0.0,,0e-1190,yes\n",
        "id,label,value,answer\nq0.0,,6\N{FULLWIDTH DIGIT TWO},yes\n".encode(),
    ],
)
def test_a_sheet_that_no_spreadsheet_writes_is_not_taken(held: bytes, capsys: Output) -> None:
    assert run(["run", *(w for pair in PROBLEM.items() for w in pair), "--export-round", "-"]) == 0
    Path("filled.csv").write_bytes(held)
    Path("filled.csv").chmod(0o600)
    capsys.readouterr()
    with damage.limited():
        assert run(["run", "--resume", "--import-answers", "filled.csv"]) == REFUSED
    said = capsys.readouterr().err
    assert "filled.csv" in said
    assert "Traceback" not in said


@pytest.mark.usefixtures("in_a_folder")
def test_a_prior_in_a_file_that_stalls_a_reader_is_refused(capsys: Output) -> None:
    words = [word for pair in PROBLEM.items() for word in pair]
    files = {
        "deep.json": "[" * 10**6,
        "deep.toml": f"weights = {'[' * 10**5}",
        "long.json": f'{{"weights": [{"9" * 10**6}]}}',
        "many.json": f'{{"weights": [{"1," * (1 << 20)}1]}}',
        "power.csv": "value,weight\n1,1e30000000\n2,1\n",
        "digits.csv": "value,weight\n1,\N{FULLWIDTH DIGIT TWO}\n2,1\n",
        "none.json": '{"weights": [NaN, 1]}',
        "twice.json": '{"weights": [1, 2], "weights": [2, 1]}',
    }
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
        with damage.limited():
            assert run(["plan", *words, "--prior-file", name]) == REFUSED, name
        said = capsys.readouterr().err
        assert name in said
        assert "Traceback" not in said
