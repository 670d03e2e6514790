"""Every figure and table of the paper, from its theorems, with feint's own plans drawn in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from feint.reproduce import illustrate, listeners, noiseless, noisy
from feint.reproduce.draw import draw
from feint.reproduce.exhibit import Batch, Chart, Curve, Drawing, Exhibit, Listing
from feint.reproduce.page import page, to_csv
from feint.simulate import Executor, Serial

__all__ = ["Batch", "Chart", "Curve", "Drawing", "Exhibit", "Listing", "exhibits", "reproduce"]


def exhibits(
    *,
    runs: int = 20_000,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Exhibit]:
    """Everything there is to show, as values.

    Args:
        runs: Runs behind each simulated point.
        seed: Where all randomness comes from.
        executor: Who runs the simulations; None: this process.
        progress: Told how many groups of exhibits are done, and how many there are.

    Returns:
        The exhibits, in the order of the page.
    """
    worker = executor or Serial()
    groups: list[Callable[[], list[Exhibit]]] = [
        lambda: [noiseless.figure_1()],
        lambda: [noiseless.figure_2()],
        lambda: [noiseless.table_1()],
        lambda: [*illustrate.illustrations()],
        lambda: [*noiseless.dimensions(runs, seed, worker)],
        lambda: [*noisy.noisy(runs, seed, worker)],
        lambda: [listeners.privacy(name, runs, seed, worker) for name in ("tight", "paper")],
        lambda: [noiseless.price()],
    ]
    found: list[Exhibit] = []
    for number, group in enumerate(groups, 1):
        found += group()
        if progress is not None:
            progress(number, len(groups))
    return found


def reproduce(
    out: Path,
    *,
    runs: int = 20_000,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write every picture (PNG and SVG), every table (CSV) and the page that shows them all.

    Args:
        out: The folder; it is made if need be.
        runs: As in `exhibits`.
        seed: As in `exhibits`.
        executor: As in `exhibits`.
        progress: As in `exhibits`.

    Returns:
        The page.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    from feint import __version__

    out.mkdir(parents=True, exist_ok=True)
    shown = exhibits(runs=runs, seed=seed, executor=executor, progress=progress)
    for exhibit in shown:
        if not isinstance(exhibit, Listing):
            draw(exhibit, out)
        (out / f"{exhibit.name}.csv").write_text(to_csv(exhibit), "utf-8")
    path = out / "index.html"
    path.write_text(page(shown, __version__), "utf-8")
    return path
