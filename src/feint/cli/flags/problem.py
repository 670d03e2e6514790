"""The flags that say which problem, in which units: written here once for every command.

A field added to `ParameterFlags` is a new argument of the problem, one added to `UnitFlags` a new
argument of the domain: every command then takes it, a resumed search is compared with it, and
errors name it as a flag.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from click import UsageError

from feint.cli import show
from feint.cli.flags.flag import flag, flagged, spelled
from feint.errors import InvalidValue, OutsideRange
from feint.problem import SETTINGS, Domain, Problem


def _settings() -> list[str]:
    return list(SETTINGS)


@dataclass(frozen=True, kw_only=True)
class ParameterFlags:
    """The arguments of a `Problem`, each as it was typed; None: it was left out."""

    epsilon: Annotated[
        str | None,
        flag(
            "Full width of your accuracy: you end within epsilon/2 of the number.",
            "WIDTH",
            "The problem",
        ),
    ] = None
    delta: Annotated[
        str | None,
        flag(
            "Full width of theirs: an eavesdropper wins within delta/2 of the number; with --step,"
            " by naming delta/step neighbouring values that hold it (see --winning).",
            "WIDTH",
            "The problem",
        ),
    ] = None
    level: Annotated[
        str | None,
        flag("L: the eavesdropper wins with probability at most 1/L.", "COUNT", "The problem"),
    ] = None
    setting: Annotated[
        str | None,
        flag(
            "bayesian or deterministic (worst case only). Default: bayesian.",
            "NAME",
            "The problem",
            autocompletion=_settings,
        ),
    ] = None
    dim: Annotated[
        str | None, flag("Number of coordinates. Default: 1.", "COUNT", "The problem")
    ] = None
    winning: Annotated[
        str | None,
        flag(
            "With --step, when she wins: names (delta/step neighbouring values that hold the"
            " number) or within (delta/2 of it: one value more). Default: names.",
            "WORD",
            "The problem",
        ),
    ] = None
    prior: Annotated[
        list[str] | None,
        flag(
            "What is believed of the number, in your units: 'normal(60, 15)', 'points(30, 60, 120)'"
            " (hardly below, probably, hardly above), beta, lognormal, triangular and more;"
            " with --dim, once for all or once for each coordinate."
            " Default: it is equally likely anywhere.",
            "NAME",
            "The problem",
        ),
    ] = None
    prior_file: Annotated[
        list[str] | None,
        flag(
            "The same from a file: CSV with values and weights, or samples; TOML or JSON.",
            "FILE",
            "The problem",
        ),
    ] = None
    p: Annotated[
        str | None,
        flag(
            "Probability that an answer is right, the same for all. Default: always right.",
            "PROBABILITY",
            "Noise",
        ),
    ] = None
    confidence: Annotated[
        str | None,
        flag(
            "With --p: probability 1-1/M of being accurate. Default: accurate on average.",
            "PROBABILITY",
            "Noise",
        ),
    ] = None

    def parameters(self) -> dict[str, Any]:
        """The arguments of the problem that were given, as typed, by name; a file as its path.

        Several priors, one a coordinate, are a list.

        Raises:
            InvalidValue: Both a prior and a file of one are given.
        """
        found = _given(self, PARAMETERS)
        found.pop("prior_file", None)
        if self.prior_file and self.prior:
            rule = "a prior is stated once"
            raise InvalidValue("--prior-file", self.prior_file[0], rule, "leave one of the two out")
        stated: list[str | Path] = [Path(each) for each in self.prior_file or ()]
        for each in self.prior or ():
            stated.append(Path(each) if "(" not in each and _is_file(each) else each)
        if stated:
            found["prior"] = stated[0] if len(stated) == 1 else stated
        return found


def _is_file(name: str) -> bool:
    """Return True if a file of this name exists; False for a name that no file can have."""
    try:
        return Path(name).is_file()
    except OSError:  # it is too long
        return False


@dataclass(frozen=True, kw_only=True)
class UnitFlags:
    """The arguments of a `Domain`, each as it was typed; None: it was left out."""

    low: Annotated[
        str | None, flag("Least possible value, in your units. Default: 0.", "NUMBER", "Units")
    ] = None
    high: Annotated[
        str | None, flag("Greatest possible value, in your units. Default: 1.", "NUMBER", "Units")
    ] = None
    step: Annotated[
        str | None,
        flag("Values are low, low+step, ..., high; found exactly.", "WIDTH", "Units"),
    ] = None
    tick: Annotated[
        str | None,
        flag(
            "Ask at multiples of this only, such as 0.01. Default: as coarse as costs no question.",
            "WIDTH",
            "Units",
        ),
    ] = None

    def units(self) -> dict[str, Any]:
        """The arguments of the domain that were given, as typed, by name."""
        return _given(self, UNITS)

    def domain(self) -> Domain:
        """The user's units, without labels.

        Raises:
            InvalidValue: A unit is wrong.
        """
        return Domain(**{"low": "0", "high": "1"} | self.units())


@dataclass(frozen=True, kw_only=True)
class ProblemFlags(ParameterFlags, UnitFlags):
    """The flags of every command that takes a problem."""

    label: Annotated[
        list[str] | None,
        flag("What the number is called; once for each coordinate.", "NAME", "Units"),
    ] = None

    def given(self) -> dict[str, Any]:
        """The flags of problem and units that were given, as typed, by name; labels apart."""
        return _given(self, NAMES)

    def request(self, *, margin: str | None = None) -> Request:
        """The problem and its units.

        Args:
            margin: The margin that a plan will be asked for, as typed; None: none.

        Raises:
            UsageError: Flags are missing.
            FeintError: A flag is wrong, or they do not fit together.
        """
        needed = ["delta", "level"] if self.step is not None else ["epsilon", "delta", "level"]
        if self.low is not None or self.high is not None:
            needed += ["low", "high"]
        missing = [spelled(name) for name in needed if getattr(self, name) is None]
        if missing:
            raise UsageError(f"missing {', '.join(missing)}: --help says what they mean")
        domain = self.domain()
        with flagged(prior="--prior" if self.prior_file is None else "--prior-file"):
            wide = "1" if margin is None else margin
            with told_outside():
                problem = domain.problem(**self.parameters(), margin=wide)
        units = domain if self.units() else None
        return Request(problem, domain, self._named(domain, problem.dim), units)

    def _named(self, domain: Domain, dim: int) -> tuple[Domain, ...]:
        if not self.label:
            return (domain,) * dim
        from feint.search import named

        with flagged(labels="--label"):
            return named(domain, dim, self.label)


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line.

    Attributes:
        problem: The problem on the unit interval.
        domain: The user's units, without labels: what a search is planned for.
        domains: The same with the labels, one a coordinate.
        units: The same as `domain`, and what is planned for where nothing is asked; None where no
            unit was given: then a plan is about the unit interval, with questions where they fall.
    """

    problem: Problem
    domain: Domain
    domains: tuple[Domain, ...]
    units: Domain | None = None

    def to_dict(self) -> dict[str, Any]:
        """Problem and domain for JSON; a label is shown where there is one coordinate."""
        shown = self.domains[0] if len(self.domains) == 1 else self.domain
        return {"problem": self.problem.to_dict(), "domain": shown.to_dict()}


