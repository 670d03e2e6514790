"""Refuse what is too large to run, for every method alike, and say what fits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.exact import plain, rounded
from feint.planning.limits import LARGEST, LONGEST
from feint.planning.option import Option
from feint.problem import Domain, Problem

_FINEST = {False: 60, True: 50}  # noisy or not: an epsilon of 2 to the minus this always fits
_RAREST = Fraction(1, 10**11)  # a miss of one number must be as likely: it is rounded up at stages


def check_confidence(problem: Problem) -> None:
    """Refuse a confidence so near to 1 that rounding up alone would spend what may be missed.

    Raises:
        InvalidValue: It is; the nearest that works is named.
    """
    sure, most = problem.confidence, 1 - problem.dim * _RAREST
    if sure is not None and sure > most:
        rule = "to plan, must be below 1 by 10^-11 or more for each number: no certificate is finer"
        remedy = f"the nearest that works is confidence = {rounded(most, _RAREST / 10)}"
        shown = rounded(sure, min(1 - sure, sure - most) / 4)
        raise InvalidValue("confidence", shown, rule, remedy)


def check_options(chosen: Sequence[Option], units: Domain) -> None:
    """Refuse lattices or a plan that are too large to run.

    Args:
        chosen: The way to search each coordinate.
        units: The user's, in which the refusal speaks.

    Raises:
        TooLarge: They are; what always fits is named.
    """
    for each in chosen:
        check_cells(max(each.strategy.cells), each.strategy.problem, units)
    asked = sum(each.queries for each in chosen)
    if asked > LONGEST:
        remedy = "raise epsilon, lower the level, or allow more rounds"
        raise TooLarge("queries", asked, _LONG, remedy)


def check_cells(cells: int, problem: Problem, units: Domain) -> None:
    """Refuse a lattice that has more than 2^62 cells.

    Raises:
        TooLarge: There are.
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
    """Build the error for a method that needs more rounds than there may be."""
    rule = f"method {method} takes {took} rounds"
    return NoPlan("max_rounds", most, rule, 'allow that many, or use method "tight"')


def too_long(queries: int) -> TooLarge:
    """The refusal of a noisy plan that needs at least this many questions."""
    return TooLarge(
        "queries", f"{queries} or more", _LONG, "raise epsilon or p, or lower the level"
    )


_LONG = "a plan may ask at most 2^24 questions"
