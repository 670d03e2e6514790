"""The product over coordinates (Theorems 3 and 4): independent searches side by side.

Guarantee: the queries in one coordinate reveal nothing about another. So the best eavesdropper's
successes multiply (Bayesian), and so do the covering numbers (deterministic).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import (
    UNASKED,
    Answers,
    Estimate,
    HidingStage,
    Points,
    Round,
    Sides,
    Strategy,
    Sure,
    Sureness,
    Varying,
    Weights,
    asks_all,
    followed_columns,
    hiding_stage,
    most_queries,
    phases,
)
from feint.problem import Problem


class ProductState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        turn: The factor whose coins are being tossed; the factors before it have none left.
        states: The state of each factor.
    """

    round: int
    turn: int
    states: tuple[Any, ...]


@dataclass(frozen=True)
class Product:
    """Independent searches, one per factor: each round asks one round of every factor.

    A factor that has finished asks nothing more. The columns of the first factor come first.

    Attributes:
        problem: The problem that the factors solve together.
        factors: The searches; the coordinates of each are numbered after those before it.
    """

    problem: Problem
    factors: tuple[Strategy, ...]

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The lattices of the factors, one after the other."""
        return tuple(size for factor in self.factors for size in factor.cells)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """The rounds: up to those of the longest factor; each phase is named once."""
        count = max((len(factor.rounds) for factor in self.factors), default=0)
        return tuple(self._joined(number) for number in range(count))

    @property
    def queries(self) -> int:
        """Return the most questions of a run: the sum of each factor's most."""
        return sum(most_queries(factor) for factor in self.factors)

    @property
    def hiding_stage(self) -> HidingStage:
        """Return the largest size of the hiding stages of all factors together."""
        queries, widths = zip(*map(hiding_stage, self.factors), strict=True)
        return HidingStage(sum(queries), sum(widths))

    @property
    def asks_all(self) -> bool:
        """Return True if no factor leaves a column out."""
        return all(asks_all(factor) for factor in self.factors)

    @property
    def has_coins(self) -> bool | None:
        """Whether a factor has coins; None if that is not known."""
        known = [getattr(factor, "has_coins", None) for factor in self.factors]
        return True if True in known else None if None in known else False

    def start(self, runs: int) -> ProductState:
        """Return the state before the first round."""
        return ProductState(0, 0, tuple(factor.start(runs) for factor in self.factors))

    def coin(self, state: ProductState) -> Weights | None:
        """Return the next coin of the first factor that still needs one, or None."""
        return next((weights for _, weights in self._coins(state)), None)

    def toss(self, state: ProductState, side: Sides) -> ProductState:
        """Return the state after the toss of that factor's coin."""
        for index, _ in self._coins(state):
            moved = self.factors[index].toss(state.states[index], side)
            states = (*state.states[:index], moved, *state.states[index + 1 :])
            return state._replace(turn=index, states=states)
        raise RuntimeError("this round needs no coin")

    def ask(self, state: ProductState) -> Points:
        """Return the queries of the round: those of all active factors, side by side."""
        asked = [
            self.factors[index].ask(state.states[index]) for index in self._active(state.round)
        ]
        return np.concatenate(asked, axis=1)

    def tell(self, state: ProductState, answers: Answers) -> ProductState:
        """Return the state after the answers; each factor receives its own columns."""
        states, column = list(state.states), 0
        for index in self._active(state.round):
            factor = self.factors[index]
            end = column + len(factor.rounds[state.round].coordinates)
            states[index] = factor.tell(states[index], answers[:, column:end])
            column = end
        return ProductState(state.round + 1, 0, tuple(states))

    def followed_columns(self, state: ProductState) -> NDArray[np.int64]:
        """Return [runs, width] the copy of each question of hiding that its factor follows."""
        found, begin = [], 0
        for index in self._active(state.round):
            factor, own = self.factors[index], state.states[index]
            width = len(factor.rounds[state.round].coordinates)
            known = followed_columns(factor, own)
            if known is None:
                known = np.full((len(factor.ask(own)), width), -1)
            found.append(np.where(known < 0, -1, known + begin))
            begin += width
        return np.concatenate(found, axis=1)

    def estimate(self, state: ProductState) -> Estimate:
        """Return the estimates of the factors, coordinate after coordinate."""
        parts = [
            factor.estimate(each) for factor, each in zip(self.factors, state.states, strict=True)
        ]
        return Estimate(
            cell=np.concatenate([part.cell for part in parts], axis=1),
            rest=np.concatenate([part.rest for part in parts], axis=1),
            low=np.concatenate([part.low for part in parts], axis=1),
            high=np.concatenate([part.high for part in parts], axis=1),
        )

    def phases(self, asked: Sequence[Sequence[int]]) -> tuple[str, ...]:
        """Return the phases of the factors that each round asked something, joined.

        Args:
            asked: The queries of each round; `UNASKED` in columns that were left out.
        """
        named = [list[str]() for _ in asked]
        ends = [0] * len(asked)
        for factor in self.factors:
            mine = []
            for number, points in enumerate(asked[: len(factor.rounds)]):
                first = ends[number]
                ends[number] += len(factor.rounds[number].coordinates)
                mine.append(points[first : ends[number]])
            for number, name in enumerate(phases(factor, mine)):
                if any(point != UNASKED for point in mine[number]):
                    named[number].append(name)
        return tuple(map(_joined_names, named))

    @cached_property
    def phase_limits(self) -> Sequence[tuple[str, int, int]]:
        """Return the phases of the factors if every factor states its own; else nothing."""
        stated = [each.phase_limits if isinstance(each, Varying) else () for each in self.factors]
        found: dict[str, tuple[int, int]] = {}
        for name, rounds, queries in (each for some in stated for each in some):
            longest, total = found.get(name, (0, 0))
            found[name] = max(longest, rounds), total + queries
        return tuple((name, *most) for name, most in found.items()) if all(stated) else ()

    def sureness(self, state: ProductState) -> tuple[Sureness | None, ...]:
        """Return the sureness of each factor.

        Args:
            state: The state of the runs.
        """
        found: list[Sureness | None] = []
        for factor, own in zip(self.factors, state.states, strict=True):
            found += (
                factor.sureness(own) if isinstance(factor, Sure) else [None] * len(factor.cells)
            )
        return tuple(found)

    @cached_property
    def _shifts(self) -> tuple[int, ...]:
        """Return the number of each factor's first coordinate."""
        counts = [len(factor.cells) for factor in self.factors]
        return tuple(sum(counts[:index]) for index in range(len(counts)))

    def _active(self, number: int) -> list[int]:
        """Return the factors that have a round of this number."""
        return [i for i, factor in enumerate(self.factors) if number < len(factor.rounds)]

    def _joined(self, number: int) -> Round:
        rounds = {index: self.factors[index].rounds[number] for index in self._active(number)}
        names = _joined_names(round_.phase for round_ in rounds.values())
        columns = (
            self._shifts[index] + coordinate
            for index, round_ in rounds.items()
            for coordinate in round_.coordinates
        )
        return Round(names, tuple(columns))

    def _coins(self, state: ProductState) -> Iterator[tuple[int, Weights]]:
        """Yield the factors that need a coin now, each with its next coin."""
        for index in self._active(state.round):
            if index >= state.turn:
                weights = self.factors[index].coin(state.states[index])
                if weights is not None:
                    yield index, weights


def _joined_names(phases: Iterable[str]) -> str:
    """Return the names of phases, each once; a name may itself join several."""
    return "/".join(dict.fromkeys(name for each in phases for name in each.split("/")))
