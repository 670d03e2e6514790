"""Every performance figure of the project as a ratio, both sides measured in this run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

BIN = Path(sys.executable).parent


def seconds(work: Callable[[], object], *, repeats: int = 11) -> float:
    """The median wall time of a piece of work, after one run to warm the caches."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def command(words: Sequence[str | Path]) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def startup() -> tuple[str, float, str]:
    problem = ["--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]
    ours = seconds(command([BIN / "feint", "bounds", *problem]))
    numpy = seconds(command([sys.executable, "-c", "import numpy"]))
    return "feint bounds / python -c 'import numpy'", ours / numpy, "at most 1.5"


def main() -> None:
    for name, ratio, target in (startup(),):
        print(f"{name}: {ratio:.2f} ({target})")


if __name__ == "__main__":
    main()
