"""`feint answer`: put the open questions to a person, as owner or as respondent."""

from __future__ import annotations

from typing import Annotated

import typer

from feint.cli import show
from feint.cli.flags.flag import argument
from feint.cli.flags.place import DatabaseFlags, Server, place, token
from feint.errors import NotOpen

Asked = Annotated[
    str | None,
    argument(
        "What the search is called, for its owner; a respondent's token says it.",
        "SEARCH",
        "The search",
    ),
]


def answer(*, name: Asked = None, server: Server = None, where: DatabaseFlags) -> None:
    """Answer the questions that are open, one after the other.

    Answers are typed, and never given as flags, which others could read.

    Once every question is answered, its owner is told what was found.
    """
    if name is None:
        _vote(server)
        return
    kept = place(server, where)
    if kept.status(name)["terms"]["quorum"] is not None:
        raise NotOpen("respondents vote in this poll, and the majority is the answer")
    while kept.status(name)["standing"] == "open":
        for query in kept.open(name):
            kept.answer(name, query.id, _yes(query.text, query.note))
    standing = kept.status(name)["standing"]
    show.lines(f"{name}: {standing}")
    if standing == "done":
        show.lines(*str(kept.result(name)).splitlines())


def _vote(server: str | None) -> None:
    from feint.server.client import Respondent

    if server is None:
        raise typer.BadParameter("a respondent answers on a server: give --server")
    respondent = Respondent(server, token())
    while True:
        sheet = respondent.sheet()
        left = [ballot for ballot in sheet["ballots"] if ballot["vote"] is None]
        if not left:
            break
        for ballot in left:
            respondent.vote(ballot["id"], _yes(ballot["text"], ballot["note"]))
    show.lines(f"Nothing is open for you now; the poll is {sheet['standing']}.")


def _yes(text: str, note: str) -> bool:
    asked = f"{text} ({note})" if note else text
    while True:
        word = str(typer.prompt(f"{asked} [y/n]")).strip().lower()
        if word in ("y", "yes", "n", "no"):
            return word.startswith("y")
