"""Simulation: digits that do not depend on who does the work, and agreement with exact values."""

import math
import signal
import time
import tracemalloc
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.adversaries import Blind, Last, Middle
from tests.support.examples import examples
from tests.support.strategies import staged

from feint import InvalidValue, Problem
from feint.audit import Prior, audit
from feint.errors import TooLarge, WorkerLost
from feint.interfaces import UNASKED, Done, Round, Strategy, Task
from feint.planning import plan
from feint.problem import Transcript
from feint.simulate import (
    Processes,
    Serial,
    Simulation,
    bernstein,
    clopper_pearson,
    play,
    simulate,
)
from feint.simulate.adversaries import named, standard
from feint.simulate.place import near
from feint.simulate.run import chunk_size
from feint.strategies import Scalar

SMALL = Problem("2^-10", "2^-5", 4)
WIDE = Problem("2^-20", "2^-8", 15)
ADVERSARIES = (Blind(), Middle(), Last())


def strategy(problem: Problem = SMALL, method: str = "tight") -> Strategy:
    return plan(problem, method=method).strategy


def digits(found: Simulation) -> object:
    """Everything a simulation says, as one comparable value."""
    return found.to_dict(), found.tally.near.tolist()


def test_two_processes_give_the_same_digits_as_one_and_as_none(two: Processes) -> None:
    runs = 3 * chunk_size(strategy()) + 5
    serial = simulate(strategy(), runs=runs, adversaries=ADVERSARIES, seed=7, executor=Serial())
    parallel = simulate(strategy(), runs=runs, adversaries=ADVERSARIES, seed=7, executor=two)
    assert serial.runs == runs
    assert digits(parallel) == digits(serial)


def test_another_seed_gives_other_digits() -> None:
    one, other = (simulate(strategy(), runs=500, adversaries=[Blind()], seed=s) for s in (1, 2))
    assert one.mean_error != other.mean_error


def test_who_else_listens_changes_nothing() -> None:
    alone = simulate(strategy(), runs=900, adversaries=[Blind()])
    company = simulate(strategy(), runs=900, adversaries=[Last(), Blind()])
    assert alone.adversaries[0] == company.adversaries[1]
    assert alone.mean_error == company.mean_error


def test_order_of_arrival_changes_nothing() -> None:
    class Backwards(Serial):
        def map(
            self, function: Callable[[Task], Done], tasks: Iterable[Task]
        ) -> Iterator[tuple[int, Done]]:
            return reversed(list(super().map(function, tasks)))

    runs = 4 * chunk_size(strategy())
    forwards = simulate(strategy(), runs=runs, adversaries=ADVERSARIES)
    assert digits(forwards) == digits(
        simulate(strategy(), runs=runs, adversaries=ADVERSARIES, executor=Backwards())
    )


def test_blind_adversaries_win_as_often_as_they_must() -> None:
    """P{|U − X*| ≤ δ/2} = δ − δ²/4 for a uniform guess, δ for the middle."""
    delta = float(SMALL.delta)
    found = simulate(strategy(), runs=40_000, adversaries=ADVERSARIES, failure="0.0001")
    blind, middle, _ = found.adversaries
    assert blind.interval[0] <= delta - delta**2 / 4 <= blind.interval[1]
    assert middle.interval[0] <= delta <= middle.interval[1]


def test_bisection_hides_nothing_and_its_error_is_uniform() -> None:
    found = simulate(strategy(method="bisection"), runs=20_000, adversaries=[Last()])
    assert found.adversaries[0].success == 1.0
    assert found.miss_rate == 0
    low, high = found.mean_error_interval
    assert low <= float(SMALL.epsilon) / 4 <= high
    edges, counts = found.errors
    assert counts.sum() == found.runs
    assert counts[edges[1:] > float(SMALL.epsilon) / 2].sum() == 0


@given(st.integers(2, 60), st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32))
@examples(40)
def test_whole_values_are_found_and_a_window_of_d_values_catches_d(
    values: int, width: int, level: int, seed: int
) -> None:
    if level * width > values:
        values = level * width
    problem = Problem(Fraction(1, values), Fraction(width, values), level, values=values)
    found = simulate(strategy(problem), runs=50, adversaries=[Middle()], seed=seed)
    assert found.miss_rate == 0
    assert found.mean_error == 0
    everything = simulate(strategy(problem), runs=4000, adversaries=[Middle()], seed=seed)
    low, high = clopper_pearson(everything.tally.wins[0], 4000, 1e-7)
    assert low <= width / values <= high


