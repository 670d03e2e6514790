"""Check that an argument is a problem or a domain, with errors that suggest what to pass."""

from __future__ import annotations

from feint.errors import WrongType
from feint.problem.domain import Domain
from feint.problem.problem import Problem


def problem_of(given: object) -> Problem:
    """Return the argument if it is a problem.

    Args:
        given: The argument `problem` of a public function.

    Returns:
        The argument.

    Raises:
        WrongType: The argument is not a problem; the message says what to pass.
    """
    if isinstance(given, Problem):
        return given
    remedy = "pass Problem(epsilon, delta, level)"
    if isinstance(getattr(given, "problem", None), Problem):
        remedy = "pass its attribute problem"
    elif isinstance(given, Domain):
        remedy = "pass domain.problem(epsilon=…, delta=…, level=…)"
    raise WrongType.of("problem", given, "must be a Problem", remedy)


def domain_of(given: object) -> Domain | None:
    """Return the argument if it is a domain or None.

    Args:
        given: The argument `domain` of a public function.

    Returns:
        The argument.

    Raises:
        WrongType: The argument is neither; the message says what to pass.
    """
    if given is None or isinstance(given, Domain):
        return given
    remedy = "pass Domain(low, high), or leave it out"
    if isinstance(given, tuple | list) and len(given) == 2:
        remedy = f"pass Domain({given[0]!r}, {given[1]!r})"
    elif isinstance(getattr(given, "domain", None), Domain):
        remedy = "pass its attribute domain"
    raise WrongType.of("domain", given, "must be a Domain", remedy)
