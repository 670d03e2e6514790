"""`feint run` as a person at a terminal meets it, and `feint status`."""

import io
import json
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.keyboard import Keyboard
from tests.support.price import FLAGS, ORACLE
from tests.support.saved import told
from tests.support.sheets import read, write

from feint.cli.app import run
from feint.search import load

pytestmark = pytest.mark.usefixtures("in_a_folder")

Output = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
GRID = ["--low", "0", "--high", "8", "--epsilon", "1", "--delta", "2", "--level", "3"]
GRID += ["--method", "grid"]
COMMITS = ["--low", "0", "--high", "12", "--step", "1", "--delta", "2", "--level", "3"]
COMMITS += ["--label", "last good commit"]  # 1 question, then 6
NOISY = ["--low", "10", "--high", "110", "--epsilon", "6", "--delta", "25", "--level", "3"]
NOISY += ["--p", "0.8", "--confidence", "0.8", "--label", "price"]


def typed(text: str, words: list[str], patch: Patch) -> int:
    """Answers from a pipe."""
    patch.setattr(sys, "stdin", io.StringIO(text))
    return run(["run", *words])


def by_hand(text: str, words: list[str], patch: Patch) -> int:
    """Answers from a keyboard."""
    patch.setattr(sys, "stdin", Keyboard(text))
    return run(["run", *words])


def asked(out: str) -> list[str]:
    return re.findall(r"Is the .*? at least (\S+)\?", out)


def test_at_the_terminal(monkeypatch: Patch, capsys: Output) -> None:
    """Nonsense is asked again, b undoes, q stops; a resume puts the next question."""
    assert typed("y\nmaybe\nn\ny\nb\nn\nn\nq\n", [*FLAGS, "--label", "price"], monkeypatch) == 3
    captured = capsys.readouterr()
    assert asked(captured.out) == ["60", "84.8", "84.8", "63.1", "66.2", "63.1", "66.2", "69.3"]
    assert captured.out.count("Answer y or n. b: undo") == 2
    assert "4 of at most 57 answers are kept" in captured.err
    search = load("feint-search.jsonl")
    answers = {"q0.0": True, "q1.0": False, "q2.0": False, "q2.1": False}
    assert told(search.to_json()) == answers
    del search
    assert typed("", ["--resume"], monkeypatch) == 3
    out = capsys.readouterr().out
    assert "Is the price at least 69.3?" in out
    assert "Round 3 of at most 9 (cut)" in out
    assert typed("b\ny\ny\n", ["--resume"], monkeypatch) == 3  # twice, since 63.1 was not
    assert asked(capsys.readouterr().out) == ["69.3", "66.2", "66.2", "69.3"]
    assert told(Path("feint-search.jsonl")) == answers | {"q2.1": True}


def test_an_answer_that_is_taken_back_is_open_again(monkeypatch: Patch, capsys: Output) -> None:
    """Also when the search stops there; and there is no way back into a round that is over."""
    assert typed("y\nn\nn\nn\nb\nb\nq\n", FLAGS, monkeypatch) == 3
    assert "2 of at most 57 answers are kept" in capsys.readouterr().err
    assert told(Path("feint-search.jsonl")) == {"q0.0": True, "q1.0": False}
    assert typed("b\n", ["--resume"], monkeypatch) == 3
    out = capsys.readouterr().out
    assert asked(out) == ["63.1", "63.1"]
    assert "There is no answer before it in this round, and earlier rounds are over." in out


def test_a_person_may_take_back_until_the_next_round_is_shown(
    monkeypatch: Patch, capsys: Output
) -> None:
    """And until the result is, or one stops there; sizes stay as they are."""
    by_hand("y b n", COMMITS, monkeypatch)
    out = capsys.readouterr().out
    assert asked(out) == ["6", "6"]
    assert out.count("Round 1 is done. Enter: go on. b: undo an answer. a: don't pause again.") == 2
    size = Path("feint-search.jsonl").stat().st_size
    assert told(Path("feint-search.jsonl")) == {"q0.0": False}
    assert by_hand("b y - y y y n n n b n q", ["--resume"], monkeypatch) == 3
    captured = capsys.readouterr()
    assert asked(captured.out) == ["6", "7", "8", "9", "10", "11", "12", "12"]
    assert "All questions are answered. Enter: show the result" in captured.out
    assert "The last good commit" not in captured.out.split("All questions")[1]
    assert "7 of 7 answers are kept" in captured.err
    assert by_hand("", ["--resume"], monkeypatch) == 0  # it may have been shown: no way back
    out = capsys.readouterr().out
    assert "The last good commit is 9." in out
    assert "takes an answer back" not in out
    assert "Answer y or n" not in out
    assert Path("feint-search.jsonl").stat().st_size == size


