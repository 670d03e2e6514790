"""Ways to cut with few questions: factors whose product is large.

A k-way step asks k−1 questions and divides the rest by k. With rounds to spare, halving is best;
with few rounds, near-equal factors are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from feint.exact import bracket, ceil_div, ceil_log2
from feint.planning.limits import CHEAP_LOSS, FACTOR_NODES, MOST_FACTORED, WIDE_PRODUCTS


def largest_product(questions: int, rounds: int | None) -> int:
    """Return the largest product of factors k with Σ(k−1) = questions, one factor per round.

    By the inequality of means, near-equal factors are best. With rounds to spare, halvings are.
    """
    if rounds is None or rounds >= questions:
        return 1 << questions
    each, more = divmod(questions, rounds)
    return math.prod([each + 1] * (rounds - more) + [each + 2] * more)


def fewest(product: int, rounds: int | None) -> int:
    """Return the least Σ(k−1) of at most one factor k per round with at least this product."""
    if rounds is None or rounds >= ceil_log2(product):
        return ceil_log2(product)  # a question doubles the product at most
    if rounds <= 1:
        return product - 1
    # By the inequality of means, r factors with product n ask r·(n^(1/r) − 1) questions or more.
    least = max(0, math.floor(rounds * (math.pow(product, 1 / rounds) - 1)) - 1)
    while largest_product(least, rounds) < product:
        least += 1
    return least


def factors(product: int, questions: int, rounds: int | None) -> tuple[int, ...]:
    """Return factors with Σ(k−1) = questions that reach a product in the fewest rounds, rising."""
    if not questions:
        return ()
    most = questions if rounds is None else min(rounds, questions)
    _, count = bracket(lambda each: largest_product(questions, each) >= product, 0, most)
    each, more = divmod(questions, count)
    return (each + 1,) * (count - more) + (each + 2,) * more


def cheapest_factors(product: int, rounds: int | None) -> tuple[int, ...]:
    """Return the factors, at most one per round, that reach a product with fewest questions."""
    return factors(product, fewest(product, rounds), rounds)


class Narrowing(NamedTuple):
    """A way to narrow.

    Attributes:
        product: The number U of blocks it leads to.
        asked: The number of questions it asks, Σ(k−1).
        narrow: The factors k.
    """

    product: int
    asked: int
    narrow: tuple[int, ...]

    @classmethod
    def by(cls, narrow: tuple[int, ...]) -> Narrowing:
        """Return the way with these factors."""
        return cls(math.prod(narrow), sum(narrow) - len(narrow), narrow)


def narrowings(most: int, rounds: int | None) -> list[Narrowing]:
    """Return the cheapest way to narrow for each product up to `most`.

    Args:
        most: The largest product.
        rounds: The most rounds, which calls for near-equal factors. With None, products are 2^j·m
            with m odd and below 64.

    Returns:
        The ways; the widest first.
    """
    if rounds is None:
        found = [
            Narrowing(odd << halvings, asked + halvings, (2,) * halvings + narrow)
            for _, odd, asked, narrow in _ODD
            for halvings in range((most // odd).bit_length())
        ]
    else:
        counts = range(1, rounds)
        found = [Narrowing.by(()), *(way for each in counts for way in _balanced(most, each))]
    return sorted(set(found), key=lambda way: (-way.product, way.narrow))


@lru_cache(maxsize=256)
def _balanced(most: int, count: int) -> tuple[Narrowing, ...]:
    """Return a number of near-equal factors with a product of at most `most`."""
    found = []
    for questions in range(count, 4096):
        way = Narrowing.by(factors(largest_product(questions, count), questions, count))
        if way.product > most:
            break
        found.append(way)
    return tuple(found)


@dataclass(frozen=True)
class Cut:
    """A way to narrow by some factors and then cut into parts.

    Attributes:
        questions: The number of questions, Σ(k−1) + parts − 1.
        narrow: The factors k, whose product is U.
        parts: The number C of parts of the last cut.
    """

    questions: int
    narrow: tuple[int, ...]
    parts: int


def cheapest_cut(
    least: int,
    most: int,
    parts: int,
    *,
    rounds: int | None,
    below: float,
    spare: bool = True,
) -> Cut | None:
    """Return the cheapest way to make T = U·C equal parts with least ≤ T ≤ most and C ≥ parts.

    With rounds to spare, U is 2^j·m for every odd m that loses little against halving (`_ODD`), or
    one of the largest U that fit with C = parts, with any factors. With few rounds, U is any
    product of at most that number of factors, found by branch and bound. Past `FACTOR_NODES` nodes
    (many rounds and huge products at once) the best so far is taken. It may then ask a few
    questions more.

    Args:
        least: The least number of parts in all.
        most: The largest number of parts in all.
        parts: The least number of parts of the last cut.
        rounds: The most rounds that may narrow; None for any number.
        below: Only cuts with fewer questions than this are considered.
        spare: True if C may exceed `parts`. If False, C = parts.

    Returns:
        The cut, or None if there is none with fewer questions.
    """
    least = max(least, parts)
    if least > most:
        return None
    search = _Branching(least, most, parts, below, spare)
    if rounds is None:
        search.halve()
    else:
        if rounds:
            search.balanced(rounds)
        search.by_factors(1, (), rounds, most // parts)
    return search.best


def cut_bound(least: int, parts: int, rounds: int | None = None) -> float:
    """Return a bound on the questions of cuts into `least` parts, the last `parts` or more."""
    least = max(least, parts)
    if rounds is None:
        return math.log2(least / parts) + parts - 1
    count = max(parts, math.pow(least, 1 / (rounds + 1)))
    each = math.pow(max(1.0, least / count), 1 / rounds) - 1 if rounds else 0.0
    return rounds * each + (count if rounds else least) - 1


class _Branching:
    """A branch and bound over the factors of U, where C = max(parts, ⌈least/U⌉) or C = parts.

    The candidates that are skipped cannot win. A factor k costs k − 1 questions, and
    log₂ k ≤ k − 1 with equality at 2 (and at 1). So a product U costs log₂ U + loss(U) questions
    with loss(U) = Σ(k − 1 − log₂ k) ≥ 0, and no cut asks fewer than `cut_bound` =
    log₂(least/parts) + parts − 1. With rounds to spare, a U can therefore only win if loss(U) is
    below the excess of the best so far over that bound. `_ODD` lists odd parts of U by loss, and
    the loop ends at the first that loses too much. With few rounds, take the factors so far as
    given. No later one exceeds k, because `by_factors` takes them in falling order. Then the rest
    asks least with equal real-valued factors, by the inequality of means: see `_bound`.

    Attributes:
        best: The cheapest cut so far.
        below: Only cuts with fewer questions than this are considered.
    """

    def __init__(self, least: int, most: int, parts: int, below: float, spare: bool) -> None:
        self.least, self.most, self.parts, self.below = least, most, parts, below
        self.spare = spare
        self.nodes = FACTOR_NODES
        self.best: Cut | None = None
        # A factorisation wins only if it loses less than below − floor against halving.
        self.floor = cut_bound(least, parts) + 1 - 1e-9

    def offer(self, product: int, narrow: tuple[int, ...]) -> None:
        count = self._count(product)
        questions = sum(narrow) - len(narrow) + count - 1
        if questions < self.below and self.least <= product * count <= self.most:
            self.best, self.below = Cut(questions, narrow, count), questions

    def _count(self, product: int) -> int:
        """Return C, the least number of parts allowed."""
        return max(self.parts, -(-self.least // product)) if self.spare else self.parts

    def halve(self) -> None:
        """Try U = 2^j·m; composite factors never help if rounds are free."""
        for loss, odd, paid, narrow in _ODD:
            whole = self.parts * odd
            if loss > self.below - self.floor:  # as do all that follow
                break
            if self.most // odd * odd < max(self.least, whole):  # no multiple fits
                continue
            top = (self.most // whole).bit_length() - 1
            enough = (-(-self.least // whole) - 1).bit_length()
            for halvings in range(min(top, enough), -1, -1):
                product = odd << halvings
                count = self._count(product)
                questions = paid + halvings + count - 1
                if questions >= self.below:
                    break
                if self.least <= product * count <= self.most:
                    self.best = Cut(questions, (2,) * halvings + narrow, count)
                    self.below = questions
        if self.below - self.floor > WIDE_PRODUCTS:
            self._exactly()

    def _exactly(self) -> None:
        """Try the largest U that fit with C = parts, by their prime factors."""
        top, low = self.most // self.parts, ceil_div(self.least, self.parts)
        for product in range(top, max(low, top - WIDE_PRODUCTS, 1) - 1, -1):
            if product <= MOST_FACTORED:
                self.offer(product, _factors(product))

    def balanced(self, rounds: int) -> None:
        """Try near-equal factors a little around the best split, for a good first cut."""
        centre = self._centre(1, rounds)
        total = max(0, round(rounds * (centre - 1)))
        for questions in range(max(0, total - 64), total + 65):
            narrow = factors(largest_product(questions, rounds), questions, rounds)
            if math.prod(narrow) * self.parts <= self.most:
                self.offer(math.prod(narrow), narrow)

    def by_factors(self, product: int, narrow: tuple[int, ...], rounds: int, largest: int) -> None:
        """Try all U with a limited number of factors, largest first."""
        self.offer(product, narrow)
        self.nodes -= 1
        if not rounds or self.nodes <= 0:
            return
        highest = min(largest, self.most // (self.parts * product))
        if highest < 2:
            return
        middle = min(max(2, round(self._centre(product, rounds))), highest)
        for direction in (range(middle, highest + 1), range(middle - 1, 1, -1)):
            for k in direction:
                if self._bound(product, narrow, rounds, k) >= self.below or self.nodes <= 0:
                    break
                self.by_factors(product * k, (k, *narrow), rounds - 1, k)

    def _centre(self, product: int, rounds: int) -> float:
        """Return the value of all factors if they were equal real numbers."""
        free = math.pow(self.least / product, 1 / (rounds + 1))
        if free >= self.parts:
            return max(1.0, free)
        return max(1.0, math.pow(self.least / product / self.parts, 1 / rounds))

    def _bound(self, product: int, narrow: tuple[int, ...], rounds: int, k: int) -> float:
        """Return a lower bound on the questions of completions with next and largest factor k."""
        paid = sum(narrow) - len(narrow) + k - 1
        left, need = rounds - 1, self.least / (product * k)
        count = max(self.parts, math.pow(need, 1 / (left + 1)), need / math.pow(k, left))
        rest = left * (math.pow(max(1.0, need / count), 1 / left) - 1) if left else 0.0
        return math.ceil(paid + rest + count - 1 - 1e-6)


def _factors(product: int) -> tuple[int, ...]:
    """Return the prime factors in rising order."""
    for d in range(2, math.isqrt(product) + 1):
        if product % d == 0:
            return (d, *_factors(product // d))
    return (product,) if product > 1 else ()


def _little_loss() -> list[tuple[float, int, int, tuple[int, ...]]]:
    """Return the cheap and the small odd m by the questions they lose against halving."""
    found = {1: 0.0}
    for prime in (3, 5, 7, 11, 13):
        loss = prime - 1 - math.log2(prime)
        for odd, lost in list(found.items()):
            power, total = odd * prime, lost + loss
            while total <= CHEAP_LOSS and power < 1 << 40:
                found[power] = total
                power, total = power * prime, total + loss
    for odd in range(1, 64, 2):
        found[odd] = sum(k - 1 for k in _factors(odd)) - math.log2(odd)
    narrow = {odd: _factors(odd) for odd in found}
    return sorted(
        (loss, odd, sum(narrow[odd]) - len(narrow[odd]), narrow[odd]) for odd, loss in found.items()
    )


_ODD = _little_loss()
