"""Describe a search for the pages: the owner's knowledge and an eavesdropper's belief per round.

The eavesdropper's half is computed from the plan and the transcript alone, by
`feint.audit.overheard`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from feint.branches import Window, joined
from feint.errors import TooLarge
from feint.exact import decimal
from feint.planning import Plan, promise
from feint.problem import Domain, Query, Transcript
from feint.search import Search, sureness_words
from feint.server.padding import contradictory

if TYPE_CHECKING:
    from feint.audit import Belief

# questions × questions of a round up to which the eavesdropper's belief is computed
_FOLLOWED = 1 << 21
_DIGITS = 9
_BARS = 100


def told(search: Search) -> dict[str, Any]:
    """Return the story of a search so far, for its owner's page. Secret.

    Returns:
        The story of its first number; "others", those of the rest; "warnings" about the answers;
        "sureness" of each number, a sentence or None.
    """
    first, *others = [
        story(search, coordinate=number) | {"sureness": words}
        for number, words in enumerate(_sureness(search))
    ]
    warned = [contradictory(str(each)) for each in search.contradictions]
    warned += [] if search.warning is None else [search.warning]
    if search.done:
        warned += [each.warning for each in search.result.coordinates if each.warning is not None]
    # Leave out the mean number of questions, which takes seconds to simulate under noise.
    offered = promise(search.plan, search.domains, keys=search.keys)
    public = {"deal": offered, "asker": search.preface.asker}
    return first | {"others": others, "warnings": warned} | public


def _sureness(search: Search) -> list[str | None]:
    """Return a sentence on how sure a search is, per coordinate; None if it does not say."""
    held = search.sureness or [None] * len(search.domains)
    return [None if each is None else sureness_words(each) for each in held]


def story(search: Search, *, coordinate: int = 0) -> dict[str, Any]:
    """Return both lanes of a search for one of its numbers, so far. Secret.

    Returns:
        The fields of `frame`; "rounds", each with its phase, questions, answers, and the known
        interval after it; "heard", the output of `heard`. If answers contradict each other, the
        interval follows the earlier ones. After the last round it is that of the result, which the
        page also states.
    """
    noisy, domain = search.plan.problem.noisy, search.domains[coordinate]
    rounds, low, high = [], *_range(domain)
    names = search.phases
    for number, queries in enumerate(asked(search)):
        shown = []
        for query in queries:
            if query.coordinate != coordinate:
                continue
            yes = search.told(query.id)
            if yes is not None and not noisy:
                low, high = _narrowed(query, yes, low, high)
            shown.append(
                {"id": query.id, "at": float(query.value), "shown": query.shown}
                | {"text": query.text, "parts": query.parts, "yes": yes}
            )
        phase = names[number]
        known = [float(low), float(high)]
        rounds.append({"round": number, "phase": phase, "queries": shown, "known": known})
    if search.done and rounds:
        found = search.result.coordinates[coordinate]
        rounds[-1]["known"] = [float(found.low), float(found.high + (domain.step or 0))]
    framed = frame(search.plan, coordinate=coordinate, domain=domain) | _ahead(search)
    hers = heard(search.plan, search.transcript, coordinate=coordinate, domain=domain)
    if hers is not None and len(hers) > len(rounds):
        hers = [*hers[: len(rounds) - 1], hers[-1]]  # the end is heard with the last round
    return framed | {"yes_means": search.yes_means, "rounds": rounds, "heard": hers}


def _ahead(search: Search) -> dict[str, Any]:
    """Return the asked rounds with their questions, and the most rounds to come."""
    counts = [len(queries) for queries in asked(search)]
    plan = search.plan.strategy.rounds
    if search.done:
        plan = plan[: len(counts)]
    names = [*search.phases, *(each.phase for each in plan[len(counts) :])]
    counts += [len(each.coordinates) for each in plan[len(counts) :]]
    both = zip(names, counts, strict=True)
    return {
        "plan": [{"phase": name, "queries": count} for name, count in both],
        "asks_all": search.done or search.plan.asks_all,
    }


def _narrowed(query: Query, yes: bool, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return the interval after an answer; a contradicting answer does not change it."""
    if yes == (query.yes_means == "at least"):
        return (max(low, query.value), high) if query.value < high else (low, high)
    return (low, min(high, query.value)) if query.value > low else (low, high)


