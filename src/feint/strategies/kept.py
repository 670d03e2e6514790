"""The kept parts, neighbours counted cyclically: which parts are searched besides the true one."""

from __future__ import annotations

import numpy as np

from feint.strategies.cuts import Int, Piece, cut


def keep(block: Piece, parts: int, kept: int, true: Int, first: Int) -> tuple[Int, Int]:
    """The starts of the kept parts, in rising order, so that order says nothing of the first.

    Args:
        block: Start and size of what was cut into parts.
        parts: C, how many parts there are.
        kept: L_p, how many of them are kept.
        true: [runs] the true part's number.
        first: [runs] the number of the first kept part; after the last part comes the first.

    Returns:
        [runs, kept] where each kept part starts, and [runs] the column of the true one.
    """
    start, size = block
    wrapped = np.maximum(0, first + kept - parts)
    jump = first - wrapped
    # The runs innermost, of which there are many, and one array for all steps.
    column = np.arange(kept)[:, None]
    starts = (column >= wrapped).astype(np.int64)
    starts *= jump
    starts += column
    cut(size, parts, starts, out=starts)
    starts += start
    return starts.T, np.where(true < wrapped, true, true - jump)
