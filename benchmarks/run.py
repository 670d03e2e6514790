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
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


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


def noisy() -> Figure:
    """BZ on 1000 cells, 60 answers, against dense beliefs; runs a second, the inverse ratio."""
    from benchmarks.noisy import ours, theirs

    return Figure("BZ by pieces / by dense NumPy beliefs", ratio(ours, theirs, pairs=3), 1 / 50)


def one_query() -> Figure:
    """One noisy query at 10^6 cells after 60 answers, in milliseconds."""
    from benchmarks.noisy import query_milliseconds

    return Figure("one noisy query at 10^6 cells, ms", query_milliseconds(), 1.0)


def main() -> int:
    """Print every figure; 1 when one of them misses its target."""
    figures = [startup(), noisy(), one_query()]
    for figure in figures:
        verdict = "" if figure.ratio <= figure.most else ": MISSED"
        print(f"{figure.name}: {figure.ratio:.3g} (at most {figure.most:.3g}){verdict}")
    return int(any(figure.ratio > figure.most for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
