"""Define every call of the clients as an HTTP request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from feint.problem import Preface, Query, Result
from feint.search import Search
from feint.server.client.wire import Call, at, names, nothing, once, queries, token, whole


def listed() -> Call[list[str]]:
    """Build the call that lists the names of all searches."""
    return Call("GET", "/api/searches", names)


def overview() -> Call[dict[str, Any]]:
    """Build the call that lists all searches with their status."""
    return Call("GET", "/api/overview", whole)


def create(
    name: str,
    problem: Mapping[str, Any],
    terms: Mapping[str, Any],
    yes_means: str,
    preface: Preface,
) -> Call[dict[str, Any]]:
    """Build the call that creates a search from a problem."""
    new = {"name": name, "problem": dict(problem), "terms": dict(terms), "yes_means": yes_means}
    new |= {key: words for key, words in preface.to_dict().items() if words is not None}
    return Call("POST", "/api/searches", whole, new, once())


def take_in(name: str, search: Search, terms: Mapping[str, Any]) -> Call[dict[str, Any]]:
    """Build the call that imports a search."""
    new = {"name": name, "search": json.loads(search.to_json()), "terms": dict(terms)}
    return Call("POST", "/api/imports", whole, new, once())


def status(name: str) -> Call[dict[str, Any]]:
    """Build the call for the status of a search."""
    return Call("GET", at(name), whole)


def ask(name: str) -> Call[tuple[Query, ...]]:
    """Build the call for the open questions."""
    return Call("GET", at(name, "/queries"), queries)


def tell(name: str, id: str, answer: bool) -> Call[None]:
    """Build the call that records an answer."""
    return Call("POST", at(name, "/answers"), nothing, _said(id, answer))


def found(name: str) -> Call[Result]:
    """Build the call for the result, with history, words and pictures."""
    return Call("GET", at(name, "/export"), lambda held: _search(held).result)


def export(name: str) -> Call[Search]:
    """Build the call that exports the whole search."""
    return Call("GET", at(name, "/export"), _search)


def _search(held: Any) -> Search:
    return Search.from_json(json.dumps(held))


def stand(name: str, how: str) -> Call[None]:
    """Build the call that pauses, resumes or archives a poll."""
    return Call("POST", at(name, f"/{how}"), nothing)


def delete(name: str) -> Call[None]:
    """Build the call that deletes a search."""
    return Call("DELETE", at(name), nothing)


def invite(name: str, label: str) -> Call[tuple[str, str]]:
    """Build the call that invites a respondent."""
    return Call("POST", at(name, "/respondents"), token, {"label": label}, once())


def renew(name: str, id: str) -> Call[tuple[str, str]]:
    """Build the call that gives a respondent a new token."""
    return Call("POST", at(name, f"/respondents/{quote(id, safe='')}/token"), token)


def revoke(name: str, id: str) -> Call[None]:
    """Build the call that revokes a respondent or an open link."""
    return Call("DELETE", at(name, f"/respondents/{quote(id, safe='')}"), nothing)


def link(name: str, quota: int) -> Call[tuple[str, str]]:
    """Build the call that creates an open link."""
    return Call("POST", at(name, "/links"), token, {"quota": quota})


def join() -> Call[tuple[str, str]]:
    """Build the call that joins a poll with an open link."""
    return Call("POST", "/api/join", token)


def sheet() -> Call[dict[str, Any]]:
    """Build the call for a respondent's sheet."""
    return Call("GET", "/api/poll", whole)


def vote(id: str, yes: bool) -> Call[None]:
    """Build the call that votes."""
    return Call("POST", "/api/poll/votes", nothing, _said(id, yes))


def _said(id: str, yes: bool) -> bytes:
    """Return a vote or an answer as JSON, a yes as long as a no.

    TLS does not hide lengths: without the space after `true`, an observer of the encrypted
    connection would know every vote.
    """
    return f'{{"id":{json.dumps(id)},"yes":{"true " if yes else "false"}}}'.encode()
