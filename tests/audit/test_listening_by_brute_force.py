"""What a listener believes after each round, against every cell, every coin and every window."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, pairwise

import numpy as np
import pytest
from tests.support.noisy import brute
from tests.support.strategies import staged, staged_noisy

from feint import Domain, InvalidValue, Plan, Problem, TooLarge
from feint.audit import Prior, noisy_belief, overheard
from feint.audit.listening import LIMIT, Belief
from feint.interfaces import Round, Strategy, take
from feint.problem import Line, Transcript
from feint.strategies import Product, Staged, StagedNoisy

F = Fraction
Prefixes = dict[tuple[int, ...], list[Fraction]]


def heard(strategy: Strategy, rounds: int) -> Prefixes:
    """P(the queries of so many rounds | cell), by every coin of every cell."""
    size = strategy.cells[0]
    found = Prefixes()
    for cell in range(size):
        runs, state = [((), F(1))], strategy.start(1)
        for each in strategy.rounds[:rounds]:
            while (weights := strategy.coin(state)) is not None:
                index, side = np.nonzero(weights)
                runs = [
                    (runs[i][0], runs[i][1] * F(int(weights[i, s]), int(weights[i].sum())))
                    for i, s in zip(index.tolist(), side.tolist(), strict=True)
                ]
                state = strategy.toss(take(state, index), side)
            asked = strategy.ask(state)
            runs = [
                ((*past, *row), chance)
                for (past, chance), row in zip(runs, asked.tolist(), strict=True)
            ]
            assert asked.shape[1] == len(each.coordinates)
            state = strategy.tell(state, asked <= cell)
        for past, chance in runs:
            found.setdefault(past, [F(0)] * size)[cell] += chance
    return found


def believed(
    chances: Sequence[Fraction], ends: Sequence[Fraction], law: Prior
) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Stretches in which her density is constant: begin, end and density, left to right."""
    low, high = ends[0], ends[-1]
    bins = [low + (high - low) * i / law.bins for i in range(law.bins + 1)]
    cuts = sorted({*ends, *bins})
    found = []
    for begin, end in pairwise(cuts):
        weight = law.weights[bisect_right(bins, begin) - 1]
        found.append((begin, end, chances[bisect_right(ends, begin) - 1] * weight))
    whole = sum((end - begin) * density for begin, end, density in found)
    return [(begin, end, density / whole) for begin, end, density in found]


def within(
    stretches: Sequence[tuple[Fraction, Fraction, Fraction]], low: Fraction, high: Fraction
) -> Fraction:
    return sum(
        (max(F(0), min(end, high) - max(begin, low)) * d for begin, end, d in stretches), F(0)
    )


def check(
    found: Belief, stretches: list[tuple[Fraction, Fraction, Fraction]], length: Fraction
) -> None:
    """Pieces, the best window and the fewest windows, from the density alone."""
    pieces = []
    for density, alike in groupby(stretches, key=lambda each: each[2]):
        part = list(alike)
        if density:
            pieces.append((part[0][0], part[-1][1], (part[-1][1] - part[0][0]) * density))
    assert [tuple(each) for each in found.pieces] == pieces
    ends = [end for each in stretches for end in each[:2]]
    most = max(within(stretches, at, at + length) for end in ends for at in (end, end - length))
    assert found.window.high - found.window.low == length
    assert ends[0] <= found.window.low
    assert found.window.high <= ends[-1]
    assert found.window.probability == most
    assert within(stretches, found.window.low, found.window.high) == most
    count, covered = 0, ends[0]
    for low, high, _ in pieces:
        covered = max(covered, low)
        while covered < high:
            count, covered = count + 1, covered + length
    assert found.places == count


def followed(made: Plan, law: Prior, ends: Sequence[Fraction]) -> None:
    """Every other transcript that there is, after each of its rounds."""
    strategy, length = made.strategy, made.problem.delta * made.domain.width
    widths = [len(each.coordinates) for each in strategy.rounds]
    tables = [heard(strategy, turn + 1) for turn in range(len(widths))]
    turns = tuple(turn for turn, width in enumerate(widths) for _ in range(width))
    for points in list(tables[-1])[::2]:
        beliefs = overheard(made, one(points, turns, strategy.cells))
        assert len(beliefs) == len(widths)
        for turn, found in enumerate(beliefs):
            chances = tables[turn][points[: sum(widths[: turn + 1])]]
            check(found, believed(chances, ends, law), length)


