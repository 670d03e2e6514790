"""What a report claims of several searches, or of one half heard: what was audited, and no more."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.strategies import staged

from feint import Problem, plan
from feint.audit import Prior, Report, audit, outcomes
from feint.audit.hearing import NOTHING, Ear
from feint.audit.outcomes import Outcomes, Rows, Word
from feint.audit.places import Places
from feint.branches import branches
from feint.errors import TooLarge
from feint.planning import Plan
from feint.problem import Line

F = Fraction
SHE = "an eavesdropper who"
NINTHS = plan(Problem("1/9", "2/9", 3))
CALM = plan(Problem("1/9", "2/9", 3), repeatable=True)
HALVES = plan(Problem("1/9", "2/9", 3), method="bisection")
OWN = "method tight, proved for its family in proofs/, for one search that is heard in full"
LARGE = plan(Problem("2^-40", "2^-8", 15))


@pytest.mark.parametrize(
    ("chosen", "given", "who", "verdict"),
    [
        (
            HALVES,
            {"hears": "nothing"},
            f"{SHE} hears no question comes",
            "private if she hears",
        ),
        (
            NINTHS,
            {"knows": "last"},
            f"{SHE} hears every question and knows the answers of the last question only",
            "leaks if she hears every question and knows the answers of the last question only",
        ),
        (
            NINTHS,
            {"repeat": 3, "fresh_keys": True},
            f"{SHE} hears every question in each of 3 searches with a fresh key each comes",
            "leaks if she hears every question in each of 3 searches with a fresh key each",
        ),
        (
            NINTHS,
            {"repeat": 2, "hears": "every(2)"},
            f"{SHE} hears one question in 2 only in each of 2 searches with the same key",
            "private if she hears one question in 2 only in each of 2 searches with the same key",
        ),
        (
            NINTHS,
            {"repeat": 2, "fresh_keys": True, "runs": 20},
            f"{SHE} hears every question in each of 2 searches with a fresh key each comes",
            "cannot be told from these transcripts if she hears every question in each of 2",
        ),
    ],
)
def test_claim_and_verdict_say_what_was_audited(
    chosen: Plan, given: dict[str, Any], who: str, verdict: str
) -> None:
    found = audit(chosen, **given)
    assert found.claim.startswith(who)
    assert found.verdict.startswith(verdict)
    assert "Verdict: " + verdict[:20] in str(found)


@pytest.mark.parametrize(
    ("words", "same"), [("each(1)", "all"), ("every(1)", "all"), ("each(0)", "nothing")]
)
def test_all_or_nothing_in_other_words(words: str, same: str) -> None:
    assert audit(NINTHS, hears=words).to_dict() == audit(NINTHS, hears=same).to_dict()


def test_a_number_that_moves_is_meant_as_it_is_at_last() -> None:
    found = audit(NINTHS, repeat=2, fresh_keys=True, motion="steps(1/9)")
    assert "of the number as it is at the last of them with probability" in found.claim
    moving = "in each of 2 searches with a fresh key each for a number that moves"
    assert moving in found.claim
    assert moving in found.verdict
    assert "at first the number is uniform on the interval" in found.assumptions


@pytest.mark.parametrize(
    ("chosen", "given", "theorem"),
    [
        (
            NINTHS,
            {"hears": "every(2)"},
            f"{OWN}; {SHE} hears less wins no more often",
        ),
        (NINTHS, {"repeat": 2}, f"{OWN}; the same key asks the same again"),
        (
            CALM,
            {"repeat": 2, "fresh_keys": True},
            f"{OWN}; a plan without coins asks the same again",
        ),
        (
            NINTHS,
            {"repeat": 2, "fresh_keys": True},
            f"none for several searches with fresh keys: {OWN}",
        ),
        (NINTHS, {"knows": "last"}, f"none for known answers: {OWN} with no answer known"),
        (
            CALM,
            {"repeat": 2, "motion": "steps(1/9)"},
            f"none for a number that moves: {OWN}",
        ),
        (HALVES, {"hears": "nothing"}, "none: method bisection does not promise this"),
        (NINTHS.strategy, {"hears": "nothing"}, ""),
    ],
)
def test_the_theorem_of_one_search_is_not_stretched(
    chosen: Any, given: dict[str, Any], theorem: str
) -> None:
    assert audit(chosen, **given).theorem == theorem


def test_a_theorem_that_is_said_to_cover_a_course_does() -> None:
    """Wherever the theorem is not withdrawn, exact success is at most 1/L."""
    for chosen in (NINTHS, CALM, plan(Problem("1/25", "2/25", 7))):
        for given in (
            {"hears": "every(2)"},
            {"hears": "each(1/2)", "repeat": 3},
            {"repeat": 3},
            {"repeat": 3, "fresh_keys": True},
            {"repeat": 2, "fresh_keys": True, "motion": "jump(0.5)"},
            {"knows": "questions(1)"},
        ):
            found = audit(chosen, **given)
            if not found.theorem.startswith("none"):
                assert found.private


def test_the_same_key_half_heard_tells_more_each_time() -> None:
    """47/144 and 767/2304 at (1/9, 2/9, 3): no note says that asking again tells nothing."""
    found = audit(NINTHS, repeat=2, hears="each(1/2)")
    assert found.successes == (F(47, 144), F(767, 2304))
    assert not any("nothing new" in each for each in found.notes)
    assert any("she may hear the next time" in each for each in found.notes)


def test_the_worst_case_is_told_from_averages_here_too() -> None:
    worst = plan(Problem("1/9", "2/9", 3, setting="deterministic"))
    found = audit(worst, repeat=2)
    assert any("may average over the number" in each for each in found.notes)
    assert found.claim.startswith(f"{SHE} hears every question in each of 2")


def test_an_inaccurate_search_is_shown_to_be() -> None:
    coarse = audit(plan(Problem("1/4", "1/2", 2)), problem=Problem("1/16", "1/2", 2), knows="last")
    assert coarse.verdict.endswith("; inaccurate")
    assert "Inaccurate: with the number" in coarse.counterexample
    few, fine = plan(Problem("1/4", "1/2", 2)), Problem("1/16", "1/2", 2)
    sampled = audit(few, problem=fine, repeat=2, fresh_keys=True, runs=40, seed=1)
    assert sampled.accurate is False
    assert sampled.verdict.endswith("; inaccurate")


def silent(found: Report) -> None:
    assert found.adversary_success == found.blind == F(1, 256)
    assert found.private is True
    assert found.covering_number == 256
    assert any("worst of 1,000 sampled runs" in each for each in found.notes)


def test_what_needs_no_walk_is_answered_on_any_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The blind guess; and the same key again, wherever one search can be walked."""
    silent(audit(LARGE, hears="nothing", limit=1 << 12))
    silent(audit(LARGE, hears="nothing", repeat=3, fresh_keys=True, limit=1 << 12))
    monkeypatch.setattr(outcomes, "HELD", 5)
    assert audit(NINTHS, repeat=3).successes == (F(1, 3),) * 3
    assert audit(CALM, repeat=3).branches == 9


