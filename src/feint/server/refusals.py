"""Errors as JSON: one form, a status for each kind, and no secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from feint.errors import (
    AnswerFixed,
    BadState,
    FeintError,
    InvalidValue,
    NameTaken,
    NotAllowed,
    NumberTaken,
    SearchError,
    Unavailable,
    UnknownQuery,
    UnknownSearch,
    WrongKey,
)
from feint.server import padding

_STATUS: tuple[tuple[type[FeintError], int], ...] = (
    (NotAllowed, 403),
    (UnknownSearch, 404),
    (UnknownQuery, 404),
    (NameTaken, 409),
    (AnswerFixed, 409),
    (SearchError, 409),
    (NumberTaken, 503),
    (Unavailable, 503),
    (WrongKey, 503),
    (BadState, 422),
    (InvalidValue, 422),
)
_CODES = {
    400: "bad_request",
    401: "no_token",
    403: "not_allowed",
    404: "not_found",
    405: "no_such_method",
    409: "conflict",
    413: "too_long",
    415: "wrong_type",
    422: "invalid",
    429: "too_often",
    500: "internal",
    503: "unavailable",
}

SAID = {
    401: "a body this long needs a token of this server; send one: Authorization: Bearer TOKEN",
    404: "there is no such page",
    405: "this page has no such method",
    413: "the body is longer than this page takes; send less",
    429: "too many streams are open under this token; close one, then open another",
}


class Reason(BaseModel):
    """The description of an error.

    Attributes:
        code: The kind of the error, such as search_done, or of the status.
        message: The problem and the remedy, in one sentence.
    """

    code: str
    message: str


class Refusal(BaseModel):
    """The form of every error.

    Attributes:
        error: The description of the error.
    """

    error: Reason


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route, for the reference."""
    always = (400, 401, 403, 413, 422, 429, 503)
    return {status: {"model": Refusal} for status in sorted({*always, *statuses})}


def refusal(
    status: int,
    message: str,
    *,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return an error as a response."""
    return JSONResponse(_held(status, message, code), status, headers=dict(headers or {}))


def _held(status: int, message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"code": code or _CODES.get(status, "refused"), "message": message}}


def install(app: FastAPI, *, missing: Callable[[Request], Response]) -> None:
    """Send every error of an application in this form.

    Args:
        app: The application.
        missing: A function that makes the page for people who look for one that does not exist.
    """
    app.state.missing = missing
    app.add_exception_handler(FeintError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def _ours(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    if isinstance(error, NotAllowed) and request.scope.get("feint.caller") is None:
        return refusal(401, str(error), headers={"WWW-Authenticate": "Bearer"})
    if status < 500 and padding.is_even(request):
        # Contradicting answers are refused, and the length must not show it.
        return padding.receipt(_held(status, _worded(error), code_of(type(error))), status)
    headers = {"Retry-After": "1"} if status == 503 else {}
    return refusal(status, _worded(error), code=code_of(type(error)), headers=headers)


def code_of(kind: type[Exception]) -> str:
    """Return the code of an error: search_done for SearchDone."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def _worded(error: Exception) -> str:
    if isinstance(error, NumberTaken):
        return "somebody else went on in the same moment; try again"
    return str(error)


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Return the errors in a request by place and rule, without repeating its content."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    said = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found[:5]]
    plain = "; ".join(said).encode("utf-8", "replace").decode()
    return refusal(422, (plain or "it cannot be read")[:1000])


def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404 and _wants_page(request):
        page: Response = request.app.state.missing(request)
        return page
    headers = error.headers if isinstance(error, HTTPException) else None
    return refusal(status, SAID.get(status, "the request cannot be read"), headers=headers)


def _wants_page(request: Request) -> bool:
    """Return True if a request asks for HTML, which programs do not."""
    wanted = request.method in ("GET", "HEAD") and not request.url.path.startswith("/api/")
    return wanted and "text/html" in request.headers.get("accept", "")
