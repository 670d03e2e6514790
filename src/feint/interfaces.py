"""All contracts in one place: strategies, oracles, adversaries, executors, journals, and others.

A strategy is a pure function q_i = φ_i(r_1…r_{i−1}, Y), written once on whole arrays with a leading
axis of runs. One live search is a batch of one; the simulator runs many rows at once; the
enumerator gives one row to every branch. A round is (coin → toss)* → ask → tell. A run has ended
as soon as a round asks it nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    runtime_checkable,
)

import numpy as np
from numpy.typing import NDArray

from feint.errors import WrongType
from feint.exact.stability import renamed_names
from feint.problem import Problem, Query, Transcript

Points = NDArray[np.int64]
"""[runs, width] cell boundaries; `UNASKED` in every column that a run leaves out."""

Answers = NDArray[np.bool_]
"""[runs, width]: whether X* lies at or above each point; False in columns that are left out."""

Weights = NDArray[Any]
"""[runs, sides]: what each side of a coin weighs; whole numbers in noiseless strategies."""

Sides = NDArray[np.int64]
"""[runs]: the side each coin fell on."""

UNASKED = -1
"""The symbol for a column that a run leaves out. It is overheard like any point."""

Rule = Literal["tilted", "posterior"]
"""How a noisy search weighs an answer: by α < p, as in the BZ bound, or by p itself."""

NEVER = 1 << 30
"""More answers than any search has: no number of them is enough."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is to do."""

if TYPE_CHECKING:  # before Python 3.13 a type variable has no default at run time
    from concurrent.futures import Executor as _Futures

    from typing_extensions import TypeVar as _TypeVar

    State = _TypeVar("State", default=Any)
    Read = _TypeVar("Read", default=Any, contravariant=True)
else:
    State, Read = TypeVar("State"), TypeVar("Read", contravariant=True)
Task = TypeVar("Task")
Done = TypeVar("Done")


