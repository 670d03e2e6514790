"""The root is the API: complete, documented, light, and kept as promised."""

import inspect
import subprocess
import sys
from fractions import Fraction
from operator import attrgetter

import pytest
from scripts.site.names import PACKAGES, PAGES, documented_in, root_names, undocumented

import feint
from feint import Domain, InvalidValue, NoPlan, Problem, Search, UnknownMethod, errors, find, plan
from feint.exact.stability import deprecated, renamed_argument
from feint.interfaces import Strategy
from feint.planning import methods, registry
from feint.planning.registry import BUILT_IN
from feint.research import sweep
from feint.strategies import Staged, StagedShape


def test_every_public_name_says_what_it_is() -> None:
    assert undocumented() == []


def test_every_name_at_the_root_is_documented_on_one_page() -> None:
    homes = root_names()
    modules = {name for name in feint.__all__ if inspect.ismodule(getattr(feint, name))}
    assert {*homes} == {*feint.__all__} - modules - {"__version__"}
    for name, page in homes.items():
        assert [other for other in PAGES if name in documented_in(other)] == [page], name


def test_every_error_can_be_caught_by_its_name_at_the_root() -> None:
    raised = [name for name, value in vars(errors).items() if inspect.isclass(value)]
    assert set(raised) <= set(feint.__all__)


def test_no_function_at_the_root_is_named_like_a_package() -> None:
    for package in PACKAGES:
        if "." not in package:  # an integration is imported by its own name
            assert inspect.ismodule(getattr(feint, package)), package


def test_a_room_is_there_once_the_package_is() -> None:
    code = (
        "import feint; report = feint.audit.audit(feint.plan(feint.Problem('1/64', '1/12', 3)));"
        " print(report.verdict)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "private\n"


def halves(problem: Problem) -> Strategy:
    """Replicated bisection in two parts."""
    if problem.dim > 1:
        raise NoPlan("dim", problem.dim, "is for one number", "ask for one")
    return Staged(problem, 16, StagedShape(parts=2, kept=2, hide=(2, 2, 2)))


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_OWN", {})
    feint.register_method("halves", halves)


@pytest.mark.usefixtures("registered")
def test_a_method_of_ones_own_has_a_name() -> None:
    problem = Problem("1/16", "1/4", 2)
    found = plan(problem, method="halves")
    assert (found.method, found.queries, found.rounds) == ("halves", 7, 4)
    assert (found.certificate, found.adversary_success, found.private) == (None, None, False)
    assert feint.audit.audit(found).adversary_success == Fraction(1, 2)
    assert methods(problem)[-1] == "halves"
    result = find(lambda x: x <= 0.3, epsilon="1/16", delta="1/4", level=2, method="halves")
    assert abs(result.estimate - Fraction(3, 10)) <= Fraction(1, 32)
    assert Search.from_json(Search(found).to_json()).plan == found
    with pytest.raises(NoPlan, match="takes 4 rounds"):
        plan(problem, method="halves", max_rounds=3)
    with pytest.raises(InvalidValue, match="has a method of this name"):
        feint.register_method("tight", halves)


def test_the_names_of_our_own_methods_are_taken() -> None:
    problems = [
        Problem("1/8", "1/4", 2),
        Problem("1/8", "1/4", 2, setting="deterministic"),
        Problem("1/64", "1/8", 2, p="0.9"),
    ]
    listed = {name for problem in problems for name in methods(problem)}
    assert listed == set(BUILT_IN) - {"majority"}  # for answers of another kind: not listed
    with pytest.raises(UnknownMethod, match="setting has tight, paper"):
        plan(problems[0], method="halves")


def test_numbers_of_different_ranges_are_sought_together() -> None:
    """Epsilon and delta hold in each coordinate's own units: 2 in 0…100, and 2 in −10…30."""
    domains = (Domain(0, 100, label="price"), Domain(-10, 30, label="cost"))
    secret = (Fraction("73.21"), Fraction("-3.3"))
    seen = list[tuple[str, int, int]]()

    def answers(value: float, coordinate: int) -> bool:
        return value <= secret[coordinate]

    result = find(
        answers,
        domains=domains,
        epsilon=1,
        delta=4,
        level=4,
        progress=lambda *step: seen.append(step),
    )
    for found, number, domain in zip(result.coordinates, secret, domains, strict=True):
        assert found.label == domain.label
        assert abs(found.estimate - number) <= Fraction(1, 2)
        assert found.low <= number < found.high
    assert seen[-1] == ("questions", result.queries, result.queries)
    alike = plan(Domain(-10, 30).problem(epsilon="0.4", delta=4, level=4, dim=2))
    assert result.queries == alike.queries
    with pytest.raises(InvalidValue, match="domains = none"):
        find(answers, domains=(), epsilon=1, delta=4, level=4)


def test_a_calibrated_plan_is_found_with() -> None:
    """The certificate reaches the plan: only calibrated plans refuse another method."""
    with pytest.raises(InvalidValue, match="only method fixed is sized by simulation"):
        find(
            bool, epsilon=".01", delta=".1", level=3, p=".9", method="bz", certificate="calibrated"
        )


def test_a_deprecated_name_works_and_says_so() -> None:
    @deprecated(use="new", since="9.9")
    def old(x: int) -> int:
        """As before."""
        return x + 1

    @renamed_argument("past", "now", since="9.9", convert=lambda value: -int(str(value)))
    def renamed(*, now: int) -> int:
        return now

    with pytest.warns(DeprecationWarning, match=r"old is deprecated since feint 9\.9: use new"):
        assert old(1) == 2
    with pytest.warns(DeprecationWarning, match="use now=…") as caught:
        assert renamed(**{"past": 3}) == -3
    assert caught[0].filename == __file__
    assert renamed(now=3) == 3


def test_a_class_that_was_renamed_is_there_by_its_old_name_and_says_so() -> None:
    module = feint.interfaces
    with pytest.warns(DeprecationWarning, match=r"interfaces\.Learner is deprecated") as caught:
        old = attrgetter("Learner")(module)
    assert old is module.FittableAdversary
    assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"use feint\.research\.sweep\.SweepTable"):
        assert attrgetter("Table")(sweep) is sweep.SweepTable
    with pytest.raises(AttributeError, match=r"'feint\.interfaces' has no attribute 'Teacher'"):
        attrgetter("Teacher")(module)
    noisy = plan(Problem(".01", ".1", 3, p=".9", confidence=".9"))
    with pytest.warns(DeprecationWarning, match=r"use Plan\.losses"):
        assert noisy.budget == noisy.losses


