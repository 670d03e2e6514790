"""`feint sweep`: a grid of problems and methods as one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from click import UsageError

from feint.cli import show
from feint.cli.codes import REFUSED
from feint.cli.flags.flag import Json, Plot, flag, flagged
from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import ParameterFlags, UnitFlags
from feint.cli.flags.runs import adversaries, adversary
from feint.cli.flags.wording import told_in_flags
from feint.cli.flags.work import Memory, WorkFlags, megabytes
from feint.cli.grid import Asked, from_file, from_flags, keys_of
from feint.cli.progress import bar, stopped
from feint.problem import UNIT

if TYPE_CHECKING:
    from feint.research.sweep import Table

File = Annotated[
    Path | None, flag("A TOML file with the grid, instead of flags.", "FILE", "The problem")
]
Methods = Annotated[
    list[str] | None,
    flag("Methods, with commas between. Default: tight.", "NAMES", "The plan", "--method"),
]
Runs = Annotated[
    str | None, flag("Runs to simulate each plan for. Default: none.", "COUNT", "Runs")
]
Adversaries = Annotated[list[str] | None, adversary("all, with --runs")]
Seed = Annotated[str | None, flag("Where all randomness comes from. Default: 0.", "SEED", "Runs")]
Out = Annotated[
    Path | None, flag("Write the table here: .csv, .json or .parquet.", "FILE", "Output")
]


def sweep(
    *,
    problem: ParameterFlags,
    units: UnitFlags,
    file: File = None,
    method: Methods = None,
    planning: PlanFlags,
    runs: Runs = None,
    adversary: Adversaries = None,
    seed: Seed = None,
    work: WorkFlags,
    memory: Memory = None,
    out: Out = None,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Plan, and simulate with --runs, every problem of a grid by every method.

    Each flag of the problem may have several values, with commas between.
    """
    from feint.research import sweep as room

    given = [*problem.parameters().values(), *units.units().values(), method, adversary, runs, seed]
    if file is None:
        asked = from_flags(problem, units, method, planning, runs, adversaries(adversary), seed)
    elif any(each not in (None, False) for each in (*given, *vars(planning).values())):
        raise UsageError("--file says it all: leave out the other flags of the grid")
    else:
        with keys_of(file):
            asked = from_file(file)
    asked.complete(file)
    picture = show.drawing(plot)
    with flagged(path="--out"):
        write = None if out is None else room.writer(out)
    with keys_of(file):
        points, rows_done = room.grid(asked.axes), 0
    with work.executor() as executor, bar("rows") as progress, keys_of(file):

        def tell(what: str, done: int, wanted: int) -> None:
            nonlocal rows_done
            rows_done = done
            progress(what, done, wanted)

        table = room.sweep(
            points,
            domain=asked.domain,
            executor=executor,
            memory=megabytes(memory),
            progress=tell,
            **asked.options,
        )
    if write is not None:
        try:
            write(table)
        except OSError:
            _print(table, asked, flags=file is None)  # at least it is not lost
            raise
    if json:
        show.as_json(table.records())
    elif out is None:
        _print(table, asked, flags=file is None)
    else:
        show.lines(f"Wrote {show.count(len(table), 'row')} to {out}")
    if not table.missing("queries").all():
        picture(table)
    _leave(table, rows_done, len(points) * len(asked.options["methods"]))


def _leave(table: Table, done: int, wanted: int) -> None:
    """Leave with the exit code of a sweep that did not go well.

    Raises:
        Exit: With `INTERRUPTED` after Ctrl-C, with `REFUSED` when every row was.
    """
    if done < wanted:
        stopped(done, wanted, "problems")
    if not table.missing("refused").any():
        typer.echo("feint: every row was refused: the column refused says why", err=True)
        raise typer.Exit(REFUSED)


def _print(table: Table, asked: Asked, *, flags: bool) -> None:
    """Print the rows that were planned, as wide as the terminal is, and why others were not.

    Args:
        table: The rows.
        asked: What was asked for.
        flags: Whether reasons speak in flags, or in the keys of a file.
    """
    console = show.console()
    if asked.domain is not None and asked.domain != UNIT:
        show.lines(asked.domain.extent)
    show.lines(*table[table.missing("refused")].lines(width=min(console.width, _WIDEST)))
    for count, reason in table.refusals():
        rows = show.count(count, "row")
        said = told_in_flags(reason) if flags else reason
        show.say(console, f"Refused ({rows}): {said}", "yellow")


_WIDEST = 110  # columns: past that a row is hard to follow
