"""Identify the caller, by a token in the Authorization header or a session in a cookie.

A page exchanges a token for a session, which the browser keeps in a cookie. Cookies of earlier
versions hold the token itself, and are accepted until a page exchanges them.
"""

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
from feint.journal.polls import Caller, Polls, Role, bucket, read_credential
from feint.server import access

COOKIES: dict[Role, str] = {"owner": "feint", "respondent": "feint-respondent"}
"""The name of each role's cookie. An owner who tries a respondent's link stays the owner."""

HOST = "__Host-"
"""The prefix of cookie names on HTTPS. Browsers accept such a cookie only from this host and only
over HTTPS, so plain HTTP needs names without it."""

ASKED = "X-Feint-Request"
"""A header that pages of other sites cannot send. Requests that write with a cookie need it."""

LASTING = 400 * 24 * 3600
"""The seconds that a respondent's cookie lasts, which is the longest that browsers allow."""

_BEARER = HTTPBearer(auto_error=False, description="An owner's, respondent's or link's token.")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]
_SAFE = ("GET", "HEAD")


async def polls_of(request: Request) -> Polls:
    """Return the polls of this server; a coroutine, since it needs no thread."""
    return _polls(request)


def _polls(request: Request) -> Polls:
    polls: Polls = request.app.state.polls
    return polls


def may(action: access.Action) -> Any:
    """Return a dependency that returns the caller if they may do this.

    Raises:
        NotAllowed: There is no token, or it does not permit this.
    """

    async def caller(request: Request, bearer: Bearer) -> Caller:
        token = _token(request, bearer, "respondent" if action == "vote" else "owner")
        if _polls(request).near:  # a thread would take longer than the lookup itself
            return _checked(request, token, action)
        return await run_sync(_checked, request, token, action)

    return Depends(caller)


def sitting(request: Request, role: Role) -> Caller | None:
    """Return the caller of a browser's cookies, in this role if possible; None: no one."""
    found = None
    for cookie in _cookies(request, role):
        with suppress(NotAllowed):  # the session was revoked
            caller = _polls(request).tokens.caller(cookie)
            found = caller if found is None or caller.role == role else found
    if found is not None:
        request.scope["feint.caller"] = found
    return found


def was_respondent(request: Request) -> bool:
    """Return True if a browser has a respondent's cookie, even one that has ended."""
    name = COOKIES["respondent"]
    return name in request.cookies or HOST + name in request.cookies


def _cookies(request: Request, role: Role) -> list[str]:
    """Return a browser's cookies, the role's own first: earlier versions had one for both roles.

    On HTTPS a cookie without the prefix may come from another site of the same domain, or from an
    attacker on the network, who could make a respondent vote under another's name. It counts only
    if it holds a token of an earlier version, which had no prefix.
    """
    names = sorted(COOKIES.values(), key=lambda name: name != COOKIES[role])
    if request.url.scheme != "https":
        return [request.cookies[name] for name in names if name in request.cookies]
    found = []
    for name in names:
        plain = request.cookies.get(name)
        if HOST + name in request.cookies:
            found.append(request.cookies[HOST + name])
        elif plain is not None and read_credential(plain) is None:
            found.append(plain)
    return found


def seat(request: Request, response: Response, token: str, *, role: Role) -> None:
    """Start a session for a token, and give the browser a cookie that holds the session.

    No script can read it, and no other site can use it. A respondent's cookie survives the
    browser's window. Otherwise someone with an open link would be a new person the next day, with
    two votes. The owner's cookie does not survive, and its session expires.

    Raises:
        NotAllowed: It is not a token, or one without sessions.
    """
    _, session = _polls(request).tokens.sit(token, lasts=request.app.state.settings.session)
    secure = request.url.scheme == "https"
    response.set_cookie(
        HOST + COOKIES[role] if secure else COOKIES[role],
        session,
        max_age=LASTING if role == "respondent" else None,
        httponly=True,
        samesite="strict",
        secure=secure,
        path="/",
    )
    if secure and COOKIES[role] in request.cookies:  # a cookie of an earlier version
        response.delete_cookie(COOKIES[role], path="/", httponly=True, samesite="strict")


