"""The sampled audit: its limits hold, its verdicts are modest, learners are measured fairly."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.strategies import staged

from feint import Problem
from feint.audit import BestReply, audit, clopper_pearson, sample
from feint.audit.adversaries import LOOKS
from feint.cli.app import run
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import Done, Task
from feint.planning import Plan, plan
from feint.problem import Prior, Transcript
from feint.simulate import Processes, Serial
from feint.simulate.adversaries import Function, LearnedQuery
from feint.simulate.place import near
from feint.strategies import Staged

GRID = staged(Problem("1/8", "1/4", 4), 8, (), 1, 1, (8,))


def middle(transcript: Transcript, random: np.random.Generator) -> np.ndarray:
    """Against the grid nothing is learned: any window of δ = 1/4 wins with probability 1/4."""
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


@pytest.mark.parametrize("audits", [500, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_failure_probability_holds_over_many_audits(audits: int) -> None:
    """Adversaries whose true success is exactly 1/L: each "leaks" is a mistake.

    With failure 0.2 at most a fifth of the audits is expected, and six standard deviations more.
    """
    pair = [Function("middle", middle), Function("elsewhere", elsewhere)]
    wrong = missed = 0
    for seed in range(audits):
        found = sample(GRID, pair, runs=64, promise=Fraction(1, 4), failure=0.2, seed=seed)
        wrong += found.leak
        missed += any(not rate.low <= 0.25 <= rate.high for rate in found.rates)
    assert found.planned == LOOKS
    most = 0.2 * audits + 6 * math.sqrt(0.2 * 0.8 * audits)
    assert 0 < wrong <= most
    assert 0 < missed <= most


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
    told = list[tuple[str, int, int]]()
    report = audit(
        plan(problem, method="bisection"), runs=8000, progress=lambda *step: told.append(step)
    )
    assert told == [("runs", 1000, 8000)]
    assert {each.runs for each in report.adversaries} == {1000}


def test_an_inaccurate_strategy_is_seen() -> None:
    report = audit(staged(Problem("1/8", "1/4", 2), 8, (), 2, 2, (2,)), runs=200)
    assert report.accurate is False
    assert not report.holds


def test_the_worst_case_is_not_judged_by_samples() -> None:
    problem = Problem("1/64", "1/8", 2, setting="deterministic")
    report = audit(plan(problem), runs=20_000)
    assert report.private is None
    assert report.verdict == "cannot be told from samples"
    assert "cannot be told from samples" in " ".join(report.notes)
    assert "may average over the number" in " ".join(report.notes)


def test_learners_are_not_measured_on_what_taught_them() -> None:
    """A learner that remembers its lessons wins them all, and no fresh run more often than not."""
    seen = dict[bytes, float]()

    class Parrot:
        name = "parrot"

        def fit(self, transcript: Transcript, targets: np.ndarray) -> "Parrot":
            assert len(targets) == 1000
            for place in targets[:, 0]:
                seen[place.tobytes()] = place
            return self

        def guess(self, transcript: Transcript, random: np.random.Generator) -> np.ndarray:
            return np.full((len(transcript.points), 1), next(iter(seen.values())))

    found = sample(GRID, [Parrot()], runs=1000, promise=Fraction(1, 4))
    assert len(seen) == found.taught == 1000
    assert found.runs == 1000
    assert found.rates[0].wins < 500


def test_the_learned_query_finds_the_telling_column() -> None:
    problem = Problem("1/64", "1/12", 3)
    found = audit(plan(problem, method="bisection"), runs=4000, adversaries=["learned"])
    assert found.adversary_success == 1
    untaught = LearnedQuery((1.0,))
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


def test_limits_are_shared_out_over_adversaries_and_looks() -> None:
    """Every limit shown has its share: failure / (2 adversaries × 4 looks), not more."""
    pair = [Function("middle", middle), Function("elsewhere", elsewhere)]
    found = sample(GRID, pair, runs=800, promise=Fraction(1, 4), failure=0.2)
    assert found.looks == found.planned == LOOKS
    for rate in found.rates:
        low, high = clopper_pearson(rate.wins, rate.runs, 0.2 / (2 * LOOKS))
        assert (rate.low, rate.high) == (float(low), float(high))


@pytest.mark.parametrize("bits", [49, 53, 57, 58])
def test_certified_plans_never_leak_on_lattices_finer_than_a_float(bits: int) -> None:
    """δ is two cells: X* rounded to a float, or a guess compared as one, would win too often."""
    fine = Fraction(1, 9 << bits)
    found = plan(Problem(fine, 2 * fine, 3))
    assert (1 << 51) < found.cells[0] < (1 << 62)
    for seed in range(3):
        report = audit(found, runs=40_000, seed=seed)
        assert report.verdict == "no leak found"


def test_leaks_are_still_found_there() -> None:
    """Bisection's last query is one cell away, which a float could not tell."""
    fine = Fraction(1, 1 << 61)
    report = audit(plan(Problem(fine, 2 * fine, 3), method="bisection"), runs=2000)
    assert report.private is False
    assert max(report.adversaries, key=lambda rate: rate.wins).rate == 1


