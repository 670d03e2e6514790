"""Every call there is, once: what the clients offer, in words of HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from feint.problem import Preface, Query, Result
from feint.search import Search
from feint.server.client.wire import Call, at, names, nothing, once, queries, token, whole


def listed() -> Call[list[str]]:
    """The names of all searches."""
    return Call("GET", "/api/searches", names)


def overview() -> Call[dict[str, Any]]:
    """List all searches with where they stand, and say when they were restored from a backup."""
    return Call("GET", "/api/overview", whole)


def create(
    name: str,
    problem: Mapping[str, Any],
    terms: Mapping[str, Any],
    yes_means: str,
    preface: Preface,
) -> Call[dict[str, Any]]:
    """Begin a search from a problem."""
    new = {"name": name, "problem": dict(problem), "terms": dict(terms), "yes_means": yes_means}
    new |= {key: words for key, words in preface.to_dict().items() if words is not None}
    return Call("POST", "/api/searches", whole, new, once())


def take_in(name: str, search: Search, terms: Mapping[str, Any]) -> Call[dict[str, Any]]:
    """Go on with a search there."""
    new = {"name": name, "search": json.loads(search.to_json()), "terms": dict(terms)}
    return Call("POST", "/api/imports", whole, new, once())


def status(name: str) -> Call[dict[str, Any]]:
    """Where a search stands."""
    return Call("GET", at(name), whole)


def ask(name: str) -> Call[tuple[Query, ...]]:
    """The open questions."""
    return Call("GET", at(name, "/queries"), queries)


def tell(name: str, id: str, answer: bool) -> Call[None]:
    """An answer."""
    return Call("POST", at(name, "/answers"), nothing, _said(id, answer))


def found(name: str) -> Call[Result]:
    """The result, as the search itself says it: history, words and pictures are in it."""
    return Call("GET", at(name, "/export"), lambda held: _search(held).result)


def export(name: str) -> Call[Search]:
    """The whole search."""
    return Call("GET", at(name, "/export"), _search)


def _search(held: Any) -> Search:
    return Search.from_json(json.dumps(held))


def stand(name: str, how: str) -> Call[None]:
    """Pause, resume or archive it."""
    return Call("POST", at(name, f"/{how}"), nothing)


def delete(name: str) -> Call[None]:
    """Take it away."""
    return Call("DELETE", at(name), nothing)


def invite(name: str, label: str) -> Call[tuple[str, str]]:
    """A new respondent."""
    return Call("POST", at(name, "/respondents"), token, {"label": label}, once())


def renew(name: str, id: str) -> Call[tuple[str, str]]:
    """A new token for a respondent."""
    return Call("POST", at(name, f"/respondents/{quote(id, safe='')}/token"), token)


def revoke(name: str, id: str) -> Call[None]:
    """Let a respondent, or an open link, in no more."""
    return Call("DELETE", at(name, f"/respondents/{quote(id, safe='')}"), nothing)


def link(name: str, quota: int) -> Call[tuple[str, str]]:
    """An open link."""
    return Call("POST", at(name, "/links"), token, {"quota": quota})


def join() -> Call[tuple[str, str]]:
    """Become a respondent by an open link."""
    return Call("POST", "/api/join", token)


def sheet() -> Call[dict[str, Any]]:
    """What a respondent receives."""
    return Call("GET", "/api/poll", whole)


def vote(id: str, yes: bool) -> Call[None]:
    """A respondent's vote."""
    return Call("POST", "/api/poll/votes", nothing, _said(id, yes))


def _said(id: str, yes: bool) -> bytes:
    """Return a vote or an answer as JSON, a yes as long as a no.

    TLS shows how long a request is: without the space behind `true`, whoever sees the encrypted
    connection would know every vote.
    """
    return f'{{"id":{json.dumps(id)},"yes":{"true " if yes else "false"}}}'.encode()
