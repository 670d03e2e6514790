"""What `feint sweep` sweeps over: the grid of the command line, or of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click import UsageError

from feint.cli.flags.flag import spelled
from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import UNITS, ParameterFlags, UnitFlags
from feint.cli.flags.runs import names
from feint.errors import InvalidValue
from feint.exact import whole
from feint.problem import Domain

_KEYS = (
    *("grid", "units", "methods", "max_rounds", "repeatable", "margin", "certificate"),
    *("calibration_seed", "adversaries", "runs", "seed"),
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What to sweep over, from flags or from a file.

    Attributes:
        axes: The values of each argument of the problem, by name.
        domain: The user's units; None: the unit interval.
        options: What else `feint.research.sweep.sweep` is told, by name.
    """

    axes: dict[str, list[Any]]
    domain: Domain | None
    options: dict[str, Any]

    def complete(self, file: Path | None) -> None:
        """See that epsilon, delta and level are there; values, which only a file has, say epsilon.

        Raises:
            UsageError: One of them is missing.
        """
        given = set(self.axes) | ({"epsilon"} if "values" in self.axes else set())
        given |= {"epsilon"} if self.domain is not None and self.domain.step is not None else set()
        missing = [name for name in ("epsilon", "delta", "level") if name not in given]
        if not missing:
            return
        if file is None:
            flags = " and no ".join(map(spelled, missing))
            rule = "a sweep needs --epsilon (or --step), --delta and --level, or --file"
            raise UsageError(f"{rule}; there is no {flags}")
        raise UsageError(
            "the grid needs epsilon (or values), delta and level;"
            f" {file} has no {' and no '.join(missing)} under [grid]"
        )


def from_flags(
    problem: ParameterFlags,
    units: UnitFlags,
    method: list[str] | None,
    planning: PlanFlags,
    runs: str | None,
    listening: tuple[str, ...] | None,
    seed: str | None,
) -> Asked:
    """The grid of the command line.

    Raises:
        UsageError: One end of the range is missing.
        InvalidValue: A flag is wrong.
    """
    axes = {name: _axis(words) for name, words in problem.parameters().items()}
    told, count = planning.told(), 0 if runs is None else whole(runs, "--runs", least=0)
    if (units.low is None) != (units.high is None):
        raise UsageError(f"missing {'--low' if units.low is None else '--high'}: a range has both")
    domain = units.domain() if units.units() or "winning" in axes else None
    return Asked(
        axes=axes,
        domain=domain,
        options={
            "methods": ("tight",) if method is None else names(",".join(method)),
            "max_rounds": told["max_rounds"],
            "repeatable": told.get("repeatable", False),
            "margin": told.get("margin", 1),
            "certificate": told.get("certificate", "theorem"),
            "calibration_seed": told.get("seed"),
            "adversaries": listening if count or listening else (),
            "runs": count,
            "seed": whole(seed or "0", "--seed", least=0),
        },
    )


def _axis(words: str | Path | list[Any]) -> list[Any]:
    """Values with commas between; those within brackets, or one a coordinate, are one value."""
    if not isinstance(words, str):
        return [words]
    return [each.strip() for each in re.split(r",(?![^()]*\))", words) if each.strip()]


@contextmanager
def keys_of(file: Path | None) -> Iterator[None]:
    """Errors about what stands in a file name its keys, not flags; without a file they stay.

    Raises:
        UsageError: With the file's name and the error's words.
    """
    try:
        yield
    except InvalidValue as error:
        if file is None or error.argument.startswith("--"):
            raise
        raise UsageError(f"{file}: {error}") from None


def from_file(path: Path) -> Asked:
    """The grid in a TOML file.

    Raises:
        InvalidValue: The file cannot be read, or something in it is wrong.
    """
    document = _document(path)
    for key in document:
        if key not in _KEYS:
            rule = f"a sweep has {', '.join(_KEYS)}"
            raise InvalidValue("key", key, rule, "leave out what it does not know")
    grid, units = (_mapping(document, name) for name in ("grid", "units"))
    runs = whole(document.get("runs", 0), "runs", least=0)
    listening = document.get("adversaries", None if runs else [])
    return Asked(
        axes={name: _listed(values) for name, values in grid.items()},
        domain=UnitFlags(**_known(units)).domain() if units else None,
        options={
            "methods": _words("methods", document.get("methods", "tight")),
            "max_rounds": document.get("max_rounds"),
            "repeatable": _switch(document, "repeatable"),
            "margin": document.get("margin", 1),
            "certificate": document.get("certificate", "theorem"),
            "calibration_seed": document.get("calibration_seed"),
            "adversaries": None if listening is None else _words("adversaries", listening),
            "runs": runs,
            "seed": whole(document.get("seed", 0), "seed", least=0),
        },
    )


def _document(path: Path) -> dict[str, Any]:
    """What a TOML file says.

    Raises:
        InvalidValue: It cannot be read.
    """
    import tomllib

    try:
        # As it was written 0.1 is one tenth; as a float it is not.
        return tomllib.loads(path.read_text("utf-8"), parse_float=str)
    except OSError as error:
        rule, remedy = f"cannot be read ({(error.strerror or '').lower()})", "name a TOML file"
    except UnicodeDecodeError:
        rule, remedy = "cannot be read (it is not text)", "name a TOML file"
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        rule, remedy = f"is no TOML ({error})", "mend the file"
    except ValueError:  # Python reads no whole number of thousands of digits
        rule, remedy = "has a number that is too long", "mend the file"
    raise InvalidValue("--file", path, rule, remedy)


def _mapping(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A table of the file, empty where there is none.

    Raises:
        InvalidValue: It is no table.
    """
    found = document.get(name, {})
    if not isinstance(found, dict):
        raise InvalidValue(name, found, "must be a table of values by name", f"write [{name}]")
    return found


def _known(units: dict[str, Any]) -> dict[str, Any]:
    """The units of the file.

    Raises:
        InvalidValue: One that there is not.
    """
    for name in units:
        if name not in UNITS:
            rule = f"units have {', '.join(UNITS)}"
            raise InvalidValue("units", name, rule, "pick among them")
    return units


def _switch(document: dict[str, Any], name: str) -> bool:
    """A key of the file that is true or false.

    Raises:
        InvalidValue: It is neither.
    """
    found = document.get(name, False)
    if not isinstance(found, bool):
        raise InvalidValue(name, found, "must be true or false", f"write {name} = true")
    return found


def _words(name: str, values: Any) -> tuple[str, ...]:
    """One word of a file, or several.

    Raises:
        InvalidValue: Not all of them are words.
    """
    listed = _listed(values)
    if not all(isinstance(each, str) for each in listed):
        raise InvalidValue(name, values, "must be words", f'write {name} = ["tight"] or the like')
    return tuple(listed)


def _listed(values: Any) -> list[Any]:
    """The values of a key of a file: one alone is a list of one."""
    return values if isinstance(values, list) else [values]