def one(points: Sequence[int], turns: tuple[int, ...], cells: tuple[int, ...]) -> Transcript:
    return Transcript(np.array([points]), (0,) * len(turns), turns, cells)


def even(domain: Domain, cells: int) -> list[Fraction]:
    return [domain.low + domain.width * each / cells for each in range(cells + 1)]


@pytest.mark.parametrize("weights", [None, (1, 2, 0, 3, 2), (3, 1)])
@pytest.mark.parametrize("kept", [2, 3])
def test_every_round_of_a_transcript(kept: int, weights: tuple[int, ...] | None) -> None:
    """Two blocks of three parts of two cells, of which two or all are kept: with coins, without."""
    domain = Domain(10, 34)
    law = Prior([1]) if weights is None else Prior(weights)
    problem = Problem("1/12", "5/24", 2, prior=None if weights is None else law)
    made = Plan.of(staged(problem, 12, (2,), 3, kept, (2,)), domain=domain)
    followed(made, law, even(domain, 12))


def test_questions_at_ticks_are_where_they_are_shown() -> None:
    """Boundaries are rounded to whole euros: cells of 6 and of 7, windows of 20."""
    prices, problem = Domain(20, 100), Problem("1/10", "1/4", 2)
    scale = Line(F(20), F(100), 12, F(1))
    made = replace(Plan.of(staged(problem, 12, (2,), 3, 3, (2,)), domain=prices), scales=(scale,))
    ends = [scale.at(each) for each in range(13)]
    assert {high - low for low, high in pairwise(ends)} == {6, 7}
    followed(made, Prior([1]), ends)


def test_a_number_whose_search_is_through_is_believed_to_be_where_it_was() -> None:
    """Two numbers, of two rounds and of three, asked about in turns: each by its own queries."""
    short = staged(Problem("1/4", "1/4", 4), 4, (), 1, 1, (2, 2))
    long = staged(Problem("1/12", "1/4", 4), 12, (), 2, 2, (3, 2))
    laws = (Prior([1, 2, 1, 1]), Prior([2, 1, 1]))
    made = Plan.of(Product(Problem("1/4", "1/4", 4, dim=2, prior=laws), (short, long)))
    counts = [[len(each.coordinates) for each in one.rounds] for one in (short, long)]
    assert [len(each) for each in counts] == [2, 3]
    asked = [max(heard(one, 3), key=sum) for one in (short, long)]
    points, axes, turns = list[int](), list[int](), list[int]()
    for turn in range(3):
        for axis, widths in enumerate(counts):
            past = sum(widths[:turn])
            new = asked[axis][past : past + sum(widths[turn : turn + 1])]
            points += new
            axes += [axis] * len(new)
            turns += [turn] * len(new)
    for rounds in (1, 2, 3):
        known = sum(turn < rounds for turn in turns)
        part = (np.array([points[:known]]), tuple(axes[:known]), tuple(turns[:known]))
        both = Transcript(*part, (4, 12))
        for axis, strategy in enumerate((short, long)):
            found = overheard(made, both, coordinate=axis)
            assert len(found) == rounds
            for turn, belief in enumerate(found):
                some = asked[axis][: sum(counts[axis][: turn + 1])]
                chances = heard(strategy, turn + 1)[some]
                ends = even(made.domain, strategy.cells[0])
                check(belief, believed(chances, ends, laws[axis]), F(1, 4))
        assert overheard(made, both) == overheard(made, both, coordinate=0)


def test_before_the_first_question_nothing_is_believed() -> None:
    made = Plan.of(staged(Problem("1/8", "1/4", 2), 8, (), 1, 1, (2, 2, 2)))
    assert overheard(made, one((), (), (8,))) == ()


def test_as_many_ways_as_the_limit_are_followed() -> None:
    """A grid of eight cells has eight ways that ask the same."""
    made = Plan.of(staged(Problem("1/8", "1/4", 2), 8, (), 1, 1, (8,)))
    grid = one(range(1, 8), (0,) * 7, (8,))
    (found,) = overheard(made, grid, limit=8)
    assert (found.window.probability, found.places) == (F(1, 4), 4)
    with pytest.raises(TooLarge, match=r"^branches = over 7: at most 7 branches that fit"):
        overheard(made, grid, limit=7)
    assert LIMIT == 1 << 16


