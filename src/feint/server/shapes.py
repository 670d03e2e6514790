"""The models of requests and responses, from which the reference is made."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from feint.errors import InvalidValue
from feint.journal.polls import Standing, Terms
from feint.planning import Plan, plan
from feint.problem import Domain, Setting, YesMeans
from feint.search import named, worded

Text = Annotated[str, Field(max_length=64)]
Amount = Text | int | Annotated[float, Field(allow_inf_nan=False)]
Weights = Annotated[list[Amount], Field(min_length=1, max_length=2000)]
Unit = Annotated[str, Field(max_length=12)]
Question = Annotated[str, Field(max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Shape(BaseModel):
    """A model that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid")


class Filed(Shape):
    """A belief about a number as CSV: a value and a weight per line, or samples."""

    csv: Annotated[str, Field(max_length=200_000)]


class NewProblem(Shape):
    """A problem in the user's units. Numbers may be text such as 1/3 or 2^-20."""

    delta: Amount
    level: Amount
    epsilon: Amount | None = None
    within: Amount | None = None
    low: Amount = 0
    high: Amount = 1
    step: Amount | None = None
    tick: Amount | None = None
    setting: Setting = "bayesian"
    p: Amount | None = None
    confidence: Amount | None = None
    labels: Annotated[list[Text], Field(max_length=8)] | None = None
    units: Annotated[list[Unit], Field(max_length=8)] | None = None
    questions: Annotated[list[Question], Field(max_length=8)] | None = None
    prior: Annotated[str, Field(max_length=400)] | Weights | Filed | None = None
    method: Text = "tight"
    max_rounds: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def plan(self) -> tuple[Plan, tuple[Domain, ...]]:
        """Return the cheapest plan for it, and its units.

        Raises:
            FeintError: There is no plan.
        """
        domain = Domain(self.low, self.high, step=self.step, tick=self.tick)
        problem = domain.problem(
            delta=self.delta,
            level=self.level,
            epsilon=self.epsilon,
            within=self.within,
            setting=self.setting,
            p=self.p,
            confidence=self.confidence,
            dim=len(self.labels or "1"),
            prior=self._belief(domain),
        )
        made = plan(problem, domain=domain, method=self.method, max_rounds=self.max_rounds)
        units = named(domain, problem.dim, self.labels)
        return made, worded(units, units=self.units, questions=self.questions)

    def _belief(self, domain: Domain) -> object:
        """Return the belief about the number, in a form that `Domain.problem` accepts."""
        if not isinstance(self.prior, Filed):
            return None if self.prior is None else domain.prior(self.prior, warn=False)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "prior.csv")
            path.write_text(self.prior.csv, "utf-8")
            try:
                return domain.prior(path, warn=False)
            except InvalidValue as error:  # the name of the file is private
                raise type(error)("prior", "a file", error.rule, error.remedy) from None


class NewGrowth(Shape):
    """The growth of the samples of hiding under noise, as `feint noise` advises."""

    first: Annotated[int, Field(ge=1, le=1_000_000)]
    more: Annotated[int, Field(ge=0, le=1_000_000)]
    batches: Annotated[int, Field(ge=1, le=64)]
    lead: Annotated[int, Field(ge=1, le=1_000_000)]


class NewTerms(Shape):
    """The terms of a poll. Without a quorum, its owner answers."""

    quorum: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    growing: NewGrowth | None = None
    lease: Annotated[float, Field(gt=0, le=10**8, allow_inf_nan=False)] | None = None
    deadline: Annotated[float, Field(gt=0, le=10**8, allow_inf_nan=False)] | None = None
    at_deadline: Literal["stay", "pause"] = "stay"

    def terms(self) -> Terms:
        """Return the terms.

        Raises:
            InvalidValue: The quorum is even, or samples cannot grow that way.
        """
        return Terms.from_dict(self.model_dump())


class NewSearch(Shape):
    """A new search."""

    name: Name
    problem: NewProblem
    terms: NewTerms = NewTerms()
    yes_means: YesMeans = "at least"
    asker: Annotated[str, Field(max_length=100)] | None = None
    introduction: Annotated[str, Field(max_length=2000)] | None = None


class Imported(Shape):
    """A search to continue, as `Search.to_json` or an export returned it. Secret."""

    name: Name
    search: dict[str, Any]
    terms: NewTerms = NewTerms()


