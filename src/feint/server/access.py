"""Who may do what: the one table of roles and actions; nothing else decides it."""

from __future__ import annotations

from typing import Literal

from feint.errors import NotAllowed
from feint.journal.polls import Caller, Role

Action = Literal[
    "manage",  # create, list, import; pause, resume, archive, delete; invite, revoke
    "see all",  # status with votes, open queries, result, export, its stream
    "answer",  # tell answers where nobody votes
    "measure",  # read the metrics
    "plan",  # have plans made, drawn and audited
    "vote",  # fetch the open questions of one's own poll, vote, its stream
    "join",  # become a respondent by an open link
    "sit",  # begin a session, so that a browser has a cookie in place of the token
]

TABLE: dict[Role, frozenset[Action]] = {
    "owner": frozenset({"manage", "see all", "answer", "measure", "plan", "sit"}),
    "respondent": frozenset({"vote", "sit"}),
    "link": frozenset({"join"}),
}
"""The actions that each role may take. Everything else is refused."""


def check(caller: Caller, action: Action) -> None:
    """See that somebody may do something.

    Raises:
        NotAllowed: They may not.
    """
    if action not in TABLE[caller.role]:
        rule = f"this token does not allow to {action}"
        raise NotAllowed("token", f"a token of role {caller.role}", rule, "use another token")
