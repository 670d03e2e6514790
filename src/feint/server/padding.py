"""Pad response bodies so that their length does not depend on answers.

TLS hides the content of a body but not its length: `true` and `false` differ by one byte. So every
value that depends on an answer, a vote or a result is wrapped in a `Secret`. Its bound is the
length of the longest JSON that the value could have, for any answers to the same questions. `body`
adds spaces for the difference. Everything outside a `Secret` follows from the questions and from
public facts: who voted on which question, how many people did, and when. The length of a body is
then

    length of the public part + sum of the longest lengths of its secrets,

and no term of it depends on an answer. Rounding lengths up to steps would not be enough: two bodies
on different sides of a step would still differ.

The functions `status`, `sheet`, `result` and `story` mark the secrets of each kind of body, and say
why their bounds hold. `receipt` builds replies to answers and votes, including errors, because
their length must not show whether answers contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from itertools import product
from typing import Any, Literal, NamedTuple

from fastapi import Request
from fastapi.responses import Response

from feint.errors import FeintError
from feint.exact import FLOAT_WIDTH
from feint.problem import Query, unreliable
from feint.search import Contradiction, Search

_WORD = len("false")  # the longest of true, false and null
_COUNTER = len(str((1 << 63) - 1))  # the longest counter in a database
_RECEIPT = 640
"""Bytes of a reply to an answer or a vote, including the phrase of its status.

The longest error whose text depends on answers, `AnswerFixed` for a sheet, has about 400 bytes; the
tests produce all of them. A longer error concerns a request that cannot be read. It depends only on
the form of that request, and is sent without padding.
"""
_SURENESS = 128
"""Bytes of the longest sentence about the sureness of a search, with its quotes.

Probabilities have at most 13 characters each. The sentence, and whether there is one, depends on
answers.
"""
_EVEN = "feint.even"
# The statuses of an answer or a vote, which depend on its content and on earlier ones.
_DECIDED = (200, 404, 409, 422)
_SIDES: tuple[Literal["below", "above"] | None, ...] = (None, "below", "above")


class Overlong(FeintError, RuntimeError):
    """A secret is longer than its bound, so the length of the response would reveal something."""


class Secret(NamedTuple):
    """Wrap a value of a body that depends on answers.

    Attributes:
        value: The value, ready for JSON.
        most: Bytes of the longest JSON that it could have, given the questions.
    """

    value: Any
    most: int


def body(document: Any) -> bytes:
    """Return a document with secrets as JSON, padded with spaces to its longest form.

    Raises:
        Overlong: A secret is longer than its bound.
    """
    spaces = 0

    def shown(node: Any) -> Any:
        nonlocal spaces
        if isinstance(node, Secret):
            spare = node.most - len(_json(node.value))
            if spare < 0:
                raise Overlong(f"a secret is {-spare} bytes longer than its bound; report this")
            spaces += spare
            return node.value
        if isinstance(node, Mapping):
            return {name: shown(value) for name, value in node.items()}
        return [shown(value) for value in node] if isinstance(node, list | tuple) else node

    return _json(shown(document)) + b" " * spaces


def reply(document: Any, status: int = 200) -> Response:
    """Return a padded response for a document with secrets."""
    return Response(body(document), status, media_type="application/json")


def receipt(document: Any, status: int = 200) -> Response:
    """Return a reply to an answer or a vote that has one length on the wire for every outcome.

    The phrase of the status stands before the body and varies in length, so the padding of the body
    compensates for it. All other headers are the same for every status that can depend on an
    answer.
    """
    room = _RECEIPT - len(HTTPStatus(status).phrase)
    return Response(_json(document).ljust(room), status, media_type="application/json")


async def evenly(request: Request) -> None:
    """Mark a request so that errors about it are sent as receipts too; use it as a dependency."""
    request.scope[_EVEN] = True


def is_even(request: Request) -> bool:
    """Return True if errors about a request must be sent as receipts."""
    return _EVEN in request.scope


def counted_as(scope: Mapping[str, Any], status: int) -> str:
    """Return the name under which a response is counted, one for all results of an answer.

    Metrics have one line per name. With one name per status, their length would show whether an
    answer was accepted or refused.
    """
    return "answered" if _EVEN in scope and status in _DECIDED else str(status)


def status(held: Mapping[str, Any]) -> dict[str, Any]:
    """Mark the tallies of a search's status, and its counter.

    The number of votes on a question is public, and bounds those for yes and those for no. The
    counter says how often the search was written, and refused answers are not written. So the
    counter has room for every number that a database can count to.
    """

    def counted(question: Mapping[str, Any]) -> dict[str, Any]:
        most = len(str(question["yes"] + question["no"]))
        tally = {name: Secret(question[name], most) for name in ("yes", "no")}
        return {**question, **tally}

    questions = [counted(question) for question in held["questions"]]
    return {**held, "counter": Secret(held["counter"], _COUNTER), "questions": questions}


def sheet(held: Mapping[str, Any]) -> dict[str, Any]:
    """Mark a respondent's own votes on their sheet: true, false, or null without a vote."""
    ballots = [{**ballot, "vote": _truth(ballot["vote"])} for ballot in held["ballots"]]
    return {**held, "ballots": ballots}


