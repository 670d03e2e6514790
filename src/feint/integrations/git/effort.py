"""Plan a private bisection: which commits to check, and how often."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import Number, rational, whole
from feint.planning import Plan, plan
from feint.problem import Domain, Noise, Problem, Rates, decision, read_noise
from feint.strategies import Table, Tree, UnknownRates, blocks

_WIDTH = 20
_REPEATED = 1 << 11  # checks of one commit; if more are needed, this number is stated
_SPARE = Fraction(1, 20)  # in real histories usually 1 in 20 commits or fewer cannot be built


@dataclass(frozen=True, kw_only=True)
class Effort:
    """A plan for a history, and its cost.

    Attributes:
        plan: The plan of the checks in rounds; None: there is only one candidate.
        repeats: The number of checks of a commit for one question.
        plain: The number of checks of a plain bisection with the same confidence.
        wrong: The largest probability that bad commits pass all of their checks and mislead the
            search. It adds as much to an observer's success.
        level: L, the requested level. The plan may be for a higher one, to leave room for commits
            that cannot be checked.
    """

    plan: Plan | None
    repeats: int
    plain: int
    wrong: Fraction = Fraction(0)
    level: int = 1

    @property
    def room(self) -> Fraction:
        """Return the share of the commits that may turn out not to be checkable: 1 − V·level.

        V is the best observer's success if all commits can be checked.
        """
        if self.plan is None or not self.plan.private:
            return Fraction(1)
        success = self.plan.adversary_success
        if success is None:
            success = Fraction(1, self.plan.problem.level)
        return 1 - success * self.level

    @property
    def checks(self) -> int:
        """Return the largest number of checks."""
        return 0 if self.plan is None else self.plan.queries * self.repeats

    @property
    def rounds(self) -> int:
        """Return the most rounds. All commits of a round can be checked in parallel."""
        return 0 if self.plan is None else self.plan.rounds


def planned(
    commits: int,
    *,
    level: Number,
    delta: Number | None = None,
    p: Number | None = None,
    confidence: Number | None = None,
    fails_at_least: Number | None = None,
    good_fails: Number | None = None,
    bad_fails: Number | None = None,
    max_rounds: int | None = None,
    weights: Sequence[int] | None = None,
    spare: Number = _SPARE,
) -> Effort:
    """Plan a bisection.

    If a check sometimes passes on bad commits and never fails on good ones, every commit is checked
    r times, and a single failure means bad. `Bisection` takes the oldest commit that failed, and
    every younger one, as bad. So one answer decides a round: that of the oldest bad commit checked
    in it. If that commit fails, all answers of the round are right, even if younger commits pass.
    A plan of k rounds is therefore wrong with probability at most k(1 − f)^r. Of the plans
    with fewer rounds or fewer questions, the one with the fewest checks is chosen. The promise
    about an observer is for right answers; wrong ones add at most 1 − confidence.

    Args:
        commits: The number of candidates.
        level: L. An observer names the place with probability at most 1/L. At level 1 nothing is
            hidden.
        delta: The number of neighbouring commits that an observer names. None: as many, at most 20,
            as hold the first bad one with probability at most 1/(2L) before any question.
        p: The probability that a check is right, on good and bad commits alike; None: always.
        confidence: If checks may be wrong, the probability that the right commit is named.
        fails_at_least: The least probability f that a check of a bad commit fails, if a check of a
            good commit never fails.
        good_fails: The probability that a check of a good commit fails: a number, "0.05-" (or
            less), a range such as "0.01..0.1", or "unknown"; None: 0, if `bad_fails` is given.
        bad_fails: The same for a bad commit, with "0.3+" for 0.3 or more; None: 1, if `good_fails`
            is given.
        max_rounds: The most rounds; None: any number.
        weights: The odds of each commit, oldest first; None: all are equal. Commits that are known
            not to be checkable have odds of 0.
        spare: The share of the commits, by their odds, that may turn out not to be checkable while
            the promise holds. If there is no plan with that much room, one with less is used.

    Returns:
        The plan and its cost.

    Raises:
        InvalidValue: Arguments do not fit together. Level 1, which is bisection, accepts no delta,
            and no weights if verdicts may be wrong.
        NoPlan: No plan keeps the promise within these rounds.
    """
    promised = whole(level, "level", least=1)
    hidden = promised > 1
    if delta is not None:
        width = whole(delta, "delta", least=1)
    else:
        width = _usual_width(weights or [1] * commits, promised) if hidden else 1
    if fails_at_least is not None and p is not None:
        rule = "a check may be wrong in both directions (p) or only in one"
        raise InvalidValue("fails_at_least", fails_at_least, rule, "leave it or p out")
    noise = _noise(p, good_fails, bad_fails, fails_at_least, hidden=hidden)
    if confidence is not None and noise is None and fails_at_least is None:
        rule = "is about checks that may be wrong"
        raise InvalidValue("confidence", confidence, rule, "give p or fails_at_least too")
    if commits == 1:
        return Effort(plan=None, repeats=1, plain=0)
    sure = Fraction(19, 20) if confidence is None else _share(confidence, "confidence")
    domain = Domain(1, commits, step=1, label="first bad commit")
    if noise is not None:
        wanted = {"delta": width, "prior": weights, "p": noise, "confidence": sure}
        if not hidden:
            made = _sequential(domain, wanted, max_rounds)
        else:
            made = _roomy(domain, promised, rational(spare, "spare"), max_rounds, wanted)
        usual = _repeated(commits, noise, sure)
        return Effort(plan=made, repeats=1, plain=usual, level=promised)
    bare = domain.problem(delta=1, level=2)
    plain = plan(bare, domain=domain, method="bisection")
    if not hidden:
        if weights is not None:
            plain = Plan.of(_by_odds(bare, weights), domain=domain, method="bisection")
        _check_plain(plain, width, max_rounds)
        # A short bisection may keep level 2 by chance, but nothing is promised about it.
        made = plain = replace(plain, certificate=None, adversary_success=None)
    else:
        wanted = {"delta": width, "prior": weights}
        made = _roomy(domain, promised, rational(spare, "spare"), max_rounds, wanted)
    if fails_at_least is None:
        return Effort(plan=made, repeats=1, plain=plain.queries, level=promised)
    misses = 1 - _share(fails_at_least, "fails_at_least")
    best = _cheapest(made, misses, sure) if hidden else made
    return Effort(
        plan=best,
        repeats=_repeats(best.rounds, misses, sure),
        plain=plain.queries * _repeats(plain.rounds, misses, sure),
        wrong=1 - sure,
        level=promised,
    )


def _noise(
    p: Number | None,
    good_fails: Number | None,
    bad_fails: Number | None,
    fails_at_least: Number | None,
    *,
    hidden: bool,
) -> Noise | None:
    """Return the noise model of the arguments; None if checks are always right or repeated."""
    if good_fails is None and bad_fails is None:
        return read_noise(p)
    for name, value in (("p", p), ("fails_at_least", fails_at_least)):
        if value is not None:
            rule = "is another way to say how often checks fail"
            raise InvalidValue(
                name, value, rule, "leave out either this, or good_fails and bad_fails"
            )
    rates = Rates.of(0 if good_fails is None else good_fails, 1 if bad_fails is None else bad_fails)
    if hidden and rates.is_unknown:
        name = "good_fails" if rates.good.is_unknown else "bad_fails"
        rule = "above level 1 the checks of a round are combined by a coin, which needs known rates"
        remedy = "give a rate or a bound such as 0.3+, or leave level out"
        raise InvalidValue(name, "unknown", rule, remedy)
    if rates.is_known and rates.good.low + rates.bad.low == 1:
        # Votes at one p count every check, instead of combining several checks into one verdict.
        return read_noise(rates.bad.low)
    return rates


def _sequential(domain: Domain, wanted: Mapping[str, Any], max_rounds: int | None) -> Plan:
    """Return a plan that hides nothing: checks follow from verdicts until one commit is sure."""
    weights, noise = wanted["prior"], wanted["p"]
    if wanted["delta"] != 1:
        rule = "is what an observer may name, and level 1 hides nothing from her"
        raise InvalidValue("delta", wanted["delta"], rule, "leave delta out, or raise level")
    if weights is not None:
        rule = "if verdicts may be wrong, level 1 takes all commits as equally likely"
        value = f"odds of {len(weights)} commits"
        remedy = "leave weights out, or the rates of failed checks such as p"
        raise InvalidValue("weights", value, rule, remedy)
    problem = domain.problem(delta=1, level=1, p=noise, confidence=wanted["confidence"])
    if isinstance(noise, Rates) and noise.is_unknown:
        strategy = UnknownRates(problem, int(domain.width))
        if max_rounds is not None and max_rounds < len(strategy.rounds):
            rule = f"with unknown rates there may be {len(strategy.rounds)} rounds"
            raise NoPlan("max_rounds", max_rounds, rule, "leave max_rounds out, or give rates")
        return Plan.of(strategy, domain=domain, method="sequential")
    made = plan(problem, domain=domain, max_rounds=max_rounds)
    return replace(made, certificate=made.certificate, adversary_success=None)


def _repeated(commits: int, noise: Noise, sure: Fraction) -> int:
    """Return the number of checks of a bisection that repeats each one until it is sure enough."""
    halvings = (commits - 1).bit_length()
    rates = noise if isinstance(noise, Rates) else Rates.of(1 - noise.least, noise.least)
    if rates.is_unknown:
        return 0
    allowed, low, high = (1 - sure) / halvings, 0, 1
    while decision(rates, high).error > allowed and high < _REPEATED:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decision(rates, middle).error <= allowed else (middle, high)
    return halvings * high


def _roomy(
    domain: Domain, level: int, spare: Fraction, max_rounds: int | None, wanted: Mapping[str, Any]
) -> Plan:
    """Return the plan for a level, or for a slightly higher one that leaves the requested room."""
    if not 0 <= spare < 1:
        rule = "must be at least 0 and below 1"
        raise InvalidValue("spare", spare, rule, "give a share of the commits, such as 0.05")
    raised = math.ceil(level / (1 - spare))
    if raised == level or "p" not in wanted:  # under noise, planning takes long and leaves no room
        made = _planned(domain, level, max_rounds, wanted)
        success = made.adversary_success or Fraction(1, level)
        if raised == level or success * level <= 1 - spare:
            return made
    try:
        return _planned(domain, raised, max_rounds, wanted)
    except (InvalidValue, NoPlan, TooLarge):
        return _planned(domain, level, max_rounds, wanted)


def _planned(domain: Domain, level: int, max_rounds: int | None, wanted: Mapping[str, Any]) -> Plan:
    """Plan for a level, with the user's name for the prior in errors."""
    try:
        problem = domain.problem(level=level, **wanted)
    except InvalidValue as error:
        raise error.about("weights" if error.argument == "prior" else error.argument) from None
    return plan(problem, domain=domain, max_rounds=max_rounds)


