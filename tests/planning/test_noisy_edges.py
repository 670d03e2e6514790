"""Certificates and claims under noise at the ends of their ranges, beside sums worked out anew."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.noisy import missed

from feint import Domain, InvalidValue, NoPlan, Problem, plan
from feint.planning import methods
from feint.planning.noisy.certificates.calibrated import Calibrated
from feint.planning.noisy.certificates.exact import fewest_answers, misses
from feint.planning.noisy.certificates.theorem import Theorem
from feint.planning.noisy.claims import Division
from feint.strategies import vote

CONFIDENT = Problem("1/100", "1/10", 3, p="0.9", confidence="0.9")
ON_AVERAGE = Problem("1/100", "1/10", 3, p="0.9")


@pytest.mark.parametrize(("cells", "odds", "most"), [(3, 9, 33), (4, 9, 18)])
def test_a_walk_that_goes_on_from_a_shorter_one(cells: int, odds: int, most: int) -> None:
    """Past 16 and 32 answers it is never below the truth, and above it by rounding at most."""
    truth = missed(cells, most, odds)
    walked = misses(cells, Fraction(odds, odds + 1), "posterior", most)
    assert len(walked) > most
    for real, bound in zip(truth, walked, strict=False):
        assert real <= bound <= real + 1e-6


@pytest.mark.parametrize("answers", [0, 1, 16, 17, 32])
def test_a_walk_is_as_long_as_was_asked_for(answers: int) -> None:
    """From no answer on, which leaves a guess among three."""
    walked = misses(3, Fraction(9, 10), "posterior", answers)
    assert len(walked) > answers
    assert walked[0] == pytest.approx(2 / 3, abs=1e-8)


@pytest.mark.parametrize("miss", [0.2, 0.05, 0.01, 3e-4, 1e-5])
def test_the_fewest_answers_are_those_there_may_be(miss: float) -> None:
    """As many as are needed may be just as many as are allowed; with one fewer there are none."""
    p = Fraction(4, 5)
    found = fewest_answers(3, p, miss, 100)
    assert found is not None
    needed, lost = found
    assert fewest_answers(3, p, miss, needed) == found
    assert fewest_answers(3, p, miss, needed - 1) is None
    truth = missed(3, needed, 4)
    assert truth[needed] <= lost <= miss < min(truth[:needed]) + 1e-8


@pytest.mark.parametrize("cells", [3, 5, 40])
def test_a_bound_that_is_met_exactly_is_enough(cells: int) -> None:
    """By the bound alone, and nothing is asked where a guess may miss as often."""
    known = Theorem(Fraction(4, 5), walked=False)
    count, lost, _ = known.answers(cells, 0.01)
    assert known.answers(cells, lost) == (count, lost, "tilted")
    assert known.answers(cells, cells - 1.0)[:2] == (0, cells - 1.0)


@pytest.mark.parametrize("parts", [2, 5])
@pytest.mark.parametrize("problem", [CONFIDENT, ON_AVERAGE])
def test_what_is_quick_to_work_out_allows_no_less(problem: Problem, parts: int) -> None:
    division = Division(problem, 2, parts, 5)
    for repeats in range(1, 30):
        quick, sure = division.allowed(repeats, at_most=True), division.allowed(repeats)
        assert sure <= quick
        assert problem.confidence is None or sure == quick


@pytest.mark.parametrize("third", [0.0, 0.01, 0.03, 0.0999])
def test_what_is_left_for_the_first_search(third: float) -> None:
    """(1−e₁)(1−e₂)(1−e₃) comes to the confidence, and a mean error to what is allowed."""
    division = Division(CONFIDENT, 2, 3, 5)
    repeats = 25
    total = division.allowed(repeats)
    if third < total:
        first = division.rest(total, third)
        hit = (1 - first) * (1 - vote(3, repeats, 0.9).error) * (1 - third)
        assert 0.9 <= hit <= 0.9 + 1e-10
    assert division.rest(total, total) == 0
    assert division.rest(total, total * 1.5) == 0
    mean = Division(ON_AVERAGE, 2, 3, 5)
    assert mean.rest(0.25, third) == 0.25 - third


def test_one_part_needs_no_vote() -> None:
    for problem in (CONFIDENT, ON_AVERAGE):
        division = Division(problem, 1, 1, 100)
        assert division.privacy(0) == 1
        assert [division.least_kept(0, level) for level in (1, Fraction(3, 2), 2)] == [1, 2, 2]
        assert division.voted(0) == 0
        assert dict(division.losses(0, 0.0, 0.0))["cut"] == 0


def test_the_two_searches_lose_no_more_than_all_that_may_be() -> None:
    """A miss of the second is a part wide; a found cell of 1/(2·5·4) leaves a quarter of it."""
    assert Division(CONFIDENT, 2, 5, 4).most() == (0.1, 0.1)
    first, third = Division(ON_AVERAGE, 2, 5, 4).most()
    assert first == pytest.approx(1 / 200 - 1 / 160)
    assert third == pytest.approx(10 * first)


@pytest.mark.parametrize("seven", [True, False])
def test_the_papers_plan_where_its_parts_fill_the_range(seven: bool) -> None:
    """7·2 parts of 1/14 are the whole range; of anything wider there are too few."""
    delta = Fraction(1, 14) if seven else Fraction(1, 14) + Fraction(1, 10**9)
    problem = Problem("1/100", delta, 2, p="0.9", confidence="0.9")
    if seven:
        assert plan(problem, method="paper").private
    else:
        with pytest.raises(NoPlan, match=r"needs 7·level·delta .* so delta ≤ 1/14"):
            plan(problem, method="paper")


@pytest.mark.parametrize(
    ("problem", "there"),
    [
        (Problem("1/100", "1/20", 2, p="0.9"), True),
        (Problem("1/100", "1/20", 1, p="0.9"), False),
        (Problem("1/100", "1/20", 2, p="0.9", values=100), False),
    ],
)
def test_the_papers_plan_is_for_secrets_in_an_interval(problem: Problem, there: bool) -> None:
    assert ("paper" in methods(problem)) is there


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ("0.5", 90, "low = 1, high = 90 works"),
        (0, "89.5", "low = 0, high = 90 works"),
        ("0.5", "89.5", "low = 1, high = 90 works"),
    ],
)
def test_either_end_between_ticks_is_refused_under_noise(
    low: str | int, high: str | int, words: str
) -> None:
    domain = Domain(low, high, tick=1)
    problem = domain.problem(epsilon=3, delta=12, level=2, p="0.9", confidence="0.9")
    with pytest.raises(InvalidValue, match=words):
        plan(problem, domain=domain)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "feint"


@pytest.mark.parametrize("edge", [0, 500])
def test_counts_of_none_and_of_all_are_read(cache: Path, edge: int) -> None:
    """No run may miss, and so may every one: such counts are not simulated again."""
    p = Fraction(9, 10)
    Calibrated(p, runs=500).answers(40, 0.05)
    for path in cache.iterdir():
        kept = json.loads(path.read_text())
        path.write_text(json.dumps(kept | {"missed": [edge] * len(kept["missed"])}))
    told: list[str] = []
    again = Calibrated(p, runs=500, progress=lambda what, *_: told.append(what))
    count, lost, _ = again.answers(40, 0.05)
    assert not told
    if edge == 0:
        assert count == 0
        assert 0 < lost <= 0.05
    else:
        assert (count, lost) == Theorem(p).answers(40, 0.05)[:2]


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(("seed", "runs"), [(0, 500), (1, 500), (0, 501)])
def test_counts_of_another_simulation_are_not_read(seed: int, runs: int) -> None:
    p, told = Fraction(9, 10), list[str]()
    Calibrated(p, 0, runs=500).answers(40, 0.05)
    again = Calibrated(p, seed, lambda what, *_: told.append(what), runs=runs)
    again.answers(40, 0.05)
    assert bool(told) is ((seed, runs) != (0, 500))


def test_one_cell_needs_no_simulation() -> None:
    assert Calibrated(Fraction(9, 10)).answers(1, 0.0) == (0, 0.0, "tilted")
