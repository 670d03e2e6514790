"""`feint import`: go on with a search that was exported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import DatabaseFlags, Name, Server, place
from feint.cli.searches import standing
from feint.errors import BadState
from feint.exact import whole

From = Annotated[
    Path,
    flag("What `feint export` wrote.", "FILE", "The poll", "--from", exists=True, dir_okay=False),
]
Quorum = Annotated[
    str | None,
    flag("How many votes close a question. Default: you answer.", "COUNT", "The poll"),
]


def take_in(
    *,
    name: Name,
    source: From,
    quorum: Quorum = None,
    server: Server = None,
    where: DatabaseFlags,
) -> None:
    """Go on with a search that was exported, under a name that is free.

    Its answers come with it. Respondents are invited anew, and votes on questions that were still
    open are cast again.
    """
    from feint.journal.polls import Terms
    from feint.search import Search

    votes = None if quorum is None else whole(quorum, "--quorum", least=1)
    kept = place(server, where, create=True)
    try:
        search = Search.from_json(source.read_text("utf-8"))
    except UnicodeDecodeError:
        rule = "is not text in UTF-8, so no saved search"
        raise BadState("--from", source, rule, "name what feint export wrote") from None
    kept.take_in(name, search, terms=Terms(quorum=votes))
    show.lines(f"{name}: {standing(kept.status(name))}")
