"""Flipped bits: what a client loses, what votes tell, and what many runs come to."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from feint import Problem, Search, plan
from feint.audit import BestReply, clopper_pearson
from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.planning import COIN, PrivateBits, bisected, flip_chance, private_bits
from feint.planning.flipped import followed_votes, privacy_loss, votes_law
from feint.search import prepared

FAILURE = 1e-3
RUNS = [pytest.param(4, marks=pytest.mark.long), pytest.param(500, marks=pytest.mark.slow)]
WANTED: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 2, "delta": 8, "level": 4}


@pytest.mark.parametrize("epsilon", ["1/1000", "1/10", 1, 2, 5, 40])
def test_the_loss_is_within_the_budget(epsilon: Any) -> None:
    """(1 - f)/f ≤ e^epsilon, by bounds on e^epsilon from its series in exact arithmetic."""
    flip, exact = flip_chance(epsilon), Fraction(epsilon)
    term, below = Fraction(1), Fraction(0)
    for step in range(1, 400):  # all terms are positive, so this is below e^epsilon
        below += term
        term = term * exact / step
    assert (1 - flip) / flip <= below
    assert flip * (1 << COIN) == int(flip * (1 << COIN))  # a coin of 64 bits decides
    least = flip - Fraction(2, 1 << COIN)
    assert least <= 0 or (1 - least) / least > below * (1 - Fraction(1, 10**9))
    if exact < 30:
        assert privacy_loss(flip) == pytest.approx(float(exact), rel=1e-6)
        assert privacy_loss(flip) <= float(exact) + 1e-12


def test_bad_budgets_are_named() -> None:
    for wrong in (0, -1, 41):
        with pytest.raises(InvalidValue, match="local_epsilon"):
            flip_chance(wrong)


@pytest.mark.parametrize(
    ("clients", "reach", "group"), [(7, 3, 3), (6, 6, 4), (6, 0, 2), (8, 5, 8), (5, 2, 1)]
)
def test_the_law_of_votes(clients: int, reach: int, group: int) -> None:
    """Every group and every flip."""
    flip = Fraction(1, 5)
    law = [Fraction(0)] * (group + 1)
    groups = list(combinations(range(clients), group))
    for some in groups:
        for flips in product((0, 1), repeat=group):
            weight = math.prod(flip if each else 1 - flip for each in flips)
            yes = sum((one < reach) != bool(each) for one, each in zip(some, flips, strict=True))
            law[yes] += Fraction(weight) / len(groups)
    assert votes_law(clients, reach, group, flip) == pytest.approx([float(each) for each in law])


@pytest.mark.long
def test_the_law_of_large_groups_adds_up() -> None:
    law = votes_law(100_001, 48_000, 5_000, Fraction(1, 4))
    mean = 5_000 * (0.25 + 0.5 * 48_000 / 100_001)
    assert law.sum() == pytest.approx(1)
    assert law @ np.arange(5_001) == pytest.approx(mean)


def test_votes_of_a_round_fit_one_number() -> None:
    for said in product((False, True), repeat=5):
        low, high, followed = bisected([1, 2, 3, 4, 5], 0, 6, dict(enumerate(said, 1)).__getitem__)
        assert high - low == 1
        assert all(said[at - 1] == (at <= low) for at in followed)
        assert len(followed) <= 3
    assert bisected([1, 7, 3], 2, 5, lambda _: True) == (3, 5, [3])


def test_which_votes_are_followed_is_counted() -> None:
    """Of a plan without privacy, as many as bisection has; of a plan by hand, by its runs."""
    assert followed_votes(plan(Problem("1/32", "1/8", 1)).strategy) == 5
    found = plan(Problem("1/64", "1/16", 4))
    assert 6 <= followed_votes(found.strategy) < found.queries
    with pytest.raises(TooLarge, match="take a larger epsilon"):
        private_bits(plan(Problem("2^-20", "2^-8", 4)), 1000, rank="0.1", local_epsilon=1)


@pytest.mark.long
def test_small_searches_by_every_order_and_flip() -> None:
    """Bisection of four cells by groups of two: no distribution misses more often than proved.

    All ways in which four clients hold cells 0 to 3, every order in which they are dealt, every
    flip.
    """
    clients, group, share, rank, flip = 4, 2, Fraction(1, 2), Fraction(1, 5), Fraction(1, 4)

    @cache
    def tail(reach: int, yes: bool, threshold: int) -> Fraction:
        total = Fraction(0)
        groups = list(combinations(range(clients), group))
        for some, flips in product(groups, product((0, 1), repeat=group)):
            weight = math.prod(flip if each else 1 - flip for each in flips)
            bits = sum((one < reach) != bool(each) for one, each in zip(some, flips, strict=True))
            total += Fraction(weight) / len(groups) * ((bits >= threshold) == yes)
        return total

    above = clients - math.floor((share + rank) * clients) - 1
    below = math.ceil((share - rank) * clients) - 1
    weights = {
        flips: math.prod(flip if each else 1 - flip for each in flips)
        for flips in product((0, 1), repeat=2 * group)
    }
    for threshold in (1, 2):
        bound = 2 * max(tail(above, True, threshold), tail(clients - below, False, threshold))
        for counts in product(range(clients + 1), repeat=3):
            if sum(counts) > clients:
                continue
            sizes = (*counts, clients - sum(counts))
            values = [cell for cell, size in enumerate(sizes) for _ in range(size)]
            miss, orders = Fraction(0), list(permutations(range(clients), 2 * group))
            for order, (flips, weight) in product(orders, weights.items()):
                found = walked([values[each] for each in order], flips, group, threshold)
                miss += Fraction(weight) * is_off(values, found, share, rank)
            assert miss / len(orders) <= bound


def walked(dealt: list[int], flips: tuple[int, ...], group: int, threshold: int) -> int:
    """The cell that two votes lead to."""
    bits = [
        sum((dealt[at] >= 2) != bool(flips[at]) for at in range(group)) >= threshold,
    ]
    point = 3 if bits[0] else 1
    second = sum((dealt[at] >= point) != bool(flips[at]) for at in range(group, 2 * group))
    return (2 if bits[0] else 0) + (second >= threshold)


def is_off(values: list[int], found: int, share: Fraction, rank: Fraction) -> bool:
    less = Fraction(sum(each < found for each in values), len(values))
    most = Fraction(sum(each <= found for each in values), len(values))
    return less > share + rank or most < share - rank


@pytest.mark.long
def test_a_rank_that_is_out_of_reach_is_refused_with_what_it_takes() -> None:
    found, _ = prepared(**WANTED)
    with pytest.raises(
        NoPlan, match=r"ask about \d+ clients.*these reach rank = 0\.\d+"
    ) as refused:
        private_bits(found, 1001, rank="0.2", local_epsilon=1)
    words = str(refused.value).replace(";", " ").split()
    needed = int(words[words.index("about") + 1])
    reach = words[-1]
    assert private_bits(found, needed, rank="0.2", local_epsilon=1).miss <= 0.05
    assert private_bits(found, 1001, rank=reach, local_epsilon=1).miss <= 0.05
    with pytest.raises(NoPlan, match="clients"):
        private_bits(found, needed * 9 // 10, rank="0.2", local_epsilon=1)
    with pytest.raises(NoPlan, match=r"more than \d+ are needed"):
        private_bits(found, 1001, rank="0.001", local_epsilon="0.01")


@pytest.mark.long
def test_several_answers_share_the_budget() -> None:
    found, _ = prepared(**WANTED)
    several = private_bits(found, 3001, rank="0.2", local_epsilon=4, answers_each=2)
    assert several.loss_each == 2
    assert several.group == 2 * 3001 // found.queries
    assert several.privacy_loss == pytest.approx(4)
    with pytest.raises(InvalidValue, match="answers_each"):
        private_bits(found, 3001, rank="0.2", local_epsilon=4, answers_each=found.queries + 1)
    noisy, _ = prepared(**WANTED, p="0.9", confidence="0.9")
    with pytest.raises(InvalidValue, match="without noise"):
        private_bits(noisy, 3001, rank="0.2", local_epsilon=4)


Floats = NDArray[np.float64]


def voted(bits: PrivateBits, values: Floats, random: np.random.Generator) -> tuple[float, Any]:
    """One search whose clients are dealt and flip here; the number found and the search."""
    search = Search(bits.plan, seed=int(random.integers(1 << 30)))
    order, low, high, asked = random.permutation(len(values)), Fraction(-1), Fraction(101), 0
    while not search.done:
        queries, votes = search.ask(), {}
        for query in queries:
            own = values[order[asked * bits.group : (asked + 1) * bits.group]]
            flips = random.random(bits.group) < float(bits.flip)
            votes[query.value] = bool(((own >= float(query.value)) ^ flips).sum() >= bits.threshold)
            asked += 1
        low, high, _ = bisected([each.value for each in queries], low, high, votes.__getitem__)
        for query in queries:
            search.tell(query.id, query.value <= low)
    assert asked * bits.group <= bits.clients
    return float(search.result.estimate), search


SHAPES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda random, count: random.normal(50, 12, count),
    "ties": lambda random, count: random.choice([20.0, 41.0, 60.0], count, p=[0.3, 0.4, 0.3]),
}


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("clients", "local_epsilon", "rank"),
    [
        (1001, 1, "0.3"),
        (1001, 2, "0.18"),
        (3001, 1, "0.18"),
        (10_001, 1, "0.1"),
        (10_001, 2, "0.06"),
    ],
)
def test_accuracy_and_privacy_over_many_runs(
    clients: int, local_epsilon: int, rank: str, shape: str, runs: int
) -> None:
    """The rank is as promised in 95 %, and the best eavesdropper finds the number in 1 of level."""
    found, _ = prepared(**WANTED)
    bits = private_bits(found, clients, rank=rank, local_epsilon=local_epsilon)
    best, random, misses, won = BestReply(found.strategy), np.random.default_rng(clients), 0, 0
    for _ in range(runs):
        # Moved at random, so that all places are about equally likely.
        values = (SHAPES[shape](random, clients) + random.uniform(-30, 30)).clip(0, 99.9)
        estimate, search = voted(bits, values, random)
        less = float(np.mean(values < estimate - 1))
        most = float(np.mean(values <= estimate + 1))
        misses += less > 0.5 + float(rank) or most < 0.5 - float(rank)
        guess = best.guess(search.transcript, random)
        won += abs(float(guess[0, 0]) * 100 / found.cells[0] - estimate) <= 4
    right = 1 - float(clopper_pearson(misses, runs, FAILURE)[0])
    heard = float(clopper_pearson(won, runs, FAILURE)[0])
    print(f"{shape}, {clients} clients, local epsilon {local_epsilon}, rank {rank}:")
    print(f"{misses} of {runs} off, {won} won; loss {bits.privacy_loss:.6f}, miss {bits.miss:.4f}")
    assert right >= 0.95
    assert bits.privacy_loss <= local_epsilon + 1e-12
    assert heard <= 0.25 * 100 / 60  # the number lies within 60 of the 100, mostly
