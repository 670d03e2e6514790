"""Decide whether a second search for the same number reveals anything new."""

from __future__ import annotations

import warnings

from feint.errors import InvalidValue, RepeatedSearch
from feint.planning import Plan


def check_again(plan: Plan, *, fresh_key: bool) -> None:
    """Refuse a second search that reveals more even with the same key; warn about a fresh key.

    Args:
        plan: The plan of both searches.
        fresh_key: True if the second search has another key.

    Raises:
        InvalidValue: Under noise, the same key does not repeat the same questions.
    """
    if plan.repeatable:
        return
    if fresh_key:
        said = (
            "an eavesdropper who hears a second search for the same number with a fresh key learns"
            " more than from one, and the promise about one does not cover both;"
            " audit(plan, repeat=2, fresh_keys=True) says how much"
        )
        warnings.warn(RepeatedSearch(said), stacklevel=3)
    elif plan.problem.noisy:
        rule = "under noise no key asks the same again, so a second search reveals more than one"
        remedy = "audit(plan, repeat=2, fresh_keys=True) says how much; then give fresh_key=True"
        raise InvalidValue("fresh_key", False, rule, remedy)
