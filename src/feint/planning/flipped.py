"""Plan searches whose clients flip their bits: randomised response, a new group per question.

Each client answers one question with a bit that is flipped with a known probability. The server
follows a plan without noise, and the vote of a group is the answer. Both answers are acceptable if
the question's rank is within `rank` of the target. Otherwise the vote is right except with a known
probability (proofs/bits.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from feint.branches import Branches, branches
from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import Number, bracket, ceil_div, plain, rational, whole
from feint.interfaces import UNASKED, Strategy
from feint.planning.plans import Plan
from feint.planning.ranks import check_confidence, check_rank

COIN = 64  # random bits that decide whether an answer is flipped
_DIGITS = 60  # decimal digits for computing e^epsilon
_SPARE = 1e-8  # an upper bound on the rounding error of probabilities in floats
_BRANCHES = 1 << 16  # the most runs that are walked to see which votes are followed
# the most clients per group for which an error computes the needed number, in about a second
_LARGEST = 1 << 14
_HOPELESS = 0.6  # fewer standard deviations than this between the votes give wrong votes too often
_STEPS = 200  # ranks to try for the error message about the rank that the clients reach
Place = TypeVar("Place", int, float, Fraction)


@dataclass(frozen=True, kw_only=True)
class PrivateBits:
    """A plan whose answers are votes of flipped bits.

    Attributes:
        plan: The plan without noise that is followed.
        clients: The number of clients.
        share: The quantile.
        rank: The allowed error of the rank.
        confidence: The probability that the error is not larger.
        local_epsilon: The limit on the local privacy loss of all of a client's messages.
        answers_each: The maximum number of questions that a client answers.
        group: The number of clients who answer each question.
        threshold: The number of yes bits from which the vote is yes.
        followed: The maximum number of votes that decide a search.
        miss: An upper bound on the probability that one of them leads too far off.
    """

    plan: Plan
    clients: int
    share: Fraction
    rank: Fraction
    confidence: Fraction
    local_epsilon: Fraction
    answers_each: int
    group: int
    threshold: int
    followed: int
    miss: float

    @property
    def loss_each(self) -> Fraction:
        """Return the limit on the privacy loss of one answer."""
        return self.local_epsilon / self.answers_each

    @property
    def flip(self) -> Fraction:
        """Return the probability that a bit is flipped."""
        return flip_chance(self.loss_each)

    @property
    def privacy_loss(self) -> float:
        """Return the local privacy loss of all of a client's messages, computed from `flip`."""
        return self.answers_each * privacy_loss(self.flip)


class Group(NamedTuple):
    """A group of clients who vote.

    Attributes:
        size: The number of clients in it.
        threshold: The number of yes bits from which the vote is yes.
        miss: An upper bound on the probability that a followed vote leads too far off.
    """

    size: int
    threshold: int
    miss: float


def flip_chance(epsilon: Number) -> Fraction:
    """Return the probability to flip a bit so that one bit loses at most `epsilon`.

    Args:
        epsilon: The local privacy loss of one bit.

    Returns:
        The smallest multiple of 2^-64 that is at least 1/(1 + e^epsilon), or the one after it.

    Raises:
        InvalidValue: Epsilon is not positive, or above 40.

    Example:
        >>> from feint.planning import flip_chance
        >>> round(float(flip_chance(1)), 6)
        0.268941
    """
    loss = rational(epsilon, "local_epsilon")
    if not 0 < loss <= 40:
        rule = "must be above 0 and at most 40; beyond 40 bits are hardly ever flipped"
        raise InvalidValue("local_epsilon", epsilon, rule, "values such as 1 or 2 work")
    with localcontext() as context:
        context.prec = _DIGITS
        power = (Decimal(loss.numerator) / Decimal(loss.denominator)).exp()
        # rounded up, so that the loss is not larger
        chance = int(Decimal(1 << COIN) / (1 + power)) + 1
    return Fraction(min(chance, 1 << (COIN - 1)), 1 << COIN)


def privacy_loss(flip: Fraction) -> float:
    """Return the local privacy loss of a bit that is flipped with a given probability."""
    return math.log(float((1 - flip) / flip))