def test_queries_near_the_number() -> None:
    """By hand on the played runs: how many queries lie within δ/2 of X*."""
    search = strategy(WIDE)
    found = simulate(search, runs=300)
    assert found.queries == 199
    assert found.tally.near.sum() == 300
    # Each of the last 12 queries in the true part but the first few is within δ/2 of X*.
    assert 10 < found.near < 14
    grid = simulate(strategy(Problem("1/64", "1/8", 4), "grid"), runs=2000)
    # A window of δ = 8 cells holds 8 boundaries, fewer at the ends; expected 8 − 1/4 · … by sum.
    inside = [
        sum(abs(q - x - u) <= 4 for q in range(1, 64)) for x in range(64) for u in (0.25, 0.75)
    ]
    assert grid.near == pytest.approx(np.mean(inside), abs=0.15)


def near_on_grid(cells: int, width: int) -> float:
    """X* in cell x: boundaries x − width/2 + 1 to x + width/2 are near, of 1 to cells − 1."""
    return float(
        np.mean(
            [min(cells - 1, x + width // 2) - max(1, x - width // 2 + 1) + 1 for x in range(cells)]
        )
    )


def test_the_interval_of_near_queries_shrinks_with_the_runs() -> None:
    """Four times the runs leave between a quarter and a half of it."""
    search = strategy(Problem("1/64", "1/8", 4), "grid")
    few, many = (simulate(search, runs=runs, failure="0.0001") for runs in (2000, 8000))
    for found in (few, many):
        low, high = found.near_interval
        assert low <= near_on_grid(64, 8) <= high
        assert low < found.near < high
        assert found.to_dict()["near_interval"] == [low, high]
    widths = [high - low for low, high in (few.near_interval, many.near_interval)]
    assert widths[0] / 4 < widths[1] < widths[0] / 2


@pytest.mark.parametrize("runs", [2, 20, 100, 400])
def test_the_interval_of_near_queries_holds_at_any_number_of_runs(runs: int) -> None:
    """Nearly every run has 8 of them, and few runs know that one in 64 has fewer."""
    search, exact = strategy(Problem("1/512", "1/64", 4), "grid"), near_on_grid(512, 8)
    assert 7.9 < exact < 8
    held = 0
    for seed in range(300):
        low, high = simulate(search, runs=runs, seed=seed).near_interval
        held += low <= exact <= high
    assert held >= 0.99 * 300


def test_bernstein_is_the_theorem_of_maurer_and_pontil() -> None:
    """One side with δ: √(2V ln(2/δ)/n) + 7 ln(2/δ)/(3(n − 1)); here δ is half the failure."""
    log = math.log(2 / 0.005)
    values = np.array([0.0, 0.0, 0.5, 1.0])
    spread = (2 * 0.375**2 + 0.125**2 + 0.625**2) / 3  # about the mean 0.375
    wanted = math.sqrt(2 * spread * log / 4) + 7 * log / (3 * 3)
    assert bernstein(values, 0.01) == pytest.approx(wanted)
    apart, counts = np.array([0.0, 0.5, 1.0]), np.array([2, 1, 1])
    assert bernstein(apart, 0.01, counts=counts) == pytest.approx(wanted)
    # A coin that falls 1 once in a thousand: fifty zeros must not exclude it.
    assert bernstein(np.zeros(50), 0.01) > 1 / 1000


def test_points_that_are_not_asked_are_not_near() -> None:
    """Boundaries from the left until "no": in cell x, of 1 to x + 1 the last three are near."""

    def stops(answers: tuple[tuple[bool, ...], ...], _: tuple[int, ...]) -> list[int]:
        return [len(answers) + 1 if all(yes for (yes,) in answers) else UNASKED]

    search = Scalar(Problem("1/8", "1/2", 2), 8, [Round("sweep", (0,))] * 7, stops)
    found = simulate(search, runs=4000, failure="0.0001")
    assert np.flatnonzero(found.tally.near).tolist() == [1, 2, 3]
    low, high = found.near_interval
    assert low <= (1 + 2 + 5 * 3 + 2) / 8 <= high
    assert high - low < 0.5


def test_memory_does_not_grow_with_the_runs() -> None:
    """Chunks arrive, each with arrays of its own, and only their sum is kept."""

    class Instant(Serial):
        def map(
            self, function: Callable[[Task], Done], tasks: Iterable[Task]
        ) -> Iterator[tuple[int, Done]]:
            model: Any = None
            for number, task in enumerate(tasks):
                model = model or function(task)
                yield number, replace(model, near=model.near.copy(), errors=model.errors.copy())

    search = strategy(WIDE)
    size = chunk_size(search)
    peaks = []
    for chunks in (200, 4_000):
        tracemalloc.start()
        found = simulate(search, runs=chunks * size, executor=Instant())
        tracemalloc.reset_peak()
        again = simulate(search, runs=chunks * size, executor=Instant())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.runs == again.runs == chunks * size
    assert peaks[1] < peaks[0] + 100_000  # 4 000 tallies of 200 and some numbers: 7 million bytes


def test_ctrl_c_returns_what_is_done() -> None:
    class Impatient(Serial):
        def map(
            self, function: Callable[[Task], Done], tasks: Iterable[Task]
        ) -> Iterator[tuple[int, Done]]:
            for number, result in super().map(function, tasks):
                if number == 2:
                    raise KeyboardInterrupt
                yield number, result

    size = chunk_size(strategy())
    found = simulate(strategy(), runs=5 * size, adversaries=ADVERSARIES, executor=Impatient())
    assert (found.runs, found.wanted) == (2 * size, 5 * size)
    assert digits(replace(found, wanted=2 * size)) == digits(
        simulate(strategy(), runs=2 * size, adversaries=ADVERSARIES)
    )


def test_processes_do_not_finish_what_nobody_waits_for() -> None:
    """Or to close them would take as long as their tasks."""
    with Processes(2) as two:
        arriving = two.map(time.sleep, iter([0.0, 3600.0, 3600.0, 3600.0]))
        assert next(arriving) == (0, None)
        assert isinstance(arriving, Generator)
        arriving.close()


def test_a_worker_that_dies_is_an_error_and_nothing_hangs() -> None:
    with Processes(2) as two, pytest.raises(WorkerLost, match="one of 2 workers died"):
        list(two.map(signal.raise_signal, iter([signal.SIGKILL] * 4)))


def test_an_eavesdropper_with_something_to_fit_is_fitted_first(two: Processes) -> None:
    """Bisection ends at the number: whoever has listened before knows which query to trust."""
    search = strategy(method="bisection")
    pair = [named("learned", SMALL, search.cells), Last()]
    found = simulate(search, runs=500, adversaries=pair)
    assert [each.success for each in found.adversaries] == [1.0, 1.0]
    assert (found.runs, found.taught) == (500, 500)
    assert digits(simulate(search, runs=500, adversaries=pair, executor=two)) == digits(found)


def test_one_run_has_wide_intervals() -> None:
    found = simulate(strategy(), runs=1)
    assert found.mean_error_interval == (0.0, 1.0)
    assert found.near_interval == (0.0, found.queries)


def test_many_workers_fit_by_default_and_compiled_loops_count() -> None:
    class Crowd(Serial):
        workers = 64

    assert simulate(strategy(), runs=1, executor=Crowd()).runs == 1
    noisy = strategy(Problem("1/50", "1/10", 2, p="0.9", confidence="0.9"))
    with pytest.raises(TooLarge, match="memory"):
        simulate(noisy, runs=1, memory=200 << 20)
    assert simulate(noisy, runs=1).runs == 1


def test_half_of_the_runs_are_not_passed_on() -> None:
    found = simulate(strategy(), runs=10)
    assert found.finished() is found
    with pytest.raises(KeyboardInterrupt):
        replace(found, wanted=11).finished()


def test_few_long_noisy_runs_are_compiled_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk of long runs has few rows, but many in all; a few short runs do not repay numba."""
    search = plan(Problem("1/50", "1/10", 2, p="0.9", confidence="0.9")).strategy
    rounds = len(search.rounds)
    wanted: list[object] = []

    def plain(loop: Callable[..., object]) -> Callable[..., object]:
        wanted.append(loop)
        return loop

    monkeypatch.setattr("feint.beliefs.compiled._numba", plain)
    monkeypatch.setattr("feint.beliefs.compiled._LONG", 20 * rounds)
    simulate(search, runs=19)
    assert not wanted
    simulate(search, runs=20)
    assert wanted


def test_progress_counts_runs() -> None:
    told: list[tuple[str, int, int]] = []
    size = chunk_size(strategy())
    simulate(strategy(), runs=size + 3, progress=lambda *step: told.append(step))
    assert told == [("runs", size, size + 3), ("runs", size + 3, size + 3)]


@pytest.mark.parametrize(("wins", "runs"), [(0, 10), (10, 10), (3, 10), (50, 1000)])
def test_intervals_are_those_of_clopper_and_pearson(wins: int, runs: int) -> None:
    """At the low end P{≥ wins} is half of the failure, at the high end P{≤ wins}."""

    def at_least(p: float) -> float:
        few = range(wins)
        return 1 - math.fsum(math.comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in few)

    def at_most(p: float) -> float:
        few = range(wins + 1)
        return math.fsum(math.comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in few)

    low, high = clopper_pearson(wins, runs, 0.05)
    assert low == 0 if wins == 0 else at_least(float(low)) == pytest.approx(0.025)
    assert high == 1 if wins == runs else at_most(float(high)) == pytest.approx(0.025)


def test_bad_arguments_are_refused_with_a_remedy() -> None:
    with pytest.raises(InvalidValue, match="runs"):
        simulate(strategy(), runs=0)
    for failure in (0, 1, "0.99999999999999999999", "1e-320"):
        with pytest.raises(InvalidValue, match=r"failure = .*: (must lie strictly|as a fraction)"):
            simulate(strategy(), runs=1, failure=failure)
    for looks in ((3, 3), (7, 5), (10,), (0,)):
        with pytest.raises(InvalidValue, match="looks"):
            simulate(strategy(), runs=10, looks=looks)
    with pytest.raises(InvalidValue, match="different names"):
        simulate(strategy(), runs=1, adversaries=[Last(), Last()])
    with pytest.raises(TooLarge, match=r"memory = 1 megabytes: .*allow .* megabytes"):
        simulate(strategy(), runs=1, memory=1 << 20)
    with pytest.raises(InvalidValue, match="workers"):
        Processes(0)


def test_play_writes_where_it_is_told() -> None:
    search, random = strategy(), np.random.default_rng(1)
    targets = random.integers(search.cells[0], size=(40, 1))
    plain = play(search, targets, np.random.default_rng(2))
    rows, columns = plain.transcript.points.shape
    for out in (np.zeros((rows, columns), np.int64), np.zeros((columns, rows), np.int64).T):
        again = play(search, targets, np.random.default_rng(2), out=out)
        assert again.transcript.points is out
        assert (out == plain.transcript.points).all()


def test_a_prior_decides_where_the_number_is() -> None:
    """Odds 1:0:3 on thirds, nothing listened to: the middle third never holds X*."""
    problem = Problem("1/24", "1/3", 3)
    search = strategy(problem, "grid")
    prior = Prior([1, 0, 3])
    found = simulate(search, runs=20_000, adversaries=[Middle()], prior=prior)
    assert found.tally.wins == (0,)
    wide = simulate(search, runs=20_000, adversaries=[Middle()], prior=prior, delta="2/3")
    low, high = wide.adversaries[0].interval
    assert low <= 1 / 2 <= high  # from 1/6 to 5/6: half of either outer third
    again = simulate(search, runs=20_000, adversaries=[Middle()], prior=prior, delta="2/3")
    assert digits(wide) == digits(again)
    assert simulate(search, runs=500, prior=Prior([1, 1, 0])).tally.errors.sum() == 500


def test_a_wider_window_wins_as_often_as_it_should() -> None:
    """The grid tells nothing: the middle wins with δ, whatever the strategy's own δ is."""
    search = strategy(Problem("1/64", "1/8", 4), "grid")
    for delta in ("1/8", "1/3", "3/4"):
        found = simulate(search, runs=40_000, adversaries=[Middle()], delta=delta, failure="1e-6")
        low, high = found.adversaries[0].interval
        assert low <= Fraction(delta) <= high


def test_runs_end_at_the_look_that_says_so(two: Processes) -> None:
    seen = list[int]()

    def enough(found: Simulation) -> bool:
        seen.append(found.runs)
        return found.runs >= 300

    options: dict[str, Any] = {"adversaries": ADVERSARIES, "looks": (100, 300, 500)}
    found = simulate(strategy(), runs=1000, stop=enough, **options)
    assert seen == [100, 300]
    assert (found.runs, found.wanted) == (300, 300)
    assert found.finished() is found
    whole = simulate(strategy(), runs=1000, **options)
    assert (whole.runs, whole.wanted) == (1000, 1000)
    parallel = simulate(strategy(), runs=1000, stop=enough, executor=two, **options)
    assert digits(parallel) == digits(found)


def test_the_worst_error_is_that_of_an_exact_audit() -> None:
    """Every cell of a small lattice is drawn: of an accurate plan, and of one that is not."""
    for search in (
        strategy(Problem("1/64", "1/12", 3)),
        strategy(Problem("1/30", "1/10", 3, values=30)),
        staged(Problem("1/8", "1/4", 2), 8, (), 2, 2, (2,)),
        strategy(Problem("1/16", "1/4", 4, dim=2)),
    ):
        assert simulate(search, runs=2000).accuracy == audit(search).accuracy


@pytest.mark.parametrize("bits", [49, 53, 57, 58])
def test_certified_plans_hold_on_lattices_finer_than_a_float(bits: int) -> None:
    """δ is two cells, so a place rounded to a float would be another: she would win too often."""
    fine = Fraction(1, 9 << bits)
    problem = Problem(fine, 2 * fine, 3)
    search = strategy(problem)
    found = simulate(
        search, runs=20_000, adversaries=standard(problem, search.cells), failure="1e-6"
    )
    assert max(each.low for each in found.adversaries) <= 1 / 3
    assert found.accuracy <= fine
    assert found.tally.near.sum() == 20_000
    assert found.near <= found.queries


@given(
    st.integers(1, 2**62 - 1),
    st.fractions(0, 2**40, max_denominator=997),
    st.integers(-3, 3),
    st.sampled_from([0.0, 0.25, 0.5, 0.75]),
    st.sampled_from([0.0, 0.125, 0.5, 0.875]),
)
def test_near_is_what_fractions_say(
    cell: int, radius: Fraction, steps: int, part: float, rest: float
) -> None:
    """Guesses around both ends of the window, whole ones exactly, others where a float can tell."""
    for end in (-radius, radius):
        whole = cell + math.floor(end) + steps
        guesses = [np.array([whole])]
        if abs(whole) < 1 << 50:
            guesses.append(np.array([whole + part]))
        for guess in guesses:
            gap = abs(Fraction(guess.tolist()[0]) - cell - Fraction(rest))
            if abs(gap - radius) > Fraction(1, 1 << 40) or radius.denominator in (1, 2, 4, 8):
                found = near(guess, np.array([cell]), np.array([rest]), radius)
                assert bool(found[0]) == (gap <= radius)


def test_the_names_before_still_work_and_say_so() -> None:
    """`coverage` was 1 minus the failure, and the learned query was the learnt one."""
    old: dict[str, Any] = {"coverage": "0.95"}
    with pytest.warns(DeprecationWarning, match="use failure=…"):
        found = simulate(strategy(), runs=10, **old)
    assert found.failure == 0.05
    with pytest.warns(DeprecationWarning, match=r"use Simulation\.failure"):
        assert found.coverage == 0.95
    assert named("learnt", SMALL, (64,)) == named("learned", SMALL, (64,))


def test_a_guess_that_is_no_number_is_refused() -> None:
    class Silent:
        name = "silent"

        def guess(self, transcript: Transcript, random: np.random.Generator) -> np.ndarray:
            return np.full((len(transcript.points), 1), np.nan)

    with pytest.raises(
        InvalidValue, match="adversary silent = a guess that is not finite: must guess numbers"
    ):
        simulate(strategy(), runs=10, adversaries=[Silent()])