@pytest.mark.parametrize("size", [8, 1 << 40, 1 << 62])
def test_a_guess_wins_exactly_as_often_as_it_should(size: int) -> None:
    """X* uniform on eight cells, the guess two cells in, radius 3/2: 3 of 8, wherever they lie."""
    random = np.random.default_rng(0)
    start = random.integers(size // 8, size=200_000) * 8
    cell, offset = start + random.integers(8, size=200_000), random.random(200_000)
    won = near(start + 2, cell, offset, Fraction(3, 2))
    assert abs(won.mean() - 3 / 8) < 0.005
    if size < 1 << 50:
        again = np.abs(start + 2.0 - (cell + offset)) <= 1.5
        assert (near(start + 2.0, cell, offset, Fraction(3, 2)) == won).all()
        assert (again != won).mean() < 1e-3
    outside = near(np.full(3, 1e300), cell[:3], offset[:3], Fraction(size, 2))
    assert not outside.any()


def test_draws_follow_the_prior_on_any_lattice() -> None:
    """Odds 1:0:3 on thirds of a lattice that three does not divide."""
    random = np.random.default_rng(0)
    for size in (8, 1 << 50):
        cell, offset = Prior([1, 0, 3]).draw(size, 40_000, random)
        place = (cell + offset) / size
        counts = np.histogram(place, bins=3, range=(0, 1))[0]
        assert counts[1] == 0
        assert abs(counts[2] / 40_000 - 3 / 4) < 0.02
        assert 0 <= offset.min() < offset.max() < 1
    with pytest.raises(TooLarge, match="fewer bins"):
        Prior([1, 0, 3]).draw(1 << 61, 10, random)
    with pytest.raises(TooLarge, match="exact audit instead"):
        BestReply(staged(Problem("1/16", "1/4", 2), 1 << 50, (), 4, 3, (2, 2)))


def test_a_chunk_teaches_and_all_runs_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 7 queries a run 100 runs fit in a chunk: 100 others teach, and 1000 are measured."""
    for name in ("_BYTES", "_SPARSE"):
        monkeypatch.setattr(f"feint.simulate.run.{name}", 700 * 8)
    lessons = list[int]()

    class Pupil:
        name = "pupil"

        def fit(self, transcript: Transcript, targets: np.ndarray) -> "Pupil":
            lessons.append(len(targets))
            return self

        def guess(self, transcript: Transcript, random: np.random.Generator) -> np.ndarray:
            return np.zeros((len(transcript.points), 1))

    found = sample(GRID, [Pupil()], runs=1000, promise=Fraction(1, 4))
    assert lessons == [found.taught] == [100]
    assert found.runs == 1000


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (lambda heard, random: np.full(len(heard.points), np.nan), "infinite or none at all"),
        (lambda heard, random: np.full(len(heard.points), np.inf), "infinite or none at all"),
        (lambda heard, random: np.zeros(1), "one estimate per run"),
    ],
)
def test_what_is_no_guess_is_refused(guess: Any, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        audit(GRID, runs=100, adversaries=[guess])

    class Bare:
        name = "bare"

        def guess(self, transcript: Transcript, random: np.random.Generator) -> np.ndarray:
            return np.asarray(guess(transcript, random))

    with pytest.raises(InvalidValue, match=r"bare.*(infinite|one estimate)"):
        audit(GRID, runs=100, adversaries=[Bare()])


def test_workers_change_nothing(capsys: pytest.CaptureFixture[str], two: Processes) -> None:
    """A report is the same whoever plays the runs: with a prior, learners, values, a leak."""
    values = Problem("1/30", "1/10", 3, values=30)
    cases: list[tuple[Plan, dict[str, Any]]] = [
        (plan(Problem("1/64", "1/12", 3)), {"prior": Prior.named("peak", 8)}),
        (plan(Problem("1/64", "1/12", 3), method="bisection"), {"failure": 0.01}),
        (plan(values), {"seed": 5}),
        (plan(Problem("1/16", "1/4", 4, dim=2)), {"adversaries": ["learned", "uniform"]}),
    ]
    for found, options in cases:
        alone = audit(found, runs=3000, **options)
        assert audit(found, runs=3000, executor=two, **options) == alone
    words = ["audit", "--epsilon", "1/64", "--delta", "1/12", "--level", "3", "--runs", "3000"]
    told = []
    for flags in ([], ["--workers", "2"]):
        assert run([*words, *flags, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    assert run([*words[:-2], "--workers", "2"]) == 2
    assert "an exact audit is one piece of work" in capsys.readouterr().err


def test_ctrl_c_ends_an_audit() -> None:
    """Half of the runs are no audit: what they show is not what was shared out."""

    class Impatient(Serial):
        def map(
            self, function: Callable[[Task], Done], tasks: Iterable[Task]
        ) -> Iterator[tuple[int, Done]]:
            for number, result in super().map(function, tasks):
                yield number, result
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(plan(Problem("1/64", "1/12", 3)), runs=3000, executor=Impatient())


def test_a_strategy_that_breaks_its_contract_is_refused() -> None:
    class Between(Staged):
        """Asks between two boundaries."""

        def ask(self, state: Any) -> Any:
            return super().ask(state) + 0.5

    odd = staged(Problem("1/8", "1/4", 2), 8, (), 2, 2, (2, 2), Between)
    with pytest.raises(InvalidValue, match="must be whole numbers: boundaries of the lattice"):
        audit(odd, runs=100)


def test_a_plain_function_may_listen() -> None:
    report = audit(GRID, runs=100, adversaries=[middle, lambda heard, random: heard.points[:, 0]])
    assert [rate.name for rate in report.adversaries] == ["middle", "<lambda>"]
    nobody: Any = 7
    with pytest.raises(InvalidValue, match="a name, an adversary or a function"):
        audit(GRID, runs=100, adversaries=[nobody])
