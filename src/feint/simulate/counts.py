"""Count the questions of a batch while they are asked, so that no transcript needs to be kept.

A transcript has a column for every question that some run could ask. If runs stop early, it is
mostly empty, and writing it takes longer than everything computed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import Points

Int = NDArray[np.int64]
Near = Callable[[Int, Int, Int], NDArray[np.bool_]]
"""A function that returns a mask of the queries near X*, given queries, runs and coordinates."""


class Counts:
    """The number of questions that each run asked.

    Attributes:
        queries: [runs] the number of questions.
        rounds: [runs] the number of rounds, up to the last one with a question.
        near: [runs] the number of questions near X*.
        hidden: [runs] the number of questions of the hiding stage.
        hides: Whether questions of the hiding stage are counted.
    """

    def __init__(self, runs: int, is_near: Near | None = None, *, hides: bool = False) -> None:
        """Start all counts at 0. `near` stays 0 without `is_near`, and `hidden` without `hides`."""
        self.queries, self.rounds, self.near, self.hidden = np.zeros((4, runs), np.int64)
        self.hides, self._is_near = hides, is_near

    def add(
        self,
        number: int,
        axes: Sequence[int],
        asked: Points,
        at: Int | None,
        rows: Int | None,
        hiding: NDArray[np.bool_] | None = None,
    ) -> None:
        """Count a round.

        Args:
            number: The number of the round, from 0.
            axes: The coordinate of each column.
            asked: [runs, columns] the queries of the round.
            at: Flat indices of the asked columns, row after row; None: all were asked.
            rows: The numbers of the runs that ask; None: all runs.
            hiding: [runs, columns] True for questions of the hiding stage; None: there are none.
        """
        at = np.arange(asked.size) if at is None else at
        mine = slice(None) if rows is None else rows
        if not len(at):
            return
        place = at // len(axes)
        run = place if rows is None else rows.take(place)
        self.queries[mine] += np.bincount(place, minlength=len(asked))
        self.rounds[run] = number + 1
        if hiding is not None:
            asks = hiding.reshape(-1).take(at)
            self.hidden[mine] += np.bincount(place[asks], minlength=len(asked))
        if self._is_near is not None:
            axis = np.broadcast_to(np.intp(axes[0]), at.shape)
            if axes.count(axes[0]) < len(axes):
                axis = np.array(axes, np.intp)[at - place * len(axes)]
            near = self._is_near(asked.reshape(-1).take(at), run, axis)
            self.near[mine] += np.bincount(place[near], minlength=len(asked))
