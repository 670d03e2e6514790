"""Check tokens and sessions, and issue those of the owner.

The row of a respondent or a link in its poll holds the hash of its one valid token. So a token is
issued, replaced and revoked by one write in one search, ends with its poll, and is checked by
reading that row. The owner's token and sessions belong to no poll, and are stored in the office.
Hashes are compared in constant time.

Tokens of earlier versions also have a row in the office, with their owner. They are valid only
while the poll's own row records them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hmac import compare_digest
from typing import Any

from feint.errors import NotAllowed, UnknownSearch
from feint.interfaces import OFFICE, Store, Transaction
from feint.journal.polls.credentials import (
    Credential,
    draw_owner_token,
    draw_session,
    hashed,
    read_credential,
    unknown_token,
)
from feint.journal.polls.terms import Caller, Role

_TOKEN, _OWNER, _SESSION, _HALF = "token", "owner", "session", 32
ROWS: dict[Role, str] = {"respondent": "person", "link": "link"}
"""The kind of the row that records a token, by the token's role."""
# the most sessions: otherwise the holder of a token could fill the database with them
_MOST = 32


class Tokens:
    """All tokens and sessions of a store."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        """Use a store.

        Args:
            store: The store.
            clock: Returns the time in seconds; sessions of owners end by it.
        """
        self._store, self._clock = store, clock

    def caller(self, token: str) -> Caller:
        """Return the holder of a token or session.

        Raises:
            NotAllowed: The token or session is invalid, was revoked, or has ended.
        """
        credential, full = read_credential(token), hashed(token)
        if credential is None:
            return self._without_address(full)
        if credential.kind == "owner session":
            return self._owner_session(full)
        return self._of_poll(credential, full)

    def own(self, *, again: bool = False) -> str | None:
        """Create the owner's token if there is none, and return it; otherwise return None.

        Args:
            again: True to create a new one in any case. The old one and all owner's sessions are
                revoked.
        """
        with self._store.reading(OFFICE) as held:
            if held.get(_OWNER, "") is not None and not again:
                return None  # the usual case, without a lock
        with self._store.transaction(OFFICE) as held:
            old = held.get(_OWNER, "")
            if old is not None and not again:
                return None
            if old is not None:
                held.drop(_TOKEN, old["token"])
            for key in held.rows(_SESSION):
                held.drop(_SESSION, key)
            token = draw_owner_token()
            full = hashed(token)
            row = {"hash": full, "role": "owner", "search": None, "person": None}
            held.put(_TOKEN, full[:_HALF], row)
            held.put(_OWNER, "", {"token": full[:_HALF]})
        return token

    def sit(self, token: str, *, lasts: float) -> tuple[Caller, str]:
        """Start a session for the holder of a token.

        A respondent's session ends with its poll, with the respondent, and with the token that it
        was given for. An owner's ends with the owner's token, and after its time.

        Args:
            token: The token. A session is refused, because it could be prolonged forever.
            lasts: The seconds that an owner's session lasts.

        Returns:
            The holder, and the session, which is shown only once.

        Raises:
            NotAllowed: It is not a valid token.
        """
        caller, credential, full = self.caller(token), read_credential(token), hashed(token)
        if caller.role == "owner":
            if credential is not None:
                raise unknown_token()
            session = draw_session(token)
            with self._store.transaction(OFFICE) as held:
                if not _is_owner(held.get(_OWNER, ""), full):
                    raise unknown_token()
                until = self._clock() + lasts
                _add_session(held, "", session, {"token": full[:_HALF], "until": until})
            return Caller(role="owner", until=until), session
        if caller.role == "link" or (credential is not None and credential.is_session):
            raise unknown_token()
        name, person = str(caller.search), str(caller.person)
        session = draw_session(token, self._store.locator(name), person)
        with self._poll(name) as held:
            if not _records(held.get(ROWS["respondent"], person), full):
                raise unknown_token()
            _add_session(held, f"{person}/", session, {"since": self._clock()})
        return caller, session

    def leave(self, session: str) -> None:
        """End a session. An invalid or ended one is ignored."""
        credential = read_credential(session)
        if credential is None or not credential.is_session:
            return
        try:
            caller = self.caller(session)  # otherwise anyone could make others wait for a lock
        except NotAllowed:
            return
        half = hashed(session)[:_HALF]
        if caller.role == "owner":
            with self._store.transaction(OFFICE) as held:
                held.drop(_SESSION, half)
                row = held.get(_OWNER, "")
                if row is not None:
                    held.put(_OWNER, "", row | {"ended": row.get("ended", 0) + 1})
            return
        with suppress(UnknownSearch), self._store.transaction(str(caller.search)) as held:
            held.drop(_SESSION, f"{caller.person}/{half}")
            count_ended(held)

    def roll(self) -> str:
        """Return a text that changes whenever an owner's token or session is revoked."""
        with self._store.reading(OFFICE) as held:
            row = held.get(_OWNER, "")
        return "" if row is None else f"{row['token']} {row.get('ended', 0)}"

    def forget(self, rows: Iterable[Mapping[str, Any] | None]) -> None:
        """Delete the office's rows for tokens of earlier versions.

        This is only tidying: such a token is invalid once its poll does not record it.

        Args:
            rows: Rows of respondents and links that were replaced or deleted.
        """
        places = [row[_TOKEN] for row in rows if row is not None and _TOKEN in row]
        if places:
            with self._store.transaction(OFFICE) as held:
                for place in places:
                    held.drop(_TOKEN, place)

    def _without_address(self, full: str) -> Caller:
        with self._store.reading(OFFICE) as held:
            row, owner = held.some((_TOKEN, full[:_HALF]), (_OWNER, ""))
        if row is None or not compare_digest(row["hash"], full):
            raise unknown_token()
        if row["role"] == "owner":
            if not _is_owner(owner, full):
                raise unknown_token()
            return Caller(role="owner")
        caller = Caller(role=row["role"], search=row["search"], person=row["person"])
        with self._poll(str(caller.search), write=False) as held:
            recorded = held.get(ROWS[caller.role], str(caller.person))
        if not _records(recorded, full):
            raise unknown_token()
        return caller

    def _owner_session(self, full: str) -> Caller:
        with self._store.reading(OFFICE) as held:
            row, owner = held.some((_SESSION, full[:_HALF]), (_OWNER, ""))
        if row is None or owner is None or not compare_digest(row["hash"], full):
            raise unknown_token()
        if row["token"] != owner["token"] or self._clock() >= row["until"]:
            raise unknown_token()
        return Caller(role="owner", until=row["until"])

    def _of_poll(self, credential: Credential, full: str) -> Caller:
        role, person = credential.role, credential.person
        try:
            name = self._store.name_at(credential.locator)
            with self._store.reading(name) as held:
                if credential.is_session:
                    session = (_SESSION, f"{person}/{full[:_HALF]}")
                    whose, row = held.some((ROWS[role], person), session)
                else:
                    whose = row = held.get(ROWS[role], person)
        except UnknownSearch:
            raise unknown_token() from None
        if whose is None or not _records(row, full):
            raise unknown_token()
        return Caller(role=role, search=name, person=person)

    @contextmanager
    def _poll(self, name: str, *, write: bool = True) -> Iterator[Transaction]:
        """Open a poll; refuse the tokens of a deleted one."""
        try:
            with self._store.transaction(name) if write else self._store.reading(name) as held:
                yield held
        except UnknownSearch:
            raise unknown_token() from None


