"""`feint bounds` as a person and as a machine meet it."""

import json

import pytest

from feint.cli.app import run

WORDS = ["bounds", "--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]


def test_json_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*WORDS, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["problem"]["epsilon"] == "1/1048576"
    assert set(document["bounds"][0]) == {"name", "kind", "value", "reference", "applies"}
    assert [row["value"] for row in document["bounds"][:3]] == [213, 153, 269]


def test_the_table_shows_every_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*WORDS, "--setting", "deterministic"]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("paper.upper", "42", "38", "47", "Theorem 2"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bounds", "--delta", "1/4", "--level", "3"], "--epsilon"),
        (["bounds", "--epsilon", "1/9", "--level", "3"], "--delta"),
        ([*WORDS, "--level", "1"], "level = 1"),
        ([*WORDS, "--low", "3"], "--high"),
        ([*WORDS, "--p", "1"], "leave p out"),
        ([*WORDS, "--setting", "other"], "bayesian, deterministic"),
        ([*WORDS, "--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
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
    assert capsys.readouterr().out == "feint 0.1.0\n"


def test_the_demo_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"]) == 0
    assert "price" in capsys.readouterr().out
