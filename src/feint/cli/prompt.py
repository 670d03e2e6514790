"""Questions at the terminal: one at a time, with a way back until the round is over."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from feint.cli import show
from feint.search import Contradiction, Search

if TYPE_CHECKING:
    from rich.console import Console

    from feint.problem import Query

Reply = Literal["yes", "no", "back"]
_REPLIES: dict[str, Reply] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "b": "back"}
_HELP = (
    "y or yes, n or no; b goes back to the question before, until the round is over; "
    "q stops, and --resume goes on from here."
)


class Stopped(Exception):
    """The person stopped, or nobody is there to answer."""


def answer_all(search: Search, console: Console) -> None:
    """Put every question that is left; each answer is on the disk before the next is put.

    Raises:
        Stopped: At q, or at the end of the input.
    """
    if not search.done:
        console.print("Answer y or n; b goes back, q stops and keeps everything.", style="dim")
    while not search.done:
        open_ = [query.id for query in search.ask()]
        _headline(search, console)
        _answer_round(search, search.current, open_, console)


def _answer_round(
    search: Search, queries: tuple[Query, ...], open_: list[str], console: Console
) -> None:
    """Put the open questions of a round in turn, and tell their answers.

    Going back puts an earlier question of the round again, then the first that is still open.

    Raises:
        Stopped: At q, or at the end of the input.
    """
    place = {query.id: number for number, query in enumerate(queries)}
    index, warned = place[open_[0]], False
    while open_:
        query = queries[index]
        reply = _put(query, f"{index + 1}/{len(queries)}", console)
        if reply == "back":
            index, warned = max(0, index - 1), False
            continue
        last = open_ == [query.id]
        if last and not warned and (found := _would_contradict(search, query, reply == "yes")):
            _warn(found, console)
            warned = True
            continue
        search.tell(query.id, reply == "yes")
        open_ = [each for each in open_ if each != query.id]
        index = place[open_[0]] if open_ else index


def _would_contradict(search: Search, query: Query, yes: bool) -> tuple[Contradiction, ...]:
    """What contradicts an answer of this round, once this one ends it; nothing is told yet."""
    trial = Search.from_json(search.to_json())
    trial.tell(query.id, yes)
    rounds = ((each, {query.round for query in each}) for each in trial.contradictions)
    return tuple(each for each, held in rounds if search.round in held)


def _warn(found: tuple[Contradiction, ...], console: Console) -> None:
    """Say which answers contradict each other, and how to go back."""
    for each in found:
        show.contradiction(console, each)
    line = "b goes back to change one of this round; the same answer again goes on."
    show.say(console, line, "yellow")


def _put(query: Query, number: str, console: Console) -> Reply:
    """Ask until the reply is one of ours.

    Raises:
        Stopped: At q, or at the end of the input.
    """
    while True:
        console.print(f"  {number:>7}  ", style="dim", end="")
        console.print(f"{query.text} ", style="bold", markup=False, end="")
        console.file.flush()
        line = sys.stdin.readline()
        if not line:
            console.print()
            raise Stopped
        word = line.strip().lower()
        if word in _REPLIES:
            return _REPLIES[word]
        if word in ("q", "quit"):
            raise Stopped
        console.print(_HELP, style="dim")


def _headline(search: Search, console: Console) -> None:
    """Print which round it is, what it is for, and how many questions are answered."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    plan = search.plan
    phase = plan.strategy.rounds[search.round].phase
    words = f"Round {search.round + 1} of {plan.rounds} ({phase})"
    grid = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=plan.queries, completed=search.answered, width=20)
    grid.add_row(words, bar, f"{search.answered} of {plan.queries} answered")
    console.print()
    console.print(grid)
