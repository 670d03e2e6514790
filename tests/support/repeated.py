"""Compute several searches by brute force: dictionaries of fractions, no library code."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction

Told = tuple[Hashable, ...]
Search = Callable[[int], dict[Told, Fraction]]
"""From a cell to what may be heard of a search for it, with probabilities."""

Move = Callable[[int], dict[int, Fraction]]
"""From a cell to the cells that it may move to, with probabilities."""


def staged_search(
    blocks: int, parts: int, kept: int, hide: tuple[int, ...], *, answer: int | None = None
) -> Search:
    """Return a staged search whose sizes divide evenly; `answer`: the number of a known answer."""
    wide = 1
    for k in hide:
        wide *= k

    def search(cell: int) -> dict[Told, Fraction]:
        block, part, inner = cell // (wide * parts), cell // wide % parts, cell % wide
        found: dict[Told, Fraction] = defaultdict(Fraction)
        for place in range(kept if kept < parts else 1):
            first = (part - place) % parts if kept < parts else 0
            window = sorted((first + j) % parts for j in range(kept))
            base, low, size = block * wide * parts, 0, wide
            asked = [base + wide * j for j in range(1, parts)]
            for k in hide:
                starts = [base + wide * each + low for each in window]
                asked += [start + size // k * j for start in starts for j in range(1, k)]
                size //= k
                low += (inner - low) // size * size
            known = () if answer is None else (cell >= asked[answer],)
            told = (block, *asked, *known)
            found[told] += Fraction(1, kept if kept < parts else 1)
        return found

    return search


def stay(cell: int) -> dict[int, Fraction]:
    return {cell: Fraction(1)}


def drift(cells: int, most: int) -> Move:
    """Return a motion up to a distance; all moves that stay inside are equally likely."""

    def move(cell: int) -> dict[int, Fraction]:
        inside = [y for y in range(cell - most, cell + most + 1) if 0 <= y < cells]
        return {y: Fraction(1, len(inside)) for y in inside}

    return move


def repeated(
    cells: int, window: int, search: Search, move: Move, times: int, *, aligned: int = 1
) -> list[Fraction]:
    """Return the best eavesdropper's success about the current cell after each search.

    Windows begin at multiples of `aligned`.
    """
    table: dict[tuple[Told, ...], dict[int, Fraction]] = {
        (): {cell: Fraction(1, cells) for cell in range(cells)}
    }
    found = []
    for number in range(times):
        after = defaultdict[tuple[Told, ...], dict[int, Fraction]](lambda: defaultdict(Fraction))
        for history, belief in table.items():
            for cell, mass in belief.items():
                for there, chance in (move(cell) if number else stay(cell)).items():
                    for told, share in search(there).items():
                        after[(*history, told)][there] += mass * chance * share
        table = {history: dict(belief) for history, belief in after.items()}
        lows = range(0, cells, aligned)
        found.append(sum((_best(each, window, lows) for each in table.values()), Fraction(0)))
    return found


def _best(belief: dict[int, Fraction], window: int, lows: range) -> Fraction:
    return max(
        sum((belief.get(cell, Fraction(0)) for cell in range(low, low + window)), Fraction(0))
        for low in lows
    )
