"""Write and read the text of tokens and sessions: where each is recorded, and 256 secret bits.

| bytes | respondent's or link's token | respondent's session | owner's session |
|---|---|---|---|
| 1 | its kind | its kind | its kind |
| 16 | the poll's locator | the poll's locator | |
| 8 | the person or the link | the person | |
| 9 | | the tag of its token | the tag of its token |
| 32 | secret | secret | secret |

Each is written in base64 without padding. The owner's token and all tokens of earlier versions are
secrets of 43 characters without an address; they are found by their hash.
"""

from __future__ import annotations

import secrets
from base64 import b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from feint.errors import NotAllowed
from feint.journal.polls.terms import Role

Kind = Literal["respondent", "link", "session", "owner session"]

_CODES: dict[Kind, int] = {"respondent": 1, "link": 2, "session": 3, "owner session": 4}
_KINDS = {code: kind for kind, code in _CODES.items()}
_LOCATOR, _PERSON, _TAG, _SECRET = 16, 8, 9, 32
_PLACE = 1 + _LOCATOR + _PERSON
# Multiples of three bytes, so that base64 has no unused bits and every token has only one text.
_LENGTHS: dict[Kind, int] = {
    "respondent": _PLACE + _SECRET,
    "link": _PLACE + _SECRET,
    "session": _PLACE + _TAG + _SECRET,
    "owner session": 1 + _TAG + _SECRET,
}
_LONGEST = max(_LENGTHS.values()) * 4 // 3


@dataclass(frozen=True, kw_only=True)
class Credential:
    """The claims of a token or session. The store decides whether they are true.

    Attributes:
        kind: A respondent's token, a link's, a respondent's session or an owner's.
        locator: The poll's locator (`Store.locator`); empty for an owner's session.
        person: The respondent or the link; empty for an owner's session.
        tag: For a session, the tag of the token that it was given for; empty for a token.
    """

    kind: Kind
    locator: bytes = b""
    person: str = ""
    tag: str = ""

    @property
    def role(self) -> Role:
        """Return the role that it claims."""
        roles: dict[Kind, Role] = {"link": "link", "owner session": "owner"}
        return roles.get(self.kind, "respondent")

    @property
    def is_session(self) -> bool:
        """Return True for a session, False for a token."""
        return self.kind in ("session", "owner session")


def draw_owner_token() -> str:
    """Return a new owner's token, a secret of 43 characters."""
    return secrets.token_urlsafe(_SECRET)


def draw_token(role: Literal["respondent", "link"], locator: bytes, person: str) -> str:
    """Return a new token for a respondent or a link.

    Args:
        role: The role of its holder.
        locator: The poll's locator.
        person: The respondent or the link, as 16 hexadecimal digits.
    """
    return _text(_CODES[role], locator, bytes.fromhex(person))


def draw_session(token: str, locator: bytes = b"", person: str = "") -> str:
    """Return a new session for the holder of a token.

    Args:
        token: The token. The session carries its tag, so that requests by either count together.
        locator: The poll's locator; empty for an owner.
        person: The respondent; empty for an owner.
    """
    kind: Kind = "session" if locator else "owner session"
    return _text(_CODES[kind], locator, bytes.fromhex(person), bytes.fromhex(_tag(token)))


def read_credential(text: str) -> Credential | None:
    """Return the claims of a token or session, or None for a secret without an address."""
    if len(text) > _LONGEST:
        return None
    try:
        raw = b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
    except ValueError:
        return None
    kind = _KINDS.get(raw[0]) if raw else None
    if kind is None or len(raw) != _LENGTHS[kind]:
        return None
    place = b"" if kind == "owner session" else raw[1:_PLACE]
    end = len(raw) - _SECRET
    tag = raw[1 + len(place) : end]
    return Credential(
        kind=kind, locator=place[:_LOCATOR], person=place[_LOCATOR:].hex(), tag=tag.hex()
    )


def hashed(secret: str) -> str:
    """Return the hash that is stored for a token or session."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def bucket(text: str) -> str:
    """Return the name under which requests with a token, or a session for it, are counted.

    No one can use up the requests of another client: the name is part of the token's hash, which
    only the holder of the token, or of a session for it, knows.
    """
    credential = read_credential(text)
    return credential.tag if credential is not None and credential.tag else _tag(text)


def unknown_token() -> NotAllowed:
    """Build the error for an invalid token or session. Its message does not hold the token."""
    rule = "no token of this server, or one that was revoked"
    return NotAllowed("token", "as given", rule, "ask the owner for a new one")


def _tag(token: str) -> str:
    return hashed(token)[: 2 * _TAG]


def _text(code: int, *parts: bytes) -> str:
    raw = bytes([code]) + b"".join(parts) + secrets.token_bytes(_SECRET)
    return urlsafe_b64encode(raw).decode()
