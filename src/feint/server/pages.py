"""The pages: templates that our scripts fill, and the respondents' page, which needs no scripts."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from feint.errors import AnswerFixed, NotAllowed, SearchError, UnknownQuery, UnknownSearch
from feint.journal.polls import Ballot, Caller, Sheet
from feint.server import access, static
from feint.server.owner import Here
from feint.server.who import check_site, exchange, seat, sitting, was_respondent

router = APIRouter(include_in_schema=False)
_FULL = "Nobody else may join by this link. Ask the person who sent it for another."
_ENDED = (
    "Your invitation has ended: the poll was deleted, or its owner revoked the link."
    " If you have another link or code, enter it here."
)
_SIGN = 4  # the longest sign that stays beside a value: a currency, a percent sign, a question mark
_WRONG = "This code is not valid. Check your invitation."


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of one of our plain forms.

    Raises:
        NotAllowed: The form is on another site.
    """
    check_site(request)
    read = parse_qs((await request.body()).decode("utf-8", "replace"))
    return {name: values[-1] for name, values in read.items()}


Form = Annotated[dict[str, str], Depends(_form)]


def _environment() -> Environment:
    loader = PackageLoader("feint.server", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.globals["static"] = lambda name: f"/static/{static.version()}/{name}"
    return environment


_TEMPLATES = _environment()


def _page(template: str, *, status: int = 200, **words: Any) -> Response:
    return HTMLResponse(_TEMPLATES.get_template(template).render(**words), status)


def _phone(template: str, *, status: int = 200, **words: Any) -> Response:
    """Return a page with a plain form.

    A browser sends the Origin of a form only if the page allows a referrer. As on other pages, no
    other site receives it.
    """
    page = _page(template, status=status, **words)
    page.headers["Referrer-Policy"] = "same-origin"
    return page


@router.get("/")
def first(request: Request, polls: Here) -> Response:
    """Return the owner's list of searches, a respondent's questions, or the attack."""
    caller = sitting(request, "owner")
    if caller is not None and caller.role == "respondent":
        return RedirectResponse("/answer", 303)
    if caller is not None and caller.role == "owner" and polls.names():
        return _shell(request, "searches")
    return _shell(request, "attack")


@router.get("/attack")
def attack(request: Request) -> Response:
    """Return the page with an attack to watch."""
    return _shell(request, "attack")


@router.get("/searches")
def searches(request: Request) -> Response:
    """Return the list of all searches."""
    return _shell(request, "searches")


@router.get("/plan")
def plan(request: Request) -> Response:
    """Return the planner."""
    return _shell(request, "plan")


@router.get("/audit")
def audit(request: Request) -> Response:
    """Return the audit of a plan."""
    return _shell(request, "audit")


@router.get("/searches/{name}")
def search(request: Request, name: str) -> Response:
    """Return the page of one search."""
    return _shell(request, "search", name=name)


@router.get("/help")
def help_(request: Request) -> Response:
    """Return the explanation of the words on the pages."""
    return _shell(request, "help")


def missing(request: Request) -> Response:
    """Return the 404 page for people."""
    page = _shell(request, "missing")
    page.status_code = 404
    return page


@router.get("/reference")
def reference(request: Request) -> Response:
    """Return the reference of all addresses of the API."""
    return _shell(request, "reference")


def _shell(request: Request, view: str, **words: Any) -> Response:
    """Return a page that scripts fill; they request only the data that its visitor may see."""
    caller = sitting(request, "owner")
    owner = caller is not None and caller.role == "owner"
    docs = request.app.state.settings.docs
    page = _page(f"{view}.html", view=view, owner=owner, docs=docs, **words)
    if owner:
        exchange(request, page, "owner")
    return page


@router.get("/answer")
def answer(request: Request, polls: Here, again: str = "") -> Response:
    """Return a respondent's next question, or the form for the code of an invitation."""
    caller = sitting(request, "respondent")
    if caller is None or caller.role != "respondent":
        return _phone("code.html", wrong=_ENDED if was_respondent(request) else None)
    try:
        sheet = polls.sheet(*_seat(caller))
    except UnknownSearch:  # the search is being deleted
        return _phone("code.html", wrong=_ENDED)
    page = _phone("answer.html", sheet=sheet, **_turn(sheet, again))
    exchange(request, page, "respondent")
    return page


@router.post("/answer/code")
def code(request: Request, polls: Here, form: Form) -> Response:
    """Accept the code of an invitation, or of an open link, by a plain form.

    A person who opens an open link again in the same browser stays the same respondent, with one
    vote.
    """
    typed = form.get("code", "").strip().rpartition("=")[2]
    here = sitting(request, "respondent")
    try:
        caller = polls.tokens.caller(typed)
    except NotAllowed:
        return _phone("code.html", wrong=_WRONG, status=403)
    if caller.role == "link" and here is not None and here.search == caller.search:
        return RedirectResponse("/answer", 303)
    try:
        token = polls.join(caller)[1] if caller.role == "link" else typed
    except NotAllowed:
        return _phone("code.html", wrong=_FULL, status=403)
    made = RedirectResponse("/" if caller.role == "owner" else "/answer", 303)
    try:
        seat(request, made, token, role="owner" if caller.role == "owner" else "respondent")
    except NotAllowed:  # a session, or a token that was revoked a moment ago
        return _phone("code.html", wrong=_WRONG, status=403)
    return made


@router.post("/answer/vote")
def vote(request: Request, polls: Here, form: Form) -> Response:
    """Accept a vote by a plain form."""
    caller = sitting(request, "respondent")
    if caller is None:
        wrong = _ENDED if was_respondent(request) else None
        return _phone("code.html", wrong=wrong, status=401)
    access.check(caller, "vote")
    # If the question was closed meanwhile, the respondent sees the questions that are open now.
    with suppress(SearchError, UnknownQuery, UnknownSearch, AnswerFixed):
        if form.get("yes") in ("1", "0"):
            polls.vote(*_seat(caller), form.get("id", ""), form["yes"] == "1")
    return RedirectResponse("/answer", 303)


def _seat(caller: Caller) -> tuple[str, str]:
    return str(caller.search), str(caller.person)


def _turn(sheet: Sheet, again: str) -> dict[str, Any]:
    """Return the next question, and the one that can be answered again."""
    waiting = [ballot for ballot in sheet.ballots if ballot.vote is None and not ballot.closed]
    given = [ballot for ballot in sheet.ballots if ballot.vote is not None]
    still_open = [ballot for ballot in given if not ballot.closed]
    changed = [ballot for ballot in still_open if ballot.id == again]
    mine = (*changed, *waiting, None)[0]
    before = [ballot for ballot in still_open if ballot is not mine]
    return {
        "mine": mine,
        "words": ("", "", "") if mine is None else _words(mine),
        "number": len(given) + (0 if changed else 1),
        "total": len(given) + len(waiting),
        "before": before[-1] if before and not changed else None,
    }


def _words(ballot: Ballot) -> tuple[str, str, str]:
    """Split a question before and after its value; signs that touch the value stay beside it."""
    if not ballot.parts:  # a poll of an earlier version: the value is the last word
        head, _, shown = ballot.text.rstrip("?").rpartition(" ")
        return f"{head} ", f"{shown}?", ""
    before, shown, after = ballot.parts
    head, space, sign = before.rpartition(" ")
    if len(sign) <= _SIGN:  # such as the € of €20; a longer word goes on its own line
        before, shown = f"{head}{space}", sign + shown
    sign, space, tail = after.partition(" ")
    if len(sign) <= _SIGN:
        shown, after = shown + sign, f"{space}{tail}"
    return before, shown, after