class Round(NamedTuple):
    """The most that a round can ask, as everybody knows it beforehand.

    Attributes:
        phase: What the round is for, such as "narrow" or "hide".
        coordinates: The coordinate that each column asks about; its length is the round's width,
            the most questions that it asks.
    """

    phase: str
    coordinates: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What the learner knows, in cells; every array is [runs, coordinates].

    The estimate of X* lies `rest` into `cell`, so that it is exact on any lattice. Without noise it
    is the middle of low and high.

    Attributes:
        cell: The cell the estimate lies in.
        rest: How far into the cell, from 0 to 1.
        low: The boundary X* lies at or above (noisy: the credible interval's lower end).
        high: The boundary X* lies below (noisy: the credible interval's upper end).
    """

    cell: NDArray[np.int64]
    rest: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def between(cls, low: NDArray[np.int64], high: NDArray[np.int64]) -> Estimate:
        """The middle of two boundaries, below 2^62: what right answers leave."""
        both = low + high
        return cls(cell=both >> 1, rest=(both & 1) / 2, low=low, high=high)

    @property
    def point(self) -> NDArray[np.float64]:
        """The estimate as one number, to draw or print: past 2^52 cells it is rounded to cells."""
        return self.cell + self.rest


class Strategy(Protocol[State]):
    """A method of asking: frozen parameters, with state passed from round to round.

    Every state is a (nested) named tuple. Its arrays have a leading axis of runs; all else in it is
    public and the same for every run.

    `rounds` is the most there can be. A run may leave columns out: `ask` returns `UNASKED` there,
    and `tell` receives False. A run has ended once a round that has columns asks it nothing. Every
    later round must then ask it nothing, and its estimate must stay as it is. Which columns are
    left out, and when a run ends, is part of the transcript: an eavesdropper hears it, and audits
    count it. Given the transcript, nothing else that anybody can see depends on X*.

    Two attributes are optional. `queries` is the most questions that a single run can ask; see
    `most_queries`. `asks_all`, if it is True, promises that no run ever leaves a column out; see
    `asks_all`.

    What is *not* guaranteed: that a strategy is private or accurate. `audit` tells.
    """

    @property
    def problem(self) -> Problem:
        """What the strategy is meant to solve."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The lattice: in coordinate i, X* is one of cells[i] equal cells."""

    @property
    def rounds(self) -> Sequence[Round]:
        """Phase and columns of the most rounds that there can be."""

    def start(self, runs: int) -> State:
        """The state before anything is known."""

    def coin(self, state: State) -> Weights | None:
        """The next coin this round needs before its queries, or None when there is none left.

        How many coins a round has is fixed beforehand. A row whose coin has one possible side
        (all other sides weigh zero) does not branch.
        """

    def toss(self, state: State, side: Sides) -> State:
        """The state once that coin has fallen."""

    def ask(self, state: State) -> Points:
        """Return this round's queries, `UNASKED` in every column that a run leaves out."""

    def tell(self, state: State, answers: Answers) -> State:
        """Return the state after this round's answers, which is the next round's."""

    def estimate(self, state: State) -> Estimate:
        """Return what the answers told, once a run has ended or the last round is over."""


class Planned(Protocol):
    """Whatever has a strategy to run: a `Plan`, for rooms that plans are made of."""

    @property
    def problem(self) -> Problem:
        """What is promised."""

    @property
    def strategy(self) -> Strategy:
        """What to run."""


@runtime_checkable
class Writer(Protocol[Read]):
    """A strategy that can write its queries where they are wanted: `ask` without a copy."""

    def write(self, state: Read, points: Points) -> None:
        """Write this round's queries, those of `ask`, over `points`, [runs, width]."""


@runtime_checkable
class Phased(Protocol):
    """A strategy whose runs may be in different phases in the same round."""

    def phases(self, asked: Sequence[Sequence[int]]) -> tuple[str, ...]:
        """Return the phase of each round of one run, from what the rounds asked.

        Args:
            asked: What each round asked; `UNASKED` in columns that were left out.
        """


@runtime_checkable
class Varying(Protocol):
    """A strategy that goes through its phases in one order, each as long as a run needs."""

    @property
    def phase_limits(self) -> Sequence[tuple[str, int, int]]:
        """Return each phase, and the most rounds and the most questions it takes in one run.

        It is empty if rounds say more.
        """


class Sureness(NamedTuple):
    """How sure a search is of what it is looking for in its phase. Secret.

    Attributes:
        phase: The phase, "narrow" or "hide".
        sure: The probability that the likeliest block or cell is right, given the answers that the
            phase follows.
        enough: The probability from which the phase ends.
    """

    phase: str
    sure: float
    enough: float


@runtime_checkable
class Sure(Protocol[Read]):
    """A strategy whose phases end when they are sure."""

    def sureness(self, state: Read) -> tuple[Sureness | None, ...]:
        """Return how sure the first run is, a coordinate; None in a phase that counts questions."""


class Adversary(Protocol):
    """An eavesdropper: sees transcripts, which hold no answers, and estimates X*."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """One estimate a run, [runs, coordinates], in cells."""


@runtime_checkable
class FittableAdversary(Adversary, Protocol):
    """An eavesdropper with something to fit: on some runs, to be measured on others."""

    def fit(self, transcript: Transcript, targets: NDArray[np.float64]) -> Adversary:
        """The eavesdropper that has seen these searches end: X* in cells, [runs, coordinates]."""


class Law(Protocol):
    """A law that X* is drawn from, the same in every coordinate."""

    def draw(
        self, cells: int, runs: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """[runs] the cell of a lattice that holds X*, and how far into it X* lies, from 0 to 1."""


@runtime_checkable
class Oracle(Protocol):
    """Whoever answers: a person, a market, a test suite."""

    def answer(self, queries: Sequence[Query]) -> Iterable[bool]:
        """Answer the open queries of a round, in order, yes or no to each one's text.

        Answers that come one by one (a generator) are kept one by one: when one of them fails,
        those before it are not lost.
        """


class Executor(Protocol):
    """Whoever does the work: this process, others, or other machines.

    What is *not* guaranteed: an order. Results come as they are done, each with its task's number,
    and whoever combines them goes by those numbers; so the digits are the same on any executor.
    """

    @property
    def workers(self) -> int:
        """How many tasks it works on at once, on this machine."""

    @property
    def slots(self) -> int:
        """How many tasks it works on at once, on all machines."""

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Each task's number and result, in order of completion.

        Args:
            function: What to call; it and the tasks must be picklable where work leaves the
                process.
            tasks: Its arguments, one a call; they are taken as workers come free, so there may be
                any number of them.

        Yields:
            (number, result), every number once.
        """


AnyExecutor: TypeAlias = "Executor | _Futures"
"""Whoever may be given work: an executor of ours, or any `concurrent.futures.Executor`."""


class Misses(Protocol):
    """A certificate of a noisy search: how many answers it needs, and why that is so."""

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """The fewest answers with which a search on `cells` cells misses with at most this chance.

        Returns:
            How many, the chance it then has at most, and the rule to search by; `NEVER` when
            there is no such number.
        """


OFFICE = "*"
"""The name under which a store keeps rows that belong to no search: it is always there, is never
listed, and cannot be a search's."""


class Journal(Protocol):
    """Searches as append-only events with a running number.

    A search is a header and its events, numbered from 0. State is the fold of them. When a method
    that writes returns, what it wrote outlives a crash (a journal in memory: an error). Every write
    may be repeated: a header, or an event with the same id, that is there already is accepted.

    What is *not* guaranteed: that header and events describe a search; whoever replays them tells.
    """

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """Begin a search.

        Raises:
            NameTaken: There is one of this name with another header.
            InvalidValue: It cannot be a name.
        """

    def names(self) -> list[str]:
        """The names of all searches, sorted."""

    def header(self, name: str) -> dict[str, Any]:
        """What a search began with. Secret.

        Raises:
            UnknownSearch: There is none of this name.
        """

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """The events of a search from a number on, in order. Secret.

        Raises:
            UnknownSearch: There is none of this name.
        """

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """Put an event behind the others.

        Args:
            name: The search.
            number: The event's: how many there are before it.
            event: What happened; plain values.
            id: Of this write: the same event with the same id is accepted again, and counts once.

        Returns:
            The number of the next event.

        Raises:
            NumberTaken: There are not `number` events before it: somebody else went on, or this is
                a number too far. Then nothing was written.
            UnknownSearch: There is none of this name.
        """

    def delete(self, name: str) -> None:
        """Take a search away for good; one that is not there is accepted."""


class Transaction(Protocol):
    """Exclusive write access to one search of a store: all of it counts, or nothing.

    Rows are told apart by a kind and a key; both are plain to whoever has the storage, what is in a
    row is not: a key that would tell something is `blinded`. The rows of a kind are padded to a
    length that does not depend on what is in them (`journal.padded`), as long as they fit.
    """

    @property
    def version(self) -> int:
        """Return how many transactions wrote the search before this one."""

    def check(self, *, always: bool = True) -> None:
        """See that nothing of the search is missing, too many or out of date.

        Args:
            always: False: only if so much was written since this process checked last that all
                checks together take a fixed share of the time of all writes.

        Raises:
            Tampered: Something is; it was changed outside feint.
        """

    def blinded(self, text: str) -> str:
        """Return a keyed hash of a text, for a key that must not tell it; the same every time."""

    def events(self, *, start: int = 0) -> list[dict[str, Any]]:
        """As in `Journal`."""

    def append(self, event: Mapping[str, Any]) -> int:
        """Put an event behind the others; its number."""

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """A row; None where there is none."""

    def some(self, *where: tuple[str, str]) -> list[dict[str, Any] | None]:
        """Several rows at once, by kind and key; None where there is none."""

    def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
        """Write a row, over the one that is there."""

    def drop(self, kind: str, key: str) -> None:
        """Take a row away; one that is not there is accepted."""

    def rows(self, kind: str, *, start: str = "") -> dict[str, dict[str, Any]]:
        """The rows of a kind whose keys start so, by key, sorted."""

    def keys(self, kind: str, *, start: str = "") -> list[str]:
        """Return the keys of those rows, sorted; nothing is decrypted."""

    def count(self, kind: str, *, start: str = "") -> int:
        """How many of them there are."""


class Surveyed(NamedTuple):
    """A search in a survey of all.

    Attributes:
        name: Its name.
        poll: Its row of kind "poll" without a key; None: it is no poll.
        counts: How many rows of each kind that was asked for it has; kinds without any are left
            out.
    """

    name: str
    poll: dict[str, Any] | None
    counts: dict[str, int]


class Store(Journal, Protocol):
    """A journal that keeps rows beside the events of a search, and changes both at once."""

    @property
    def near(self) -> bool:
        """Whether reading needs no network, so that an event loop need not hand it to a thread."""

    def creating(self, name: str, header: Mapping[str, Any]) -> AbstractContextManager[Transaction]:
        """Begin a search together with its first events and rows.

        Leaving it in order begins the search with all that was written; leaving it by an error,
        there is no search. Of several who begin one of a name at the same time, one does.

        Raises:
            NameTaken: There is one of this name, also with the same header. Then nothing of it was
                changed.
            InvalidValue: It cannot be a name.
        """

    def transaction(self, name: str) -> AbstractContextManager[Transaction]:
        """Read and write one search, or what belongs to none (`OFFICE`), alone.

        Leaving it in order writes everything; leaving it by an error, nothing. What is read in it
        stays true until it ends.

        Raises:
            UnknownSearch: There is no search of this name.
        """

    def reading(self, name: str) -> AbstractContextManager[Transaction]:
        """The same to read only: it keeps nobody waiting, and what it reads may change."""

    def stamp(self, name: str) -> tuple[int, int]:
        """Return how often a search and the office were written; nothing is opened for it.

        Raises:
            UnknownSearch: There is no search of this name.
        """

    def survey(self, *kinds: str) -> list[Surveyed]:
        """Return all searches, sorted by name, with how many rows of some kinds they have.

        It takes as many statements for many searches as for one.
        """

    def restored(self) -> float | None:
        """Return when this store was restored from a backup last; None: it never was."""

    def probe(self) -> None:
        """Write something that belongs to no search, durably, to see that writes are taken.

        Raises:
            Unavailable: They are not.
        """

    def close(self) -> None:
        """Let go of what it is kept in; it is opened again when it is wanted."""

    def locator(self, name: str) -> bytes:
        """Return 16 bytes by which the search of a name is found, and that do not tell the name.

        They are the same in every process, whether or not there is such a search.
        """

    def name_at(self, locator: bytes) -> str:
        """Return the name of the search that a locator finds.

        Raises:
            UnknownSearch: There is none. It may be raised by `reading` and `transaction` alone if
                the search was deleted a moment ago.
        """


_PARTS_OF_A_STRATEGY = (
    *("problem", "cells", "rounds"),
    *("start", "coin", "toss", "ask", "tell", "estimate"),
)


def strategy_of(given: object, *, argument: str = "subject") -> Strategy:
    """The strategy that was given, by itself or in a plan.

    Args:
        given: An argument of a public function.
        argument: What it is called there.

    Returns:
        The strategy.

    Raises:
        WrongType: It is neither a strategy nor has one; the message says what to pass.
    """
    inner = getattr(given, "strategy", None)
    for each in (given, inner):
        if all(hasattr(each, name) for name in _PARTS_OF_A_STRATEGY) and callable(
            getattr(each, "start", None)
        ):
            return cast(Strategy, each)
    remedy = "pass plan(problem)"
    if hasattr(given, "plan"):
        remedy = "pass its attribute plan"
    raise WrongType.of(argument, given, "must be a plan or a strategy", remedy)


def asks_all(strategy: Strategy) -> bool:
    """Return True if a strategy is known to leave no column out, so that all runs have one length.

    It is known if the class that defines `ask` also says `asks_all = True`. A subclass that
    overrides `ask` alone makes no such promise.
    """
    kinds = type(strategy).__mro__
    owner = next((kind for kind in kinds if "ask" in vars(kind)), None)
    stated = owner is not None and "asks_all" in vars(owner)
    return stated and bool(getattr(strategy, "asks_all", False))


def most_queries(strategy: Strategy) -> int:
    """Return the most questions that a single run of a strategy can ask.

    That is the strategy's own `queries`, if it has that attribute. Otherwise it is the sum of the
    widths of its rounds, which no run exceeds.
    """
    stated = getattr(strategy, "queries", None)
    return columns(strategy) if stated is None else int(stated)


def phases(strategy: Strategy, asked: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """Return the phase of each round of one run, as everybody who hears it can tell.

    Args:
        strategy: What is run.
        asked: What each round asked so far; `UNASKED` in columns that were left out.

    Returns:
        The phases, one a round. Where runs may differ, they follow from the questions.
    """
    if isinstance(strategy, Phased):
        return strategy.phases(asked)
    return tuple(each.phase for each in strategy.rounds[: len(asked)])


class HidingStage(NamedTuple):
    """The most that the hiding stage asks, whose samples may grow (proofs/samples.md).

    Attributes:
        queries: Questions of a run, all copies counted.
        width: Questions of a round.
    """

    queries: int
    width: int


def hiding_stage(strategy: Strategy) -> HidingStage:
    """Return the most that the hiding stage of a strategy asks; nothing where it has none."""
    found: HidingStage = getattr(strategy, "hiding_stage", HidingStage(0, 0))
    return found


def hiding_columns(strategy: Strategy[State], state: State) -> NDArray[np.bool_] | None:
    """Return which questions of the round about to be asked belong to the hiding stage.

    Which ones do is public: it follows from the questions before.

    Args:
        strategy: What is run.
        state: Where the runs stand, once the coins of the round have fallen.

    Returns:
        [runs, width]; None for a strategy without such a stage.
    """
    known = followed_columns(strategy, state)
    return None if known is None else known >= 0


def followed_columns(strategy: Strategy[State], state: State) -> NDArray[np.int64] | None:
    """Return which copy of each question of hiding, in the round about to be asked, is followed.

    It is that in the part where the search believes X* is, and secret. Questions with one such copy
    are copies of each other.

    Args:
        strategy: What is run.
        state: As in `hiding_columns`.

    Returns:
        [runs, width] the column of that copy, −1 where a question is not of hiding; None for a
        strategy without such a stage.
    """
    known = getattr(strategy, "followed_columns", None)
    return None if known is None else known(state)


def columns(strategy: Strategy) -> int:
    """Return the number of columns of a transcript: the sum of the widths of all rounds."""
    return sum(len(each.coordinates) for each in strategy.rounds)


def progress_of(given: object) -> Progress | None:
    """The progress callback that was given, or None.

    Raises:
        WrongType: It cannot be called.
    """
    if given is None or callable(given):
        return given
    rule = "must be a function of what is done, how much of it, and of how much"
    raise WrongType.of("progress", given, rule, "leave it out, or pass one")


def switch_of(given: object, argument: str) -> bool:
    """What was given where something is or is not to be done.

    Args:
        given: The argument of a public function.
        argument: What it is called there.

    Returns:
        It.

    Raises:
        WrongType: It is neither True nor False.
    """
    if isinstance(given, bool | np.bool_):
        return bool(given)
    raise WrongType.of(argument, given, "must be True or False", "pass one of them")


def no_prior(given: object) -> WrongType:
    """The error about something that stands where a law of X* is wanted."""
    weights = isinstance(given, list | tuple) and bool(given)
    remedy = f"pass Prior({given!r})" if weights else "pass Prior(weights), one number a bin"
    if isinstance(given, str):
        remedy = f"pass domain.prior({given!r})"
    return WrongType.of("prior", given, "must be a Prior", remedy)


S = TypeVar("S")


def take(state: S, rows: NDArray[np.int64]) -> S:
    """The state of some rows, in order and repeated as asked: how branches part."""
    if isinstance(state, np.ndarray):
        return cast(S, state.take(rows, axis=0))  # much faster than an index
    if isinstance(state, tuple):
        kind: Any = type(state)
        parts = tuple(take(item, rows) for item in state)
        return cast(S, kind(*parts) if hasattr(state, "_fields") else parts)
    return state


if not TYPE_CHECKING:  # or a type checker would believe that any name is here
    __getattr__ = renamed_names(__name__, {"Learner": "FittableAdversary"}, since="0.2")