def private_bits(
    plan: Plan,
    clients: Number,
    *,
    rank: Number,
    local_epsilon: Number,
    share: Number = "1/2",
    confidence: Number = "0.95",
    answers_each: Number = 1,
) -> PrivateBits:
    """Plan how to follow a plan with bits that clients flip.

    Args:
        plan: A plan without noise for one number.
        clients: The number of clients.
        rank: The allowed distance between the rank of the result and `share`.
        local_epsilon: The privacy budget of a client for the whole search.
        share: The quantile.
        confidence: The probability that the distance is not larger.
        answers_each: The number of questions that a client may answer, which share the budget.

    Returns:
        The plan with its groups.

    Raises:
        InvalidValue: An argument is invalid, or the plan has noise or several numbers.
        NoPlan: There are too few clients. The error says how many are needed.
        TooLarge: The plan has too many runs to see which votes are followed.

    Example:
        >>> from feint import Problem, plan
        >>> from feint.planning import private_bits
        >>> found = private_bits(
        ...     plan(Problem("1/32", "1/8", 2)), 10_001, rank="0.1", local_epsilon=2
        ... )
        >>> found.group * found.plan.queries <= 10_001
        True
    """
    if plan.problem.noisy or plan.problem.dim > 1:
        rule = "must be without noise, and for one number"
        raise InvalidValue("plan", plan.method, rule, "leave out p and dim: noise is added here")
    aim, off = check_rank(rank, share)
    budget, count = rational(local_epsilon, "local_epsilon"), whole(clients, "clients", least=1)
    sure, often = check_confidence(confidence), whole(answers_each, "answers_each", least=1)
    if often > plan.queries:
        rule = f"is more than the {plan.queries} questions of the plan"
        raise InvalidValue("answers_each", answers_each, rule, "take fewer")
    search = _Groups(plan, aim, flip_chance(budget / often), often, followed_votes(plan.strategy))
    found = search.group(count, off)
    if found is None or found.miss > 1 - sure:
        raise search.refusal(count, off, sure, rank)
    return PrivateBits(
        plan=plan,
        clients=count,
        share=aim,
        rank=off,
        confidence=sure,
        local_epsilon=budget,
        answers_each=often,
        group=found.size,
        threshold=found.threshold,
        followed=search.followed,
        miss=found.miss,
    )


