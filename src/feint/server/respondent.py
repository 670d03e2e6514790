"""The respondents' API routes. Respondents receive only their sheet."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request, Response
from fastapi.sse import EventSourceResponse

from feint.journal.polls import Caller, Vote
from feint.server import padding, shapes, who
from feint.server.owner import Here
from feint.server.refusals import documented
from feint.server.streams import opened, told
from feint.server.who import check_site, may, seat, seated

router = APIRouter(prefix="/api", tags=["respondent"], responses=documented(404, 409))
Voter = Annotated[Caller, may("vote")]
Joining = Annotated[Caller, may("join")]


@router.get("/poll", response_model=shapes.Sheet)
async def sheet(polls: Here, caller: Voter) -> Response:
    """Return the open questions of the respondent's poll, and their own votes."""
    held = await run_sync(polls.sheet, str(caller.search), str(caller.person))
    return padding.reply(padding.sheet(held.to_dict()))


@router.post("/poll/votes", dependencies=[Depends(padding.evenly)], response_model=shapes.Done)
async def vote(request: Request, cast: shapes.Vote, caller: Voter) -> Response:
    """Vote on a question. A vote can be changed until its question closes, and can be repeated.

    Send a yes with the length of a no, with a space after it: {"id":"q0.0","yes":true } and
    {"id":"q0.0","yes":false}. Encryption hides the content but not its length, so an observer of
    the connection could otherwise tell them apart.
    """
    vote = Vote(str(caller.person), cast.id, cast.yes)
    await request.app.state.batches.cast(str(caller.search), vote)
    return padding.receipt({"ok": True})


async def _placed(request: Request, polls: Here, caller: Voter) -> AsyncIterator[None]:
    """Open a stream of the respondent's poll, or raise an error; a dependency."""
    async with opened(request, polls, str(caller.search)):
        yield


@router.get("/poll/stream", dependencies=[Depends(_placed)], response_class=EventSourceResponse)
async def stream(request: Request, caller: Voter) -> AsyncIterator[shapes.News]:
    """Stream the open round of the respondent's poll at every change, until it is archived."""
    streams = request.app.state.streams
    async for news in told(request, streams, str(caller.search), ends=_over):
        yield news


async def own_site(request: Request) -> None:
    """Refuse requests from pages of other sites; a dependency."""
    check_site(request)


def _over(news: shapes.News) -> bool:
    return news.standing == "archived"


@router.post("/join", status_code=201)
def join(polls: Here, caller: Joining) -> shapes.Token:
    """Join a poll with an open link. The token is shown only once."""
    id, token = polls.join(caller)
    return shapes.Token(id=id, token=token)


@router.post("/session", dependencies=[Depends(own_site)])
def sit(request: Request, response: Response, session: shapes.Session) -> shapes.Done:
    """Exchange a token for a session cookie that no script and no other site can use."""
    caller = seated(request, session.token)
    seat(request, response, session.token, role=caller.role)
    return shapes.Done()


@router.delete("/session", dependencies=[Depends(own_site)])
def leave(request: Request, response: Response) -> shapes.Done:
    """End the caller's sessions and delete the cookies."""
    who.leave(request, response)
    return shapes.Done()
