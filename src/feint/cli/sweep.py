"""`feint sweep`: a grid of problems and methods as one table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from click import UsageError

from feint.cli import options as flag
from feint.cli import show, work
from feint.errors import InvalidValue
from feint.exact import whole

if TYPE_CHECKING:
    from feint.sweep import Table

Many = Annotated[str | None, typer.Option(help="As in plan; several values with commas between.")]
File = Annotated[
    Path | None, typer.Option("--file", help="A TOML file with the grid, instead of flags.")
]
Out = Annotated[Path | None, typer.Option(help="Write the table here: .csv, .json or .parquet.")]
Methods = Annotated[str | None, typer.Option("--method", help="Methods with commas between.")]
Runs = Annotated[str | None, typer.Option(help="Runs to simulate each plan for; none by default.")]

_KEYS = ("grid", "methods", "adversaries", "runs", "seed")


@dataclass(frozen=True)
class _Asked:
    """What to sweep over, from flags or from a file."""

    axes: dict[str, list[Any]]
    methods: tuple[str, ...]
    adversaries: tuple[str, ...]
    runs: int
    seed: int


def sweep(
    epsilon: Many = None,
    delta: Many = None,
    level: Many = None,
    setting: Many = None,
    p: Annotated[str | None, typer.Option("--p", help="Likewise.")] = None,
    confidence: Many = None,
    dim: Many = None,
    method: Methods = None,
    adversary: work.Listeners = None,
    runs: Runs = None,
    seed: Annotated[str | None, typer.Option(help="Where all randomness comes from.")] = None,
    file: File = None,
    out: Out = None,
    workers: work.Workers = None,
    dask: work.DaskAddress = None,
    memory: work.Memory = None,
    json: flag.Json = False,
) -> None:
    """Plan, and simulate with --runs, every problem of a grid by every method."""
    from feint import sweep as room

    given = {
        "epsilon": epsilon,
        "delta": delta,
        "level": level,
        "setting": setting,
        "p": p,
        "confidence": confidence,
        "dim": dim,
    }
    axes: dict[str, list[Any]] = {
        name: list(work.names(words, ())) for name, words in given.items() if words is not None
    }
    if file is not None:
        if axes or method or adversary or runs or seed:
            raise UsageError("--file says it all: leave out the other flags of the grid")
        asked = _read(file)
    else:
        asked = _Asked(
            axes,
            work.names(method, ("tight",)),
            work.names(adversary, ()),
            0 if runs is None else whole(runs, "--runs", least=0),
            whole(seed or "0", "--seed", least=0),
        )
    _complete(asked.axes, file)
    write = None if out is None else room.writer(out)
    points, told = room.grid(asked.axes), 0
    with work.executor(workers, dask) as executor, work.bar("rows") as progress:

        def tell(done: int, wanted: int) -> None:
            nonlocal told
            told = done
            progress(done, wanted)

        table = room.sweep(
            points,
            methods=asked.methods,
            runs=asked.runs,
            adversaries=asked.adversaries,
            seed=asked.seed,
            executor=executor,
            memory=work.megabytes(memory),
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
    _judge(table, told, len(points) * len(asked.methods))


def _complete(axes: dict[str, list[Any]], file: Path | None) -> None:
    """Refuse a grid without one of the three; values, which only a file has, say epsilon."""
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


def _judge(table: Table, done: int, wanted: int) -> None:
    """Leave with 130 after Ctrl-C, and with 2 when every row was refused."""
    if done < wanted:
        work.stopped(done, wanted, "problems")
    if not table.missing("refused").any():
        typer.echo("feint: every row was refused: the column refused says why", err=True)
        raise typer.Exit(2)


def _read(path: Path) -> _Asked:
    """The grid in a TOML file."""
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
        {name: _listed(values) for name, values in grid.items()},
        _words("methods", document.get("methods", "tight")),
        _words("adversaries", document.get("adversaries", [])),
        whole(document.get("runs", 0), "runs", least=0),
        whole(document.get("seed", 0), "seed", least=0),
    )


def _words(name: str, values: Any) -> tuple[str, ...]:
    listed = _listed(values)
    if not all(isinstance(each, str) for each in listed):
        raise InvalidValue(name, values, "must be words", f'write {name} = ["tight"] or the like')
    return tuple(listed)


def _listed(values: Any) -> list[Any]:
    """One value is a list of one."""
    return values if isinstance(values, list) else [values]


def _print(table: Table) -> None:
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
    *("epsilon", "delta", "level", "setting", "p", "confidence", "dim", "values", "method"),
    *("queries", "rounds", "claimed", "adversary", "success", "low", "high", "miss_rate", "near"),
)