def end_sessions(held: Transaction, person: str) -> None:
    """End every session of a respondent, in a transaction of their poll."""
    for key in held.rows(_SESSION, start=f"{person}/"):
        held.drop(_SESSION, key)


def count_ended(held: Transaction) -> None:
    """Count in the row of a poll that a token or session ended (`Polls.roll`)."""
    poll = held.get("poll", "")
    if poll is not None:
        held.put("poll", "", poll | {"gone": poll.get("gone", 0) + 1})


def _add_session(held: Transaction, start: str, session: str, row: dict[str, Any]) -> None:
    """Record a session; beyond the limit, end the oldest (an owner's: the one that ends first)."""
    order = "until" if "until" in row else "since"
    before = held.rows(_SESSION, start=start)
    oldest = sorted(before, key=lambda key: float(before[key][order]))
    for key in oldest[: max(0, len(before) + 1 - _MOST)]:
        held.drop(_SESSION, key)
    full = hashed(session)
    held.put(_SESSION, f"{start}{full[:_HALF]}", row | {"hash": full})


def _records(row: Mapping[str, Any] | None, full: str) -> bool:
    """Return True if a row holds the hash of a token, or the half that earlier versions kept."""
    if row is None:
        return False
    if "hash" in row:
        return compare_digest(row["hash"], full)
    return compare_digest(row[_TOKEN], full[:_HALF])


def _is_owner(row: Mapping[str, Any] | None, full: str) -> bool:
    return row is not None and compare_digest(row["token"], full[:_HALF])
