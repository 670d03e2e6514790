"""What an eavesdropper can tell of one search, from its transcript alone."""

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
    """Return the best eavesdropper's exact belief after each round, under the plan's own prior.

    She knows the plan and has heard the questions; no answer, coin or key is used. Several numbers
    are searched for independently, so what she believes of one says nothing of another: the
    probabilities of her windows, and her places, multiply.

    Args:
        plan: What is followed, without noise.
        transcript: One run, as far as it has come: whole rounds.
        coordinate: Which of several numbers, from 0.
        limit: The number of branches that fit, beyond which to refuse.

    Returns:
        One belief per round that was heard.

    Raises:
        TooLarge: More branches than the limit fit, or answers may be wrong.
        InvalidValue: There is more than one run, or no such coordinate, or the plan does not search
            for each number by itself.
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
    still = found[-1:] * (heard - len(found))  # this search was through before the others
    return (*found[:heard], *still)


def noisy_belief(plan: Plan, transcript: Transcript) -> NoisyBelief:
    """Return the best eavesdropper's belief after a search under noise, under the plan's own prior.

    As in `overheard` she knows the plan and has heard the questions, and nothing else.

    Args:
        plan: What was followed: a plan of the staged family under noise, for one number.
        transcript: One run, to its end.

    Returns:
        Her belief, to the precision of floats.

    Raises:
        InvalidValue: There is more than one run, one that has not ended, or another strategy.
    """
    strategy, domain = plan.strategy, plan.domain
    if not isinstance(strategy, Followed):
        rule = "one number is followed, by the staged family under noise"
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
    width = float(domain.width) / line.units  # of a place
    return NoisyBelief(
        ends=float(domain.low) + edges.astype(np.float64) * width,
        density=density / (total * width),
        window=_in_units(Window(middle - half, middle + half, probability), domain),
    )


def _search(plan: Plan, coordinate: int) -> Strategy[Any]:
    """The search for one number.

    Raises:
        InvalidValue: There is none by itself.
    """
    searches = coordinates(plan.strategy)
    if not 0 <= coordinate < len(searches):
        rule = f"must be from 0 to {len(searches) - 1}"
        raise InvalidValue("coordinate", coordinate, rule, "name one of the numbers")
    return searches[coordinate]


def _line(plan: Plan, coordinate: int, *, fits_windows: bool = True) -> Places:
    """Where one number lies: on the plan's scale, else evenly."""
    return Places.of(
        plan.scales[coordinate] if plan.scales else None,
        cells=plan.cells[coordinate],
        delta=plan.problem.delta,
        prior=plan.problem.law(coordinate),
        width=plan.domain.width,
        fits_windows=fits_windows,
    )


def _in_units(window: Window, domain: Domain) -> Window:
    """A window in the user's units, from shares of the range."""
    low, high = (domain.low + share * domain.width for share in window[:2])
    return Window(low, high, window.probability)