def exchange(request: Request, response: Response, role: Role) -> None:
    """Exchange the token in a cookie of an earlier version for a session."""
    for cookie in _cookies(request, role)[:1]:
        credential = read_credential(cookie)
        if credential is None or not credential.is_session:
            with suppress(FeintError):  # the token was revoked, or the store cannot be written now
                caller = _polls(request).tokens.caller(cookie)
                if caller.role == role:
                    seat(request, response, cookie, role=role)


def leave(request: Request, response: Response) -> None:
    """End the sessions of a request, and delete the browser's cookies."""
    for text in _brought(request):
        _polls(request).tokens.leave(text)
    secure = request.url.scheme == "https"
    for name in COOKIES.values():
        response.delete_cookie(name, path="/", httponly=True, samesite="strict")
        if secure:
            response.delete_cookie(
                HOST + name, path="/", httponly=True, samesite="strict", secure=True
            )


def seated(request: Request, token: str) -> Caller:
    """Return the owner of a token that may be exchanged for a cookie.

    Raises:
        NotAllowed: The token may not be exchanged.
    """
    return _checked(request, token, "sit")


def buckets(request: HTTPConnection) -> list[str]:
    """Return the names under which a request is rate-limited: one, or one per cookie.

    All spellings and sessions of a token share one name.
    """
    return [bucket(text) for text in _brought(request)]


def _brought(request: HTTPConnection) -> list[str]:
    """Return the tokens and sessions of a request, valid or not."""
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    if scheme.lower() == "bearer" and token:
        return [token]
    names = [prefix + name for name in COOKIES.values() for prefix in (HOST, "")]
    return [request.cookies[name] for name in names if name in request.cookies]


def name_of(request: Request) -> str:
    """Return a name for the caller, the same in every session; empty if there is none."""
    caller: Caller | None = request.scope.get("feint.caller")
    return "" if caller is None else f"{caller.role} {caller.person} {caller.search}"


def until(request: Request) -> float | None:
    """Return the time at which a request's session ends, in seconds of the clock; None: never."""
    caller: Caller | None = request.scope.get("feint.caller")
    return None if caller is None else caller.until


async def is_known(request: HTTPConnection) -> bool:
    """Return True if a request has a token of this server, with any permission.

    If the store is unavailable, return True, so that the page reports that.
    """
    tokens = request.app.state.polls.tokens

    def known() -> bool:
        for token in _brought(request):
            with suppress(NotAllowed):
                tokens.caller(token)
                return True
        return False

    try:
        return await run_sync(known)
    except Unavailable:
        return True


def let_in(request: Request) -> Callable[[], bool]:
    """Return a function that returns True while a request's token or session is valid."""
    polls, token = _polls(request), str(request.scope.get("feint.token", ""))
    caller = request.scope.get("feint.caller")

    def lets() -> bool:
        try:
            return polls.tokens.caller(token) == caller
        except FeintError:  # revoked, or the store is unavailable: the client must reconnect
            return False

    return lets


def check_site(request: Request) -> None:
    """Refuse requests from pages of other sites, by the browser's headers.

    Browsers send Origin with every request that writes. Sec-Fetch-Site also covers forms, but older
    browsers do not send it, and over plain HTTP it is sent only to this machine. Programs send
    neither.

    Raises:
        NotAllowed: Origin or Sec-Fetch-Site names another site.
    """
    origin = request.headers.get("origin")
    # A page of another site cannot send X-Forwarded-Host, so it can be trusted here.
    hosts = (request.headers.get("host"), request.headers.get("x-forwarded-host"))
    own = [f"{request.url.scheme}://{host}".lower() for host in hosts if host]
    if origin is not None and origin.lower() not in own:
        rule = "is not this server's own"
        remedy = "use a page of this server; a proxy must pass Host and X-Forwarded-Proto"
        raise NotAllowed("Origin", "that of another site", rule, remedy)
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        rule = "forms and pages of this server are taken"
        raise NotAllowed("Sec-Fetch-Site", "another site's", rule, "open the page here")


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
    if request.method not in _SAFE:
        check_site(request)
        if request.headers.get(ASKED) != "1":
            rule = f"with a cookie, writing requests need the header {ASKED}"
            raise NotAllowed("token", "a cookie", rule, f"send {ASKED}: 1")
    return cookies[0]
