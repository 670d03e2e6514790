"""`feint run --resume`: flags that are given again must describe the search in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from feint.errors import InvalidValue
from feint.exact import plain, rational

if TYPE_CHECKING:
    from fractions import Fraction

    from feint.search import Search

_CALIBRATED = "calibrated"


def resumed(
    state: Path,
    given: Mapping[str, str | None],
    *,
    rounds: int | None,
    labels: Sequence[str] | None,
    first: Mapping[str, str | None],
) -> Search:
    """The search in a file, if it is the one that the flags describe.

    Args:
        state: The file.
        given: Every flag with its value; None: it was left out, and may be anything.
        rounds: The most rounds it may have; None: any number.
        labels: What the numbers are called; None or none: anything.
        first: Flags that only a new search has, each None: plan and coins are in the file.

    Returns:
        The search.

    Raises:
        InvalidValue: A flag says something else than the file, or is for a new search only.
        FeintError: The file cannot be resumed.
    """
    from feint.search import load

    for name, value in first.items():
        if value is not None:
            rule = "a search that is resumed has its plan and its coins already"
            raise InvalidValue(name, value, rule, "leave it out")
    search = load(state)
    for name, value in given.items():
        if value is not None:
            _check(name, value, _held(search, name), state)
    if rounds is not None and search.plan.rounds > rounds:
        raise _other("--max-rounds", rounds, search.plan.rounds, state)
    if labels:
        _check("--label", ", ".join(labels), _labels(search), state)
    return search


def _held(search: Search, name: str) -> Fraction | int | str | None:
    """What the search has in the place of a flag."""
    problem, domain = search.plan.problem, search.domains[0]
    held: dict[str, Callable[[], Fraction | int | str | None]] = {
        "--epsilon": lambda: problem.epsilon * domain.width,
        "--delta": lambda: problem.delta * domain.width,
        "--level": lambda: problem.level,
        "--setting": lambda: problem.setting,
        "--p": lambda: problem.p,
        "--confidence": lambda: problem.confidence,
        "--dim": lambda: problem.dim,
        "--low": lambda: domain.low,
        "--high": lambda: domain.high,
        "--step": lambda: domain.step,
        "--method": lambda: search.plan.method,
        "--certificate": lambda: (
            _CALIBRATED if search.plan.certificate == _CALIBRATED else "theorem"
        ),
        "--yes-means": lambda: search.yes_means,
    }
    return held[name]()


def _labels(search: Search) -> str:
    return ", ".join(each.label or "" for each in search.domains)


def _check(name: str, value: str, held: Fraction | int | str | None, state: Path) -> None:
    same = value == held if isinstance(held, str | None) else rational(value, name) == held
    if not same:
        raise _other(name, value, held, state)


def _other(
    name: str, value: object, held: Fraction | int | str | None, state: Path
) -> InvalidValue:
    shown = "none" if held is None else held if isinstance(held, str) else plain(held)
    rule = f"the search in {state} is for something else, {shown or 'none'}"
    return InvalidValue(name, value, rule, "leave it out, or name another file")