@contextmanager
def told_outside() -> Iterator[None]:
    """Say on stderr that much of a prior lies outside the range: its units may be wrong."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutsideRange)
        yield
    said = (str(each.message) for each in caught if each.category is OutsideRange)
    for words in dict.fromkeys(said):
        show.complain(f"warning: {words.replace('that low, high', 'that --low, --high')}")
    for each in caught:
        if each.category is not OutsideRange:  # which is no business of ours
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _given(flags: ParameterFlags | UnitFlags, names: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(flags, name) for name in names}
    single = (
        (name, value[0] if isinstance(value, list) and len(value) == 1 else value)
        for name, value in values.items()
    )
    return {name: value for name, value in single if value is not None and value != []}


def values_of(problem: Problem, domain: Domain) -> dict[str, Fraction | int | str | None]:
    """What a problem in these units has in the place of each flag, by name; widths in the units."""
    # Winning is in delta by now; a prior is compared as what it was read into.
    held = (name for name in PARAMETERS if name not in ("winning", *PRIORS))
    found = {name: getattr(problem, name) for name in held} | {"winning": "names"}
    found |= {name: getattr(domain, name) for name in UNITS}
    return found | {name: found[name] * domain.width for name in ("epsilon", "delta")}


PRIORS = ("prior", "prior_file")
"""The flags that state a prior, in either way."""
PARAMETERS = tuple(each.name for each in fields(ParameterFlags))
UNITS = tuple(each.name for each in fields(UnitFlags))
NAMES = (*PARAMETERS, *UNITS)
"""The flags that a problem and its units have a value for."""
