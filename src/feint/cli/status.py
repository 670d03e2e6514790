"""Define `feint status`, which shows one search in a file, a database or on a server."""

from __future__ import annotations

from pathlib import Path

from feint.cli import show
from feint.cli.database import at_most, restored_lines, standing
from feint.cli.flags.place import DatabaseFlags, place
from feint.cli.resume import STATE, go_on, load_state
from feint.errors import InvalidValue


def status(
    *,
    name: str | None = None,
    state: Path = STATE,
    server: str | None = None,
    where: DatabaseFlags,
    at_least: int | None = None,
    json: bool = False,
) -> None:
    """Show the purpose, the cost and the progress of a search.

    For a search in a database or on a server, it shows a counter that increases
    with every write. Note it elsewhere: if it is lower later, an old copy was
    put back. The output also says if the database was restored from a backup.

    Nothing is asked or changed. No answer of a search in a file is shown; a
    terminal also shows how sure a noisy search is so far. The owner of a search
    in a database or on a server sees the votes on its open questions.
    """
    if name is None:
        if at_least is not None:
            rule = "a search in a file has no counter"
            raise InvalidValue("--at-least", at_least, rule, "name a search in a database")
        _in_a_file(state, json=json)
        return
    kept = place(server, where)
    row = kept.status(name)
    if at_least is not None and row["counter"] < at_least:
        rule = f"the counter of {name} is {row['counter']}: it is an old copy, or another search"
        remedy = "find out who can write the database, and restore a newer backup"
        raise InvalidValue("--at-least", at_least, rule, remedy)
    restored = kept.restored()
    if json:
        show.as_json(row | {"restored": restored})
        return
    show.lines(*restored_lines(restored))
    show.lines(
        f"{name}: {standing(row)}", f"round {row['round'] + 1} of {at_most(row)}{row['rounds']}"
    )
    show.lines(f"counter {row['counter']}")
    for each in row["questions"]:
        votes = "" if row["terms"]["quorum"] is None else f" {each['yes']} yes, {each['no']} no"
        if row["terms"].get("growing") is not None:  # for others the quorum is known
            votes += f", of {each['wanted']}"
        show.lines(f"{each['id']} {each['text']}{' closed' if each['closed'] else ''}{votes}")


def _in_a_file(state: Path, *, json: bool) -> None:
    from feint.cli.summary import document, summary

    search = load_state(state)
    if json:
        show.as_json(document(search))
        return
    console = show.console()
    summary(search, console)
    show.sureness(search, console)
    what = "Show the result" if search.done else "Go on"
    show.say(console, f"\n{what} with: {go_on(state)}")
