"""Reproduce every figure and table of the paper from its theorems, with feint's own plans."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile

from feint.errors import InvalidValue, WrongType
from feint.interfaces import AnyExecutor, Executor, Progress
from feint.research.reproduce.draw import draw
from feint.research.reproduce.exhibit import Batch, Chart, Curve, Drawing, Exhibit, Listing
from feint.research.reproduce.figure import compute
from feint.research.reproduce.figures import FIGURES
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


def _group(name: str, runs: int, seed: int, executor: Executor) -> list[Exhibit]:
    return [compute(figure, runs, seed, executor) for figure in FIGURES[name]]


GROUPS: Mapping[str, Callable[[int, int, Executor], Sequence[Exhibit]]] = {
    name: partial(_group, name) for name in FIGURES
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
    """Return the exhibits of some groups without writing files.

    Args:
        only: Some of `GROUPS`; empty: all.
        runs: The most runs per simulated point. Noisy runs are long, so there are fewer of them:
            pictures and tables say how many.
        seed: The seed of all randomness.
        executor: Runs the simulations; None: this process.
        progress: A callback that receives the numbers of finished groups and of all groups.

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
        out: The folder, which is created if it does not exist.
        only: As in `exhibits`, and so are the other arguments.
        runs: See there.
        seed: See there.
        executor: See there.
        progress: See there.

    Returns:
        The page.

    Raises:
        WrongType: The folder is not a path, or the groups are not a list.
        InvalidValue: There is no such group.
        MissingExtra: matplotlib is not installed.
    """
    _chosen(only)  # before any file is written
    folder = _folder(out)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass  # raises for an unwritable folder, before the work
    shown = exhibits(only=only, runs=runs, seed=seed, executor=executor, progress=progress)
    return publish(shown, folder, only=only)


def _chosen(only: Sequence[str]) -> list[str]:
    """Return the named groups, or all if none is named."""
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
    """Write exhibits and the page that shows them.

    Args:
        shown: The exhibits.
        out: The folder; it must exist.
        only: Their groups; empty: all. A partial page says that it is one.

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
    version = import_module("feint").__version__  # by name, since the root imports every package
    path.write_text(page(shown, version, () if len(chosen) == len(GROUPS) else chosen), "utf-8")
    return path
