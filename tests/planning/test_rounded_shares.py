"""What rounding questions costs, and how a level is shared, against exact sums of one's own."""

import math
import random
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import pytest
from tests.support.brute import runs
from tests.support.strategies import staged

from feint import Domain, Problem
from feint.interfaces import Strategy
from feint.planning.option import Option
from feint.planning.product import share
from feint.planning.ticks import _rounded

# Blocks, parts, parts kept, steps in a part and cells; a part has four or eight cells.
SHAPES = [
    ((), 3, 3, (2, 2), 12),
    ((2,), 3, 2, (2, 2), 24),
    ((), 4, 3, (2, 2), 16),
    ((2,), 2, 2, (2, 2, 2), 32),
    ((), 3, 2, (4, 2), 24),
]


def won(strategy: Strategy, ends: list[Fraction], delta: Fraction) -> Fraction:
    """What the best eavesdropper wins with where the cells end there, of a range of length 1."""
    heard: dict[tuple[int, ...], list[tuple[Fraction, Fraction, Fraction]]] = defaultdict(list)
    for points, cell, chance, _, _ in runs(strategy):
        heard[points].append((ends[cell], ends[cell + 1], chance))
    total = Fraction(0)
    for pieces in heard.values():
        marks = {edge for low, high, _ in pieces for edge in (low, high)}
        starts = marks | {mark - delta for mark in marks}
        total += max(
            sum(
                (chance * max(Fraction(0), min(high, start + delta) - max(low, start)))
                for low, high, chance in pieces
            )
            for start in starts
        )
    return total


def test_rounded_questions_give_her_no_more_than_their_share() -> None:
    """On ticks of a tenth of a cell or so, where rounding is seen in the second digit."""
    draw, above = random.Random(5), 0
    for _ in range(60):
        narrow, parts, kept, hide, size = draw.choice(SHAPES)
        cell = Fraction(1, size)
        delta = cell * math.prod(hide) * Fraction(draw.choice([3, 4]), 4)
        problem = Problem(cell * 2, delta, 2)
        strategy = staged(problem, size, narrow, parts, kept, hide)
        exact = won(strategy, [cell * k for k in range(size + 1)], delta)
        option = Option(queries=1, share=exact, strategy=strategy, success=exact)
        tick = cell / draw.randint(4, 30) * Fraction(draw.randint(90, 110), 100)
        laid = _rounded(problem, Domain(0, 1), option, tick)
        assert laid is not None
        assert laid.scale is not None
        assert laid.scale is not None
        ends = [laid.scale.at(k) for k in range(size + 1)]
        assert all(low < high for low, high in pairwise(ends))
        really = won(strategy, ends, delta)
        assert really <= laid.share
        above += really > exact
    assert above > 20  # or rounding cost nothing, and nothing was tried


def options(draw: random.Random, level: int, dim: int) -> list[Option]:
    """Shares near a root of 1/level, by parts that no float tells apart, and some of the usual."""
    strategy = staged(Problem("1/8", "1/4", 2), 8, (), 2, 2, (2,))
    root = Fraction(1, round(level ** (1 / dim)))
    off = [Fraction(draw.choice([-1, 0, 1, 1]), 10 ** draw.randint(14, 40)) for _ in range(3)]
    shares = {Fraction(1), Fraction(1, level), *(root * (1 + each) for each in off)}
    shares |= {Fraction(1, draw.randint(2, level)) for _ in range(2)}
    queries, found = 2, list[Option]()
    for each in sorted(shares, reverse=True):  # cheapest first, and the dearer hides more
        queries += draw.randint(1, 3)
        found.append(Option(queries=queries, share=each, strategy=strategy, success=None))
    return found


@pytest.mark.parametrize("dim", [2, 3, 4, 7, 8])
def test_a_level_is_shared_exactly(dim: int) -> None:
    """A product of shares just above 1/level, by less than a float has digits, is not enough."""
    draw = random.Random(dim)
    for _ in range(60):
        level = draw.choice([2, 3]) ** dim
        choices = options(draw, level, dim)
        chosen = share(choices, level, dim)
        assert chosen is not None
        assert len(chosen) == dim
        assert math.prod((each.share for each in chosen), start=Fraction(1)) * level <= 1
