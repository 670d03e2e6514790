"""Every figure and table of the paper, from its theorems, with feint's own plans drawn in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile

from feint.errors import InvalidValue, WrongType
from feint.interfaces import AnyExecutor, Executor, Progress
from feint.research.reproduce import eavesdroppers, illustrate, noiseless, noisy, remarks
from feint.research.reproduce.draw import draw
from feint.research.reproduce.exhibit import Batch, Chart, Curve, Drawing, Exhibit, Listing
from feint.research.reproduce.page import page, to_csv
from feint.simulate import executor_of

__all__ = [
    "GROUPS",
    "Batch",
    "Chart",
    "Curve",
    "Drawing",
    "Exhibit",
    "Listing",
    "exhibits",
    "publish",
    "reproduce",
]


GROUPS: Mapping[str, Callable[[int, int, Executor], Sequence[Exhibit]]] = {
    "bounds": lambda *_: [noiseless.figure_1(), noiseless.figure_2(), noiseless.table_1()],
    "strategies": lambda *_: illustrate.illustrations(),
    "dimensions": noiseless.dimensions,
    "noise": noisy.noisy,
    "privacy": eavesdroppers.both,
    "price": lambda *_: [noiseless.price()],
    "remarks": lambda *_: remarks.remarks(),
}
"""The exhibits of each group, in the order of the page, given runs, seed and executor."""


def exhibits(
    *,
    only: Sequence[str] = (),
    runs: int = 20_000,
    seed: int = 0,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> list[Exhibit]:
    """The exhibits of some groups, as values: nothing is written.

    Args:
        only: Which of `GROUPS`; none named: all.
        runs: Runs behind each simulated point, at most: under noise, where runs are long, fewer;
            pictures and tables say how many.
        seed: Where all randomness comes from.
        executor: Who runs the simulations; None: this process.
        progress: Told how many groups of exhibits are done, and how many there are.

    Returns:
        The exhibits, in the order of the page.

    Raises:
        InvalidValue: There is no such group.
    """
    wanted, workers = _chosen(only), executor_of(executor)
    found: list[Exhibit] = []
    for number, name in enumerate(wanted, 1):
        found += GROUPS[name](runs, seed, workers)
        if progress is not None:
            progress("figures", number, len(wanted))
    return found


def reproduce(
    out: str | os.PathLike[str],
    *,
    only: Sequence[str] = (),
    runs: int = 20_000,
    seed: int = 0,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write every picture (PNG and SVG), every table (CSV) and the page that shows them all.

    Args:
        out: The folder; it is made if need be.
        only: As in `exhibits`.
        runs: As in `exhibits`.
        seed: As in `exhibits`.
        executor: As in `exhibits`.
        progress: As in `exhibits`.

    Returns:
        The page.

    Raises:
        WrongType: The folder is no name, or the groups are no list.
        InvalidValue: There is no such group.
        MissingExtra: matplotlib is not installed.
    """
    _chosen(only)  # before anything is made
    folder = _folder(out)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass  # a folder that cannot be written to is refused before the work
    shown = exhibits(only=only, runs=runs, seed=seed, executor=executor, progress=progress)
    return publish(shown, folder, only=only)


def _chosen(only: Sequence[str]) -> list[str]:
    """The groups that are named, or all of them."""
    given: object = only
    if isinstance(given, str) or not isinstance(given, Iterable):
        remedy = f"pass [{given!r}]" if isinstance(given, str) else "pass such as ['noise']"
        raise WrongType.of("only", given, "must be a list of names", remedy)
    for name in only:
        if name not in GROUPS:
            rule = f"must be among {', '.join(GROUPS)}"
            raise InvalidValue("only", name, rule, "pick among them")
    return [name for name in GROUPS if name in only or not only]


def _folder(out: object) -> Path:
    if isinstance(out, str | os.PathLike):
        return Path(out)
    raise WrongType.of("out", out, "must be the name of a folder", "pass a str or a Path")


def publish(
    shown: Sequence[Exhibit], out: str | os.PathLike[str], *, only: Sequence[str] = ()
) -> Path:
    """Write exhibits and their page.

    Args:
        shown: The exhibits.
        out: The folder; it must exist.
        only: Which of `GROUPS` they are; none named: all. A page that is a part says so.

    Returns:
        The page.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    folder = _folder(out)
    for exhibit in shown:
        if not isinstance(exhibit, Listing):
            draw(exhibit, folder)
        (folder / f"{exhibit.name}.csv").write_text(to_csv(exhibit), "utf-8")
    path = folder / "index.html"
    chosen = _chosen(only)
    version = import_module("feint").__version__  # by its name: the root knows all rooms
    path.write_text(page(shown, version, () if len(chosen) == len(GROUPS) else chosen), "utf-8")
    return path