class Joint(Staged):
    """A search of two coordinates in a way of its own."""

    cells = (8, 8)
    rounds = (Round("ask", (0, 1)),)


def test_refusals_in_these_words() -> None:
    line = Plan.of(staged(Problem("1/8", "1/4", 2), 8, (), 1, 1, (2, 2, 2)))
    first = one((4,), (0,), (8,))
    two = Transcript(np.array([[4], [4]]), (0,), (0,), (8,))
    noisy = Plan.of(small(None))
    both = Plan.of(Product(Problem("1/8", "1/4", 2, dim=2), (line.strategy,) * 2))
    own = staged(Problem("1/8", "1/4", 2, dim=2), 8, (), 1, 1, (8,), Joint)
    mixed = Product(Problem("1/8", "1/4", 2, dim=3), (line.strategy, own))
    by_coordinate = "name one of the numbers"
    one_by_one = (
        "strategy = Joint: several coordinates are audited one by one, as the factors of a"
        " Product; make it a Product, or sample runs instead"
    )
    cases: list[tuple[Callable[[], object], type[InvalidValue], str]] = [
        (
            lambda: overheard(line, two),
            InvalidValue,
            "transcript = several runs: one search is followed; give one of them",
        ),
        (
            lambda: overheard(noisy, first),
            TooLarge,
            "p = 4/5: under noise any answer may come, so no branch is ruled out;"
            " audit the plan instead",
        ),
        (
            lambda: overheard(line, first, coordinate=1),
            InvalidValue,
            f"coordinate = 1: must be from 0 to 0; {by_coordinate}",
        ),
        (
            lambda: overheard(both, first, coordinate=-1),
            InvalidValue,
            f"coordinate = -1: must be from 0 to 1; {by_coordinate}",
        ),
        (lambda: overheard(Plan.of(own), first), InvalidValue, one_by_one),
        (lambda: overheard(Plan.of(mixed), first), InvalidValue, one_by_one),
        (
            lambda: noisy_belief(line, first),
            InvalidValue,
            "plan = method own: only a search for one number by the staged family under noise can"
            " be followed; audit the plan instead",
        ),
        (
            lambda: noisy_belief(noisy, first),
            InvalidValue,
            f"transcript = of shape (1, 1): one search is followed, with all its {noisy.queries}"
            " queries; give one",
        ),
    ]
    for run, kind, words in cases:
        with pytest.raises(kind) as refused:
            run()
        assert type(refused.value) is kind
        assert str(refused.value) == words


def small(law: Prior | None) -> StagedNoisy:
    """Two parts of four cells, told apart by one question, and both searched with two."""
    return staged_noisy(Problem("1/24", "1/6", 2, p="0.8", prior=law), 8, 1, 0, 2, 1, 2, 2)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("weights", [None, (1, 2, 0, 3, 2)])
def test_under_noise_the_density_is_that_of_every_answer(
    weights: tuple[int, ...] | None, scaled: bool
) -> None:
    """Some transcripts: the chance of each cell by all answers and coins, times the prior."""
    domain, law = Domain(10, 58), None if weights is None else Prior(weights)
    strategy = small(law)
    scale = Line(F(10), F(58), 8, F(7))
    made = replace(Plan.of(strategy, domain=domain), scales=(scale,) if scaled else None)
    ends = [scale.at(each) for each in range(9)] if scaled else even(domain, 8)
    turns = tuple(i for i, each in enumerate(strategy.rounds) for _ in each.coordinates)
    tables = brute(strategy)
    for points in [*tables][::2]:
        found = noisy_belief(made, one(points, turns, (8,)))
        chances = [F(float(each)) for each in tables[points]]
        stretches = believed(chances, ends, law or Prior([1]))
        assert found.ends[0] == 10
        assert found.ends[-1] == pytest.approx(58)
        assert (np.diff(found.ends) >= 0).all()
        for begin, end, density in stretches:
            place = int(np.searchsorted(found.ends, float(begin + end) / 2)) - 1
            assert found.density[place] == pytest.approx(float(density), rel=1e-9, abs=1e-12)
        edges = [end for each in stretches for end in each[:2]]
        most = max(within(stretches, at, at + 8) for end in edges for at in (end, end - 8))
        low, high, probability = found.window
        assert float(high - low) == 8
        assert float(probability) == pytest.approx(float(most), rel=1e-9)
        assert float(within(stretches, low, high)) == pytest.approx(float(most), rel=1e-6)
