"""Build requests and read responses, for both clients.

A call is a value: the request, and a function that reads the response. All calls may be repeated.
Those that create something have an idempotency key. So the clients repeat them if the network or
the server fails for a moment.
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
    """A request, and a function that reads its response.

    Attributes:
        method: The HTTP method.
        path: The path below the server's address.
        read: Converts the JSON of the response.
        json: The body, as a value for JSON or as bytes.
        headers: Headers besides the token.
    """

    method: str
    path: str
    read: Callable[[Any], T]
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> dict[str, Any]:
        """Return the arguments for httpx besides the method and the path."""
        if not isinstance(self.json, bytes):
            return {"json": self.json, "headers": self.headers}
        return {"content": self.json, "headers": {"Content-Type": _JSON, **self.headers}}


def once() -> dict[str, str]:
    """Return headers with an idempotency key, so that a repeated request counts once."""
    return {"Idempotency-Key": secrets.token_urlsafe(16)}


def at(name: str, rest: str = "") -> str:
    """Return the path of a search."""
    return f"/api/searches/{quote(name, safe='')}{rest}"


def pause(tried: int, status: int | None, headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait before the next try; None: do not try again.

    Args:
        tried: The number of tries so far.
        status: The status of the response; None: no response.
        headers: The headers of the response.
    """
    if tried >= TRIES or (status is not None and status not in _AGAIN):
        return None
    wanted = headers.get("Retry-After", "")
    wait = min(_LONGEST, _FIRST * 2.0 ** (tried - 1))
    return min(_LONGEST, max(wait, float(wanted))) if wanted.isdecimal() else wait


@dataclass(frozen=True)
class Read(Generic[T]):
    """The value read from a response.

    Attributes:
        value: The value.
    """

    value: T


def settled(
    call: Call[T], tried: int, came: httpx.Response | httpx.TransportError
) -> Read[T] | float:
    """Return the value of a response, or the seconds to wait before the next try.

    Raises:
        FeintError: The server refused or does not respond. If the server's error is known, it is
            raised.
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
    """Build the error for a server that does not respond."""
    return Unavailable(f"the server does not answer ({type(error).__name__}); try again later")


def met(answer: httpx.Response) -> FeintError:
    """Return the server's error from a response."""
    held = _json(answer)
    error = held.get("error", {}) if isinstance(held, dict) else {}
    return refused(answer.status_code, str(error.get("code", "")), str(error.get("message", "")))


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return {}


def refused(status: int, code: str, message: str) -> FeintError:
    """Return the server's error from its JSON."""
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
    """Read open questions, as `Search.ask` returns them."""
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
        unit=held.get("unit"),  # servers of earlier versions omit it
        question=held.get("question"),
    )


def nothing(held: Any) -> None:
    """Read a response without a value."""


def whole(held: Any) -> dict[str, Any]:
    """Read a response as its whole JSON."""
    return dict(held)


def names(held: Any) -> list[str]:
    """Read the names of searches."""
    return list(held["searches"])


def token(held: Any) -> tuple[str, str]:
    """Read an id and a token."""
    return held["id"], held["token"]
