"""Find the branches that fit an overheard run, on a lattice of any size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches.checked import Checked, CheckedState
from feint.branches.walk import Branches, Front, advanced, finished, root
from feint.errors import TooLarge
from feint.interfaces import State, Strategy

Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
LIMIT = 1 << 20


def fitting(
    strategy: Strategy[State],
    points: Int,
    *,
    hears: Bool,
    answers: dict[int, bool],
    limit: int = LIMIT,
) -> Branches:
    """Walk the branches of a noiseless strategy that ask the queries heard, and no others.

    Args:
        strategy: The strategy that ran.
        points: [columns] the queries of the run, `UNASKED` in columns left out.
        hears: [columns] True for columns that were heard; branches may differ in the others.
        answers: The known answers, by the index of the query.
        limit: The most rows at once.

    Returns:
        All branches that fit, as one chunk.

    Raises:
        TooLarge: More than `limit` rows fit.
        InvalidValue: The strategy does not keep its contract.
    """
    checked: Checked[State] = Checked(strategy)
    fronts = chain([root(checked)], _followed(checked, points, hears, answers, limit))
    return finished(checked, deque(fronts, maxlen=1).pop())


def following(
    strategy: Strategy[State], points: Int, *, limit: int = LIMIT
) -> Iterator[Front[CheckedState[State]]]:
    """Walk the branches of a noiseless strategy that fit the queries so far, round by round.

    Args:
        strategy: The strategy that runs.
        points: [columns] the queries so far, in whole rounds; `UNASKED` in columns left out.
        limit: As in `fitting`.

    Yields:
        After each round heard, the rows that fit it and all earlier rounds.

    Raises:
        TooLarge: More than `limit` rows fit.
        InvalidValue: The strategy does not keep its contract.
    """
    checked: Checked[State] = Checked(strategy)
    return _followed(checked, points, np.ones(len(points), bool), {}, limit)


def _followed(
    strategy: Checked[State], points: Int, hears: Bool, answers: dict[int, bool], limit: int
) -> Iterator[Front[CheckedState[State]]]:
    front, column = root(strategy), 0
    for each in strategy.rounds:
        end = column + len(each.coordinates)
        if end > len(points):
            return
        front = advanced(strategy, front)
        asked = front.heard.asked[front.group] if end > column else np.empty((len(front.low), 0))
        mask = hears[column:end]
        fits: NDArray[Any] = (asked[:, mask] == points[column:end][mask]).all(axis=1)
        for query in range(column, end):
            if query in answers:
                axis, place = each.coordinates[query - column], asked[:, query - column]
                above = (front.low[:, axis] >= place) & (place >= 0)
                fits &= above == answers[query]
        front, column = front.rows(np.flatnonzero(fits)), end
        if len(front.low) > limit:
            rule = f"at most {limit} branches that fit what is heard are followed"
            raise TooLarge("branches", f"over {limit}", rule, "let her hear more")
        yield front
