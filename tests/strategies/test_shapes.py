"""A shape that says least is the plainest member of its family."""

from dataclasses import replace
from fractions import Fraction

from tests.support.brute import brute

from feint import Problem
from feint.strategies import (
    NoisyShape,
    PlantedShape,
    Staged,
    StagedShape,
)
from feint.strategies.retired import (
    Planted,
    Play,
    Tailed,
    TailedShape,
)


def test_one_search_of_everything() -> None:
    shape = NoisyShape(hide=7)
    assert (shape.queries, shape.rounds) == (7, 7)
    assert (shape.blocks, shape.narrow, shape.parts, shape.repeats, shape.kept) == (1, 0, 1, 0, 1)
    halving = StagedShape(hide=(2, 2, 2))
    assert (halving.queries, halving.rounds, halving.size) == (3, 3, 8)
    assert (halving.narrow, halving.parts, halving.kept) == ((), 1, 1)
    found = brute(Staged(Problem("1/8", "1/4", 2), 8, halving), Fraction(1, 4))
    assert (found.success, found.accuracy) == (Fraction(1), Fraction(1, 8))


def test_no_guess_at_all() -> None:
    shape = PlantedShape(steps=(2, 3))
    assert (shape.guesses, shape.queries, shape.rounds, shape.size) == (0, 3, 2, 6)
    assert not Planted(Problem("1/6", "1/3", 2, setting="deterministic"), 6, shape).printed


def test_parts_that_are_told_apart_at_once_down_to_a_cell() -> None:
    shape = TailedShape(width=2, kept=2)
    assert (shape.levels, shape.accuracy) == ((), 1)
    problem = Problem("1/6", "1/3", 2, values=6)
    assert brute(Tailed(problem, 6, shape), problem.delta).accuracy <= Fraction(1, 6)


def test_a_play_whose_last_part_shows_every_offset() -> None:
    play = Play(asked=((1, 2),), places=(0, 2), mass=1)
    assert play.kind(3) == "all"
    assert replace(play, high=True).kind(3) == "high"
