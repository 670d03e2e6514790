"""The eavesdroppers that every sampled audit tries, by name."""

from __future__ import annotations

from collections.abc import Sequence

from feint.adversaries.blind import BlindGuess
from feint.adversaries.last import LastQuery
from feint.adversaries.learned import LearnedQuery
from feint.adversaries.proportional import Proportional
from feint.adversaries.uniform import UniformGuess
from feint.errors import InvalidValue
from feint.interfaces import Adversary
from feint.problem import Problem

NAMES = ("uniform", "last", "proportional", "truncated", "learned", "blind")
_FORMER = {"learnt": "learned"}  # names that are still accepted


def named(name: str, problem: Problem, cells: Sequence[int]) -> Adversary:
    """The eavesdropper of this name.

    Args:
        name: One of `NAMES`, or "learnt", which "learned" was called before.
        problem: What the learner solves: it says δ, and how many queries "truncated" leaves out.
        cells: The lattice that the transcript will have.

    Returns:
        The adversary; one with something to fit is not fitted yet.

    Raises:
        InvalidValue: There is no such name.
    """
    check_names(name)
    lengths = () if problem.values is None else tuple(problem.delta * size for size in cells)
    adversaries: dict[str, Adversary] = {
        "uniform": UniformGuess(),
        "last": LastQuery(),
        "proportional": Proportional(),
        "truncated": Proportional.truncated(problem),
        "learned": LearnedQuery(tuple(float(problem.delta * size) / 2 for size in cells)),
        "blind": BlindGuess(lengths),
    }
    return adversaries[_FORMER.get(name, name)]


def check_names(*names: str) -> None:
    """Refuse names that are not all different and all among `NAMES`.

    Raises:
        InvalidValue: A name that is not there, or is given twice.
    """
    for name in names:
        if _FORMER.get(name, name) not in NAMES:
            rule = f"must be one of {', '.join(NAMES)}"
            raise InvalidValue("adversary", name, rule, "pick one of them")
    if len({_FORMER.get(name, name) for name in names}) < len(names):
        rule = "each listens once"
        raise InvalidValue("adversary", ", ".join(names), rule, "name each of them once")


def standard(problem: Problem, cells: Sequence[int]) -> tuple[Adversary, ...]:
    """All eavesdroppers that have a name.

    Args:
        problem: As in `named`.
        cells: As in `named`.

    Returns:
        Those of `NAMES`, in that order.
    """
    return tuple(named(name, problem, cells) for name in NAMES)
