"""Locate the frozen data, and answer and audit as it was made."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.support import ladder, uneven

from feint import Plan, Query, Search
from feint.audit import audit
from feint.journal import Lasting

OWN = ladder.Ladder, uneven.Forked
"""Strategies of one's own that stored searches follow: importing them registers their tags."""

FOLDER = Path(__file__).parents[1] / "frozen"
AUDITS = FOLDER / "audits.json"
LENGTHS, MEANS = FOLDER / "lengths_random.json", FOLDER / "lengths_whole.json"
NUMBER = Fraction(2, 5)
"""Where X* lies in every stored search, as a share of the range."""

BRANCHES = 1 << 13
"""How many ways the runs of a stored plan may go."""

WRONG = 7
"""Under noise, every answer whose number is 5 modulo this is wrong."""


def reply(search: Search, query: Query, share: Fraction, number: int) -> bool:
    """Answer a query when X* lies a given share into the range.

    Args:
        search: Whose query it is.
        query: The query.
        share: Where X* lies in coordinate 0; every other coordinate mirrors it.
        number: How many answers came before, which decides which are wrong under noise.

    Returns:
        The answer.
    """
    domain = search.domains[query.coordinate]
    place = share if query.coordinate == 0 else 1 - share
    above = domain.low + domain.width * place >= query.value
    wrong = search.plan.problem.noisy and number % WRONG == 5
    return (above == (query.yes_means == "at least")) != wrong


def played(search: Search | Lasting, share: Fraction, most: int | None = None) -> list[str]:
    """Ask and answer question by question.

    Args:
        search: The search, in memory, in a file or in a journal.
        share: Where X* lies.
        most: How many questions to answer; None: all that are left.

    Returns:
        The questions that were answered, in order.
    """
    asked = list[str]()
    while not search.done and (most is None or len(asked) < most):
        for query in search.ask()[: None if most is None else most - len(asked)]:
            state = search.search if isinstance(search, Lasting) else search
            answer = reply(state, query, share, state.answered)
            search.tell(query.id, answer)
            asked.append(f"{query.id} {query.shown}")
    return asked


def audited(found: Plan) -> dict[str, Any]:
    """Audit a plan exactly and return the figures."""
    report = audit(found, limit=BRANCHES)
    stated = found.adversary_success
    return {
        "method": found.method,
        "certificate": found.certificate,
        "queries": found.queries,
        "rounds": found.rounds,
        "cells": list(found.cells),
        "stated": None if stated is None else str(stated),
        "places": found.places,
        "success": str(report.adversary_success),
        "covering": report.covering_number,
        "accuracy": str(report.accuracy),
        "transcripts": report.transcripts,
        "branches": report.branches,
        "private": report.private,
    }
