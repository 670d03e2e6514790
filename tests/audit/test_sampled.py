"""The sampled audit: its limits hold, its verdicts are modest, learners are measured fairly."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from feint import Problem
from feint.adversaries import Function, LearntQuery
from feint.audit import audit, clopper_pearson, sample
from feint.audit.sampled import LOOKS
from feint.errors import InvalidValue
from feint.planning import plan
from feint.problem import Transcript
from feint.strategies.staged import Staged

GRID = Staged(Problem("1/8", "1/4", 4), 8, (), 1, 1, (8,))


def middle(transcript: Transcript, random: np.random.Generator) -> np.ndarray:
    """Against the grid nothing is learnt: any window of δ = 1/4 wins with probability 1/4."""
    return np.full(len(transcript.points), 4.0)


def elsewhere(transcript: Transcript, random: np.random.Generator) -> np.ndarray:
    return random.uniform(1, 7, size=len(transcript.points))


def test_limits_by_hand() -> None:
    """0 of n: the upper limit is 1 − (α/2)^(1/n); n of n: the lower one is (α/2)^(1/n)."""
    low, high = clopper_pearson(np.array([0, 10]), 10, 0.1)
    assert low[0] == 0
    assert high[1] == 1
    assert high[0] == pytest.approx(1 - 0.05**0.1)
    assert low[1] == pytest.approx(0.05**0.1)


@pytest.mark.parametrize(("runs", "chance"), [(50, 0.07), (200, 0.25), (1000, 0.5), (30, 0.96)])
def test_limits_cover_in_exact_binomial_probability(runs: int, chance: float) -> None:
    """Not by sampling: the probability of every outcome whose interval misses is added up."""
    from scipy.stats import binom

    for failure in (0.3, 0.05, 1e-4):
        outcomes = np.arange(runs + 1)
        low, high = clopper_pearson(outcomes, runs, failure)
        missed = (chance < low) | (chance > high)
        assert binom.pmf(outcomes[missed], runs, chance).sum() <= failure


def test_the_failure_probability_holds_over_thousands_of_audits() -> None:
    """Adversaries whose true success is exactly 1/L: each "leaks" is a mistake, 2000 audits.

    With failure 0.2 at most 400 are expected, and six standard deviations are 107.
    """
    listeners = [Function("middle", middle), Function("elsewhere", elsewhere)]
    wrong = missed = 0
    for seed in range(2000):
        found = sample(GRID, listeners, runs=64, promise=Fraction(1, 4), failure=0.2, seed=seed)
        wrong += found.leak
        missed += any(not rate.low <= 0.25 <= rate.high for rate in found.rates)
    assert found.planned == LOOKS
    assert 0 < wrong <= 507
    assert 0 < missed <= 507


def test_without_correction_it_would_not_hold() -> None:
    """Each of four looks at two adversaries wrong with probability 0.2: far too many audits are."""
    random = np.random.default_rng(0)
    wins = random.binomial(16, 0.25, size=(4000, 2, 4)).cumsum(axis=2)
    missed = np.zeros(4000, bool)
    for look in range(4):
        low, high = clopper_pearson(wins[:, :, look], 16 * (look + 1), 0.2)
        missed |= ((low > 0.25) | (high < 0.25)).any(axis=1)
    assert missed.mean() > 0.3


def test_verdicts_are_leaks_or_no_leak_found() -> None:
    problem = Problem("1/64", "1/12", 3)
    good = audit(plan(problem), runs=20_000)
    assert (good.verdict, good.private, good.accurate, good.exact) == (
        "no leak found",
        None,
        None,
        False,
    )
    assert good.holds
    assert good.covering_number is good.transcripts is None
    assert "never that there is none" in str(good)
    bad = audit(plan(problem, method="bisection"), runs=20_000)
    assert (bad.verdict, bad.private) == ("leaks", False)
    assert not bad.holds
    assert "wrong with probability at most 1e-06" in bad.counterexample
    assert max(rate.low for rate in bad.adversaries) > 1 / 3


def test_a_leak_is_reported_at_the_first_look_that_shows_it() -> None:
    problem = Problem("1/64", "1/12", 3)
    shares = list[float]()
    audit(plan(problem, method="bisection"), runs=80_000, progress=shares.append)
    assert shares == [1 / 8]


def test_an_inaccurate_strategy_is_seen() -> None:
    report = audit(Staged(Problem("1/8", "1/4", 2), 8, (), 2, 2, (2,)), runs=200)
    assert report.accurate is False
    assert not report.holds


def test_the_worst_case_is_not_judged_by_samples() -> None:
    problem = Problem("1/64", "1/8", 2, setting="deterministic")
    report = audit(plan(problem), runs=20_000)
    assert report.private is None
    assert "cannot be told from samples" in " ".join(report.notes)
    assert "may average over X*" in " ".join(report.notes)


def test_learners_are_not_measured_on_what_taught_them() -> None:
    """A learner that remembers its lessons wins them all, and no fresh run more often than not."""
    seen = dict[bytes, float]()

    class Parrot:
        name = "parrot"

        def fit(self, transcript: Transcript, targets: np.ndarray) -> "Parrot":
            assert len(targets) == 500
            for place in targets[:, 0]:
                seen[place.tobytes()] = place
            return self

        def guess(self, transcript: Transcript, random: np.random.Generator) -> np.ndarray:
            return np.full((len(transcript.points), 1), next(iter(seen.values())))

    found = sample(GRID, [Parrot()], runs=1000, promise=Fraction(1, 4))
    assert len(seen) == 500
    assert found.runs == 500
    assert found.rates[0].wins < 250


def test_the_learnt_query_finds_the_telling_column() -> None:
    problem = Problem("1/64", "1/12", 3)
    learnt = audit(plan(problem, method="bisection"), runs=4000, adversaries=["learnt"])
    assert learnt.adversary_success == 1
    untaught = LearntQuery((1.0,))
    transcript = Transcript(np.zeros((3, 1), np.int64), (0,), (0,), (8,))
    assert untaught.guess(transcript, np.random.default_rng(0)).tolist() == [[4.0]] * 3


def test_the_same_seed_is_the_same_report() -> None:
    problem = Problem("1/64", "1/12", 3)
    first, second, other = (audit(plan(problem), runs=2000, seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert first.adversaries != other.adversaries


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("runs", {"runs": 1}),
        ("adversaries", {"runs": 10, "adversaries": []}),
        ("failure", {"runs": 10, "failure": 0.0}),
        ("must be one of uniform, last", {"runs": 10, "adversaries": ["nobody"]}),
    ],
)
def test_bad_arguments(words: str, options: Any) -> None:
    with pytest.raises(InvalidValue, match=words):
        audit(plan(Problem("1/8", "1/4", 2)), **options)
