"""A search with respondents: votes, quorum, deadlines and leases; no HTTP."""

from feint.poll.credentials import bucket, read_credential
from feint.poll.polls import Polls
from feint.poll.terms import Ballot, Caller, Role, Sheet, Standing, Terms, Vote

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
