"""Distributions that bins describe badly: no stated distance and no promise is below the truth.

The truth is brute force: a finite sum for the distance, and for her success a plan that is played
for every cell and coin, the number drawn by the distribution as stated (`tests.support.mixtures`).
"""

from __future__ import annotations

import json
import random
from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from tests.support.examples import later
from tests.support.mixtures import HIGH, KINDS, LOW, STRETCH, Mixture, drawn

from feint import Domain, Problem, Search, find, plan
from feint.audit import Prior, audit
from feint.cli.app import run
from feint.errors import InvalidValue, NoPlan, OutOfRegime
from feint.planning import Plan, compare, keeps, methods
from feint.problem import Line

LINE = Domain(int(LOW), int(HIGH))
SHOP = Domain(0, 200, label="price")
MANY = 12 * KINDS  # in each of the long tests
ASKED = (("0.25", "0.5", 2), ("0.25", "0.5", 4), ("0.5", 1, 3), ("0.2", "0.4", 4), ("0.25", 1, 2))


def read(seed: int) -> tuple[Mixture, Prior]:
    """A random distribution, and the prior made of it, in few bins or in as many as it takes."""
    mixture = drawn(seed)
    bins = random.Random(seed).choice((None, None, None, 1, 2, 8, 40))
    return mixture, LINE.prior(mixture, bins=bins)


def distance_holds(seed: int) -> None:
    mixture, prior = read(seed)
    assert prior.distance is not None
    assert prior.distance >= mixture.distance(prior.weights, LOW, HIGH) - 1e-9


def promise_holds(seed: int) -> Plan | None:
    """Plan for a random distribution, and let the best eavesdropper play; None: it is refused."""
    mixture, prior = read(seed)
    epsilon, delta, level = random.Random(-seed).choice(ASKED)
    try:
        problem = LINE.problem(epsilon=epsilon, delta=delta, level=level, prior=prior)
    except OutOfRegime:
        return None
    found = plan(problem, domain=LINE)
    assert found.private
    assert found.promised is not None
    assert mixture.success(found) <= float(found.promised) + 1e-9
    return found


@pytest.mark.parametrize("seed", range(5 * KINDS))
def test_no_distance_is_understated(seed: int) -> None:
    distance_holds(seed)


@pytest.mark.parametrize("seed", later(range(5 * KINDS), range(2 * KINDS, 5 * KINDS)))
def test_no_promise_is_broken_under_the_distribution_as_stated(seed: int) -> None:
    promise_holds(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(5 * KINDS, 5 * KINDS + 7 * MANY, MANY))
def test_no_distance_of_six_hundred_is_understated(first: int) -> None:
    for seed in range(first, first + MANY):
        distance_holds(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(5 * KINDS, 5 * KINDS + 12 * MANY, MANY))
def test_no_promise_of_six_hundred_is_broken(first: int) -> None:
    """Half of them at least have a plan, of every kind but points alone: those hide nothing."""
    planned = Counter[int]()
    for seed in range(first, first + MANY):
        planned[seed % KINDS] += promise_holds(seed) is not None
    assert planned.total() >= 50
    assert all(planned[kind] for kind in range(KINDS) if kind != 1)
    assert not planned[1]


def test_points_in_neighbouring_stretches_are_seen() -> None:
    """Clusters of equal points look like a density to who knows only the masses of stretches."""
    for count in (3, 4, 10, 40):
        first = 5 + STRETCH / 3
        dots = [(first + k * STRETCH, 0.2 / count) for k in range(count)]
        mixture = Mixture.of(dots, [(LOW, HIGH, 0.8)])
        prior = LINE.prior(mixture)
        assert prior.distance is not None
        assert 0.2 - 1e-9 <= mixture.distance(prior.weights, LOW, HIGH) <= prior.distance < 0.21


class Cluster:
    """Points, and an even density that holds four fifths; the cdf takes one number at a time."""

    def __init__(self, points: list[float]) -> None:
        self.points = points

    def cdf(self, x: float) -> float:
        even = (min(max(x, LOW), HIGH) - LOW) / (HIGH - LOW)
        return 0.8 * even + 0.2 * bisect_right(self.points, x) / len(self.points)


