"""A search as pages draw it: what its owner knows and what a listener can tell, round by round.

The listener's half comes from the plan and the transcript alone, by `feint.audit.overheard`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from feint.branches import Window, joined
from feint.errors import TooLarge
from feint.exact import decimal
from feint.planning import Plan
from feint.problem import Query, Transcript
from feint.search import Search

if TYPE_CHECKING:
    from feint.audit import Belief

_FOLLOWED = 1 << 21  # questions × questions of a round beyond which a listener is not followed
_DIGITS = 9
_BARS = 100


def story(search: Search) -> dict[str, Any]:
    """Both lanes of a search for one number, as far as it has come. Secret.

    Returns:
        What `frame` says; "rounds", each with its phase, questions, own answers, and the interval
        that is known once they are answered; "heard", what `heard` says.
    """
    rounds, low, high = [], *_range(search.plan)
    for number, queries in enumerate(asked(search)):
        answers = {query.id: search.told(query.id) for query in queries}
        if not search.plan.problem.noisy:
            for query in queries:
                yes = answers[query.id]
                if yes is not None and (yes == (query.yes_means == "at least")):
                    low = max(low, query.value)
                elif yes is not None:
                    high = min(high, query.value)
        shown = [
            {"id": query.id, "at": float(query.value), "shown": query.shown}
            | {"text": query.text, "yes": answers[query.id]}
            for query in queries
        ]
        phase = search.plan.strategy.rounds[number].phase
        known = [float(low), float(high)]
        rounds.append({"round": number, "phase": phase, "queries": shown, "known": known})
    if search.plan.problem.noisy and search.done:
        found = search.result.coordinates[0]
        rounds[-1]["known"] = [float(found.low), float(found.high)]
    told = {"label": search.domains[0].label, "rounds": rounds}
    return frame(search.plan) | told | {"heard": heard(search.plan, search.transcript)}


def asked(search: Search) -> list[list[Query]]:
    """Every question that was shown, a list a round."""
    found: list[list[Query]] = [[] for _ in range(search.round + 1)]
    for told in search.history:
        found[told.round].append(search.query(told.id))
    return found


def frame(plan: Plan) -> dict[str, Any]:
    """What a picture of a plan needs beside its rounds: the range, delta, the rounds to come."""
    low, high = _range(plan)
    problem = plan.problem
    return {
        "low": float(low),
        "high": float(high),
        "label": plan.domain.label,
        "step": None if plan.domain.step is None else float(plan.domain.step),
        "decimals": _decimals(plan),
        "delta": float(problem.delta * plan.domain.width),
        "level": problem.level,
        "noisy": problem.noisy,
        "prior": _density(plan),
        "plan": [
            {"phase": each.phase, "queries": len(each.coordinates)} for each in plan.strategy.rounds
        ],
    }


def heard(plan: Plan, transcript: Transcript) -> list[dict[str, Any]] | None:
    """What the best listener believes after each round; None where that is too large to follow."""
    from feint.audit import overheard  # most servers are not asked, and would start more slowly

    widest = max((len(each.coordinates) for each in plan.strategy.rounds), default=0)
    if plan.problem.dim != 1 or plan.queries * widest > _FOLLOWED:
        return None
    try:
        return [_believed(each) for each in overheard(plan, transcript)]
    except TooLarge:
        return None


def played(plan: Plan, number: Fraction, *, seed: int) -> dict[str, Any]:
    """The story of a whole search for a number that is known, its coins from a seed."""
    search = Search(plan, seed=seed)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, number >= query.value)
    return story(search) | {"number": float(number), "queries": plan.queries}


def _believed(each: Belief) -> dict[str, Any]:
    return {
        "pieces": [_window(piece) for piece in joined(each.pieces)],
        "window": _window(each.window),
        "places": each.places,
    }


def _density(plan: Plan) -> list[float] | None:
    """The prior as heights of equal bins, the highest 1; None where it is uniform."""
    if plan.problem.prior is None:
        return None
    weights = plan.problem.prior[0].weights
    size = -(-len(weights) // _BARS)
    sums = [sum(weights[start : start + size]) for start in range(0, len(weights), size)]
    heights = [total / min(size, len(weights) - size * n) for n, total in enumerate(sums)]
    return [round(each / max(heights), 4) for each in heights]


def _window(each: Window) -> list[float]:
    return [float(each.low), float(each.high), float(each.probability)]


def _range(plan: Plan) -> tuple[Fraction, Fraction]:
    """The range that is drawn: of whole values, one step a value."""
    return plan.domain.low, plan.domain.low + plan.domain.width


def _decimals(plan: Plan) -> int:
    """How many decimals the questions have, at most."""
    scale = plan.scales[0] if plan.scales else None
    unit = plan.domain.step if scale is None else scale.unit
    written = decimal(unit if unit is not None else plan.problem.epsilon * plan.domain.width)
    return _DIGITS if written is None else min(_DIGITS, len(written.partition(".")[2]))
