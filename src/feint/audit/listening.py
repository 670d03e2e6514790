"""What whoever listens can tell of one search, from its transcript alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.audit.noisy import PLACES, Believed, joint
from feint.beliefs import best_window
from feint.branches import Posteriors, Ruler, Window, following, refine
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import Strategy
from feint.planning import Plan
from feint.problem import Scale, Transcript
from feint.strategies import Product, StagedNoisy

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


@dataclass(frozen=True, kw_only=True)
class NoisyBelief:
    """Where the best eavesdropper believes the number to be after noisy answers, in user's units.

    Attributes:
        ends: [pieces + 1] where the pieces of her density begin and end.
        density: [pieces] how likely the number is in each, per unit.
        window: Her best guess: a window of length δ.
    """

    ends: NDArray[np.float64]
    density: NDArray[np.float64]
    window: Window


def overheard(
    plan: Plan, transcript: Transcript, *, coordinate: int = 0, limit: int = LIMIT
) -> tuple[Belief, ...]:
    """The best eavesdropper's belief after each round, exactly, under the plan's own prior.

    She knows the plan and has heard the questions; no answer, no coin and no key is looked at. Of
    several numbers each is searched for by itself, so what she believes of one says nothing of
    another: the probabilities of her windows, and her places, multiply.

    Args:
        plan: What is followed, without noise.
        transcript: One run, as far as it has come: whole rounds.
        coordinate: Which of several numbers, from 0.
        limit: The number of ways to go on that fit, beyond which to give up.

    Returns:
        One belief a round that was heard.

    Raises:
        TooLarge: More ways than the limit fit, or answers may be wrong.
        InvalidValue: There is more than one run, or no such coordinate, or its search is not apart
            from those of the others.
    """
    problem = plan.problem
    if len(transcript.points) != 1:
        rule = "one search is followed"
        raise InvalidValue("transcript", "several runs", rule, "give one of them")
    if problem.noisy:
        rule = "under noise any answer may come, so no branch is ruled out"
        raise TooLarge("p", problem.p, rule, "audit the plan instead")
    strategy, prior = _apart(plan, coordinate), problem.law(coordinate)
    ruler = Ruler(_scale(plan, coordinate), problem.delta * plan.domain.width)
    window = Fraction(ruler.length, ruler.places)
    fine = refine(ruler.places, window, prior.bins)
    points = transcript.points[0][np.array(transcript.coordinates, np.int64) == coordinate]
    found = []
    for front in following(strategy, points, limit=limit):
        low, high = ruler.place(front.low)[:, 0], ruler.place(front.high)[:, 0]
        rows = (low, high, front.weight, front.group)
        held = Posteriors(
            *rows, groups=len(front.heard), cells=ruler.places, scale=fine, prior=prior
        )
        found.append(_belief(held, ruler, fine))
    heard = max(transcript.rounds, default=-1) + 1
    still = found[-1:] * (heard - len(found))  # this search was through before the others
    return (*found[:heard], *still)


def noisy_belief(plan: Plan, transcript: Transcript) -> NoisyBelief:
    """The best eavesdropper's belief after a whole search under noise, under the plan's own prior.

    As in `overheard` she knows the plan and has heard the questions, and is told nothing else.

    Args:
        plan: What was followed: a plan of the staged family under noise, for one number.
        transcript: One run, to its end.

    Returns:
        What she believes, to the precision of floats.

    Raises:
        InvalidValue: There is more than one run, one that has not ended, or another strategy.
    """
    strategy, problem, domain = plan.strategy, plan.problem, plan.domain
    if not isinstance(strategy, StagedNoisy):
        rule = "one number is followed, by the staged family under noise"
        raise InvalidValue("plan", f"method {plan.method}", rule, "audit the plan instead")
    if transcript.points.shape != (1, plan.queries):
        rule = f"one search is followed, with all its {plan.queries} queries"
        raise InvalidValue("transcript", f"of shape {transcript.points.shape}", rule, "give one")
    heard = joint(strategy, transcript.points[0], None)
    scale = plan.scales[0] if plan.scales else None
    believed = Believed(plan.cells[0], scale, problem.law())
    places, weight = believed.weighed(heard.edges, heard.mass)
    (cell, rest), caught = best_window(places[None], weight[None], problem.delta * PLACES)
    total = float((np.diff(places) * weight).sum())
    width = domain.width
    middle = domain.low + (int(cell[0]) + Fraction(float(rest[0]))) * width / PLACES
    half, probability = problem.delta * width / 2, Fraction(min(1.0, float(caught[0]) / total))
    return NoisyBelief(
        ends=float(domain.low) + places.astype(np.float64) * (float(width) / PLACES),
        density=weight * (PLACES / (total * float(width))),
        window=Window(middle - half, middle + half, probability),
    )


def _apart(plan: Plan, coordinate: int) -> Strategy[Any]:
    """The search for one number.

    Raises:
        InvalidValue: There is none by itself.
    """
    strategy = plan.strategy
    factors = strategy.factors if isinstance(strategy, Product) else (strategy,)
    if any(len(each.cells) != 1 for each in factors):
        rule = "several numbers are followed one by one, as the factors of a Product"
        raise InvalidValue("plan", f"method {plan.method}", rule, "make it a Product")
    if not 0 <= coordinate < len(factors):
        rule = f"must be from 0 to {len(factors) - 1}"
        raise InvalidValue("coordinate", coordinate, rule, "name one of the numbers")
    return factors[coordinate]


def _scale(plan: Plan, coordinate: int) -> Scale:
    """Where the boundaries lie: as planned, else evenly."""
    if plan.scales:
        return plan.scales[coordinate]
    domain = plan.domain
    return Scale(domain.low, domain.low + domain.width, plan.cells[coordinate])


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
