"""`feint run` through spreadsheets: a sheet is taken by its own search, whole or not at all."""

import io
import os
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.price import FLAGS, TARGET
from tests.support.sheets import Row, by_rule, changed, read, write

from feint import Domain, InvalidValue, Search, SearchDone, WrongType, plan
from feint.cli.app import run
from feint.search import export_round, finish, import_answers, load
from feint.search.spreadsheet import _is_value
from feint.simulate.oracles import Hidden

pytestmark = pytest.mark.usefixtures("in_a_folder")

Output = pytest.CaptureFixture[str]
GRID = ["--low", "0", "--high", "8", "--epsilon", "1", "--delta", "2", "--level", "3"]
GRID += ["--method", "grid"]
NOISY = ["--low", "10", "--high", "110", "--epsilon", "6", "--delta", "25", "--level", "3"]
NOISY += ["--p", "0.8", "--confidence", "0.8"]


def taken(path: str, *words: str) -> int:
    return run(["run", "--resume", "--import-answers", path, *words])


def test_a_whole_search_through_a_spreadsheet(capsys: Output) -> None:
    assert run(["run", *FLAGS, "--label", "price", "--export-round", "1.csv"]) == 0
    for number in range(1, 9):
        by_rule(f"{number}.csv")
        assert taken(f"{number}.csv", "--export-round", f"{number + 1}.csv") == 0
    by_rule("9.csv")
    assert "Wrote 8 questions, round 9 of at most 9, to 9.csv." in capsys.readouterr().out
    assert taken("9.csv") == 0
    assert "The price is 73.4" in capsys.readouterr().out
    for number in (9, 1):  # the same again, at the end
        assert taken(f"{number}.csv", "--export-round", "10.csv") == 0
        out = capsys.readouterr().out
        assert "the same as before" in out
        assert "Every question is answered: there is no round left to write" in out
        assert "The price is 73.4" in out
    assert not Path("10.csv").exists()
    changed("9.csv", lambda row: {"answer": "no" if row["answer"] == "yes" else "yes"})
    capsys.readouterr()
    assert taken("9.csv") == 2


def test_a_round_goes_to_standard_output_and_its_answers_come_from_standard_input(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["run", *FLAGS, "--export-round", "-"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "id,label,value,question,answer\nq0.0,,60,Is the number at least 60?,\n"
    assert captured.err == "Wrote 1 question, round 1 of at most 9, to standard output.\n"
    assert sorted(each.name for each in Path.cwd().iterdir()) == ["feint-search.jsonl"]
    monkeypatch.setattr(sys, "stdin", io.StringIO(captured.out.replace("?,", "?,yes")))
    assert taken("-", "--export-round", "-") == 0
    assert "q1.0,,84.8,Is the number at least 84.8?,\n" in capsys.readouterr().out
    assert load("feint-search.jsonl").answered == 1


def salary(row: Row) -> Row:
    return {"label": "salary", "question": row["question"].replace("price", "salary")}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (salary, "row 2: q2.0 is about the salary, and here about the price"),
        (lambda row: {"label": ""}, "q2.0 is about a number without a label"),
        (
            lambda row: {"value": row["value"][:2], "question": ""},
            "row 2: q2.0 is at 63, and here at 63.1",
        ),
        (lambda row: {"value": str(float(row["value"]) + 1)}, "row 2: q2.0 is at 64.1"),
        (lambda row: {"value": ""}, "row 2: q2.0 is at no value, and here at 63.1"),
        (lambda row: {"value": "a lot"}, "row 2: q2.0 is at a lot"),
        (
            lambda row: {"question": row["question"].replace("at least", "below")},
            "asks another question than here, which is: Is the price at least 63.1?",
        ),
        (lambda row: {"id": row["id"].replace("q2", "q7")}, "row 2: q7.0 is no question"),
        (lambda row: {"id": ""}, "row 2: an empty id is no question"),
    ],
)
def test_a_sheet_of_another_search_is_refused(
    change: Callable[[Row], Row], said: str, capsys: Output
) -> None:
    assert run(["run", *FLAGS, "--label", "price", "--export-round", "1.csv"]) == 0
    for number in (1, 2):
        by_rule(f"{number}.csv")
        assert taken(f"{number}.csv", "--export-round", f"{number + 1}.csv") == 0
    by_rule("3.csv")
    changed("3.csv", change, to="other.csv")
    capsys.readouterr()
    assert taken("other.csv") == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("feint: --import-answers other.csv: ")
    assert said in captured.err
    assert load("feint-search.jsonl").answered == 2
    assert taken("3.csv") == 0


def test_a_salary_search_does_not_take_a_price_sheet() -> None:
    """The first round of both asks at the same value."""
    assert run(["run", *FLAGS, "--label", "price", "--export-round", "p.csv"]) == 0
    salaries = [*FLAGS, "--label", "salary", "--state", "s", "--export-round", "s.csv"]
    assert run(["run", *salaries]) == 0
    by_rule("p.csv")
    assert taken("p.csv", "--state", "s") == 2
    assert load("s").answered == 0
    by_rule("s.csv")
    assert taken("s.csv", "--state", "s") == 0


