"""Sweeps: grids of problems and methods, planned and simulated, as one tidy table."""

from feint.sweep.atlas import Entry, Row, rows, values, worst_rows
from feint.sweep.run import Point, grid, sweep
from feint.sweep.table import DTYPE, NOTHING, Table, records, save, to_csv, writer

__all__ = [
    "DTYPE",
    "NOTHING",
    "Entry",
    "Point",
    "Row",
    "Table",
    "grid",
    "records",
    "rows",
    "save",
    "sweep",
    "to_csv",
    "values",
    "worst_rows",
    "writer",
]
