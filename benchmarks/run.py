"""Measure every performance figure as a ratio of two measurements, or to a fixed limit.

What is compared with what is measured in the same run.

A function that returns a `Figure`, or several, joins the run by its name in `FIGURES`.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bisecting import (
    bisect_calibration,
    bisect_flaky,
    bisect_overhead,
    bisect_planning,
    bisect_skips,
)
from benchmarks.federated import clipping, federated, federation
from benchmarks.gap import gap
from benchmarks.journal import ask_and_tell, server_start, votes
from benchmarks.measure import Figure, command, ratio, seconds
from benchmarks.noisy import sequential_speed
from benchmarks.pages import pages
from benchmarks.plans import waiting
from benchmarks.pricing import pricing
from benchmarks.priors import priors
from benchmarks.private_bits import private_bits
from benchmarks.search import durable_answer, resume
from benchmarks.sure import noisy_sure

Points = NDArray[np.int64]
BIN = Path(sys.executable).parent
RESULTS = Path(__file__).with_name("RESULTS.md")


def startup() -> Figure:
    problem = ["--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]
    ours = command([BIN / "feint", "bounds", *problem])
    numpy = command([sys.executable, "-c", "import numpy"])
    return Figure("feint bounds / python -c 'import numpy'", ratio(ours, numpy), 1.5)


def _playing(runs: int) -> tuple[Callable[[], object], Points]:
    """Write all transcripts of so many runs, chunk by chunk; and where they are written.

    The array is [runs, columns] with each column in one piece, as the simulator lays it out, and
    was written to before.
    """
    from feint import Problem, plan
    from feint.interfaces import columns
    from feint.simulate import play
    from feint.simulate.run import chunk_size

    planned = plan(Problem("2^-20", "2^-8", 15))
    strategy, size = planned.strategy, chunk_size(planned.strategy)
    random = np.random.default_rng(0)
    targets = random.integers(strategy.cells[0], size=(runs, 1))
    heard = np.ones((columns(strategy), runs), np.int64).T

    def simulate() -> None:
        for at in range(0, runs, size):
            chunk = slice(at, at + size)
            play(strategy, targets[chunk], random, out=heard[chunk])

    return simulate, heard


def transcripts() -> Figure:
    ours, heard = _playing(100_000)
    source, copy = (heard.copy(order="K") for _ in range(2))
    name = "10^5 staged transcripts / np.copyto of the same shape"
    note = "both fill a whole array of 10^5 x 199, each column in one piece, written to before"
    return Figure(name, ratio(ours, lambda: np.copyto(copy, source)), 5, note)


def doubling() -> Figure:
    once, twice = _playing(100_000)[0], _playing(200_000)[0]
    return Figure("twice the runs / the runs", ratio(twice, once, pairs=9), 2.3)


def memory() -> Figure:
    """Return the peak memory of a process that does nothing else, since it started."""
    code = (
        "from pathlib import Path\n"
        "from feint import Problem, plan\n"
        "from feint.simulate.adversaries import Proportional\n"
        "from feint.simulate import simulate\n"
        "problem = Problem('2^-20', '2^-8', 15)\n"
        "found = simulate(plan(problem).strategy, runs=10**7,\n"
        "                 adversaries=[Proportional.truncated(problem)])\n"
        "assert found.runs == 10**7\n"
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])\n"
    )
    words = [sys.executable, "-c", code]
    peak = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return Figure("peak memory of 10^7 runs / 1 GiB", int(peak) / 2**20, 1)


def two_processes() -> Figure:
    """Time the sweep benchmark: 24 rows, each planned and run."""
    from feint.research.sweep import grid, sweep
    from feint.simulate import Processes

    axes: dict[str, list[str]] = {
        "epsilon": ["2^-20", "2^-24"],
        "delta": ["2^-8", "2^-10", "2^-12"],
        "level": ["8", "15"],
    }
    points = grid(axes)

    def swept(workers: Processes) -> Callable[[], object]:
        names = ["truncated", "last"]
        methods = ["tight", "paper"]
        return lambda: sweep(
            points, methods=methods, runs=40_000, adversaries=names, executor=workers
        )

    with Processes(1) as one, Processes(2) as two:
        measured = ratio(swept(two), swept(one), pairs=3)
    return Figure("a sweep by two processes / by one", measured, 1 / 1.6)


PLAN = """
import sys, time
from feint import Problem, plan
problem = Problem(sys.argv[1], sys.argv[2], 10_000)
start = time.process_time()
plan(problem)
print(time.process_time() - start)
"""


def _planner(epsilon: str, delta: str) -> Figure:
    """Time the first plan of ten processes: the planner keeps what it found for the next one."""
    words = [sys.executable, "-c", PLAN, epsilon, delta]
    spent = [float(subprocess.check_output(words, text=True)) for _ in range(10)]
    name = f"processor time of a plan at L = 10 000, ({epsilon}, {delta}) / 50 ms"
    return Figure(name, statistics.median(spent) / 0.05, 1)


def planner_wide() -> Figure:
    return _planner("2^-60", "2^-30")


def planner_odd() -> Figure:
    return _planner("1e-6", "3e-6")


def planner_narrow() -> Figure:
    return _planner("2^-60", "2^-59")


def reproduction() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        words: list[str | Path] = [BIN / "feint", "reproduce", "--out", folder, "--workers", "2"]
        return Figure("feint reproduce / 5 minutes", seconds(command(words)) / 300, 1)


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
    """Measure time and memory of exact audits of (2^-k, 2^-8, 15), each in a separate process."""
    figures = []
    for k in (12, 14, 16, 18, 20):
        words = [sys.executable, "-c", AUDIT, f"2^-{k}"]
        run = subprocess.run(words, check=True, capture_output=True, text=True)
        branches, queries, time_, idle, peak = json.loads(run.stdout)
        copied = copying(branches * queries)
        note = f"{time_:.2f} s, {1e6 * time_ / branches:.2f} us a branch, {peak / 1024:.0f} MiB"
        name = f"exact audit of {branches:,} branches"
        most = 16 if k == 20 else 60  # small ones are all set-up
        figures.append(
            Figure(f"{name} / np.copyto of their transcripts", time_ / copied, most, note)
        )
    return [*figures, Figure(f"{name}, peak memory / that before it", peak / idle, 6)]


def copying(count: int) -> float:
    """Return the seconds that np.copyto needs for a number of 64-bit values, through a buffer."""
    source = np.ones(min(count, 1 << 23), np.int64)
    target = np.zeros_like(source)

    def work() -> None:
        for begin in range(0, count, len(source)):
            size = min(len(source), count - begin)
            np.copyto(target[:size], source[:size])

    return seconds(work)


def optimum() -> Figure:
    """Time eight cells and seven queries: building and solving, once each, by the same solver."""
    from feint.planning.optimal.game import Game
    from feint.planning.optimal.programme import Programme

    def solving(plain: bool) -> Callable[[], object]:
        return lambda: Programme(
            Game(cells=8, accuracy=1, window=2, queries=7, prior=(1,) * 8, plain=plain)
        ).solve()

    solving(False)()
    name = "optimum of 8 cells and 7 queries: reduced / plain programme"
    return Figure(name, seconds(solving(False)) / seconds(solving(True)), 0.1)


def noisy() -> Figure:
    """Time BZ on 1000 cells, 60 answers, 100 000 runs, against dense beliefs: seconds per run."""
    from benchmarks.noisy import BATCHES, ours, theirs

    found = ratio(ours, theirs, pairs=3) / BATCHES
    return Figure("BZ by pieces / by dense NumPy beliefs", found, 1 / 50)


def one_query() -> Figure:
    """Return the milliseconds of one noisy query at 10^6 cells after 60 answers."""
    from benchmarks.noisy import query_milliseconds

    return Figure("one noisy query at 10^6 cells, ms", query_milliseconds(), 1.0)


FIGURES: list[Callable[[], Figure | list[Figure]]] = [
    startup,
    durable_answer,
    resume,
    ask_and_tell,
    server_start,
    votes,
    pages,
    audits,
    planner_wide,
    planner_odd,
    planner_narrow,
    waiting,
    priors,
    gap,
    transcripts,
    doubling,
    memory,
    two_processes,
    optimum,
    noisy,
    noisy_sure,
    pricing,
    sequential_speed,
    one_query,
    reproduction,
    bisect_overhead,
    bisect_planning,
    bisect_flaky,
    bisect_calibration,
    bisect_skips,
    federated,
    clipping,
    private_bits,
    federation,
]


def verdict(figure: Figure) -> str:
    return "met" if figure.ratio <= figure.most else "MISSED"


def machine() -> list[str]:
    """Describe the machine and the versions on which the figures were measured."""
    model = platform.processor() or platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        names = [line for line in cpus.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    packages = ", ".join(f"{name} {version(name)}" for name in ("feint", "numpy", "scipy"))
    return [
        f"- Machine: {model}, {os.cpu_count()} cores, {platform.system()}",
        f"- Versions: {platform.python_implementation()} {platform.python_version()}, {packages}",
    ]


def page(figures: Sequence[Figure]) -> str:
    rows = [
        f"| {each.name} | {each.ratio:.3g} | at most {each.most:.3g} | {verdict(each)} "
        f"| {each.note} |"
        for each in figures
    ]
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Each value is a ratio of two things measured in the same run, or"
        " of a measurement to a fixed limit.",
        "",
        *machine(),
        "",
        "| figure | value | target | verdict | note |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def main(names: Sequence[str] = ()) -> int:
    """Print every figure, or those named; write the table of all; 1 when one misses its target."""
    known = [measure.__name__ for measure in FIGURES]
    for name in names:
        if name not in known:
            raise SystemExit(f"{name} is no figure; there are {', '.join(known)}")
    figures = []
    for measure in FIGURES:
        if names and measure.__name__ not in names:
            continue
        found = measure()
        for figure in [found] if isinstance(found, Figure) else found:
            figures.append(figure)
            limit = f"(at most {figure.most:.3g})"
            note = f" [{figure.note}]" if figure.note else ""
            print(f"{figure.name}: {figure.ratio:.3g} {limit}: {verdict(figure)}{note}", flush=True)
    if not names:
        RESULTS.write_text(page(figures), "utf-8")
    return int(any(verdict(figure) != "met" for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
