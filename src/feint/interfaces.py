"""All contracts in one place: strategies, oracles, adversaries, executors, certificates, progress.

A strategy is a pure function q_i = φ_i(r_1…r_{i−1}, Y), written once on whole arrays with a leading
axis of runs. One live search is a batch of one; the simulator runs many rows at once; the
enumerator gives one row to every branch. A round is (coin → toss)* → ask → tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from feint.problem import Problem, Query, Transcript

Points = NDArray[np.int64]
"""[runs, width] cell boundaries; `UNASKED` where a (broken) strategy leaves a point out."""

Answers = NDArray[np.bool_]
"""[runs, width]: whether X* lies at or above each point."""

Weights = NDArray[Any]
"""[runs, sides]: what each side of a coin weighs; whole numbers in noiseless strategies."""

Sides = NDArray[np.int64]
"""[runs]: the side each coin fell on."""

UNASKED = -1

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
    """One round as everybody knows it beforehand.

    Attributes:
        phase: What the round is for, such as "halve" or "hide".
        coordinates: The coordinate that each column asks about; its length is the round's width.
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
    public and the same for every run. Rounds, widths, coordinates and order are fixed beforehand,
    so the shape of a transcript says nothing about X*.

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
        """Phase and columns of every round."""

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
        """This round's queries."""

    def tell(self, state: State, answers: Answers) -> State:
        """The state after this round's answers: the next round's."""

    def estimate(self, state: State) -> Estimate:
        """What the answers told, after the last round."""


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


class Adversary(Protocol):
    """An eavesdropper: sees transcripts, which hold no answers, and estimates X*."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """One estimate a run, [runs, coordinates], in cells."""


@runtime_checkable
class Learner(Adversary, Protocol):
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


_PARTS_OF_A_STRATEGY = (
    *("problem", "cells", "rounds"),
    *("start", "coin", "toss", "ask", "tell", "estimate"),
)


def strategy_of(given: object) -> Strategy:
    """The strategy that was given, by itself or in a plan.

    Args:
        given: The argument `subject` of a public function.

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
    raise WrongType.of("subject", given, "must be a plan or a strategy", remedy)


def progress_of(given: object) -> Progress | None:
    """The progress callback that was given, or None.

    Raises:
        WrongType: It cannot be called.
    """
    if given is None or callable(given):
        return given
    rule = "must be a function of what is done, how much of it, and of how much"
    raise WrongType.of("progress", given, rule, "leave it out, or pass one")


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
        return cast(S, state[rows])
    if isinstance(state, tuple):
        kind: Any = type(state)
        parts = tuple(take(item, rows) for item in state)
        return cast(S, kind(*parts) if hasattr(state, "_fields") else parts)
    return state
