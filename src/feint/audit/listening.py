"""Compute an eavesdropper's belief about one search from its transcript alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.audit.case import coordinates
from feint.audit.places import Places
from feint.audit.posterior import Followed, joint
from feint.audit.sampled import product
from feint.beliefs import best_window
from feint.branches import Posteriors, Window, following
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import Strategy, columns
from feint.planning import Plan
from feint.problem import Domain, Transcript

LIMIT = 1 << 16
"""Branches that fit a transcript beyond which `overheard` refuses."""


@dataclass(frozen=True, kw_only=True)
class Belief:
    """The best eavesdropper's belief about the number, in the user's units.

    Attributes:
        pieces: The possible intervals, left to right, with their probabilities.
        window: Her best guess: a window of length δ.
        places: The fewest windows of length δ that cover all pieces.
    """

    pieces: tuple[Window, ...]
    window: Window
    places: int


@dataclass(frozen=True, kw_only=True)
class NoisyBelief:
    """The best eavesdropper's belief about the number after noisy answers, in the user's units.

    Attributes:
        ends: [pieces + 1] the ends of the pieces of her density.
        density: [pieces] the probability per unit in each piece.
        window: Her best guess: a window of length δ.
    """

    ends: NDArray[np.float64]
    density: NDArray[np.float64]
    window: Window


def overheard(
    plan: Plan, transcript: Transcript, *, coordinate: int = 0, limit: int = LIMIT
) -> tuple[Belief, ...]:
    """Return the best eavesdropper's exact belief after each round, under the plan's own prior.

    She knows the plan and has heard the questions; no answer, coin or key is used. Several numbers
    are searched for independently, so her beliefs about them are independent: the probabilities of
    her windows multiply, and so do the numbers of her places.

    Args:
        plan: A plan without noise.
        transcript: One run so far, in whole rounds.
        coordinate: The index of the number, from 0.
        limit: The most branches that may fit.

    Returns:
        One belief per round that was heard.

    Raises:
        TooLarge: More branches than the limit fit, or answers may be wrong.
        InvalidValue: There is more than one run, or no such coordinate, or the plan does not search
            for its numbers independently.
    """
    problem = plan.problem
    if len(transcript.points) != 1:
        rule = "one search is followed"
        raise InvalidValue("transcript", "several runs", rule, "give one of them")
    if problem.noisy:
        rule = "under noise any answer may come, so no branch is ruled out"
        raise TooLarge("p", problem.p, rule, "audit the plan instead")
    strategy, line = _search(plan, coordinate), _line(plan, coordinate)
    points = transcript.points[0][np.array(transcript.coordinates, np.int64) == coordinate]
    found = []
    for front in following(strategy, points, limit=limit):
        low, high = line.place(front.low[:, 0]), line.place(front.high[:, 0])
        rows = (low, high, front.weight, front.group)
        held = Posteriors(*rows, groups=len(front.heard), cells=line.units, prior=line.prior)
        found.append(
            Belief(
                pieces=tuple(_in_units(each, plan.domain) for each in held.pieces(0)),
                window=_in_units(held.window(0, line.delta), plan.domain),
                places=int(held.coverings(line.length)[0]),
            )
        )
    heard = max(transcript.rounds, default=-1) + 1
    still = found[-1:] * (heard - len(found))  # this search ended before the others
    return (*found[:heard], *still)


def noisy_belief(plan: Plan, transcript: Transcript) -> NoisyBelief:
    """Return the best eavesdropper's belief after a search under noise, under the plan's own prior.

    As in `overheard` she knows the plan and has heard the questions, and nothing else.

    Args:
        plan: A plan of the staged family under noise, for one number.
        transcript: One run, to its end.

    Returns:
        Her belief, to the precision of floats.

    Raises:
        InvalidValue: There is more than one run, one that has not ended, or another strategy.
    """
    strategy, domain = plan.strategy, plan.domain
    if not isinstance(strategy, Followed):
        rule = "only a search for one number by the staged family under noise can be followed"
        raise InvalidValue("plan", f"method {plan.method}", rule, "audit the plan instead")
    if transcript.points.shape != (1, columns(strategy)):
        rule = f"one search is followed, with all its {columns(strategy)} queries"
        raise InvalidValue("transcript", f"of shape {transcript.points.shape}", rule, "give one")
    heard = joint(strategy, transcript.points[0], None)
    line = _line(plan, 0, fits_windows=False)
    edges, density = product(*line.prior_density, line.place(heard.edges), heard.mass)
    length = line.delta * line.units
    (cell, rest), caught = best_window(edges[None], density[None], length)
    total = float(np.diff(edges) @ density)
    middle = (int(cell[0]) + Fraction(float(rest[0]))) / line.units
    half, probability = line.delta / 2, Fraction(min(1.0, float(caught[0]) / total))
    width = float(domain.width) / line.units  # resolution of a place
    return NoisyBelief(
        ends=float(domain.low) + edges.astype(np.float64) * width,
        density=density / (total * width),
        window=_in_units(Window(middle - half, middle + half, probability), domain),
    )


def _search(plan: Plan, coordinate: int) -> Strategy[Any]:
    """Return the search for one number.

    Raises:
        InvalidValue: The numbers are not searched for independently.
    """
    searches = coordinates(plan.strategy)
    if not 0 <= coordinate < len(searches):
        rule = f"must be from 0 to {len(searches) - 1}"
        raise InvalidValue("coordinate", coordinate, rule, "name one of the numbers")
    return searches[coordinate]


def _line(plan: Plan, coordinate: int, *, fits_windows: bool = True) -> Places:
    """Return the line of one number: the plan's scale, or equal cells."""
    return Places.of(
        plan.scales[coordinate] if plan.scales else None,
        cells=plan.cells[coordinate],
        delta=plan.problem.delta,
        prior=plan.problem.law(coordinate),
        width=plan.domain.width,
        fits_windows=fits_windows,
    )


def _in_units(window: Window, domain: Domain) -> Window:
    """Convert a window from shares of the range to the user's units."""
    low, high = (domain.low + share * domain.width for share in window[:2])
    return Window(low, high, window.probability)
