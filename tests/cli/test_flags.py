"""Flags are written once: every command that takes a problem takes all of it, in the same way."""

import json
from dataclasses import dataclass, fields
from inspect import Parameter, cleandoc, signature
from typing import Any, get_args

import pytest

from feint.cli.app import MODULES, load, run
from feint.cli.flags import command
from feint.cli.flags.command import as_command, flags_of
from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import ParameterFlags, ProblemFlags, UnitFlags, values_of
from feint.cli.flags.table import FLAGS, PANELS, Flag
from feint.errors import InvalidValue
from feint.problem import Domain
from feint.simulate.adversaries import NAMES

Output = pytest.CaptureFixture[str]
TAKING_A_PROBLEM = ("bounds", "plan", "audit", "run", "simulate", "noise")
SMALL = ["--epsilon", "1/64", "--delta", "1/12", "--level", "3"]
SAMPLED = [*SMALL, "--runs", "200", "--json"]


def parameters(command: str) -> dict[str, Parameter]:
    return dict(signature(load(command)).parameters)


def option(parameter: Parameter) -> Any:
    return get_args(parameter.annotation)[1]


def names(group: type[Any]) -> set[str]:
    return {each.name for each in fields(group)}


@pytest.mark.parametrize("command", MODULES)
def test_a_command_takes_a_whole_problem_or_none(command: str) -> None:
    taken = names(ProblemFlags) & set(parameters(command))
    if command in TAKING_A_PROBLEM:
        assert taken == names(ProblemFlags)
    elif command == "sweep":  # a grid of problems, each about one number
        assert taken == names(ParameterFlags) | names(UnitFlags)
    elif command == "bisect":  # the range and the units are a history's
        assert taken == {"level", "delta", "p", "confidence"}
    else:
        assert taken <= {"level"}  # a lattice's level in optimal


@pytest.mark.parametrize("command", [*TAKING_A_PROBLEM, "sweep"])
def test_flags_of_a_problem_are_the_same_everywhere(command: str) -> None:
    first, here = parameters("bounds"), parameters(command)
    shared = names(ProblemFlags) & set(here)
    if command == "noise":
        shared -= {"p"}  # which asks there for a sample size
    for name in shared:
        assert vars(option(here[name])) == vars(option(first[name]))
        assert here[name].default is None


@pytest.mark.parametrize("command", ["audit", "run", "simulate", "sweep"])
def test_flags_of_the_plan_are_the_same_everywhere(command: str) -> None:
    first, here = parameters("plan"), parameters(command)
    for name in names(PlanFlags):
        assert vars(option(here[name])) == vars(option(first[name]))


@pytest.mark.parametrize("command", MODULES)
def test_panels_come_in_one_order(command: str) -> None:
    order = list(PANELS)
    shown = [order.index(option(each).rich_help_panel) for each in parameters(command).values()]
    assert shown == sorted(shown)


