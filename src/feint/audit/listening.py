"""What whoever listens can tell after each round of one search, from its transcript alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from feint.branches import Posteriors, Ruler, Window, following, refine
from feint.errors import InvalidValue, TooLarge
from feint.planning import Plan
from feint.problem import Scale, Transcript

LIMIT = 1 << 16
"""Branches that fit a transcript beyond which `overheard` refuses."""


@dataclass(frozen=True, kw_only=True)
class Belief:
    """Where the best eavesdropper believes the number to be, in the user's units.

    Attributes:
        pieces: Where it may be, left to right, each piece with its probability.
        window: Her best guess: a window of length δ.
        places: The fewest windows of length δ that cover all pieces.
    """

    pieces: tuple[Window, ...]
    window: Window
    places: int


def overheard(plan: Plan, transcript: Transcript, *, limit: int = LIMIT) -> tuple[Belief, ...]:
    """The best eavesdropper's belief after each round, exactly, under the plan's own prior.

    She knows the plan and has heard the questions; no answer, no coin and no key is looked at.

    Args:
        plan: What is followed: noiseless, in one dimension.
        transcript: One run, as far as it has come: whole rounds.
        limit: The number of ways to go on that fit, beyond which to give up.

    Returns:
        One belief a round that was heard.

    Raises:
        TooLarge: More ways than the limit fit, or answers may be wrong.
        InvalidValue: There is more than one run, or more than one coordinate.
    """
    problem = plan.problem
    if problem.dim != 1 or len(transcript.points) != 1:
        rule = "one search for one number is followed"
        raise InvalidValue("transcript", "something else", rule, "give one of them")
    if problem.noisy:
        rule = "under noise any answer may come, so no branch is ruled out"
        raise TooLarge("p", problem.p, rule, "audit the plan instead")
    ruler, prior = Ruler(_scale(plan), problem.delta * plan.domain.width), problem.law(0)
    window = Fraction(ruler.length, ruler.places)
    fine = refine(ruler.places, window, prior.bins)
    found = []
    for front in following(plan.strategy, transcript.points[0], limit=limit):
        low, high = ruler.place(front.low)[:, 0], ruler.place(front.high)[:, 0]
        rows = (low, high, front.weight, front.group)
        held = Posteriors(
            *rows, groups=len(front.heard), cells=ruler.places, scale=fine, prior=prior
        )
        found.append(_belief(held, ruler, fine))
    return tuple(found)


def _scale(plan: Plan) -> Scale:
    """Where the boundaries lie: as planned, else evenly."""
    if plan.scales:
        return plan.scales[0]
    domain = plan.domain
    return Scale(domain.low, domain.low + domain.width, plan.cells[0])


def _belief(held: Posteriors, ruler: Ruler, fine: int) -> Belief:
    start = ruler.scale.at(0)
    width = ruler.scale.at(ruler.scale.size) - start

    def units(each: Window) -> Window:
        return Window(start + each.low * width, start + each.high * width, each.probability)

    return Belief(
        pieces=tuple(map(units, held.pieces(0))),
        window=units(held.window(0, Fraction(ruler.length, ruler.places))),
        places=int(held.coverings(ruler.length * fine)[0]),
    )
