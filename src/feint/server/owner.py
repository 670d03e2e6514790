"""The owner's API routes: parse, call the polls, render."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.responses import Response
from fastapi.sse import EventSourceResponse

from feint.errors import BadState, TooLarge
from feint.journal.polls import Polls
from feint.planning import Plan
from feint.problem import Preface, Query
from feint.search import Search
from feint.server import padding, shapes
from feint.server.refusals import documented
from feint.server.streams import opened, told
from feint.server.who import may, polls_of

router = APIRouter(prefix="/api", tags=["owner"], responses=documented(404, 409))
Here = Annotated[Polls, Depends(polls_of)]
Named = Annotated[str, Path(min_length=1, max_length=200)]
Once = Annotated[str | None, Header(alias="Idempotency-Key", max_length=64)]
Answer = dict[str, Any]


@router.post(
    "/searches", status_code=201, dependencies=[may("manage")], response_model=shapes.Status
)
def create(request: Request, polls: Here, new: shapes.NewSearch, once: Once = None) -> Response:
    """Create a search from a problem, and show its first round."""
    plan, domains = new.problem.plan()
    _check(request, plan)
    polls.create(
        new.name,
        plan,
        terms=new.terms.terms(),
        yes_means=new.yes_means,
        domains=domains,
        preface=Preface(asker=new.asker, introduction=new.introduction),
        id=once,
    )
    return _stands(polls, new.name, 201)


@router.post(
    "/imports", status_code=201, dependencies=[may("manage")], response_model=shapes.Status
)
def take_in(request: Request, polls: Here, new: shapes.Imported, once: Once = None) -> Response:
    """Import a search from `Search.to_json` or an export, or create one from a plan.

    Send the search unchanged: its length does not depend on its answers.
    """
    search = Search.from_json(_written(new.search))
    _check(request, search.plan)
    polls.take_in(new.name, search, terms=new.terms.terms(), id=once)
    return _stands(polls, new.name, 201)


@router.get("/searches", dependencies=[may("manage")], response_model=shapes.Names)
def names(polls: Here) -> Answer:
    """List all searches."""
    return {"searches": polls.names()}


@router.get("/searches/{name}", dependencies=[may("see all")], response_model=shapes.Status)
def status(polls: Here, name: Named) -> Response:
    """Return the status of a search, with its votes. Secret."""
    return _stands(polls, name)


@router.get(
    "/searches/{name}/queries", dependencies=[may("see all")], response_model=shapes.Queries
)
def queries(polls: Here, name: Named) -> Answer:
    """Return the questions without an answer."""
    return {"queries": [query.to_dict() | _more(query) for query in polls.open(name)]}


@router.post(
    "/searches/{name}/answers",
    dependencies=[may("answer"), Depends(padding.evenly)],
    response_model=shapes.Done,
)
def answer(polls: Here, name: Named, told: shapes.Vote) -> Response:
    """Answer a question of a search without respondents. Repeating an answer is accepted.

    Send both answers with the same length, as with a vote, because encryption does not hide
    lengths.
    """
    polls.answer(name, told.id, told.yes)
    return padding.receipt({"ok": True})


@router.get("/searches/{name}/result", dependencies=[may("see all")], response_model=dict[str, Any])
def result(polls: Here, name: Named) -> Response:
    """Return the result. Secret."""
    return padding.reply(padding.result(polls.search(name)))


@router.get("/searches/{name}/export", dependencies=[may("see all")])
def export(polls: Here, name: Named) -> Response:
    """Export the whole search with its key and answers, to continue it elsewhere. Secret.

    Respondents, and votes on open questions, are not included.
    """
    return Response(polls.search(name).to_json(), media_type="application/json")


@router.post("/searches/{name}/pause", dependencies=[may("manage")])
def pause(polls: Here, name: Named) -> shapes.Done:
    """Pause a poll: it accepts no votes until it is resumed."""
    polls.pause(name)
    return shapes.Done()


@router.post("/searches/{name}/resume", dependencies=[may("manage")])
def resume(polls: Here, name: Named) -> shapes.Done:
    """Resume a paused poll."""
    polls.resume(name)
    return shapes.Done()


@router.post("/searches/{name}/archive", dependencies=[may("manage")])
def archive(polls: Here, name: Named) -> shapes.Done:
    """Archive a poll: it accepts no more votes, and keeps its data."""
    polls.archive(name)
    return shapes.Done()


@router.delete("/searches/{name}", dependencies=[may("manage")])
def delete(polls: Here, name: Named) -> shapes.Done:
    """Delete a search and its key permanently. An unknown name is accepted."""
    polls.delete(name)
    return shapes.Done()


@router.post("/searches/{name}/respondents", status_code=201, dependencies=[may("manage")])
def invite(polls: Here, name: Named, new: shapes.NewRespondent, once: Once = None) -> shapes.Token:
    """Invite a respondent. Their token is shown only once."""
    id, token = polls.invite(name, label=new.label, id=once)
    return shapes.Token(id=id, token=token)


@router.get("/searches/{name}/respondents", dependencies=[may("manage")])
def respondents(polls: Here, name: Named) -> shapes.Respondents:
    """List the respondents."""
    return shapes.Respondents(respondents=polls.respondents(name))


@router.delete("/searches/{name}/respondents/{id}", dependencies=[may("manage")])
def revoke(polls: Here, name: Named, id: Named) -> shapes.Done:
    """Revoke the access of a respondent or an open link."""
    polls.revoke(name, id)
    return shapes.Done()


@router.post("/searches/{name}/respondents/{id}/token", dependencies=[may("manage")])
def renew(polls: Here, name: Named, id: Named) -> shapes.Token:
    """Give a respondent a new token. The old one is revoked, and their votes stay."""
    return shapes.Token(id=id, token=polls.renew(name, id))


@router.post("/searches/{name}/links", status_code=201, dependencies=[may("manage")])
def link(polls: Here, name: Named, new: shapes.NewLink) -> shapes.Token:
    """Create an open link, with which people may join up to its quota."""
    id, token = polls.link(name, quota=new.quota)
    return shapes.Token(id=id, token=token)


async def placed(request: Request, polls: Here, name: Named) -> AsyncIterator[None]:
    """Open a stream of a search, or raise an error; a dependency."""
    async with opened(request, polls, name):
        yield


@router.get(
    "/searches/{name}/stream",
    dependencies=[may("see all"), Depends(placed)],
    response_class=EventSourceResponse,
)
async def stream(request: Request, name: Named) -> AsyncIterator[shapes.News]:
    """Stream the status of a search at every change."""
    async for news in told(request, request.app.state.streams, name):
        yield news


def _written(search: Answer) -> str:
    """Return a saved search as text.

    Raises:
        BadState: It is nested too deeply.
    """
    try:
        return json.dumps(search)
    except RecursionError:
        rule = "not a saved search: it is nested too deeply"
        raise BadState(
            "search", "something else", rule, "send the output of Search.to_json()"
        ) from None


def _stands(polls: Polls, name: str, code: int = 200) -> Response:
    """Return the status of a search, padded so that its length does not depend on the votes."""
    held = shapes.Status(**polls.status(name))
    return padding.reply(padding.status(held.model_dump()), code)


def _more(query: Query) -> Answer:
    """Return the additional fields from which a client rebuilds the query."""
    more = {"shown": query.shown, "sample": query.sample, "samples": query.samples}
    return more | {"unit": query.unit, "question": query.question}


def _check(request: Request, plan: Plan) -> None:
    most = request.app.state.settings.queries
    if plan.queries > most:
        rule = f"a poll here has at most {most} questions"
        raise TooLarge("queries", plan.queries, rule, "raise epsilon, or set up the server for it")
