"""Who asks: a token in the Authorization header, or a session in a cookie.

A page exchanges a token for a session, which the browser keeps in a cookie. Cookies of earlier
versions hold the token itself, and are let in until a page exchanges them.
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
"""One for each role, so that an owner who tries a respondent's link is the owner still."""

HOST = "__Host-"
"""What names of cookies begin with on HTTPS: browsers take such a cookie from this host alone, and
over HTTPS alone. Over plain HTTP they would not take it at all."""

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
    """Return whom a browser's cookies stand for, in this role if they can be; None: nobody."""
    found = None
    for cookie in _cookies(request, role):
        with suppress(NotAllowed):  # it was revoked
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

    On HTTPS a cookie without the prefix may come from another site of the same domain, or from
    somebody on the network, who would have a respondent vote under another's name. It counts only
    if it holds a token of an earlier version, which knew no prefix.
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
    """Begin a session for a token, and give the browser a cookie that holds the session.

    No script can read it, and no other site can use it. A respondent's outlives the browser's
    window: whoever came by an open link would else be somebody new the next day, and have two
    votes. The owner's does not, and its session ends by itself.

    Raises:
        NotAllowed: It is no token, or one that has no sessions.
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
    if secure and COOKIES[role] in request.cookies:  # of an earlier version
        response.delete_cookie(COOKIES[role], path="/", httponly=True, samesite="strict")


def exchange(request: Request, response: Response, role: Role) -> None:
    """Exchange the token in a cookie of an earlier version for a session."""
    for cookie in _cookies(request, role)[:1]:
        credential = read_credential(cookie)
        if credential is None or not credential.is_session:
            with suppress(FeintError):  # it was revoked, or the store cannot be written now
                caller = _polls(request).tokens.caller(cookie)
                if caller.role == role:
                    seat(request, response, cookie, role=role)


def leave(request: Request, response: Response) -> None:
    """End the sessions that a request brings, and take the browser's cookies back."""
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
    """Return who has a token that may be exchanged for a cookie.

    Raises:
        NotAllowed: It may not.
    """
    return _checked(request, token, "sit")


def buckets(request: HTTPConnection) -> list[str]:
    """Return under which names a request is counted: one, or one for each cookie.

    However a token is written, and by whichever of its sessions, it is one and the same.
    """
    return [bucket(text) for text in _brought(request)]


def _brought(request: HTTPConnection) -> list[str]:
    """Return the tokens and sessions that a request brings, good or not."""
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    if scheme.lower() == "bearer" and token:
        return [token]
    names = [prefix + name for name in COOKIES.values() for prefix in (HOST, "")]
    return [request.cookies[name] for name in names if name in request.cookies]


def name_of(request: Request) -> str:
    """Return a name for who was let in, the same by every session; empty if nobody was."""
    caller: Caller | None = request.scope.get("feint.caller")
    return "" if caller is None else f"{caller.role} {caller.person} {caller.search}"


def until(request: Request) -> float | None:
    """Return when the session of a request ends, in seconds of the clock; None: at no set time."""
    caller: Caller | None = request.scope.get("feint.caller")
    return None if caller is None else caller.until


async def is_known(request: HTTPConnection) -> bool:
    """Return whether a request brings a token of this server, whatever it allows.

    A store that is away knows nobody; then True, so that the page says that it is away.
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
    """Return a function that says whether a request's token or session is still good."""
    polls, token = _polls(request), str(request.scope.get("feint.token", ""))
    caller = request.scope.get("feint.caller")

    def lets() -> bool:
        try:
            return polls.tokens.caller(token) == caller
        except FeintError:  # revoked, or the store is away: they ask anew
            return False

    return lets


def check_site(request: Request) -> None:
    """Refuse what a page of another site sends; a browser says whose page it is.

    Origin is on every request of a browser that writes; Sec-Fetch-Site, which older browsers do
    not send, and none sends to plain HTTP but of this machine, knows where a form came from too. A
    program sends neither.

    Raises:
        NotAllowed: Origin or Sec-Fetch-Site names another site.
    """
    origin = request.headers.get("origin")
    # A page of another site can send no X-Forwarded-Host, so anybody's word is good enough here.
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
            rule = f"with a cookie, whatever writes needs the header {ASKED}"
            raise NotAllowed("token", "a cookie", rule, f"send {ASKED}: 1")
    return cookies[0]
