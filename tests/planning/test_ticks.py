"""Plans in awkward units: what they state is what happens with the questions as they are shown.

The brute force here is its own: every cell and coin of a strategy, each cell a stretch between the
decimals that people are asked about, windows of length delta at every place where one can begin.
"""

import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from tests.support.brute import runs
from tests.support.examples import later
from tests.support.strategies import planted, staged

from feint import Domain, InvalidValue, NoPlan, OutOfRegime, Plan, Problem, Search, TooLarge, plan
from feint.audit import audit
from feint.exact import decimal
from feint.planning import with_short_questions
from feint.planning.decimals import _floor_log10
from feint.planning.noisy.search import dividing
from feint.planning.option import Option
from feint.planning.ticks import EXCESS, _crowded, multiples
from feint.problem import Line
from feint.search.units import Asked
from feint.strategies import PlantedShape

SMALL = 1 << 11  # cells up to which every cell is walked


def ends_as_shown(found: Plan) -> list[Fraction]:
    """Where the cells end, read from the text of the questions."""
    units, domain = Search(found)._units, found.domain
    shown = (units.query(Asked(0, 0, point)).shown for point in range(1, found.cells[0]))
    return [domain.low, *map(Fraction, shown), domain.high]


def as_shown(found: Plan) -> tuple[Fraction, Fraction]:
    """The best eavesdropper's success, and the learner's worst accuracy, in the user's units."""
    ends, width = ends_as_shown(found), found.domain.width
    assert ends == sorted(ends)
    assert all(low < high for low, high in pairwise(ends))
    heard: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    worst = Fraction(0)
    for points, cell, chance, low, high in runs(found.strategy):
        heard[points][cell] += chance
        middle = (ends[low] + ends[high]) / 2
        worst = max(worst, middle - ends[cell], ends[cell + 1] - middle)
    delta = found.problem.delta * width
    won = sum((caught(each, ends, delta) for each in heard.values()), Fraction(0))
    return won / width, 2 * worst


def caught(weights: dict[int, Fraction], ends: list[Fraction], delta: Fraction) -> Fraction:
    """The most that a window of length delta catches; it begins or ends where a cell does."""
    pieces = [(ends[cell], ends[cell + 1], weight) for cell, weight in weights.items()]
    starts = {edge for low, high, _ in pieces for edge in (low, high, low - delta, high - delta)}

    def mass(start: Fraction) -> Fraction:
        end = start + delta
        inside = ((min(high, end) - max(low, start), weight) for low, high, weight in pieces)
        return sum((weight * long for long, weight in inside if long > 0), Fraction(0))

    return max(mass(start) for start in starts)


def awkward(seed: int) -> tuple[Domain, Problem]:
    """A range and a problem as somebody may well ask for them."""
    draw = random.Random(seed)
    unit = Fraction(draw.choice(["1", "1/3", "1/7", "0.01", "5/2"]))
    off = Fraction(draw.choice(["0", "0", "1/3", "0.001"]))
    low = draw.choice([0, 0, -1, 3, -50, 10]) * unit + off
    width = draw.choice([1, 2, 7, 10, 30, 80, 99, 100]) * unit
    level = draw.choice([2, 3, 3, 4, 5, 6, 7])
    fine = draw.choice([20, 25, 30, 64, 99, 100, 150, 200])
    delta = width / level * Fraction(draw.choice(["1/4", "1/2", "2/3", "0.9", "1"]))
    epsilon = min(delta / 2, width / fine)
    tick: Fraction | None = None
    if draw.random() < 0.6:
        tick = Fraction(draw.choice([1, 2, 5]), 10 ** draw.choice([1, 2, 3]))
        while tick > epsilon:
            tick /= 10
    domain = Domain(low, low + width, tick=tick)
    return domain, domain.problem(epsilon=epsilon, delta=delta, level=level)


def check(seed: int, most: int = SMALL) -> str:
    domain, problem = awkward(seed)
    try:
        found = plan(problem, domain=domain)
    except (NoPlan, TooLarge, OutOfRegime):
        return "refused"
    level = problem.level
    assert found.adversary_success is not None
    assert found.private
    assert found.scales is not None
    unit = found.scales[0].unit
    for boundary in range(1, min(found.cells[0], 50)):
        value = found.scales[0].at(boundary)
        assert decimal(value) is not None
        assert domain.tick is None or value % domain.tick == 0
    exact_at_ticks = domain.tick is not None or found.scales[0].tick is None
    limit = Fraction(1, level) if exact_at_ticks else Fraction(1, level) * (1 + EXCESS)
    assert unit is not None
    assert found.adversary_success <= limit
    if found.cells[0] > most:
        return "large"
    success, accuracy = as_shown(found)
    assert accuracy <= problem.epsilon * domain.width
    assert success <= found.adversary_success <= max(success, success * (1 + EXCESS))
    return "checked"


