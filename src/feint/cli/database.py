"""Define the commands for searches in a database or on a server: list, answer, move, protect."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from feint.cli import show
from feint.cli.flags.place import DatabaseFlags, place, token
from feint.errors import BadState, InvalidValue, NotOpen, Unavailable

if TYPE_CHECKING:
    from feint.cli.flags.place import Place
    from feint.server.client import RemoteSearch

_NO_POLL = "no poll"
_TRIES = 3  # streams in a row without news before `watch` gives up on a server


def searches(*, server: str | None = None, where: DatabaseFlags, json: bool = False) -> None:
    """List searches by name, with their status.

    The output says if the database was restored from a backup. To check a
    search for damage, use feint status.

    If neither a server nor a database is named, the output names the file of
    your own database.
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
    """Return a line about the restore if a database was restored from a backup."""
    if at is None:
        return []
    when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    compare = "compare each counter (feint status) with the one you noted"
    return [f"Restored from a backup on {when}: {compare}."]


def at_most(row: dict[str, object]) -> str:
    """Return "at most " if a search may ask fewer questions than its row says, else nothing.

    A server of an earlier version does not report it, and asks every question.
    """
    return "" if row.get("asks_all", True) or row["standing"] == "done" else "at most "


def standing(row: dict[str, Any]) -> str:
    """Return the status of a search in words."""
    if row["standing"] == _NO_POLL:
        return f"{_NO_POLL}; a program answers it, or it was interrupted when it began"
    told = f"{row['answered']} of {at_most(row)}{row['queries']} questions answered"
    late = ", overdue" if row["overdue"] else ""
    return f"{row['standing']}{late}, {told}, {show.count(row['respondents'], 'respondent')}"


def answer(*, name: str | None = None, server: str | None = None, where: DatabaseFlags) -> None:
    """Answer the open questions one by one.

    Type the answers: there is no flag for them, because other users can read
    command lines.

    Once every question is answered, the owner sees the result.
    """
    if name is None:
        _vote(server)
        return
    kept = place(server, where)
    if kept.status(name)["terms"]["quorum"] is not None:
        raise NotOpen("respondents vote in this poll, and the majority is the answer")
    while kept.status(name)["standing"] == "open":
        for query in kept.open(name):
            kept.answer(name, query.id, _yes(query.text, query.note))
    status = kept.status(name)["standing"]
    show.lines(f"{name}: {status}")
    if status == "done":
        show.lines(*str(kept.result(name)).splitlines())


def _vote(server: str | None) -> None:
    """Ask a respondent for the missing votes."""
    from feint.server.client import Respondent

    if server is None:
        raise typer.BadParameter("a respondent answers on a server: give --server")
    respondent = Respondent(server, token())
    while True:
        sheet = respondent.sheet()
        left = [ballot for ballot in sheet["ballots"] if ballot["vote"] is None]
        if not left:
            break
        for ballot in left:
            respondent.vote(ballot["id"], _yes(ballot["text"], ballot["note"]))
    show.lines(f"Nothing is open for you now; the poll is {sheet['standing']}.")


def _yes(text: str, note: str) -> bool:
    asked = f"{text} ({note})" if note else text
    while True:
        word = str(typer.prompt(f"{asked} [y/n]")).strip().lower()
        if word in ("y", "yes", "n", "no"):
            return word.startswith("y")


def watch(*, name: str, server: str) -> None:
    """Print a line whenever the status of a search changes, until it is done.

    If the server restarts, the command connects again. It fails if the server
    does not come back or if the search was deleted.
    """
    from feint.server.client import Client

    with Client(server, token()) as client:
        if not _followed(client.search(name)):
            said = "the server ends every stream before the search is done"
            raise Unavailable(f"{said}; see whether it is stopping, and watch again")


def _followed(search: RemoteSearch) -> bool:
    """Print the status of a search whenever it changes; return True once the search is done."""
    last, vain = None, 0
    while vain < _TRIES:
        vain += 1
        with suppress(Unavailable):
            for news in search.watch():
                if news != last:
                    last, vain = news, 0
                    show.lines(f"{search.name}: {news['standing']}, round {news['round'] + 1}")
                    sys.stdout.flush()  # the reader of a pipe should not wait for the end
                if news["standing"] == "done":
                    return True
        search.status()  # raise if the search or the server is gone
    return False


