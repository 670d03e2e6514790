"""`feint reproduce`: every figure and table of the paper, with our curves beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli import show, work

Out = Annotated[Path, typer.Option(help="Folder for pictures, tables and the page.")]
Only = Annotated[
    str | None,
    typer.Option(help="Of bounds,strategies,dimensions,noise,privacy,price; all by default."),
]
Runs = Annotated[
    str, typer.Option(help="Runs behind each simulated point, at most: long noisy ones are fewer.")
]


def reproduce(
    out: Out = Path("reproduced"),
    only: Only = None,
    runs: Runs = "20000",
    seed: work.Seed = "0",
    workers: work.Workers = None,
    dask: work.DaskAddress = None,
) -> None:
    """Draw every figure and table of the paper, with what feint does beside them."""
    from feint.exact import whole
    from feint.reproduce import reproduce as draw

    with work.executor(workers, dask) as executor, work.stages("figures") as progress:
        page = draw(
            out,
            only=work.names(only, ()),
            runs=whole(runs, "--runs", least=1),
            seed=whole(seed, "--seed", least=0),
            executor=executor,
            progress=progress,
        )
    show.lines(f"Wrote {page}")
