"""Measure the price of a live search: one durable answer, and a resume by replay."""

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


def durable_answer() -> list[Figure]:
    """Time one durable answer against one bare append of a line with fsync.

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
    """Return the times of answers without the cost of the disk."""
    real, os.fsync = os.fsync, lambda fd: None
    try:
        with TemporaryDirectory(dir=".") as folder:
            search = create(Path(folder) / "search.jsonl", chosen)
            return [seconds(partial(search.tell, each.id, True)) for each in search.ask()]
    finally:
        os.fsync = real


def resume() -> list[Figure]:
    """Time resuming searches of 10 000 queries, against parsing one line of JSON per answer."""
    one = plan(Problem("1/10001", "1/1000", 5), method="grid")
    many = plan(Problem("2^-40", "2^-9", 320))
    return [*_resumed("of one round", one), *_resumed(f"of {many.rounds} rounds", many)]


def _resumed(name: str, chosen: Plan) -> list[Figure]:
    real, os.fsync = os.fsync, lambda fd: None
    try:
        with TemporaryDirectory(dir=".") as folder:
            path = Path(folder) / "search.jsonl"
            search = create(path, chosen)
            while search.left > 1:
                for query in search.ask()[: search.left - 1]:
                    search.tell(query.id, query.value <= Fraction(1, 3))
            del search
            took = list[float]()

            def ours() -> None:
                took.append(seconds(lambda: load(path)))

            lines = [b'{"tell":"q%d","yes":true}' % each for each in range(chosen.queries)]

            def theirs() -> None:
                [json.loads(line) for line in lines]

            found = ratio(ours, theirs)
    finally:
        os.fsync = real
    middle = statistics.median(took)
    note = f"{middle:.3f} s for {chosen.queries} queries"
    return [
        Figure(f"resume of a search {name} / json.loads of a line an answer", found, 6, note),
        Figure(f"resume of a search {name} / 2 s", middle / 2, 1),
    ]
