"""Who asks: a token in the Authorization header, or a cookie that stands for one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import Depends, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param
from starlette.requests import HTTPConnection

from feint.errors import FeintError, NotAllowed, Unavailable
from feint.poll import Caller, Polls, Role
from feint.server import access

COOKIES: dict[Role, str] = {"owner": "feint", "respondent": "feint-respondent"}
"""One for each role, so that an owner who tries a respondent's link is the owner still."""

ASKED = "X-Feint-Request"
"""A header that a page of another site cannot send: with a cookie, whatever writes needs it."""

LASTING = 400 * 24 * 3600
"""For how many seconds a respondent's cookie lasts: the longest that browsers keep one."""

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
        token = _token(request, bearer, "respondent" if action == "vote" else "owner")
        if _polls(request).near:  # a thread would take longer than the look
            return _checked(request, token, action)
        return await run_sync(_checked, request, token, action)

    return Depends(caller)


def sitting(request: Request, role: Role) -> Caller | None:
    """Whom a browser's cookies stand for, in this role if they can be; None: for nobody."""
    found = None
    for cookie in _cookies(request, role):
        with suppress(NotAllowed):  # it was revoked
            caller = _polls(request).tokens.caller(cookie)
            found = caller if found is None or caller.role == role else found
    if found is not None:
        request.scope["feint.caller"] = found
    return found


def was_respondent(request: Request) -> bool:
    """Whether a browser has a respondent's cookie, be it one that opens nothing any more."""
    return COOKIES["respondent"] in request.cookies


def _cookies(request: Request, role: Role) -> list[str]:
    """A browser's cookies, the role's own first: earlier versions had one for both roles."""
    names = sorted(COOKIES.values(), key=lambda name: name != COOKIES[role])
    return [request.cookies[name] for name in names if name in request.cookies]


def seat(request: Request, response: Response, token: str, *, role: Role) -> None:
    """Give a browser a cookie for a token: no script can read it, and no other site can use it.

    A respondent's outlives the browser's window: whoever came by an open link would else be
    somebody new the next day, and have two votes. The owner's does not.
    """
    secure, age = request.url.scheme == "https", LASTING if role == "respondent" else None
    rules: dict[str, Any] = {"httponly": True, "samesite": "strict", "secure": secure, "path": "/"}
    response.set_cookie(COOKIES[role], token, max_age=age, **rules)


def leave(response: Response) -> None:
    """Take a browser's cookies back."""
    for name in COOKIES.values():
        response.delete_cookie(name, path="/", httponly=True, samesite="strict")


def seated(request: Request, token: str) -> Caller:
    """Whom a token stands for that may be exchanged for a cookie.

    Raises:
        NotAllowed: It may not.
    """
    return _checked(request, token, "sit")


def tokens_in(request: HTTPConnection) -> list[str]:
    """The tokens that a request brings, however they are written: one, or a cookie a role."""
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    if scheme.lower() == "bearer" and token:
        return [token]
    return [request.cookies[name] for name in COOKIES.values() if name in request.cookies]


async def is_known(request: HTTPConnection) -> bool:
    """Return whether a request brings a token of this server, whatever it allows.

    A store that is away knows nobody; then True, so that the page says that it is away.
    """
    tokens = request.app.state.polls.tokens

    def known() -> bool:
        for token in tokens_in(request):
            with suppress(NotAllowed):
                tokens.caller(token)
                return True
        return False

    try:
        return await run_sync(known)
    except Unavailable:
        return True


def token_of(request: Request) -> str:
    """The token by which a request was let in; empty where it was not."""
    return str(request.scope.get("feint.token", ""))


def let_in(request: Request) -> Callable[[], bool]:
    """Says whether the token of a request still stands for whom it stood for."""
    polls, token = _polls(request), token_of(request)
    caller = request.scope.get("feint.caller")

    def lets() -> bool:
        try:
            return polls.tokens.caller(token) == caller
        except FeintError:  # revoked, or the store is away: they ask anew
            return False

    return lets


def _checked(request: Request, token: str, action: access.Action) -> Caller:
    found = _polls(request).tokens.caller(token)
    request.scope["feint.caller"], request.scope["feint.token"] = found, token
    access.check(found, action)
    return found


def _token(request: Request, bearer: HTTPAuthorizationCredentials | None, role: Role) -> str:
    if bearer is not None:
        return bearer.credentials
    cookies = _cookies(request, role)
    if not cookies:
        rule = "this page is not public"
        raise NotAllowed("token", "none", rule, "send one: Authorization: Bearer TOKEN")
    if request.method not in _SAFE and not _same_site(request):
        rule = f"with a cookie, whatever writes needs the header {ASKED}"
        raise NotAllowed("token", "a cookie", rule, f"send {ASKED}: 1")
    return cookies[0]


def _same_site(request: Request) -> bool:
    """Whether a page of ours asks: another site's can neither send the header nor hide itself."""
    fetched = request.headers.get("sec-fetch-site", "same-origin")
    return request.headers.get(ASKED) == "1" and fetched in ("same-origin", "none")
