"""`feint reproduce`: every figure and table of the paper, with our curves beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.runs import Seed, names
from feint.cli.flags.work import WorkFlags
from feint.cli.progress import bar
from feint.exact import whole

Out = Annotated[
    Path, flag("Folder for pictures, tables and the page. Default: reproduced.", "FOLDER", "Output")
]
Only = Annotated[
    str | None,
    flag(
        "Of bounds,strategies,dimensions,noise,privacy,price,remarks. Default: all.",
        "NAMES",
        "Output",
    ),
]
Runs = Annotated[
    str,
    flag(
        "Runs behind each simulated point, at most: long noisy ones are fewer. Default: 20000.",
        "COUNT",
        "Runs",
    ),
]


def reproduce(
    *,
    out: Out = Path("reproduced"),
    only: Only = None,
    runs: Runs = "20000",
    seed: Seed = "0",
    work: WorkFlags,
) -> None:
    """Draw every figure and table of the paper, with what feint does beside them."""
    from feint.research.reproduce import reproduce as draw

    with work.executor() as executor, bar("figures") as progress:
        page = draw(
            out,
            only=names(only),
            runs=whole(runs, "--runs", least=1),
            seed=whole(seed, "--seed", least=0),
            executor=executor,
            progress=progress,
        )
    show.lines(f"Wrote {page}")
