"""Define broken strategies that the auditor must reject, each with one common mistake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED, Answers, Points, Round, Strategy, Weights
from feint.problem import Problem
from feint.strategies import (
    Int,
    Scalar,
    Staged,
    StagedShape,
    StagedState,
    planted,
)


@dataclass(frozen=True)
class Specimen:
    """A strategy that does not keep its promise.

    Attributes:
        mistake: The mistake, in one sentence.
        strategy: The strategy.
    """

    mistake: str
    strategy: Strategy


class TrueFirst(Staged):
    """A search that asks about the true part first, so the order of a round reveals it."""

    def ask(self, state: StagedState) -> Points:
        """Return the usual queries, with those of the true part moved to the front."""
        asked = super().ask(state)
        return asked if state.window is None else self._turned(asked, state.window[1], 1)

    def tell(self, state: StagedState, answers: Answers) -> StagedState:
        """Return the state after the answers, which are put back in their usual order."""
        if state.window is not None:
            answers = self._turned(answers, state.window[1], -1)
        return super().tell(state, answers)

    def _turned(self, columns: NDArray[Any], true: Int, way: int) -> NDArray[Any]:
        """Return the columns of the parts, rotated so that the true part is first, or back."""
        table = columns.reshape(len(columns), self.shape.kept, -1)
        order = (np.arange(self.shape.kept) + way * true[:, None]) % self.shape.kept
        turned: NDArray[Any] = np.take_along_axis(table, order[:, :, None], axis=1)
        return turned.reshape(len(columns), -1)


class NoLastDecoys(Staged):
    """A search without decoys in the last round, when X* is almost found."""

    def ask(self, state: StagedState) -> Points:
        """Return the usual queries; in the last round only those of the true part."""
        asked = super().ask(state)
        if state.window is None or state.round < len(self.rounds) - 1:
            return asked
        table = asked.reshape(len(asked), self.shape.kept, -1)
        true = np.arange(self.shape.kept) == state.window[1][:, None]
        kept: Points = np.where(true[:, :, None], table, UNASKED).reshape(len(asked), -1)
        return kept


class BiasedCoin(Staged):
    """A search that keeps the window beginning with the true part twice as often as any other."""

    def coin(self, state: StagedState) -> Weights | None:
        """Return the coin of the window, biased."""
        weights = super().coin(state)
        return None if weights is None else weights + (np.arange(self.shape.kept) == 0)


class ReusedPart(Staged):
    """A search that uses one decoy twice instead of two: one hiding place too few."""

    def toss(self, state: StagedState, side: Int) -> StagedState:
        """Return the usual window, with the part after the true one replaced by the next."""
        tossed = super().toss(state, side)
        if tossed.window is None:
            raise RuntimeError("the coin of this round was not tossed")
        starts, true = tossed.window
        rows, changed = np.arange(len(starts)), starts.copy()
        changed[rows, (true + 1) % self.shape.kept] = starts[rows, (true + 2) % self.shape.kept]
        return tossed._replace(window=(changed, true))


def _sweep(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    """Ask every boundary from the left until the answer is no, then stop."""
    return [len(answers) + 1 if all(yes for (yes,) in answers) else UNASKED]


def _specimens() -> dict[str, Specimen]:
    hidden = Problem("1/64", "1/12", 3)
    shape = StagedShape(narrow=(2,), parts=4, kept=3, hide=(2, 2, 2))
    guessed = Problem("1/64", "1/8", 3, setting="deterministic")
    gridded = Problem("1/48", "1/16", 5, setting="deterministic")
    swept = Problem("1/8", "1/4", 2)
    return {
        "printed planted": Specimen(
            "the move after a right guess always goes right (Algorithm 2 as printed)",
            planted(guessed, 64, bisected=3, steps=(2,) * 3, printed=True),
        ),
        "printed planted with a grid": Specimen(
            "the move after a right guess always goes right (Algorithm 3 as printed, K = 2)",
            planted(gridded, 48, left=True, bisected=2, parts=3, steps=(2,) * 2, printed=True),
        ),
        "true part first": Specimen(
            "the true part is asked first in every round", TrueFirst(hidden, 64, shape)
        ),
        "no last decoys": Specimen(
            "the last round asks about the true part only", NoLastDecoys(hidden, 64, shape)
        ),
        "stops early": Specimen(
            "it stops as soon as it knows the answer, and where it stops tells",
            Scalar(swept, 8, (Round("sweep", (0,)),) * 7, _sweep),
        ),
        "biased coin": Specimen(
            "the coin that picks the window is not fair", BiasedCoin(hidden, 64, shape)
        ),
        "reused part": Specimen(
            "one decoy is asked twice in place of two", ReusedPart(hidden, 64, shape)
        ),
    }


SPECIMENS: Mapping[str, Specimen] = MappingProxyType(_specimens())
"""Every specimen by name."""
