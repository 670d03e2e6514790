"""Every performance figure of the project as a ratio, both sides measured in this run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

BIN = Path(sys.executable).parent


class Figure(NamedTuple):
    name: str
    ratio: float
    most: float


def ratio(ours: Callable[[], object], theirs: Callable[[], object], *, pairs: int = 15) -> float:
    """The median of the ratios of wall times, measured in turns, after one turn to warm up."""
    seconds(ours), seconds(theirs)
    return statistics.median(seconds(ours) / seconds(theirs) for _ in range(pairs))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def command(words: Sequence[str | Path]) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def startup() -> Figure:
    problem = ["--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]
    ours = command([BIN / "feint", "bounds", *problem])
    numpy = command([sys.executable, "-c", "import numpy"])
    return Figure("feint bounds / python -c 'import numpy'", ratio(ours, numpy), 1.5)


def optimum() -> Figure:
    """Eight cells, seven queries: building and solving, once each, by the same solver."""
    from feint.optimal.game import Game
    from feint.optimal.programme import Programme

    def solving(plain: bool) -> Callable[[], object]:
        return lambda: Programme(Game(8, 1, 2, 7, (1,) * 8, plain=plain)).solve()

    solving(False)()
    name = "optimum of 8 cells and 7 queries: reduced / plain programme"
    return Figure(name, seconds(solving(False)) / seconds(solving(True)), 0.1)


def main() -> int:
    """Print every figure; 1 when one of them misses its target."""
    figures = [startup(), optimum()]
    for figure in figures:
        verdict = "" if figure.ratio <= figure.most else ": MISSED"
        print(f"{figure.name}: {figure.ratio:.2f} (at most {figure.most}){verdict}")
    return int(any(figure.ratio > figure.most for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
