"""`feint noise`: how many voters, or samples, make an answer reliable enough."""

from __future__ import annotations

from typing import Annotated

from click import UsageError

from feint.cli import show
from feint.cli.flags.flag import Json, flag
from feint.exact import whole

_MANY = 10_001  # more voters than this for one question are hard to find
_POOR = 0.51  # a plan for a smaller p asks hundreds of thousands of questions

Margin = Annotated[
    str,
    flag(
        "Each voter is right with probability 1/2 + margin, where you care.", "NUMBER", "The vote"
    ),
]
P = Annotated[
    str | None,
    flag(
        "Probability that an answer is right: says how many voters it takes.",
        "PROBABILITY",
        "The vote",
    ),
]
Voters = Annotated[
    str | None, flag("An odd number of voters: says which p it gives.", "COUNT", "The vote")
]


def noise(
    *,
    margin: Margin,
    p: P = None,
    voters: Voters = None,
    json: Json = False,
) -> None:
    """Choose how many voters or samples decide an answer by majority."""
    from feint.oracles import reliability, voters_for

    if (p is None) == (voters is None):
        raise UsageError(
            "give exactly one of --p (wanted) and --voters: --help says what they mean"
        )
    count = voters_for(p, margin) if p is not None else whole(voters or "1", "voters", least=1)
    right = reliability(count, margin)
    said = _warning(count, right, margin)
    if json:
        show.as_json({"margin": margin, "voters": count, "p": right, "warning": said})
        return
    show.lines(
        f"{count} voters a question: the majority is right with probability {right:.6g}.",
        "They must be new each time: the same people asked again are not independent.",
        "Nearer to the threshold than the margin says, answers are worse than that.",
        *([] if said is None else [f"Warning: {said}"]),
    )


def _warning(count: int, right: float, margin: str) -> str | None:
    """What to know before asking `count` voters, whose majority is right with this probability.

    Returns:
        A sentence or two; None: there is nothing to warn of.
    """
    from feint.oracles import reliability

    if count > _MANY:
        few = reliability(_MANY, margin)
        return (
            f"{count} new voters for every question are a great many; {_MANY} reach p = {few:.4g} "
            "at this margin. Take a larger margin (a larger epsilon) or plan for a smaller p."
        )
    if right < _POOR:
        return "this is hardly better than a coin; ask more voters, or take a larger margin."
    return None
