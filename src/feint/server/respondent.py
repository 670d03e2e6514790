"""The respondents' pages: what they receive is their sheet, and nothing else."""

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
    """Give the open questions of one's poll, and one's own votes."""
    held = await run_sync(polls.sheet, str(caller.search), str(caller.person))
    return padding.reply(padding.sheet(held.to_dict()))


@router.post("/poll/votes", dependencies=[Depends(padding.evenly)], response_model=shapes.Done)
async def vote(request: Request, cast: shapes.Vote, caller: Voter) -> Response:
    """Vote; it can be changed until its question closes, and the same again is accepted.

    Send a yes at the length of a no, with a space behind it: {"id":"q0.0","yes":true } and
    {"id":"q0.0","yes":false}. Encryption hides what is sent and not how long it is, so whoever sees
    the connection could tell them apart otherwise.
    """
    vote = Vote(str(caller.person), cast.id, cast.yes)
    await request.app.state.batches.cast(str(caller.search), vote)
    return padding.receipt({"ok": True})


async def _placed(request: Request, polls: Here, caller: Voter) -> AsyncIterator[None]:
    """A dependency: a place for a stream of one's poll, or why there is none."""
    async with opened(request, polls, str(caller.search)):
        yield


@router.get("/poll/stream", dependencies=[Depends(_placed)], response_class=EventSourceResponse)
async def stream(request: Request, caller: Voter) -> AsyncIterator[shapes.News]:
    """Tell which round of one's poll is open, whenever that changes, until it is archived."""
    streams = request.app.state.streams
    async for news in told(request, streams, str(caller.search), ends=_over):
        yield news


async def own_site(request: Request) -> None:
    """A dependency: refuse pages of other sites."""
    check_site(request)


def _over(news: shapes.News) -> bool:
    return news.standing == "archived"


@router.post("/join", status_code=201)
def join(polls: Here, caller: Joining) -> shapes.Token:
    """Become a respondent by an open link: the token cannot be read again."""
    id, token = polls.join(caller)
    return shapes.Token(id=id, token=token)


@router.post("/session", dependencies=[Depends(own_site)])
def sit(request: Request, response: Response, session: shapes.Session) -> shapes.Done:
    """Exchange a token for a session, in a cookie that no script and no other site can use."""
    caller = seated(request, session.token)
    seat(request, response, session.token, role=caller.role)
    return shapes.Done()


@router.delete("/session", dependencies=[Depends(own_site)])
def leave(request: Request, response: Response) -> shapes.Done:
    """End one's sessions, and take the cookies back."""
    who.leave(request, response)
    return shapes.Done()
