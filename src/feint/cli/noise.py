"""`feint noise`: how many voters, or samples, make an answer reliable enough."""

from __future__ import annotations

from typing import Annotated

import typer
from click import UsageError

from feint.cli import options as flag
from feint.cli import show
from feint.exact import whole

Margin = Annotated[
    str,
    typer.Option(help="Each voter is right with probability 1/2 + margin, where you care."),
]
Voters = Annotated[str | None, typer.Option(help="An odd number of voters: says which p it gives.")]


def noise(
    margin: Margin,
    p: flag.P = None,
    voters: Voters = None,
    json: flag.Json = False,
) -> None:
    """Choose how many voters or samples decide an answer by majority."""
    from feint.oracles.majority import reliability, voters_for

    if (p is None) == (voters is None):
        raise UsageError(
            "give exactly one of --p (wanted) and --voters: --help says what they mean"
        )
    count = voters_for(p, margin) if p is not None else whole(voters or "1", "voters", least=1)
    right = reliability(count, margin)
    if json:
        show.as_json({"margin": margin, "voters": count, "p": right})
        return
    show.lines(
        f"{count} voters a question: the majority is right with probability {right:.6g}.",
        "They must be new each time: the same people asked again are not independent.",
        "Nearer to the threshold than the margin says, answers are worse than that.",
    )
