"""`feint answer`: put the open questions to a person, as owner or as respondent."""

from __future__ import annotations

from typing import Annotated

import typer

from feint.cli import show
from feint.cli.flags.flag import argument
from feint.cli.flags.place import DatabaseFlags, Server, place, token

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
    """
    if name is None:
        _vote(server)
        return
    kept = place(server, where)
    while kept.status(name)["standing"] == "open":
        for query in kept.open(name):
            kept.answer(name, query.id, _yes(query.text))
    show.lines(f"{name}: {kept.status(name)['standing']}")


def _vote(server: str | None) -> None:
    from feint.client import Respondent

    if server is None:
        raise typer.BadParameter("a respondent answers on a server: give --server")
    respondent = Respondent(server, token())
    while True:
        sheet = respondent.sheet()
        left = [ballot for ballot in sheet["ballots"] if ballot["vote"] is None]
        if not left:
            break
        for ballot in left:
            respondent.vote(ballot["id"], _yes(ballot["text"]))
    show.lines(f"Nothing is open for you now; the poll is {sheet['standing']}.")


def _yes(text: str) -> bool:
    while True:
        word = str(typer.prompt(f"{text} [y/n]")).strip().lower()
        if word in ("y", "yes", "n", "no"):
            return word.startswith("y")
