"""Define `feint sweep`, which shows a grid of problems and methods as one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from click import UsageError

from feint.cli import show
from feint.cli.codes import REFUSED
from feint.cli.flags.plan import PlanFlags, WorkFlags
from feint.cli.flags.problem import ParameterFlags, UnitFlags
from feint.cli.flags.wording import flagged, message_in_flags
from feint.cli.grid import Grid, from_file, from_flags, keys_of
from feint.cli.progress import bar, stopped
from feint.problem import UNIT

if TYPE_CHECKING:
    from feint.research.sweep import SweepTable


def sweep(
    *,
    problem: ParameterFlags,
    units: UnitFlags,
    file: Path | None = None,
    method: list[str] | None = None,
    planning: PlanFlags,
    runs: int | None = None,
    adversary: list[str] | None = None,
    seed: int | None = None,
    work: WorkFlags,
    memory: int | None = None,
    out: Path | None = None,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Plan, and simulate with --runs, every problem of a grid by every method.

    Flags under The problem and Noise, except --prior-file and --file, may have
    several values: --delta 4,8 --level 3,5 is four problems. A comma separates
    values, so write decimals with a point; a comma in parentheses, as in
    'normal(60, 15)', does not separate values. The problems share one range:
    flags under Units have one value.
    """
    from feint.research import sweep as sweeping

    given = [*problem.parameters().values(), *units.units().values(), method, adversary, runs, seed]
    if file is None:
        grid = from_flags(
            problem, units, planning, method=method, adversary=adversary, runs=runs, seed=seed
        )
    elif any(each not in (None, False) for each in (*given, *vars(planning).values())):
        raise UsageError("--file has the whole grid: leave out the other flags of the problem")
    else:
        with keys_of(file):
            grid = from_file(file)
    grid.check_complete(file)
    picture = show.drawing(plot)
    with flagged(path="--out"):
        write = None if out is None else sweeping.writer(out)
    with keys_of(file):
        points, rows_done = sweeping.grid(grid.axes), 0
    with work.executor() as executor, bar("rows") as progress, keys_of(file):

        def tell(what: str, done: int, wanted: int) -> None:
            nonlocal rows_done
            rows_done = done
            progress(what, done, wanted)

        table = sweeping.sweep(
            points,
            domain=grid.domain,
            executor=executor,
            memory=None if memory is None else memory << 20,
            progress=tell,
            **grid.options,
        )
    if write is not None:
        try:
            write(table)
        except OSError:
            _print(table, grid, flags=file is None)  # otherwise the work would be lost
            raise
    if json:
        show.as_json(table.records())
    elif out is None:
        _print(table, grid, flags=file is None)
    else:
        show.lines(f"Wrote {show.count(len(table), 'row')} to {out}")
    if not table.missing("queries").all():
        picture(table)
    _leave(table, rows_done, len(points) * len(grid.options["methods"]))


def _leave(table: SweepTable, done: int, wanted: int) -> None:
    """Exit with the status of an incomplete sweep."""
    if done < wanted:
        stopped(done, wanted, "problems")
    if not table.missing("refused").any():
        typer.echo("feint: every row was refused; its column 'refused' says why", err=True)
        raise typer.Exit(REFUSED)


def _print(table: SweepTable, grid: Grid, *, flags: bool) -> None:
    """Print the rows that have a plan at the terminal's width, and why the others have none."""
    console = show.console()
    if grid.domain is not None and grid.domain != UNIT:
        show.lines(grid.domain.extent)
    show.lines(*table[table.missing("refused")].lines(width=min(console.width, _WIDEST)))
    for count, reason in table.refusals():
        rows = show.count(count, "row")
        said = message_in_flags(reason) if flags else reason
        show.say(console, f"Refused ({rows}): {said}", "yellow")


_WIDEST = 110  # columns; longer rows are hard to follow
