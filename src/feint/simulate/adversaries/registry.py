"""The eavesdroppers that every sampled audit tries, by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from typing import cast

from feint.errors import InvalidValue, WrongType
from feint.interfaces import Adversary
from feint.problem import Problem, problem_of
from feint.simulate.adversaries.blind import BlindGuess
from feint.simulate.adversaries.function import Function, Guess
from feint.simulate.adversaries.last import LastQuery
from feint.simulate.adversaries.learned import LearnedQuery
from feint.simulate.adversaries.proportional import Proportional
from feint.simulate.adversaries.uniform import UniformGuess

Listener = Adversary | Guess | str
"""Who may listen: an adversary, a plain function of a transcript, or the name of one of `NAMES`."""

NAMES = ("uniform", "last", "proportional", "truncated", "learned", "blind")
"""The eavesdroppers that have a name."""

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
    problem = problem_of(problem)
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
            raise InvalidValue("adversaries", name, rule, "pick among them")
    if len({_FORMER.get(name, name) for name in names}) < len(names):
        rule = "each listens once"
        raise InvalidValue("adversaries", ", ".join(names), rule, "name each of them once")


def listeners(
    given: Iterable[Listener] | None, problem: Problem, cells: Sequence[int]
) -> tuple[Adversary, ...]:
    """Whoever is to listen, as adversaries.

    Args:
        given: Each by its name, as itself, or as a plain function of a transcript and a source of
            randomness; None: all that have a name.
        problem: As in `named`.
        cells: As in `named`.

    Returns:
        The adversaries, in the order given; their names are all different.

    Raises:
        WrongType: Something else was given.
        InvalidValue: There is no such name, or two of them have the same.
    """
    return tuple(_adversary(each, problem, cells) for each in check_listeners(given))


def check_listeners(given: object) -> tuple[Listener, ...]:
    """Refuse what `listeners` would refuse, before there is anything to listen to.

    Args:
        given: As in `listeners`.

    Returns:
        The same, and `NAMES` for None.

    Raises:
        WrongType: As in `listeners`.
        InvalidValue: As in `listeners`.
    """
    if given is None:
        return NAMES
    if isinstance(given, str) or not isinstance(given, Iterable):
        shown = repr(given) if isinstance(given, str) else getattr(given, "__name__", "…")
        rule = "must be a list of names, adversaries and functions of a transcript"
        raise WrongType.of("adversaries", given, rule, f"pass [{shown}]")
    found: tuple[Listener, ...] = tuple(given)
    check_names(*(each for each in found if isinstance(each, str)))
    names = [_name(each) for each in found]
    if len(set(names)) < len(names):
        rule = "must have different names"
        remedy = "give one of them another: Function(name, function)"
        raise InvalidValue("adversaries", ", ".join(names), rule, remedy)
    return found


def _name(who: Listener) -> str:
    """What somebody who is to listen is called."""
    if isinstance(who, str):
        return _FORMER.get(who, who)
    name = getattr(who, "name", None)
    if isinstance(name, str) and hasattr(who, "guess"):
        return name
    if callable(who) and not isinstance(who, type):
        _check_function(who)
        return getattr(who, "__name__", type(who).__name__)
    rule = "each must be a name, an adversary or a function of a transcript"
    remedy = f"pass one of {', '.join(NAMES)}, or see feint.simulate.adversaries"
    raise WrongType.of("adversaries", who, rule, remedy)


def _check_function(function: Guess) -> None:
    """Refuse a function that cannot be called with a transcript and a source of randomness."""
    try:
        signature(function).bind(None, None)
    except TypeError:
        rule = "must take two arguments, a transcript and a source of randomness"
        remedy = "write def guess(transcript, random)"
        raise WrongType.of("adversaries", function, rule, remedy) from None
    except ValueError:  # one that does not say what it takes
        return


def _adversary(who: Listener, problem: Problem, cells: Sequence[int]) -> Adversary:
    """An adversary by its name, as itself, or as a plain function; it was checked."""
    if isinstance(who, str):
        return named(who, problem, cells)
    if hasattr(who, "guess"):
        return cast(Adversary, who)
    return Function(_name(who), who)


def standard(problem: Problem, cells: Sequence[int]) -> tuple[Adversary, ...]:
    """All eavesdroppers that have a name.

    Args:
        problem: As in `named`.
        cells: As in `named`.

    Returns:
        Those of `NAMES`, in that order.
    """
    return tuple(named(name, problem, cells) for name in NAMES)
