"""The branches that fit what was overheard in one run, on a lattice of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches.checked import Checked
from feint.branches.walk import Branches, advanced, finished, root
from feint.errors import TooLarge
from feint.interfaces import State, Strategy

Int = NDArray[np.int64]
Bool = NDArray[np.bool_]


def fitting(
    strategy: Strategy[State],
    points: Int,
    *,
    hears: Bool,
    answers: dict[int, bool],
    limit: int = 1 << 20,
) -> Branches:
    """Walk the branches of a noiseless strategy that ask what was heard, and no others.

    Args:
        strategy: What was run.
        points: [queries] what the run asked.
        hears: [queries] which of it was heard; branches may differ in the rest.
        answers: The answers that are known, by the number of the query.
        limit: The number of rows at once beyond which to give up.

    Returns:
        All branches that fit, as one chunk.

    Raises:
        TooLarge: More than `limit` rows fit.
        InvalidValue: The strategy does not keep its contract.
    """
    checked: Checked[State] = Checked(strategy)
    front, column = root(checked), 0
    for each in checked.rounds:
        end = column + len(each.coordinates)
        front = advanced(checked, front)
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
    return finished(checked, front)