def test_silence_is_what_a_walk_would_say() -> None:
    """One outcome, wherever X* is, as from grouping every branch by nothing."""
    prior = Prior((1, 2, 3, 4))
    strategy = staged(Problem("1/16", "1/4", 3), 16, (), 4, 3, (2, 2))
    line = Places(Line.of_cells(16), F(1, 4), prior)
    (ear,) = Ear.of(NOTHING, NOTHING, strategy)
    for equal in (False, True):
        parts, questions = ((0, part) for part in branches(strategy)), len(ear.hears)
        walked, unheard = Rows.held(parts, questions), Rows.unheard(16, questions)
        long, short = (Outcomes.of(each, line, ear, equal=equal) for each in (walked, unheard))
        assert long.words == short.words == [(Word(None, None),) * questions]
        assert set(map(int, short.cuts)) <= set(map(int, long.cuts))
        assert np.array_equal(long.weight, np.full(long.atoms, long.total))


def test_samples_are_shown_in_decimals_with_their_limits() -> None:
    found = audit(NINTHS, repeat=2, fresh_keys=True, runs=30)
    rows = dict(found.rows())
    assert len(found.limits) == 2
    for place, success in enumerate(found.successes):
        low, high = found.limits[place]
        assert low <= success <= high
        name = f"  after {place + 1} search{'es' if place else ''}"
        assert rows[name] == f"{float(success):.4f} (between {low:.4f} and {high:.4f})"
    assert "/" not in rows["best eavesdropper wins, about"]
    assert "/" not in found.to_dict()["adversary_success"]
    assert found.to_dict()["limits"] == [list(each) for each in found.limits]
    measured = audit(NINTHS, runs=30, adversaries=["last"])
    (rate,) = measured.adversaries
    assert measured.limits == ((rate.low, rate.high),)
    assert "/" not in dict(measured.rows())["best eavesdropper won"]
    assert audit(NINTHS).limits == ()


@pytest.mark.parametrize("runs", [None, 10])
@pytest.mark.parametrize("given", [{}, {"hears": "every(2)"}, {"repeat": 2}])
def test_at_level_1_there_was_nothing_to_hide(runs: int | None, given: dict[str, Any]) -> None:
    found = audit(plan(Problem("1/8", "1/8", 1)), runs=runs, **given)
    assert any("nothing to hide" in each for each in found.notes)
    assert "at most 1;" in found.claim


def test_samples_of_the_same_key_half_heard_agree_with_the_exact_figures() -> None:
    """Whatever is heard of any of the searches counts; a mean of 300 is off by less than 0.1."""
    given: dict[str, Any] = {"hears": "each(1/2)", "repeat": 3}
    exact, samples = audit(HALVES, **given), audit(HALVES, **given, runs=300)
    for mine, theirs in zip(samples.successes, exact.successes, strict=True):
        assert abs(mine - theirs) < F(1, 10)
    assert list(samples.successes) == sorted(samples.successes)


def test_where_something_is_heard_too_many_branches_are_not_sampled_instead() -> None:
    with pytest.raises(TooLarge, match="branches"):
        audit(LARGE, hears="rounds(1)", limit=100)
    assert audit(LARGE, hears="nothing", limit=100).private
