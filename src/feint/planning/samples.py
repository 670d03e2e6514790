"""Compare sample sizes by their mean number of voters, if a majority of new voters answers.

More voters per question make its answer more reliable, so fewer questions suffice. A plan for each
size gives its numbers of voters and rounds. Majorities err more often near the number, so these
plans do not narrow. Samples of the cut have a fixed size. Samples of the hiding stage grow until
they are decided, and are right at least as often (proofs/samples.md). A bound rules out the sizes
that are not planned for: a size between a and b needs at least as many questions as b, and each
takes at least the mean of a growing sample of the next size after a.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import Number, rational, text, whole
from feint.interfaces import Progress, hiding_stage
from feint.planning.noisy import FIXED, MAJORITY
from feint.planning.planner import plan
from feint.planning.plans import Plan
from feint.problem import Domain, Problem
from feint.problem.regime import HALF
from feint.simulate.oracles import (
    GrowingSample,
    growing_sample,
    promised,
    reliability,
    voters_for,
)

_TABLE = ("0.6", "0.7", "0.8", "0.9", "0.95", "0.99", "0.999")
"""The sizes that always get a plan: the smallest whose majorities are right this often."""
_SUREST = 1 - Fraction(1, 10**6)  # the largest probability of a right majority that gets a plan
_NEAR = Fraction(49, 50)  # sizes that would save less than 2 % are not searched for
_MOST = 40  # the maximum number of plans
_TWICE = 2


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A number of new voters for each question, with the plan that uses them.

    Attributes:
        voters: The number of voters per question of the cut, who answer by majority; an odd number.
        p: A lower bound on the probability that the majority is right, for which the plan is made.
        margin: The probability of each voter to be right, minus 1/2.
        growing: The growing samples of the hiding stage; they have one batch if they do not grow.
        plan: The cheapest plan for that p.
    """

    voters: int
    p: Fraction
    margin: Fraction
    growing: GrowingSample
    plan: Plan

    @property
    def voters_in_all(self) -> int:
        """Return the maximum number of voters of all questions; each votes once."""
        hidden = hiding_stage(self.plan.strategy).queries
        return self.voters * (self.plan.queries - hidden) + self.growing.largest * hidden

    @property
    def voters_mean(self) -> float | None:
        """Return the mean number of voters of all questions; None if no mean is known.

        The answers so far determine whether a question of the hiding stage is asked. So by Wald's
        identity the mean is the mean of its sample times the mean number of such questions.
        """
        known = self.plan.cost
        if known is None:
            return None
        fixed = known.queries - known.hidden
        return float(self.voters * fixed + self.hiding_mean * known.hidden)

    @property
    def fixed_mean(self) -> float | None:
        """Return the mean number of voters if no sample grew."""
        known = self.plan.cost
        return None if known is None else float(self.voters * known.queries)

    @cached_property
    def hiding_mean(self) -> Fraction:
        """Return the exact mean number of voters of a question of the hiding stage."""
        return self.growing.mean(self.margin)

    @property
    def price(self) -> float:
        """Return the mean number of voters, or the maximum if no mean is known."""
        return float(self.voters_in_all) if self.voters_mean is None else self.voters_mean

    @property
    def rounds(self) -> float:
        """Return the mean number of rounds, or the maximum if no mean is known."""
        return float(self.plan.rounds if self.plan.cost is None else self.plan.cost.rounds)

    @property
    def largest_round(self) -> int:
        """Return the maximum number of voters of the largest round."""
        strategy, total = self.plan.strategy, 0
        # one factor may hide while others cut
        for factor in getattr(strategy, "factors", (strategy,)):
            wide = max(len(each.coordinates) for each in factor.rounds)
            grown = self.growing.largest * hiding_stage(factor).width
            total += max(self.voters * wide, grown)
        return total

    def to_dict(self) -> dict[str, Any]:
        """Return the sample for JSON, with p as text and as a float."""
        return {
            "voters": self.voters,
            "p": text(self.p),
            "p_float": float(self.p),
            "hiding": {
                **{name: getattr(self.growing, name) for name in ("first", "more", "batches")},
                "lead": self.growing.lead,
                "voters": self.growing.largest,
                "voters_mean": float(self.hiding_mean),
                "p_float": float(self.growing.ends(self.margin).p),
            },
            "queries": self.plan.queries,
            "rounds": self.plan.rounds,
            **self.plan.means(),
            "voters_in_all": self.voters_in_all,
            "voters_mean": self.voters_mean,
            "fixed_mean": self.fixed_mean,
            "largest_round": self.largest_round,
            "method": self.plan.method,
            "condition": self.plan.condition or None,
        }


