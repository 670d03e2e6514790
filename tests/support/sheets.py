"""Fill in sheets as their owners would."""

import csv
from collections.abc import Callable
from fractions import Fraction

from tests.support.price import TARGET

Row = dict[str, str]


def read(path: str) -> list[Row]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write(path: str, rows: list[Row]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def changed(path: str, change: Callable[[Row], Row], *, to: str | None = None) -> None:
    """Change every row of a sheet, in place or in a copy."""
    write(to or path, [row | change(row) for row in read(path)])


def by_rule(path: str, *, target: Fraction = TARGET, to: str | None = None) -> None:
    """Fill in a sheet as its owner would."""
    changed(
        path, lambda row: {"answer": "yes" if target >= Fraction(row["value"]) else "no"}, to=to
    )