def test_a_person_who_goes_on_without_being_asked_is_asked_before_the_result(
    monkeypatch: Patch, capsys: Output
) -> None:
    assert by_hand("y - n a" + " n" * 47 + " -", FLAGS, monkeypatch) == 0
    out = capsys.readouterr().out
    assert out.count("is done. Enter") == 2
    assert out.count("All questions are answered. Enter") == 1


def test_the_terminal_goes_on_where_a_spreadsheet_left_gaps(
    monkeypatch: Patch, capsys: Output
) -> None:
    assert typed("y\nn\n", FLAGS, monkeypatch) == 3
    assert run(["run", "--resume", "--export-round", "3.csv"]) == 0
    rows = read("3.csv")
    write("some.csv", [rows[1] | {"answer": "no"}, rows[6] | {"answer": "no"}])
    assert run(["run", "--resume", "--import-answers", "some.csv"]) == 0
    assert "5 questions of round 3 of at most 9 left." in capsys.readouterr().out
    assert typed("n\nn\n", ["--resume"], monkeypatch) == 3
    out = capsys.readouterr().out
    assert asked(out) == ["63.1", "69.3", "72.4"]
    assert "4/7" in out


def test_a_contradiction_is_said_at_once(monkeypatch: Patch, capsys: Output) -> None:
    """Yes at 72.4 and no at 63.1: the question is put again, and the other answer taken."""
    assert typed("y\nn\n" + "n\nn\nn\ny\nn\nq\n", FLAGS, monkeypatch) == 3
    out = " ".join(capsys.readouterr().out.split())
    said = "These answers cannot all be right: you said that the number is at least 72.4 and below"
    assert f"Is the number at least 72.4? {said} 63.1." in out
    assert asked(out)[-2:] == ["72.4", "75.5"]
    assert told(Path("feint-search.jsonl"))["q2.3"] is False


def test_an_answer_that_is_given_again_stands(monkeypatch: Patch, capsys: Output) -> None:
    """It is said once; the report says it again."""
    assert typed("n\nn\nn\ny\ny\nn\nn\nn\n", GRID, monkeypatch) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("These answers cannot all be right") == 1
    assert "Your answers do not fit together: you said that the number is at least 4 and" in out


def test_a_contradiction_can_be_corrected_in_the_answer_before(
    monkeypatch: Patch, capsys: Output
) -> None:
    assert typed("y\nn\ny\nb\ny\ny\n" + "n\n" * 4, GRID, monkeypatch) == 0
    out = capsys.readouterr().out
    assert out.count("These answers cannot all be right") == 1
    assert "do not fit together" not in out
    assert "The number is 3.5" in out


def test_contradictions_are_said_to_the_owner_and_not_to_a_log(
    monkeypatch: Patch, capsys: Output
) -> None:
    assert typed("n\ny\ny\n", [*GRID, "--json"], monkeypatch) == 3
    captured = capsys.readouterr()
    assert "These answers cannot all be right." in captured.err
    assert "you said" not in captured.out + captured.err


SUMMARY = """\
Searching for the price, between 10 and 110, to within 3.
An answer is taken to be right with probability 0.8; the result is that near with\
 probability 0.8 or more.
If a value is asked about again, ask a fresh sample.
At most 359 questions (about 45.8 on average) in at most 87 rounds. You learn the price to within\
 ±3 with probability 0.8 or more; a watcher gets within ±12.5 at most 1 time in 3.7, if all answers\
 are right equally often.
No question is answered yet.

1 round            cut   at most 15 questions   asks which part holds it
at most 86 rounds  hide  at most 344 questions  asks in several parts at once; no eavesdropper can\
 tell which one
                                                matters
"""


