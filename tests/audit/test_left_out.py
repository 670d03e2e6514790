"""What an argument that is left out means: the same as the value that the page says."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.strategies import staged, staged_noisy

from feint import Problem
from feint.audit import Hearing, Prior, audit, noisy_audit, sample, walk
from feint.audit.case import Case, Course
from feint.audit.hearing import ALL, NOTHING
from feint.audit.lemma import Lemma
from feint.audit.motion import Motion
from feint.audit.words import claim
from feint.problem import UNIFORM, UNIT
from feint.simulate.adversaries import BlindGuess
from feint.strategies import Product

F = Fraction
LINE = Problem("1/8", "1/4", 2)
HALVES = staged(LINE, 8, (), 1, 1, (2, 2, 2))
SPARE = staged(Problem("1/12", "1/3", 2), 12, (), 3, 2, (2, 2))
NOISY = staged_noisy(Problem("1/32", "1/8", 2, p="0.9"), 32, 1, 0, 2, 3, 2, 3)


@pytest.mark.parametrize(
    "given", [{"lemmas": False}, {"repeat": 1}, {"fresh_keys": False}, {"hears": "all"}]
)
def test_an_audit_is_of_one_search_without_lemmas(given: dict[str, Any]) -> None:
    assert audit(SPARE, **given).to_dict() == audit(SPARE).to_dict()


def test_an_audit_of_several_searches_has_one_key() -> None:
    """Coins that fall anew tell more; and of one search there is no list of successes."""
    assert audit(SPARE).lemmas == ()
    assert audit(SPARE).successes == ()
    same, fresh = audit(SPARE, repeat=2), audit(SPARE, repeat=2, fresh_keys=True)
    assert same.successes == (F(1, 2), F(1, 2))
    assert fresh.successes == (F(1, 2), F(3, 4))  # both windows hold the part, or one tells it


def test_a_course_is_one_search_that_is_heard_whole() -> None:
    plain = Course(searches=1, fresh_keys=False, motion=None, hears=ALL, knows=NOTHING)
    assert Course() == plain
    assert Course().is_single
    assert Course().asks_the_same
    assert Course(searches=2).asks_the_same
    assert not Course(searches=2).is_single
    assert not Course(searches=2, fresh_keys=True).asks_the_same


def test_each_question_is_heard_where_no_chance_is_given() -> None:
    assert Hearing("each").plainest == Hearing("all")
    assert Hearing("each").words == "each question with probability 1"
    assert not Hearing("each").random


def test_a_walk_goes_one_step_between_searches() -> None:
    once = Motion("walk", F(1))
    assert once == walk(1)
    assert once.words == "it moves up or down by 1, both equally likely"
    assert once.kernel(F(1), 1, np.ones(4)).times == 1


def test_a_claim_is_about_one_search() -> None:
    case = Case(strategy=HALVES, problem=LINE, domain=UNIT, prior=(UNIFORM,), theorem="")
    said = claim(case)
    assert said == (
        f"an eavesdropper who hears every question {UNIT.wins(LINE)} with probability at most 1/2;"
        " the estimate is within 0.0625 of the number"
    )
    often = claim(replace(case, course=Course(searches=2)))
    again = "every question in each of 2 searches with the same key"
    expected = said.replace("the estimate", "each estimate")
    assert often == expected.replace("every question", again)


def test_a_lemma_limits_from_above() -> None:
    """What is measured may be the limit, and no more; from below where that is said."""
    for measured, holds in ((1, True), (2, True), (3, False)):
        assert Lemma("name", F(measured), F(2)).holds is holds
    assert Lemma("name", F(1), F(2)).words == "1 (at most 2, the number uniform)"
    assert Lemma("name", F(1), F(2), least=True).words == (
        "1 (at least 2, the number uniform): BROKEN"
    )
    assert Lemma("name", F(1), F(2)).to_dict()["least"] is False


def test_a_noisy_audit_is_wrong_one_time_in_a_hundred() -> None:
    found = noisy_audit(NOISY, runs=4, seed=0)
    assert found.failure == 0.01
    assert found == noisy_audit(NOISY, runs=4, seed=0, failure=0.01)


def test_samples_are_wrong_one_time_in_a_million_and_begin_at_seed_0() -> None:
    """The failure is shared by the one adversary's four looks."""
    deaf = BlindGuess()
    found, given, other = (
        sample(HALVES, [deaf], runs=40, promise=F(1), **more)
        for more in ({}, {"failure": 1e-6, "seed": 0}, {"seed": 1})
    )
    assert found.simulation.to_dict() == given.simulation.to_dict()
    assert found.simulation.to_dict() != other.simulation.to_dict()
    assert found.planned == 4
    assert found.simulation.failure == 1e-6 / 4


def test_every_coordinate_has_its_own_prior() -> None:
    laws = (Prior([1, 2]), Prior([3, 1]))
    both = Product(Problem("1/8", "1/4", 2, dim=2), (HALVES, HALVES))
    case = Case(strategy=both, problem=both.problem, domain=UNIT, prior=laws, theorem="")
    assert tuple(each.line.prior for each in case.parts()) == laws
