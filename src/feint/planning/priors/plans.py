"""Plans under a prior: the methods there are, one coordinate or several, and what they promise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from feint.errors import NoPlan, TooLarge, UnknownMethod
from feint.exact import ceil_log2, plain
from feint.interfaces import Progress
from feint.planning.checks import check_options, too_many_rounds
from feint.planning.limits import UNEVEN_CELLS
from feint.planning.option import Option
from feint.planning.plans import Certificate, Plan
from feint.planning.priors.layout import Candidate, Ground
from feint.planning.priors.single import Single
from feint.planning.priors.weighted import Hidden
from feint.planning.product import cheapest_mix, multiplied, together
from feint.planning.ticks import keeps
from feint.problem import Domain, Problem
from feint.strategies import StagedShape

METHODS = ("tight", "bisection", "grid")
"""The methods under a prior; the others are made for a uniform X*."""

Chosen = tuple[Option, ...]

_ROOMS = tuple(Fraction(each, 100) for each in (0, 1, 3, 6, 10, 20))
"""Shares of the promise that are kept for what curves are off by, until it is kept."""


def prior_plan(
    problem: Problem,
    units: Domain,
    method: str,
    *,
    rounds: int | None,
    margin: Fraction,
    spare: bool,
    progress: Progress | None = None,
) -> Plan:
    """Return the cheapest noiseless plan of a method under the problem's prior.

    Args:
        problem: What is wanted, with a prior.
        units: The user's.
        method: One of `METHODS`.
        rounds: How many rounds there may be; None: any number.
        margin: How many times denser than stated the truth may be.
        spare: Whether some parts may be left alone; otherwise there is no coin.
        progress: Told how far the search for a plan is.

    Returns:
        The plan. What she wins with is enumerated for the questions as they are shown, so its
        certificate is "exact". If there are too many branches it is a bound, and the certificate is
        "theorem" (proofs/quantile.md). It has none if the promise is not kept.

    Raises:
        UnknownMethod: There is no such method under a prior.
        NoPlan: None is short enough, or quick enough.
        TooLarge: Cells would be too many to place one by one.
    """
    if method not in METHODS:
        rule = f"under a prior there are {', '.join(METHODS)}: the others are for a uniform number"
        raise UnknownMethod("method", method, rule, "pick one of them")
    grounds = [_ground(problem, units, each) for each in range(problem.dim)]
    if any(each.line(each.finest).accuracy < 1 for each in grounds):
        raise _refusal(problem, units, None)
    if method == "tight":
        wanted = problem.level * margin
        most = 1 / wanted - problem.distance  # what bins do not show is hers
        chosen = _tight(grounds, rounds, (wanted, problem.parts, most), spare, progress)
        chosen = _grid_instead(grounds, chosen, most) or chosen
    else:
        chosen = _plain(grounds, method)
    if chosen is None:
        raise _refusal(problem, units, rounds)
    check_options(chosen, units)
    if rounds is not None:
        took = max(len(each.strategy.rounds) for each in chosen)
        if took > rounds:
            raise too_many_rounds(method, took, rounds)
    return _plan(problem, units, method, chosen)


def _ground(problem: Problem, units: Domain, coordinate: int) -> Ground:
    """Return one coordinate by itself."""
    if problem.dim == 1:
        return Ground(problem, problem.law(), units)
    alone = replace(problem, dim=1, prior=None, level=max(2, problem.parts))
    return Ground(alone, problem.law(coordinate), units)


def _tight(
    grounds: list[Ground],
    rounds: int | None,
    wanted: tuple[Fraction, int, Fraction],
    spare: bool,
    progress: Progress | None,
) -> Chosen | None:
    """Return one option a coordinate, the fewest questions in all.

    Of several numbers only the programme is tried, which says what every number of questions buys.
    Stretched shapes and plans for uniform numbers would have to be searched anew for every level.

    Args:
        grounds: The coordinates.
        rounds: How many rounds there may be.
        wanted: L times the margin; parts of one coordinate; what she may win with under the bins.
        spare: Whether some parts may be left alone.
        progress: Told how far the search is.
    """
    level, parts, most = wanted
    if len(grounds) == 1:
        one = Single(grounds[0], level, most, spare=spare, progress=progress)
        found = one.cheapest(rounds)
        return None if found is None else (found,)
    each_level = min(level, Fraction(2 * parts))
    singles = [Single(each, each_level, most, spare=spare, progress=progress) for each in grounds]
    curves = [each.curve() for each in singles]
    for room in _ROOMS:
        picks = cheapest_mix(curves, (1 - room) * most)
        if picks is None:
            return None
        laid = [one.at(pick) for one, pick in zip(singles, picks, strict=True)]
        chosen = tuple(each for each in laid if each is not None)
        success = multiplied(each.share for each in chosen)
        if len(chosen) == len(laid) and success <= most:
            return chosen
    return None


def _plain(grounds: list[Ground], method: str) -> Chosen | None:
    """Return bisection, or the grid, of every coordinate."""
    found = []
    for ground in grounds:
        line = ground.line(ground.finest)
        divided = ground.dividers(line)[0].divided((0, line.cells), 1, None)
        if divided is None:
            return None
        pieces = divided.pieces
        hide = (pieces,) if method == "grid" else (2,) * ceil_log2(pieces)
        hidden = Hidden((0, line.cells), divided, 0, StagedShape(hide=hide or (1,)), ())
        option = ground.option(Candidate(hidden.shape.queries, (hidden,)), Fraction(1))
        if option is None:
            return None
        found.append(option)
    return tuple(found)


def _grid_instead(grounds: list[Ground], other: Chosen | None, most: Fraction) -> Chosen | None:
    """Return the grid if it asks fewer questions than another way; it tells her nothing."""
    lines = [each.line(each.finest) for each in grounds]
    if any(each.cells > UNEVEN_CELLS * each.accuracy for each in lines):
        return None
    found = _plain(grounds, "grid")
    if found is None or multiplied(each.share for each in found) > most:
        return None
    return found if other is None or _asked(found) < _asked(other) else None


def _asked(chosen: Chosen) -> int:
    return sum(each.queries for each in chosen)


def _plan(problem: Problem, units: Domain, method: str, chosen: Chosen) -> Plan:
    success = multiplied(each.share for each in chosen)
    scales = tuple(each.scale for each in chosen if each.scale is not None) or None
    reason: Certificate = "exact" if all(each.is_enumerated for each in chosen) else "theorem"
    return Plan(
        problem=problem,
        domain=units,
        method=method,
        strategy=together(problem, chosen),
        certificate=reason if keeps(success, problem, scales) else None,
        adversary_success=success,
        scales=scales,
    )


def _refusal(problem: Problem, units: Domain, rounds: int | None) -> NoPlan | TooLarge:
    if rounds is not None:
        rule = "no plan under this prior is as quick"
        return NoPlan("max_rounds", rounds, rule, "allow more rounds, or lower the level")
    rule = "so fine a search has too many cells where a prior makes them uneven"
    return TooLarge("epsilon", plain(problem.epsilon * units.width), rule, "raise epsilon")
