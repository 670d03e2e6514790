"""The price of a live search: one durable answer, and a resume by replay."""

from __future__ import annotations

import json
import os
import statistics
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure, ratio, seconds

from feint import Domain, Plan, Problem, plan
from feint.search import create, load


def durable_answer() -> Figure:
    """One answer told and kept, against one bare append of a line with fsync: the disk's price."""
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
    return Figure("one durable answer / one append with fsync", found, 1.3, note)


def _unsynced(chosen: Plan) -> list[float]:
    """What an answer costs when the disk is free."""
    real, os.fsync = os.fsync, lambda fd: None
    try:
        with TemporaryDirectory(dir=".") as folder:
            search = create(Path(folder) / "search.jsonl", chosen)
            return [seconds(partial(search.tell, each.id, True)) for each in search.ask()]
    finally:
        os.fsync = real


def resume() -> Figure:
    """A search of 10 000 queries from its file, against parsing that file's lines."""
    chosen = plan(Problem("1/10001", "1/1000", 5), method="grid")
    real, os.fsync = os.fsync, lambda fd: None
    try:
        with TemporaryDirectory(dir=".") as folder:
            path = Path(folder) / "search.jsonl"
            search = create(path, chosen)
            for query in search.ask()[:-1]:
                search.tell(query.id, True)
            del search
            took = list[float]()

            def ours() -> None:
                took.append(seconds(lambda: load(path)))

            def theirs() -> None:
                [json.loads(line) for line in path.read_bytes().splitlines()]

            found = ratio(ours, theirs)
    finally:
        os.fsync = real
    note = f"{statistics.median(took):.3f} s for {chosen.queries} queries"
    return Figure("resume of a search / json.loads of its lines", found, 6, note)
