"""Define all protocols: strategies, oracles, adversaries, executors, journals, and others.

A strategy is a pure function q_i = φ_i(r_1…r_{i−1}, Y), implemented once on arrays with a leading
axis of runs. A live search is a batch of one run. The simulator plays many runs at once, and the
enumerator uses one row per branch. A round is (coin → toss)* → ask → tell. A run ends as soon as a
round asks it nothing.
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
"""[runs, width]: True if X* lies at or above the point; False in columns that a run leaves out."""

Weights = NDArray[Any]
"""[runs, sides]: the weight of each side of a coin; a whole number in noiseless strategies."""

Sides = NDArray[np.int64]
"""[runs]: the side on which each run's coin fell."""

UNASKED = -1
"""The symbol for a column that a run leaves out. It is overheard like any point."""

Rule = Literal["tilted", "posterior"]
"""The weight of an answer in a noisy search: α < p ("tilted", as in the BZ bound), or p itself."""

NEVER = 1 << 30
"""A number of answers that stands for "no number suffices"."""

Progress = Callable[[str, int, int], None]
"""A callback that receives the name of the current step, the work done, and the total."""

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
    """The largest possible size of a round, which is public.

    Attributes:
        phase: The purpose of the round, such as "narrow" or "hide".
        coordinates: The coordinate of each column. Its length is the round's width, the most
            questions that it can ask.
    """

    phase: str
    coordinates: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The learner's estimates, in cells; every array is [runs, coordinates].

    The estimate is split into `cell` and `rest`, so that it is exact on any lattice. Without noise
    it is the middle of low and high.

    Attributes:
        cell: The cell that holds the estimate.
        rest: The offset of the estimate in its cell, from 0 to 1.
        low: The largest boundary that X* is known to reach (noisy: the credible interval's lower
            end).
        high: The smallest boundary that X* is known to lie below (noisy: its upper end).
    """

    cell: NDArray[np.int64]
    rest: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def between(cls, low: NDArray[np.int64], high: NDArray[np.int64]) -> Estimate:
        """Return the estimate in the middle of two boundaries below 2^62."""
        both = low + high
        return cls(cell=both >> 1, rest=(both & 1) / 2, low=low, high=high)

    @property
    def point(self) -> NDArray[np.float64]:
        """Return the estimate as a float; on more than 2^52 cells it is rounded to cells."""
        return self.cell + self.rest


class Strategy(Protocol[State]):
    """A strategy: frozen parameters, with an explicit state that is passed from round to round.

    Every state is a (nested) named tuple. Its arrays have a leading axis of runs; everything else
    in it is public and the same for all runs.

    `rounds` is the longest possible run. A run may leave columns out: `ask` returns `UNASKED`
    there, and `tell` receives False. A run ends once a round with columns asks it nothing. Then all
    later rounds must ask it nothing, and its estimate must not change. The columns left out and the
    end of a run are part of the transcript: an eavesdropper hears them, and audits count them.
    Given the transcript, nothing else that others can see depends on X*.

    Two attributes are optional. `queries` is the most questions that a single run can ask; see
    `most_queries`. `asks_all`, if it is True, promises that no run ever leaves a column out; see
    `asks_all`.

    The protocol does *not* guarantee that a strategy is private or accurate. Use `audit` to find
    out.
    """

    @property
    def problem(self) -> Problem:
        """Return the problem that the strategy solves."""

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the lattice: coordinate i has cells[i] cells."""

    @property
    def rounds(self) -> Sequence[Round]:
        """Return phase and columns of all rounds that there can be."""

    def start(self, runs: int) -> State:
        """Return the state before the first round."""

    def coin(self, state: State) -> Weights | None:
        """Return the next coin that this round needs before its queries, or None.

        The number of coins of a round is fixed beforehand. A row whose coin has only one side with
        a nonzero weight does not branch.
        """

    def toss(self, state: State, side: Sides) -> State:
        """Return the state after the coin has fallen on a side."""

    def ask(self, state: State) -> Points:
        """Return this round's queries, `UNASKED` in every column that a run leaves out."""

    def tell(self, state: State, answers: Answers) -> State:
        """Return the state after this round's answers, which is the next round's."""

    def estimate(self, state: State) -> Estimate:
        """Return the estimates, once a run has ended or the last round is over."""


class Planned(Protocol):
    """An object with a problem and a strategy, such as a `Plan`."""

    @property
    def problem(self) -> Problem:
        """Return the promised problem."""

    @property
    def strategy(self) -> Strategy:
        """Return the strategy to run."""


