"""The flags of commands that play many runs: who listens, and where chance comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from feint.cli.flags.flag import flag

Seed = Annotated[str, flag("Where all randomness comes from. Default: 0.", "SEED", "Runs")]


def adversary(default: str) -> Any:
    """Declare --adversary, which names who listens; `adversaries` reads it.

    Args:
        default: Who listens where it is not given, as the help says it.
    """
    help = (
        "Who listens, with commas between: uniform, last, proportional, truncated, learned, blind."
    )
    return flag(f"{help} Default: {default}.", "NAMES", "Runs", "--adversary")


def names(words: str | None) -> tuple[str, ...]:
    """Words with commas between them; none where nothing is said."""
    return tuple(word.strip() for word in (words or "").split(",") if word.strip())


def adversaries(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """The names that --adversary has, however often it is given; None where it is not."""
    return names(",".join(given)) if given else None