def test_a_search_opens_with_what_it_is(monkeypatch: Patch, capsys: Output) -> None:
    """The same lines on --resume and from status; they hold no answer."""
    monkeypatch.setenv("COLUMNS", "120")
    assert typed("y\nn\n", NOISY, monkeypatch) == 3
    out = capsys.readouterr().out
    assert lines(out)[: len(lines(SUMMARY))] == lines(SUMMARY)
    assert "(fresh sample 1 of 5)" in out
    assert "(fresh sample 3 of 5)" in out
    later = SUMMARY.replace(
        "No question is answered yet", "2 are answered, and round 1 has 13 questions left"
    )
    assert typed("", ["--resume"], monkeypatch) == 3
    assert lines(capsys.readouterr().out)[: len(lines(later))] == lines(later)
    assert run(["status"]) == 0
    assert lines(capsys.readouterr().out) == lines(later + "\nGo on with: feint run --resume\n")


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_status_for_machines(monkeypatch: Patch, capsys: Output) -> None:
    assert typed("n\nn\n", [*COMMITS, "--state", "kept"], monkeypatch) == 3
    capsys.readouterr()
    assert run(["status", "--state", "kept", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    stands = {"queries": 7, "rounds": 2, "answered": 2, "round": 2, "open": 4, "done": False}
    assert stands.items() <= document.items()
    assert document["domains"][0]["label"] == "last good commit"
    assert [each["phase"] for each in document["phases"]] == ["narrow", "finish"]
    assert run(["status"]) == 2
    assert "--state feint-search.jsonl: there is no such file" in capsys.readouterr().err


def test_status_of_a_finished_search(monkeypatch: Patch, capsys: Output) -> None:
    assert typed("n\n" + "y\n" * 5, [*COMMITS, "--state", "my file"], monkeypatch) == 0
    capsys.readouterr()
    assert run(["status", "--state", "my file"]) == 0
    out = capsys.readouterr().out
    assert "6 questions in 2 rounds; all of them are answered." in out
    assert "Show the result with: feint run --resume --state 'my file'" in out
    assert "is 5" not in out


@pytest.mark.parametrize("how", ["prompt", "oracle", "sheet"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "bisection"], "Warning: method bisection promises nothing: an eavesdropper"),
        (["--seed", "3"], "Warning: an experiment. It hides nothing from a person who"),
    ],
)
def test_warnings_come_before_the_first_question(
    words: list[str], said: str, how: str, monkeypatch: Patch, capsys: Output
) -> None:
    more = {"oracle": ["--oracle", "exit 9 # {q}"], "sheet": ["--export-round", "1.csv"]}
    typed("", [*FLAGS, *words, *more.get(how, [])], monkeypatch)
    out = capsys.readouterr().out
    assert said in out
    assert "Is the number" not in out.split(said)[0]


@pytest.mark.parametrize(("answer", "end", "value"), [("y", "high", "12"), ("n", "low", "0")])
def test_answers_that_are_all_alike_are_said_to_be_before_an_end_is_reported(
    answer: str, end: str, value: str, monkeypatch: Patch, capsys: Output
) -> None:
    assert typed(f"{answer}\n" * 9, COMMITS, monkeypatch) == 0
    out = " ".join(capsys.readouterr().out.split())
    word = {"y": "yes", "n": "no"}[answer]
    told = f"Every answer about the last good commit was {word}, so it is at the {end} end of its"
    assert told in out
    assert f"The last good commit is {value}." in out.split(told)[1]


@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_terminal_breaks_between_words(
    width: int, monkeypatch: Patch, capsys: Output
) -> None:
    label = "price of the extra large wooden box"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    words = [*NOISY[:-1], label]
    assert by_hand("y n ? q", words, monkeypatch) == 3
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(map(len, shown.splitlines())) <= width
    flat = " ".join(shown.split())
    assert f"Is the {label} at least 35? (fresh sample 2 of 5)" in flat
    assert "a watcher gets within ±12.5 at most 1 time in 3.7" in flat


def test_sentences_break_between_words_at_a_terminal(monkeypatch: Patch, capsys: Output) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "30")
    assert run(["run", *FLAGS, "--oracle", ORACLE]) == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 30
    assert "a watcher gets within" in " ".join(map(str.strip, lines))


def test_a_search_without_an_answer_does_not_stand_in_the_way(
    monkeypatch: Patch, capsys: Output
) -> None:
    """The same one goes on; another takes its place, and nothing is lost."""
    assert typed("", FLAGS, monkeypatch) == 3
    before = Path("feint-search.jsonl").read_bytes()
    assert typed("", FLAGS, monkeypatch) == 3
    assert Path("feint-search.jsonl").read_bytes() == before
    capsys.readouterr()
    assert typed("y\n", COMMITS, monkeypatch) == 3
    said = "feint-search.jsonl held a search without answers; it is in"
    assert f"{said} feint-search.jsonl.1 now." in capsys.readouterr().out
    assert Path("feint-search.jsonl.1").read_bytes() == before
    assert load("feint-search.jsonl.1").domains[0].high == Fraction(110)
    assert run(["run", *FLAGS]) == 2
    assert "feint run --resume. For another number" in capsys.readouterr().err
    assert load("feint-search.jsonl").answered == 1


def test_a_seed_makes_another_search(monkeypatch: Patch) -> None:
    assert typed("", [*FLAGS, "--seed", "1"], monkeypatch) == 3
    assert typed("", [*FLAGS, "--seed", "1"], monkeypatch) == 3
    assert not Path("feint-search.jsonl.1").exists()
    assert typed("", FLAGS, monkeypatch) == 3
    assert typed("", [*FLAGS, "--seed", "2"], monkeypatch) == 3
    assert Path("feint-search.jsonl.2").exists()
    assert load("feint-search.jsonl").drawn_from(2)