class Vote(Shape):
    """A vote, or an answer: yes or no to the question's text.

    Write both with the same length, {"id":"q0.0","yes":true } and {"id":"q0.0","yes":false}:
    encryption hides the content, but not its length.
    """

    id: Annotated[str, Field(max_length=20)]
    yes: Annotated[bool, Field(strict=True)]


class NewRespondent(Shape):
    """A person to invite."""

    label: Annotated[str, Field(max_length=100)] = ""


class NewLink(Shape):
    """A new open link."""

    quota: Annotated[int, Field(ge=1, le=10_000_000)]


class Token(BaseModel):
    """A respondent and their token, which cannot be read again. Secret."""

    id: str
    token: str


class Session(Shape):
    """A token to exchange for a cookie."""

    token: Annotated[str, Field(max_length=200)]


class Names(BaseModel):
    """The names of all searches."""

    searches: list[str]


class Query(BaseModel):
    """A question."""

    id: str
    round: int
    phase: str
    coordinate: int
    label: str | None
    value: str
    shown: str
    sample: int
    samples: int
    number: int | float | None
    yes_means: str
    text: str
    unit: str | None = None
    question: str | None = None


class Queries(BaseModel):
    """The questions without an answer."""

    queries: list[Query]


class Counted(BaseModel):
    """A question of the open round with its votes, for the owner. Secret.

    `wanted` is the number of votes that close it, or fill its batch; 0 if the owner answers.
    """

    id: str
    round: int
    coordinate: int
    label: str | None
    value: str
    number: int | float | None
    yes_means: str
    text: str
    closed: bool
    yes: int
    no: int
    wanted: int = 0


class Status(BaseModel):
    """The status of a search, for its owner. Secret.

    Before the end, `rounds` and `queries` are the most that it can take, and exact if `asks_all` is
    true. After the end, they are exact.
    """

    name: str
    standing: Standing
    overdue: bool
    round: int
    rounds: int
    answered: int
    queries: int
    asks_all: bool = True
    respondents: int
    terms: NewTerms
    counter: int
    questions: list[Counted]


class Slip(BaseModel):
    """A question for a respondent, with their own vote."""

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
    parts: list[str] = []


class Sheet(BaseModel):
    """The questions and the status of a poll, for a respondent."""

    standing: Standing
    round: int
    rounds: int
    ballots: list[Slip]
    batch: int = 0
    asker: str | None = None
    introduction: str | None = None


class Respondents(BaseModel):
    """The owner's label of every respondent, by id."""

    respondents: dict[str, str]


class News(BaseModel):
    """A stream's event: the status of a poll, and the number of batches that its round opened."""

    standing: Standing
    round: int
    batch: int = 0


class Done(BaseModel):
    """Success: the change is on disk."""

    ok: Literal[True] = True


class Listed(BaseModel):
    """A search in the list of all. It reveals no answer.

    If `standing` is "no poll", a program answers it, or its creation was interrupted. All other
    fields are then empty.
    """

    name: str
    standing: Standing | Literal["no poll"]
    overdue: bool = False
    round: int = 0
    rounds: int = 0
    answered: int = 0
    queries: int = 0
    asks_all: bool = True
    respondents: int = 0
    deadline: float | None = None


class Overview(BaseModel):
    """All searches with their status, and when the database was restored from a backup."""

    searches: list[Listed]
    restored: float | None = None


class Asked(BaseModel):
    """A question that was shown, as part of the transcript."""

    id: str
    round: int
    phase: str
    label: str | None
    value: str
    exact: str


class Overheard(BaseModel):
    """All questions that were shown, without answers."""

    queries: list[Asked]


class Taken(BaseModel):
    """The number of answers on a sheet."""

    answers: int


class Tally(BaseModel):
    """The counts of a search, for its owner. Secret."""

    standing: Standing
    overdue: bool
    round: int
    answered: int
    votes: int
    respondents: int


class Example(Shape):
    """A problem, and a number to search for."""

    problem: NewProblem
    number: Amount
    seed: Annotated[int, Field(ge=0, le=10**9)] = 0


class HiddenNumber(Shape):
    """A number of the attack's market, in half units above its low end."""

    cell: Annotated[int, Field(ge=0, lt=160)]