def export(*, name: str, server: str | None = None, where: DatabaseFlags, to: Path) -> None:
    """Write a whole search, with its key and its answers, to a file. Secret.

    Pause or archive it first, and continue only one copy. The file does not
    contain respondents, or votes on questions that are still open. The number
    of these votes is printed.
    """
    from feint.search import write_private

    kept = place(server, where)
    document, left = kept.search(name).to_json(), _votes(kept, name)
    try:
        write_private(to, document.encode())
    except FileExistsError:
        raise InvalidValue("--to", to, "this file exists already", "name a new one") from None
    show.lines(f"{name} is in {to}, with its key: a person who reads it knows what you know.")
    if left:
        cast = "is not in it, and must be cast" if left == 1 else "are not in it, and must be cast"
        open_still = f"{show.count(left, 'vote')} on questions that are still open"
        show.lines(f"{open_still} {cast} again where it goes on.")


def _votes(kept: Place, name: str) -> int:
    """Return the number of votes on questions that are still open."""
    try:
        questions = kept.status(name)["questions"]
    except NotOpen:  # a program answers it, and there are no votes
        return 0
    return sum(each["yes"] + each["no"] for each in questions if not each["closed"])


def import_(
    *,
    name: str,
    source: Path,
    quorum: int | None = None,
    server: str | None = None,
    where: DatabaseFlags,
) -> None:
    """Continue an exported search under an unused name.

    Its answers are imported. Invite respondents again; votes on questions that
    were still open must be cast again.
    """
    from feint.journal.polls import Terms
    from feint.search import Search

    kept = place(server, where, create=True)
    try:
        search = Search.from_json(source.read_text("utf-8"))
    except UnicodeDecodeError:
        rule = "is not text in UTF-8, so not a saved search"
        raise BadState("--from", source, rule, "name what feint export wrote") from None
    kept.take_in(name, search, terms=Terms(quorum=quorum))
    show.lines(f"{name}: {standing(kept.status(name))}")


def backup(*, where: DatabaseFlags, to: Path) -> None:
    """Copy the database while it is in use. The copy is encrypted, and its key is not in it."""
    from feint.journal import backup

    backup(where.url, to)
    show.lines(f"The copy is {to}. It opens with the key of today, which is not in it.")


def restore(*, where: DatabaseFlags, source: Path) -> None:
    """Make a new database from a backup, and check all of it.

    Searches continue from their state at the time of the copy. Rounds that were
    shown since then are shown again with the same coins. Give the same answers
    as before: different answers would tell an eavesdropper who heard both more
    than the plan allows.
    """
    from feint.journal import read_key, restore

    count = restore(where.url, source, key=read_key(where.key, create=False))
    show.lines(
        f"{count} searches are restored, each as it was when the copy was made.",
        "Rounds that were shown since then will be shown again with the same coins. Give the same"
        " answers as before: others would tell an eavesdropper who heard both more than the plan"
        " allows. If you cannot, archive the search, and begin none for the same number.",
        "Compare each counter (feint status) with the one you noted.",
    )


def rotate(*, where: DatabaseFlags, to: Path | None = None, data: bool = False) -> None:
    """Give the database a new master key; the old key no longer opens it.

    Stop the server first, and start it again with the new key. A backup opens
    only with the key of its time: use --to to keep the old key file. If the
    command is interrupted, run it again.

    With --data, the keys of the searches are replaced, and the server may keep
    running. Copies of single searches from before are refused afterwards.
    """
    from feint.journal import rotate_data_keys, rotate_key

    if data:
        if to is not None:
            rule = "--data leaves the master key as it is"
            raise InvalidValue("--to", to, rule, "leave one of them out")
        count = rotate_data_keys(where.url, where.key)
        show.lines(f"{count} searches have new data keys.")
        return
    kept = rotate_key(where.url, where.key, to=to)
    show.lines(f"The database opens with the key in {kept}, and with the old one no more.")
