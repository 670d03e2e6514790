"""Which sample size needs the fewest voters in all, when a majority of new voters answers.

More voters a question make its answer more reliable, so that fewer questions suffice. How many
voters that is in all, and how many rounds, a plan for each size tells. Sizes that are not planned
for are ruled out by a bound: a size between a and b needs at least as many questions as b, and so
more voters in all than a would with those.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import Number, rational, text, whole
from feint.interfaces import Progress
from feint.planning.noisy import FIXED
from feint.planning.planner import plan
from feint.planning.plans import Plan
from feint.problem import Domain, Problem
from feint.problem.regime import HALF
from feint.simulate.oracles import promised, reliability, voters_for

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
        voters: How many answer a question, by majority; an odd number.
        p: How often that majority is right, at least: what was planned for.
        plan: The cheapest plan for that p.
    """

    voters: int
    p: Fraction
    plan: Plan

    @property
    def voters_in_all(self) -> int:
        """How many voters all questions take; each votes once."""
        return self.voters * self.plan.queries

    @property
    def largest_round(self) -> int:
        """How many voters the largest round takes."""
        return self.voters * max(len(each.coordinates) for each in self.plan.strategy.rounds)

    def to_dict(self) -> dict[str, Any]:
        """The sample for JSON: p as it is typed and as a float."""
        return {
            "voters": self.voters,
            "p": text(self.p),
            "p_float": float(self.p),
            "queries": self.plan.queries,
            "rounds": self.plan.rounds,
            **self.plan.means(),
            "voters_in_all": self.voters_in_all,
            "largest_round": self.largest_round,
        }


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Sample sizes compared.

    Attributes:
        margin: How much better than a coin each voter is.
        sizes: The sizes that have a plan, the smallest first.
        least: No size needs fewer voters in all than this, provided that no plan asks more
            questions when answers are better; None where only some sizes were asked for.
    """

    margin: Fraction
    sizes: tuple[Sample, ...]
    least: int | None

    @property
    def best(self) -> Sample:
        """The size with the fewest voters in all; of equals the one with the fewest rounds."""
        return min(self.sizes, key=lambda each: (each.voters_in_all, each.plan.rounds))

    @property
    def frontier(self) -> tuple[Sample, ...]:
        """The sizes that no other beats in rounds without more voters in all, smallest first."""
        kept: list[Sample] = []
        for each in sorted(self.sizes, key=lambda one: (one.voters_in_all, one.plan.rounds)):
            if not kept or each.plan.rounds < kept[-1].plan.rounds:
                kept.append(each)
        return tuple(sorted(kept, key=lambda one: one.voters))

    @property
    def quickest(self) -> Sample:
        """The size with the fewest rounds among those with at most twice the fewest voters."""
        most = _TWICE * self.best.voters_in_all
        some = (each for each in self.sizes if each.voters_in_all <= most)
        return min(some, key=lambda each: (each.plan.rounds, each.voters_in_all))

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
    progress: Progress | None = None,
) -> Samples:
    """How many new voters to ask each question, for the fewest voters in all.

    Each voter is right with probability 1/2 + margin, independently of the others; the answer is
    what most of them say. How often that is right follows exactly from the binomial law. Where
    clients of a federation answer, a voter is a message of one client.

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
    )
    if given := tuple(voters):
        return search.only(given)
    return search.fewest()


@dataclass
class _Sizes:
    """The search for the size with the fewest voters in all.

    Attributes:
        problem: What is wanted, with any p.
        margin: How much better than a coin each voter is.
        domain: As in `plan`.
        max_rounds: As in `plan`.
        progress: Told the plans made.
        made: What each size that was tried takes; None: it has no plan.
    """

    problem: Problem
    margin: Fraction
    domain: Domain | None
    max_rounds: int | None
    progress: Progress | None
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

    def _next(self) -> tuple[int, int]:
        """The fewest voters in all that a size not tried could need, and such a size."""
        tried = sorted(self.made)
        bounds = []
        for a, b in pairwise(tried):
            above = self.made[b]
            if above is not None and b - a > 2:
                middle = math.isqrt((a + 2) * (b - 2))
                bounds.append(((a + 2) * above.plan.queries, middle + (middle % 2 == 0)))
        return min(bounds, default=(self._best, 1))

    @property
    def _best(self) -> int:
        """The fewest voters in all so far."""
        return min(each.voters_in_all for each in self.made.values() if each is not None)

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
        # Majorities are more reliable far from the number than near it, so the length of a search
        # that stops when it is sure would tell where the number is.
        found = plan(problem, domain=self.domain, method=FIXED, max_rounds=self.max_rounds)
        return Sample(voters=voters, p=p, plan=found)

    def _found(self, least: int | None) -> Samples:
        sizes = (self.made[each] for each in sorted(self.made))
        kept = tuple(each for each in sizes if each is not None)
        return Samples(margin=self.margin, sizes=kept, least=least)
