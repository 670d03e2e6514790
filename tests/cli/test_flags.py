"""Flags are written once: every command that takes a problem takes all of it, in the same way."""

import json
from dataclasses import dataclass, fields
from importlib import import_module
from inspect import Parameter, signature
from typing import Annotated, Any, get_args

import pytest

from feint.cli.app import CALLED, COMMANDS, run
from feint.cli.flags.flag import Panel, flag, switch
from feint.cli.flags.group import flattened
from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import ParameterFlags, ProblemFlags, UnitFlags, values_of
from feint.problem import Domain
from feint.simulate.adversaries import NAMES

Output = pytest.CaptureFixture[str]
TAKING_A_PROBLEM = ("bounds", "plan", "audit", "run", "simulate", "noise")
SMALL = ["--epsilon", "1/64", "--delta", "1/12", "--level", "3"]
SAMPLED = [*SMALL, "--runs", "200", "--json"]


def parameters(command: str) -> dict[str, Parameter]:
    function = getattr(import_module(f"feint.cli.{command}"), command)
    return dict(signature(flattened(function)).parameters)


def declared(parameter: Parameter) -> Any:
    return get_args(parameter.annotation)[1]


def names(group: type[Any]) -> set[str]:
    return {each.name for each in fields(group)}


@pytest.mark.parametrize("command", COMMANDS)
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
        shared -= {"p"}  # which says there how large a sample is wanted
    for name in shared:
        assert vars(declared(here[name])) == vars(declared(first[name]))
        assert here[name].default is None


@pytest.mark.parametrize("command", ["audit", "run", "simulate", "sweep"])
def test_flags_of_the_plan_are_the_same_everywhere(command: str) -> None:
    first, here = parameters("plan"), parameters(command)
    for name in names(PlanFlags):
        assert vars(declared(here[name])) == vars(declared(first[name]))


@pytest.mark.parametrize("command", COMMANDS)
def test_panels_come_in_one_order(command: str) -> None:
    order = get_args(Panel)
    shown = [order.index(declared(each).rich_help_panel) for each in parameters(command).values()]
    assert shown == sorted(shown)


@pytest.mark.parametrize("width", [80, 110])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_says_what_each_value_is(
    command: str, width: int, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run([CALLED.get(command, command), "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    panels = [line.strip("╭─╮ ") for line in shown.splitlines() if line.startswith("╭")]
    assert len(set(panels)) == len(panels)  # --help has no panel of its own
    assert set(panels) <= set(get_args(Panel))
    assert not {"TEXT", "PATH", "INTEGER", "FLOAT"} & set(shown.split())


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
    margin = ["--margin", "0.1"] if command == "noise" else []
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
    one: Annotated[str | None, flag("One.", "COUNT", "Units")] = None
    other: Annotated[bool, switch("--other", "Other.", "Output")] = False


def test_a_group_is_made_of_its_flags() -> None:
    def command(*, pair: Pair, last: Annotated[str, flag("Last.", "NAME", "Work")] = "x") -> Any:
        return pair, last

    flat = flattened(command)
    assert list(signature(flat).parameters) == ["one", "last", "other"]
    assert flat(one="1", other=True, last="y") == (Pair(one="1", other=True), "y")


def test_two_flags_of_one_name_are_refused() -> None:
    def command(*, pair: Pair, one: Annotated[str, flag("One.", "NAME", "Units")] = "x") -> None:
        """Takes the same flag twice."""

    with pytest.raises(ValueError, match="duplicate parameter name: 'one'"):
        flattened(command)
