"""Look up adversaries by name. Every sampled audit tries all of them."""

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
"""An eavesdropper: an `Adversary`, a plain function of a transcript, or one of `NAMES`."""

NAMES = ("uniform", "last", "proportional", "truncated", "learned", "blind")
"""The names of the built-in eavesdroppers."""

_FORMER = {"learnt": "learned"}  # deprecated names


def named(name: str, problem: Problem, cells: Sequence[int]) -> Adversary:
    """Return the adversary with this name.

    Args:
        name: One of `NAMES`, or "learnt", the former name of "learned".
        problem: The learner's problem, which fixes δ and the queries that "truncated" skips.
        cells: The lattice of the transcript.

    Returns:
        The adversary, not fitted yet.

    Raises:
        InvalidValue: No adversary has this name.
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
    """Refuse names that are repeated or not among `NAMES`.

    Raises:
        InvalidValue: A name is unknown or given twice.
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
    """Return the given adversaries as `Adversary` objects.

    Args:
        given: Names, `Adversary` objects, or functions of a transcript and a random generator;
            None: all named ones.
        problem: As in `named`.
        cells: As in `named`.

    Returns:
        The adversaries in the given order, with different names.

    Raises:
        WrongType: An element is none of these.
        InvalidValue: A name is unknown, or two adversaries have the same name.
    """
    return tuple(_adversary(each, problem, cells) for each in check_listeners(given))


def check_listeners(given: object) -> tuple[Listener, ...]:
    """Check the argument of `listeners` before the runs start.

    Args:
        given: As in `listeners`.

    Returns:
        The argument itself, or `NAMES` for None.

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
    """Return the name of an adversary or function."""
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
    """Refuse a function that cannot be called with a transcript and a random generator."""
    try:
        signature(function).bind(None, None)
    except TypeError:
        rule = "must take two arguments, a transcript and a source of randomness"
        remedy = "write def guess(transcript, random)"
        raise WrongType.of("adversaries", function, rule, remedy) from None
    except ValueError:  # a callable without a readable signature
        return


def _adversary(who: Listener, problem: Problem, cells: Sequence[int]) -> Adversary:
    """Return the adversary for a checked name, adversary or function."""
    if isinstance(who, str):
        return named(who, problem, cells)
    if hasattr(who, "guess"):
        return cast(Adversary, who)
    return Function(_name(who), who)


def standard(problem: Problem, cells: Sequence[int]) -> tuple[Adversary, ...]:
    """Return all named adversaries.

    Args:
        problem: As in `named`.
        cells: As in `named`.

    Returns:
        The adversaries of `NAMES`, in that order.
    """
    return tuple(named(name, problem, cells) for name in NAMES)
