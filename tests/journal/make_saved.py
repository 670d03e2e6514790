"""Write the stored databases that later versions must open: python -m tests.journal.make_saved.

Each version's is written once, by the version itself, and never again.
"""

import sys
from pathlib import Path

from tests.support.journals import KEY, PLAN

from feint.interfaces import OFFICE
from feint.journal import SQL, begin

SAVED = Path(__file__).parent / "saved"


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


if __name__ == "__main__":
    write(SAVED / sys.argv[1])
