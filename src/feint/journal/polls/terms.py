"""Plain values of polls: terms, callers, votes, ballots and sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
"""The kind of person that holds a token."""

_AT_DEADLINE: tuple[AtDeadline, ...] = ("stay", "pause")
_MOST = 10**9


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms of a poll.

    Attributes:
        quorum: The number of votes that close a question, odd; the majority is the answer. None:
            there are no respondents, and the owner answers. Under noise a question is a fresh
            sample of this many respondents, and p is the probability that their majority is right.
        growing: Under noise, the rule by which samples of hiding questions grow, instead of the
            quorum: in batches, until the followed copy is decided. All copies of a question grow
            and close together (proofs/samples.md). None: every sample has the quorum.
        lease: The seconds for which a question is reserved for a respondent who received it. While
            votes and leases together make a quorum, others cannot receive it or vote on it. None:
            every respondent receives every open question.
        deadline: The seconds of a round. None: no deadline.
        at_deadline: The effect of a missed deadline: "stay" leaves the questions open, "pause"
            stops the poll until its owner resumes it. A question never closes with fewer votes than
            its quorum.
    """

    quorum: int | None = None
    growing: GrowingSample | None = None
    lease: float | None = None
    deadline: float | None = None
    at_deadline: AtDeadline = "stay"

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            InvalidValue: A field is wrong.
            WrongType: `growing` is not a `GrowingSample`.
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
        """Check that the terms fit a plan.

        Raises:
            InvalidValue: Samples should grow, but the plan has no question whose sample may grow.
        """
        if self.growing is not None and not hiding_stage(plan.strategy).queries:
            rule = "samples of the hiding stage alone may grow, and this plan has none under noise"
            raise InvalidValue("growing", _grown(self.growing), rule, "leave it out")

    def seats(self, batch: int | None) -> int:
        """Return the number of votes of a question once a batch is full; without a quorum 0.

        Args:
            batch: The number of the batch, from 0; None: its sample does not grow.
        """
        if batch is None or self.growing is None:
            return self.quorum or 0
        return self.growing.size(batch)

    def to_dict(self) -> dict[str, Any]:
        """Return the terms for JSON; `growing` is omitted if no sample grows."""
        held = asdict(self)
        if self.growing is None:
            del held["growing"]  # earlier versions do not have this field
        return held

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Terms:
        """Restore terms from the output of `to_dict`.

        Raises:
            InvalidValue: A field is wrong.
        """
        grown = held.get("growing")
        return cls(**{**held, "growing": None if grown is None else GrowingSample(**grown)})


def _grown(sample: GrowingSample) -> str:
    return f"{sample.first} + {sample.batches - 1} x {sample.more}"


@dataclass(frozen=True, kw_only=True)
class Caller:
    """The holder of a token or a session.

    Attributes:
        role: "owner" of everything, "respondent" of one poll, or an open "link" to one.
        search: The poll's name; None for the owner.
        person: The respondent, or the link; None for the owner.
        until: The end of an owner's session, in seconds of the clock; None: it has no end.
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
    """A question as a respondent receives it, with their own vote.

    Attributes:
        id: The id to vote with.
        round: Its round, from 0.
        coordinate: The index of its number, from 0.
        label: The label of that number.
        value: The value asked about, exactly, as text.
        number: The value as a number, if it is close enough.
        yes_means: The meaning of the answer yes.
        text: The text of the question.
        note: Under noise, the number of the fresh sample; empty if there is only one.
        vote: Their own vote; None if they have none.
        closed: True if it has its quorum, or the batch of their vote is full, so their vote stands.
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
    """The data that a respondent receives: a function of transcript, own votes and counts.

    Attributes:
        standing: The status of the poll.
        round: The open round, from 0.
        rounds: The most rounds; once the poll is done, the number of its rounds.
        batch: The number of further batches of samples that the round has opened so far.
        ballots: The questions they may vote on, and those of this round that they voted on.
        asker: The asker's name.
        introduction: The text before the questions.
    """

    standing: Standing
    round: int
    rounds: int
    ballots: tuple[Ballot, ...]
    batch: int = 0
    asker: str | None = None
    introduction: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the sheet for JSON."""
        return asdict(self)
