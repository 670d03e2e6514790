"""What `feint` says when something is wrong: in words, and with the way on."""

import socket
from pathlib import Path

import pytest
from tests.support.price import FLAGS
from tests.support.sheets import by_rule, changed

from feint.cli.app import run
from feint.cli.flags.wording import in_remedy
from feint.search import load
from feint.search.course import AGAIN

pytestmark = pytest.mark.usefixtures("in_a_folder")

Output = pytest.CaptureFixture[str]
RANGE = ["--low", "0", "--high", "200", "--epsilon", "5", "--delta", "20", "--level", "3"]
STATE = "feint-search.jsonl"


@pytest.mark.parametrize(
    "prose",
    [
        AGAIN,
        "lower the level",
        "bisect a shorter history, or a lower level",
        "leave it out, or leave the prior out",
        "ask more voters per question",
        "answer only messages of feint",
        "a step of 3 or more always fits",
        "start some: dask worker ADDRESS",
        "memory may have run out: use fewer workers, or a Dask cluster",
        "pass Domain(low, high)",
        "give a larger margin, or a smaller p",
    ],
)
def test_prose_stays_as_it_is(prose: str) -> None:
    assert in_remedy(prose) == prose


@pytest.mark.parametrize(
    ("remedy", "said"),
    [
        ("the nearest that works is delta = 3, or level = 2", "is --delta 3, or --level 2"),
        ("leave runs out, or lemmas", "leave --runs out, or --lemmas"),
        ("leave it or p out", "leave it or --p out"),
        ("leave out p or the prior", "leave out --p or the prior"),
        ("raise epsilon or p, or lower the level", "raise --epsilon or --p, or lower the level"),
        ('use method "tight", or leave repeatable out', 'use --method "tight", or leave --repeata'),
        ("audit it with fresh_keys", "audit it with --fresh-keys"),
        ("plan without p, and ask one voter", "plan without --p, and ask one voter"),
    ],
)
def test_arguments_become_flags(remedy: str, said: str) -> None:
    assert said in in_remedy(remedy)


def test_a_file_that_holds_a_search_shows_how_to_go_on(capsys: Output) -> None:
    """Also where the flags were forgotten; and no plan is made first."""
    assert run(["run", *FLAGS, "--state", "x.jsonl", "--export-round", "1.csv"]) == 0
    by_rule("1.csv")
    capsys.readouterr()
    assert run(["run", "--state", "x.jsonl", "--import-answers", "1.csv"]) == 2
    said = capsys.readouterr().err
    assert "--state x.jsonl: this file holds a search; go on with it by --resume" in said
    assert ": feint run --resume --state x.jsonl. For another number name another file:" in said
    assert load("x.jsonl").answered == 0
    assert run(["run"]) == 2  # where there is no file the flags are missing
    assert "missing --epsilon, --delta, --level" in capsys.readouterr().err


def test_a_sheet_that_is_not_filled_in_is_refused_and_none_is_written(capsys: Output) -> None:
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    words = ["run", "--resume", "--import-answers", "1.csv", "--export-round", "2.csv"]
    assert run(words) == 2
    said = capsys.readouterr().err
    assert "--import-answers 1.csv: no cell of its column answer is filled in; write yes" in said
    assert not Path("2.csv").exists()
    by_rule("1.csv")
    assert run(words) == 0


def test_a_finished_search_shows_its_result_and_changes_no_more(capsys: Output) -> None:
    """Of the last round neither, though the other answer would fit all the others."""
    words = ["--low", "0", "--high", "12", "--step", "1", "--delta", "2", "--level", "3"]
    assert run(["run", *words, "--export-round", "1.csv"]) == 0
    changed("1.csv", lambda row: {"answer": "yes"})  # at least 6
    assert run(["run", "--resume", "--import-answers", "1.csv", "--export-round", "2.csv"]) == 0
    changed("2.csv", lambda row: {"answer": "yes" if int(row["value"]) <= 9 else "no"})
    assert run(["run", "--resume", "--import-answers", "2.csv"]) == 0
    kept = Path(STATE).read_bytes()
    capsys.readouterr()
    assert run(["run", "--resume"]) == 0
    out = capsys.readouterr().out
    assert "Answer y or n" not in out
    assert "The number is 9." in out
    changed("2.csv", lambda row: {"answer": "yes" if int(row["value"]) <= 10 else "no"})
    assert run(["run", "--resume", "--import-answers", "2.csv"]) == 2
    said = capsys.readouterr().err
    assert "the result was shown, and it follows from the answer given before" in said
    assert "who hears another search for the same number learns more than was promised" in said
    assert Path(STATE).read_bytes() == kept


