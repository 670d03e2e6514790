"""Whoever answers: functions, hidden values and shell commands."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from feint import Domain, find
from feint.errors import InvalidValue, OracleFailed
from feint.planning import plan
from feint.search import Search
from feint.simulate.oracles import Command, Function, Hidden

WANTED: dict[str, Any] = {"low": 10, "high": 110, "epsilon": "0.05", "delta": 2, "level": 8}


def test_a_hidden_value_may_err() -> None:
    domain = Domain(0, 1)
    search = Search(plan(domain.problem(epsilon="1/64", delta="1/8", level=2), domain=domain))
    (query,) = search.ask()
    answers = list(Hidden("0.9", p="0.8", seed=1).answer([query] * 4000))
    assert abs(sum(answers) - 3200) < 130  # five standard deviations
    assert all(Hidden("0.9").answer([query] * 100))
    with pytest.raises(InvalidValue, match="value of its own"):
        list(Hidden().answer([query]))
    assert "0.9" not in repr(Hidden("0.9"))


def test_a_command_answers_by_its_exit_code(tmp_path: Path) -> None:
    code = "import sys; sys.exit(float(sys.argv[1]) > 73.4181)"
    (tmp_path / "shop.py").write_text(code)
    shop = f"'{sys.executable}' -S '{tmp_path}/shop.py'"
    found = find(Command(shop + " {q}"), **WANTED | {"epsilon": 1, "level": 3})
    assert abs(found.estimate - Fraction("73.4181")) <= Fraction(1, 2)
    with pytest.raises(OracleFailed, match=r"left with code 7 at query q0\.0"):
        find(Command("echo {q} > /dev/null; exit 7"), **WANTED)
    with pytest.raises(OracleFailed, match=r"was not found by the shell at query q0\.0"):
        find(Command("./never {q} 2> /dev/null"), **WANTED)
    with pytest.raises(OracleFailed, match="ended by signal 9"):
        find(Command(": {q}; kill -9 $$"), **WANTED)
    with pytest.raises(InvalidValue, match=r"must have \{q\}"):
        Command("test 73 -ge q")


def test_what_the_shell_is_given_is_quoted() -> None:
    domain = Domain(-1, 2, label="it's $(rm) `x`")
    chosen = plan(domain.problem(epsilon="0.01", delta="0.5", level=3), domain=domain)
    (query, *_) = Search(chosen).ask()
    line = Command("run {q} {coordinate} {label}").line(query)
    assert line == f"run {query.shown} 0 'it'\"'\"'s $(rm) `x`'"
    assert set(query.shown) <= set("-.0123456789")


def test_a_label_within_quotes_of_ones_own_comes_by_the_environment(tmp_path: Path) -> None:
    domain = Domain(-1, 2, label="it's $(rm) `x`")
    chosen = plan(domain.problem(epsilon="0.01", delta="0.5", level=3), domain=domain)
    (query, *_) = Search(chosen).ask()
    command = Command(f"printf '%s' \"$FEINT_LABEL\" > '{tmp_path}/label' # {{q}}")
    assert list(command.answer([query])) == [True]
    assert (tmp_path / "label").read_text() == domain.label


def test_functions_answer_one_by_one() -> None:
    asked = list[float]()

    def answer(value: float) -> bool:
        asked.append(value)
        return True

    domain = Domain(0, 1)
    queries = Search(plan(domain.problem(epsilon="1/25", delta="2/25", level=7))).ask()
    next(Function(answer).answer(queries))
    assert len(asked) == 1 < len(queries)
