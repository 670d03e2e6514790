"""Parts of one width and a loose tail: claims by brute force, masses by the proof, figures."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.brute import brute, runs
from tests.support.checks import obeys
from tests.support.examples import examples

from feint import Problem
from feint.branches import success
from feint.planning.noiseless.loose import loose_shape, loosened
from feint.strategies import Block, Blocks, Loose, LooseShape, Play, StagedShape


def loose(size: int, width: int, kept: int, window: int | None = None) -> Loose:
    problem = Problem(Fraction(1, size), Fraction(window or width, size), kept, values=size)
    shape = loose_shape(size, width, kept)
    assert shape is not None
    return Loose(problem, size, shape)


def asked(strategy: Loose) -> list[int]:
    return [len(each.coordinates) for each in strategy.rounds]


@st.composite
def shapes(draw: st.DrawFn) -> Loose:
    """Any planned shape on at most 50 cells, with any window that its parts allow."""
    size, _, width = loosened(50)[kept := draw(st.integers(2, 4))]
    which = draw(st.integers(0, len(size) - 1))
    assume(kept * width[which] <= size[which])
    window = draw(st.integers(1, int(width[which])))
    return loose(int(size[which]), int(width[which]), kept, window)


@given(shapes())
@examples(25)
def test_nobody_wins_more_often_than_claimed(strategy: Loose) -> None:
    found = brute(strategy, strategy.problem.delta)
    assert found.success <= Fraction(1, strategy.shape.kept)
    assert found.accuracy == Fraction(1, strategy.size)
    obeys(strategy)


@given(shapes())
@examples(25)
def test_every_place_brings_the_same_mass(strategy: Loose) -> None:
    """Given any transcript, each of L places or more is as likely as the likeliest."""
    heard: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for points, cell, chance, _, _ in runs(strategy):
        heard[points][cell // strategy.shape.width] += chance
    for masses in heard.values():
        assert list(masses.values()) == [max(masses.values())] * strategy.shape.kept


@pytest.mark.parametrize("kept", [2, 3, 4])
@pytest.mark.parametrize("width", [2, 3, 4, 6, 7, 8])
def test_there_are_plays_where_the_sum_says_so(width: int, kept: int) -> None:
    """And nowhere else, whatever the tail; with as many questions as it says."""
    most = 2 * kept * width - 1
    sizes, questions, widths = loosened(most)[kept]
    said = {(a, c): b for a, b, c in zip(sizes, questions, widths, strict=True)}
    for parts in range(kept + (kept > 2), 2 * kept):
        for size in range(parts * width + 1, (parts + 1) * width):
            shape = loose_shape(size, width, kept)
            assert (shape is not None) == ((size, width) in said)
            if shape is not None:
                problem = Problem(Fraction(1, size), Fraction(width, size), kept, values=size)
                assert sum(asked(Loose(problem, size, shape))) == said[size, width]


def test_a_leaf_in_place_of_a_pair_by_hand() -> None:
    """15 cells, D = 4, L = 2: three parts of four, and a tail of three.

    With the tail goes the part in the middle, three times in four: what is left of it, a quarter,
    goes with the parts on either side, and they go with each other.
    """
    ends = ((1, 2, 3),)
    masses = {(1, 3): 6, (0, 1): 1, (1, 2): 1, (0, 2): 7}
    plays = [Play(asked=ends, places=places, mass=mass) for places, mass in masses.items()]
    problem = Problem(Fraction(1, 15), Fraction(4, 15), 2, values=15)
    strategy = Loose(problem, 15, LooseShape(width=4, plays=tuple(plays)))
    assert asked(strategy) == [3, 2, 2]
    assert brute(strategy, problem.delta).success == Fraction(1, 2)


def test_the_last_part_leads_where_its_half_matters() -> None:
    """11 cells, D = 4, L = 2: two parts and three cells, three pairs of which each is needed."""
    strategy = loose(11, 4, 2)
    assert asked(strategy) == [2, 1, 1, 2]
    kinds = {each.kind(2): each.places for each in strategy.shape.plays}
    assert kinds == {"all": (0, 1), "high": (0, 1), "apart": (0, 2), "low": (1, 2)}
    assert brute(strategy, strategy.problem.delta).success == Fraction(1, 2)


@pytest.mark.parametrize(
    ("size", "rounds"),
    [
        (85, [5, 4, 4, 4, 4]),  # five parts of 16 and 5
        (95, [5, 1, 3, 4, 4, 4]),
        (111, [3, 2, 1, 3, 4, 4, 4]),  # six in pairs, of which two are told apart, and 15
        (127, [1, 1, 1, 2, 4, 4, 4, 4]),  # twice three, the last, and 15
    ],
)
def test_just_below_a_multiple(size: int, rounds: list[int]) -> None:
    """D = 16, L = 4: 21 questions where the next multiple of 16 takes 20, and exactly 1/4."""
    strategy = loose(size, 16, 4)
    assert asked(strategy) == rounds
    assert sum(rounds) == 21
    assert success(strategy) == Fraction(1, 4)


def test_no_two_kept_places_touch_unless_they_agree() -> None:
    """Where the last part and the tail are kept, the part before is not."""
    for size in (23, 27, 31):
        for play in loose(size, 4, 4).shape.plays:
            parts, pairs = size // 4, set(combinations(play.places, 2))
            assert not {(parts - 2, parts - 1), (parts - 1, parts)} <= pairs


@pytest.mark.parametrize("riders", [1, 3])
def test_riders_add_nothing(riders: int) -> None:
    size, width = 23, 4
    shape = loose(size, width, 4).shape
    blocks, path = list[Block](), tuple[int, ...]()
    alone = StagedShape(hide=(1,))
    for cell in range(riders):
        path = (*path, cell + 1)
        blocks.append(Block(start=cell, size=1, path=path, shape=alone, acts=cell + width))
    blocks.append(Block(start=riders, size=size, path=path, shape=shape))
    total = size + riders
    problem = Problem(Fraction(1, total), Fraction(width, total), 2, values=total)
    strategy = Blocks(problem, total, tuple(blocks))
    assert brute(strategy, problem.delta).success * total <= Fraction(size, 4)
    obeys(strategy)


def test_what_no_plays_can_do() -> None:
    """Too few parts: the last one must go with the tail more often than half of it can."""
    assert loose_shape(4 * 16 + 15, 16, 4) is None
    assert loose_shape(5 * 16 + 7, 16, 4) is None
