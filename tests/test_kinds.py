"""Whatever is passed in the place of something else, one sentence says what to pass."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from feint import Domain, InvalidValue, Plan, Problem, Search, WrongType, plan
from feint.audit import Prior, audit, measure
from feint.bounds import bayesian_upper, table
from feint.planning import afford, compare, frontier, methods, register_method
from feint.research.reproduce import publish, reproduce
from feint.research.sweep import grid, save, sweep, writer
from feint.simulate import play, simulate
from feint.simulate.adversaries import NAMES, named
from feint.testing import check

PROBLEM = Problem("1/64", "1/12", 3)
PLAN = plan(PROBLEM)
POINTS = grid({"epsilon": ["1/64"], "delta": ["1/12"], "level": [3]})


def guess(transcript: Any, random: Any) -> Any:
    return transcript.points[:, -1]


def deaf(transcript: Any) -> Any:
    return transcript.points[:, -1]


WRONG: list[tuple[Callable[..., object], tuple[Any, ...], dict[str, Any], str]] = [
    (
        audit,
        (PROBLEM,),
        {},
        "subject = a Problem: must be a plan or a strategy; pass plan(problem)",
    ),
    (audit, (plan,), {}, "subject = the function plan: must be a plan or a strategy; pass plan("),
    (
        audit,
        (Search(PLAN),),
        {},
        "subject = a Search: must be a plan or a strategy; pass its attri",
    ),
    (audit, (PLAN,), {"prior": [1, 2, 1]}, "prior = [1, 2, 1]: must be a Prior; pass Prior([1, 2"),
    (audit, (PLAN,), {"prior": "peak"}, "prior = 'peak': must be a Prior; pass domain.prior('peak"),
    (audit, (PLAN,), {"problem": PLAN}, "problem = a Plan: must be a Problem; pass its attribute"),
    (audit, (PLAN,), {"domain": (0, 9)}, "domain = (0, 9): must be a Domain; pass Domain(0, 9)"),
    (
        audit,
        (PLAN,),
        {"hears": None},
        "hears = None: must be words, the numbers of questions, or a Hearing; pass 'all'",
    ),
    (audit, (PLAN,), {"hears": 3}, "hears = 3: must be words, the numbers of questions, or a Hear"),
    (audit, (PLAN,), {"hears": [None]}, "hears = [None]: must be words, the numbers of questions"),
    (audit, (PLAN,), {"knows": None}, "knows = None: must be words, the numbers of questions, or"),
    (audit, (PLAN,), {"knows": ["last"]}, "knows = ['last']: must be words, the numbers of questi"),
    (
        audit,
        (PLAN,),
        {"repeat": 2, "motion": 3},
        "motion = 3: must be words or a Motion; pass 'steps(2)', or leave it out",
    ),
    (
        audit,
        (PLAN,),
        {"repeat": 2, "fresh_keys": "yes"},
        "fresh_keys = 'yes': must be True or False; pass one of them",
    ),
    (audit, (PLAN,), {"lemmas": "yes"}, "lemmas = 'yes': must be True or False; pass one of them"),
    (plan, (PROBLEM,), {"repeatable": 2}, "repeatable = 2: must be True or False; pass one of t"),
    (Search(PLAN).again, (), {"fresh_key": None}, "fresh_key = None: must be True or False; pass"),
    (
        Prior,
        (None,),
        {},
        "prior = None: must be a list of numbers, one per bin; pass a list such as [1, 2",
    ),
    (
        Prior,
        (3,),
        {},
        "prior = 3: must be a list of numbers, one per bin; pass a list such as [1, 2, 1]",
    ),
    (
        Prior,
        ("121",),
        {},
        "prior = '121': must be a list of numbers, one per bin; pass a list such as [1",
    ),
    (reproduce, (3,), {}, "out = 3: must be the name of a folder; pass a str or a Path"),
    (reproduce, (Path("x"),), {"only": "noise"}, "only = 'noise': must be a list of names; pass ["),
    (reproduce, ("x",), {"only": ["x"]}, "only = x: must be among bounds, strategies, dimensions"),
    (plan, (PROBLEM,), {"executor": 4}, "executor = 4: must have workers, slots and map, or be"),
    (plan, (PROBLEM,), {"seed": "x"}, "seed = x: must be a whole number of at least 0; write it"),
    (audit, (PLAN,), {"limit": "x"}, "limit = x: must be a whole number of at least 1; write it"),
    (
        audit,
        (PLAN,),
        {"executor": 4},
        "executor = 4: must have workers, slots and map, or be a con",
    ),
    (audit, (PLAN,), {"progress": True}, "progress = True: must be a function of what is done"),
    (
        audit,
        (PLAN,),
        {"runs": 9, "adversaries": "last"},
        "adversaries = 'last': must be a list of names, adversaries and functions of a transcript;"
        " pass ['last']",
    ),
    (audit, (PLAN,), {"runs": 9, "adversaries": guess}, "of a transcript; pass [guess]"),
    (audit, (PLAN,), {"runs": 9, "adversaries": [3]}, "adversaries = 3: each must be a name, an"),
    (
        audit,
        (PLAN,),
        {"runs": 9, "adversaries": [deaf]},
        "adversaries = the function deaf: must take two arguments, a transcript and a source of"
        " randomness; write def guess(transcript, random)",
    ),
    (audit, (PLAN,), {"adversaries": ["last"]}, "give runs = 10000, or leave adversaries out"),
    (simulate, (PROBLEM,), {"runs": 9}, "subject = a Problem: must be a plan or a strategy; pass"),
    (simulate, (PLAN,), {"runs": 9, "prior": [1, 2]}, "prior = [1, 2]: must be a Prior; pass Prio"),
    (simulate, (PLAN,), {"runs": 9, "delta": -1}, "delta = -1: must be above zero; drop the sign"),
    (
        simulate,
        (PLAN,),
        {"runs": 9, "looks": 4},
        "looks = 4: must be a list of numbers of runs; pa",
    ),
    (simulate, (PLAN,), {"runs": 9, "stop": 4}, "stop = 4: must be a function of a Simulation; le"),
    (simulate, (PLAN,), {"runs": "many"}, "runs = many: must be a whole number from 1 to 10^12;"),
    (sweep, (PROBLEM,), {}, "points = a Problem: must be a list of problems; pass [problem]"),
    (sweep, ({"epsilon": ["1/64"]},), {}, "must be a list of problems; pass grid(points), or a"),
    (
        sweep,
        (["1/64"],),
        {},
        "points[0] = '1/64': must be the arguments of a problem by name; make",
    ),
    (
        sweep,
        ([{"epsilon": 1}],),
        {},
        "points[0] = no delta and no level: a point needs epsilon, de",
    ),
    (sweep, (POINTS,), {"methods": "tight"}, "methods = 'tight': must be a list of names; pass ['"),
    (sweep, (POINTS,), {"domain": 9}, "domain = 9: must be a Domain; pass Domain(low, high), or"),
    (
        sweep,
        ([PROBLEM],),
        {"domain": Domain(0, 9)},
        "with a domain, must be the arguments of a pro",
    ),
    (grid, ([1, 2],), {}, "axes = [1, 2]: must be lists of values by name; pass {"),
    (grid, ({"epsilon": 0.1},), {}, "epsilon = 0.1: must be a list of values; pass [0.1]"),
    (plan, (0.01,), {}, "problem = 0.01: must be a Problem; pass Problem(epsilon, delta, level)"),
    (plan, (Domain(0, 9),), {}, "problem = a Domain: must be a Problem; pass domain.problem(epsil"),
    (plan, (PROBLEM,), {"domain": (0, 9)}, "domain = (0, 9): must be a Domain; pass Domain(0, 9)"),
    (
        compare,
        (None,),
        {},
        "problem = None: must be a Problem; pass Problem(epsilon, delta, level)",
    ),
    (frontier, (PLAN,), {}, "problem = a Plan: must be a Problem; pass its attribute problem"),
    (methods, (PROBLEM,), {"domain": "0-9"}, "domain = '0-9': must be a Domain; pass Domain(low,"),
    (
        afford,
        (),
        {"queries": 9, "domain": [0, 1]},
        "domain = [0, 1]: must be a Domain; pass Domain",
    ),
    (table, (PLAN,), {}, "problem = a Plan: must be a Problem; pass its attribute problem"),
    (bayesian_upper, (3,), {}, "problem = 3: must be a Problem; pass Problem(epsilon, delta, lev"),
    (Plan.of, (PROBLEM,), {}, "strategy = a Problem: must be a plan or a strategy; pass plan(pro"),
    (
        check,
        (PROBLEM,),
        {},
        "subject = a Problem: must be a plan or a strategy; pass plan(problem)",
    ),
    (measure, (PROBLEM, 1), {}, "subject = a Problem: must be a plan or a strategy; pass plan(pro"),
    (
        play,
        (PLAN, 3, None),
        {},
        "targets = 3: must be an array [runs, coordinates] of whole numbers",
    ),
    (named, ("last", None, (4,)), {}, "problem = None: must be a Problem; pass Problem(epsilon"),
    (save, (None, "table.csv"), {}, "table = None: must be what sweep returns; pass sweep(points)"),
    (writer, (3,), {}, "path = 3: must be the name of a file; pass"),
    (register_method, ("mine", None), {}, "make = None: must be a function from a problem to a"),
    (Domain, (0, 1), {"label": 3}, "label = 3: must be a word; pass one such as"),
]


@pytest.mark.parametrize(("function", "words", "options", "said"), WRONG)
def test_one_sentence_says_what_to_pass(
    function: Callable[..., object], words: tuple[Any, ...], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidValue) as caught:
        function(*words, **options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, WrongType | InvalidValue)


def test_a_wrong_type_is_a_type_error_and_keeps_no_secret() -> None:
    """Of a search only that it is one: its plan, its answers and its key stay out of the error."""
    search = Search(PLAN)
    with pytest.raises(TypeError) as caught:
        audit(cast(Any, search))
    error = caught.value
    assert isinstance(error, WrongType)
    assert error.value == "a Search"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (WrongType, str(error))


def test_simulate_takes_what_audit_takes() -> None:
    """A plan or its strategy, names or functions: the same digits."""
    first = simulate(PLAN, runs=500, adversaries=["last", guess], seed=3)
    again = simulate(PLAN.strategy, runs=500, adversaries=("last", guess), seed=3)
    assert first.to_dict() == again.to_dict()
    assert first.names == ("last", "guess")
    last, own = first.adversaries
    assert last.wins == own.wins  # both name the last query, where no coin is tossed
    everybody = simulate(PLAN, runs=50, adversaries=None)
    assert everybody.names == NAMES
    report = audit(PLAN, runs=500, adversaries=["last", guess], prior=None)
    assert [each.name for each in report.adversaries] == ["last", "guess"]


def test_the_old_name_of_the_argument_still_works() -> None:
    with pytest.warns(DeprecationWarning, match=r"simulate\(strategy=…\) is deprecated"):
        found = cast(Any, simulate)(strategy=PLAN.strategy, runs=50)
    assert found.to_dict() == simulate(PLAN, runs=50).to_dict()


def test_sweeps_take_problems_and_functions() -> None:
    rows = sweep([PROBLEM], runs=200, adversaries=[guess]).records()
    assert [row["adversary"] for row in rows] == ["guess"]
    other = sweep(POINTS, runs=200, adversaries=[guess]).records()
    assert rows == other
    axes: dict[str, Any] = {"epsilon": np.array([0.01, 0.02]), "delta": [0.1], "level": range(2, 4)}
    assert len(sweep(grid(axes))) == 4


def test_a_table_is_written_to_a_path_of_any_kind(tmp_path: Path) -> None:
    table = sweep([PROBLEM])
    save(table, str(tmp_path / "table.csv"))
    assert (tmp_path / "table.csv").read_text("utf-8") == table.to_csv()
    with pytest.raises(KeyError, match="there is no column questions; there are epsilon, delta"):
        table["questions"]


def test_what_is_reproduced_goes_to_a_folder_of_any_kind(tmp_path: Path) -> None:
    assert publish([], str(tmp_path)) == tmp_path / "index.html"