def test_a_folder_without_a_search_says_how_to_begin(capsys: Output) -> None:
    for words in (["status"], ["run", "--resume"]):
        assert run(words) == 2
        said = capsys.readouterr().err
        assert f"--state {STATE}: there is no such file, so no search was begun here" in said
        begin = said.split("begin one, such as feint ")[1].split(",")[0].split()
        assert begin[0] == "run"
        assert run(["plan", *begin[1:]]) == 0  # its flags are a problem
        capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--prior", "normal(60 15)"], "--prior normal(60 15): normal takes (mean, sd): numbers"),
        (["--prior", "points(3 4 5)"], "points takes (least, likely, most): numbers with a comma"),
        (["--prior-file", "bad.csv"], "--prior-file bad.csv: line 2 must be a value and a weight"),
        (["--prior-file", "none.csv"], "--prior-file none.csv: must be a file of weights"),
        (["--prior", "bad.csv"], "--prior bad.csv: line 2"),
    ],
)
def test_a_prior_that_cannot_be_read_is_named_as_it_was_given(
    words: list[str], said: str, capsys: Output
) -> None:
    Path("bad.csv").write_text("value;weight\n30;many\n", "utf-8")
    assert run(["bounds", *RANGE, *words]) == 2
    assert said in capsys.readouterr().err


def test_much_of_a_prior_outside_the_range_is_a_warning(capsys: Output) -> None:
    """Of normal(200, 50) half lies above 200; of normal(100, 40) 1.2 % lies outside."""
    assert run(["bounds", *RANGE, "--prior", "normal(200, 50)"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("feint: warning: 50 % of normal(200, 50) lies outside the range")
    assert run(["bounds", *RANGE, "--prior", "normal(100, 40)"]) == 0
    assert capsys.readouterr().err == ""


def test_a_flag_of_one_other_command_is_pointed_to(capsys: Output) -> None:
    assert run(["run", "--budget", "40"]) == 2
    said = "feint: feint run has no --budget; did you mean feint plan --budget?\n"
    assert capsys.readouterr().err == said


def test_the_summary_says_why_answers_may_be_known(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where answers are always right and rounds follow from them; it depends on the plan alone."""
    monkeypatch.setenv("COLUMNS", "200")
    said = "Some questions have an answer that you know already"
    assert run(["run", *FLAGS, "--export-round", "1.csv"]) == 0
    capsys.readouterr()
    assert run(["status"]) == 0
    assert capsys.readouterr().out.count(said) == 1
    assert run(["run", *FLAGS, "--method", "bisection", "--export-round", "2.csv"]) == 0
    capsys.readouterr()
    assert run(["status"]) == 0
    assert said not in capsys.readouterr().out


def test_a_port_that_is_taken_is_one_line(capsys: Output, tmp_path: Path) -> None:
    kept = ["--database", f"sqlite:///{tmp_path}/journal.db", "--key-file", f"{tmp_path}/key"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "--port", port, *kept]) == 2
    captured = capsys.readouterr()
    said = f"feint: --port {port}: cannot listen at 127.0.0.1: Address already in use"
    assert captured.err == f"{said}; free it, or name another\n"
    assert captured.out == ""
    assert not (tmp_path / "journal.db").exists()


def test_searches_name_the_database_of_your_own(
    capsys: Output, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("FEINT_KEY", "FEINT_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own key"))
    assert run(["searches"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"In your own database, sqlite:///{tmp_path}/own/feint/journal.db:"
    assert second == "There is no search."
