"""Size members of the staged family under noise: the fewest queries that a certificate allows.

`claims` computes the claims of a member, and `search` searches the members. The misses e₁ and e₃ of
the two searches come from the BZ bound (certificate "theorem") or from simulation ("calibrated").
"""

from __future__ import annotations

import math
from fractions import Fraction

from feint.errors import NoPlan
from feint.exact import ceil_div, log2, plain
from feint.interfaces import Misses
from feint.planning.checks import too_long
from feint.planning.limits import LONGEST
from feint.planning.noisy.certificates import log_rho
from feint.planning.noisy.claims import Division, Member, claimed, p_of
from feint.planning.noisy.search import NoisySearch
from feint.problem import Domain, Problem
from feint.strategies import NoisyShape

_TRIED = 8  # divisions, the best by the cheap certificate, that the expensive one checks


def cheapest_noisy(
    problem: Problem,
    level: Fraction | int,
    misses: Misses,
    *,
    rounds: int | None = None,
    ticks: int | None = None,
) -> Member | None:
    """Return the member with the fewest queries under a certificate.

    Args:
        problem: The problem. Its level is ignored.
        level: The level L of this coordinate, any rational of at least 1.
        misses: The certificate.
        rounds: The most rounds; None for any number.
        ticks: The number of ticks of the range; None if cells may end anywhere.

    Returns:
        The member, or None if no member of the family is private enough and quick enough.

    Raises:
        TooLarge: All such members have more than 2^24 queries.
    """
    return NoisySearch(problem, level, misses, rounds=rounds, ticks=ticks).all()


def quickest_noisy(problem: Problem, level: Fraction | int, misses: Misses) -> Member | None:
    """Return the member with the fewest rounds under a certificate, then the fewest queries.

    Args:
        problem: The problem. Its level is ignored.
        level: The level L of this coordinate.
        misses: The certificate.

    Returns:
        The member, or None if no member of the family is private enough.

    Raises:
        TooLarge: All such members have more than 2^24 queries.
    """
    return NoisySearch(problem, level, misses, quickest=True).all()


def cheapest_noisy_near(
    problem: Problem,
    level: Fraction | int,
    known: Misses,
    misses: Misses,
    *,
    rounds: int | None = None,
    ticks: int | None = None,
) -> Member | None:
    """Return the cheapest member under an expensive certificate, near the choice of a cheap one.

    Args:
        problem: The problem. Its level is ignored.
        level: The level L of this coordinate.
        known: The cheap certificate.
        misses: The expensive certificate, which checks only a few numbers of cells.
        rounds: The most rounds; None for any number.
        ticks: As in `cheapest_noisy`.

    Returns:
        The member, or None if no member of the family is private enough and quick enough.
    """
    rough = cheapest_noisy(problem, level, known, rounds=rounds, ticks=ticks) or quickest_noisy(
        problem, level, known
    )
    if rough is None:
        return None
    search = NoisySearch(problem, level, misses, rounds=rounds, ticks=ticks)
    for member in _ranked(problem, level, known, rounds, ticks)[:_TRIED] or [rough]:
        search.divide(member.shape.blocks, member.shape.parts)
    return search.best


def _ranked(
    problem: Problem,
    level: Fraction | int,
    misses: Misses,
    rounds: int | None,
    ticks: int | None,
) -> list[Member]:
    """Return the best member of each number of blocks and parts, the fewest queries first."""
    found: list[Member] = []
    for blocks, parts in NoisySearch(
        problem, level, misses, rounds=rounds, ticks=ticks
    ).divisions():
        alone = NoisySearch(problem, level, misses, rounds=rounds, ticks=ticks)
        alone.divide(blocks, parts)
        if alone.best is not None:
            found.append(alone.best)
    return sorted(found, key=lambda member: member.queries)


def paper_noisy(problem: Problem, level: Fraction | int, units: Domain) -> Member:
    """Return the member with the paper's constants, L' = 7L.

    For errors on average, the actual width of a part replaces δ.

    Args:
        problem: The problem.
        level: The level L of this coordinate.
        units: The user's units, for errors.

    Returns:
        The member.

    Raises:
        NoPlan: 7Lδ > 1, so the paper's strategy is not defined.
        TooLarge: The member has more than 2^24 queries.
    """
    p, parts = p_of(problem), 7 * math.ceil(level)
    if parts * problem.delta > 1:
        most = plain(units.width / parts)
        rule = f"the paper's strategy needs 7·level·delta ≤ {units.span}, so delta ≤ {most}"
        raise NoPlan("delta", plain(problem.delta * units.width), rule, 'use method "tight"')
    blocks = int(1 / (parts * problem.delta))
    width = Fraction(1, blocks * parts)
    c3 = float(p - Fraction(1, 2)) ** 2 * math.log2(math.e)
    c4 = -log2(4 * p * (1 - p)) / 2
    delta, epsilon = problem.delta, problem.epsilon
    if problem.confidence is None:
        narrow = log2(Fraction(8, 7) / (epsilon * math.ceil(level) * delta)) / c3
        repeats = log2(64 * width / epsilon) / c4
        hide = 2 * (log2(4 * width / epsilon) + 0.5) / c3
    else:
        many = 1 / (1 - problem.confidence)
        narrow = log2(3 * many / delta) / c3
        repeats = log2(12 * many) / c4
        hide = log2(12 * many * delta / epsilon) / c3
    k1, m, k2 = (math.ceil(each) for each in (narrow, repeats, hide))
    shape = NoisyShape(blocks=blocks, narrow=k1, parts=parts, repeats=m, kept=parts, hide=k2)
    if shape.queries > LONGEST:
        raise too_long(shape.queries)
    rho, cells = math.exp(log_rho(p)), ceil_div(4 * width, epsilon)
    first, third = (blocks - 1) * rho**k1, (cells - 1) * rho**k2
    return claimed(Division(problem, blocks, parts, cells), shape, first, third)


def unhidden_noisy(problem: Problem, misses: Misses, ticks: int | None = None) -> Member:
    """Return the member with one search of the whole range: no privacy.

    Args:
        problem: The problem.
        misses: The certificate.
        ticks: As in `cheapest_noisy`.

    Returns:
        The member.

    Raises:
        NoPlan: The certificate accepts no number of answers.
        TooLarge: The search takes more than 2^24 answers.
    """
    found = cheapest_noisy(problem, 1, misses, ticks=ticks)
    if found is None:
        raise NoPlan("p", problem.p, "no number of answers is known to suffice", "raise epsilon")
    return found
