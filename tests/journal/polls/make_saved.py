"""Write a stored poll whose tokens later versions must know.

    python -m tests.journal.polls.make_saved NAME

Each version's is written once, by the version itself, and never again.
"""

import json
import sys
from pathlib import Path

from tests.support.journals import KEY, PLAN

from feint.journal import SQL
from feint.journal.polls import Polls, Terms

SAVED = Path(__file__).parent / "saved"


def write(name: str) -> None:
    """A poll with two respondents, one of them revoked, an open link, and the owner's token."""
    store = SQL(f"sqlite:///{SAVED}/{name}.db", key=KEY)
    polls = Polls(store)
    polls.create("price", PLAN, terms=Terms(quorum=1), key=bytes(32))
    person, token = polls.invite("price", label="anna")
    revoked, gone = polls.invite("price", label="berta")
    polls.revoke("price", revoked)
    link, open_link = polls.link("price", quota=2)
    held = {
        "owner": polls.tokens.own(),
        "person": person,
        "respondent": token,
        "revoked": gone,
        "link": link,
        "open link": open_link,
    }
    store.close()
    (SAVED / f"{name}.json").write_text(json.dumps(held, indent=1) + "\n")


if __name__ == "__main__":
    write(sys.argv[1])
