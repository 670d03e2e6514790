"""Every performance figure of the project as a ratio, both sides measured in this run."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from feint import Domain, Plan, Problem, plan
from feint.search import create, load

BIN = Path(sys.executable).parent


class Figure(NamedTuple):
    name: str
    ratio: float
    most: float
    note: str = ""


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


def durable_answer() -> list[Figure]:
    """One answer told and kept, against one bare append of a line with fsync: the disk's price.

    What is ours, without the disk, is held to 3 ms; so is the whole where the disk alone allows it.
    """
    domain = Domain(0, 1)
    problem = domain.problem(epsilon="1/4000", delta="1/100", level=5)
    chosen = plan(problem, domain=domain, method="grid")
    with TemporaryDirectory(dir=".") as folder:
        search = create(Path(folder) / "search.jsonl", chosen)
        queries = iter(search.ask())
        line = b'{"tell":"q0.1000","yes":true}\n'
        bare = os.open(Path(folder) / "bare", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

        def tell() -> None:
            query = next(queries)
            search.tell(query.id, query.value <= Fraction(1, 3))

        def append() -> None:
            os.write(bare, line)
            os.fsync(bare)

        pairs = [(seconds(tell), seconds(append)) for _ in range(400)]
        os.close(bare)
    ours, theirs = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
    own = 1e6 * statistics.median(_unsynced(chosen))
    note = f"{ours:.2f} ms, of which the disk {theirs:.2f} ms; {own:.0f} us without fsync"
    found = statistics.median(a / b for a, b in pairs)
    figures = [Figure("one durable answer / one append with fsync", found, 1.3, note)]
    figures += [Figure("one answer without fsync / 3 ms", own / 3000, 1)]
    if theirs < 2:
        figures += [Figure("one durable answer / 3 ms", ours / 3, 1)]
    return figures


def _unsynced(chosen: Plan) -> list[float]:
    """What an answer costs when the disk is free."""
    real, os.fsync = os.fsync, lambda fd: None
    try:
        with TemporaryDirectory(dir=".") as folder:
            search = create(Path(folder) / "search.jsonl", chosen)
            return [seconds(partial(search.tell, each.id, True)) for each in search.ask()]
    finally:
        os.fsync = real


def resume() -> list[Figure]:
    """Searches of 10 000 queries from their files, against parsing those files' lines."""
    one = plan(Problem("1/10001", "1/1000", 5), method="grid")
    many = plan(Problem("2^-40", "2^-9", 320))
    return [*_resumed("of one round", one), *_resumed(f"of {many.rounds} rounds", many)]


def _resumed(name: str, chosen: Plan) -> list[Figure]:
    real, os.fsync = os.fsync, lambda fd: None
    try:
        with TemporaryDirectory(dir=".") as folder:
            path = Path(folder) / "search.jsonl"
            search = create(path, chosen)
            while search.answered < chosen.queries - 1:
                for query in search.ask()[: chosen.queries - 1 - search.answered]:
                    search.tell(query.id, query.value <= Fraction(1, 3))
            del search
            took = list[float]()

            def ours() -> None:
                took.append(seconds(lambda: load(path)))

            def theirs() -> None:
                [json.loads(line) for line in path.read_bytes().splitlines()]

            found = ratio(ours, theirs)
    finally:
        os.fsync = real
    middle = statistics.median(took)
    note = f"{middle:.3f} s for {chosen.queries} queries"
    return [
        Figure(f"resume of a search {name} / json.loads of its lines", found, 6, note),
        Figure(f"resume of a search {name} / 2 s", middle / 2, 1),
    ]


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
    figures = [startup(), *durable_answer(), *resume(), *audits(), optimum()]
    for figure in figures:
        verdict = "" if figure.ratio <= figure.most else ": MISSED"
        note = f" [{figure.note}]" if figure.note else ""
        print(f"{figure.name}: {figure.ratio:.2f} (at most {figure.most}){verdict}{note}")
    return int(any(figure.ratio > figure.most for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