def asked(search: Search) -> list[list[Query]]:
    """Return every question shown, one list per round."""
    found: list[list[Query]] = [[] for _ in range(search.round + 1)]
    for told in search.history:
        found[told.round].append(search.query(told.id))
    return found


def frame(plan: Plan, *, coordinate: int = 0, domain: Domain | None = None) -> dict[str, Any]:
    """Return the frame of a plan's picture: the range, delta, and the most rounds.

    Args:
        plan: The plan.
        coordinate: The index of its number.
        domain: The units; None: the plan's.
    """
    domain = domain or plan.domain
    low, high = _range(domain)
    problem = plan.problem
    return {
        "low": float(low),
        "high": float(high),
        "label": domain.label,
        "unit": domain.unit,
        "question": domain.question,
        "step": None if domain.step is None else float(domain.step),
        "decimals": _decimals(plan, coordinate, domain),
        "delta": float(problem.delta * domain.width),
        "level": problem.level,
        "adversary_success": None if plan.promised is None else float(plan.promised),
        "noisy": problem.noisy,
        "prior": _density(plan, coordinate),
        "plan": [
            {"phase": each.phase, "queries": len(each.coordinates)} for each in plan.strategy.rounds
        ],
        "asks_all": plan.asks_all,
    }


def heard(
    plan: Plan, transcript: Transcript, *, coordinate: int = 0, domain: Domain | None = None
) -> list[dict[str, Any]] | None:
    """Return the best eavesdropper's belief about a number after each round, in units of `frame`.

    Return None under noise, and if it would take too long to compute.
    """
    from feint.audit import overheard  # most servers never need it, and would start more slowly

    widest = max((len(each.coordinates) for each in plan.strategy.rounds), default=0)
    if plan.queries * widest > _FOLLOWED:
        return None
    try:
        beliefs = overheard(plan, transcript, coordinate=coordinate)
        return [_believed(each, _moved(plan.domain, domain or plan.domain)) for each in beliefs]
    except TooLarge:
        return None


def played(plan: Plan, number: Fraction, *, seed: int) -> dict[str, Any]:
    """Play a whole search for a known number, with coins from a seed, and return its story."""
    search = Search(plan, seed=seed)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, number >= query.value)
    return story(search) | {"number": float(number), "queries": search.answered}


def _believed(each: Belief, move: Callable[[Fraction], Fraction]) -> dict[str, Any]:
    def shown(piece: Window) -> list[float]:
        return [float(move(piece.low)), float(move(piece.high)), float(piece.probability)]

    return {
        "pieces": [shown(piece) for piece in joined(each.pieces)],
        "window": shown(each.window),
        "places": each.places,
    }


def _moved(old: Domain, new: Domain) -> Callable[[Fraction], Fraction]:
    """Convert from the units of one range to those of another."""
    ratio = new.width / old.width
    return lambda value: new.low + (value - old.low) * ratio


def _density(plan: Plan, coordinate: int) -> list[float] | None:
    """Return the prior as heights of equal bins, the highest 1; None if it is uniform."""
    if plan.problem.prior is None:
        return None
    weights = plan.problem.prior[coordinate].weights
    size = -(-len(weights) // _BARS)
    sums = [sum(weights[start : start + size]) for start in range(0, len(weights), size)]
    heights = [total / min(size, len(weights) - size * n) for n, total in enumerate(sums)]
    return [round(each / max(heights), 4) for each in heights]


def _range(domain: Domain) -> tuple[Fraction, Fraction]:
    """Return the range to draw: one step per value for whole values."""
    return domain.low, domain.low + domain.width


def _decimals(plan: Plan, coordinate: int, domain: Domain) -> int:
    """Return the largest number of decimals of a question."""
    scale = plan.scales[coordinate] if plan.scales else None
    unit = domain.step if scale is None else scale.unit
    written = decimal(unit if unit is not None else plan.problem.epsilon * domain.width)
    return _DIGITS if written is None else min(_DIGITS, len(written.partition(".")[2]))
