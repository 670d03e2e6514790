"""How a poll is held, and where it stands: values without behaviour of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from feint.errors import InvalidValue
from feint.planning import Plan

AtDeadline = Literal["stay", "pause"]
Standing = Literal["open", "paused", "archived", "done"]
"""The status of a poll."""

Role = Literal["owner", "respondent", "link"]
"""Whom a token stands for."""

_AT_DEADLINE: tuple[AtDeadline, ...] = ("stay", "pause")
_MOST = 10**9


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How a poll is held.

    Attributes:
        quorum: How many votes close a question: an odd number, and the majority is the answer.
            None: nobody votes, and the owner answers. Under noise a question is one sample, which
            one respondent answers: 1.
        lease: For how many seconds a question that was handed to a respondent is kept for them:
            while votes and leases together make a quorum, nobody else gets it or may vote on it.
            None: every respondent gets every open question.
        deadline: How many seconds a round has. None: any time.
        at_deadline: What happens to a round that is not answered in time: its questions "stay" open
            for whoever comes, or the poll makes a "pause" until its owner resumes it. A question
            never closes with fewer votes than its quorum.
    """

    quorum: int | None = None
    lease: float | None = None
    deadline: float | None = None
    at_deadline: AtDeadline = "stay"

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            InvalidValue: One of them is wrong.
        """
        quorum = self.quorum
        if quorum is not None and not (0 < quorum < _MOST and quorum % 2):
            rule = "must be an odd number, so that there is a majority"
            raise InvalidValue("quorum", quorum, rule, f"take {max(1, quorum | 1)}")
        for name, value in (("lease", self.lease), ("deadline", self.deadline)):
            if value is not None and not 0 < value < _MOST:
                rule = "must be a number of seconds above 0"
                raise InvalidValue(name, value, rule, "give one, or leave it out")
        if self.at_deadline not in _AT_DEADLINE:
            rule = f"must be one of {', '.join(_AT_DEADLINE)}"
            raise InvalidValue("at_deadline", self.at_deadline, rule, "pick one of them")

    def check(self, plan: Plan) -> None:
        """See that they fit a plan.

        Raises:
            InvalidValue: The plan counts on answers with noise, and each must be one vote.
        """
        if plan.problem.noisy and self.quorum not in (None, 1):
            rule = "a plan under noise counts single answers, each of which is one vote"
            raise InvalidValue("quorum", self.quorum, rule, "take 1")

    def to_dict(self) -> dict[str, Any]:
        """The terms for JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who has a token or a session.

    Attributes:
        role: Owner of everything, respondent of one poll, or an open link to one.
        search: The poll's name; None for the owner.
        person: The respondent, or the link; None for the owner.
        until: When an owner's session ends, in seconds of the clock; None: at no set time.
    """

    role: Role
    search: str | None = None
    person: str | None = None
    until: float | None = None


class Vote(NamedTuple):
    """A respondent's vote on a question.

    Attributes:
        person: The respondent.
        id: The question.
        yes: The vote.
    """

    person: str
    id: str
    yes: bool


@dataclass(frozen=True, kw_only=True)
class Ballot:
    """A question as a respondent gets it, with their own vote.

    Attributes:
        id: What to vote by.
        round: The round it is asked in, from 0.
        coordinate: Which number it is about, from 0.
        label: What that number is called.
        value: Where the question is put, exactly, as text.
        number: The same as a number, if one will do.
        yes_means: What yes says of the number.
        text: The question in words.
        note: Under noise, which fresh sample it wants; empty where it wants no other.
        vote: Their own vote; None while they have none.
        closed: Whether it has its quorum, so that their vote stands.
        parts: The question before its value, the value, and the rest; empty in polls of earlier
            versions.
    """

    id: str
    round: int
    coordinate: int
    label: str | None
    value: str
    number: int | float | None
    yes_means: str
    text: str
    vote: bool | None
    closed: bool
    note: str = ""
    parts: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a respondent receives: it follows from the transcript, their own votes and counts.

    Attributes:
        standing: Where the poll stands.
        round: The round that is open, from 0.
        rounds: How many there are at most; once the poll is done, how many there were.
        ballots: The questions they may vote on, and those of this round that they voted on.
        asker: Who asks, by name.
        introduction: What they read before the questions.
    """

    standing: Standing
    round: int
    rounds: int
    ballots: tuple[Ballot, ...]
    asker: str | None = None
    introduction: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The sheet for JSON."""
        return asdict(self)
