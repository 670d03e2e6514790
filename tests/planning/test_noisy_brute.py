"""What noisy plans of whole numbers claim of privacy, against every answer, coin and value."""

from fractions import Fraction

import pytest
from tests.support.fixed import plan
from tests.support.noisy import brute, caught, claims
from tests.support.strategies import noisy_shape, staged_noisy

from feint import Problem
from feint.exact import ceil_div
from feint.interfaces import Rule
from feint.planning.noisy.claims import Member
from feint.strategies import StagedNoisy

# Values, reach, and c₁, K₁, C, m, L', K₂: blocks or parts that differ by one value.
UNEVEN = [
    (5, 2, (1, 0, 2, 2, 2, 4)),
    (7, 2, (1, 0, 2, 3, 2, 3)),
    (7, 2, (1, 0, 3, 2, 2, 2)),
    (7, 1, (2, 2, 3, 1, 2, 2)),
    (8, 2, (1, 0, 3, 2, 3, 2)),
    (9, 2, (2, 3, 2, 1, 2, 3)),
    (10, 2, (1, 0, 4, 1, 3, 2)),
    (10, 3, (1, 0, 3, 1, 3, 2)),
    (11, 2, (2, 2, 2, 3, 2, 2)),
    (11, 2, (1, 0, 4, 1, 2, 2)),
    (13, 2, (3, 2, 2, 2, 2, 2)),
]

PLANNED = [
    (values, reach, level)
    for values in (7, 8, 10, 11, 13)
    for reach in (1, 2)
    for level in (2, 3)
    if reach * (level + 1) <= values  # nearer to delta = 1/level there may be no plan
]


def problem_of(values: int, reach: int, level: int, p: str, confidence: str | None) -> Problem:
    widths = Fraction(1, values), Fraction(reach, values)
    return Problem(*widths, level, values=values, p=p, confidence=confidence)


def member(shape: tuple[int, int, int, int, int, int], part_cells: int) -> Member:
    return Member(shape=noisy_shape(*shape), part_cells=part_cells)


def wins(strategy: StagedNoisy) -> float:
    """What the best eavesdropper wins with, by enumeration."""
    return sum(caught(strategy, mass) for mass in brute(strategy).values()) / strategy.size


@pytest.mark.parametrize("rule", ["tilted", "posterior"])
@pytest.mark.parametrize("p", ["0.6", "0.8", "0.95"])
@pytest.mark.parametrize(("values", "reach", "shape"), UNEVEN)
def test_uneven_members_keep_their_claim(
    values: int, reach: int, shape: tuple[int, int, int, int, int, int], p: str, rule: Rule
) -> None:
    blocks, parts = shape[0], shape[2]
    assert values // blocks // parts >= reach  # as every plan has it
    problem = problem_of(values, reach, 2, p, None)
    claimed = claims(problem, member(shape, ceil_div(ceil_div(values, blocks), parts))).success
    assert wins(staged_noisy(problem, values, *shape, (rule, rule))) <= claimed


def test_the_claim_is_nearly_reached_and_equal_parts_would_break_it() -> None:
    """Five values in parts of 3 and 2: the longer one holds 6/5 of an equal share."""
    values, reach, shape = UNEVEN[0]
    problem = problem_of(values, reach, 2, "0.95", None)
    claimed = float(claims(problem, member(shape, 3)).success)
    found = wins(staged_noisy(problem, values, *shape, ("posterior", "posterior")))
    assert 0.99 * claimed < found <= claimed
    assert found > claimed * 5 / 6


@pytest.mark.parametrize("p", ["0.9", "0.99"])
@pytest.mark.parametrize(("values", "reach", "level"), PLANNED)
def test_small_plans_keep_their_promise(values: int, reach: int, level: int, p: str) -> None:
    found = plan(problem_of(values, reach, level, p, "0.5"))
    assert isinstance(found.strategy, StagedNoisy)
    assert found.adversary_success is not None
    assert wins(found.strategy) <= found.adversary_success <= Fraction(1, level)