@runtime_checkable
class Writer(Protocol[Read]):
    """A strategy that can write its queries into a given array, without a copy."""

    def write(self, state: Read, points: Points) -> None:
        """Write this round's queries, those of `ask`, over `points`, [runs, width]."""


@runtime_checkable
class Phased(Protocol):
    """A strategy whose runs may be in different phases in the same round."""

    def phases(self, asked: Sequence[Sequence[int]]) -> tuple[str, ...]:
        """Return the phase of each round of one run, from what the rounds asked.

        Args:
            asked: The queries of each round; `UNASKED` in columns left out.
        """


@runtime_checkable
class Varying(Protocol):
    """A strategy that goes through its phases in order, each as long as a run needs."""

    @property
    def phase_limits(self) -> Sequence[tuple[str, int, int]]:
        """Return each phase with its most rounds and most questions in one run.

        Return an empty tuple if `rounds` is more precise.
        """


class Sureness(NamedTuple):
    """The posterior probability that a phase has found its goal. Secret.

    Attributes:
        phase: The phase, "narrow" or "hide".
        sure: The probability that the likeliest block or cell is right, given the answers that the
            phase follows.
        enough: The probability at which the phase ends.
    """

    phase: str
    sure: float
    enough: float


@runtime_checkable
class Sure(Protocol[Read]):
    """A strategy whose phases end when they are sure."""

    def sureness(self, state: Read) -> tuple[Sureness | None, ...]:
        """Return how sure the first run is, per coordinate; None in a phase of fixed length."""


class Adversary(Protocol):
    """An eavesdropper, who receives transcripts, which hold no answers, and estimates X*."""

    @property
    def name(self) -> str:
        """Return the name for tables."""

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """Return one estimate per run, [runs, coordinates], in cells."""


@runtime_checkable
class FittableAdversary(Adversary, Protocol):
    """An eavesdropper who is fitted on some runs and measured on others."""

    def fit(self, transcript: Transcript, targets: NDArray[np.float64]) -> Adversary:
        """Return the eavesdropper fitted on these searches; targets are in cells."""


