"""Make figures of plans, reports, simulations and sweeps, and save them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from feint.audit import Report
from feint.errors import InvalidValue, MissingExtra, WrongType
from feint.planning import Plan
from feint.research.plot.plans import draw_plan
from feint.research.plot.report import draw_report
from feint.research.plot.simulation import draw_simulation
from feint.research.plot.table import draw_table
from feint.research.sweep import SweepTable
from feint.simulate import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PICTURES: Mapping[type, Callable[..., None]] = {
    Plan: draw_plan,
    Report: draw_report,
    Simulation: draw_simulation,
    SweepTable: draw_table,
}
_ELSEWHERE = "name another place"


def figure(shown: Plan | Report | Simulation | SweepTable) -> Figure:
    """Return a figure of a plan, or of the result of an audit, a simulation or a sweep.

    Args:
        shown: The plan or the result.

    Returns:
        A matplotlib figure that is neither shown nor saved.

    Raises:
        MissingExtra: matplotlib is not installed.
        WrongType: There is no picture of such a thing.
        InvalidValue: The sweep has no plans, or more lines than a reader can distinguish.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtra("plot", "matplotlib") from missing
    made = Figure(layout="constrained")
    for kind, draws in _PICTURES.items():
        if isinstance(shown, kind):
            draws(shown, made)
            return made
    rule, remedy = "there are pictures of plans, reports, simulations and sweeps", "pass one"
    raise WrongType.of("shown", shown, rule, remedy)


def check(path: str | Path) -> None:
    """Check that a picture can be written to a file, before the work that it shows.

    Raises:
        MissingExtra: matplotlib is not installed.
        WrongType: The argument is not a path.
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


def draw(shown: Plan | Report | Simulation | SweepTable, path: str | Path) -> None:
    """Draw a picture to a file. The ending is the format, such as report.png or report.svg.

    Args:
        shown: As in `figure`.
        path: The file. An existing file is replaced.

    Raises:
        MissingExtra: matplotlib is not installed.
        WrongType: There is no picture of such a thing, or the path is not one.
        InvalidValue: There is no such format, or the file cannot be written; or as in `figure`.
    """
    check(path)
    made = figure(shown)
    try:
        made.savefig(path, dpi=150)
    except OSError as error:
        rule = f"it could not be written ({error.strerror})"
        raise InvalidValue("plot", str(path), rule, _ELSEWHERE) from None