def test_plans_state_what_is_shown() -> None:
    outcomes = [check(seed, most=1 << 8) for seed in range(12)]
    assert outcomes.count("checked") > 4


@pytest.mark.long
def test_more_plans_state_what_is_shown() -> None:
    outcomes = [check(seed, most=1 << 8) for seed in range(12, 40)]
    assert outcomes.count("checked") > 10


@pytest.mark.slow
def test_five_hundred_plans_state_what_is_shown() -> None:
    outcomes = [check(seed) for seed in range(60, 1500)]
    assert outcomes.count("checked") >= 500


def test_a_plan_says_its_ticks() -> None:
    prices = Domain(20, 100, tick="0.05")
    made = plan(prices.problem(epsilon=1, delta=5, level=4), domain=prices)
    assert [Fraction(each) % Fraction("0.05") for each in made.to_dict()["ticks"]] == [0]
    assert plan(Problem("1/64", "1/12", 3)).to_dict()["ticks"] is None


def test_a_tick_is_as_coarse_as_costs_no_question() -> None:
    cases: list[tuple[Domain, dict[str, Any]]] = [
        (Domain(10, 110), {"epsilon": "0.05", "delta": 2, "level": 8}),
        (Domain(20, 100), {"epsilon": 1, "delta": 5, "level": 4}),
        (Domain(-7, 14), {"epsilon": "0.05", "delta": 1, "level": 3}),
    ]
    for domain, asked in cases:
        problem = domain.problem(**asked)
        found = plan(problem, domain=domain)
        assert found.queries == plan(problem).queries
        assert found.adversary_success is not None
        assert found.adversary_success * problem.level <= 1
        assert found.scales is not None
        unit = found.scales[0].unit
        assert unit is not None
        assert (unit * 10**4).denominator == 1


def asked_for(low: Any, high: Any, tick: Any, *wanted: Any) -> tuple[Domain, Problem]:
    domain, (epsilon, delta, level) = Domain(low, high, tick=tick), wanted
    return domain, domain.problem(epsilon=epsilon, delta=delta, level=level)


def questions(low: Any, high: Any, tick: Any, *wanted: Any, method: str = "tight") -> int:
    domain, problem = asked_for(low, high, tick, *wanted)
    return plan(problem, domain=domain, method=method).queries


def test_figures_of_fine_ticks() -> None:
    """As many as 799 before, the whole grid: 23 and 40 with no tick at all."""
    assert questions(0, "99.99", "0.01", 1, 20, 4) == 24
    assert questions(20, 100, "0.3", "0.6", 9, 8) == 42


@pytest.mark.long
def test_more_figures_of_fine_ticks() -> None:
    """As many as 799 before, the whole grid: 47, 39, 63 and 47 with no tick at all."""
    near = [("0.5", 9, 8), ("1", 9, 8), ("0.1", 9, 8)]
    assert [questions(20, "99.99", "0.01", *each) for each in near] == [48, 40, 64]
    assert questions(20, 101, "0.01", "0.5", 10, 8) == 48


def finer(seed: int) -> tuple[list[Fraction], tuple[Any, ...]]:
    """A tick, one that divides it, and a problem whose windows nearly fill the range."""
    draw = random.Random(seed)
    tick = Fraction(draw.choice(["0.5", "0.25", "0.3", "0.05", "0.2", "0.15", "1", "0.01"]))
    low, width = draw.choice([0, 20, -3]), Fraction(draw.choice(["80", "79.99", "81", "33.3"]))
    level = draw.choice([2, 3, 4, 6, 8])
    delta = width / level * Fraction(draw.choice(["0.5", "0.7", "0.9", "0.99"])) // tick * tick
    epsilon = min(tick * draw.choice([1, 2, 3, 10]), max(tick, delta / 2))
    return [tick, tick / draw.choice([2, 3, 5, 10])], (low, low + width, epsilon, delta, level)


