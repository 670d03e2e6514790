"""Planted: accurate for every X*, and every guess's cell stays possible."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.brute import runs
from tests.support.checks import cover, coverings, information, obeys
from tests.support.strategies import planted as made

from feint import Problem
from feint.branches import branches, success
from feint.interfaces import UNASKED
from feint.strategies import PlantedShape, Table


def planted(
    size: int,
    delta: Fraction,
    guesses: tuple[bool, bool, int, int],
    steps: int,
    *,
    printed: bool = False,
) -> Table:
    """The guesses are left, right, bisected and parts; only delta matters in the problem."""
    problem = Problem(delta / 2, delta, 2, setting="deterministic")
    return made(problem, size, *guesses, (2,) * steps, printed=printed)


def enough(size: int, bisected: int, parts: int) -> int:
    """Steps that end in single cells: halving by floor keeps sizes within one of each other."""
    block = -(-size // (1 << bisected))
    return (-(-block // parts) - 1).bit_length()


shapes = st.tuples(st.booleans(), st.booleans(), st.integers(0, 3), st.integers(1, 5))


def test_the_brute_force_covering_number() -> None:
    assert cover([(0, 1)], Fraction(2)) == 1
    assert cover([(0, 4)], Fraction(2)) == 2
    assert cover([(0, 5)], Fraction(2)) == 3
    # Cells whose starts are exactly delta apart: a window's closed end catches one point only.
    assert cover([(0, 1), (2, 3), (4, 5)], Fraction(2)) == 3
    assert cover([(0, 1), (1, 2), (5, 6)], Fraction(2)) == 2
    assert cover([(0, 1), (3, 4)], Fraction(7, 2)) == 2
    assert cover([(0, 3), (1, 2)], Fraction(3)) == 1


@given(st.integers(1, 40), shapes, st.integers(0, 1))
def test_laws(size: int, guesses: tuple[bool, bool, int, int], more: int) -> None:
    """No more questions than the formula says; on pieces of one cell there are fewer."""
    steps = enough(size, *guesses[2:]) + more
    strategy = planted(size, Fraction(1, 4), guesses, steps)
    left, right, bisected, parts = guesses
    shape = PlantedShape(left=left, right=right, bisected=bisected, parts=parts, steps=(2,) * steps)
    assert shape.queries == left + right + 2 * bisected + 2 * (parts - 1) + steps
    assert strategy.queries <= shape.queries
    assert len(strategy.rounds) <= max(shape.rounds, int(left or right))
    obeys(strategy)
    for part in branches(strategy):
        assert (part.estimate[1] - part.estimate[0] == 1).all()


@given(shapes, st.integers(2, 3))
def test_every_guess_stays_possible(guesses: tuple[bool, bool, int, int], steps: int) -> None:
    """The theorem: covering number at least the number of guesses, when they are δ apart.

    Pieces of four cells or more: then no question of a guess is known beforehand.
    """
    left, right, bisected, parts = guesses
    size = (parts << bisected) << steps
    strategy = planted(size, Fraction(1, size), guesses, steps)
    shape = PlantedShape(left=left, right=right, bisected=bisected, parts=parts, steps=(2,) * steps)
    assert (strategy.queries, len(strategy.rounds)) == (shape.queries, shape.rounds)
    apart, widths = size, [len(each.coordinates) for each in strategy.rounds]
    for transcript, boxes in information(strategy).items():
        pairs = list(transcript[left : widths[0] - right])
        pairs += transcript[widths[0] : sum(widths[: bisected + (parts > 1)])]
        pairs = pairs if bisected or parts > 1 else []
        assert all(b == a + 1 for a, b in zip(pairs[::2], pairs[1::2], strict=True))
        found = sorted([0] * left + [size - 1] * right + pairs[::2])
        possible = {int(cell) for low, high in boxes for cell in range(low[0], high[0])}
        assert possible.issuperset(found)
        apart = min([apart, *np.diff(found).tolist()])
    if shape.guesses > 0:
        wide = planted(size, min(Fraction(apart, size), Fraction(1, 2)), guesses, steps)
        assert min(coverings(wide).values()) >= shape.guesses


@given(shapes)
def test_found_runs_can_take_every_path(guesses: tuple[bool, bool, int, int]) -> None:
    """Whoever finds X* in the first round may act out any transcript there is."""
    left, right, bisected, parts = guesses
    strategy = planted(23, Fraction(1, 23), guesses, enough(23, bisected, parts))
    every = information(strategy)
    cell = 0 if left else 22 if right else 11 if bisected else 23 // parts if parts > 1 else None
    if cell is not None:
        assert all(any(low[0] <= cell < high[0] for low, high in boxes) for boxes in every.values())


@pytest.mark.parametrize(("printed", "number"), [(True, 1), (False, 3)])
def test_the_printed_algorithm_leaks(printed: bool, number: int) -> None:
    """ε=1/64, δ=1/8, L=3, MATH §4: as printed, the all-left path has covering number 1."""
    guesses = (False, False, 3, 1)
    strategy = planted(64, Fraction(1, 8), guesses, 3, printed=printed)
    numbers = coverings(strategy)
    assert sum(len(round_.coordinates) for round_ in strategy.rounds) == 9
    assert min(numbers.values()) == number
    smallest = min(numbers, key=numbers.__getitem__)
    assert not printed or smallest[:6] == (32, 33, 16, 17, 8, 9)
    obeys(strategy, accurate=not printed)


def test_printed_in_the_other_regime_keeps_only_the_grid() -> None:
    """Algorithm 3 as printed: the covering number falls to L−K, and with K = 0 it stays at L."""
    # L = 5 at δ = 1/16: a guess at 0, K = 2 along the bisection, 2 on a grid of 3 parts.
    guesses = (True, False, 2, 3)
    for printed, number in ((False, 5), (True, 3)):
        strategy = planted(48, Fraction(1, 16), guesses, 2, printed=printed)
        assert min(coverings(strategy).values()) == number
    harmless = planted(48, Fraction(1, 5), (True, False, 0, 5), 4, printed=True)
    assert min(coverings(harmless).values()) == 5


def test_the_printed_estimate_misses() -> None:
    strategy = planted(64, Fraction(1, 8), (False, False, 3, 1), 3, printed=True)
    missed = [
        (part.estimate[0] > part.low) | (part.estimate[1] < part.high)
        for part in branches(strategy)
    ]
    assert np.concatenate(missed).any()


def test_an_eavesdropper_who_averages_nearly_always_wins() -> None:
    """MATH §1: 1987/2048 at ε=1/64, δ=1/8, L=2, with both guesses along the bisection."""
    problem = Problem("1/64", "1/8", 2, setting="deterministic")
    strategy = made(problem, 64, False, False, 2, 1, (2,) * 4)
    assert success(strategy) == Fraction(1987, 2048)
    assert min(coverings(strategy).values()) >= 2


def test_a_guess_at_the_last_cell_saves_a_query() -> None:
    """ε=1/25, δ=2/25, L=5, MATH §4: 10 queries instead of 11."""
    problem = Problem("1/25", "2/25", 5, setting="deterministic")
    strategy = made(problem, 25, True, True, 2, 2, (2, 2))
    assert sum(len(round_.coordinates) for round_ in strategy.rounds) == 10
    assert min(coverings(strategy).values()) >= 5
    obeys(strategy)


def test_the_largest_lattice_does_not_overflow() -> None:
    size = 2**62
    strategy = planted(size, Fraction(1, 8), (True, True, 1, 3), 61)
    targets = np.array([[0], [1], [size // 3], [size // 2 + size // 6], [size - 2], [size - 1]])
    state = strategy.start(len(targets))
    for round_ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            state = strategy.toss(state, weights.argmax(axis=1))
        asked = strategy.ask(state)
        assert ((asked >= UNASKED) & (asked <= size)).all()
        state = strategy.tell(state, (targets[:, round_.coordinates] >= asked) & (asked >= 0))
    found = strategy.estimate(state)
    assert (found.low == targets).all()
    assert (found.high == targets + 1).all()


def test_no_query_at_all() -> None:
    strategy = planted(1, Fraction(1, 8), (False, False, 0, 1), 0)
    assert strategy.rounds == ()
    obeys(strategy)


def test_two_cells_are_both_guessed_in_one_round() -> None:
    """No guess but those at the ends: one question, and each answer makes one right."""
    strategy = planted(2, Fraction(1, 2), (True, True, 0, 1), 0)
    assert [(each.phase, each.coordinates) for each in strategy.rounds] == [("guess", (0,))]
    sure = Fraction(1)
    assert runs(strategy) == [((1,), 0, sure, 0, 1), ((1,), 1, sure, 1, 2)]
