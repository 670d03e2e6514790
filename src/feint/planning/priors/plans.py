"""Plans under a prior, for one coordinate or several: the methods and their promises."""

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
"""Shares of her success by which to aim lower, in turn: curves are estimates and may be too low."""


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
        problem: The problem, with a prior.
        units: The user's units.
        method: One of `METHODS`.
        rounds: The most rounds; None for any number.
        margin: The factor by which the true density may exceed the stated one.
        spare: True if some parts may be left alone. If False, there is no coin.
        progress: Receives the progress of the search for a plan.

    Returns:
        The plan. Her success is enumerated for the questions as they are shown, so the certificate
        is "exact". If there are too many branches, her success is a bound and the certificate is
        "theorem" (proofs/quantile.md). There is no certificate if the promise is not kept.

    Raises:
        UnknownMethod: There is no such method under a prior.
        NoPlan: No plan has few enough questions or rounds.
        TooLarge: There are too many cells to place one by one.
    """
    if method not in METHODS:
        rule = f"under a prior there are {', '.join(METHODS)}: the others are for a uniform number"
        raise UnknownMethod("method", method, rule, "pick one of them")
    grounds = [_ground(problem, units, each) for each in range(problem.dim)]
    if any(each.line(each.finest).accuracy < 1 for each in grounds):
        raise _refusal(problem, units, None)
    if method == "tight":
        wanted = problem.level * margin
        most = 1 / wanted - problem.distance  # the binning error counts for her
        chosen = _cheapest(grounds, rounds, (wanted, problem.parts, most), spare, progress)
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


def _cheapest(
    grounds: list[Ground],
    rounds: int | None,
    wanted: tuple[Fraction, int, Fraction],
    spare: bool,
    progress: Progress | None,
) -> Chosen | None:
    """Return one option per coordinate, with the fewest questions in all.

    For several numbers only the programme is tried (`prior_plan` adds the grid), because it gives
    her success for every number of questions at once. Stretched shapes and plans for uniform
    numbers would need another search for every level. All numbers are asked about in the same
    rounds, so each may take all of them.

    Args:
        grounds: The coordinates.
        rounds: The most rounds.
        wanted: L times the margin, the parts of one coordinate, and the limit on her success under
            the binned prior.
        spare: True if some parts may be left alone.
        progress: Receives the progress of the search.
    """
    level, parts, most = wanted
    if len(grounds) == 1:
        one = Single(grounds[0], level, most, spare=spare, progress=progress)
        found = one.cheapest(rounds)
        return None if found is None else (found,)
    each_level = min(level, Fraction(2 * parts))
    known = {  # equal coordinates share their programmes, in which most of the time goes
        each: Single(each, each_level, most, spare=spare, progress=progress) for each in grounds
    }
    singles = [known[each] for each in grounds]
    curves = [each.curve(rounds) for each in singles]
    for room in _ROOMS:
        picks = cheapest_mix(curves, (1 - room) * most)
        if picks is None:
            return None
        laid = [one.at(pick, rounds) for one, pick in zip(singles, picks, strict=True)]
        chosen = tuple(each for each in laid if each is not None)
        success = multiplied(each.share for each in chosen)
        if len(chosen) == len(laid) and success <= most:
            return chosen
    return None


def _plain(grounds: list[Ground], method: str) -> Chosen | None:
    """Return bisection or the grid for every coordinate."""
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
    """Return the grid, which tells her nothing, if it asks fewer questions than another way."""
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
    # One factor that is only bounded makes the product a bound: as without a prior.
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