@pytest.mark.parametrize(
    ("cells", "delimiter"),
    [
        ({"value": "63,1"}, ";"),  # as half of Europe writes it
        ({"value": "63.10"}, ","),
        ({"value": "6.31E+01", "question": ""}, ","),
        ({"value": "63"}, ","),  # a narrow column, beside the question
        ({"question": "Is the  price at least 63.1? "}, "\t"),
        ({"note": "asked twice"}, ","),
    ],
)
def test_what_spreadsheets_make_of_a_row_is_taken(cells: Row, delimiter: str) -> None:
    assert run(["run", *FLAGS, "--label", "price", "--export-round", "1.csv"]) == 0
    for number in (1, 2):
        by_rule(f"{number}.csv")
        assert taken(f"{number}.csv", "--export-round", f"{number + 1}.csv") == 0
    row = read("3.csv")[0] | {"answer": " YES "} | cells
    lines = (delimiter.join(each) for each in (row.keys(), row.values()))
    Path("own.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n\r\n")
    assert taken("own.csv") == 0
    assert load("feint-search.jsonl").answered == 3


def test_a_value_in_few_digits_is_no_other_searchs(tmp_path: Path) -> None:
    """Without the question, 60 is not taken for 60.4, nor 60.4 for 60.41."""
    domain = Domain("0.4", "120.4")
    search = Search(plan(domain.problem(epsilon=1, delta=20, level=3, setting="bayesian")))
    query = search.ask()[0]
    for cell, fits in (
        (query.shown, True),
        (str(float(query.shown) + 1e-9), False),
        (query.shown[:3], len(query.shown) <= 3),
    ):
        sheet = io.StringIO(f"id,label,value,answer\n{query.id},,{cell},y\n")
        if fits:
            assert import_answers(search, sheet) == 1
        else:
            with pytest.raises(InvalidValue, match="and here at"):
                import_answers(search, sheet)


def test_a_bad_cell_is_quoted_with_its_row_to_the_owner(capsys: Output) -> None:
    """A word that is no answer of ours is often one all the same: it is for the owner alone."""
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    changed("1.csv", lambda row: {"answer": "ja, bei 73.4181"}, to="bad.csv")
    capsys.readouterr()
    assert taken("bad.csv") == 2
    captured = capsys.readouterr()
    assert captured.out == "Row 2 has 'ja, bei 73.4181' for an answer.\n"
    assert captured.err.startswith(
        "feint: --import-answers bad.csv: row 2, q0.0: the answer cannot"
    )
    assert "write yes, y, true or 1, and no, n, false or 0" in captured.err
    assert "73.4181" not in captured.err
    assert taken("bad.csv", "--json") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "73.4181" not in captured.err
    with pytest.raises(InvalidValue, match="row 2") as caught:
        import_answers(load("feint-search.jsonl"), "bad.csv")
    assert "73.4181" not in str(caught.value)
    assert caught.value.for_owner == "row 2 has 'ja, bei 73.4181' for an answer"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id;value\nq0.0;60\n", "must have the columns id, label, value and answer"),
        ("id,answer\nq0.0,yes\n", "must have the columns id, label, value and answer"),
        ("", "must have the columns id, label, value and answer"),
        (
            "id,label,value,answer\nq0.0,,60,yes\n\nq0.0,,60,no\n",
            "row 4 answers q0.0 otherwise than row 2; leave one of the two",
        ),
        ("id,label,value,answer\nq0.0,,60,yes\nq7.0,,60,yes\n", "row 3: q7.0 is no question that"),
    ],
)
def test_sheets_that_cannot_be_read(content: str, message: str, capsys: Output) -> None:
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    Path("bad.csv").write_text(content)
    assert taken("bad.csv") == 2
    assert message in capsys.readouterr().err
    assert load("feint-search.jsonl").answered == 0


def test_files_that_are_not_there_are_named_without_a_number_of_the_system(capsys: Output) -> None:
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    for words, said in (
        (["--import-answers", "none.csv"], "none.csv: cannot be read: No such file or directory"),
        (["--import-answers", "."], ".: cannot be read: Is a directory"),
        (["--export-round", "none/1.csv"], "none/1.csv: cannot be made: No such file or directory"),
        (["--export-round", "1.csv"], "1.csv: this file exists already, perhaps with answers"),
    ):
        capsys.readouterr()
        assert run(["run", "--resume", *words]) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith(f"feint: {words[0]} {said}")
        assert "Errno" not in captured.err
    assert run(["run", *FLAGS, "--state", "none/kept"]) == 4
    said = "feint: --state none/kept: cannot be made: No such file or directory; name a file in a"
    assert capsys.readouterr().err.startswith(said)
    Path("latin.csv").write_bytes("id,label,value,answer\nq0.0,Höhe,60,yes\n".encode("latin-1"))
    assert taken("latin.csv") == 2
    assert "is not text in UTF-8; save it as CSV in UTF-8" in capsys.readouterr().err


