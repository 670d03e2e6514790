"""`feint status`: where one search stands, in a file or in a journal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import Json, argument, flag
from feint.cli.flags.place import DatabaseFlags, Server, place
from feint.cli.searches import restored_lines, standing
from feint.cli.state import STATE, State, go_on, held
from feint.errors import InvalidValue
from feint.exact import whole

Kept = Annotated[
    str | None,
    argument(
        "What the search is called in a database or on a server; without it, the one in a file.",
        "SEARCH",
        "The poll",
    ),
]


AtLeast = Annotated[
    str | None,
    flag(
        "The counter that you noted before: end with an error if the search has a lower one, which"
        " means that somebody put an old copy of it back.",
        "COUNT",
        "The search",
        "--at-least",
    ),
]


def status(
    *,
    name: Kept = None,
    state: State = STATE,
    server: Server = None,
    where: DatabaseFlags,
    at_least: AtLeast = None,
    json: Json = False,
) -> None:
    """Say what a search is for, what it takes and where it stands.

    Of a search in a database or on a server it says a counter, which every write raises: note it
    elsewhere, and a lower one tells that an old copy was put back. It also says if the database was
    restored from a backup.

    Nothing is asked or changed. Of a search in a file no answer is shown; of one in a database or
    on a server, the votes on its open questions are, for its owner.
    """
    least = None if at_least is None else whole(at_least, "--at-least", least=0)
    if name is None:
        if least is not None:
            rule = "a search in a file has no counter"
            raise InvalidValue("--at-least", least, rule, "name a search in a database")
        _in_a_file(state, json=json)
        return
    kept = place(server, where)
    row = kept.status(name)
    if least is not None and row["counter"] < least:
        rule = f"the counter of {name} is {row['counter']}: it is an old copy, or another search"
        remedy = "find out who can write the database, and restore a newer backup"
        raise InvalidValue("--at-least", least, rule, remedy)
    restored = kept.restored()
    if json:
        show.as_json(row | {"restored": restored})
        return
    show.lines(*restored_lines(restored))
    show.lines(f"{name}: {standing(row)}", f"round {row['round'] + 1} of {row['rounds']}")
    show.lines(f"counter {row['counter']}")
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
