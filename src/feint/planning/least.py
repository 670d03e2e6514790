"""How close a plan is to the best possible: what no plan's largest number of questions is below."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from feint.bounds import lower_bound
from feint.planning.lattice import Lattice
from feint.problem import Domain, Line, Problem, count_words

_PROOF = "proofs/near.md"


def least_queries(
    problem: Problem, domain: Domain, cells: tuple[Line, ...], success: Fraction | None
) -> int | None:
    """Return how many questions any plan must be ready to ask that is as private.

    Args:
        problem: What is wanted.
        domain: The user's units, whose tick a plan must keep to.
        cells: The plan's own lattice, a line a coordinate: under a prior the bound is about it.
        success: What the plan lets an eavesdropper win with, if that may be above 1/L.
    """
    line = None
    if problem.dim == 1 and problem.values is None and not problem.noisy:
        law = problem.law()
        if domain.tick is not None:
            line = replace(Lattice.of_ticks(problem, domain, domain.tick).line, prior=law)
        elif not law.uniform:
            line = replace(cells[0], prior=law)
    return lower_bound(problem, line=line, success=success)


def least_words(problem: Problem, domain: Domain, queries: int, least: int | None) -> str:
    """Return in a sentence how a plan's largest number of questions compares with the bound.

    Args:
        problem: What is wanted.
        domain: The user's units.
        queries: The most questions that the plan asks.
        least: What no plan can go below; None: nothing is proved.

    Returns:
        The sentence; empty if nothing is proved.

    >>> problem = Problem("2^-20", "2^-8", 15)
    >>> least_words(problem, Domain(0, 1), 199, 199)
    'At most 199 questions, which is optimal: no plan can ask fewer (proofs/near.md).'
    >>> least_words(problem, Domain(0, 1), 201, 199)
    'At most 201 questions; no plan with a maximum below 199 exists.'
    """
    if least is None:
        return ""
    none = "no plan"
    if problem.dim > 1 and not problem.noisy:
        none = "among plans that search each number by itself, none"
    elif not problem.noisy and (domain.tick is not None or not problem.uniform):
        none = "among plans on this lattice, none"
    most = f"At most {count_words(queries, 'question')}"
    if queries <= least:
        return f"{most}, which is optimal: {none} can ask fewer ({_PROOF})."
    return f"{most}; {none} with a maximum below {least:,} exists."
