"""One small plan per strategy family: `make_saved` writes searches that follow them.

The tests read only the files. So a family that is retired leaves this list, and its files stay.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from tests.support.ladder import Ladder

from feint import Domain, Plan, Problem, plan
from feint.problem import Prior, YesMeans
from feint.strategies import (
    Block,
    Blocks,
    Loose,
    LooseShape,
    NoisyShape,
    Padded,
    Planted,
    PlantedShape,
    Play,
    Product,
    Staged,
    StagedNoisy,
    StagedShape,
    Tabular,
    Tailed,
    TailedShape,
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


_PLAYS = (
    Play(asked=((1, 2, 3),), places=(1, 3), mass=6),
    Play(asked=((1, 2, 3),), places=(0, 1), mass=1),
    Play(asked=((1, 2, 3),), places=(1, 2), mass=1),
    Play(asked=((1, 2, 3),), places=(0, 2), mass=7),
)
_LOOSE = LooseShape(width=4, plays=_PLAYS)
_TAILED = TailedShape(width=4, levels=((2, 2),), kept=2)
_STAGED = StagedShape(parts=4, kept=3, hide=(2, 2))
_FIFTEEN, _SIXTEEN = _values(15, 4, 2), Problem("1/16", "1/4", 3)
_PLANTED = PlantedShape(left=True, right=False, bisected=1, parts=3, steps=(2, 2))
_TABLE = Tabular.from_histories(
    _values(3, 1, 2),
    3,
    2,
    {
        (): [(1, 1), (2, 3)],
        ((1, False),): [(2, 1)],
        ((1, True),): [(2, 1)],
        ((2, False),): [(1, 1)],
        ((2, True),): [(1, 1)],
    },
)
_BLOCKS = (
    Block(start=0, size=15, path=(15,), shape=_LOOSE),
    Block(start=15, size=18, path=(15, 33), shape=_TAILED),
    Block(start=33, size=8, path=(15, 33), shape=StagedShape(parts=2, kept=2, hide=(2, 2))),
)
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
    "tailed-own": _own(Tailed(_values(18, 4, 2), 18, _TAILED)),
    "loose": _own(Loose(_FIFTEEN, 15, _LOOSE)),
    "blocks": _planned(_values(26, 1, 2)),
    "blocks-tailed": _planned(_values(22, 3, 2)),
    "blocks-acts": _planned(_values(25, 4, 2)),
    "blocks-of-all": _own(Blocks(_values(41, 4, 2), 41, _BLOCKS)),
    "planted": _planned(_values(15, 4, 2, setting="deterministic")),
    "planted-own": _own(Planted(_SIXTEEN, 48, _PLANTED)),
    "planted-printed": _planned(Problem("1/24", "1/6", 3, setting="deterministic"), "printed"),
    "opportunistic": _planned(Problem("1/24", "1/6", 3, setting="deterministic"), "opportunistic"),
    "tabular": _planned(_values(7, 3, 2), "optimal"),
    "tabular-worst": _planned(_values(11, 2, 3, setting="deterministic")),
    "tabular-own": _own(_TABLE),
    "padded": _own(Padded(Staged(_SIXTEEN, 16, _STAGED))),
    "padded-ladder": _own(Padded(Ladder(_values(8, 2, 2), 8))),
    "padded-tabular": _own(Padded(_TABLE)),
    "product": _planned(Problem("1/9", "1/3", 2, dim=2)),
    "product-worst": _planned(_values(11, 2, 4, dim=2, setting="deterministic")),
    "product-mixed": _own(
        Product(
            Problem("1/16", "1/4", 3, dim=2),
            (Padded(Loose(_FIFTEEN, 15, _LOOSE)), Planted(_SIXTEEN, 48, _PLANTED)),
        )
    ),
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
FAMILIES["staged-below"] = FAMILIES["staged"]._replace(yes_means="below")
FAMILIES["product-units"] = Family(
    lambda: plan(Problem("1/9", "1/3", 2, dim=2)),
    domains=(Domain(0, 90, label="price"), Domain(-10, 30, label="cost")),
)
