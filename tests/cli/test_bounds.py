"""`feint bounds` as a person and as a machine meet it."""

import json
import os
import subprocess
import sys

import pytest

from feint import __version__
from feint.cli.app import run

WORDS = ["bounds", "--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]


def test_json_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*WORDS, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["problem"]["epsilon"] == "1/1048576"
    keys = {"name", "kind", "value", "reference", "applies", "reason", "note"}
    assert set(document["bounds"][0]) == keys
    assert [row["value"] for row in document["bounds"][:3]] == [213, 153, 269]


def test_json_says_what_was_asked_in_the_users_units(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--low", "1", "--high", "97", "--step", "1", "--delta", "7", "--level", "4"]
    assert run(["bounds", *words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    units = {"low": "1", "high": "97", "step": "1", "label": None, "tick": None}
    assert document["domain"] == units
    assert document["problem"]["values"] == 97


def test_the_table_shows_every_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*WORDS, "--setting", "deterministic"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "bound          queries  applies  reference",
        "paper.upper         42  yes      Theorem 2",
        "paper.lower         38  yes      Theorem 2",
        "earlier.upper       47  yes      Tsitsiklis, Xu and Xu 2018",
        "earlier.lower       38  yes      Tsitsiklis, Xu and Xu 2018",
        "feint.lower         39  yes      proofs/near.md: largest number of a plan",
    ]


@pytest.mark.parametrize(
    ("words", "line", "reason"),
    [
        (
            ["--p", "0.9", "--confidence", "0.95", "--dim", "2", "--low", "0", "--high", "10"],
            "epsilon = 0.001, delta = 1, level = 4, bayesian, 2 dimensions, p = 0.9, "
            "confidence = 0.95, from 0 to 10",
            "paper.upper, paper.lower: no theorem is known for noisy answers in several dimensions",
        ),
        (
            ["--low", "0", "--high", "10", "--step", "0.001"],
            "epsilon = 0.001, delta = 1, level = 4, bayesian, from 0 to 10, in steps of 0.001, "
            "10001 values",
            "paper.upper, paper.lower: no theorem is known for whole values",
        ),
        (
            ["--p", "0.9", "--low", "0", "--high", "10"],
            "epsilon = 0.001, delta = 1, level = 4, bayesian, p = 0.9, accurate on average, "
            "from 0 to 10",
            None,
        ),
    ],
)
def test_the_output_says_what_was_asked_and_why_there_is_no_answer(
    words: list[str], line: str, reason: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bounds", "--epsilon", "0.001", "--delta", "1", "--level", "4", *words]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == line
    assert reason is None or out[-1] == reason


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bounds", "--level", "3"], "missing --epsilon, --delta:"),
        (["bounds", "--level", "3", "--step", "1", "--low", "0"], "missing --delta, --high:"),
        ([*WORDS, "--low", "3"], "missing --high:"),
        ([*WORDS, "--level", "0"], "--level 0: must be"),
        ([*WORDS, "--delta", "1/2"], "works is --delta 1/15, or --level 2\n"),
        ([*WORDS, "--p", "1"], "leave --p out"),
        ([*WORDS, "--p", "0.9", "--setting", "deterministic"], "or give --setting bayesian"),
        ([*WORDS, "--p", "0.5000000001"], "--p 0.500000001\n"),
        ([*WORDS, "--p", "0.99999999999999999999"], "--p 0.999999999\n"),
        ([*WORDS, "--dim", "1e30"], "--dim 1e30: "),
        ([*WORDS, "--epsilon", "1e-5000"], "--epsilon 1e-5000: "),
        ([*WORDS, "--epsilon", "1e-9_99999999"], "--epsilon 1e-9_99999999: "),
        ([*WORDS, "--level", "1e400"], "--level 1e400: "),
        ([*WORDS, "--level", "1e201"], "--level 1e201: "),
        ([*WORDS, "--delta", "a lot"], "write it as 3, 0.1, 1/3, 1e-6 or 2^-20"),
        ([*WORDS, "--low", "7", "--high", "5"], "swap them: --low 5, --high 7"),
        ([*WORDS, "--setting", "other"], "bayesian, deterministic"),
        ([*WORDS, "--nonsense"], "no flag --nonsense: see feint bounds --help\n"),
        ([*WORDS, "--eps", "1/9"], "there is no flag --eps; did you mean --epsilon?\n"),
        ([*WORDS, "--levels", "3"], "there is no flag --levels; did you mean --level?\n"),
        ([*WORDS, "3"], "extra argument (3): see feint bounds --help\n"),
        (["nonsense"], "no command nonsense: see feint --help\n"),
        (["plann"], "there is no command plann; did you mean plan?\n"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"feint {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--dim", "1000"],
        ["--dim", "2"],
        ["--dim", "2", "--setting", "deterministic"],
        ["--setting", "deterministic"],
        ["--p", "0.500000001"],
        ["--p", "0.999999999", "--confidence", "0." + 299 * "9"],
    ],
)
def test_the_most_extreme_problems_have_bounds(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    extreme = ["--epsilon", "1e-299", "--delta", "1e-290", "--level", "1e18", *words]
    assert run(["bounds", *extreme]) == 0
    assert run(["bounds", *extreme, "--json"]) == 0
    assert "Infinity" not in capsys.readouterr().out


def feint(words: list[str], **settings: str) -> subprocess.CompletedProcess[str]:
    code = "from feint.cli import main; main()"
    environment = {**os.environ, **settings}
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_a_terminal_without_our_signs_is_no_error() -> None:
    run = feint([*WORDS, "--delta", "2^-18"], PYTHONIOENCODING="ascii")
    assert (run.returncode, run.stderr) == (0, "")
    assert "4?epsilon < delta" in run.stdout


def test_a_full_disk_is_one_line_and_exit_code_4() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "feint", *WORDS]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 4
    assert run.stderr.count("\n") == 1
    assert run.stderr == "feint: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("words", [WORDS, [*WORDS, "--json"], ["plan", *WORDS[1:]], ["--help"]])
def test_a_closed_pipe_is_quiet(words: list[str]) -> None:
    """As a shell counts the end by SIGPIPE, and not as a claim that fails: `feint audit | head`."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as closed:
        command = [sys.executable, "-m", "feint", *words]
        run = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (141, "")


def test_the_shell_completes_the_settings() -> None:
    asked = {"_FEINT_COMPLETE": "complete_bash", "COMP_CWORD": "3"}
    run = feint([], COMP_WORDS="feint bounds --setting ", **asked)
    assert run.stdout.split() == ["bayesian", "deterministic"]
