"""Store a search of clients in a journal, with its question and the number of clients."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

from feint.errors import BadState
from feint.exact import Number
from feint.interfaces import Journal
from feint.journal import Folder, Lasting, going_on
from feint.planning import Plan
from feint.problem import Domain

_NORM = "norm of round {}"


@contextmanager
def kept(
    journal: Journal,
    name: str,
    plan: Plan,
    *,
    asked: Mapping[str, Fraction | int],
    seed: Number | None = None,
    domains: Sequence[Domain] | None = None,
) -> Iterator[Lasting]:
    """Open the search of a name, or start it. If it has its own file, that is closed afterwards.

    Args:
        journal: The journal.
        name: The name; in the journal, `asked` is appended to it.
        plan: As in `Search`.
        asked: The values that answers depend on besides the plan, by name, with "share" first.
            Zeros are left out.
        seed: As in `Search`.
        domains: As in `Search`.

    Yields:
        The search.

    Raises:
        BadState: The search of this name had another question or another number of clients.
    """
    words = ", ".join(f"{key} {value}" for key, value in asked.items() if value)
    whole = f"{name} ({words.replace('/', ' of ')})"
    there = [each for each in journal.names() if each == name or each.startswith(f"{name} (share ")]
    if there not in ([], [whole]):
        why = "it asked another question, other clients, or another number of clients"
        rule = f'is kept as "{there[0]}": {why}'
        raise BadState(
            "name", name, rule, "give another name, or ask the same number of clients the same"
        )
    try:
        yield going_on(journal, whole, plan, seed=seed, domains=domains)
    finally:
        if isinstance(journal, Folder):
            journal.close(whole)


def norm_name(server_round: int) -> str:
    """Return the name of the search for the clipping norm of a round."""
    return _NORM.format(server_round)


def norm_rounds(journal: Journal) -> set[int]:
    """Return the rounds with a search for the norm, complete or not."""
    found = (re.match(_NORM.format(r"(\d+)\b"), name) for name in journal.names())
    return {int(each[1]) for each in found if each}
