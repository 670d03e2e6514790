"""`feint run` as a person, a script and a spreadsheet meet it."""

import errno
import io
import json
import logging
import os
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.price import FLAGS, ORACLE, SHOP, TARGET
from tests.support.saved import told
from tests.support.sheets import by_rule

from feint import Domain, plan
from feint.cli.app import run
from feint.cli.report import HEADLINE
from feint.search import begin, load

pytestmark = pytest.mark.usefixtures("in_a_folder")


def typed(text: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return run(["run", *words])


def test_a_command_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", *FLAGS, "--oracle", ORACLE, "--label", "price"]) == 0
    out = capsys.readouterr().out
    assert "The price is 73.4" in out
    assert "57 questions in 9 rounds" in out
    assert "at most 1 time in 8" in out
    assert "only you know" in out
    assert run(["run", "--resume", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert next(iter(document)) == "secret"
    (found,) = document["coordinates"]
    assert Fraction(found["low"]) <= TARGET < Fraction(found["high"])
    assert (document["queries"], document["consistent"]) == (57, True)
    assert os.stat("feint-search.jsonl").st_mode & 0o077 == 0


def test_yes_may_mean_below(capsys: pytest.CaptureFixture[str]) -> None:
    below = "awk 'BEGIN { exit !(73.4181 < {q}) }'"
    assert run(["run", *FLAGS, "--oracle", below, "--yes-means", "below", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["coordinates"]
    assert Fraction(found["low"]) <= TARGET < Fraction(found["high"])


def test_a_command_that_fails_stops_with_the_state_saved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["run", *FLAGS, "--oracle", "case {q} in 84.8) exit 9;; esac; " + ORACLE]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "left with code 9 at query q1.0" in captured.err
    assert "1 of at most 57 answers are kept" in captured.err
    assert captured.err.endswith("Go on with: feint run --resume and the same --oracle\n")
    assert ORACLE not in captured.err
    assert run(["run", "--resume", "--oracle", ORACLE]) == 0
    assert "73.4" in capsys.readouterr().out


def test_several_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--epsilon", "0.01", "--delta", "0.1", "--level", "6", "--dim", "2", "--json"]
    labels = ["--label", "price", "--label", "weight"]
    oracle = "awk 'BEGIN { v[0]=0.31; v[1]=0.72; exit !(v[{coordinate}] >= {q}) }'"
    assert run(["run", *words, *labels, "--oracle", oracle]) == 0
    found = json.loads(capsys.readouterr().out)["coordinates"]
    assert [each["label"] for each in found] == ["price", "weight"]
    for each, target in zip(found, ("0.31", "0.72"), strict=True):
        assert Fraction(each["low"]) <= Fraction(target) < Fraction(each["high"])


def test_contradictions_that_stand_are_in_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--low", "0", "--high", "8", "--epsilon", "1", "--delta", "2", "--level", "3"]
    words += ["--method", "grid"]
    assert run(["run", *words, "--oracle", "case {q} in 7) exit 0;; *) exit 1;; esac"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Your answers do not fit together: you said that the number is at least 7 and" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--low", "1"], "missing"),
        ([*FLAGS, "--oracle", "test 7"], "must have {q}"),
        ([*FLAGS, "--yes-means", "maybe"], "--yes-means maybe: must be one of"),
        ([*FLAGS, "--label", "a", "--label", "b"], "--label a, b: there are 1 coordinates"),
        ([*FLAGS, "--state", "/dev/full"], "--state /dev/full: must be a regular file"),
        (["--resume", "--state", "/dev/full"], "--state /dev/full: must be a regular file"),
        (["--resume", "--state", "/"], "--state /: must be a regular file"),
        ([*FLAGS, "--oracle", ORACLE, "--export-round", "1.csv"], "--oracle with --export-round"),
        ([*FLAGS, "--oracle", ORACLE, "--import-answers", "1.csv"], "leave one out"),
        ([*FLAGS, "--method", "none"], "tight, paper"),
        ([*FLAGS, "--seed", "x"], "--seed x"),
        (["--resume"], "--state feint-search.jsonl: there is no such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert not Path("feint-search.jsonl").exists()


def test_a_search_for_what_is_believed_goes_on_with_the_same_belief(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--low", "0", "--high", "200", "--epsilon", "10", "--delta", "20", "--level", "3"]
    believed = ["--prior", "normal(90, 40)"]
    assert typed("y\n", [*words, *believed], monkeypatch) == 3
    assert run(["run", "--resume", *words, "--prior", "normal(80, 40)"]) == 2
    said = capsys.readouterr().err
    assert "--prior normal(80, 40): the search in feint-search.jsonl is for something else" in said
    assert "normal(90, 40); leave it out" in said
    oracle = "test $(echo {q} | cut -d. -f1) -le 120"
    assert run(["run", "--resume", *words, *believed, "--oracle", oracle]) == 0
    assert "The number is 125, give or take 5." in capsys.readouterr().out


def test_a_belief_that_was_read_into_other_bins_then_is_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Laws were read into 1000 bins once, and are read into as many as they need now."""
    shop = Domain(0, 200)
    for bins in (1000, None):
        law = shop.prior("normal(60, 15)", bins=bins)
        problem = shop.problem(epsilon=10, delta=12, level=3, prior=law)
        begin("feint-search.jsonl", plan(problem, domain=shop))
        words = ["run", "--resume", "--prior", "normal(60, 15)", "--oracle", "test {q} = 0"]
        assert run(words) == 0
        assert run([*words[:3], "uniform"]) == 2
        assert run([*words[:3], "normal(60, 15.1)"]) == 2
        capsys.readouterr()
        Path("feint-search.jsonl").unlink()


def test_a_search_is_never_overwritten_nor_mistaken_for_another(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed("y\n", FLAGS, monkeypatch) == 3
    before = Path("feint-search.jsonl").read_bytes()
    assert run(["run", *FLAGS]) == 2
    assert "feint run --resume. For another number" in capsys.readouterr().err
    assert run(["run", "--resume", *FLAGS, "--level", "9"]) == 2
    assert "something else" in capsys.readouterr().err
    assert Path("feint-search.jsonl").read_bytes() == before
    assert typed("", ["--resume", *FLAGS], monkeypatch) == 3


BEGUN = [*FLAGS, "--dim", "2", "--label", "price", "--label", "weight", "--yes-means", "below"]


@pytest.mark.parametrize(
    "words",
    [
        ["--yes-means", "at least"],
        ["--dim", "1"],
        ["--setting", "deterministic"],
        ["--label", "price"],
        ["--label", "weight", "--label", "price"],
        ["--seed", "3"],
        ["--epsilon", "0.06"],
        ["--delta", "3"],
        ["--level", "9"],
        ["--low", "11"],
        ["--high", "111"],
        ["--step", "1"],
        ["--p", "0.9"],
        ["--confidence", "0.9"],
        ["--method", "paper"],
        ["--max-rounds", "1"],
    ],
)
def test_a_flag_that_does_not_fit_the_file_is_refused_by_its_name(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", *BEGUN, "--export-round", "1.csv"]) == 0
    before = Path("feint-search.jsonl").read_bytes()
    assert run(["run", "--resume", *words, "--oracle", "exit 9 # {q}"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"feint: {words[0]} ")
    assert "leave it out" in said
    assert Path("feint-search.jsonl").read_bytes() == before


def test_flags_that_fit_the_file_may_be_given_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("", BEGUN, monkeypatch) == 3
    more = ["--setting", "bayesian", "--method", "tight", "--max-rounds", "99", "--level", "8.0"]
    assert typed("", ["--resume", *BEGUN, *more], monkeypatch) == 3
    assert typed("", ["--resume", *FLAGS], monkeypatch) == 3


def test_a_tick_for_short_questions_is_named_before_the_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--low", "20", "--high", "100", "--epsilon", "0.5", "--delta", "9", "--level", "6"]
    assert typed("", words, monkeypatch) == 3
    hint = "--tick 0.5 keeps questions to multiples of 0.5: 36 questions instead of 35."
    assert capsys.readouterr().out.startswith(hint)
    assert typed("", [*words, "--resume"], monkeypatch) == 3
    assert hint not in capsys.readouterr().out


def test_a_label_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    label = "[/x] :smile: [red]"
    whole = ["--low", "1", "--high", "40", "--step", "1", "--delta", "3", "--level", "4"]
    assert run(["run", *whole, "--label", label, "--oracle", "test 17 -ge {q}"]) == 0
    assert f"The {label} is 17.\n" in capsys.readouterr().out
    assert run(["run", *FLAGS, "--label", label, "--oracle", ORACLE, "--state", "b"]) == 0
    assert f"The {label} is 73.4" in capsys.readouterr().out


def test_a_disk_that_fills_up_stops_with_the_answers_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, calls = os.fsync, []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 6:  # header, folder, question, answer, question, answer
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    assert run(["run", *FLAGS, "--oracle", ORACLE]) == 4
    said = capsys.readouterr().err
    assert "feint-search.jsonl cannot be written (No space left on device)" in said
    kept = "2 of at most 57 answers are kept in feint-search.jsonl."
    assert f"{kept} Go on with: feint run --resume" in said
    monkeypatch.setattr(os, "fsync", real)
    assert run(["run", "--resume", "--oracle", ORACLE]) == 0


def test_nothing_but_the_report_and_the_owners_files_holds_an_answer(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Two searches with the same coins, whose answers differ only in the round that is open.

    All that leaves the search must then be the same: stdout, stderr, logs, exports, transcript.
    """
    caplog.set_level(logging.DEBUG)
    seen = set()
    for name, target in (("a", TARGET), ("b", Fraction("61.2345"))):
        caplog.clear()
        state = ["--state", "kept.jsonl"]
        assert run(["run", *FLAGS, *state, "--seed", "3", "--export-round", "1.csv"]) == 0
        for number in (1, 2, 3):
            by_rule(f"{number}.csv", target=target if number == 3 else TARGET)
            if number < 3:
                words = ["--import-answers", f"{number}.csv", "--export-round", f"{number + 1}.csv"]
                assert run(["run", "--resume", *state, *words]) == 0
        sheet = Path("3.csv").read_text().splitlines()
        Path("part.csv").write_text("\n".join(sheet[:-1]) + "\n")
        resumed = ["run", "--resume", *state]
        assert run([*resumed, "--import-answers", "part.csv"]) == 0
        assert run([*resumed, "--export-round", "left.csv"]) == 0
        assert run([*resumed, "--oracle", "exit 9 {q}"]) == 3
        assert run([*resumed, "--import-answers", "absent.csv"]) == 2
        captured = capsys.readouterr()
        search = load("kept.jsonl")
        heard = search.transcript
        shown = [captured.out, captured.err, caplog.text, Path("left.csv").read_text()]
        shown += [repr(search), repr(heard), str(heard.points.tolist())]
        seen.add("\n".join(shown))
        kept = list(told(Path("kept.jsonl")).values())
        assert kept.count(True) != kept.count(False)
        del search
        for path in Path.cwd().iterdir():
            path.rename(path.with_name(f"{name}-{path.name}"))
    assert len(seen) == 1
    assert "73.4" not in next(iter(seen))


def test_the_result_is_printed_once_and_nowhere_else(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The estimate, 73.425, is no query (the ends, 73.4 and 73.45, are): it is recognised."""
    caplog.set_level(logging.DEBUG)
    assert run(["run", *FLAGS, "--oracle", ORACLE]) == 0
    captured = capsys.readouterr()
    found = re.compile(r"73\.425|2937/40")
    holding = [line for line in captured.out.splitlines() if found.search(line)]
    assert holding == ["The number is 73.425, give or take 0.025."]
    assert not found.search(captured.err + caplog.text)
    assert not found.search(repr(load("feint-search.jsonl").transcript))
    assert not found.search(Path("feint-search.jsonl").read_text("latin-1"))


NOISY = ["--low", "10", "--high", "110", "--delta", "10", "--level", "3", "--p", "0.9"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--epsilon", "2", "--confidence", "0.8"],
            [
                r"The number is [\d.]+, give or take [\d.]+ with probability 0.8.",
                r"Between [\d.]+ and [\d.]+ with probability 0.8 or more, given your answers.",
                "Such searches err by at most 1 with probability 0.8 or more.",
            ],
        ),
        (
            ["--epsilon", "2"],
            [
                r"The number is [\d.]+, give or take [\d.]+ with probability 0.95.",
                r"Between [\d.]+ and [\d.]+ with probability 0.95 or more, given your answers.",
                "Such searches err by at most 1 on average.",
            ],
        ),
        (
            ["--step", "1", "--confidence", "0.8"],
            [
                r"The number is \d+, most likely.",
                r"(It is \d+|From \d+ to \d+) with probability 0.8 or more, given your answers.",
                "Such searches find the number with probability 0.8 or more.",
            ],
        ),
        (
            ["--epsilon", "2", "--method", "bisection"],
            [
                r"The number is [\d.]+, give or take [\d.]+ with probability 0.95.",
                r"Between [\d.]+ and [\d.]+ with probability 0.95 or more, given your answers.",
                r"It took \d+ questions in \d+ rounds, method bisection.",  # nothing is promised
            ],
        ),
    ],
)
def test_under_noise_the_report_says_how_sure_it_is(
    words: list[str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    oracle = SHOP.format(target="73.4181")
    assert run(["run", *NOISY, *words, "--oracle", oracle, "--seed", "1"]) == 0
    lines = capsys.readouterr().out.split(f"{HEADLINE}\n")[1].splitlines()
    for pattern, line in zip(said, lines, strict=False):
        assert re.fullmatch(pattern, line), line
