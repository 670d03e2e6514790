"""Exact audits of stored plans stay as they are, and new plans for their problems get no worse.

`audits.json` holds plans as saved searches hold them, with exact figures. Brute force that shares
no code with planning, audit or branches agrees with a part of them.
"""

import json
from fractions import Fraction
from typing import Any

import pytest
from tests.support.examples import later
from tests.support.frozen import AUDITS, audited
from tests.support.played import figures, lines_of

from feint import Plan, plan
from feint.audit import audit
from feint.problem import UNIT
from feint.search.saved import decode

HELD: dict[str, Any] = json.loads(AUDITS.read_text("utf-8"))
PLAYED = [name for name, case in HELD.items() if case.get("played")]
PLANNED = [name for name, case in HELD.items() if "how" in case]
VERSION = 4
"""The version of saved searches that the plans are stored in."""


MISSTATED = {"tick 9", "tick 10", "tick 14", "tick 16", "tick 18"}
"""Plans for the worst case on a range whose ends lie off the tick.

As stored they state the success for cells of equal width, though the first and the last cell are
cut short. The number of places, which is what they promise, is right. New plans state the right
figure.
"""


def stored(name: str) -> Plan:
    """Return a stored plan."""
    found: Plan = decode(HELD[name]["plan"], VERSION)
    return found


def some(names: list[str], every: int) -> list[Any]:
    """Return all names, of which one in `every` is tried in an ordinary run."""
    return later(names, set(names) - set(names[::every]))


@pytest.mark.parametrize("name", some(list(HELD), 3))
def test_the_audit_of_a_stored_plan_is_as_before(name: str) -> None:
    assert audited(stored(name)) == HELD[name]["figures"]


@pytest.mark.parametrize("name", some(PLAYED, 6))
def test_brute_force_agrees(name: str) -> None:
    held, found = HELD[name]["figures"], stored(name)
    seen = figures(found.strategy, found.problem.delta, lines_of(HELD[name]["plan"]))
    assert str(seen.success) == held["success"]
    assert str(seen.accuracy) == held["accuracy"]
    assert (seen.covering, seen.transcripts) == (held["covering"], held["transcripts"])
    assert (seen.queries_mean, seen.rounds_mean) == (held["queries"], held["rounds"])


@pytest.mark.parametrize("name", some(PLANNED, 6))
def test_a_new_plan_is_no_longer_and_no_less_private(name: str) -> None:
    """What it states is what an exact audit finds, and its certificate is no weaker."""
    held, before = HELD[name]["figures"], stored(name)
    domain = None if before.domain == UNIT else before.domain
    now = plan(before.problem, domain=domain, **HELD[name]["how"])
    assert now.queries <= held["queries"]
    assert now.private == before.private
    assert (now.certificate is None) == (before.certificate is None)
    report = audit(now)
    assert report.private is held["private"]
    if now.adversary_success is not None:
        assert report.adversary_success == now.adversary_success


def test_the_stored_plans_are_of_every_kind() -> None:
    """Brute force plays every family, both settings, ticks, priors and two dimensions."""
    assert len(PLANNED) >= 150
    assert len(PLAYED) >= 60
    plans = [HELD[name]["plan"] for name in PLAYED]
    assert {each["problem"]["setting"] for each in plans} == {"bayesian", "deterministic"}
    assert {each["problem"]["dim"] for each in plans} == {1, 2}
    assert sum(each["problem"]["prior"] is not None for each in plans) >= 10
    assert sum(any(x["tick"] for x in each["scales"] or ()) for each in plans) >= 8
    kinds = {each["strategy"]["type"] for each in plans}
    families = {"staged", "tailed", "blocks", "planted", "tabular", "product", "loose", "padded"}
    assert kinds >= families
    coins = [HELD[x]["figures"] for x in PLAYED]
    assert sum(each["branches"] > 2 * each["cells"][0] for each in coins) >= 20


def test_only_known_plans_misstate_their_success() -> None:
    told = {name: case["figures"] for name, case in HELD.items() if case["figures"]["stated"]}
    assert {name for name in told if told[name]["stated"] != told[name]["success"]} == MISSTATED


def test_brute_force_notices_another_success() -> None:
    """A window that is a little wider catches more."""
    found = stored("family loose")
    lines = lines_of(HELD["family loose"]["plan"])
    seen = figures(found.strategy, found.problem.delta * Fraction(21, 20), lines)
    assert seen.success > Fraction(HELD["family loose"]["figures"]["success"])