@pytest.mark.parametrize("width", [80, 110])
@pytest.mark.parametrize("command", MODULES)
def test_the_help_says_what_each_value_is(
    command: str, width: int, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    panels = [line.strip("╭─╮ ") for line in shown.splitlines() if line.startswith("╭")]
    assert len(set(panels)) == len(panels)  # --help has no panel of its own
    assert set(panels) <= set(PANELS)
    assert not {"TEXT", "PATH", "INTEGER", "FLOAT"} & set(shown.split())


@pytest.mark.parametrize("command", MODULES)
def test_the_help_says_what_each_flag_does(
    command: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a value that is given by its place too, and with its default."""
    monkeypatch.setenv("COLUMNS", "600")
    assert run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for name, flag in flags_of(load(command)).items():
        assert flag.positional or f"{name} " in shown
        assert flag.text() in shown


@pytest.mark.parametrize("command", ["audit", "simulate", "sweep"])
def test_the_help_names_every_adversary(
    command: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert run([command, "--help"]) == 0
    (line,) = (each for each in capsys.readouterr().out.splitlines() if "--adversary " in each)
    assert f": {', '.join(NAMES)}." in line


@pytest.mark.parametrize("command", ["audit", "simulate", "sweep"])
def test_adversaries_have_commas_between_them_and_may_be_given_again(
    command: str, capsys: Output
) -> None:
    found = []
    for words in (
        ["--adversary", "last,truncated"],
        ["--adversary", " last , truncated "],
        ["--adversary", "last", "--adversary", "truncated"],
    ):
        assert run([command, *SAMPLED, *words]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1] == found[2]
    listening = found[0] if command == "sweep" else found[0]["adversaries"]
    key = "adversary" if command == "sweep" else "name"
    assert [each[key] for each in listening] == ["last", "truncated"]


UNITS = ["--low", "10", "--high", "110", "--epsilon", "1", "--delta", "8", "--level", "3"]


@pytest.mark.parametrize("command", ["bounds", "plan", "simulate"])
def test_json_says_what_the_number_is_called(command: str, capsys: Output) -> None:
    assert run([command, *UNITS, "--label", "price", "--json"]) == 0
    domain = json.loads(capsys.readouterr().out)["domain"]
    assert (domain["low"], domain["high"], domain["label"]) == ("10", "110", "price")


@pytest.mark.parametrize("command", TAKING_A_PROBLEM)
def test_there_is_one_label_a_coordinate_in_every_command(command: str, capsys: Output) -> None:
    margin = ["--edge", "0.1"] if command == "noise" else []
    assert run([command, *margin, *UNITS, "--label", "price", "--label", "weight"]) == 2
    said = "feint: --label price, weight: there are 1 coordinates; give one for each\n"
    assert capsys.readouterr() == ("", said)


def test_every_flag_of_a_problem_can_be_held_against_a_saved_search() -> None:
    """What a problem has is what was typed: widths in the user's units."""
    flags = ProblemFlags(
        epsilon="0.5", delta="5", level="8", low="10", high="110", p="0.9", confidence="0.8"
    )
    wanted = flags.request()
    held = values_of(wanted.problem, wanted.domain)
    # A prior is compared as what it was read into.
    assert set(held) == (names(ParameterFlags) | names(UnitFlags)) - {"prior", "prior_file"}
    typed = Domain("10", "110").problem(
        epsilon="0.5", delta="5", level="8", p="0.9", confidence="0.8"
    )
    assert wanted.problem == typed
    shown = {name: str(value) for name, value in held.items()}
    expected = {"epsilon": "1/2", "delta": "5", "level": "8", "p": "9/10", "confidence": "4/5"}
    expected |= {"low": "10", "high": "110", "step": "None", "setting": "bayesian", "dim": "1"}
    assert expected.items() <= shown.items()


@dataclass(frozen=True, kw_only=True)
class Pair:
    one: str | None = None
    other: bool = False


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = {
        "one": ("Units", Flag("NAME", "One.")),
        "count": ("Work", Flag("COUNT", "Count.", least=2, most=9)),
        "elsewhere.count": ("Work", Flag("COUNT", "Count.", least=1)),
        "other": ("Output", Flag("", "Other.")),
    }
    monkeypatch.setattr(command, "FLAGS", flags)
    monkeypatch.setattr(command, "_ORDER", {name: place for place, name in enumerate(flags)})


@pytest.mark.usefixtures("table")
def test_a_group_is_made_of_its_flags_and_whole_numbers_are_read() -> None:
    def here(*, pair: Pair, count: int = 3) -> Any:
        return pair, count

    flat = as_command(here, "here")
    assert list(signature(flat).parameters) == ["one", "count", "other"]
    assert flat(one="1", other=True, count="7") == (Pair(one="1", other=True), 7)
    assert option(signature(flat).parameters["count"]).help == "Count. Default: 3."
    with pytest.raises(InvalidValue, match="--count = 1: must be a whole number from 2 to 9"):
        flat(one="1", other=True, count="1")
    assert as_command(here, "elsewhere")(one=None, other=False, count="1") == (Pair(), 1)


@pytest.mark.usefixtures("table")
def test_two_flags_of_one_name_are_refused() -> None:
    def here(*, pair: Pair, one: str = "x") -> None:
        """Takes the same flag twice."""

    with pytest.raises(ValueError, match="duplicate parameter name: 'one'"):
        as_command(here, "here")


def test_every_flag_of_the_table_is_one_of_a_command() -> None:
    """Also one that has the name of a command in front, and no command takes an unknown flag."""
    taken = set[str]()
    for word in MODULES:
        for name in parameters(word):
            taken.add(f"{word}.{name}" if f"{word}.{name}" in FLAGS else name)
    assert taken == set(FLAGS)


@pytest.mark.parametrize("word", MODULES)
def test_the_lines_of_a_help_text_fit_a_terminal(word: str) -> None:
    """The help keeps line ends as they are, so a longer line would be broken in an odd place."""
    paragraphs = cleandoc(load(word).__doc__ or "").split("\n\n")
    lines = [line for paragraph in paragraphs[1:] for line in paragraph.splitlines()]
    assert [line for line in lines if len(line) > 78] == []
