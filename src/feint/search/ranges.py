"""Search for several numbers at once, each with its own range, as one problem."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.exact import Number, plain
from feint.problem import Domain

Each = Number | Sequence[Number] | NDArray[Any]
"""A number, or one for each of several."""


def ranges(
    *,
    low: Each,
    high: Each,
    step: Each | None,
    tick: Each | None,
    labels: Sequence[str] | None,
) -> tuple[Domain, ...] | None:
    """Return a domain for each number, if an end, a step or a tick is given as a list.

    Args:
        low: The least value of each number, or of all.
        high: The greatest value of each number, or of all.
        step: As in `Domain`.
        tick: As in `Domain`.
        labels: The name of each number.

    Returns:
        The domains; None if no argument is a list.

    Raises:
        InvalidValue: The lists differ in length, or a range is wrong.
    """
    given: dict[str, Any] = {"low": low, "high": high, "step": step, "tick": tick}
    lists = {name: list(value) for name, value in given.items() if _is_list(value)}
    if not lists:
        return None
    first = next(iter(lists))
    dim = len(lists[first])
    if labels is not None and len(labels):
        lists["labels"] = [labels] if isinstance(labels, str) else list(labels)
    for name, value in lists.items():
        if len(value) != dim:
            rule = f"{first} has {dim}, one per number"
            raise InvalidValue(name, f"{len(value)} of them", rule, "give one for each")
    each = {name: lists.get(name, [value] * dim) for name, value in given.items()}
    names = lists.get("labels", [None] * dim)
    return tuple(
        Domain(
            each["low"][number],
            each["high"][number],
            step=each["step"][number],
            tick=each["tick"][number],
            label=names[number],
        )
        for number in range(dim)
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def narrowest(domains: Sequence[Domain]) -> Domain:
    """Return the domain in whose units several numbers are planned.

    Raises:
        InvalidValue: There are no domains, or one has a tick and they are not all equal.
    """
    if not domains:
        raise InvalidValue("domains", "none", "there must be one per number", "give at least one")
    alike = {(each.low, each.high, each.step, each.tick) for each in domains}
    ticks = [each.tick for each in domains if each.tick is not None]
    if ticks and len(alike) > 1:
        rule = "numbers with different ranges share one plan, which cannot have a tick for each"
        raise InvalidValue("tick", plain(ticks[0]), rule, "leave it out")
    found = min(domains, key=lambda each: each.width)
    return Domain(found.low, found.high, step=found.step, tick=found.tick, unit=found.unit)


def strictest(
    domains: Sequence[Domain],
    domain: Domain,
    epsilon: Number | None,
    delta: Number,
    within: Number | None = None,
) -> tuple[Fraction, Fraction]:
    """Return widths, in a domain's units, with which epsilon and delta hold in all domains.

    A plan has one epsilon and one delta as shares of the range: the smallest share of epsilon in
    any range, and the largest share of delta.
    """
    both = [each.widths(epsilon=epsilon, within=within, delta=delta) for each in domains]
    shares = [
        (accuracy / each.width, secret / each.width)
        for (accuracy, secret), each in zip(both, domains, strict=True)
    ]
    accuracy, secret = min(one for one, _ in shares), max(one for _, one in shares)
    return accuracy * domain.width, secret * domain.width
