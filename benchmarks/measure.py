"""Measure two sides in turns, in one run."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Figure(NamedTuple):
    name: str
    ratio: float
    most: float
    note: str = ""


def ratio(ours: Callable[[], object], theirs: Callable[[], object], *, pairs: int = 15) -> float:
    """Return the median ratio of wall times, measured in turns after one turn to warm up."""
    seconds(ours), seconds(theirs)
    return statistics.median(seconds(ours) / seconds(theirs) for _ in range(pairs))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def command(words: Sequence[str | Path]) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
