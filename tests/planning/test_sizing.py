"""Noisy members by certificates made for the test: what they vouch for, and what nobody does."""

import math
from fractions import Fraction

import pytest

from feint import NoPlan, Problem
from feint.interfaces import NEVER, Rule
from feint.planning.noisy.certificates.theorem import Theorem
from feint.planning.noisy.search import NoisySearch
from feint.planning.noisy.sizing import cheapest_noisy_near, quickest_noisy, unhidden_noisy
from feint.strategies import NoisyShape

PROBLEM = Problem("1/100", "1/10", 3, p="0.9", confidence="0.9")
KNOWN = Theorem(Fraction(9, 10))


class Quick:
    """A third of the answers that the theorem wants."""

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        count, chance, rule = KNOWN.answers(cells, miss)
        return max(1, count // 3), chance, rule


class Nobody:
    """No number of answers suffices."""

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        return NEVER, 1.0, "tilted"


def test_what_no_certificate_vouches_for_is_refused() -> None:
    with pytest.raises(NoPlan, match="no number of answers is known to suffice; raise epsilon"):
        unhidden_noisy(PROBLEM, Nobody())
    assert unhidden_noisy(PROBLEM, KNOWN).queries > 0


def test_a_dear_certificate_may_do_in_rounds_what_the_cheap_one_cannot() -> None:
    slow = quickest_noisy(PROBLEM, 3, KNOWN)
    assert slow is not None
    rounds = slow.shape.rounds - 1
    found = cheapest_noisy_near(PROBLEM, 3, KNOWN, Quick(), rounds=rounds)
    assert found is not None
    assert found.shape.rounds <= rounds
    assert (found.shape.blocks, found.shape.parts) == (slow.shape.blocks, slow.shape.parts)
    assert cheapest_noisy_near(PROBLEM, 3, KNOWN, KNOWN, rounds=rounds) is None


class Moody:
    """After n answers c cells miss with c·2^−n; four cells by another rule at losses in a band."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        if cells <= 1:
            return 0, 0.0, "tilted"
        count = max(1, math.ceil(math.log2(cells / miss)))
        other = cells == 4 and self.low < miss < self.high
        return count, cells / 2**count, "posterior" if other else "tilted"


def test_one_rule_for_both_lengths_may_be_found_at_a_smaller_loss() -> None:
    """25 values, 2 blocks, 3 parts: the longest have 5 and 4; all may be lost, or less than half.

    What the vote leaves is in between, where the two have no rule in common.
    """
    problem = Problem("1/25", "1/25", 2, values=25, p="0.99", confidence="0.9")
    shorter = 5 / 4  # a place is so much likelier in the shorter parts
    search = NoisySearch(problem, 2, Moody(0.05 / shorter, 0.0999999 / shorter))
    search.divide(2, 3)
    assert search.best is not None
    assert isinstance(search.best.shape, NoisyShape)
    assert search.best.shape.rules == ("tilted", "tilted")
    losses = dict(search.best.losses)
    assert losses["hide"] <= 0.05
    assert losses["total"] <= losses["allowed"]
