"""The parts that plans under a prior are made of, each against a count by hand or brute force."""

import itertools
import math
import random
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from tests.support.believed import best_window, random_weights
from tests.support.examples import later

from feint import Domain, Plan, Problem, plan
from feint.audit import Prior, audit
from feint.errors import InvalidValue
from feint.planning.decimals import power_of_ten
from feint.planning.noiseless import staged_table
from feint.planning.priors.layout import Ground
from feint.planning.priors.noisy import _beside, _finest, _scale
from feint.planning.priors.places import Divided, PriorLine, Values, bounds, heard
from feint.planning.priors.single import Point, _falls, _placed
from feint.planning.priors.stretched import _levels
from feint.planning.priors.weighted import Weighted, _pairs, _steps
from feint.planning.product import cheapest_mix
from feint.problem import Line
from feint.strategies import Product, StagedNoisy, StagedShape, Table

PEAK = Prior([1, 2, 1])
STEEP = Prior([1, 3])
FLAT = Prior([1])
HUNDRED = Domain(0, 100)


def transcripts(seed: int, places: int) -> tuple[list[list[int]], list[list[int]]]:
    """[pieces, transcripts] three pieces each, in order, some of them empty."""
    draw = random.Random(seed)
    columns = [sorted(draw.choices(range(places + 1), k=6)) for _ in range(5)]
    low = [[each[2 * piece] for each in columns] for piece in range(3)]
    return low, [[each[2 * piece + 1] for each in columns] for piece in range(3)]


@pytest.mark.parametrize("seed", range(6))
def test_what_windows_catch_is_exact_group_by_group(seed: int) -> None:
    """Windows of a fractional number of places, against every window that could be best."""
    weights, places, window = random_weights(seed, 7), 24, Fraction(17, 5)
    line = PriorLine(Line.of_cells(places, Prior(weights)), window, 1)
    groups = [transcripts(seed, places), transcripts(seed + 100, places)]
    found = line.caught([(np.array(low), np.array(high)) for low, high in groups])
    for (low, high), got in zip(groups, found, strict=True):
        wanted = Fraction(0)
        for begins, ends in zip(zip(*low, strict=True), zip(*high, strict=True), strict=True):
            pieces = [
                (Fraction(a, places), Fraction(b, places), Fraction(1))
                for a, b in zip(begins, ends, strict=True)
                if a < b
            ]
            if pieces:
                wanted += best_window(pieces, Prior(weights).weights, window / places)
        assert Fraction(got, line.mass) == wanted


def roughly(line: PriorLine, pieces: list[tuple[int, int]]) -> float:
    """The most of windows that begin or end with a piece, or lie at a quarter of the room in it."""
    weights, places, wide = line.prior.weights, line.cells, float(line.window)

    def below(at: float) -> float:
        at = min(max(at, 0.0), float(places)) * len(weights) / places
        full = int(at)
        part = weights[full] * (at - full) if full < len(weights) else 0.0
        return (sum(weights[:full]) + part) / sum(weights)

    starts = [float(low) for low, _ in pieces] + [high - wide for _, high in pieces]
    for low, high in pieces:
        starts += [low + (high - low - wide) * each / 4 for each in (1, 2, 3) if high - low > wide]
    return max(
        sum(
            max(0.0, below(min(at + wide, high)) - below(max(at, low)))
            for low, high in pieces
            if min(at + wide, high) > max(at, low)
        )
        for at in starts
    )


@pytest.mark.parametrize("seed", range(12))
def test_what_windows_catch_roughly(seed: int) -> None:
    """No fewer than the windows that are tried, no more than the best; what is held is the mass."""
    weights, places = random_weights(seed, 5), 30
    line = PriorLine(Line.of_cells(places, Prior(weights)), Fraction(9, 2), 1)
    low, high = transcripts(seed, places)
    rows = [(np.array(low), np.array(high)), (np.array(low)[:, :2], np.array(high)[:, :2])]
    exact = [Fraction(each, line.mass) for each in line.caught(rows)]
    quantile = line.coordinate(1.0).of
    for (begin, end), (most, held), best in zip(rows, line.roughly(rows), exact, strict=True):
        columns = [list(zip(begin[:, j], end[:, j], strict=True)) for j in range(begin.shape[1])]
        pieces = [[(int(a), int(b)) for a, b in each] for each in columns]
        assert most >= sum(roughly(line, each) for each in pieces) - 1e-12
        assert most <= best + 1e-12
        assert held == pytest.approx(float((quantile(end) - quantile(begin)).sum()))


