"""Enumerate every run of a small noisy search with growing samples, whose sizes are heard."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from feint.interfaces import UNASKED
from feint.simulate.oracles import GrowingSample
from feint.strategies import SequentialNoisy, SequentialState

Outcome = tuple[bool, int, Fraction]  # whether the majority is right, its size, how often
Heard = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # questions and sizes, round by round


def outcomes(sample: GrowingSample, right: Fraction) -> list[Outcome]:
    """Return how a sample may end: every order of every vote."""
    found: dict[tuple[bool, int], Fraction] = defaultdict(Fraction)
    for votes in product((True, False), repeat=sample.largest):
        chance = Fraction(1)
        for vote in votes:
            chance *= right if vote else 1 - right
        for batch, size in enumerate(sample.sizes):
            yes = sum(votes[:size])
            if sample.is_decided(batch, yes):
                found[2 * yes > size, size] += chance
                break
    return [(*ending, chance) for ending, chance in found.items() if chance]


def searches(
    strategy: SequentialNoisy,
    cell: int,
    answer: Callable[[int, bool], list[Outcome]],
    *,
    apart: bool = False,
) -> Iterator[tuple[Heard, Fraction]]:
    """Yield what is heard of every run for one cell, with its probability.

    Args:
        strategy: A member that asks about one quantile at once.
        cell: Where X* is.
        answer: Called with a question and whether it belongs to hiding; how its sample may end.
        apart: Whether every copy of a question grows by its own votes, which breaks the promise.
    """

    def walk(
        state: SequentialState, heard: Heard, chance: Fraction
    ) -> Iterator[tuple[Heard, Fraction]]:
        if state.round == len(strategy.rounds):
            yield heard, chance
            return
        weights = strategy.coin(state)
        if weights is not None:
            sides = [Fraction(float(each)) for each in weights[0]]
            for side, weight in enumerate(sides):
                if weight:
                    tossed = strategy.toss(state, np.array([side]))
                    yield from walk(tossed, heard, chance * weight / sum(sides))
            return
        asked = [int(each) for each in strategy.ask(state)[0] if each != UNASKED]
        if not asked:
            yield heard, chance
            return
        followed = int(strategy.followed_columns(state)[0, 0])
        hidden = followed >= 0
        endings = [answer(point, hidden) for point in asked]
        if hidden and not apart:  # no other answer decides anything
            endings = [each if i == followed else each[:1] for i, each in enumerate(endings)]
        for some in product(*endings):
            taken = [some[followed]] if hidden and not apart else some
            sizes = tuple(size for _, size, _ in taken)
            told = np.zeros((1, len(strategy.rounds[state.round].coordinates)), bool)
            told[0, : len(asked)] = [
                (cell >= point) == right for point, (right, _, _) in zip(asked, some, strict=True)
            ]
            often = chance
            for _, _, each in taken:
                often *= each
            yield from walk(strategy.tell(state, told), (*heard, (tuple(asked), sizes)), often)

    return walk(strategy.start(1), (), Fraction(1))


def best_success(
    strategy: SequentialNoisy,
    wide: int,
    answer: Callable[[int, int, bool], list[Outcome]],
    *,
    apart: bool = False,
) -> Fraction:
    """Return how often the best eavesdropper names `wide` neighbouring cells that hold X*.

    Args:
        strategy: As in `searches`.
        wide: How many cells she names.
        answer: As in `searches`, called with the cell of X* first.
        apart: As in `searches`.
    """
    known: dict[Heard, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for cell in range(strategy.size):
        for heard, chance in searches(strategy, cell, partial(answer, cell), apart=apart):
            known[heard][cell] += chance / strategy.size
    total = Fraction(0)
    for each in known.values():
        total += max(
            sum((each[cell] for cell in range(first, first + wide) if cell in each), Fraction(0))
            for first in range(strategy.size)
        )
    return total
