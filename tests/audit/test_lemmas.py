"""The lemmas of the lower bounds, measured on every strategy."""

from fractions import Fraction

import pytest
from tests.support.brute import runs

from feint import Problem
from feint.audit import audit, lemmas
from feint.audit.lemma import _inverse
from feint.branches import branches
from feint.interfaces import Strategy
from feint.planning import methods, plan
from feint.strategies import (
    PlantedShape,
)
from feint.strategies.retired import (
    Planted,
)
from feint.testing import SPECIMENS

PROBLEMS = [
    Problem("1/64", "1/12", 3),
    Problem("1/25", "2/25", 7),
    Problem("1/100", "1/10", 3),
    Problem("1/30", "1/15", 2, dim=2),
    Problem("1/40", "3/40", 4, values=40),
    Problem("1/64", "1/8", 3, setting="deterministic"),
    Problem("1/32", "1/16", 2, setting="deterministic"),
]


def by_hand(strategy: Strategy, delta: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """Query by query, cell by cell, straight from the definitions."""
    cells = strategy.cells[0]
    radius, table = delta * cells / 2, runs(strategy)
    count = len(table[0][0])
    near, inverse = [Fraction(0)] * count, [Fraction(0)] * (count + 1)
    for points, cell, chance, _, _ in table:
        low, high = 0, cells
        for k, point in enumerate([*points, None]):
            inverse[k] += chance * Fraction(cells, high - low) / cells
            if point is None or point < 0:
                continue
            begin = max(point - radius, Fraction(cell))
            end = min(point + radius, Fraction(cell + 1))
            near[k] += chance * max(end - begin, Fraction(0)) / cells
            low, high = (max(low, point), high) if cell >= point else (low, min(high, point))
    return near, inverse


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_they_hold_for_every_method(problem: Problem) -> None:
    for name in set(methods(problem)) - {"optimal"}:
        found = lemmas(plan(problem, method=name).strategy, problem)
        more = 4 if problem.setting == "deterministic" else 0
        assert len(found) == 5 * problem.dim + more
        assert all(lemma.holds for lemma in found), (name, found)


@pytest.mark.parametrize("name", SPECIMENS)
def test_they_equal_what_the_definitions_say(name: str) -> None:
    strategy = SPECIMENS[name].strategy
    problem = strategy.problem
    near, inverse = by_hand(strategy, problem.delta)
    total, first, ratio, *_ = lemmas(strategy)
    assert total.measured == sum(near)
    skip = int(first.name.removeprefix("of which the first "))
    assert first.measured == sum(near[:skip])
    assert ratio.measured == max(value / 2**k for k, value in enumerate(inverse))


@pytest.mark.parametrize("method", ["bisection", "tight", "paper"])
def test_inverse_lengths_are_right_for_every_number_of_queries(method: str) -> None:
    problem = Problem("1/64", "1/12", 3)
    strategy = plan(problem, method=method).strategy
    _, inverse = by_hand(strategy, problem.delta)
    found = [
        sum(each)
        for each in zip(
            *(_inverse(part, part.transcripts, strategy.cells[0]) for part in branches(strategy)),
            strict=True,
        )
    ]
    assert found == inverse


def test_bisection_by_hand() -> None:
    """8 cells, δ = 1/4 = two cells: P{near} is 1/4, 1/2, 1 for the three queries."""
    problem = Problem("1/8", "1/4", 2)
    total, first, ratio, inside, asked = lemmas(plan(problem, method="bisection").strategy)
    assert total.measured == Fraction(1, 4) + Fraction(1, 2) + 1
    assert first.measured == Fraction(1, 4)
    assert ratio.measured == 1
    # Three queries in everything, where log 8/2 = 2 are needed; nothing has less to spare.
    assert inside.name == "queries in [0, 1]"
    for each in (inside, asked):
        assert [float(each.measured), float(each.limit)] == [3, 2]


def test_the_claims_of_theorem_2_by_hand() -> None:
    """16 cells, δ = 1/4, planted guesses at 0, 1/4, 1/2 and 3/4: then two halvings of one part.

    Whatever is overheard, cells 0, 4, 8 and 12 have both their ends asked, or the end 0.
    """
    problem = Problem("1/16", "1/4", 4, setting="deterministic")
    strategy = Planted(problem, 16, PlantedShape(left=True, parts=4, steps=(2, 2)))
    found = {each.name: each for each in lemmas(strategy)}
    pairs = found["pairs at most ε apart, the ends counted"]
    assert pairs.limit == 4
    assert pairs.measured >= 4
    assert found["pairs outside a stretch of 2δ"].limit == 0
    # 1/16, then a grid at 4/16, 8/16 and 12/16 of which none within 4/16 of another counts.
    assert found["queries more than δ apart"].measured == 3
    assert found["queries in any stretch of 2δ"].limit == 2
    assert all(each.holds for each in found.values())
    assert "(at least 4, any number)" in pairs.words


def test_lemmas_name_the_coordinate_where_there_are_several() -> None:
    two = lemmas(plan(Problem("1/8", "1/4", 2, dim=2)).strategy)
    assert {each.name[-14:] for each in two} == {"(coordinate 0)", "(coordinate 1)"}
    assert not any(
        "coordinate" in each.name for each in lemmas(plan(Problem("1/8", "1/4", 2)).strategy)
    )


def test_a_lemma_can_fail() -> None:
    """A strategy that never comes near X* is not accurate, and lemma 1 says so."""
    problem = Problem("1/1024", "1/16", 2)
    idle = plan(Problem("1/4", "1/2", 2), method="bisection").strategy
    report = audit(idle, problem=problem, lemmas=True)
    assert not report.lemmas[0].holds
    assert not report.holds
    assert "BROKEN" in str(report)
    assert report.to_dict()["lemmas"][0]["holds"] is False
