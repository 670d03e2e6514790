"""The enumerator: exact weights, transcripts that are whole, limits that hold."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.strategies import staged

from feint import Problem
from feint.audit import BestReply, Prior, audit, lemmas, measure
from feint.branches import Branches, Heard, Posteriors, branches, success, walk
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import Estimate, Points, Strategy, Weights
from feint.strategies import (
    Product,
    Staged,
    StagedState,
)
from feint.strategies.retired import (
    Node,
    Tabular,
)


def brute(low: list[int], high: list[int], weight: list[int], length: Fraction) -> Fraction:
    """The most a window catches, over every window with an end at an end of an interval."""
    starts = [Fraction(end) for end in low + high]
    starts += [end - length for end in starts]
    catches = [
        sum(
            w * max(Fraction(0), min(Fraction(b), start + length) - max(Fraction(a), start))
            for a, b, w in zip(low, high, weight, strict=True)
        )
        for start in starts
    ]
    return Fraction(max(catches))


rows = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6), st.integers(1, 5), st.integers(0, 2)),
    min_size=1,
    max_size=12,
)


@given(rows, st.fractions(Fraction(1, 3), 8, max_denominator=4), st.sampled_from([1, 1 << 61]))
def test_best_windows_equal_brute_force(
    table: list[tuple[int, int, int, int]], length: Fraction, scale: int
) -> None:
    """Also with weights beyond 62 bits, where Python's integers take over."""
    groups = sorted({row[3] for row in table})
    group = np.array([groups.index(row[3]) for row in table])
    low = np.array([row[0] for row in table])
    high = low + [row[1] for row in table]
    weight = np.array([row[2] * scale for row in table], object if scale > 1 else np.int64)
    part = Branches(
        low=low[:, None],
        high=high[:, None],
        weight=weight,
        total=1,
        group=group,
        heard=Heard(None, np.arange(len(groups)), np.zeros((len(groups), 0), np.int64)),
        estimate=(low[:, None], high[:, None]),
    )
    held = Posteriors.of(part, int(high.max()), length.denominator)
    caught = held.caught(length.numerator)
    for index in range(len(groups)):
        mine = group == index
        expected = brute(low[mine].tolist(), high[mine].tolist(), weight[mine].tolist(), length)
        assert Fraction(int(caught[index]), length.denominator) == expected


@pytest.mark.parametrize("chunk", [1, 7, 1 << 18])
def test_chunks_do_not_change_the_answer(chunk: int) -> None:
    strategy = staged(Problem("1/48", "1/12", 3), 48, (2,), 4, 3, (2, 3))
    seen = [tuple(row) for part in branches(strategy, chunk=chunk) for row in part.transcripts]
    assert len(seen) == len(set(seen))
    assert success(strategy, chunk=chunk) == Fraction(1, 3)


def test_coins_with_unlike_denominators_stay_exact() -> None:
    """Weight sums whose common multiple passes 64 bits."""
    primes = (2_147_483_647, 2_147_483_629, 2_147_483_587)
    nodes = [Node(((2, 1), (1, primes[0] - 1)), ((1, 2), (1, 2)))]
    nodes += [Node(((1, 1), (3, prime - 1)), ((-1, -1), (-1, -1))) for prime in primes[1:]]
    strategy = Tabular(Problem("1/4", "1/2", 2), 4, 2, tuple(nodes))
    mass = Fraction(0)
    for part in branches(strategy):
        volume = (part.high - part.low)[:, 0].astype(object)
        mass += Fraction(int((part.weight * volume).sum()), part.total)
    assert mass == 4


def test_too_many_branches_are_refused() -> None:
    strategy = staged(Problem("1/48", "1/12", 3), 48, (2,), 4, 3, (2, 3))
    with pytest.raises(TooLarge, match="limit = 100: the strategy has more than 100 branches"):
        list(branches(strategy, limit=100))
    wide = staged(Problem("2^-20", "2^-8", 3), 1 << 20, (), 1, 1, (1 << 20,))
    with pytest.raises(TooLarge, match="answers of one round"):
        list(branches(wide))


def test_noisy_strategies_are_refused() -> None:
    noisy = staged(Problem("1/48", "1/12", 3, p=0.9), 48, (2,), 4, 3, (2, 3))
    with pytest.raises(TooLarge, match="sample runs"):
        list(branches(noisy))


@pytest.mark.parametrize("size", [1 << 12, 1 << 62, 3 * (1 << 60) + 5])
def test_lattices_of_any_size(size: int) -> None:
    """Beyond 62 bits Python's integers take over; few queries leave pieces of 1/8 in 3 parts."""
    strategy = staged(Problem("1/16", "1/4", 2), size, (), 4, 3, (2, 2))
    found = measure(strategy, Fraction(1, 5))
    assert abs(found.success - Fraction(1, 3)) <= Fraction(4, size)
    assert found.covering == 3
    assert abs(found.accuracy - Fraction(1, 16)) <= Fraction(4, size)
    assert lemmas(strategy)[2].measured == 1
    weighed = measure(strategy, Fraction(1, 4), prior=Prior([0, 1]))
    assert weighed.success > Fraction(1, 3)


