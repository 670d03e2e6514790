"""`feint searches`: the searches in a database or on a server."""

from __future__ import annotations

from datetime import UTC, datetime

from feint.cli import show
from feint.cli.flags.flag import Json
from feint.cli.flags.place import DatabaseFlags, Server, place

_NO_POLL = "no poll"


def searches(*, server: Server = None, where: DatabaseFlags, json: Json = False) -> None:
    """List searches by name, and where each stands.

    It says if the database was restored from a backup. It takes as many statements for many
    searches as for one, and does not check each of them: feint status does.

    Where neither a server nor a database is named, it says which file of your own it looked in.
    """
    kept = place(server, where)
    rows = [{"standing": _NO_POLL} | row for row in kept.overview()]
    if json:
        names = ("name", "standing", "round", "rounds", "answered", "queries", "respondents")
        show.as_json([{name: row.get(name) for name in names} for row in rows])
        return
    if server is None and where.is_own:
        show.lines(f"In your own database, {where.url}:")
    show.lines(*restored_lines(kept.restored()))
    if not rows:
        show.lines("There is no search.")
    for row in rows:
        show.lines(f"{row['name']}: {standing(row)}")


def restored_lines(at: float | None) -> list[str]:
    """Return the line that says that a database was restored from a backup, if it was."""
    if at is None:
        return []
    when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    compare = "compare each counter (feint status) with the one you noted"
    return [f"Restored from a backup on {when}: {compare}."]


def standing(row: dict[str, object]) -> str:
    """Where a search stands, in words."""
    if row["standing"] == _NO_POLL:
        return f"{_NO_POLL}; a program answers it, or it was cut off when it began"
    told = f"{row['answered']} of {row['queries']} questions answered"
    late = ", overdue" if row["overdue"] else ""
    return f"{row['standing']}{late}, {told}, {row['respondents']} respondents"