def _cheapest(made: Plan, misses: Fraction, sure: Fraction) -> Plan:
    """Return the plan with the fewest checks, including repeats, up to a number of rounds."""
    best = made
    while made.rounds > 1:
        try:
            made = plan(made.problem, domain=made.domain, max_rounds=made.rounds - 1)
        except (NoPlan, TooLarge):
            break
        if made.queries >= best.queries * _repeats(best.rounds, misses, sure):
            break
        best = min(best, made, key=lambda each: each.queries * _repeats(each.rounds, misses, sure))
    return best


def _usual_width(weights: Sequence[int], level: int) -> int:
    """Return the number of commits that an observer may name by default.

    A single commit would hide almost nothing: an observer who names the L commits that look alike
    at the end, which may be neighbours, is nearly always right. People seldom read more than 20 one
    by one, and more cost more checks. Beyond half of the allowed blind success, plans get much
    longer.
    """
    below = [0, *accumulate(weights)]
    for width in range(_WIDTH, 1, -1):
        windows = zip(below, below[width:], strict=False)
        most = max((high - low for low, high in windows), default=below[-1])
        if most * 2 * level <= below[-1]:
            return width
    return 1


def _by_odds(problem: Problem, weights: Sequence[int]) -> Table:
    """Build a bisection that halves the odds, and the commits where the odds are 0."""
    if len(weights) != problem.values or min(weights) < 0:
        rule = f"must be {problem.values} odds of at least 0"
        raise InvalidValue("weights", f"{len(weights)} odds", rule, "give one for each commit")
    scale = 2 * len(weights)  # all commits together have less than one unit of the odds
    below = [0, *accumulate(scale * each + 1 for each in weights)]

    def cut(low: int, high: int) -> Tree:
        if high - low == 1:
            return 1
        half = (below[low] + below[high]) // 2
        place = min(max(bisect_left(below, half), low + 1), high - 1)
        if place > low + 1 and half - below[place - 1] < below[place] - half:
            place -= 1
        return (place - low,), (cut(low, place), cut(place, high))

    return blocks(problem, cut(0, len(weights)))


def _check_plain(plain: Plan, delta: int, max_rounds: int | None) -> None:
    """Refuse arguments that a plain bisection would ignore."""
    if delta != 1:
        rule = "is what an observer may name, and level 1 hides nothing from her"
        raise InvalidValue("delta", delta, rule, "leave delta out, or raise level")
    if max_rounds is not None and max_rounds < plain.rounds:
        rule = f"level 1 is bisection, which takes {plain.rounds} rounds here"
        raise NoPlan("max_rounds", max_rounds, rule, "leave max_rounds out, or raise level")


def _share(number: Number, name: str) -> Fraction:
    read = rational(number, name)
    if not 0 < read < 1:
        raise InvalidValue(name, number, "must lie between 0 and 1", "give one such as 0.9")
    return read


def _repeats(rounds: int, misses: Fraction, sure: Fraction) -> int:
    """Return the least r with rounds·misses^r ≤ 1 − sure."""
    times = max(1, math.ceil(math.log(rounds / (1 - sure)) / -math.log(misses)) - 1)
    while rounds * misses**times > 1 - sure:
        times += 1
    return times