@dataclass(frozen=True, kw_only=True)
class Samples:
    """A comparison of sample sizes.

    Attributes:
        margin: The probability of each voter to be right, minus 1/2.
        sizes: The sizes that have a plan, in increasing order.
        least: A lower bound on the mean number of voters for every size, if better answers never
            take more questions and more reliable samples never take fewer voters. None if only
            given sizes were compared.
    """

    margin: Fraction
    sizes: tuple[Sample, ...]
    least: float | None

    @property
    def best(self) -> Sample:
        """Return the size with the smallest mean number of voters; of equals the quickest one."""
        return min(self.sizes, key=lambda each: (each.price, each.rounds))

    @property
    def frontier(self) -> tuple[Sample, ...]:
        """Return the sizes that no other beats in both rounds and voters, in increasing order."""
        kept: list[Sample] = []
        for each in sorted(self.sizes, key=lambda one: (one.price, one.rounds)):
            if not kept or each.rounds < kept[-1].rounds:
                kept.append(each)
        return tuple(sorted(kept, key=lambda one: one.voters))

    @property
    def quickest(self) -> Sample:
        """Return the size with the fewest rounds among those with at most twice the voters."""
        most = _TWICE * self.best.price
        some = (each for each in self.sizes if each.price <= most)
        return min(some, key=lambda each: (each.rounds, each.price))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            "margin": text(self.margin),
            "sizes": [each.to_dict() for each in self.sizes],
            "best": self.best.to_dict(),
            "quickest": self.quickest.to_dict(),
            "least": self.least,
        }


def sample_sizes(
    problem: Problem,
    margin: Number,
    *,
    confidence: Number | None = None,
    domain: Domain | None = None,
    max_rounds: int | None = None,
    voters: Iterable[Number] = (),
    batches: int = 4,
    progress: Progress | None = None,
) -> Samples:
    """Find the number of new voters per question with the smallest mean number of voters.

    Each voter is right with probability 1/2 + margin, independently of the others, and the majority
    is the answer. The probability that it is right follows exactly from the binomial distribution.
    In a federation, a voter is a message of one client.

    Plans use method "majority", whose privacy does not need majorities that are right equally
    often. Under a prior they use method "fixed", whose privacy does. A question of the cut takes a
    sample of fixed size. A question of the hiding stage takes a sample that grows by batches until
    the followed copy is decided, together with all its copies.

    The result is *not* guaranteed to be minimal to the last voter. The search stops if no size can
    save more than 2 %, or after 40 plans; `Samples.least` is a lower bound. Questions that are
    nearer to the number than the margin allows have less reliable answers.

    Args:
        problem: The problem, without p, which follows from the sample size.
        margin: The probability of each voter to be right, minus 1/2, at the questions that matter:
            the share of all voters on the right side, minus 1/2.
        confidence: As in Problem.
        domain: As in `plan`.
        max_rounds: As in `plan`.
        voters: Only these sizes, which must be odd. Empty: search for sizes.
        batches: The maximum number of batches of a growing sample. 1: all samples have a fixed
            size.
        progress: A function that receives the number of plans made and the maximum number of plans.

    Returns:
        The sizes for which plans were made.

    Raises:
        InvalidValue: The problem has a p or is deterministic, the margin is outside (0, 1/2), or a
            size is even.
        NoPlan: No size has a plan, even if answers are almost always right.
        TooLarge: The same, if the plans are too large.
    """
    if problem.noisy:
        rule = "follows from the sample size"
        raise InvalidValue("p", problem.p, rule, "give the problem without p")
    if problem.setting != "bayesian":
        rule = "voters who may be wrong are noise, which only the Bayesian setting supports"
        raise InvalidValue("setting", problem.setting, rule, "leave it out")
    reliability(1, margin)  # raises an error for a margin outside (0, 1/2]
    exact = rational(margin, "margin")
    if exact == HALF:
        rule = "voters who are always right cause no noise"
        raise InvalidValue("margin", margin, rule, "plan without p, and ask one voter per question")
    sure = None if confidence is None else rational(confidence, "confidence")
    search = _Sizes(
        replace(problem, p=_SUREST, confidence=sure),
        exact,
        domain,
        max_rounds,
        progress,
        whole(batches, "batches", least=1),
    )
    if given := tuple(voters):
        return search.only(given)
    return search.fewest()


