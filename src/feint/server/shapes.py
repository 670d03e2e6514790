"""What is sent and received, as models: the reference is made of them."""

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
    """A model that takes what it names, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Filed(Shape):
    """What is believed of a number, as a CSV file: a value and a weight a line, or samples."""

    csv: Annotated[str, Field(max_length=200_000)]


class NewProblem(Shape):
    """What is sought, in the user's units: numbers as such, or as text such as 1/3 or 2^-20."""

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
        """The cheapest plan for it, and its units.

        Raises:
            FeintError: There is none.
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
        """What is believed of the number, in a form that `Domain.problem` takes."""
        if not isinstance(self.prior, Filed):
            return None if self.prior is None else domain.prior(self.prior, warn=False)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "prior.csv")
            path.write_text(self.prior.csv, "utf-8")
            try:
                return domain.prior(path, warn=False)
            except InvalidValue as error:  # whose file it was is nobody's business
                raise type(error)("prior", "a file", error.rule, error.remedy) from None


class NewGrowth(Shape):
    """How samples of hiding grow under noise, as `feint noise` advises."""

    first: Annotated[int, Field(ge=1, le=1_000_000)]
    more: Annotated[int, Field(ge=0, le=1_000_000)]
    batches: Annotated[int, Field(ge=1, le=64)]
    lead: Annotated[int, Field(ge=1, le=1_000_000)]


class NewTerms(Shape):
    """How a poll is held; without a quorum its owner answers."""

    quorum: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    growing: NewGrowth | None = None
    lease: Annotated[float, Field(gt=0, le=10**8, allow_inf_nan=False)] | None = None
    deadline: Annotated[float, Field(gt=0, le=10**8, allow_inf_nan=False)] | None = None
    at_deadline: Literal["stay", "pause"] = "stay"

    def terms(self) -> Terms:
        """The terms.

        Raises:
            InvalidValue: The quorum is even, or samples cannot grow so.
        """
        return Terms.from_dict(self.model_dump())


class NewSearch(Shape):
    """A search to begin."""

    name: Name
    problem: NewProblem
    terms: NewTerms = NewTerms()
    yes_means: YesMeans = "at least"
    asker: Annotated[str, Field(max_length=100)] | None = None
    introduction: Annotated[str, Field(max_length=2000)] | None = None


class Imported(Shape):
    """A search to go on with, as `Search.to_json` or an export gave it. Secret."""

    name: Name
    search: dict[str, Any]
    terms: NewTerms = NewTerms()


class Vote(Shape):
    """A vote, or an answer: yes or no to the question's text.

    Write both at one length, {"id":"q0.0","yes":true } and {"id":"q0.0","yes":false}: encryption
    hides what is sent, and not how long it is.
    """

    id: Annotated[str, Field(max_length=20)]
    yes: Annotated[bool, Field(strict=True)]


class NewRespondent(Shape):
    """Somebody to invite."""

    label: Annotated[str, Field(max_length=100)] = ""


class NewLink(Shape):
    """An open link to make."""

    quota: Annotated[int, Field(ge=1, le=10_000_000)]


class Token(BaseModel):
    """Somebody and their token, which cannot be read again. Secret."""

    id: str
    token: str


class Session(Shape):
    """A token, in exchange for a cookie."""

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

    `wanted` is how many votes close it, or fill its batch; 0 if the owner answers.
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
    """Where a search stands, for its owner. Secret.

    Until it is done, `rounds` and `queries` are the most that it can take, and all that it will if
    `asks_all` is true. Then they are what it took.
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
    """A question as a respondent gets it, with their own vote."""

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
    """What a respondent receives."""

    standing: Standing
    round: int
    rounds: int
    ballots: list[Slip]
    batch: int = 0
    asker: str | None = None
    introduction: str | None = None


class Respondents(BaseModel):
    """Every respondent, by id, and what the owner calls them."""

    respondents: dict[str, str]


class News(BaseModel):
    """What a stream tells: where a poll stands, and how many batches its round has opened."""

    standing: Standing
    round: int
    batch: int = 0


class Done(BaseModel):
    """It is done, and on the disk."""

    ok: Literal[True] = True


class Listed(BaseModel):
    """A search in the list of all; nothing in it tells an answer.

    One that is "no poll" is answered by a program, or was cut off when it began: all else of it is
    as if there were nothing.
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
    """All searches, with where they stand, and when the database was restored from a backup."""

    searches: list[Listed]
    restored: float | None = None


class Asked(BaseModel):
    """A question that was shown: part of the transcript."""

    id: str
    round: int
    phase: str
    label: str | None
    value: str
    exact: str


class Overheard(BaseModel):
    """Every question that was shown, and no answer."""

    queries: list[Asked]


class Taken(BaseModel):
    """How many answers a sheet held."""

    answers: int


class Tally(BaseModel):
    """What happened in a search, for its owner. Secret."""

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
    """A number of the attack's market: how many half units above its low end."""

    cell: Annotated[int, Field(ge=0, lt=160)]
