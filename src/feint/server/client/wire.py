"""What is sent to a server and how its answers are read: the same for both clients.

A call is a value: what to send, and what its answer means. All calls may be repeated, those that
make something under a key of their own, so whoever sends them tries again where the network or the
server fails for a moment.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

import httpx

from feint import errors
from feint.errors import FeintError, InvalidValue, NotAllowed, Unavailable
from feint.exact import fraction
from feint.problem import Query, YesMeans

T = TypeVar("T")
TRIES = 6
_FIRST, _LONGEST = 0.1, 5.0
_AGAIN = (429, 502, 503, 504)
_JSON = "application/json"


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request and what its answer means.

    Attributes:
        method: Of HTTP.
        path: Below the server's address.
        read: Makes something of the answer's JSON.
        json: What is sent: something to write as JSON, or the bytes of it.
        headers: Sent besides the token.
    """

    method: str
    path: str
    read: Callable[[Any], T]
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> dict[str, Any]:
        """What to pass to httpx beside the method and the path."""
        if not isinstance(self.json, bytes):
            return {"json": self.json, "headers": self.headers}
        return {"content": self.json, "headers": {"Content-Type": _JSON, **self.headers}}


def once() -> dict[str, str]:
    """A key under which a request counts once, however often it is sent."""
    return {"Idempotency-Key": secrets.token_urlsafe(16)}


def at(name: str, rest: str = "") -> str:
    """The path of a search."""
    return f"/api/searches/{quote(name, safe='')}{rest}"


def pause(tried: int, status: int | None, headers: Mapping[str, str]) -> float | None:
    """How long to wait before the next try, in seconds; None: there is none.

    Args:
        tried: How often it was tried.
        status: What the server answered; None: nothing.
        headers: Of its answer.
    """
    if tried >= TRIES or (status is not None and status not in _AGAIN):
        return None
    wanted = headers.get("Retry-After", "")
    wait = min(_LONGEST, _FIRST * 2.0 ** (tried - 1))
    return min(_LONGEST, max(wait, float(wanted))) if wanted.isdecimal() else wait


@dataclass(frozen=True)
class Read(Generic[T]):
    """What an answer means.

    Attributes:
        value: What was asked for.
    """

    value: T


def settled(
    call: Call[T], tried: int, came: httpx.Response | httpx.TransportError
) -> Read[T] | float:
    """What came of a try: what its answer means, or how long to wait before the next, in seconds.

    Raises:
        FeintError: The server refused, or does not answer; the error is the one that it met, where
            that is known.
    """
    if isinstance(came, httpx.TransportError):
        wait = pause(tried, None, {})
        if wait is None:
            raise silent(came)
        return wait
    wait = pause(tried, came.status_code, came.headers)
    if wait is not None:
        return wait
    if came.is_success:
        return Read(call.read(_json(came)))
    raise met(came)


def silent(error: httpx.TransportError) -> Unavailable:
    """That a server does not answer, or answers no longer."""
    return Unavailable(f"the server does not answer ({type(error).__name__}); try again later")


def met(answer: httpx.Response) -> FeintError:
    """The error that a server met, by its answer."""
    held = _json(answer)
    error = held.get("error", {}) if isinstance(held, dict) else {}
    return refused(answer.status_code, str(error.get("code", "")), str(error.get("message", "")))


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return {}


def refused(status: int, code: str, message: str) -> FeintError:
    """The error that a server met."""
    kind = _KINDS.get(code, NotAllowed if status == 401 else None)
    if kind is None:
        kind = Unavailable if status >= 500 else InvalidValue
    if not issubclass(kind, InvalidValue):
        return kind(message)
    argument, _, rest = message.partition(" = ")
    value, _, rest = rest.partition(": ")
    rule, _, remedy = rest.rpartition("; ")
    if not rule:
        argument, value, rule = "request", f"refused with {status}", message
        remedy = "mend what it names, and send it again"
    return kind(argument, value, rule, remedy)


def _kinds() -> dict[str, type[FeintError]]:
    found = {}
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, FeintError) and name != "MissingExtra":
            code = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
            found[code] = kind
    return found


_KINDS = _kinds()


def queries(held: Any) -> tuple[Query, ...]:
    """Open questions, as `Search.ask` gives them."""
    return tuple(_query(each) for each in held["queries"])


def _query(held: Mapping[str, Any]) -> Query:
    value = fraction(held["value"], "value")
    return Query(
        id=held["id"],
        round=held["round"],
        phase=held["phase"],
        coordinate=held["coordinate"],
        label=held["label"],
        value=value,
        shown=held["shown"],
        number=value if held["number"] is None else held["number"],
        yes_means=cast(YesMeans, held["yes_means"]),
        sample=held["sample"],
        samples=held["samples"],
        unit=held.get("unit"),  # a server of an earlier version does not say
        question=held.get("question"),
    )


def nothing(held: Any) -> None:
    """An answer that says no more than that it is done."""


def whole(held: Any) -> dict[str, Any]:
    """The answer as it is."""
    return dict(held)


def names(held: Any) -> list[str]:
    """The names of searches."""
    return list(held["searches"])


def token(held: Any) -> tuple[str, str]:
    """Somebody and their token."""
    return held["id"], held["token"]