@dataclass
class _Sizes:
    """The search for the size with the smallest mean number of voters.

    Attributes:
        problem: The problem, with any p.
        margin: The probability of each voter to be right, minus 1/2.
        domain: As in `plan`.
        max_rounds: As in `plan`.
        progress: A function that receives the number of plans made.
        batches: The maximum number of batches of a growing sample.
        made: The sample of each size that was tried; None if it has no plan.
    """

    problem: Problem
    margin: Fraction
    domain: Domain | None
    max_rounds: int | None
    progress: Progress | None
    batches: int = 4
    made: dict[int, Sample | None] = field(default_factory=dict)

    def only(self, voters: Sequence[Number]) -> Samples:
        """Return samples of exactly these sizes, or raise an error if one has no plan."""
        for each in voters:
            reliability(each, self.margin)  # raises an error for an even size
            size = whole(each, "voters", least=1)
            self.made[size] = self._sample(size)
        return self._found(None)

    def fewest(self) -> Samples:
        """Return the sizes of the table, and those tried to find the smallest mean."""
        last = voters_for(_SUREST, self.margin)
        # raises an error if it has no plan, since no size has a better chance
        self.made[last] = self._sample(last)
        for p in _TABLE:
            if Fraction(p) > HALF + self.margin:
                self._try(voters_for(p, self.margin))
        self._try(1)
        while len(self.made) < _MOST:
            least, size = self._next()
            if least >= _NEAR * self._best:
                break
            self._try(size)
        return self._found(min(self._next()[0], self._best))

    def _next(self) -> tuple[float, int]:
        """Return a lower bound on the mean voters of an untried size, and such a size."""
        tried = sorted(self.made)
        bounds = []
        for a, b in pairwise(tried):
            above = self.made[b]
            if above is not None and b - a > 2:
                middle = math.isqrt((a + 2) * (b - 2))
                cost, least = above.plan.cost, self._growing(a + 2).mean(self.margin)
                asked = above.plan.queries if cost is None else cost.queries
                bounds.append((float(least * asked), middle + (middle % 2 == 0)))
        return min(bounds, default=(self._best, 1))

    @property
    def _best(self) -> float:
        """Return the smallest mean number of voters so far."""
        return min(each.price for each in self.made.values() if each is not None)

    def _try(self, voters: int) -> None:
        if voters in self.made:
            return
        try:
            self.made[voters] = self._sample(voters)
        except (NoPlan, TooLarge):
            self.made[voters] = None
        if self.progress is not None:
            self.progress("sample sizes", len(self.made), _MOST)

    def _sample(self, voters: int) -> Sample:
        p = min(promised(voters, self.margin), _SUREST)
        if p <= HALF:
            rule = "so small a margin needs more questions than a plan may have"
            raise TooLarge("margin", self.margin, rule, "ask more voters per question")
        problem = replace(self.problem, p=p)
        # Majorities are more reliable far from the number than near it, and "majority" promises
        # privacy for such answers. Under a prior parts have different widths, so it cannot. Then
        # all searches have one length, so that at least the length reveals nothing.
        method = MAJORITY if problem.prior is None else FIXED
        found = plan(problem, domain=self.domain, method=method, max_rounds=self.max_rounds)
        growing = self._growing(voters)
        return Sample(voters=voters, p=p, margin=self.margin, growing=growing, plan=found)

    def _growing(self, voters: int) -> GrowingSample:
        return growing_sample(voters, self.margin, batches=self.batches)

    def _found(self, least: float | None) -> Samples:
        sizes = (self.made[each] for each in sorted(self.made))
        kept = tuple(each for each in sizes if each is not None)
        return Samples(margin=self.margin, sizes=kept, least=least)
