"""`--certificate calibrated` in every command that plans, and a search that outlives its counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from feint import Domain, Problem, plan
from feint.cli.app import run
from feint.search import load

FLAGS = [
    "--epsilon",
    "0.05",
    "--delta",
    "0.2",
    "--level",
    "2",
    "--p",
    "0.97",
    "--confidence",
    "0.8",
]
CALIBRATED = [*FLAGS, "--certificate", "calibrated"]
PROBLEM = Problem("0.05", "0.2", 2, p="0.97", confidence="0.8")


pytestmark = pytest.mark.usefixtures("in_a_folder", "cache")


def document(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_seed_is_where_the_simulation_begins(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", *CALIBRATED, "--method", "fixed"]
    first, same, other = (
        document([*words, *more], capsys)["plans"][0]
        for more in ([], [], ["--calibration-seed", "1"])
    )
    assert first == same  # the seed follows from the problem
    assert (first["certificate"], other["certificate"]) == ("calibrated", "calibrated")
    assert first["losses"]["hide"] != other["losses"]["hide"]
    assert first["queries"] < document(["plan", *FLAGS], capsys)["plans"][1]["queries"]


@pytest.mark.long
def test_an_audit_is_the_same_whoever_does_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["audit", *CALIBRATED, "--runs", "40"]
    alone = document(words, capsys)
    assert "sized by simulation" in alone["theorem"]
    assert alone["queries"] == plan(PROBLEM, method="fixed", certificate="calibrated").queries
    assert document([*words, "--workers", "2"], capsys) == alone


def test_a_search_keeps_its_plan_whatever_the_cache_says(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answering = "awk 'BEGIN { exit !(0.31 >= {q}) }'"
    tires = f"echo >> asked; [ $(wc -l < asked) -lt 4 ] || exit 9; {answering}"
    assert run(["run", *CALIBRATED, "--oracle", tires]) == 3
    begun = load("feint-search.jsonl").plan
    assert begun == plan(PROBLEM, domain=Domain(0, 1), method="fixed", certificate="calibrated")
    for path in cache.iterdir():
        kept = json.loads(path.read_text())
        path.write_text(json.dumps(kept | {"missed": [0] * len(kept["missed"])}))
    assert plan(PROBLEM, method="fixed", certificate="calibrated").queries < begun.queries
    answers = ["--oracle", answering]
    for refused in (["--certificate", "theorem"], ["--calibration-seed", "0"], ["--workers", "2"]):
        assert run(["run", "--resume", *answers, *refused]) == 2
        assert refused[0] in capsys.readouterr().err
    found = document(["run", "--resume", *CALIBRATED, *answers], capsys)
    assert (found["queries"], found["certificate"]) == (begun.queries, "calibrated")
    assert load("feint-search.jsonl").plan == begun


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", *FLAGS, "--calibration-seed", "1"], "--calibration-seed 1: only a calibrated"),
        (["run", *FLAGS, "--workers", "2"], "--workers 2: only a calibrated plan"),
        (["audit", *FLAGS, "--certificate", "hope"], "--certificate hope: must be one of theorem"),
        (["audit", *FLAGS[:6], "--workers", "2"], "--workers 2: an exact audit is one"),
        (
            ["run", *FLAGS[:6], "--certificate", "calibrated"],
            "--certificate calibrated: plans without",
        ),
        (["plan", *CALIBRATED, "--calibration-seed", "-1"], "--calibration-seed"),
        (["run", *CALIBRATED, "--method", "bz"], "only method fixed is sized by simulation"),
        (["plan", *CALIBRATED, "--budget", "70"], "--budget 70: works only with certificates by"),
        (["audit", *FLAGS, "--failure", "0"], "--failure 0"),
        (["audit", *FLAGS, "--lemmas"], "--lemmas: under noise"),
        (
            ["plan", *CALIBRATED, "--frontier"],
            "leave --method, --max-rounds, --budget, --certificate and",
        ),
    ],
)
def test_flags_that_do_not_fit(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert said in captured.err
    assert not Path("feint-search.jsonl").exists()