def test_a_cluster_is_seen_if_a_cdf_takes_one_number_at_a_time() -> None:
    """Two hundred points within sixteen pieces, so near each other that halves weigh the same."""
    points = [5 + k * STRETCH * 16 / 200 for k in range(200)]
    mixture = Mixture.of([(each, 0.2 / 200) for each in points], [(LOW, HIGH, 0.8)])
    prior = LINE.prior(Cluster(points))
    assert prior.distance is not None
    assert 0.2 - 1e-9 <= mixture.distance(prior.weights, LOW, HIGH) <= prior.distance < 0.21


class Halves:
    """A whole number below 10 000 plus something uniform up to a half."""

    def cdf(self, x: Any) -> Any:
        whole = np.floor(x)
        return np.clip((whole + np.minimum(2 * (np.asarray(x) - whole), 1)) / 10_000, 0, 1)


class Teeth:
    """A share of the mass in teeth, each as wide as the gap after it; the rest is even.

    With a number of blocks all of it lies in as many of these, again half of the range.
    """

    def __init__(self, teeth: int, share: float, blocks: int = 0) -> None:
        self.teeth, self.share, self.blocks = teeth, share, blocks

    def cdf(self, x: Any) -> Any:
        at = np.clip(x, 0, 1)
        at = _filled(at, self.blocks) if self.blocks else at
        return (1 - self.share) * at + self.share * _filled(at, self.teeth)

    @property
    def distance(self) -> float:
        """Half of the share lies above an even density, or above that of the blocks."""
        return self.share / 2 if not self.blocks else (1 + self.share / 2) / 2


def _filled(at: Any, count: int) -> Any:
    """The cdf of what is even on the first half of each of some equal stretches."""
    whole = np.floor(at * count)
    return (whole + np.minimum(2 * (at * count - whole), 1)) / count


@pytest.mark.parametrize(
    "teeth",
    [
        Teeth(1_600_000, 0.35),  # 100 to a piece: seen by deep probes, and lost once it was split
        Teeth(1_600_000, 0.05),  # too slight for an odd piece, and in every piece
        Teeth(1_600_000, 0.12),
        Teeth(3_000_000, 0.9, 7000),  # fine within coarse
    ],
)
@pytest.mark.parametrize("bins", [None, 3])
def test_what_is_finer_than_pieces_is_counted(teeth: Teeth, bins: int | None) -> None:
    prior = Domain(0, 1).prior(teeth, bins=bins)
    assert prior.distance is not None
    assert prior.distance >= teeth.distance - 1e-6


@pytest.mark.parametrize(
    ("high", "stated", "bins", "widths", "level", "told"),
    [
        (200, "normal(100, 15)", 2, (1, 4), 4, r"in 2 bins .* as stated with 0\.67"),
        (10_000, Halves(), None, (".1", ".2"), 8, r"as stated with 0\.5"),
        (16_000, scipy.stats.randint(0, 16_000), None, (".25", ".5"), 4, r"with 1 at most.*step"),
    ],
)
def test_bins_that_hide_what_was_stated_promise_nothing(
    high: int, stated: Any, bins: int | None, widths: tuple[Any, Any], level: int, told: str
) -> None:
    """She won .331, .246 and .496 where .2475, .123 and .248 were promised."""
    domain = Domain(0, high)
    prior = domain.prior(stated, bins=bins)
    with pytest.raises(OutOfRegime, match=told):
        domain.problem(epsilon=widths[0], delta=widths[1], level=level, prior=prior)


def test_a_discrete_distribution_has_a_distance_of_one_on_an_interval_and_none_on_its_values() -> (
    None
):
    for law in (scipy.stats.randint(0, 17), scipy.stats.binom(16, 0.3), scipy.stats.poisson(8)):
        prior = LINE.prior(law)
        assert prior.distance == 1
        assert prior.atom == pytest.approx(max(law.pmf(range(17))) / law.cdf(16), rel=1e-9)
        exact = Domain(0, 16, step=1).prior(law)
        assert exact.distance is not None
        assert exact.distance < 1e-9
        shares = np.array(exact.weights, float) / exact.total
        assert shares == pytest.approx(law.pmf(range(17)) / law.cdf(16), abs=1e-9)


