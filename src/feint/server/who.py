"""Who asks: a token in the Authorization header, or a cookie that stands for one."""

from __future__ import annotations

from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from feint.errors import NotAllowed
from feint.poll import Caller, Polls
from feint.server import access

COOKIE = "feint"
ASKED = "X-Feint-Request"
"""A header that a page of another site cannot send: with a cookie, whatever writes needs it."""

_BEARER = HTTPBearer(auto_error=False, description="An owner's, respondent's or link's token.")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]
_SAFE = ("GET", "HEAD")


async def polls_of(request: Request) -> Polls:
    """The polls that this server holds; a coroutine, since it needs no thread of its own."""
    return _polls(request)


def _polls(request: Request) -> Polls:
    polls: Polls = request.app.state.polls
    return polls


def may(action: access.Action) -> Any:
    """A dependency: whoever asks, if they may do this.

    Raises:
        NotAllowed: There is no token, or it does not allow this.
    """

    async def caller(request: Request, bearer: Bearer) -> Caller:
        token = _token(request, bearer)
        if _polls(request).near:  # a thread would take longer than the look
            return _checked(request, token, action)
        return await run_sync(_checked, request, token, action)

    return Depends(caller)


def seated(request: Request, token: str) -> None:
    """See that a token may be exchanged for a cookie.

    Raises:
        NotAllowed: It may not.
    """
    _checked(request, token, "sit")


def _checked(request: Request, token: str, action: access.Action) -> Caller:
    found = _polls(request).tokens.caller(token)
    request.scope["feint.caller"] = found
    access.check(found, action)
    return found


def _token(request: Request, bearer: HTTPAuthorizationCredentials | None) -> str:
    if bearer is not None:
        return bearer.credentials
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        rule = "this page is not public"
        raise NotAllowed("token", "none", rule, "send one: Authorization: Bearer TOKEN")
    if request.method not in _SAFE and not _same_site(request):
        rule = f"with a cookie, whatever writes needs the header {ASKED}"
        raise NotAllowed("token", "a cookie", rule, f"send {ASKED}: 1")
    return cookie


def _same_site(request: Request) -> bool:
    """Whether a page of ours asks: another site's can neither send the header nor hide itself."""
    fetched = request.headers.get("sec-fetch-site", "same-origin")
    return request.headers.get(ASKED) == "1" and fetched in ("same-origin", "none")
