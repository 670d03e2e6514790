"""Compare a plan with the best possible: the lower bound on its maximum number of questions."""

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
    """Return a lower bound on the maximum number of questions of plans with the same guarantee.

    Args:
        problem: The problem of the plan.
        domain: The user's units. Plans keep to its tick if it has one.
        cells: The plan's own lattice, one line per coordinate. Under a prior the bound covers only
            plans on this lattice.
        success: The eavesdropper's success that the plan allows, if it may be above 1/L.
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
    """Return a sentence that compares a plan's maximum number of questions with the bound.

    Args:
        problem: The problem of the plan.
        domain: The user's units.
        queries: The maximum number of questions of the plan.
        least: The lower bound for all plans. None: nothing is proved.

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
