"""From a report, a simulation or a table to a figure, and to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from feint.audit import Report
from feint.errors import InvalidValue, MissingExtra, WrongType
from feint.planning import Plan
from feint.research.plot.plans import draw_plan
from feint.research.plot.report import draw_report
from feint.research.plot.simulation import draw_simulation
from feint.research.plot.table import draw_table
from feint.research.sweep import Table
from feint.simulate import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ELSEWHERE = "name another place"


def figure(shown: Plan | Report | Simulation | Table) -> Figure:
    """A figure of a plan, or of what an audit, a simulation or a sweep found.

    Args:
        shown: What was found.

    Returns:
        A matplotlib figure, not yet shown or saved.

    Raises:
        MissingExtra: matplotlib is not installed.
        WrongType: There is no picture of such a thing.
        InvalidValue: A sweep without plans, or with more lines than can be told apart.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtra("plot", "matplotlib") from missing
    made = Figure(layout="constrained")
    if isinstance(shown, Report):
        draw_report(shown, made)
    elif isinstance(shown, Plan):
        draw_plan(shown, made)
    elif isinstance(shown, Simulation):
        draw_simulation(shown, made)
    elif isinstance(shown, Table):
        draw_table(shown, made)
    else:
        rule, remedy = "there are pictures of plans, reports, simulations and sweeps", "pass one"
        raise WrongType.of("shown", shown, rule, remedy)
    return made


def check(path: str | Path) -> None:
    """Make sure that a picture could be drawn to a file, before the work that it will show.

    Raises:
        MissingExtra: matplotlib is not installed.
        WrongType: It is no path.
        InvalidValue: There is no such format, or the file cannot be written.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as missing:
        raise MissingExtra("plot", "matplotlib") from missing
    if not isinstance(path, str | Path):
        raise WrongType.of("path", path, "must be the name of a file", 'pass "report.png"')
    known, place = FigureCanvasBase.get_supported_filetypes(), Path(path)
    if place.suffix.removeprefix(".").lower() not in known:
        rule = f"must end in one of {', '.join(sorted(known))}"
        raise InvalidValue("plot", str(path), rule, "report.png always works")
    if place.is_dir() or not place.parent.is_dir():
        raise InvalidValue("plot", str(path), "must be a file in a folder that exists", _ELSEWHERE)
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise InvalidValue("plot", str(path), "it may not be written", _ELSEWHERE)


def draw(shown: Plan | Report | Simulation | Table, path: str | Path) -> None:
    """Draw to a file whose name says the format, such as report.png or report.svg.

    Args:
        shown: As in `figure`.
        path: Which file; one that is there is replaced.

    Raises:
        MissingExtra: matplotlib is not installed.
        WrongType: There is no picture of such a thing, or the path is none.
        InvalidValue: There is no such format, or the file cannot be written; or as in `figure`.
    """
    check(path)
    made = figure(shown)
    try:
        made.savefig(path, dpi=150)
    except OSError as error:
        rule = f"it could not be written ({error.strerror})"
        raise InvalidValue("plot", str(path), rule, _ELSEWHERE) from None
