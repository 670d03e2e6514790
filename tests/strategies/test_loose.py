"""Parts of one width and a loose tail, which saved searches still use: claims by brute force."""

from fractions import Fraction

from tests.support.brute import brute
from tests.support.checks import obeys

from feint import Problem
from feint.strategies.retired import (
    Loose,
    LooseShape,
    Play,
)


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
    assert [len(each.coordinates) for each in strategy.rounds] == [3, 2, 2]
    assert brute(strategy, problem.delta).success == Fraction(1, 2)
    obeys(strategy)