def result(search: Search) -> dict[str, Any]:
    """Mark the result of a search, as `Result.to_dict` returns it.

    `Search.widest` bounds the text of rationals, to which two quotes are added. A float has at most
    `FLOAT_WIDTH` characters. The x of whole values is an int and no longer than an end of its
    interval. Everything else follows from the plan.

    Raises:
        NotDone: There are unanswered questions.
    """
    held = search.result.to_dict()
    coordinates = held["coordinates"]
    pairs = zip(coordinates, search.widest, strict=True) if isinstance(coordinates, list) else ()
    marked = []
    for found, (estimate, end) in pairs:
        texts = {"estimate": estimate, "low": end, "high": end}
        quoted = {name: Secret(found[name], most + len('""')) for name, most in texts.items()}
        interval = [_float(each) for each in found["interval"]]
        shown = {"x": Secret(found["x"], max(FLOAT_WIDTH, end)), "interval": interval}
        marked.append({**found, **quoted, **shown, "alike": _truth(found["alike"])})
    shown = {"coordinates": marked, "consistent": _truth(held["consistent"])}
    if isinstance(counts := held.get("agreement"), list):  # their number is public
        shown["agreement"] = [Secret(counts[0], len(str(counts[1]))), counts[1]]
    return held | shown


def story(search: Search, told: Mapping[str, Any]) -> dict[str, Any]:
    """Mark the story of a search: answers, intervals known after each round, sureness, warnings.

    The ends of intervals are floats. The eavesdropper's beliefs and the numbers of rounds and
    questions follow from the questions.

    Args:
        search: The search.
        told: The story of the search, as `feint.server.story.told` returns it.
    """
    first, *others = [_line(line) for line in (told, *told["others"])]
    warned = Secret(told["warnings"], len(_json(_longest_warnings(search))))
    return {**first, "others": others, "warnings": warned}


def _line(told: Mapping[str, Any]) -> dict[str, Any]:
    """Mark the answers, known intervals and sureness of one number."""
    rounds = [
        {
            **each,
            "queries": [{**query, "yes": _truth(query["yes"])} for query in each["queries"]],
            "known": [_float(end) for end in each["known"]],
        }
        for each in told["rounds"]
    ]
    return {**told, "rounds": rounds, "sureness": Secret(told["sureness"], _SURENESS)}


def _longest_warnings(search: Search) -> list[str]:
    """Return a list of warnings as long as any that answers to the same questions could cause.

    A number has at most one contradiction, between two of its questions or between one and the
    range. Its result has at most one warning that all answers were alike. Each is taken in its
    longest form, with the question whose value has the longest text.
    """
    longest = dict[int, Query]()
    for row in search.history:
        query = search.query(row.id)
        if len(query.shown) >= len(longest.get(query.coordinate, query).shown):
            longest[query.coordinate] = query
    found = [
        contradictory(max((str(Contradiction(query, query, side)) for side in _SIDES), key=len))
        for query in longest.values()
    ]
    if search.done:
        for number, domain in zip(search.result.coordinates, search.domains, strict=True):
            forms = product((True, False), (domain.low, domain.high))
            alike = (replace(number, alike=yes, estimate=end).warning or "" for yes, end in forms)
            found.append(max(alike, key=len))
    noise, shown = search.plan.problem.noise, len(search.history)
    return found if noise is None else [*found, unreliable(shown, shown, noise)]


def contradictory(why: str) -> str:
    """Return the warning that answers cannot all be right."""
    return f"These answers cannot all be right: {why}."


def _truth(value: object) -> Secret:
    return Secret(value, _WORD)


def _float(value: float) -> Secret:
    return Secret(value, FLOAT_WIDTH)


def _json(document: Any) -> bytes:
    """Return compact JSON in UTF-8. All lengths are computed with it, so that they agree."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()
