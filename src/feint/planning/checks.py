"""Refuse problems that are too large to run, for every method, and suggest one that fits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import plain, rounded
from feint.planning.limits import LARGEST, LONGEST
from feint.planning.option import Option
from feint.problem import Domain, Problem

# an epsilon of 2 to minus this always fits, without noise and with noise
_FINEST = {False: 60, True: 50}
# the smallest allowed probability of a miss for one number, since stages round it up
_RAREST = Fraction(1, 10**11)


def check_confidence(problem: Problem) -> None:
    """Raise an error if the confidence is too near to 1 for the precision of certificates.

    Raises:
        InvalidValue: The confidence is too near to 1. The error names the nearest one that works.
    """
    sure, most = problem.confidence, 1 - problem.dim * _RAREST
    if sure is not None and sure > most:
        rule = "to plan, must be below 1 by 10^-11 or more for each number: no certificate is finer"
        remedy = f"the nearest that works is confidence = {rounded(most, _RAREST / 10)}"
        shown = rounded(sure, min(1 - sure, sure - most) / 4)
        raise InvalidValue("confidence", shown, rule, remedy)


def check_options(chosen: Sequence[Option], units: Domain) -> None:
    """Raise an error if the lattices or the plan are too large to run.

    Args:
        chosen: The way to search each coordinate.
        units: The user's units, for the error message.

    Raises:
        TooLarge: They are too large. The error names an epsilon or a change that always fits.
    """
    for each in chosen:
        check_cells(max(each.strategy.cells), each.strategy.problem, units)
    asked = sum(each.queries for each in chosen)
    if asked > LONGEST:
        remedy = "raise epsilon, lower the level, or allow more rounds"
        raise TooLarge("queries", asked, _LONG, remedy)


def check_cells(cells: int, problem: Problem, units: Domain) -> None:
    """Raise an error if a lattice has more than 2^62 cells.

    Raises:
        TooLarge: The lattice has more cells.
    """
    if cells > LARGEST:
        finest, places = _FINEST[problem.noisy], f"{float(cells):.2g}"
        width = units.width / (1 << finest)
        fits = f"2^-{finest}" if units.width == 1 else rounded(width, width / 4)
        if units.step is not None:
            rule = f"the range has about {places} values, and at most 2^62 can be told apart"
            raise TooLarge("step", plain(units.step), rule, f"a step of {fits} or more always fits")
        rule = f"takes a lattice of about {places} cells, and it may have at most 2^62"
        shown = f"{float(problem.epsilon * units.width):.3g}"
        raise TooLarge("epsilon", shown, rule, f"epsilon = {fits} always fits")


def too_many_rounds(method: str, took: int, most: int) -> NoPlan:
    """Build the error for a method that needs more rounds than allowed."""
    rule = f"method {method} takes {took} rounds"
    return NoPlan("max_rounds", most, rule, 'allow that many, or use method "tight"')


def too_long(queries: int) -> TooLarge:
    """Build the error for a noisy plan that needs at least this many questions."""
    return TooLarge(
        "queries", f"{queries} or more", _LONG, "raise epsilon or p, or lower the level"
    )


_LONG = "a plan may ask at most 2^24 questions"