MOVED = {
    "adversaries": "simulate.adversaries",
    "client": "server.client",
    "optimal": "planning.optimal",
    "oracles": "simulate.oracles",
    "plot": "research.plot",
    "poll": "journal.polls",
    "reproduce": "research.reproduce",
    "sweep": "research.sweep",
}


@pytest.mark.parametrize("old", MOVED)
def test_a_package_that_moved_is_there_by_its_old_path_and_says_so(old: str) -> None:
    """Each in a process of its own, since a module is imported, and warns, once."""
    code = (
        "import importlib, sys, warnings\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        f"    import feint.{old}\n"
        "(warning,) = caught\n"
        "print(warning.category.__name__, warning.filename, warning.lineno, warning.message)\n"
        f"new = importlib.import_module('feint.{MOVED[old]}')\n"
        f"print(all(getattr(feint.{old}, name) is getattr(new, name) for name in new.__all__))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = f"feint.{old} is deprecated since feint 0.2: import feint.{MOVED[old]}"
    assert run.stdout.splitlines() == [f"DeprecationWarning <string> 4 {said}", "True"]


@pytest.mark.parametrize("old", MOVED)
def test_the_short_name_of_a_subpackage_at_the_root_stays(old: str) -> None:
    """Also the whole name, once `feint` is imported; neither warns."""
    code = f"import feint; print(feint.{old} is feint.{MOVED[old]}, feint.{old}.__name__)"
    words = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    assert run.stdout == f"True feint.{MOVED[old]}\n"


def test_a_subpackage_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"'feint\.research' has no attribute 'papers'"):
        attrgetter("papers")(feint.research)
    with pytest.raises(AttributeError, match=r"'feint\.server' has no attribute 'papers'"):
        attrgetter("papers")(feint.server)
