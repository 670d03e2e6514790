"""Tokens of 256 bits: whoever has one is whom it stands for. They are stored hashed.

A token is found by the first half of its hash and compared by all of it, in constant time.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from hashlib import sha256
from hmac import compare_digest

from feint.errors import NotAllowed
from feint.interfaces import OFFICE, Store
from feint.poll.terms import Caller

_KIND, _OWNER, _HALF = "token", "owner", 32


class Tokens:
    """The tokens of a store."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store's office."""
        self._store = store

    def issue(self, caller: Caller) -> tuple[str, str]:
        """A new token, which cannot be read again, and where it is kept, to revoke it by."""
        token = secrets.token_urlsafe(32)
        full = hashed(token)
        row = {
            "hash": full,
            "role": caller.role,
            "search": caller.search,
            "person": caller.person,
        }
        with self._store.transaction(OFFICE) as held:
            held.put(_KIND, full[:_HALF], row)
        return token, full[:_HALF]

    def caller(self, token: str) -> Caller:
        """Whom a token stands for.

        Raises:
            NotAllowed: It is none, or was revoked.
        """
        full = hashed(token)
        with self._store.reading(OFFICE) as held:
            row = held.get(_KIND, full[:_HALF])
        if row is None or not compare_digest(row["hash"], full):
            rule = "no token of this server, or one that was revoked"  # it stays out of the message
            raise NotAllowed("token", "as given", rule, "ask the owner for a new one")
        return Caller(role=row["role"], search=row["search"], person=row["person"])

    def revoke(self, places: Iterable[str]) -> None:
        """Take tokens away, by where they are kept."""
        with self._store.transaction(OFFICE) as held:
            for place in places:
                held.drop(_KIND, place)

    def own(self, *, again: bool = False) -> str | None:
        """The owner's token, the first time; None if there is one already.

        Args:
            again: Make a new one in any case; the old one is revoked.
        """
        with self._store.reading(OFFICE) as held:
            old = held.get(_OWNER, "")
        if old is not None and not again:
            return None
        token, place = self.issue(Caller(role="owner"))
        with self._store.transaction(OFFICE) as held:
            old = held.get(_OWNER, "")
            if old is not None and not again:  # another process was a moment earlier
                held.drop(_KIND, place)
                return None
            if old is not None:
                held.drop(_KIND, old["token"])
            held.put(_OWNER, "", {"token": place})
        return token


def hashed(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
