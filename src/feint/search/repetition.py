"""Another search for the same number: when it tells nothing new, and what is said when it does."""

from __future__ import annotations

import warnings

from feint.errors import InvalidValue, RepeatedSearch
from feint.planning import Plan


def check_again(plan: Plan, *, fresh_key: bool) -> None:
    """Refuse a second search that the same key does not make harmless; warn of a fresh key.

    Args:
        plan: What both searches follow.
        fresh_key: Whether the second is to have another key.

    Raises:
        InvalidValue: Under noise the same key does not ask the same again.
    """
    if plan.repeatable:
        return
    if fresh_key:
        said = (
            "a second search for the same number with a fresh key tells whoever hears both more"
            " than one does, and what was promised of one does not cover both;"
            " audit(plan, repeat=2, fresh_keys=True) says how much"
        )
        warnings.warn(RepeatedSearch(said), stacklevel=3)
    elif plan.problem.noisy:
        rule = "under noise no key asks the same again, so a second search tells more than one does"
        remedy = "audit(plan, repeat=2, fresh_keys=True) says how much; then give fresh_key=True"
        raise InvalidValue("fresh_key", False, rule, remedy)