SMALL = (Problem("1/8", "1/4", 2), 8, (), 4, 3, (2,))


class Coin(Staged):
    """A coin with weights of one's own."""

    odds: np.ndarray

    def coin(self, state: StagedState) -> Weights | None:
        weights = super().coin(state)
        return None if weights is None else np.tile(self.odds, (len(weights), 1))


def coined(odds: list[Any], kind: Any = None) -> Strategy:
    made = staged(*SMALL, Coin)
    object.__setattr__(made, "odds", np.array(odds, kind))
    return made


@pytest.mark.parametrize(
    ("odds", "words"),
    [
        ([1.9, 1.9, 0.2], "whole numbers as weights"),
        ([Fraction(1, 2), 1, 1], "whole numbers as weights"),
        ([3, -1, 1], "less than 0"),
        ([0, 0, 0], "a side to fall on"),
    ],
)
def test_coins_must_be_exact(odds: list[Any], words: str) -> None:
    """Weights cut to whole numbers would make another coin, and another verdict."""
    walks: list[Any] = [branches, success, measure_quarter, lemmas, BestReply]
    for walked in walks:
        with pytest.raises(InvalidValue, match=words):
            list(walked(coined(odds)))


def measure_quarter(strategy: Strategy) -> Any:
    return measure(strategy, Fraction(1, 4))


@pytest.mark.parametrize("kind", [np.int8, np.uint64, object])
def test_any_whole_numbers_will_do(kind: Any) -> None:
    """19:19:2, the odds of which a float's cut would have made 1:1:0."""
    expected = success(coined([19, 19, 2]))
    assert expected == Fraction(19, 40)
    assert success(coined([19, 19, 2], kind)) == expected


def test_weights_whose_sum_passes_64_bits() -> None:
    assert success(coined([1 << 62, 1 << 62, 1 << 62])) == success(staged(*SMALL))


class Between(Staged):
    """Asks between two boundaries."""

    def ask(self, state: StagedState) -> Points:
        return cast(Points, super().ask(state) + 0.5)


class Past(Staged):
    """Asks past the right end."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state) + 8


class Before(Staged):
    """Asks before the left end."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state) - 3


class Slim(Staged):
    """Asks a column fewer than it announced."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state)[:, 1:]


class Aside(Staged):
    """Says a point that is not the middle of its ends."""

    def estimate(self, state: StagedState) -> Estimate:
        found = super().estimate(state)
        return replace(found, cell=found.cell + 3)


class Loose(Staged):
    """Its ends are no boundaries."""

    def estimate(self, state: StagedState) -> Estimate:
        found = super().estimate(state)
        inside: Any = (found.low + 0.25, found.high - 0.25)
        return replace(found, low=inside[0], high=inside[1])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Between, "whole numbers: boundaries"),
        (Past, "off the lattice"),
        (Before, "off the lattice"),
        (Slim, r"\(1, 3\) in shape"),
        (Aside, "the middle of its low and high"),
        (Loose, "ends must be whole numbers"),
    ],
)
def test_what_breaks_the_contract_is_not_audited(kind: Any, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        audit(staged(*SMALL, kind))
    if kind is not Slim:  # the driver of runs refuses that shape by itself
        with pytest.raises(InvalidValue, match=words):
            audit(staged(*SMALL, kind), runs=100)


def test_each_coordinate_has_its_own_end() -> None:
    line = Problem("1/8", "1/4", 2)
    short = staged(line, 4, (), 1, 1, (4,))
    both = Product(Problem("1/8", "1/4", 2, dim=2), (staged(*SMALL), short))
    assert len(list(branches(both))) == 1
    far = Product(Problem("1/8", "1/4", 2, dim=2), (staged(*SMALL), staged(*SHORT, Shifted)))
    with pytest.raises(InvalidValue, match="off the lattice"):
        list(branches(far))


SHORT = (Problem("1/8", "1/4", 2), 4, (), 1, 1, (4,))


class Shifted(Staged):
    """Asks past its own end, where a longer coordinate would still have a boundary."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state) + 3


def test_a_walk_that_loses_branches_is_never_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = walk._split

    def lossy(*given: Any) -> Any:
        return tuple(each[:-1] for each in whole(*given))

    monkeypatch.setattr(walk, "_split", lossy)
    with pytest.raises(RuntimeError, match="not 1"):
        success(staged(*SMALL))
