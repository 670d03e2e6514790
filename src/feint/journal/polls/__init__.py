"""Polls: searches with respondents, votes, quorums, deadlines and leases, without HTTP."""

from feint.journal.polls.credentials import bucket, read_credential
from feint.journal.polls.polls import Polls
from feint.journal.polls.terms import Ballot, Caller, Role, Sheet, Standing, Terms, Vote

__all__ = [
    "Ballot",
    "Caller",
    "Polls",
    "Role",
    "Sheet",
    "Standing",
    "Terms",
    "Vote",
    "bucket",
    "read_credential",
]
