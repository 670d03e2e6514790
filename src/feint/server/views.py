"""The API routes of the pages: stories of searches, sheets, plans, audits and the attack."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from typing import Annotated, Any, TextIO

from fastapi import APIRouter, Body, Depends, Request
from fastapi.responses import JSONResponse, Response
from fastapi.sse import EventSourceResponse

from feint.errors import InvalidValue
from feint.exact import rational, text
from feint.exact.sheets import as_text
from feint.journal.polls import Caller
from feint.search import Search, export_round, import_answers
from feint.server import padding, planner, shapes, streams
from feint.server.owner import Here, Named, placed
from feint.server.refusals import code_of
from feint.server.story import asked, told
from feint.server.turns import Turns
from feint.server.who import may

router = APIRouter(prefix="/api", include_in_schema=False)
Planning = Annotated[Caller, may("plan")]


@router.get("/overview", dependencies=[may("manage")])
def overview(polls: Here) -> shapes.Overview:
    """List all searches with their status, without answers.

    A search that is not a poll is listed only by name, so that its owner can delete it.
    """
    rows = [{"standing": "no poll"} | row for row in polls.overview()]
    listed = [shapes.Listed(**row) for row in rows]
    return shapes.Overview(searches=listed, restored=polls.restored())


@router.get("/searches/{name}/story", dependencies=[may("see all")])
def lanes(polls: Here, name: Named) -> Response:
    """Return both lanes of a search: the owner's knowledge, and a listener's belief. Secret."""
    search = polls.search(name, whole=False)
    beside = {
        "deadline": polls.deadline(name),
        "turnout": polls.turnout(name),
        "links": polls.links(name),
    }
    found = padding.result(search) if search.done else None
    return padding.reply(padding.story(search, told(search)) | beside | {"result": found})


@router.get("/searches/{name}/transcript", dependencies=[may("see all")])
def transcript(polls: Here, name: Named) -> shapes.Overheard:
    """Return every question shown, in order, without answers."""
    return shapes.Overheard(queries=_asked(polls, name))


@router.get(
    "/searches/{name}/transcript.csv", dependencies=[may("see all")], response_class=Response
)
def transcript_csv(polls: Here, name: Named) -> Response:
    """Return the transcript as a CSV file."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(("id", "round", "phase", "label", "value"))
    for each in _asked(polls, name):
        label = as_text(each.label or "")
        writer.writerow((each.id, each.round, as_text(each.phase), label, each.value))
    return _file(sheet.getvalue(), "transcript.csv")


@router.get("/searches/{name}/round.csv", dependencies=[may("see all")], response_class=Response)
def round_csv(polls: Here, name: Named) -> Response:
    """Return the open questions as a sheet to fill in."""
    written = io.StringIO()
    export_round(polls.search(name, whole=False), written)
    return _file(written.getvalue(), "round.csv")


@router.post("/searches/{name}/sheet", dependencies=[may("answer"), Depends(padding.evenly)])
def sheet(
    polls: Here, name: Named, filled: Annotated[bytes, Body(media_type="text/csv")]
) -> Response:
    """Record the answers of a sheet, all or none, with the same checks as the command line."""
    trial = polls.search(name, whole=False)
    count = _imported(trial, io.TextIOWrapper(io.BytesIO(filled), "utf-8", newline=""))
    told = {each.id: trial.told(each.id) for each in trial.current}
    polls.answer_all(name, {id: yes for id, yes in told.items() if yes is not None})
    return padding.receipt(shapes.Taken(answers=count).model_dump())


@router.get(
    "/searches/{name}/watch",
    dependencies=[may("see all"), Depends(placed)],
    response_class=EventSourceResponse,
)
async def watch(request: Request, name: Named) -> AsyncIterator[shapes.Tally]:
    """Stream every change of a search to its owner, votes included."""
    async for news in streams.told(request, request.app.state.watching, name):
        yield news


@router.post("/plan")
async def plan(request: Request, new: shapes.NewProblem, caller: Planning) -> Response:
    """Return the recommended plan with its cost and promise."""
    return await _turn(request, caller, "plan", _or_mended, planner.planned, new)


@router.post("/plan/methods")
async def methods(request: Request, new: shapes.NewProblem, caller: Planning) -> Response:
    """Return a plan of every method."""
    return await _turn(request, caller, "methods", _or_mended, planner.methods, new)


@router.post("/plan/frontier")
async def frontier(request: Request, new: shapes.NewProblem, caller: Planning) -> Response:
    """Return the trade-off between questions and rounds."""
    return await _turn(request, caller, "frontier", _or_mended, planner.trades, new)


@router.post("/plan/example")
async def example(request: Request, wanted: shapes.Example, caller: Planning) -> Response:
    """Play a plan for a given number, with a listener's belief."""
    return await _turn(request, caller, "example", _example, wanted)


@router.post("/audit")
async def audited(request: Request, new: shapes.NewProblem, caller: Planning) -> Response:
    """Return the success of eavesdroppers against a plan."""
    return await _turn(request, caller, "audit", _or_mended, planner.audited, new)


@router.post("/attack")
async def attack(request: Request, hidden: shapes.HiddenNumber) -> Response:
    """Play four methods on a market, with a listener's beliefs."""
    turns: Turns = request.app.state.turns
    who = f"attack {request.client.host if request.client else ''}"
    return JSONResponse(await turns.run(who, planner.attack, hidden.cell))


async def _turn(request: Request, caller: Caller, kind: str, work: Any, *given: Any) -> Response:
    turns: Turns = request.app.state.turns
    return JSONResponse(await turns.run(f"{kind} {caller.role} {caller.person}", work, *given))


def _or_mended(work: Any, new: shapes.NewProblem) -> Any:
    """Return the plan; if it is impossible, the reason and the changes that would help."""
    try:
        return {"ok": True, "found": work(new)}
    except InvalidValue as error:
        kind = code_of(type(error))
        said = {"code": kind, "argument": error.argument, "message": str(error)}
        words = {"rule": error.rule, "remedy": error.remedy}
        return {"ok": False, "error": said | words, "mends": planner.mends(new, error)}


def _example(wanted: shapes.Example) -> Any:
    number = rational(wanted.number, "number")
    return _or_mended(lambda new: planner.example(new, number, seed=wanted.seed), wanted.problem)


def _asked(polls: Here, name: str) -> list[shapes.Asked]:
    search = polls.search(name, whole=False)
    return [
        shapes.Asked(
            id=query.id,
            round=query.round,
            phase=query.phase,
            label=query.label,
            value=query.shown,
            exact=text(query.value),
        )
        for queries in asked(search)
        for query in queries
    ]


def _imported(search: Search, filled: TextIO) -> int:
    try:
        return import_answers(search, filled)
    except InvalidValue as error:
        if error.argument != "path":
            raise
        raise type(error)("sheet", "a file", error.rule, error.remedy) from None


def _file(held: str, name: str) -> Response:
    header = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(held, media_type="text/csv; charset=utf-8", headers=header)