@pytest.mark.parametrize(
    "law",
    [
        scipy.stats.norm(7, 2),
        scipy.stats.norm(8, 0.05),
        scipy.stats.beta(2, 5, 0, 16),
        scipy.stats.beta(0.5, 0.5, 0, 16),
        scipy.stats.lognorm(0.7, 0, 5),
        scipy.stats.expon(0, 4),
        scipy.stats.gamma(2, 1.003, 1.5),
        scipy.stats.triang(0.3, 1.01, 11.7),
        scipy.stats.uniform(1.0007, 11.3),
        scipy.stats.arcsine(2, 9),
        scipy.stats.laplace(8.0004, 1),
    ],
)
@pytest.mark.parametrize("bins", [None, 30])
def test_a_density_costs_little_more_than_it_does(law: Any, bins: int | None) -> None:
    """By quadrature on a grid that is finer by far, and never finds more than there is."""
    prior = LINE.prior(law, bins=bins, warn=False)
    ends = np.linspace(LOW, HIGH, prior.bins * (-(-1_000_000 // prior.bins)) + 1)
    masses = np.diff(law.cdf(ends))
    odds = np.array(prior.weights, float) / prior.total
    each = len(masses) // prior.bins
    truth = np.abs(masses / masses.sum() - np.repeat(odds / each, each)).sum() / 2
    assert prior.distance is not None
    assert truth - 1e-8 <= prior.distance <= 1.1 * truth + 2e-4


NARROW = {
    "normal(7, 2)": scipy.stats.norm(7, 2),
    "normal(8, 0.0005)": scipy.stats.norm(8, 0.0005),
    "normal(8.0003, 0.0001)": scipy.stats.norm(8.0003, 0.0001),
    "uniform(8.0003, 8.0006)": scipy.stats.uniform(8.0003, 0.0003),
    "lognormal(3, 0.001)": scipy.stats.lognorm(3, 0, 0.001),
    "exponential(0.0002)": scipy.stats.expon(0, 0.0002),
    "beta(0.2, 0.3)": scipy.stats.beta(0.2, 0.3, 0, 16),
    "triangular(8, 8, 8.0007)": scipy.stats.triang(0, 8, 0.0007),
}


@pytest.mark.parametrize("words", NARROW)
@pytest.mark.parametrize("bins", [None, 7])
def test_laws_by_name_are_not_understated_where_they_are_narrow(
    words: str, bins: int | None
) -> None:
    """Between the quantiles of the same law by SciPy, wherever its peak lies in a stretch."""
    prior, law = LINE.prior(words, bins=bins, warn=False), NARROW[words]
    ends = np.linspace(LOW, HIGH, prior.bins + 1)
    quantiles = np.clip(law.ppf(np.linspace(0, 1, 20_001)), LOW, HIGH)
    marks = np.unique(np.concatenate((ends, quantiles)))
    masses = np.diff(law.cdf(marks))
    heap = np.concatenate(([0.0], np.cumsum(np.array(prior.weights, float) / prior.total)))
    binned = np.diff(np.interp(marks, ends, heap))
    truth = np.maximum(masses / masses.sum() - binned, 0).sum()
    assert prior.distance is not None
    assert prior.distance >= truth - 1e-8


FAR = Prior([1] * 4, distance=0.01, source="almost uniform")


@pytest.fixture(scope="module")
def far() -> Plan:
    return plan(SHOP.problem(epsilon=1, delta=4, level=4, prior=FAR), domain=SHOP)


def test_a_uniform_prior_keeps_its_distance(far: Plan) -> None:
    """What is promised has it added, and the plan is that of a uniform number with room for it."""
    assert far.problem.prior == (FAR,)
    assert far.problem.distance >= Fraction(0.01)
    assert far.adversary_success is not None
    assert far.promised == far.adversary_success + far.problem.distance
    assert far.private
    assert far.promised <= Fraction(1, 4)
    even = plan(SHOP.problem(epsilon=1, delta=4, level=4), domain=SHOP)
    assert even.queries <= far.queries <= even.queries + 2
    assert far.to_dict()["stated_success"] == pytest.approx(float(far.promised))
    assert far.problem.to_dict()["prior"][0]["distance"] == 0.01


def test_no_distance_costs_no_question(far: Plan) -> None:
    even = SHOP.problem(epsilon=1, delta=4, level=4)
    for distance in (0.0, 1e-4, 2e-3):  # 1/4 less what she wins with leaves as much room
        prior = Prior([1] * 4, distance=distance)
        near = SHOP.problem(epsilon=1, delta=4, level=4, prior=prior)
        assert plan(near, domain=SHOP).queries == plan(even, domain=SHOP).queries
        assert methods(near, domain=SHOP) == methods(even, domain=SHOP)
    assert {each.method for each in compare(far.problem, domain=SHOP)} >= {"tight", "grid"}


def test_a_method_that_leaves_no_room_for_the_distance_is_not_certified() -> None:
    near = Prior([1], distance=0.01)
    problem = Problem("1/100", "1/4", 4, prior=Prior([1]))
    assert plan(problem, method="grid").private
    with pytest.raises(OutOfRegime, match=r"in 1 bin a guess .* 0\.25, and .* with 0\.26 at most"):
        Problem("1/100", "1/4", 4, prior=near)
    halved = plan(Problem("1/100", "1/8", 2, prior=near), method="bisection")
    assert halved.certificate is None
    assert not halved.private
    shown = plan(Problem("1/100", "1/8", 2, prior=near), method="tight", margin="1.1")
    assert shown.margin is not None
    assert shown.margin >= Fraction(11, 10)


def test_of_several_numbers_the_distances_add_up() -> None:
    both = (Prior([1], distance=0.01), Prior([1, 1], distance=0.02))
    found = plan(SHOP.problem(epsilon=5, delta=20, level=4, dim=2, prior=both), domain=SHOP)
    assert found.problem.distance >= Fraction(0.01) + Fraction(0.02)
    assert found.private
    assert found.adversary_success is not None
    assert found.adversary_success + found.problem.distance <= Fraction(1, 4)


def test_at_level_one_and_in_the_worst_case_a_distance_says_nothing() -> None:
    one = SHOP.problem(epsilon=1, delta=4, level=1)
    far = SHOP.problem(epsilon=1, delta=4, level=1, prior=FAR)
    assert plan(far, domain=SHOP).queries == plan(one, domain=SHOP).queries
    worst: dict[str, Any] = {"epsilon": 1, "delta": 4, "level": 4, "setting": "deterministic"}
    assert SHOP.problem(**worst, prior=FAR) == SHOP.problem(**worst)


def test_a_promise_is_kept_up_to_the_distance_and_what_rounding_adds() -> None:
    """1/4 less the distance is kept and no more; rounded questions add a millionth of 1/4."""
    prior = Prior([1, 2], distance=0.01)
    problem = SHOP.problem(epsilon=1, delta=4, level=4, prior=prior)
    most, least = Fraction(1, 4) - problem.distance, Fraction(1, 10**12)
    assert keeps(most, problem, None)
    assert not keeps(most + least, problem, None)
    assert keeps(Fraction(1, 4), problem, None, distance=Fraction(0))
    rounded = [None, Line(Fraction(0), Fraction(1), 3, tick=Fraction(1, 1000))]
    assert keeps(most + Fraction(1, 4 * 10**6), problem, rounded)
    assert not keeps(most + Fraction(1, 4 * 10**6) + least, problem, rounded)
    alone = SHOP.problem(epsilon=1, delta=4, level=1, prior=prior)
    assert keeps(Fraction(1), alone, None)  # nobody wins more often than always


def test_audits_add_the_distance_of_a_uniform_prior(far: Plan) -> None:
    assert audit(far).private
    even = plan(SHOP.problem(epsilon=1, delta=4, level=4), domain=SHOP)
    report = audit(even, prior=FAR)
    assert report.private is False
    assert report.verdict == "not shown to be private"
    assert any("almost uniform" in each for each in report.assumptions)
    further = Prior([1] * 4, distance=0.02)
    assert audit(far, prior=further).private is False
    assert "planned for" in audit(far, prior=further).theorem
    assert "planned for" not in audit(far).theorem


@pytest.mark.parametrize("kind", ["noisy", "sampled", "repeated"])
def test_sampled_audits_tell_that_their_figures_are_those_of_the_bins(kind: str) -> None:
    noise: dict[str, Any] = {} if kind == "sampled" else {"p": ".9", "confidence": ".8"}
    how: dict[str, Any] = {"seed": 1, "runs": 40}
    how |= {"repeat": 2, "fresh_keys": True} if kind == "repeated" else {}
    found = plan(SHOP.problem(epsilon=4, delta=16, level=2, **noise), domain=SHOP)
    told = "under the distribution as stated she may win 0.4000 more often"
    assert not any(told in each for each in audit(found, **how).notes)
    report = audit(found, prior=Prior([1] * 4, distance=0.4), **how)
    assert any(told in each for each in report.notes)
    assert report.private is not True
    if kind == "noisy":  # she wins about half of the time in the bins, and 0.9 is above 1/2
        assert report.verdict == "cannot be told from these transcripts"


def test_a_saved_search_keeps_the_distance(far: Plan) -> None:
    search = Search(far)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, query.value <= Fraction("87.4"))
        search = Search.from_json(search.to_json())
    assert search.plan == far
    assert search.plan.promised == far.promised
    assert search.result.high - search.result.low <= 1


def test_a_noisy_plan_keeps_the_distance_too() -> None:
    asked: dict[str, Any] = {"epsilon": 4, "delta": 16, "level": 2, "p": ".9", "confidence": ".9"}
    found = plan(SHOP.problem(**asked, prior=FAR), domain=SHOP)
    assert found.private
    assert found.adversary_success is not None
    assert found.adversary_success <= Fraction(1, 2) - Fraction(0.01)
    assert found.losses is not None
    assert found.losses["thin"] >= 0.01  # a plan misses more often at some places than at others
    assert found.losses["total"] <= found.losses["allowed"]
    with pytest.raises(NoPlan):  # of the tenth that may be missed nothing would be left
        plan(SHOP.problem(**asked, prior=Prior([1] * 4, distance=0.2)), domain=SHOP)
    average = {key: asked[key] for key in asked if key != "confidence"}
    assert plan(SHOP.problem(**average, prior=Prior([1] * 4, distance=1e-3)), domain=SHOP).private
    with pytest.raises(NoPlan):  # 0.02 of the range is all of epsilon
        plan(SHOP.problem(**average, prior=FAR), domain=SHOP)
    # Laws of equal odds are told apart by their distance, where that counts against accuracy.
    pair = [Prior([4, 4, 1], distance=0), Prior([4, 4, 1], distance=0.2)]
    with pytest.raises(InvalidValue):
        plan(SHOP.problem(**asked | {"level": 6}, dim=2, prior=pair), domain=SHOP)


def test_the_command_line_tells_the_distance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "prior.json"
    file.write_text(json.dumps({"prior": FAR.to_dict()}), "utf-8")
    words = ["plan", "--low", "0", "--high", "200", "--epsilon", "1", "--delta", "4"]
    words += ["--level", "4", "--prior-file", str(file), "--method", "tight"]
    assert run(words) == 0
    said = capsys.readouterr().out
    assert "Planned for almost uniform, read into 4 bins." in said
    assert "Under the law as stated, before it was binned, she wins 24.25 % at most." in said
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problem"]["prior"][0]["distance"] == 0.01


def test_find_leaves_room_for_the_distance() -> None:
    result = find(lambda x: x <= 87, low=0, high=200, epsilon=1, delta=4, level=4, prior=FAR)
    assert result.low <= 87 <= result.high
