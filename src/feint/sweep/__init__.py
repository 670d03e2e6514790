"""Sweeps: grids of problems and methods, planned and simulated, as one tidy table."""

from feint.sweep.atlas import Entry, Row, rows, values, worst_rows
from feint.sweep.points import Point, grid
from feint.sweep.run import sweep
from feint.sweep.table import COLUMNS, Table, save, writer

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
