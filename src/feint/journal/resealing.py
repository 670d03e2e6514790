"""Rewrite whole searches: add heads to those of earlier versions, and replace data keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from feint.journal.heads import PINNED, VOTING, Head, Keys
from feint.journal.transactions import about, opened_head

if TYPE_CHECKING:
    from feint.journal.driver import Driver

_BLINDED = ("sample",)  # kinds of rows whose keys held values of questions before version 3


def add_head(sql: Any, driver: Driver, search: str, keys: Keys, *, office: bool) -> None:
    """Add a head to a search of an earlier version, and hash the keys that name questions.

    Args:
        sql: The statements.
        driver: A connection, in a transaction.
        search: The id of the search.
        keys: Its keys.
        office: True for the office, whose rows are all in the register.

    Raises:
        WrongKey: An event or a row does not open.
    """
    _, events, rows = _everything(sql, driver, search)
    head = Head()
    for number, body in events:
        head = head.appended(keys, number, body)
    for kind, key, body in rows:
        fresh, sealed = key, body
        if kind in _BLINDED and not office:
            fresh = keys.blinded(key)
            sealed = _resealed(
                keys, keys, body, about(search, kind, key), about(search, kind, fresh)
            )
            _write_row(sql, driver, search, kind, key, fresh, sealed)
        head = _with_row(head, keys, kind, fresh, sealed, office=office)
    # Earlier versions did not count writes: start at the number of events and rows.
    counter = len(events) + len(rows)
    _add(sql, driver, search, keys, head.counted(counter))


def reseal(
    sql: Any, driver: Driver, search: str, old: Keys, new: Keys, *, wrapped: bytes, office: bool
) -> Head:
    """Seal a whole search with new keys.

    Args:
        sql: The statements.
        driver: A connection, in a transaction that has checked the whole search.
        search: The id of the search.
        old: Its keys.
        new: Its new keys.
        wrapped: The new keys as they are stored.
        office: As in `add_head`.

    Returns:
        The new head.
    """
    (version, body), events, rows = _everything(sql, driver, search)
    counter = opened_head(old, search, version, body).counter + 1
    ((header, name),) = driver.rows(sql.SEALED, {"to_search": search})
    words = {"to_search": search, "fresh": wrapped}
    for what, sealed in (("header", header), ("name", name)):
        words[f"to_{what}"] = _resealed(old, new, sealed, about(search, what))
    driver.change(sql.RESEAL, words)
    head = Head()
    for number, body in events:
        sealed = _resealed(old, new, body, about(search, number))
        driver.change(
            sql.RESEAL_EVENT, {"to_search": search, "to_number": number, "to_body": sealed}
        )
        head = head.appended(new, number, sealed)
    for kind, key, body in rows:
        sealed = _resealed(old, new, body, about(search, kind, key))
        _write_row(sql, driver, search, kind, key, key, sealed)
        head = _with_row(head, new, kind, key, sealed, office=office)
    head = head.counted(counter)
    sealed = new.seal.seal(head.to_bytes(), about=about(search, "head"))
    places = {"to_search": search, "to_base": version, "to_version": counter, "to_body": sealed}
    driver.change(sql.SET_HEAD, places)
    return head


def _everything(
    sql: Any, driver: Driver, search: str
) -> tuple[Any, list[tuple[int, bytes]], list[tuple[str, str, bytes]]]:
    found = driver.rows(sql.WHOLE, {"to_search": search})
    heads = [(number, body) for part, number, _, _, body in found if part == 0]
    events = sorted((number, body) for part, number, _, _, body in found if part == 1)
    rows = [(kind, key, body) for part, _, kind, key, body in found if part == 2]
    return heads[0] if heads else None, events, rows


def _resealed(old: Keys, new: Keys, body: bytes, where: str, there: str | None = None) -> bytes:
    data = old.seal.open(body, about=where)
    return new.seal.seal(data, about=where if there is None else there)


def _write_row(
    sql: Any, driver: Driver, search: str, kind: str, key: str, fresh: str, body: bytes
) -> None:
    words = {"to_search": search, "to_kind": kind, "to_key": key, "fresh": fresh, "to_body": body}
    driver.change(sql.RESEAL_ROW, words)


def _with_row(head: Head, keys: Keys, kind: str, key: str, body: bytes, *, office: bool) -> Head:
    mark, pinned = keys.mark(kind, key, body), (kind, key) == PINNED and not office
    return head.exchanged(0, mark, voting=kind in VOTING and not office, pinned=pinned)


def _add(sql: Any, driver: Driver, search: str, keys: Keys, head: Head) -> None:
    body = keys.seal.seal(head.to_bytes(), about=about(search, "head"))
    words = {"to_search": search, "to_version": head.counter, "to_body": body}
    driver.change(sql.ADD_HEAD, words)