def check_finer(seed: int) -> None:
    (coarse, fine), (low, high, *wanted) = finer(seed)
    asked = questions(low, high, fine, *wanted)
    assert asked <= questions(low, high, coarse, *wanted)
    assert asked <= questions(low, high, fine, *wanted, method="grid")
    exact = Domain(low, low + (high - low) // fine * fine, step=fine)
    assert asked <= plan(exact.problem(delta=wanted[1], level=wanted[2]), domain=exact).queries


@pytest.mark.parametrize("seed", later(range(25), range(12, 25)))
def test_a_finer_tick_never_costs_more(seed: int) -> None:
    """Nor does it cost more than all values at its ticks told apart, or than the grid.

    Not every multiple of a tick is tried, so that in one of some hundred problems it may cost a
    question more.
    """
    check_finer(seed)


def test_where_it_did_it_cost_one_question() -> None:
    """32 at 0.08 before trees were planned on ticks finer than epsilon."""
    wanted = ("0.6", "4.8", 6)
    assert [questions(-3, "30.3", tick, *wanted) for tick in ("0.4", "0.08")] == [31, 31]


@pytest.mark.slow
def test_five_hundred_finer_ticks_never_cost_more() -> None:
    for seed in range(100, 600):
        check_finer(seed)


@pytest.mark.parametrize(
    ("low", "high", "tick", "wanted"),
    [
        (0, "9.7", "0.1", ("0.3", 3, 3)),  # a tail that ends within the accuracy
        (0, 10, "0.3", ("0.9", 3, 3)),  # the last tick sticks out
        ("0.05", 10, "0.2", ("0.6", 3, 3)),  # the first
        ("0.1", 10, "0.15", ("0.6", "3.1", 3)),  # both
        ("0.1", "20.25", "0.2", ("0.4", "9.8", 2)),
    ],
)
def test_ticks_that_stick_out(low: Any, high: Any, tick: Any, wanted: tuple[Any, ...]) -> None:
    domain, problem = asked_for(low, high, tick, *wanted)
    found = plan(problem, domain=domain)
    assert found.queries < plan(problem, domain=domain, method="grid").queries
    success, accuracy = as_shown(found)
    assert accuracy <= problem.epsilon * domain.width
    assert success == found.adversary_success
    assert success <= Fraction(1, problem.level)
    assert all(each % domain.tick == 0 for each in ends_as_shown(found)[1:-1] if domain.tick)


def test_prices_one_can_post() -> None:
    """Every question in whole cents, and one in seven at most, with a question or two more."""
    domain = Domain(20, 100, tick="0.01", label="price")
    problem = domain.problem(epsilon="0.5", delta=3, level=7)
    found = plan(problem, domain=domain)
    assert found.queries <= plan(problem).queries + 2
    search = Search(found)
    while not search.done:
        for query in search.ask():
            assert len(query.shown.partition(".")[2]) <= 2
            assert Fraction(query.shown) == query.value
            search.tell(query.id, query.value <= Fraction("73.42"))
    assert abs(search.result.estimate - Fraction("73.42")) <= Fraction(1, 4)


def test_what_is_no_tick_is_refused() -> None:
    with pytest.raises(InvalidValue, match="between values already"):
        Domain(0, 9, step=1, tick="0.1")
    with pytest.raises(InvalidValue, match=r"between 0 and 1; give one of 0\.5"):
        Domain(0, 1, tick=2)
    coarse = Domain(0, 100, tick=5)
    with pytest.raises(InvalidValue, match=r"tick = 5: .* epsilon = 1; tick = 1 works"):
        plan(coarse.problem(epsilon=1, delta=10, level=3), domain=coarse)


def test_widths_of_many_digits_are_planned_too() -> None:
    """Places so fine that windows end on one are more than 64 bits hold."""
    domain = Domain(0, 1)
    off = Fraction(1, 2**51)
    problem = domain.problem(epsilon=Fraction(1, 5000) - off, delta=Fraction(1, 50) + off, level=4)
    found = plan(problem, domain=domain)
    assert found.adversary_success is not None
    assert found.adversary_success <= Fraction(1, 4)


@pytest.mark.parametrize(
    ("wanted", "tick", "asked"), [(("0.5", 10, 6), "0.5", 36), (("0.3", 10, 6), "0.2", 42)]
)
def test_a_tick_for_short_questions(wanted: tuple[Any, ...], tick: str, asked: int) -> None:
    domain, problem = asked_for(20, 100, None, *wanted)
    other = with_short_questions(plan(problem, domain=domain))
    assert other is not None
    assert (other.domain.tick, other.queries) == (Fraction(tick), asked)
    assert other.private
    assert not other.excused
    assert with_short_questions(other) is None


def test_none_where_questions_are_short() -> None:
    domain, problem = asked_for(20, 100, None, "0.5", 10, 4)
    assert with_short_questions(plan(problem, domain=domain)) is None
    assert with_short_questions(plan(problem)) is None


def test_the_cells_of_a_part_divide_its_ticks_however_many_there_are() -> None:
    for ticks in range(1, 200):
        for cells in range(1, ticks + 1):
            least = next(each for each in range(cells, ticks + 1) if ticks % each == 0)
            assert dividing(ticks, cells) == least
    assert dividing(10**16, 3 * 10**15) == 5 * 10**15


@pytest.mark.parametrize(
    ("width", "cells", "window"), [("1/3", 64, 7), ("100/9", 48, 7), ("2/9", 24, 3)]
)
def test_guesses_stay_delta_apart_as_shown(width: str, cells: int, window: int) -> None:
    """Where they are just delta apart on the lattice, rounding would bring some nearer."""
    wide = Fraction(width)
    domain = Domain(0, wide)
    delta = wide * window / cells
    problem = domain.problem(
        epsilon=wide * 2 / (2 * cells - 1), delta=delta, level=5, setting="deterministic"
    )
    found = plan(problem, domain=domain)
    assert found.places == 5
    report = audit(found)
    assert report.holds
    assert report.covering_number is not None
    assert report.covering_number >= 5


@pytest.mark.parametrize(
    ("ticks", "cells", "least"),
    [
        (12, 1, 1),
        (12, 3, 3),  # a root at the most: 3² ≤ 12
        (9, 3, 3),
        (9, 2, 3),
        (12, 4, 4),  # beyond it: 12/3
        (12, 5, 6),
        (12, 7, 12),
        (12, 13, 12),  # there are no more
        (35, 6, 7),
        (35, 8, 35),
        (36, 5, 6),
        (36, 7, 9),
        (1, 1, 1),
    ],
)
def test_the_fewest_cells_that_divide_the_ticks(ticks: int, cells: int, least: int) -> None:
    assert dividing(ticks, cells) == least


def test_a_noisy_plan_on_ticks_has_cells_of_several() -> None:
    """20 cells are enough, and of 60 ticks each has three."""
    domain = Domain(2, 5, tick="1/20")
    problem = domain.problem(epsilon="0.15", delta="0.6", level=2, p="0.9", confidence="0.9")
    found = plan(problem, domain=domain, method="bz")
    assert found.cells == (20,)
    assert found.scales == (Line(Fraction(2), Fraction(5), 20),)
    assert [each % Fraction(3, 20) for each in ends_as_shown(found)] == [Fraction(1, 20)] * 21
    uneven = Domain(0, 3, tick="3/46")  # of 46 ticks, 2 cells or 23
    problem = uneven.problem(epsilon="0.15", delta="0.6", level=2, p="0.9", confidence="0.9")
    assert plan(problem, domain=uneven, method="bz").cells == (23,)


def test_the_ticks_that_are_tried() -> None:
    """Epsilon of 60 ticks, a half, a third, a fourth; then 1, 2, 5 times powers of ten."""
    domain = Domain(0, 1, tick="0.001")
    problem = domain.problem(epsilon="0.06", delta="0.2", level=2)
    tried = [each * 1000 for each in multiples(problem, domain)]
    assert tried == [1, 60, 30, 20, 15, 50, 10, 5, 2]


@pytest.mark.parametrize(
    ("right", "window", "tick", "near"),
    [
        (True, "7", "0", False),  # 64/4 cells, two parts of 8, and one cell between guesses
        (True, "7", "1/100", True),
        (True, "6.5", "1/2", False),
        (True, "6.5", "51/100", True),
        (False, "7.5", "1/2", False),
        (False, "7.5", "51/100", True),
    ],
)
def test_guesses_are_crowded_where_a_tick_is_more_than_they_have_to_spare(
    right: bool, window: str, tick: str, near: bool
) -> None:
    problem = Problem("1/64", Fraction(window) / 64, 3, setting="deterministic")
    guesses = planted(problem, 64, True, right, 2, 2, (8,))
    shape = PlantedShape(left=True, right=right, bisected=2, parts=2, steps=(8,))
    option = Option(queries=8, share=Fraction(1, 3), strategy=guesses, success=None, shape=shape)
    assert _crowded(option, problem, Fraction(tick)) == near
    parts = staged(problem, 64, (4,), 2, 2, (8,))
    assert not _crowded(replace(option, strategy=parts, shape=None), problem, Fraction(tick))


@pytest.mark.parametrize("power", range(-40, 41, 3))
def test_the_power_of_ten_below_a_number_is_exact(power: int) -> None:
    """At a power of ten and just below it, where floats round."""
    ten = Fraction(10) ** power
    assert _floor_log10(ten) == power
    assert _floor_log10(ten * (1 - Fraction(1, 10**30))) == power - 1
    assert _floor_log10(ten * (10 - Fraction(1, 10**30))) == power
