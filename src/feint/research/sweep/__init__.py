"""Sweeps: grids of problems and methods, planned and simulated, as one tidy table."""

from feint.research.sweep.atlas import Entry, Row, rows, values, worst_rows
from feint.research.sweep.points import Point, grid
from feint.research.sweep.run import sweep
from feint.research.sweep.table import COLUMNS, Table, save, writer

__all__ = [
    "COLUMNS",
    "Entry",
    "Point",
    "Row",
    "Table",
    "grid",
    "rows",
    "save",
    "sweep",
    "values",
    "worst_rows",
    "writer",
]
