"""`feint noise`: one vote, or the sample size of a problem with the fewest voters in all."""

import json
from fractions import Fraction

import pytest

from feint import Problem, plan
from feint.cli.app import run
from feint.simulate.oracles import reliability, voters_for

Output = pytest.CaptureFixture[str]
PROBLEM = ["--epsilon", "1/16", "--delta", "1/4", "--level", "2", "--confidence", "0.9"]


def test_the_command(capsys: Output) -> None:
    assert run(["noise", "--edge", "0.1", "--p", "0.9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["voters"] == voters_for("0.9", "0.1")
    assert run(["noise", "--edge", "0.1", "--voters", "41"]) == 0
    assert "41 voters" in capsys.readouterr().out
    assert run(["noise", "--edge", "0.1"]) == 2
    assert "give a problem" in capsys.readouterr().err
    assert run(["noise", "--edge", "0.1", "--voters", "4"]) == 2
    assert "--voters" in capsys.readouterr().err


def test_the_command_warns_of_very_many_voters_and_of_too_few(
    capsys: Output,
) -> None:
    assert run(["noise", "--edge", "0.001", "--p", "0.9"]) == 0
    said = capsys.readouterr().out
    assert f"{voters_for('0.9', '0.001')} new voters" in said
    assert f"10001 reach p = {reliability(10001, '0.001'):.4g}" in said
    assert run(["noise", "--edge", "0.001", "--voters", "11", "--json"]) == 0
    assert "coin" in json.loads(capsys.readouterr().out)["warning"]
    assert run(["noise", "--edge", "0.1", "--p", "0.9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warning"] is None
    assert run(["noise", "--edge", "1e-9", "--p", "0.9"]) == 2
    assert "2^40 voters" in capsys.readouterr().err


def test_a_problem_gives_a_table_and_a_recommendation(capsys: Output) -> None:
    assert run(["noise", "--edge", "0.4", *PROBLEM]) == 0
    out = capsys.readouterr().out
    assert "Each voter is right 90 times in 100." in out
    assert "sample  in hiding  answers right  questions  rounds  voters  if fixed" in out
    assert "Fewest voters: ask 1 voter a question." in out
    assert "Plan with --method majority --p 0.9." in out
    assert "Privacy: This holds if each answer is right with probability 0.9" in out
    asked = plan(Problem("1/16", "1/4", 2, p="0.9", confidence="0.9"), method="majority")
    assert f"At most {asked.queries} voters in {asked.rounds} rounds" in out
    assert "In hiding ask" in out
    assert "With --max-rounds you say" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_every_size_and_p_is_what_plan_takes(capsys: Output) -> None:
    assert run(["noise", "--edge", "0.4", *PROBLEM, "--max-rounds", "8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["margin"] == "2/5"
    assert found["problem"]["p"] is None
    assert found["confidence"] == "9/10"
    best = min(found["sizes"], key=lambda each: each["voters_mean"])
    assert found["best"]["voters_mean"] == best["voters_mean"]
    for each in found["sizes"]:
        assert each["rounds"] <= 8
        assert each["voters_mean"] <= each["fixed_mean"]
        assert each["hiding"]["voters_mean"] <= each["voters"]
        assert each["hiding"]["p_float"] >= each["p_float"]
        assert each["p_float"] == float(Fraction(each["p"]))
        assert each["p_float"] <= reliability(each["voters"], "0.4")
    assert (
        run(["plan", *PROBLEM, "--p", best["p"], "--max-rounds", "8", "--method", "majority"]) == 0
    )
    assert f" {best['queries']} " in capsys.readouterr().out


def test_one_size_of_a_problem(capsys: Output) -> None:
    for words, voters in ((["--voters", "5"], 5), (["--p", "0.95"], voters_for("0.95", "0.4"))):
        assert run(["noise", "--edge", "0.4", *PROBLEM, *words, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [each["voters"] for each in found["sizes"]] == [voters]
        assert found["least"] is None


def test_one_batch_is_a_sample_of_fixed_size(capsys: Output) -> None:
    words = ["noise", "--edge", "0.4", *PROBLEM, "--voters", "5", "--batches"]
    assert run([*words, "1", "--json"]) == 0
    (only,) = json.loads(capsys.readouterr().out)["sizes"]
    assert only["voters_in_all"] == 5 * only["queries"]
    assert only["voters_mean"] == only["fixed_mean"]
    assert run([*words, "3"]) == 0
    out = capsys.readouterr().out
    assert "In hiding ask" in out
    assert max(map(len, out.splitlines())) <= 80
    assert run([*words, "0"]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--p", "0.9", "--voters", "3"], "not both"),
        (["--p", "0.9", "--max-rounds", "3"], "--max-rounds needs a problem"),
        ([*PROBLEM, "--max-rounds", "1"], "--max-rounds 1: plans for majorities take"),
        ([*PROBLEM, "--setting", "deterministic"], "--setting deterministic: voters who may be"),
        ([*PROBLEM, "--voters", "4"], "--voters 4: must be odd"),
        (PROBLEM[2:], "missing --epsilon"),
    ],
)
def test_refusals(words: list[str], said: str, capsys: Output) -> None:
    assert run(["noise", "--edge", "0.4", *words]) == 2
    assert said in capsys.readouterr().err


def test_what_noise_needs_is_refused_in_the_units_that_were_given(capsys: Output) -> None:
    units = ["--low", "10", "--high", "110", "--epsilon", "3", "--delta", "8", "--level", "4"]
    assert run(["noise", "--edge", "0.4", *units]) == 2
    assert "--delta 8: must be at least 4·epsilon = 12" in capsys.readouterr().err


def test_the_old_name_of_edge_still_works_and_is_said_to_be_old(capsys: Output) -> None:
    assert run(["noise", "--edge", "0.1", "--p", "0.9", "--json"]) == 0
    new = json.loads(capsys.readouterr().out)
    assert new["edge"] == new["margin"] == "0.1"
    assert run(["noise", "--margin", "0.1", "--p", "0.9", "--json"]) == 0
    old = capsys.readouterr()
    assert json.loads(old.out) == new
    assert "--edge" in old.err
    assert run(["noise", "--margin", "0.1", "--edge", "0.2", "--p", "0.9"]) == 2
    assert run(["noise", "--p", "0.9"]) == 2
    assert "--edge" in capsys.readouterr().err


def test_customers_need_a_curve_and_nothing_else_about_answers(capsys: Output) -> None:
    words = ["noise", "--responses", "logistic(6)", "--epsilon", "2", "--delta", "10"]
    words += ["--level", "4", "--low", "0", "--high", "100"]
    for more in (["--edge", "0.1"], ["--p", "0.9"], ["--voters", "3"], []):
        assert run([*words, *more]) == 2
        assert capsys.readouterr().err  # without --confidence nothing is promised
    assert run(["noise", "--responses", "0.9", *PROBLEM]) == 2
    assert "curve" in capsys.readouterr().err


@pytest.mark.long
def test_customers_of_a_problem(capsys: Output) -> None:
    words = ["noise", "--responses", "logistic(6)", "--epsilon", "4", "--delta", "16"]
    words += ["--level", "2", "--low", "0", "--high", "100", "--confidence", "0.8"]
    assert run(words) == 0
    out = capsys.readouterr().out
    for said in ("Customers: ", "Without hiding: ", "Privacy: ", "p = logistic(6)"):
        assert said in out
    assert max(map(len, out.splitlines())) <= 80
