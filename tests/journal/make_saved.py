"""Write the stored databases that later versions must open: python -m tests.journal.make_saved.

Each version's is written once, by the version itself, and never again.
"""

import sys
from pathlib import Path

from tests.support.journals import KEY, PLAN
from tests.support.polls import seat

from feint import Domain, Problem, plan
from feint.interfaces import OFFICE
from feint.journal import SQL, begin
from feint.journal.polls import Polls, Terms

SAVED = Path(__file__).parent / "saved"
NOISY = plan(Problem("1/16", "1/4", 2, p="0.8", confidence="0.8"), domain=Domain(0, 8))


def write(path: Path) -> None:
    """A search with a round answered and the next one shown, and a row."""
    store = SQL(f"sqlite:///{path}", key=KEY)
    search = begin(store, "price", PLAN, key=bytes(32))
    for query in search.ask():
        search.tell(query.id, True)
    search.ask()
    with store.transaction(OFFICE) as held:
        held.put("kind", "key", {"kept": True})
    store.close()


def write_polls(path: Path) -> None:
    """Two polls with some votes: one of three votes a question, and one under noise."""
    store = SQL(f"sqlite:///{path}", key=KEY)
    polls = Polls(store)
    polls.create("price", PLAN, terms=Terms(quorum=3), key=bytes(32))
    seat(polls, "price", "a", "b")
    polls.vote("price", "a", "q0.0", False)
    polls.vote("price", "a", "q0.0", True)
    polls.vote("price", "b", "q0.0", True)
    polls.create("share", NOISY, terms=Terms(quorum=1), key=bytes(32))
    seat(polls, "share", "a", "b")
    for person in ("a", "b"):
        polls.vote("share", person, polls.sheet("share", person).ballots[0].id, True)
    store.close()


if __name__ == "__main__":
    write(SAVED / sys.argv[1])
    (SAVED / "polls").mkdir(exist_ok=True)
    write_polls(SAVED / "polls" / sys.argv[1])
