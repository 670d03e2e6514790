"""Draw single lines of a text picture, which mark places on a range."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_BARS, _PLAIN_BARS = " ▁▂▃▄▅▆▇█", " .:-=+*%#"


def column(share: float, width: int) -> int:
    """Return the column of a place, given as a share of the range from 0 to 1."""
    return min(max(int(share * width), 0), width - 1)


def heights(shares: Iterable[float], width: int, *, signs: bool) -> str:
    """Draw one line of bars, a histogram of the questions.

    Args:
        shares: The places of the questions, each from 0 to 1.
        width: The number of columns.
        signs: True if the terminal can show characters beyond ASCII.

    Returns:
        The line.
    """
    counts = [0] * width
    for share in shares:
        counts[column(share, width)] += 1
    bars, most = (_BARS if signs else _PLAIN_BARS), max(counts, default=0)
    return "".join(bars[-(-count * (len(bars) - 1) // most) if most else 0] for count in counts)


def marks(shares: Iterable[float], width: int, sign: str) -> str:
    """Draw one line with a sign at each of these places."""
    line = [" "] * width
    for share in shares:
        line[column(share, width)] = sign
    return "".join(line)


def spans(
    ranges: Iterable[tuple[float, float]],
    shares: Iterable[float],
    width: int,
    line: str,
    dot: str,
) -> str:
    """Draw one line with ranges and dots on them."""
    drawn = [" "] * width
    for low, high in ranges:
        first, last = column(low, width), column(high - 1e-9, width)
        drawn[first : last + 1] = line * (last + 1 - first)
    for share in shares:
        drawn[column(share, width)] = dot
    return "".join(drawn)


def ruler(left: str, right: str, width: int) -> str:
    """Draw the line with the ends of the range, which stands below a picture."""
    return left + right.rjust(width - len(left))


def beside(line: str, start: int, word: str, width: int) -> str:
    """Write a word to the right of a mark, or to its left if there is no room."""
    space = start + 2 + len(word) <= width
    at = start + 2 if space else start - 1 - len(word)
    return line if at < 0 else line[:at].ljust(at) + word + line[at + len(word) :]


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Format a table as text, with words aligned left and numbers right.

    Args:
        header: The names of the columns.
        rows: The cells.

    Returns:
        The header and one line per row, without trailing spaces.
    """
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(not cell or _NUMBER.match(cell) for cell in column[1:]) for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if side else cell.ljust(width)
            for cell, width, side in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (header, *rows)
    ]


_NUMBER = re.compile(r"(-|[-+]?[\d.,]+(e[-+]?\d+)?|1/\d+|2\^-\d+)$")
