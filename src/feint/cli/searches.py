"""`feint searches`: the searches in a database or on a server."""

from __future__ import annotations

from feint.cli import show
from feint.cli.flags.flag import Json
from feint.cli.flags.place import DatabaseFlags, Place, Server, place
from feint.errors import NotOpen, UnknownSearch

_NO_POLL = "no poll"


def searches(*, server: Server = None, where: DatabaseFlags, json: Json = False) -> None:
    """List searches by name, and where each stands.

    Where neither a server nor a database is named, it says which file of your own it looked in.
    """
    kept = place(server, where)
    rows = [row for name in kept.names() if (row := _row(kept, name)) is not None]
    if json:
        names = ("name", "standing", "round", "rounds", "answered", "queries", "respondents")
        show.as_json([{name: row.get(name) for name in names} for row in rows])
        return
    if server is None and where.is_own:
        show.lines(f"In your own database, {where.url}:")
    if not rows:
        show.lines("There is no search.")
    for row in rows:
        show.lines(f"{row['name']}: {standing(row)}")


def _row(kept: Place, name: str) -> dict[str, object] | None:
    """Where a search stands; None: it was deleted a moment ago."""
    try:
        return kept.status(name)
    except NotOpen:
        return {"name": name, "standing": _NO_POLL}
    except UnknownSearch:
        return None


def standing(row: dict[str, object]) -> str:
    """Where a search stands, in words."""
    if row["standing"] == _NO_POLL:
        return f"{_NO_POLL}; a program answers it, or it was cut off when it began"
    told = f"{row['answered']} of {row['queries']} questions answered"
    late = ", overdue" if row["overdue"] else ""
    return f"{row['standing']}{late}, {told}, {row['respondents']} respondents"
