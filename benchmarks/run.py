"""Every performance figure of the project as a ratio, both sides measured in this run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

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


AUDIT = """
import json, re, sys, time
from pathlib import Path
from feint import Problem
from feint.audit import audit
from feint.planning import plan
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
found = plan(Problem(sys.argv[1], "2^-8", 15))
start, idle = time.perf_counter(), peak()
report = audit(found)
seconds = time.perf_counter() - start
print(json.dumps([report.branches, report.queries, seconds, idle, peak()]))
"""


def audits() -> list[Figure]:
    """Time and memory of exact audits of (2^-k, 2^-8, 15), each in a process of its own."""
    print("exact audit of (2^-k, 2^-8, 15)")
    print("   k    branches  seconds  us/branch  / np.copyto  peak MiB  / before")
    for k in (12, 14, 16, 18, 20):
        words = [sys.executable, "-c", AUDIT, f"2^-{k}"]
        run = subprocess.run(words, check=True, capture_output=True, text=True)
        branches, queries, time_, idle, peak = json.loads(run.stdout)
        copied = copying(branches * queries)
        print(
            f"  {k:2d}  {branches:10,d}  {time_:7.2f}  {1e6 * time_ / branches:9.2f}"
            f"  {time_ / copied:11.1f}  {peak / 1024:8.0f}  {peak / idle:8.2f}"
        )
    name = f"exact audit of {branches:,} branches"
    return [
        Figure(f"{name} / np.copyto of their transcripts", time_ / copied, 16),
        Figure(f"{name}, peak memory / that before it", peak / idle, 6),
    ]


def copying(count: int) -> float:
    """Seconds that np.copyto needs for so many 64-bit numbers, through a buffer."""
    source = np.ones(min(count, 1 << 23), np.int64)
    target = np.zeros_like(source)

    def work() -> None:
        for begin in range(0, count, len(source)):
            size = min(len(source), count - begin)
            np.copyto(target[:size], source[:size])

    return seconds(work)


def main() -> int:
    """Print every figure; 1 when one of them misses its target."""
    figures = [startup(), *audits()]
    for figure in figures:
        verdict = "" if figure.ratio <= figure.most else ": MISSED"
        print(f"{figure.name}: {figure.ratio:.2f} (at most {figure.most}){verdict}")
    return int(any(figure.ratio > figure.most for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
