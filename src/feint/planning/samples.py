"""Which sample size needs the fewest voters on average, when a majority of new voters answers.

More voters per question make its answer more reliable, so that fewer questions suffice. A plan for
each size tells how many voters and rounds that takes. Majorities err more often near the number, so
plans do not narrow. Samples of the cut have that size. Samples of hiding grow until they are
decided, and are right at least as often (proofs/samples.md). Sizes that are not planned for are
ruled out by a bound: a size between a and b needs at least as many questions as b, and each takes
at least the mean of a growing sample of the next size after a.
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
"""The sizes that are planned for in any case: the least whose majorities are right so often."""
_SUREST = 1 - Fraction(1, 10**6)  # as sure as a majority is planned for
_NEAR = Fraction(49, 50)  # sizes that would save less than a fiftieth are not looked for
_MOST = 40  # plans that are made, at most
_TWICE = 2


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What it takes to ask a number of new voters each question.

    Attributes:
        voters: How many answer a question of the cut, by majority; an odd number.
        p: How often that majority is right, at least: what was planned for.
        margin: How much better than a coin each voter is.
        growing: How the samples of hiding grow; of one batch if they do not.
        plan: The cheapest plan for that p.
    """

    voters: int
    p: Fraction
    margin: Fraction
    growing: GrowingSample
    plan: Plan

    @property
    def voters_in_all(self) -> int:
        """Return how many voters all questions take at most; each votes once."""
        hidden = hiding_stage(self.plan.strategy).queries
        return self.voters * (self.plan.queries - hidden) + self.growing.largest * hidden

    @property
    def voters_mean(self) -> float | None:
        """Return how many voters all questions take on average; None if no mean is known.

        Whether a question of hiding is asked follows from the answers before it. So by Wald's
        identity the mean is that of its sample times the mean number of such questions.
        """
        known = self.plan.cost
        if known is None:
            return None
        fixed = known.queries - known.hidden
        return float(self.voters * fixed + self.hiding_mean * known.hidden)

    @property
    def fixed_mean(self) -> float | None:
        """Return how many voters they would take on average if no sample grew."""
        known = self.plan.cost
        return None if known is None else float(self.voters * known.queries)

    @cached_property
    def hiding_mean(self) -> Fraction:
        """Return how many voters a question of hiding takes on average, exactly."""
        return self.growing.mean(self.margin)

    @property
    def price(self) -> float:
        """Return the mean number of voters, or the most where no mean is known."""
        return float(self.voters_in_all) if self.voters_mean is None else self.voters_mean

    @property
    def rounds(self) -> float:
        """Return the mean number of rounds, or the most where no mean is known."""
        return float(self.plan.rounds if self.plan.cost is None else self.plan.cost.rounds)

    @property
    def largest_round(self) -> int:
        """Return how many voters the largest round takes, at most."""
        strategy, total = self.plan.strategy, 0
        for factor in getattr(strategy, "factors", (strategy,)):  # one may hide while others cut
            wide = max(len(each.coordinates) for each in factor.rounds)
            grown = self.growing.largest * hiding_stage(factor).width
            total += max(self.voters * wide, grown)
        return total

    def to_dict(self) -> dict[str, Any]:
        """The sample for JSON: p as it is typed and as a float."""
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
    """Sample sizes compared.

    Attributes:
        margin: How much better than a coin each voter is.
        sizes: The sizes that have a plan, the smallest first.
        least: No size needs fewer voters on average than this, provided that better answers never
            take more questions and more reliable samples no fewer voters; None where only some
            sizes were asked for.
    """

    margin: Fraction
    sizes: tuple[Sample, ...]
    least: float | None

    @property
    def best(self) -> Sample:
        """Return the size with the fewest voters on average; of equals that of fewest rounds."""
        return min(self.sizes, key=lambda each: (each.price, each.rounds))

    @property
    def frontier(self) -> tuple[Sample, ...]:
        """Return the sizes that no other beats in rounds without more voters, smallest first."""
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
        """The comparison for JSON."""
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
    """Return how many new voters to ask each question, for the fewest voters on average.

    Each voter is right with probability 1/2 + margin, independently of the others; the answer is
    what most of them say. How often that is right follows exactly from the binomial law. Where
    clients of a federation answer, a voter is a message of one client.

    Plans are of method "majority": their privacy does not need majorities that are right equally
    often. Under a prior they are of method "fixed", whose privacy does. A question of the cut takes
    a sample of fixed size. One of hiding takes a sample that grows by batches until the copy that
    is followed is decided, with all its copies.

    What is *not* guaranteed: that the fewest are found to the last voter. Sizes are looked for
    until none could save more than a fiftieth, or 40 plans were made; `Samples.least` says what was
    ruled out. Questions that lie nearer to the number than the margin allows are answered worse.

    Args:
        problem: What is wanted, without p, which follows from the sample size.
        margin: How much better than a coin each voter is, where it matters: the share of all voters
            who are on the right side, less one half.
        confidence: As in Problem.
        domain: As in `plan`.
        max_rounds: As in `plan`.
        voters: Only these sizes, odd numbers; none: sizes are looked for.
        batches: The most batches of a sample of hiding; 1: all samples have a fixed size.
        progress: Told the plans made, and the most there can be.

    Returns:
        The sizes that were planned for.

    Raises:
        InvalidValue: The problem has a p or is deterministic, the margin is outside (0, 1/2), or a
            size is even.
        NoPlan: No size has a plan, even if answers are hardly ever wrong.
        TooLarge: Likewise.
    """
    if problem.noisy:
        rule = "follows from the sample size"
        raise InvalidValue("p", problem.p, rule, "give the problem without p")
    if problem.setting != "bayesian":
        rule = "voters who may be wrong are noise, which only the Bayesian setting knows"
        raise InvalidValue("setting", problem.setting, rule, "leave it out")
    reliability(1, margin)  # which refuses a margin outside (0, 1/2]
    exact = rational(margin, "margin")
    if exact == HALF:
        rule = "voters who are always right make no noise"
        raise InvalidValue("margin", margin, rule, "plan without p, and ask one voter a question")
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
    """The search for the size with the fewest voters on average.

    Attributes:
        problem: What is wanted, with any p.
        margin: How much better than a coin each voter is.
        domain: As in `plan`.
        max_rounds: As in `plan`.
        progress: Told the plans made.
        batches: The most batches of a sample of hiding.
        made: What each size that was tried takes; None: it has no plan.
    """

    problem: Problem
    margin: Fraction
    domain: Domain | None
    max_rounds: int | None
    progress: Progress | None
    batches: int = 4
    made: dict[int, Sample | None] = field(default_factory=dict)

    def only(self, voters: Sequence[Number]) -> Samples:
        """These sizes and no others; one without a plan is an error."""
        for each in voters:
            reliability(each, self.margin)  # which refuses a size that is even
            size = whole(each, "voters", least=1)
            self.made[size] = self._sample(size)
        return self._found(None)

    def fewest(self) -> Samples:
        """The sizes of the table, and those that it takes to find the fewest voters."""
        last = voters_for(_SUREST, self.margin)
        self.made[last] = self._sample(last)  # or an error, since no size has a better chance
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
        """The fewest voters on average that a size not tried could need, and such a size."""
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
        """The fewest voters on average so far."""
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
            raise TooLarge("margin", self.margin, rule, "ask more voters a question")
        problem = replace(self.problem, p=p)
        # Majorities are more reliable far from the number than near it, and "majority" promises
        # privacy for such answers. Under a prior parts have different widths, so it cannot; there
        # all searches have one length, which at least tells nothing.
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
