"""`feint status`: where one search stands, in a file or in a journal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import Json, argument
from feint.cli.flags.place import DatabaseFlags, Server, place
from feint.cli.searches import standing
from feint.cli.state import STATE, State, go_on, held

Kept = Annotated[
    str | None,
    argument(
        "What the search is called in a database or on a server; without it, the one in a file.",
        "SEARCH",
        "The poll",
    ),
]


def status(
    *,
    name: Kept = None,
    state: State = STATE,
    server: Server = None,
    where: DatabaseFlags,
    json: Json = False,
) -> None:
    """Say what a search is for, what it takes and where it stands.

    Nothing is asked or changed. Of a search in a file no answer is shown; of one in a database or
    on a server, the votes on its open questions are, for its owner.
    """
    if name is None:
        _in_a_file(state, json=json)
        return
    row = place(server, where).status(name)
    if json:
        show.as_json(row)
        return
    show.lines(f"{name}: {standing(row)}", f"round {row['round'] + 1} of {row['rounds']}")
    for each in row["questions"]:
        votes = "" if row["terms"]["quorum"] is None else f" {each['yes']} yes, {each['no']} no"
        show.lines(f"{each['id']} {each['text']}{' closed' if each['closed'] else ''}{votes}")


def _in_a_file(state: Path, *, json: bool) -> None:
    from feint.cli.summary import document, summary

    search = held(state)
    if json:
        show.as_json(document(search))
        return
    console = show.console()
    summary(search, console)
    what = "Show the result" if search.done else "Go on"
    show.say(console, f"\n{what} with: {go_on(state)}")
