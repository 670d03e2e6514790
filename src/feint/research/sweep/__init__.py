"""Sweeps: grids of problems and methods, planned and simulated, as one tidy table."""

from typing import TYPE_CHECKING

from feint.exact.stability import renamed_names
from feint.research.sweep.atlas import Entry, Row, rows, values, worst_rows
from feint.research.sweep.points import Point, grid
from feint.research.sweep.run import sweep
from feint.research.sweep.table import COLUMNS, SweepTable, save, writer

if not TYPE_CHECKING:  # hidden from type checkers, which would accept any name
    __getattr__ = renamed_names(__name__, {"Table": "SweepTable"}, since="0.2")

__all__ = [
    "COLUMNS",
    "Entry",
    "Point",
    "Row",
    "SweepTable",
    "grid",
    "rows",
    "save",
    "sweep",
    "values",
    "worst_rows",
    "writer",
]
