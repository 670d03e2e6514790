"""The respondents' pages: what they receive is their sheet, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request, Response
from fastapi.sse import EventSourceResponse

from feint.poll import Caller
from feint.server import shapes, who
from feint.server.owner import Here
from feint.server.refusals import documented
from feint.server.who import may, seat, seated

router = APIRouter(prefix="/api", tags=["respondent"], responses=documented(404, 409))
Voter = Annotated[Caller, may("vote")]
Joining = Annotated[Caller, may("join")]


@router.get("/poll", response_model=shapes.Sheet)
async def sheet(polls: Here, caller: Voter) -> dict[str, Any]:
    """Give the open questions of one's poll, and one's own votes."""
    held = await run_sync(polls.sheet, str(caller.search), str(caller.person))
    return held.to_dict()


@router.post("/poll/votes")
async def vote(polls: Here, cast: shapes.Vote, caller: Voter) -> shapes.Done:
    """Vote; it can be changed until its question closes, and the same again is accepted."""
    await run_sync(polls.vote, str(caller.search), str(caller.person), cast.id, cast.yes)
    return shapes.Done()


@router.get("/poll/stream", response_class=EventSourceResponse)
async def stream(request: Request, caller: Voter) -> AsyncIterator[shapes.News]:
    """Tell which round of one's poll is open, whenever that changes."""
    async for news in request.app.state.streams.news(str(caller.search)):
        yield news


@router.post("/join", status_code=201)
def join(polls: Here, caller: Joining) -> shapes.Token:
    """Become a respondent by an open link: the token cannot be read again."""
    id, token = polls.join(caller)
    return shapes.Token(id=id, token=token)


@router.post("/session")
def sit(request: Request, response: Response, session: shapes.Session) -> shapes.Done:
    """Exchange a token for a cookie that no script can read and no other site can use."""
    caller = seated(request, session.token)
    seat(request, response, session.token, role=caller.role)
    return shapes.Done()


@router.delete("/session")
def leave(response: Response) -> shapes.Done:
    """Give the cookies back."""
    who.leave(response)
    return shapes.Done()
