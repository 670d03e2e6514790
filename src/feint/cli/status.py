"""`feint status`: where one search stands."""

from __future__ import annotations

from feint.cli import show
from feint.cli.flags.flag import Json
from feint.cli.flags.place import DatabaseFlags, Name, Server, place
from feint.cli.searches import standing


def status(*, name: Name, server: Server = None, where: DatabaseFlags, json: Json = False) -> None:
    """Say where a search stands: its round, its open questions and their votes. Secret."""
    row = place(server, where).status(name)
    if json:
        show.as_json(row)
        return
    show.lines(f"{name}: {standing(row)}", f"round {row['round'] + 1} of {row['rounds']}")
    for each in row["questions"]:
        votes = "" if row["terms"]["quorum"] is None else f" {each['yes']} yes, {each['no']} no"
        show.lines(f"{each['id']} {each['text']}{' closed' if each['closed'] else ''}{votes}")