@dataclass(frozen=True)
class _Groups:
    """The groups for one plan.

    Attributes:
        plan: The plan.
        share: The quantile.
        flip: The probability that a bit is flipped.
        answers_each: The number of questions that a client answers.
        followed: The maximum number of followed votes.
    """

    plan: Plan
    share: Fraction
    flip: Fraction
    answers_each: int
    followed: int

    def group(self, clients: int, rank: Fraction) -> Group | None:
        """Return the group for a number of clients, or None if some question has no clients."""
        size = min(clients, clients * self.answers_each // self.plan.queries)
        if not size:
            return None
        zero = np.zeros(size + 2)
        high, low = zero, zero  # [threshold] the probability of a wrong yes, and of a wrong no
        if self.share + rank < 1:
            reach = clients - math.floor((self.share + rank) * clients) - 1
            law = votes_law(clients, reach, size, self.flip)
            high = np.append(law[::-1].cumsum()[::-1], 0)
        if self.share - rank > 0:
            reach = clients - ceil_div((self.share - rank) * clients, 1) + 1
            low = np.append(0, votes_law(clients, reach, size, self.flip).cumsum())
        # Groups that share clients have correlated errors, so both sides count: proofs/bits.md.
        worst = np.maximum(high, low) if self.answers_each == 1 else high + low
        best = int(worst.argmin())
        return Group(size, best, self.followed * (float(worst[best]) + _SPARE))

    def refusal(self, clients: int, rank: Fraction, sure: Fraction, said: Number) -> NoPlan:
        """Build the error for too few clients, which says how many are needed."""

        def size(count: int) -> int:
            return count * self.answers_each // self.plan.queries

        def enough(count: int) -> bool:
            # The mean votes on both sides differ by (1 - 2·flip)·rank·size; the standard deviation
            # is half of √size.
            shift = float((1 - 2 * self.flip) * rank) * math.sqrt(size(count))
            if 2 * shift < _HOPELESS:
                return False
            found = self.group(count, rank)
            return found is not None and found.miss <= 1 - sure

        def reached(step: int) -> bool:
            found = self.group(clients, Fraction(step, 2 * _STEPS))
            return found is not None and found.miss <= 1 - sure

        low, high = clients, 2 * clients
        while size(high) <= _LARGEST and not enough(high):
            low, high = high, 2 * high
        few = f"is too near for the bits of {clients} clients"
        if size(high) > _LARGEST:
            return NoPlan("rank", said, few, f"more than {low} are needed: raise rank")
        # The result is at most 1 % above the minimum, since each try takes longer than the last.
        needed = bracket(enough, low, high, relative=100)[1]
        remedy = f"ask about {needed} clients, or raise local_epsilon or epsilon"
        _, step = bracket(reached, 0, _STEPS)
        if step < _STEPS:
            remedy += f"; these reach rank = {plain(Fraction(step, 2 * _STEPS))}"
        return NoPlan("rank", said, few, remedy)


def votes_law(clients: int, reach: int, group: int, flip: Fraction) -> NDArray[np.float64]:
    """Return [group + 1] the probability of each number of yes bits.

    Args:
        clients: The number of clients.
        reach: The number of clients whose true answer is yes.
        group: The number of clients drawn.
        flip: The probability that each bit is flipped.
    """
    from scipy.special import gammaln

    least, most = max(0, group - (clients - reach)), min(group, reach)
    # Beyond ten standard deviations on either side the mass is below 1e-40.
    middle, wide = group * reach / clients, 8 * math.sqrt(group) + 8
    drawn = np.arange(
        max(least, math.floor(middle - wide)), min(most, math.ceil(middle + wide)) + 1
    )

    def ways(total: int, some: Any) -> Any:
        return gammaln(total + 1) - gammaln(some + 1) - gammaln(total - some + 1)

    weight = np.exp(
        ways(reach, drawn) + ways(clients - reach, group - drawn) - ways(clients, group)
    )
    weight /= weight.sum()
    # Evaluate the generating function at roots of unity, then invert the transform.
    count = min(group + 1, 2 * math.ceil(wide + 8 * math.sqrt(group)))
    chance, total = float(flip), np.zeros(count, complex)
    roots = np.exp(-2j * np.pi * np.arange(count) / count)
    yes, no = np.log((1 - chance) * roots + chance), np.log(chance * roots + 1 - chance)
    for start in range(0, len(drawn), 256):
        some = drawn[start : start + 256]
        powers = np.exp(np.outer(yes, some) + np.outer(no, group - some))
        total += powers @ weight[start : start + 256]
    law = np.maximum(np.fft.ifft(total).real, 0)
    found = np.zeros(group + 1)
    mean = round(chance * group + (1 - 2 * chance) * middle)
    first = min(max(0, mean - count // 2), group + 1 - count)
    places = np.arange(first, first + count)
    found[places] = law[places % count]
    return found


def bisected(
    points: Sequence[Place], low: Place, high: Place, vote: Callable[[Place], bool]
) -> tuple[Place, Place, list[Place]]:
    """Follow the votes of a round: first the middle one, then those of the remaining half.

    Args:
        points: The points of the questions.
        low: The last point whose yes was followed.
        high: The last point whose no was followed.
        vote: A function that returns the vote at a point.

    Returns:
        The new low and high, and the points whose votes were followed.

    Example:
        >>> from feint.planning import bisected
        >>> bisected([2, 4, 6], 0, 8, lambda point: point <= 5)
        (4, 6, [4, 6])
    """
    inside, followed = sorted({point for point in points if low < point < high}), list[Place]()
    while inside:
        point = inside[len(inside) // 2]
        low, high = (point, high) if vote(point) else (low, point)
        followed.append(point)
        inside = [each for each in inside if low < each < high]
    return low, high, followed


def followed_votes(strategy: Strategy) -> int:
    """Return the maximum number of votes that a run follows.

    Every run is walked. The followed votes must not depend on the coins, because the coins would
    then reveal something about the result.

    Args:
        strategy: A strategy without noise for one number.

    Raises:
        InvalidValue: The followed votes depend on the coins.
        TooLarge: There are too many runs.
    """
    known: dict[int, tuple[int, ...]] = {}
    most = 0
    try:
        if strategy.cells[0] > _BRANCHES:
            raise TooLarge("cells", strategy.cells[0], "too many", "take fewer")
        for part in branches(strategy, limit=_BRANCHES):
            for cell, points in _runs(strategy, part):
                if known.setdefault(cell, points) != points:
                    rule = "its coins determine which votes count"
                    raise InvalidValue("method", "this plan", rule, "take method = paper")
                most = max(most, len(points))
    except TooLarge:
        rule = f"it has more than {_BRANCHES} branches to enumerate"
        raise TooLarge("epsilon", "this plan", rule, "take a larger epsilon") from None
    return most


def _runs(strategy: Strategy, part: Branches) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each cell of some branches with the points whose votes are followed."""
    rounds = np.cumsum([0, *(len(each.coordinates) for each in strategy.rounds)])
    heard = part.transcripts
    for row, group in enumerate(part.group):
        own, end = int(part.low[row, 0]), int(part.high[row, 0])
        low, high, points = 0, strategy.cells[0], list[int]()
        for first, last in pairwise(rounds):
            asked = [int(each) for each in heard[group, first:last] if each != UNASKED]
            low, high, followed = bisected(asked, low, high, own.__ge__)
            points += followed
        for cell in range(own, end):
            yield cell, tuple(points)
