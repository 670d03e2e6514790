"""Sweeps: grids of problems and methods, planned and simulated, as one tidy table."""

from feint.sweep.run import Point, grid, sweep
from feint.sweep.table import DTYPE, NOTHING, Table, records, save, to_csv, writer

__all__ = [
    "DTYPE",
    "NOTHING",
    "Point",
    "Table",
    "grid",
    "records",
    "save",
    "sweep",
    "to_csv",
    "writer",
]
