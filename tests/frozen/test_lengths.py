"""Plans for random problems ask no more questions than before, and what they state is so.

`lengths_random.json` holds a thousand problems and some that were refused, each with the figures of
its plan before plans were made in another way.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import pytest
from tests.support.examples import later
from tests.support.frozen import LENGTHS, NUMBER, reply
from tests.support.played import figures, lines_of_plan
from tests.support.random_problems import KINDS, Spec, plan_of

from feint import NoPlan, Plan, Report, Search
from feint.audit import audit

HELD: dict[str, Spec] = json.loads(LENGTHS.read_text("utf-8"))
REFUSED = [name for name, case in HELD.items() if "refused" in case]
PLANNED = [name for name in HELD if name not in REFUSED]
PLAYED = [name for name in PLANNED if HELD[name].get("played")]

RETIRED = {
    "whole 34": 7,
    "whole 98": 9,
    "whole 115": 23,
    "tick 39": 12,
    "two 66": 14,
    "two 93": 18,
    "two 125": 19,
}
"""Problems whose plans ask one or two questions more since a family of strategies was retired.

By name, the number of questions that each may ask.
"""

ROUNDING = Fraction(1, 1_000_000)
"""How much more often, in proportion, she may win where questions are rounded to decimals."""

QUICK = 30
"""How many problems an ordinary run tries."""


@dataclass(frozen=True)
class Case:
    """A stored problem, planned and audited anew, once for all tests.

    Attributes:
        name: Its name.
        held: The problem and what its plan was.
    """

    name: str
    held: Spec

    @cached_property
    def plan(self) -> Plan:
        return plan_of(self.held)

    @cached_property
    def report(self) -> Report:
        return audit(self.plan)


def _some(names: list[str]) -> list[Any]:
    """Return all names; an ordinary run tries some of each kind."""
    quick = set(PLAYED[:: len(PLAYED) // QUICK][:QUICK])
    return later(names, set(names) - quick)


# Of this scope, so that the tests of one problem follow each other and share its plan.
@pytest.fixture(scope="module", params=_some(PLANNED))
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param, HELD[request.param])


@pytest.fixture(scope="module", params=_some(PLAYED))
def played(request: pytest.FixtureRequest) -> Case:
    """A problem whose plan brute force plays."""
    return Case(request.param, HELD[request.param])


def test_no_plan_asks_more_than_before(case: Case) -> None:
    before: int = case.held["queries"]
    assert case.plan.queries <= RETIRED.get(case.name, before)


def test_a_plan_keeps_what_was_asked_of_it(case: Case) -> None:
    _check(case.plan, case.held)


def _check(found: Plan, held: Spec) -> None:
    """Check that a plan is private, within the rounds that it may take, and repeatable if asked."""
    assert found.rounds <= held["how"].get("max_rounds", found.rounds)
    assert found.repeatable or not held["how"].get("repeatable")
    assert found.private
    assert found.certificate is not None
    if found.problem.setting == "deterministic":
        assert found.places is not None
        assert found.places >= found.problem.level


def test_the_exact_audit_finds_what_a_plan_states(case: Case) -> None:
    """A theorem may state a bound: it adds what rounding to decimals may cost, one in a million.

    It may also promise fewer places than stay possible.
    """
    found, report = case.plan, case.report
    assert report.exact
    assert report.holds
    stated, success = found.adversary_success, report.adversary_success
    assert success is not None
    if stated is None:
        assert case.held["adversary_success"] is None
    else:
        assert success <= stated <= success * (1 + ROUNDING)
        assert success == stated or found.certificate == "theorem"
    if found.places is not None:
        assert report.covering_number is not None
        assert found.places <= report.covering_number


def test_brute_force_finds_the_same(played: Case) -> None:
    """It shares no code with planning, audit or branches."""
    found, report = played.plan, played.report
    seen = figures(found.strategy, found.problem.delta, lines_of_plan(found))
    assert seen.success == report.adversary_success
    assert seen.accuracy == report.accuracy <= found.problem.epsilon
    assert (seen.covering, seen.transcripts) == (report.covering_number, report.transcripts)
    assert (seen.queries_most, seen.rounds_most) == (found.queries, found.rounds)
    assert (seen.queries_mean, seen.rounds_mean) == (found.queries_mean, found.rounds_mean)
    assert not seen.resumed


def test_questions_are_put_where_brute_force_takes_them_to_be(played: Case) -> None:
    """Places on the lattice are those that a live search shows, and multiples of the tick.

    A plan without units is asked at decimals that are nearly there.
    """
    found, search = played.plan, Search(played.plan, seed=1)
    domain, lines = found.domain, lines_of_plan(found)
    near = 0 if "domain" in played.held else 1e-6 / min(found.cells)
    if domain.tick is not None:
        inner = [domain.low + domain.width * share for line in lines for share in line.at[1:-1]]
        assert all(place % domain.tick == 0 for place in inner)
    while not search.done:
        for query in search.ask():
            share = (query.value - domain.low) / domain.width
            assert min(abs(share - at) for at in lines[query.coordinate].at) <= near
            search.tell(query.id, reply(search, query, NUMBER, search.answered))


@pytest.mark.parametrize("name", later(REFUSED, set(REFUSED[3:])))
def test_what_was_refused_is_refused_or_planned(name: str) -> None:
    """It may be planned by now; then the plan is as good as any."""
    held = HELD[name]
    try:
        found = plan_of(held)
    except NoPlan:
        assert held["refused"] == "NoPlan"
    else:
        _check(found, held)
        assert audit(found).holds


def test_few_plans_ask_more_since_a_family_was_retired() -> None:
    assert len(RETIRED) * 50 <= len(PLANNED)
    for name, most in RETIRED.items():
        assert HELD[name]["queries"] < most <= HELD[name]["queries"] + 2


@pytest.mark.long
def test_those_plans_really_ask_more() -> None:
    for name, most in RETIRED.items():
        assert plan_of(HELD[name]).queries == most


def test_the_problems_are_of_every_kind() -> None:
    assert len(PLANNED) == 1000
    assert len({json.dumps({**HELD[name], "branches": 0}) for name in PLANNED}) >= 950
    assert {name.split()[0] for name in PLANNED} == set(KINDS) - {"simple"}
    played = [HELD[name] for name in PLAYED]
    assert len(played) >= 300
    problems = [case["problem"] for case in played]
    assert sum(problem.get("setting") == "deterministic" for problem in problems) >= 50
    assert sum(problem.get("dim") == 2 for problem in problems) >= 20
    assert sum("prior" in problem for problem in problems) >= 40
    assert sum("tick" in case.get("domain", {}) for case in played) >= 30
    assert sum("max_rounds" in case["how"] for case in played) >= 30
    assert sum(case["branches"] > 2 * case["queries"] for case in played) >= 100