class Law(Protocol):
    """A distribution of X*, the same in every coordinate."""

    def draw(
        self, cells: int, runs: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw X*: [runs] its cells, and its offsets in them, from 0 to 1."""


@runtime_checkable
class Oracle(Protocol):
    """A source of answers, such as a person, a market or a test suite."""

    def answer(self, queries: Sequence[Query]) -> Iterable[bool]:
        """Answer the open queries of a round in order, each with yes or no to its text.

        Answers of a generator are recorded one by one, so if one of them fails, the earlier ones
        are not lost.
        """


class Executor(Protocol):
    """An executor of tasks: this process, other processes, or other machines.

    The order of results is *not* guaranteed. They arrive as they are completed, each with its
    task's number. The caller combines them by number, so the digits are the same on every executor.
    """

    @property
    def workers(self) -> int:
        """Return the number of tasks it runs at once on this machine."""

    @property
    def slots(self) -> int:
        """Return the number of tasks it runs at once on all machines."""

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Call a function for each task, and yield numbers and results in order of completion.

        Args:
            function: The function. It and the tasks must be picklable if work leaves the process.
            tasks: Its arguments, one per call. They are read as workers become free, so there may
                be any number of them.

        Yields:
            (number, result), every number once.
        """


AnyExecutor: TypeAlias = "Executor | _Futures"
"""An `Executor`, or any `concurrent.futures.Executor`."""


class Misses(Protocol):
    """A certificate that says how many answers a noisy search needs."""

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        """Return the fewest answers with which a search misses with at most this probability.

        Returns:
            The number of answers (`NEVER` if no number suffices), the bound on the probability of a
            miss, and the search rule.
        """


OFFICE = "*"
"""The name under which a store keeps rows that belong to no search. It always exists, is never
listed, and cannot be the name of a search."""


class Journal(Protocol):
    """An append-only store of searches as numbered events.

    A search is a header and its events, numbered from 0. Its state is their fold. When a writing
    method returns, the data survives a crash (in a journal in memory, an error). Every write may be
    repeated: an existing header, or an existing event with the same id, is accepted.

    A journal does *not* guarantee that header and events are a valid search; the replay checks
    that.
    """

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """Create a search.

        Raises:
            NameTaken: A search with this name and another header exists.
            InvalidValue: The name is not allowed.
        """

    def names(self) -> list[str]:
        """Return the names of all searches, sorted."""

    def header(self, name: str) -> dict[str, Any]:
        """Return the header of a search. Secret.

        Raises:
            UnknownSearch: No search has this name.
        """

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """Return the events of a search from a number on, in order. Secret.

        Raises:
            UnknownSearch: No search has this name.
        """

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """Append an event.

        Args:
            name: The search.
            number: The number of the event, which is that of the earlier events.
            event: The event, of plain values.
            id: The id of this write. The same event with the same id is accepted again and counts
                once.

        Returns:
            The number of the next event.

        Raises:
            NumberTaken: There are not exactly `number` earlier events: another process continued
                the search, or the number is too large. Nothing was written.
            UnknownSearch: No search has this name.
        """

    def delete(self, name: str) -> None:
        """Delete a search permanently; an unknown name is accepted."""


class Transaction(Protocol):
    """Exclusive write access to one search of a store. All changes are committed, or none.

    Rows are identified by a kind and a key. Both are readable to anyone who has the storage, so a
    secret key is `blinded`. The content of rows is not readable, and the rows of a kind are padded
    to a length that does not depend on their content (`journal.padded`), as long as they fit.
    """

    @property
    def version(self) -> int:
        """Return the number of earlier transactions that wrote the search."""

    def check(self, *, always: bool = True) -> None:
        """Check that no event or row of the search is missing, surplus or outdated.

        Args:
            always: False to check only after so many writes that all checks together take a fixed
                share of the time of all writes.

        Raises:
            Tampered: The search was changed outside feint.
        """

    def blinded(self, text: str) -> str:
        """Return a keyed hash of a text, the same every time, for use as a secret row key."""

    def events(self, *, start: int = 0) -> list[dict[str, Any]]:
        """See `Journal`."""

    def append(self, event: Mapping[str, Any]) -> int:
        """Append an event, and return its number."""

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return a row; None if it does not exist."""

    def some(self, *where: tuple[str, str]) -> list[dict[str, Any] | None]:
        """Return several rows at once, by kind and key; None for each that does not exist."""

    def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
        """Write a row; an existing one is replaced."""

    def drop(self, kind: str, key: str) -> None:
        """Delete a row; a missing one is accepted."""

    def rows(self, kind: str, *, start: str = "") -> dict[str, dict[str, Any]]:
        """Return the rows of a kind whose keys have this prefix, sorted by key."""

    def keys(self, kind: str, *, start: str = "") -> list[str]:
        """Return the keys of those rows, sorted; nothing is decrypted."""

    def count(self, kind: str, *, start: str = "") -> int:
        """Count those rows."""


class Surveyed(NamedTuple):
    """A search in a survey of all searches.

    Attributes:
        name: Its name.
        poll: Its row of kind "poll" without a key; None if it is not a poll.
        counts: The number of its rows of each requested kind; kinds without rows are omitted.
    """

    name: str
    poll: dict[str, Any] | None
    counts: dict[str, int]


class Store(Journal, Protocol):
    """A journal that also stores rows of a search, and changes events and rows atomically."""

    @property
    def near(self) -> bool:
        """Return True if reading needs no network, so that it need not leave the event loop."""

    def creating(self, name: str, header: Mapping[str, Any]) -> AbstractContextManager[Transaction]:
        """Create a search together with its first events and rows.

        At the end of the block the search exists with all that was written; after an error it does
        not exist. If several processes create the same name at once, one succeeds.

        Raises:
            NameTaken: A search with this name exists, even with the same header. It is unchanged.
            InvalidValue: The name is not allowed.
        """

    def transaction(self, name: str) -> AbstractContextManager[Transaction]:
        """Open a transaction on one search, or on the data of no search (`OFFICE`).

        At the end of the block everything is written; after an error, nothing. Data read in it does
        not change until it ends.

        Raises:
            UnknownSearch: There is no search of this name.
        """

    def reading(self, name: str) -> AbstractContextManager[Transaction]:
        """Open a search for reading only. No one waits for it, and the data may change."""

    def stamp(self, name: str) -> tuple[int, int]:
        """Return how often a search and the office were written, without decrypting anything.

        Raises:
            UnknownSearch: There is no search of this name.
        """

    def survey(self, *kinds: str) -> list[Surveyed]:
        """Return all searches, sorted by name, with the number of their rows of some kinds.

        The number of statements does not grow with the number of searches.
        """

    def restored(self) -> float | None:
        """Return the time of the last restoration from a backup; None if there was none."""

    def probe(self) -> None:
        """Write a row that belongs to no search, to check that the store is writable.

        Raises:
            Unavailable: The store is not writable.
        """

    def close(self) -> None:
        """Close files and connections; they are opened again when needed."""

    def locator(self, name: str) -> bytes:
        """Return 16 bytes that locate the search of a name without revealing the name.

        They are the same in every process, and do not depend on whether the search exists.
        """

    def name_at(self, locator: bytes) -> str:
        """Return the name of the search of a locator.

        Raises:
            UnknownSearch: There is none. If the search was deleted a moment ago, only `reading` and
                `transaction` may raise it.
        """


_PARTS_OF_A_STRATEGY = (
    *("problem", "cells", "rounds"),
    *("start", "coin", "toss", "ask", "tell", "estimate"),
)


def strategy_of(given: object, *, argument: str = "subject") -> Strategy:
    """Return the given strategy, or that of a plan.

    Args:
        given: An argument of a public function.
        argument: Its name.

    Returns:
        The strategy.

    Raises:
        WrongType: The argument is neither a strategy nor a plan.
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
    """Return True if a strategy promises to leave no column out, so that all runs are equally long.

    The class that defines `ask` must also define `asks_all = True`. A subclass that overrides only
    `ask` makes no such promise.
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
    """Return the phase of each round of one run, which is public.

    Args:
        strategy: The strategy.
        asked: The queries of each round so far; `UNASKED` in columns left out.

    Returns:
        The phases, one per round. If runs may differ, they follow from the questions.
    """
    if isinstance(strategy, Phased):
        return strategy.phases(asked)
    return tuple(each.phase for each in strategy.rounds[: len(asked)])


class HidingStage(NamedTuple):
    """The largest size of the hiding stage, whose samples may grow (proofs/samples.md).

    Attributes:
        queries: The most questions of a run, with all copies.
        width: The most questions of a round.
    """

    queries: int
    width: int


def hiding_stage(strategy: Strategy) -> HidingStage:
    """Return the largest size of a strategy's hiding stage; zeros if it has none."""
    found: HidingStage = getattr(strategy, "hiding_stage", HidingStage(0, 0))
    return found


def hiding_columns(strategy: Strategy[State], state: State) -> NDArray[np.bool_] | None:
    """Return the questions of the next round that belong to the hiding stage.

    They are public, since they follow from the earlier questions.

    Args:
        strategy: The strategy.
        state: The state of the runs after the coins of the round.

    Returns:
        [runs, width] True for these questions; None for a strategy without such a stage.
    """
    known = followed_columns(strategy, state)
    return None if known is None else known >= 0


def followed_columns(strategy: Strategy[State], state: State) -> NDArray[np.int64] | None:
    """Return the followed copy of each hiding question of the next round. Secret.

    It is the copy in the part where the search believes X* to be. Questions with the same followed
    copy are copies of each other.

    Args:
        strategy: The strategy.
        state: As in `hiding_columns`.

    Returns:
        [runs, width] the column of that copy, −1 for other questions; None for a strategy without
        such a stage.
    """
    known = getattr(strategy, "followed_columns", None)
    return None if known is None else known(state)


def columns(strategy: Strategy) -> int:
    """Return the number of columns of a transcript: the sum of the widths of all rounds."""
    return sum(len(each.coordinates) for each in strategy.rounds)


def progress_of(given: object) -> Progress | None:
    """Return the given progress callback, or None.

    Raises:
        WrongType: The argument cannot be called.
    """
    if given is None or callable(given):
        return given
    rule = "must be a function of what is done, how much of it, and of how much"
    raise WrongType.of("progress", given, rule, "leave it out, or pass one")


def switch_of(given: object, argument: str) -> bool:
    """Return a boolean argument after checking it.

    Args:
        given: The argument of a public function.
        argument: Its name.

    Returns:
        The boolean.

    Raises:
        WrongType: The argument is neither True nor False.
    """
    if isinstance(given, bool | np.bool_):
        return bool(given)
    raise WrongType.of(argument, given, "must be True or False", "pass one of them")


def no_prior(given: object) -> WrongType:
    """Build the error for an argument that should be a prior."""
    weights = isinstance(given, list | tuple) and bool(given)
    remedy = f"pass Prior({given!r})" if weights else "pass Prior(weights), one number per bin"
    if isinstance(given, str):
        remedy = f"pass domain.prior({given!r})"
    return WrongType.of("prior", given, "must be a Prior", remedy)


S = TypeVar("S")


def take(state: S, rows: NDArray[np.int64]) -> S:
    """Take rows of a state, in any order and with repetitions, as splitting branches needs."""
    if isinstance(state, np.ndarray):
        return cast(S, state.take(rows, axis=0))  # much faster than an index
    if isinstance(state, tuple):
        kind: Any = type(state)
        parts = tuple(take(item, rows) for item in state)
        return cast(S, kind(*parts) if hasattr(state, "_fields") else parts)
    return state


if not TYPE_CHECKING:  # otherwise a type checker would believe that any name is here
    __getattr__ = renamed_names(__name__, {"Learner": "FittableAdversary"}, since="0.2")
