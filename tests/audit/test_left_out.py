"""What an argument that is left out means: the same as the value that the page says."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.strategies import staged, staged_noisy

from feint import Problem
from feint.audit import Hearing, Prior, audit, sample, walk
from feint.audit.explain import claim
from feint.audit.lemma import Lemma
from feint.audit.noisy.transcripts import noisy_audit
from feint.audit.sequence.course import Course
from feint.audit.sequence.hearing import ALL, NOTHING
from feint.audit.sequence.line import Line
from feint.audit.sequence.motion import Motion
from feint.audit.subject import Subject
from feint.problem import UNIT
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
    assert Course().usual
    assert Course().as_once
    assert Course(searches=2).as_once
    assert not Course(searches=2).usual
    assert not Course(searches=2, fresh_keys=True).as_once


def test_each_question_is_heard_where_no_chance_is_given() -> None:
    assert Hearing("each").plainest == Hearing("all")
    assert Hearing("each").words == "each question with probability 1"
    assert not Hearing("each").random


def test_a_walk_goes_one_step_between_searches() -> None:
    once = Motion("walk", F(1))
    assert once == walk(1)
    assert once.words == "it moves by 1 up or down, as likely either"
    assert once.kernel(F(1), 1, np.ones(4)).times == 1


def test_a_claim_is_about_one_search() -> None:
    said = claim(LINE, UNIT, rounded=False)
    assert said == (
        f"whoever overhears every question {UNIT.wins(LINE)} with probability at most 1/2;"
        " the estimate is within 0.0625 of the number"
    )
    often = claim(LINE, UNIT, several=True, rounded=False)
    assert often == said.replace("the estimate", "each estimate")


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


def test_a_line_is_that_of_the_first_coordinate() -> None:
    laws = (Prior([1, 2]), Prior([3, 1]))
    both = Product(Problem("1/8", "1/4", 2, dim=2), (HALVES, HALVES))
    case = Subject(strategy=both, problem=both.problem, domain=UNIT, prior=laws, theorem="")
    assert Line.of(case, HALVES, None, moving=False).prior == laws[0]
    assert Line.of(case, HALVES, None, moving=False, index=1).prior == laws[1]
