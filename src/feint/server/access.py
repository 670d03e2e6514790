"""Decide which role may do which action. This table is the only place that does."""

from __future__ import annotations

from typing import Literal

from feint.errors import NotAllowed
from feint.journal.polls import Caller, Role

Action = Literal[
    "manage",  # create, list, import; pause, resume, archive, delete; invite, revoke
    "see all",  # status with votes, open queries, result, export, its stream
    "answer",  # answer questions of searches without respondents
    "measure",  # read the metrics
    "plan",  # plan, draw and audit
    "vote",  # fetch the open questions of the respondent's poll, vote, its stream
    "join",  # become a respondent with an open link
    "sit",  # start a session, so that a browser has a cookie instead of the token
]

TABLE: dict[Role, frozenset[Action]] = {
    "owner": frozenset({"manage", "see all", "answer", "measure", "plan", "sit"}),
    "respondent": frozenset({"vote", "sit"}),
    "link": frozenset({"join"}),
}
"""The actions that each role may take. Everything else is refused."""


def check(caller: Caller, action: Action) -> None:
    """Check that a caller may do an action.

    Raises:
        NotAllowed: The role does not permit it.
    """
    if action not in TABLE[caller.role]:
        rule = f"this token does not allow to {action}"
        raise NotAllowed("token", f"a token of role {caller.role}", rule, "use another token")
