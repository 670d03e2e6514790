"""One small plan per strategy family: `make_saved` writes searches that follow them.

The tests read only the files. So a family that is retired leaves this list, and its files stay.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from tests.support.ladder import Ladder
from tests.support.members import small_member
from tests.support.uneven import Forked

from feint import Domain, Plan, Problem, plan
from feint.problem import Prior, YesMeans
from feint.strategies import (
    Act,
    History,
    NoisyShape,
    Product,
    Staged,
    StagedNoisy,
    StagedShape,
    blocks,
    from_histories,
    planted,
    staged,
    tailed,
)

SHOP = Domain(10, 110, label="price")
CENTS = Domain(10, 110, label="price", tick="0.01")
WIDE: dict[str, Any] = {"epsilon": 5, "delta": 25, "level": 2, "p": "0.95", "confidence": "0.9"}


class Family(NamedTuple):
    """How to make the plan, and how its search is begun.

    Attributes:
        plan: Makes the plan.
        yes_means: As in `Search`.
        domains: As in `Search`.
    """

    plan: Callable[[], Plan]
    yes_means: YesMeans = "at least"
    domains: tuple[Domain, ...] | None = None


def _values(values: int, window: int, level: int, **more: Any) -> Problem:
    """A problem on whole values."""
    return Problem(Fraction(1, values), Fraction(window, values), level, values=values, **more)


def _planned(problem: Problem, method: str = "tight", **more: Any) -> Family:
    return Family(lambda: plan(problem, method=method, **more))


def _priced(domain: Domain, method: str = "tight", **wanted: Any) -> Family:
    return Family(lambda: plan(domain.problem(**wanted), domain=domain, method=method))


def _own(strategy: Any, **more: Any) -> Family:
    return Family(lambda: Plan.of(strategy, **more))


_STAGED = StagedShape(parts=4, kept=3, hide=(2, 2))
_SIXTEEN = Problem("1/16", "1/4", 3)
_NOISY = NoisyShape(blocks=2, narrow=3, parts=4, repeats=2, kept=2, hide=4)

FAMILIES: dict[str, Family] = {
    "staged": _priced(SHOP, epsilon="25/16", delta="25/2", level=3),
    "staged-own": _own(Staged(_SIXTEEN, 16, _STAGED), domain=Domain(0, 8)),
    "staged-worst": _planned(Problem("1/4", "1/2", 2, setting="deterministic")),
    "staged-few-rounds": _planned(Problem("1/64", "1/12", 3), max_rounds=3),
    "bisection": _planned(Problem("1/32", "1/4", 2), "bisection"),
    "grid": _planned(Problem("1/12", "1/4", 2), "grid"),
    "paper": _planned(Problem("1/32", "1/8", 3), "paper"),
    "replicated": _planned(Problem("1/30", "1/5", 3), "replicated"),
    "tailed": _priced(CENTS, epsilon="0.3", delta=7, level=3),
    "blocks": _planned(_values(26, 1, 2)),
    "blocks-tailed": _planned(_values(22, 3, 2)),
    "blocks-acts": _planned(_values(25, 4, 2)),
    "planted": _planned(_values(15, 4, 2, setting="deterministic")),
    "planted-printed": _planned(Problem("1/24", "1/6", 3, setting="deterministic"), "printed"),
    "opportunistic": _planned(Problem("1/24", "1/6", 3, setting="deterministic"), "opportunistic"),
    "tabular": _planned(_values(7, 3, 2), "optimal"),
    "tabular-worst": _planned(_values(11, 2, 3, setting="deterministic")),
    "product": _planned(Problem("1/9", "1/3", 2, dim=2)),
    "product-worst": _planned(_values(11, 2, 4, dim=2, setting="deterministic")),
    "prior": _priced(Domain(0, 15, step=1), delta=2, level=2, prior=[4, 5, 6, 7] * 4),
    "prior-blocks": _planned(
        _values(13, 1, 2, prior=Prior([5, 4, 7, 8, 6, 5, 4, 4, 8, 7, 6, 5, 4]))
    ),
    "prior-interval": _priced(SHOP, epsilon=5, delta=10, level=2, prior=[1, 2, 3, 2, 1]),
    "prior-product": _priced(Domain(0, 90), epsilon=10, delta=20, level=2, dim=2, prior=[1, 2, 1]),
    "noisy": _priced(SHOP, **WIDE),
    "noisy-own": _own(
        StagedNoisy(Problem("1/16", "1/4", 2, p="0.9", confidence="0.9"), 48, _NOISY)
    ),
    "noisy-bz": _priced(SHOP, "bz", **WIDE),
    "noisy-average": _planned(Problem("1/16", "1/4", 2, p="0.97")),
    "noisy-values": _planned(_values(12, 4, 2, p="0.95", confidence="0.9")),
    "noisy-prior": _priced(SHOP, **WIDE, prior=[2, 3, 3, 2]),
    "noisy-product": _planned(Problem("1/8", "1/2", 2, p="0.98", confidence="0.8", dim=2)),
}
FAMILIES["uneven"] = _own(Forked(), domain=Domain(0, 15, step=1))
FAMILIES["uneven-ladder"] = _own(Ladder(_values(8, 2, 2), 8))
FAMILIES["uneven-product"] = _own(
    Product(
        Problem("1/16", "1/4", 3, dim=2),
        (Forked(), Staged(_SIXTEEN, 16, _STAGED)),
    )
)
_RIDDEN = blocks(
    _SIXTEEN, ((1,), (Act(4), tailed(_SIXTEEN, 18, width=4, levels=((2, 2),), kept=2)))
)
_GUESSES = planted(_SIXTEEN, 45, left=True, bisected=1, parts=3, steps=(2, 2))
_HISTORIES: dict[History, list[tuple[int, int]]] = {
    (): [(1, 1), (2, 3)],
    ((1, True),): [(2, 1)],
    ((2, False),): [(1, 1)],
}
FAMILIES |= {
    "table": _own(staged(_SIXTEEN, 17, narrow=(2,), parts=4, kept=3, hide=(2, 2))),
    "table-tailed": _own(_RIDDEN),
    "table-planted": _own(_GUESSES),
    "table-printed": _own(planted(_SIXTEEN, 24, bisected=2, steps=(2, 3), printed=True)),
    "table-blocks": _own(blocks(_SIXTEEN, ((19,), (_RIDDEN, _GUESSES)))),
    "table-histories": _own(from_histories(_values(3, 1, 2), 3, _HISTORIES)),
    "table-product": _own(Product(Problem("1/16", "1/4", 3, dim=2), (_GUESSES, _RIDDEN))),
}
_SURE = small_member("0.8", "0.8")
FAMILIES |= {
    "sure": _own(_SURE, domain=Domain(10, 58, label="price")),
    "sure-at-once": _own(replace(_SURE, shape=replace(_SURE.shape, at_once=2))),
    "sure-average": _own(small_member("0.8")),
    "sure-at-least": _own(small_member("0.8+", "0.8")),
    "sure-unknown": _own(small_member("0.6..0.95", "0.8")),
    "sure-product": _own(
        Product(Problem("1/48", "1/12", 4, p="0.8", confidence="0.6", dim=2), (_SURE, _SURE))
    ),
}
FAMILIES["staged-below"] = FAMILIES["staged"]._replace(yes_means="below")
FAMILIES["product-units"] = Family(
    lambda: plan(Problem("1/9", "1/3", 2, dim=2)),
    domains=(Domain(0, 90, label="price"), Domain(-10, 30, label="cost")),
)