def test_a_sheet_that_contradicts_earlier_answers_is_refused_whole(capsys: Output) -> None:
    """Before the next round is shown; the pair is named on stdout, which is the owner's."""
    assert run(["run", *GRID, "--export-round", "1.csv"]) == 0
    rows = read("1.csv")
    write("a.csv", [row | {"answer": "no"} for row in rows[:1]])
    write("b.csv", [row | {"answer": "yes"} for row in rows[5:]])
    assert taken("a.csv") == 0
    capsys.readouterr()
    assert taken("b.csv", "--export-round", "next.csv") == 2
    captured = capsys.readouterr()
    assert captured.out == "You said that the number is at least 7 and below 1.\n"
    assert "cannot all be right; correct the sheet" in captured.err
    assert "below 1" not in captured.err
    assert not Path("next.csv").exists()
    assert load("feint-search.jsonl").answered == 1
    assert taken("b.csv", "--json") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "below 1" not in captured.err
    write("c.csv", [row | {"answer": "no"} for row in rows])
    assert taken("c.csv") == 0


def test_later_sheets_are_held_against_earlier_rounds() -> None:
    """Cut into eight parts; each is then halved, decoys too, whose answers are known by then."""
    assert run(["run", *FLAGS, "--label", "price", "--export-round", "1.csv"]) == 0
    for number in range(1, 4):
        by_rule(f"{number}.csv")
        assert taken(f"{number}.csv", "--export-round", f"{number + 1}.csv") == 0
    changed("4.csv", lambda row: {"answer": "yes"}, to="wrong.csv")
    assert taken("wrong.csv", "--export-round", "5.csv") == 2
    assert not Path("5.csv").exists()
    search = load("feint-search.jsonl")
    with pytest.raises(InvalidValue, match="cannot all be right") as caught:
        import_answers(search, "wrong.csv")
    assert "below 75.5" in str(caught.value.for_owner)
    assert search.answered == 9


def test_an_answer_that_can_change_no_more_is_named_by_its_row(capsys: Output) -> None:
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    by_rule("1.csv")
    assert taken("1.csv", "--export-round", "2.csv") == 0
    changed("1.csv", lambda row: {"answer": "no"})
    capsys.readouterr()
    assert taken("1.csv") == 2
    assert "1.csv: row 2: the next round was shown" in capsys.readouterr().err


def test_a_noisy_sheet_says_which_sample_a_row_is_for() -> None:
    assert run(["run", *NOISY, "--label", "price", "--export-round", "1.csv"]) == 0
    rows = read("1.csv")
    assert list(rows[0]) == ["id", "label", "value", "question", "sample", "answer"]
    seen = dict[str, int]()
    of = len(rows) // len({row["value"] for row in rows})
    assert of > 1
    for row in rows:
        seen[row["value"]] = seen.get(row["value"], 0) + 1
        assert row["sample"] == f"fresh sample {seen[row['value']]} of {of}"
    by_rule("1.csv")
    assert taken("1.csv", "--export-round", "2.csv") == 0


def test_a_sheet_that_cannot_be_written_leaves_nothing() -> None:
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    search = load("feint-search.jsonl")
    assert os.stat("1.csv").st_mode & 0o077 == 0
    finish(search, Hidden(TARGET))
    with pytest.raises(SearchDone):
        export_round(search, "2.csv")
    assert not Path("2.csv").exists()
    fresh = Search(search.plan)
    with pytest.raises(InvalidValue, match="perhaps with answers"):
        export_round(fresh, "1.csv")
    assert fresh.round == -1  # nothing was shown
    with pytest.raises(WrongType, match="path = None: must be the name of a file"):
        export_round(fresh, cast(Any, None))


@pytest.mark.parametrize(
    ("cell", "exact", "same"),
    [
        ("60.123456789", True, True),
        ("60.1235", True, True),  # six digits, which some programs show, and save
        ("60.123", True, False),  # five might be another question's
        ("60.123", False, True),
        ("60.1236", False, False),
        ("-60.1235", True, False),
        ("6.01235e1", True, True),
    ],
)
def test_what_a_spreadsheet_leaves_of_a_value(cell: str, exact: bool, same: bool) -> None:
    query: Any = SimpleNamespace(shown="60.123456789")
    assert _is_value(cell, query, exact=exact) is same


@pytest.mark.parametrize("backwards", [False, True])
def test_a_sheet_sorted_by_its_answers_is_told_in_the_order_of_its_questions(
    backwards: bool, tmp_path: Path
) -> None:
    domain, told = Domain(0, 8), list[str]()
    grid = plan(domain.problem(epsilon=1, delta=2, level=3), domain=domain, method="grid")
    search = Search(grid, seed=1, record=lambda event: told.append(event.get("tell", "")))
    path = str(tmp_path / "round.csv")
    export_round(search, path)
    by_rule(path, target=Fraction(7, 2))
    write(path, sorted(read(path), key=lambda row: row["answer"], reverse=backwards))
    import_answers(search, path)
    assert [each for each in told if each] == [f"q0.{column}" for column in range(7)]
