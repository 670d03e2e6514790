"""Choose the kept parts: the cyclic neighbours that are searched besides the true part."""

from __future__ import annotations

import numpy as np

from feint.strategies.cuts import Int, Piece, cut


def keep(block: Piece, parts: int, kept: int, true: Int, first: Int) -> tuple[Int, Int]:
    """Return the starts of the kept parts, in rising order, which does not reveal the first.

    Args:
        block: The start and size of the range that was cut into parts.
        parts: C, the number of parts.
        kept: L_p, the number of parts that are kept.
        true: [runs] the number of the true part.
        first: [runs] the number of the first kept part; the first part follows the last one.

    Returns:
        [runs, kept] the start of each kept part, and [runs] the column of the true one.
    """
    start, size = block
    wrapped = np.maximum(0, first + kept - parts)
    jump = first - wrapped
    # The inner loop is over the runs, which are many, and one array serves all steps.
    column = np.arange(kept)[:, None]
    starts = (column >= wrapped).astype(np.int64)
    starts *= jump
    starts += column
    cut(size, parts, starts, out=starts)
    starts += start
    return starts.T, np.where(true < wrapped, true, true - jump)
