"""`feint sweep`: a grid of problems and methods as one table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from click import UsageError

from feint.cli import show
from feint.cli.flags.flag import Json, flag
from feint.cli.flags.problem import ParameterFlags
from feint.cli.flags.runs import adversaries, adversary, names
from feint.cli.flags.work import Memory, WorkFlags, megabytes
from feint.cli.progress import bar, stopped
from feint.errors import InvalidValue
from feint.exact import whole

if TYPE_CHECKING:
    from feint.sweep import Table

File = Annotated[
    Path | None, flag("A TOML file with the grid, instead of flags.", "FILE", "The problem")
]
Methods = Annotated[
    str | None,
    flag("Methods, with commas between. Default: tight.", "NAMES", "The plan", "--method"),
]
Runs = Annotated[
    str | None, flag("Runs to simulate each plan for. Default: none.", "COUNT", "Runs")
]
Adversaries = Annotated[list[str] | None, adversary("nobody")]
Seed = Annotated[str | None, flag("Where all randomness comes from. Default: 0.", "SEED", "Runs")]
Out = Annotated[
    Path | None, flag("Write the table here: .csv, .json or .parquet.", "FILE", "Output")
]

_KEYS = ("grid", "methods", "adversaries", "runs", "seed")


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What to sweep over, from flags or from a file.

    Attributes:
        axes: The values of each argument of the problem, by name.
        methods: The methods.
        adversaries: Who listens, by name.
        runs: Runs to simulate each plan for.
        seed: Where all randomness comes from.
    """

    axes: dict[str, list[Any]]
    methods: tuple[str, ...]
    adversaries: tuple[str, ...]
    runs: int
    seed: int


def sweep(
    *,
    problem: ParameterFlags,
    file: File = None,
    method: Methods = None,
    runs: Runs = None,
    adversary: Adversaries = None,
    seed: Seed = None,
    work: WorkFlags,
    memory: Memory = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Plan, and simulate with --runs, every problem of a grid by every method.

    Each flag of the problem may have several values, with commas between.
    """
    from feint import sweep as room

    axes = {name: _axis(words) for name, words in problem.parameters().items()}
    if file is not None:
        if axes or method or adversary or runs or seed:
            raise UsageError("--file says it all: leave out the other flags of the grid")
        asked = _read(file)
    else:
        asked = _Asked(
            axes=axes,
            methods=("tight",) if method is None else names(method),
            adversaries=adversaries(adversary) or (),
            runs=0 if runs is None else whole(runs, "--runs", least=0),
            seed=whole(seed or "0", "--seed", least=0),
        )
    _complete(asked.axes, file)
    write = None if out is None else room.writer(out)
    points, rows_done = room.grid(asked.axes), 0
    with work.executor() as executor, bar("rows") as progress:

        def tell(what: str, done: int, wanted: int) -> None:
            nonlocal rows_done
            rows_done = done
            progress(what, done, wanted)

        table = room.sweep(
            points,
            methods=asked.methods,
            runs=asked.runs,
            adversaries=asked.adversaries,
            seed=asked.seed,
            executor=executor,
            memory=megabytes(memory),
            progress=tell,
        )
    if write is not None:
        try:
            write(table)
        except OSError:
            _print(table)  # at least it is not lost
            raise
    if json:
        show.as_json(table.records())
    elif out is None:
        _print(table)
    else:
        show.lines(f"Wrote {show.count(len(table), 'row')} to {out}")
    _leave(table, rows_done, len(points) * len(asked.methods))


def _axis(words: str | Path) -> list[Any]:
    """Values with commas between; those within brackets belong to one value."""
    if isinstance(words, Path):
        return [words]
    return [each.strip() for each in re.split(r",(?![^()]*\))", words) if each.strip()]


def _complete(axes: dict[str, list[Any]], file: Path | None) -> None:
    """See that epsilon, delta and level are there; values, which only a file has, say epsilon.

    Raises:
        UsageError: One of them is missing.
    """
    given = set(axes) | ({"epsilon"} if "values" in axes else set())
    missing = [name for name in ("epsilon", "delta", "level") if name not in given]
    if not missing:
        return
    if file is None:
        raise UsageError("a sweep needs --epsilon, --delta and --level, or --file")
    raise UsageError(
        "the grid needs epsilon (or values), delta and level;"
        f" {file} has no {' and no '.join(missing)} under [grid]"
    )


def _leave(table: Table, done: int, wanted: int) -> None:
    """Leave with the exit code of a sweep that did not go well.

    Raises:
        Exit: With 130 after Ctrl-C, with 2 when every row was refused.
    """
    if done < wanted:
        stopped(done, wanted, "problems")
    if not table.missing("refused").any():
        typer.echo("feint: every row was refused: the column refused says why", err=True)
        raise typer.Exit(2)


def _read(path: Path) -> _Asked:
    """The grid in a TOML file.

    Raises:
        InvalidValue: The file cannot be read, or something in it is wrong.
    """
    import tomllib

    try:
        # As it was written 0.1 is one tenth; as a float it is not.
        document = tomllib.loads(path.read_text("utf-8"), parse_float=str)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidValue("--file", path, f"cannot be read: {error}", "mend the file") from None
    for key in document:
        if key not in _KEYS:
            rule = f"a sweep has {', '.join(_KEYS)}"
            raise InvalidValue("--file", key, rule, "leave out what it does not know")
    grid = document.get("grid", {})
    if not isinstance(grid, dict):
        raise InvalidValue("--file", "grid", "must be a table of values by name", "write [grid]")
    return _Asked(
        axes={name: _listed(values) for name, values in grid.items()},
        methods=_words("methods", document.get("methods", "tight")),
        adversaries=_words("adversaries", document.get("adversaries", [])),
        runs=whole(document.get("runs", 0), "runs", least=0),
        seed=whole(document.get("seed", 0), "seed", least=0),
    )


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


def _print(table: Table) -> None:
    """Print the rows that were planned, with the columns that differ, and why others were not."""
    from rich.table import Table as Grid
    from rich.text import Text

    from feint.sweep import COLUMNS

    good = table[table.missing("refused")]
    shown = [name for name in _SHOWN if name in _ALWAYS or _varies(good, name)]
    if good.missing("values").all():
        shown = [name for name in shown if name != "values"]
    grid = Grid(box=None, pad_edge=False)
    for name in shown:
        side: Literal["left", "right"] = "left" if COLUMNS[name] is str else "right"
        grid.add_column(name, justify=side, overflow="fold")  # no digit is left out
    for row in good:
        grid.add_row(*(Text(_cell(row[name])) for name in shown))
    console = show.console()
    if not console.is_terminal:  # a file or a pipe is as wide as it must be
        endless = console.options.update(max_width=1 << 16)
        console.width = max(console.width, console.measure(grid, options=endless).maximum)
    console.print(grid)
    for reason in dict.fromkeys(table["refused"].compressed().tolist()):
        show.say(console, f"Refused: {reason}", "yellow")


def _varies(table: Table, name: str) -> bool:
    return len({_cell(value) for value in table[name].tolist()}) > 1


def _cell(value: float | int | str | None) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "-" if value is None else str(value)


_ALWAYS = ("epsilon", "delta", "level", "values", "method", "queries", "rounds", "claimed")
_SHOWN = (
    *("epsilon", "delta", "level", "setting", "p", "confidence", "dim", "values", "prior"),
    "method",
    *("queries", "rounds", "claimed", "adversary", "success", "low", "high", "miss_rate", "near"),
)
