"""Read the grid of `feint sweep` from the command line or from a TOML file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click import UsageError

from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import UNITS, ParameterFlags, UnitFlags
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import listed
from feint.errors import InvalidValue
from feint.exact import rational, whole
from feint.problem import Domain


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The grid of a sweep.

    Attributes:
        axes: The values of each argument of the problem, by name.
        domain: The user's units; None: the unit interval.
        options: Further arguments of `feint.research.sweep.sweep`, by name.
    """

    axes: dict[str, list[Any]]
    domain: Domain | None
    options: dict[str, Any]

    def check_complete(self, file: Path | None) -> None:
        """Check that epsilon, delta and level are given; values and a step stand for epsilon."""
        given = set(self.axes)
        if "values" in given or (self.domain is not None and self.domain.step is not None):
            given.add("epsilon")
        missing = [name for name in ("epsilon", "delta", "level") if name not in given]
        if missing and file is None:
            flags = " and no ".join(map(spelled, missing))
            rule = "a sweep needs --epsilon (or --step), --delta and --level, or --file"
            raise UsageError(f"{rule}; there is no {flags}")
        if missing:
            rule = "the grid needs epsilon (or values), delta and level"
            raise UsageError(f"{rule}; {file} has no {' and no '.join(missing)} under [grid]")


def from_flags(
    problem: ParameterFlags,
    units: UnitFlags,
    planning: PlanFlags,
    *,
    method: list[str] | None,
    adversary: list[str] | None,
    runs: int | None,
    seed: int | None,
) -> Grid:
    """Return the grid of the command line."""
    for name, words in units.units().items():
        if "," in words:
            rule = "all problems of a sweep have one range, so this has one value"
            raise InvalidValue(spelled(name), words, rule, "sweep one range at a time")
    for name, words in problem.parameters().items():
        if isinstance(words, str) and _DECIMAL_COMMA.fullmatch(words):
            rule = f"a comma separates values: this is {words.replace(',', ' and ')}"
            raise InvalidValue(spelled(name), words, rule, f"write {words.replace(',', '.')}")
    axes = _halves({name: _axis(words) for name, words in problem.parameters().items()})
    if (units.low is None) != (units.high is None):
        raise UsageError(f"missing {'--low' if units.low is None else '--high'}: a range has both")
    options = planning.arguments()
    if "seed" in options:  # the seed of the calibration; the sweep has its own seed
        options["calibration_seed"] = options.pop("seed")
    eavesdroppers = listed(adversary)
    return Grid(
        axes=axes,
        domain=units.domain() if units.units() or "winning" in axes else None,
        options=options
        | {
            "methods": ("tight",) if method is None else listed(method) or (),
            "adversaries": eavesdroppers if runs or eavesdroppers else (),
            "runs": runs or 0,
            "seed": seed or 0,
        },
    )


# A value of 0 fits no flag, so 0,5 must mean one half.
_DECIMAL_COMMA = re.compile(r"\s*0,[0-9]+\s*")


def _halves(axes: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the axes with epsilon in place of within, which is half of it."""
    halves = axes.get("within")
    if halves is None:
        return axes
    if "epsilon" in axes:
        rule = "is half of epsilon, and epsilon is given too"
        raise InvalidValue("within", ", ".join(map(str, halves)), rule, "leave one of the two out")
    whole_widths = [2 * rational(each, "within") for each in halves]
    # Keep the place, since the rows of the table follow the order of the axes.
    return {
        "epsilon" if name == "within" else name: whole_widths if name == "within" else values
        for name, values in axes.items()
    }


def _axis(words: str | Path | list[Any]) -> list[Any]:
    """Split values at commas. Values in brackets, or one per coordinate, are one value."""
    if not isinstance(words, str):
        return [words]
    return [each.strip() for each in re.split(r",(?![^()]*\))", words) if each.strip()]


@contextmanager
def keys_of(file: Path | None) -> Iterator[None]:
    """Name the keys of a file, not flags, in errors about its values."""
    try:
        yield
    except InvalidValue as error:
        if file is None or error.argument.startswith("--"):
            raise
        raise UsageError(f"{file}: {error}") from None


def from_file(path: Path) -> Grid:
    """Return the grid in a TOML file."""
    document = _document(path)
    keys = ("grid", "units", *_READERS)
    for key in document:
        if key not in keys:
            rule = f"a sweep has {', '.join(keys)}"
            raise InvalidValue("key", key, rule, "leave out what it does not know")
    axes, units = (_table(document, name) for name in ("grid", "units"))
    for name in units:
        if name not in UNITS:
            rule = f"units have {', '.join(UNITS)}"
            raise InvalidValue("units", name, rule, "pick among them")
    options = {
        name: read(name, document[name]) for name, read in _READERS.items() if name in document
    }
    if options.get("runs"):
        options.setdefault("adversaries", None)  # None: all adversaries
    return Grid(
        axes=_halves({name: _list(values) for name, values in axes.items()}),
        domain=UnitFlags(**units).domain() if units else None,
        options={"methods": ("tight",)} | options,
    )


def _document(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        # Read numbers as text: 0.1 is then one tenth, unlike the float.
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


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    found = document.get(name, {})
    if not isinstance(found, dict):
        raise InvalidValue(name, found, "must be a table of values by name", f"write [{name}]")
    return found


def _as_written(name: str, value: Any) -> Any:
    return value


def _count(name: str, value: Any) -> int:
    return whole(value, name, least=0)


def _switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(name, value, "must be true or false", f"write {name} = true")
    return value


def _words(name: str, value: Any) -> tuple[str, ...]:
    words = _list(value)
    if not all(isinstance(each, str) for each in words):
        raise InvalidValue(name, value, "must be words", f'write {name} = ["tight"] or the like')
    return tuple(words)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "methods": _words,
    "max_rounds": _as_written,
    "repeatable": _switch,
    "margin": _as_written,
    "certificate": _as_written,
    "calibration_seed": _as_written,
    "adversaries": _words,
    "runs": _count,
    "seed": _count,
}
"""How each key of a file beside [grid] and [units] is read; the sweep checks the rest."""
