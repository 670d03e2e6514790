"""How a poll is held, and where it stands: values without behaviour of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from feint.errors import InvalidValue, WrongType
from feint.interfaces import hiding_stage
from feint.planning import Plan
from feint.simulate.oracles import GrowingSample

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
            None: nobody votes, and the owner answers. Under noise a question is a fresh sample of
            so many respondents, and p is how often its majority is right.
        growing: Under noise, how samples of questions of hiding grow, in place of the quorum: in
            batches, until the copy that the search follows is decided. All copies of a question
            grow together and close together (proofs/samples.md). None: every sample has the quorum.
        lease: For how many seconds a question that was handed to a respondent is kept for them:
            while votes and leases together make a quorum, nobody else gets it or may vote on it.
            None: every respondent gets every open question.
        deadline: How many seconds a round has. None: any time.
        at_deadline: What happens to a round that is not answered in time: its questions "stay" open
            for whoever comes, or the poll makes a "pause" until its owner resumes it. A question
            never closes with fewer votes than its quorum.
    """

    quorum: int | None = None
    growing: GrowingSample | None = None
    lease: float | None = None
    deadline: float | None = None
    at_deadline: AtDeadline = "stay"

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            InvalidValue: One of them is wrong.
            WrongType: What says how samples grow is something else.
        """
        quorum = self.quorum
        if quorum is not None and not (0 < quorum < _MOST and quorum % 2):
            rule = "must be an odd number, so that there is a majority"
            raise InvalidValue("quorum", quorum, rule, f"take {max(1, quorum | 1)}")
        if self.growing is not None and not isinstance(self.growing, GrowingSample):
            rule = "must be a GrowingSample of feint.simulate.oracles"
            raise WrongType.of("growing", self.growing, rule, "pass one, or leave it out")
        if self.growing is not None and quorum is None:
            rule = "needs a quorum, the size of all samples that do not grow"
            raise InvalidValue("growing", _grown(self.growing), rule, "give a quorum too")
        if self.growing is not None and quorum is not None and self.growing.largest < quorum:
            rule = f"has fewer votes than the quorum of {quorum}, so its majority errs more often"
            remedy = "take one that feint noise advises, or a smaller quorum"
            raise InvalidValue("growing", _grown(self.growing), rule, remedy)
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
            InvalidValue: Samples are to grow, and the plan has no question whose sample may.
        """
        if self.growing is not None and not hiding_stage(plan.strategy).queries:
            rule = "samples of the hiding stage alone may grow, and this plan has none under noise"
            raise InvalidValue("growing", _grown(self.growing), rule, "leave it out")

    def seats(self, batch: int | None) -> int:
        """Return how many votes a question has once a batch is full; without a quorum 0.

        Args:
            batch: The number of the batch, from 0; None: its sample does not grow.
        """
        if batch is None or self.growing is None:
            return self.quorum or 0
        return self.growing.size(batch)

    def to_dict(self) -> dict[str, Any]:
        """Return the terms for JSON; how samples grow is left out if none does."""
        held = asdict(self)
        if self.growing is None:
            del held["growing"]  # versions before this one know no such field
        return held

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Terms:
        """Return the terms that `to_dict` gave.

        Raises:
            InvalidValue: One of them is wrong.
        """
        grown = held.get("growing")
        return cls(**{**held, "growing": None if grown is None else GrowingSample(**grown)})


def _grown(sample: GrowingSample) -> str:
    return f"{sample.first} + {sample.batches - 1} x {sample.more}"


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
        closed: Whether it has its quorum, or the batch of their vote is full: their vote stands.
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


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a respondent receives: it follows from the transcript, their own votes and counts.

    Attributes:
        standing: Where the poll stands.
        round: The round that is open, from 0.
        rounds: How many there are at most; once the poll is done, how many there were.
        batch: How many further batches of samples the round has opened so far.
        ballots: The questions they may vote on, and those of this round that they voted on.
    """

    standing: Standing
    round: int
    rounds: int
    ballots: tuple[Ballot, ...]
    batch: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The sheet for JSON."""
        return asdict(self)
