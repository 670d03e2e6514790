"""State the cost of a plan, and what its owner and a watcher learn, in two sentences.

All commands and pages that show a plan or a result use these sentences, so that they cannot promise
different things.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from feint.exact import plain
from feint.planning.costs import Cost
from feint.planning.noisy import MAJORITY
from feint.problem import Between, Domain, Problem, length_words, needed, with_unit

# methods that hide nothing but still find the number
_EXACT_ANYWAY = ("bisection", "grid", "printed")
_BY_DISTANCE = "if how often an answer is right depends only on how far the question is, and where"


class Offer(Protocol):
    """The attributes of a `Plan` that the sentences need."""

    @property
    def problem(self) -> Problem:
        """Return the problem that the plan solves."""

    @property
    def domain(self) -> Domain:
        """Return the user's units."""

    @property
    def method(self) -> str:
        """Return the name of the method."""

    @property
    def certificate(self) -> str | None:
        """Return the reason why the promise holds, or None if nothing is promised."""

    @property
    def places(self) -> int | None:
        """Return the number of places that stay possible, in the deterministic setting."""

    @property
    def private(self) -> bool:
        """Return True if the promise is what the problem asks for."""

    @property
    def promised(self) -> Fraction | None:
        """Return an upper bound on the best eavesdropper's success."""

    @property
    def excused(self) -> bool:
        """Return True if the promise holds only up to what rounding to decimals adds."""

    @property
    def queries(self) -> int:
        """Return the maximum number of questions of a search."""

    @property
    def rounds(self) -> int:
        """Return the maximum number of rounds of a search."""

    @property
    def cost(self) -> Cost | None:
        """Return the mean cost of a search, or None if it is not known."""


def length_sentence(plan: Offer) -> str:
    """Return the numbers of questions and rounds of a plan, as a sentence.

    >>> from feint import Domain, plan
    >>> market = Domain(20, 100, label="price")
    >>> length_sentence(plan(market.problem(within="0.5", delta=5, level=4), domain=market))
    'At most 17 questions (15.4 on average) in 5 rounds.'
    """
    cost = plan.cost
    means = None if cost is None else (cost.queries, cost.rounds)
    is_simulated = cost is not None and cost.errors is not None
    words = length_words(plan.queries, plan.rounds, means, is_simulated=is_simulated)
    return f"{words[0].upper()}{words[1:]}."


def promise(plan: Offer, domains: Sequence[Domain] | None = None, *, keys: int = 1) -> str:
    """Return what the owner and a watcher learn, as a sentence.

    Args:
        plan: The plan.
        domains: The units and the label of each number; None: the plan's.
        keys: The number of keys with which the number was searched for. With several, a plan
            promises nothing.

    Returns:
        The sentence. It promises only what the plan certifies.
    """
    units = tuple(domains or (plan.domain,) * plan.problem.dim)
    hers = _watcher(plan, units)
    if keys > 1:
        hers = f"nothing is promised about a watcher of {keys} searches with different keys"
    return f"{_learnt(plan, units)}; {hers}."


def deal(plan: Offer, domains: Sequence[Domain] | None = None, *, keys: int = 1) -> str:
    """Return the cost and the promise of a plan, as every command and page shows them.

    Args:
        plan: The plan.
        domains: As in `promise`.
        keys: As in `promise`.

    Returns:
        Two sentences: `length_sentence` and `promise`.
    """
    return f"{length_sentence(plan)} {promise(plan, domains, keys=keys)}"


def _learnt(plan: Offer, domains: Sequence[Domain]) -> str:
    """Return the clause about what the owner learns."""
    problem, noisy = plan.problem, plan.problem.noisy
    halves = [with_unit(plain(problem.epsilon * each.width / 2), each.unit) for each in domains]
    exact = problem.values is not None and (not noisy or problem.confidence is not None)
    if exact:
        what = f"{_named(domains)} exactly"
    elif len(set(halves)) == 1:
        each = ", each" if len(domains) > 1 else ""
        what = f"{_named(domains)}{each} to within ±{halves[0]}"
    else:
        names = [_name(domain, place) for place, domain in enumerate(domains, 1)]
        pairs = zip(names, halves, strict=True)
        what = _joined([f"{name} to within ±{half}" for name, half in pairs])
    if plan.certificate is None and (noisy or plan.method not in _EXACT_ANYWAY):
        return f"It aims to find {what}, which is not promised"
    if not noisy:
        return f"You learn {what}"
    sure = problem.confidence
    often = "on average" if sure is None else f"with probability {plain(sure)} or more"
    beliefs = ", averaged over all possible p" if isinstance(problem.noise, Between) else ""
    sized = " (sized by simulation)" if plan.certificate == "calibrated" else ""
    return f"You learn {what} {often}{beliefs}{sized}"


def _watcher(plan: Offer, domains: Sequence[Domain]) -> str:
    """Return the clause about what a person learns who sees every question and no answer."""
    problem, many = plan.problem, len(domains) > 1
    if problem.level == 1:
        return "nothing is hidden from a watcher"
    if not plan.private:
        return "nothing is promised about what a watcher learns"
    if problem.setting == "deterministic":
        apart = _joined(
            [with_unit(plain(problem.delta * each.width), each.unit) for each in domains]
        )
        return (
            f"a watcher is left with at least {plan.places} places, {apart} apart, any of which is"
            " possible (not equally likely)"
        )
    together = (" of both" if len(domains) == 2 else " of all") + " at once" if many else ""
    near = _joined(
        [f"±{with_unit(plain(problem.delta * each.width / 2), each.unit)}" for each in domains]
    )
    wins = f"gets within {near}{together}"
    if problem.values is not None:
        count = int(problem.delta * problem.values)
        wins = "names " + ("all of them" if many else "it")
        if count > 1:
            one = "the right ones" if many else "the right one"
            wins = f"names {count} neighbouring values{' of each' * many} that include {one}"
    return f"a watcher {wins} {_often(plan)}{_needs(plan)}"


def _often(plan: Offer) -> str:
    """Return the bound on a watcher's success as "1 time in n", with n rounded down."""
    success, level = plan.promised, plan.problem.level
    if plan.excused or not success:
        extra = " (or one part in a million more often)" if plan.excused else ""
        return f"at most 1 time in {level:,}{extra}"
    tenths = int(10 / success)
    times = f"{tenths / 10:g}" if tenths < 100 else f"{tenths // 10:,}"
    return f"at most 1 time in {times}"


def _needs(plan: Offer) -> str:
    """Return the assumptions of the promise of privacy."""
    problem, terms = plan.problem, list[str]()
    if problem.prior is not None:
        terms.append("if the prior is right")
    if problem.noisy:
        terms.append(_BY_DISTANCE if plan.method == MAJORITY else needed(problem))
    return f", {' and '.join(terms)}" if terms else ""


def _named(domains: Sequence[Domain]) -> str:
    """Return the names of the numbers."""
    labels = {each.label for each in domains}
    if len(domains) > 1 and (None in labels or len(labels) < len(domains)):
        return "both numbers" if len(domains) == 2 else f"all {len(domains)} numbers"
    return _joined([_name(each, place) for place, each in enumerate(domains, 1)])


def _name(domain: Domain, place: int) -> str:
    """Return the name of one number: its label, or its place."""
    if domain.label:
        return f"the {domain.label}"
    return "the number" if place == 1 else f"number {place}"


def _joined(words: Sequence[str]) -> str:
    """Join words with commas and an "and", without repeating a word."""
    once = list(dict.fromkeys(words))
    return " and ".join([*([", ".join(once[:-1])] if len(once) > 1 else []), once[-1]])
