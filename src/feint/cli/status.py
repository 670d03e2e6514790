"""`feint status`: what the search in a file is, and where it stands; no answer is shown."""

from __future__ import annotations

from feint.cli import show
from feint.cli.flags.flag import Json
from feint.cli.state import STATE, State, go_on


def status(*, state: State = STATE, json: Json = False) -> None:
    """Say what a search is for, what it takes and where it stands.

    Nothing is asked or changed, and no answer is shown.
    """
    from feint.cli.summary import document, summary
    from feint.search import load

    search = load(state)
    if json:
        show.as_json(document(search))
        return
    console = show.console()
    summary(search, console)
    what = "Show the result" if search.done else "Go on"
    show.say(console, f"\n{what} with: {go_on(state)}")
