"""The eavesdroppers that every sampled audit tries, by name."""

from __future__ import annotations

from collections.abc import Sequence

from feint.adversaries.last import LastQuery
from feint.adversaries.learned import LearntQuery
from feint.adversaries.proportional import Proportional
from feint.adversaries.uniform import UniformGuess
from feint.errors import InvalidValue
from feint.interfaces import Adversary
from feint.problem import Problem

NAMES = ("uniform", "last", "proportional", "truncated", "learnt")


def named(name: str, problem: Problem, cells: Sequence[int]) -> Adversary:
    """The eavesdropper of this name.

    Args:
        name: One of `NAMES`.
        problem: What the learner solves: it decides how many queries are left out.
        cells: The lattice that the transcript will have.

    Returns:
        The adversary.

    Raises:
        InvalidValue: There is no such name.
    """
    check(name)
    known: dict[str, Adversary] = {
        "uniform": UniformGuess(),
        "last": LastQuery(),
        "proportional": Proportional(),
        "truncated": Proportional.truncated(problem),
        "learnt": LearntQuery(tuple(float(problem.delta * size) / 2 for size in cells)),
    }
    return known[name]


def check(*names: str) -> None:
    """Refuse a name that is not one of `NAMES`, and one that stands there twice."""
    for name in names:
        if name not in NAMES:
            rule = f"must be one of {', '.join(NAMES)}"
            raise InvalidValue("adversary", name, rule, "pick one of them")
    if len(set(names)) < len(names):
        rule = "each listens once"
        raise InvalidValue("adversary", ", ".join(names), rule, "name each of them once")


def standard(problem: Problem, cells: Sequence[int]) -> tuple[Adversary, ...]:
    """All of them."""
    return tuple(named(name, problem, cells) for name in NAMES)