def test_transcripts_are_spread_evenly() -> None:
    """Of ten, three: those in the middle of each third; with as many as wanted, all of them."""
    divided = Divided(np.arange(41).reshape(1, 41))
    low, high = divided.rows((10, 4), 3)
    assert low.tolist() == [[4, 20, 32]]
    assert high.tolist() == [[8, 24, 36]]
    for most in (10, 11):
        low, high = divided.rows((10, 4), most)
        assert low.tolist() == [list(range(0, 40, 4))]
        assert high.tolist() == [list(range(4, 44, 4))]


def test_what_is_left_before_the_last_step() -> None:
    """Two pieces a part: all of it before a last step of two, one piece after it."""
    divided = Divided(np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6]]))
    low, high = divided.last_pieces((2,))
    assert (low.tolist(), high.tolist()) == ([[0], [2], [4]], [[2], [4], [6]])
    low, high = divided.rows((2, 1), 9)  # after the first step all is found: nothing follows
    assert (low.tolist(), high.tolist()) == ([[0], [2], [4]], [[2], [4], [6]])
    low, high = divided.last_pieces((2, 1))
    assert low.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert high.tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("seed", later(range(4), {1, 3}))
def test_what_is_too_large_to_enumerate_is_bounded_by_the_theorem(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is no less than what the audit finds; with it the plan says "theorem"."""
    prior = Prior(random_weights(seed, 12))
    problem = HUNDRED.problem(epsilon=2, delta=10, level=3, prior=prior)
    exact = plan(problem, domain=HUNDRED)
    assert exact.certificate == "exact"
    monkeypatch.setattr("feint.planning.priors.layout.enumerated", lambda *_, **__: None)
    monkeypatch.setattr("feint.planning.priors.borrowed.enumerated", lambda *_, **__: None)
    found = plan(problem, domain=HUNDRED)
    assert found.certificate == "theorem"
    assert found.queries >= exact.queries
    success = audit(found).adversary_success
    assert success is not None
    assert found.adversary_success is not None
    assert success <= found.adversary_success <= Fraction(1, 3)


def test_a_prior_plan_says_what_its_enumeration_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip between what is planned and what is played cannot make a plan say too little."""
    problem = HUNDRED.problem(epsilon=2, delta=10, level=3, prior=[1, 2, 2, 1])

    def halving(problem: Problem, cells: int, shape: StagedShape) -> Table:
        return staged_table(problem, cells, StagedShape(hide=(2,) * (cells - 1).bit_length()))

    monkeypatch.setattr("feint.planning.priors.layout.staged_of", halving)
    monkeypatch.setattr("feint.planning.priors.layout.staged_table", halving)
    for method in ("tight", "bisection", "grid"):
        found = plan(problem, domain=HUNDRED, method=method)
        report = audit(found)
        assert report.adversary_success == found.adversary_success
        assert (found.certificate == "exact") == report.private


def test_places_of_a_coordinate() -> None:
    """Of 8 places the first four weigh a fourth: half of everything lies below 4 + 4/3."""
    line = PriorLine(Line.of_cells(8, STEEP), Fraction(1), 1)
    quantile, plain, half = (line.coordinate(each) for each in (1.0, 0.0, 0.5))
    assert quantile.of(np.array([0, 2, 4, 6, 8])).tolist() == [0, 1 / 8, 1 / 4, 5 / 8, 1]
    assert quantile.place(np.array([0.0, 0.124, 0.125, 0.25, 0.5, 1.0])).tolist() == [
        0,
        1,
        2,
        4,
        5,
        8,
    ]
    assert plain.place(np.arange(9) / 8).tolist() == list(range(9))
    assert half.of(np.array([4])).tolist() == [3 / 8]
    assert quantile.cut((0, 8), 4).tolist() == [0, 4, 5, 6, 8]


def test_pieces_are_as_few_as_the_accuracy_allows() -> None:
    """Three parts of 20 places: pieces of 5 at most are four, of 6 are four, of 7 three."""
    for accuracy, pieces in ((4, 5), (5, 4), (6, 4), (7, 3), (19, 2), (20, 1)):
        line = PriorLine(Line.of_cells(60, FLAT), Fraction(10), accuracy)
        divided = line.coordinate(0.0).divided((0, 60), 3)
        assert divided is not None
        assert (divided.parts, divided.pieces) == (3, pieces)
        assert int(np.diff(divided.marks).max()) <= accuracy
        assert divided.marks[:, 0].tolist() == [0, 20, 40]
        assert divided.marks[:, -1].tolist() == [20, 40, 60]


def test_a_number_of_pieces_is_kept_or_refused() -> None:
    """20 places in 4 pieces of 5 do; pieces of 4 places do not; and more pieces than needed do."""
    for accuracy, count, able in ((5, 4, True), (4, 4, False), (5, 3, False), (5, 7, True)):
        line = PriorLine(Line.of_cells(60, FLAT), Fraction(10), accuracy)
        divided = line.coordinate(0.0).divided((0, 60), 3, count)
        assert (divided is not None) == able
        if divided is not None:
            assert divided.pieces == count
            assert int(np.diff(divided.marks).max()) <= accuracy


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("blend", [0.0, 0.5, 1 - 2.0**-24])
def test_pieces_of_any_prior_are_narrow_enough(seed: int, blend: float) -> None:
    """Parts of equal share, cut at the same shares: no piece is wider, and all of it is covered.

    No fewer pieces than the widest part needs.
    """
    line = PriorLine(Line.of_cells(9_000, Prior(random_weights(seed, 9))), Fraction(700), 110)
    coordinate = line.coordinate(blend)
    for block, parts in (((0, 9_000), 4), ((1_250, 6_100), 3), ((2_000, 2_090), 1)):
        divided = coordinate.divided(block, parts)
        assert divided is not None
        ends = divided.marks[:, [0, -1]]
        assert (ends[0, 0], ends[-1, 1]) == block
        assert (ends[1:, 0] == ends[:-1, 1]).all()
        widths = np.diff(divided.marks)
        assert (widths >= 0).all()
        assert int(widths.max()) <= 110
        assert divided.pieces >= math.ceil(int(np.diff(ends).max()) / 110)
        shares = np.diff(coordinate.of(ends)).ravel()
        assert shares == pytest.approx(np.full(parts, shares.mean()), abs=2 / 9_000 + 1e-3)


def test_whole_values_are_divided_a_value_a_piece() -> None:
    """Seven in three parts: 2, 2 and 3, shorter ones ending early; no more parts than values."""
    values = Values(PriorLine(Line.of_cells(9, FLAT), Fraction(1), 1))
    divided = values.divided((2, 9), 3)
    assert divided is not None
    assert divided.marks.tolist() == [[2, 3, 4, 4], [4, 5, 6, 6], [6, 7, 8, 9]]
    each = values.divided((2, 9), 7)
    assert each is not None
    assert each.marks.tolist() == [[k, k + 1] for k in range(2, 9)]
    assert values.divided((2, 9), 8) is None


def test_steps_cut_as_equally_as_can_be() -> None:
    """A part of n in k: at ⌊j·n/k⌋ of it, step after step."""
    assert [each.tolist() for each in heard(7, (2, 2, 2))] == [[0, 1, 3, 5], [1, 3, 5, 7]]
    assert bounds(7, ()).tolist() == [0, 7]
    assert bounds(7, (2,)).tolist() == [0, 3, 7]
    assert bounds(7, (2, 3)).tolist() == [0, 1, 2, 3, 4, 5, 7]


def test_powers_of_ten() -> None:
    assert [power_of_ten(Fraction(each)) for each in (1, 10, 99, 100)] == [1, 10, 10, 100]
    tenth = Fraction(1, 10)
    assert [power_of_ten(tenth), power_of_ten(tenth * Fraction(99, 100))] == [tenth, tenth / 10]


def test_ticks_fall_by_tens_from_the_accuracy_to_the_finest() -> None:
    domain = Domain(0, 300)
    problem = domain.problem(epsilon=30, delta=100, level=2, prior=[1, 1, 2, 1])
    ground = Ground(problem, problem.law(), domain)
    ticks = ground.ticks()
    assert ticks[0] == 10
    assert all(a == 10 * b for a, b in pairwise(ticks))
    assert ticks[-1] == ground.finest
    own = Domain(0, 300, tick=3)
    assert Ground(problem, problem.law(), own).ticks() == [3]


def test_the_range_in_places_of_its_ticks() -> None:
    """From 1/2 to 8 at thirds: places of a sixth, the first is the third, asked by twos."""
    domain = Domain("1/2", 8, tick="1/3")
    problem = domain.problem(epsilon="1.7", delta="2", level=2, prior=[1, 2, 1])
    line = Ground(problem, problem.law(), domain).line(Fraction(1, 3))
    assert (line.cells, line.origin, line.step) == (45, 1, 2)
    assert (line.window, line.accuracy) == (Fraction(12), 10)


def test_levels_that_are_tried_rise_by_a_sixteenth() -> None:
    assert list(_levels(Fraction(2))) == list(range(2, 13))
    assert list(_levels(Fraction(5, 2))) == [Fraction(5, 2), *range(3, 16)]
    assert list(_levels(Fraction(31)))[:5] == [31, 32, 34, 36, 38]


def test_blocks_lie_between_strides_or_are_their_halvings() -> None:
    assert sorted(_pairs(3, 1)) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    wide = [(0, 4), (0, 8), (4, 8)]
    halves, quarters = [(k, k + 2) for k in (0, 2, 4, 6)], [(k, k + 1) for k in range(8)]
    assert sorted(_pairs(8, 4)) == sorted(wide + halves + quarters)


def test_steps_end_in_single_pieces() -> None:
    """Halvings to the end; or fewer and a grid, of 16 pieces at most and of δ/2 at least."""
    assert _steps(1, Fraction(5)) == [(1,)]
    assert _steps(2, Fraction(5)) == [(2,)]
    assert _steps(12, Fraction(12)) == [(2, 2, 2, 2), (2, 6), (12,)]
    assert _steps(12, Fraction(13)) == [(2, 2, 2, 2), (12,)]
    assert _steps(16, Fraction(1)) == [(2, 2, 2, 2), (2, 2, 4), (2, 8), (16,)]
    assert _steps(17, Fraction(1))[-1] == (2, 9)


def test_few_rounds_take_near_equal_steps_too() -> None:
    """60 pieces: no grid is that wide, and a halving leaves 30. 8·8 and 4·4·4 are enough."""
    free = [(2, 2, 2, 2, 2, 2), (2, 2, 2, 2, 4), (2, 2, 2, 8), (2, 2, 15)]
    assert _steps(60, Fraction(1)) == free
    assert _steps(60, Fraction(1), 1) == [*free, (60,)]
    assert _steps(60, Fraction(1), 3) == [*free, (60,), (8, 8), (4, 4, 4)]


def test_where_a_question_more_buys_something() -> None:
    least = np.array([np.inf, 1.0, 1.0, 0.5, 0.5])
    assert _falls(least).tolist() == [False, True, False, True, False]
    assert _placed(PriorLine(Line.of_cells(8, STEEP), Fraction(1), 1), 1.0, 4) == [0, 4, 5, 6, 8]


@pytest.mark.parametrize("spare", [True, False])
def test_the_tree_of_eight_values_is_as_good_as_any(spare: bool) -> None:
    """Against all ways to cut eight values in two, or into parts that are halved, tried one by one.

    With L_p of C parts kept she catches C/L_p times what she does with all of them, and where some
    are left alone a coin decides.
    """
    line = PriorLine(Line.of_cells(8, Prior([5, 1, 2, 2, 3, 1, 4, 2])), Fraction(1), 1)
    below = 9
    tree = Weighted(line, range(9), {0: Values(line)}, 2, below, spare=spare)

    @cache
    def hidden(low: int, high: int) -> dict[int, float]:
        """For numbers of questions, what she catches of a block that is not cut in two."""
        best: dict[int, float] = {}
        for parts in range(1, high - low + 1):
            divided = Values(line).divided((low, high), parts)
            if divided is None:
                continue
            for hide in _steps(divided.pieces, line.window):
                cost = sum(hide) - len(hide)
                ((won, _),) = line.roughly([divided.rows(hide, 99)])
                for kept in range(1 if spare and cost else parts, parts + 1):
                    asked = parts - 1 + kept * cost
                    best[asked] = min(best.get(asked, math.inf), won * parts / kept)
        return best

    @cache
    def least(low: int, high: int, asked: int) -> float:
        if asked < 0:
            return math.inf
        found = min(
            (won for cost, won in hidden(low, high).items() if cost <= asked), default=math.inf
        )
        for middle in range(low + 1, high):
            cut = least(low, middle, asked - 1) + least(middle, high, asked - 1)
            found = min(found, cut)
        return found

    for asked in range(below):
        assert tree.row[asked] == pytest.approx(least(0, 8, asked))


@pytest.mark.parametrize("seed", range(6))
def test_shares_are_multiplied_with_the_fewest_questions(seed: int) -> None:
    """Three curves, against every choice of a point of each."""
    draw = random.Random(seed)
    curves = []
    for _ in range(3):
        asked, shares = sorted(draw.sample(range(12), 4)), sorted(draw.sample(range(1, 20), 4))
        curves.append([Point(a, Fraction(s, 20)) for a, s in zip(asked, shares[::-1], strict=True)])
    for target in (Fraction(1, 3), Fraction(1, 10), Fraction(1, 50), Fraction(1, 10**4)):
        able = [
            sum(asked for asked, _ in each)
            for each in itertools.product(*curves)
            if math.prod((share for _, share in each), start=Fraction(1)) <= target
        ]
        found = cheapest_mix(curves, target)
        assert (found is None) == (not able)
        if found is not None:
            assert sum(asked for asked, _ in found) == min(able)
            assert all(point in curve for point, curve in zip(found, curves, strict=True))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("half", [0.3, 1.0, 1.7, 2.5])
def test_the_lightest_stretch_that_begins_in_each_bin(seed: int, half: float) -> None:
    """Against many places of each bin; past the last bin nothing counts."""
    weights = np.asarray(random_weights(seed, 6), float)
    found = _beside(weights, half)
    cumulative = np.concatenate(([0.0], np.cumsum(weights)))
    for bin_ in range(6):
        at = np.linspace(bin_, bin_ + 1, 2001)
        at = at[at + half <= 6 + 1e-12]
        knots = np.arange(7)
        mass = np.interp(at + half, knots, cumulative) - np.interp(at, knots, cumulative)
        if len(at):
            assert found[bin_] <= mass.min() + 1e-9
            assert found[bin_] >= mass.min() - weights.max() / 900
        else:
            assert math.isinf(found[bin_])


def test_bins_are_given_up_the_lightest_first_and_only_as_many_as_may_be() -> None:
    """Ten bins of 1, 2, …, 10 of 55: half an ε is a bin, so that bin k has k beside it on its left.

    With nothing to give up, not even the first: the stretch on its right weighs one. With 1/55,
    the second is the lightest, and it has one bin on its left too; and so on.
    """
    law = Prior(list(range(1, 11)))

    def least(thin: Fraction) -> float:
        return float(_finest(law, Fraction(1, 5), thin)) / 2 * 55

    assert least(Fraction(0)) == pytest.approx(1)
    assert least(Fraction(-1)) == pytest.approx(1)
    assert least(Fraction(1, 55) * Fraction(999, 1000)) == pytest.approx(1)
    assert least(Fraction(3, 55) * Fraction(999, 1000)) == pytest.approx(1)
    assert least(Fraction(3, 55) * Fraction(1001, 1000)) == pytest.approx(2)
    assert least(Fraction(6, 55) * Fraction(1001, 1000)) == pytest.approx(3)


def test_cells_of_equal_mass_are_shown_at_quantiles() -> None:
    """Of weights 1, 0 and 3 over 0…12: fourths at 4, 8 + 4/3 and 8 + 8/3, each rounded down."""
    scale = _scale(Prior([1, 0, 3]), 4, Domain(0, 12))
    assert scale.tick is not None
    for k, place in ((1, Fraction(4)), (2, Fraction(28, 3)), (3, Fraction(32, 3))):
        assert place - scale.tick < scale.at(k) <= place
    assert (scale.at(0), scale.at(4)) == (Fraction(0), Fraction(12))
    assert scale.tick <= Fraction(4, 3) / 10**7


@pytest.mark.parametrize(("level", "dim", "margin", "parts"), [(9, 2, 1, 3), (9, 2, "1.1", 4)])
def test_parts_of_several_numbers_under_noise(
    level: int, dim: int, margin: int | str, parts: int
) -> None:
    """The least k with k^d ≥ L times the margin, for each."""
    problem = Problem("1/80", "1/20", level, p="0.99", dim=dim, prior=Prior([2, 3, 2]))
    found = plan(problem, margin=margin, method="fixed")
    assert isinstance(found.strategy, Product)
    kept = [each.shape.kept for each in found.strategy.factors if isinstance(each, StagedNoisy)]
    assert kept == [parts] * dim
    assert found.adversary_success == Fraction(1, parts**dim)


def _peaked(low: Fraction | int | str, width: Fraction | int) -> Plan:
    """A plan under a prior with two peaks, for a range of this width."""
    domain = Domain(low, Fraction(low) + width)
    prior = [3, 5, 4, 3, 4, 5]
    problem = domain.problem(
        epsilon=width * Fraction(1, 12), delta=width * Fraction(1, 5), level=2, prior=prior
    )
    return plan(problem, domain=domain)


@pytest.mark.parametrize("low", [10**30, -(10**30), Fraction(-22, 7) - 10**25])
def test_a_range_far_from_zero_is_planned_as_any_other(low: Fraction | int) -> None:
    """Where it begins, counted in places, does not fit into 64 bits."""
    found = _peaked(low, Fraction(1, 7))
    assert found.private
    assert audit(found).private


def test_ends_that_no_grid_holds_are_refused_with_a_way_out() -> None:
    low = Fraction(3112378340294441, 2**53)  # a float, exactly
    with pytest.raises(InvalidValue, match="round low and high to"):
        _peaked(low, 1)
    assert _peaked("0.3455", 1).private


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("99913.074391500080636", "99914.912175033823587"),
        ("-99914.912175033823587", "-99913.074391500080636"),
    ],
)
def test_ranges_far_from_zero_are_cut_inside(low: str, high: str) -> None:
    """Counted from zero in units of their last digit, these ranges begin above 2^63."""
    domain = Domain(low, high)
    wanted = domain.width / 20
    weights = [1, 2, 3, 2, 1, 2, 1, 2]
    found = plan(
        domain.problem(epsilon=wanted, delta=domain.width / 10, level=3, prior=weights),
        domain=domain,
    )
    (scale,) = found.scales or ()
    ends = [scale.at(each) for each in range(scale.size + 1)]
    assert (ends[0], ends[-1]) == (domain.low, domain.high)
    assert all(0 <= b - a <= wanted for a, b in pairwise(ends))
    assert found.private


def test_ends_with_too_many_digits_are_refused() -> None:
    domain = Domain("0.0123456789012345678901", "1000")
    problem = domain.problem(epsilon=20, delta=100, level=3, prior=[1, 2, 1])
    with pytest.raises(InvalidValue, match="round low and high to 13 decimals") as caught:
        plan(problem, domain=domain)
    assert caught.value.argument == "low"
    assert plan(problem, domain=Domain("0.0123456789012", "1000")).private
