"""Several numbers at once: a range for each, and one problem that is right for all of them."""

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
    """A domain for each number, where an end, a step or a tick is given for each.

    Args:
        low: The least each number can be, or all of them.
        high: The most.
        step: As in `Domain`.
        tick: As in `Domain`.
        labels: What each is called.

    Returns:
        The domains; None where nothing is a list.

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
            rule = f"{first} has {dim}, one a number"
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
    """The domain in whose units a plan for several is made.

    Raises:
        InvalidValue: There is none, or one has a tick and not all are alike.
    """
    if not domains:
        raise InvalidValue("domains", "none", "there must be one a number", "give at least one")
    alike = {(each.low, each.high, each.step, each.tick) for each in domains}
    ticks = [each.tick for each in domains if each.tick is not None]
    if ticks and len(alike) > 1:
        rule = "numbers of different ranges share one plan, which has no ticks for all of them"
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
    """The widths, in a domain's units, with which epsilon and delta hold in every one of several.

    A plan has one epsilon and one delta, shares of the range: the smallest share that epsilon is
    of any range, and the largest that delta is.
    """
    both = [each.widths(epsilon=epsilon, within=within, delta=delta) for each in domains]
    shares = [
        (accuracy / each.width, secret / each.width)
        for (accuracy, secret), each in zip(both, domains, strict=True)
    ]
    accuracy, secret = min(one for one, _ in shares), max(one for _, one in shares)
    return accuracy * domain.width, secret * domain.width
