"""Define the flags for a problem and its units, for every command that takes a problem.

A field of `ParameterFlags` is an argument of `Problem`, a field of `UnitFlags` one of `Domain`.
Every command then takes it, and a resumed search is compared with it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from click import UsageError

from feint.cli import show
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import flagged
from feint.errors import InvalidValue, OutsideRange
from feint.problem import Domain, Noise, Preface, Problem, Responses


@dataclass(frozen=True, kw_only=True)
class ParameterFlags:
    """The arguments of a `Problem` as typed; None if left out."""

    epsilon: str | None = None
    within: str | None = None
    delta: str | None = None
    level: str | None = None
    setting: str | None = None
    dim: str | None = None
    winning: str | None = None
    prior: list[str] | None = None
    prior_file: list[str] | None = None
    p: str | None = None
    confidence: str | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the arguments of the problem that were given, as typed; a file as a path."""
        found = _given(self, PARAMETERS)
        found.pop("prior_file", None)
        if self.prior_file and self.prior:
            rule = "a prior is stated once"
            raise InvalidValue("--prior-file", self.prior_file[0], rule, "leave one of the two out")
        stated: list[str | Path] = [Path(each) for each in self.prior_file or ()]
        for each in self.prior or ():
            stated.append(Path(each) if "(" not in each and _is_file(each) else each)
        if stated:  # several priors are one per coordinate
            found["prior"] = stated[0] if len(stated) == 1 else stated
        return found


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # no file name is that long
        return False


@dataclass(frozen=True, kw_only=True)
class UnitFlags:
    """The arguments of a `Domain` as typed; None if left out."""

    low: str | None = None
    high: str | None = None
    step: str | None = None
    tick: str | None = None

    def units(self) -> dict[str, Any]:
        """Return the arguments of the domain that were given, as typed."""
        return _given(self, UNITS)

    def domain(self) -> Domain:
        """Return the user's units, without labels."""
        return Domain(**{"low": "0", "high": "1"} | self.units())


@dataclass(frozen=True, kw_only=True)
class ProblemFlags(ParameterFlags, UnitFlags):
    """The flags of every command that takes a problem."""

    label: list[str] | None = None

    def given(self) -> dict[str, Any]:
        """Return the flags of problem and units that were given, as typed, without labels."""
        return _given(self, NAMES)

    def request(self, *, margin: str | None = None) -> Request:
        """Return the problem and its units.

        Args:
            margin: The margin of the plan, as typed; None: none.
        """
        needed = ["delta", "level"] if self.step is not None else ["epsilon", "delta", "level"]
        if self.low is not None or self.high is not None:
            needed += ["low", "high"]
        if self.within is not None:
            needed = [name for name in needed if name != "epsilon"]
        missing = [spelled(name) for name in needed if getattr(self, name) is None]
        if missing:
            raise UsageError(f"missing {', '.join(missing)}: --help says what they mean")
        domain = self.domain()
        with flagged(prior="--prior" if self.prior_file is None else "--prior-file"):
            wide = "1" if margin is None else margin
            with told_outside():
                problem = domain.problem(**self.parameters(), margin=wide)
        units = domain if self.units() else None
        return Request(problem, domain, self._domains(domain, problem.dim), units)

    def _domains(self, domain: Domain, dim: int) -> tuple[Domain, ...]:
        if not self.label:
            return (domain,) * dim
        from feint.search import named

        with flagged(labels="--label"):
            return named(domain, dim, self.label)


@dataclass(frozen=True, kw_only=True)
class AskFlags:
    """The wording of questions: flags of commands whose questions people read."""

    unit: list[str] | None = None
    question: list[str] | None = None
    asker: str | None = None
    introduction: str | None = None

    def worded(self, domains: tuple[Domain, ...]) -> tuple[Domain, ...]:
        """Return the units of each coordinate with the wording of its questions."""
        from feint.search import worded

        with flagged(unit="--unit", units="--unit", question="--question", questions="--question"):
            return worded(domains, units=self.unit, questions=self.question)

    @property
    def preface(self) -> Preface:
        """The asker's name, and the introduction before the questions."""
        with flagged(asker="--asker", introduction="--introduction"):
            return Preface(asker=self.asker, introduction=self.introduction)

    def given(self) -> dict[str, str]:
        """Return the given flags in the form that is compared with a search."""
        stated = {"unit": self.unit, "question": self.question}
        found = {name: ", ".join(words) for name, words in stated.items() if words}
        both = {"asker": self.asker, "introduction": self.introduction}
        return found | {name: words for name, words in both.items() if words}


@dataclass(frozen=True)
class Request:
    """A problem as the command line states it.

    Attributes:
        problem: The problem on the unit interval.
        domain: The user's units, without labels. A search is planned for them.
        domains: The units of each coordinate, with labels.
        units: The same as `domain`; None if no unit was given. Commands that only plan then plan
            for the unit interval and do not round questions.
    """

    problem: Problem
    domain: Domain
    domains: tuple[Domain, ...]
    units: Domain | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return problem and domain for JSON; the label is shown if there is one coordinate."""
        shown = self.domains[0] if len(self.domains) == 1 else self.domain
        return {"problem": self.problem.to_dict(), "domain": shown.to_dict()}


@contextmanager
def told_outside() -> Iterator[None]:
    """Warn on stderr if much of a prior lies outside the range: its units may be wrong."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutsideRange)
        yield
    messages = (str(each.message) for each in caught if each.category is OutsideRange)
    for message in dict.fromkeys(messages):
        show.complain(f"warning: {message.replace('that low, high', 'that --low, --high')}")
    for each in caught:
        if each.category is not OutsideRange:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _given(flags: ParameterFlags | UnitFlags, names: Iterable[str]) -> dict[str, Any]:
    """Return the flags that were given; a list of one value as that value."""
    values = ((name, getattr(flags, name)) for name in names)
    return {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in values
        if value is not None and value != []
    }


def values_of(problem: Problem, domain: Domain) -> dict[str, Fraction | int | str | Noise | None]:
    """Return the value of each flag for a problem, with widths in the user's units."""
    # delta already includes winning, and priors are compared separately.
    read = (name for name in PARAMETERS if name not in ("winning", "within", *PRIORS))
    found = {name: getattr(problem, name) for name in read} | {"winning": "names"}
    found |= {name: getattr(domain, name) for name in UNITS}
    if isinstance(problem.p, Responses):
        found["p"] = problem.p.times(domain.width)
    found |= {name: found[name] * domain.width for name in ("epsilon", "delta")}
    return found | {"within": problem.epsilon * domain.width / 2}


PRIORS = ("prior", "prior_file")
PARAMETERS = tuple(each.name for each in fields(ParameterFlags))
UNITS = tuple(each.name for each in fields(UnitFlags))
NAMES = (*PARAMETERS, *UNITS)
"""The flags whose values are stored in a problem and its units."""
