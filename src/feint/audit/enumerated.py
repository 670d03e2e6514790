"""Compute the best eavesdropper's success against a small noisy search, by enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from feint.audit.places import Places
from feint.beliefs import best_window
from feint.branches import Right, noisy_branches
from feint.interfaces import Strategy
from feint.problem import UNIFORM, Line, Prior

_ROUNDING = 1e-9  # far more than the rounding error of sums
_LIMIT = 1 << 26  # as in `noisy_branches`


@dataclass(frozen=True, kw_only=True)
class NoisyExact:
    """The best eavesdropper's success, by enumeration.

    Attributes:
        private: True if the success is at most the 1/L of the strategy's problem.
        success: Her success, to the precision of floats.
        transcripts: The number of different transcripts.
        rows: The largest number of histories that were followed at once.
        caught: The likeliest of her best transcripts, and her success after it.
    """

    private: bool
    success: float
    transcripts: int
    rows: int
    caught: tuple[tuple[int, ...], float]


def noisy_exact(
    strategy: Strategy,
    *,
    delta: Fraction | None = None,
    right: Right | None = None,
    prior: Prior = UNIFORM,
    scale: Line | None = None,
    limit: int = _LIMIT,
) -> NoisyExact:
    """Walk every answer and coin of a search under noise, for every cell that may hold X*.

    Args:
        strategy: Any strategy in one dimension whose problem has a p.
        delta: Full width within which she wins; None: that of the strategy's own problem.
        right: The true probability that an answer is right, by the boundary asked about and the
            cell that holds X*; None: always p.
        prior: The distribution of X*.
        scale: The places of the questions; None: exactly at the boundaries.
        limit: The most probabilities to hold in memory.

    Returns:
        The best eavesdropper's success. She also hears how long a search is.

    Raises:
        TooLarge: There are more probabilities than the limit.
        InvalidValue: There are several coordinates, or no p.

    >>> from feint import Problem
    >>> from feint.strategies import SequentialNoisy, SequentialShape
    >>> shape = SequentialShape(parts=2, repeats=1, kept=2, hide_cap=(1, 0))
    >>> problem = Problem("1/8", "1/2", 2, p="0.9", confidence="0.5")
    >>> round(noisy_exact(SequentialNoisy(problem, 4, shape)).success, 9)
    0.5
    """
    found = noisy_branches(strategy, right=right, limit=limit)
    line = Places.of(
        scale,
        cells=strategy.cells[0],
        delta=strategy.problem.delta if delta is None else delta,
        prior=prior,
        width=Fraction(1),
        fits_windows=False,
    )
    bins, weight = line.prior_density
    cells = line.place(np.arange(strategy.cells[0] + 1))
    edges = np.union1d(bins, cells)
    density = weight[np.searchsorted(bins, edges[:-1], side="right") - 1]
    total = float(np.diff(edges) @ density)
    density = density * found.chance[:, np.searchsorted(cells, edges[:-1], side="right") - 1]
    shared = np.broadcast_to(edges, (len(density), len(edges)))
    _, caught = best_window(shared, density, line.delta * line.units)
    mass = density @ np.diff(edges)
    most = int(np.argmax(caught - mass * (caught.sum() / total)))
    success = float(caught.sum()) / total
    return NoisyExact(
        private=success <= 1 / strategy.problem.level + _ROUNDING,
        success=success,
        transcripts=len(caught),
        rows=found.rows,
        caught=(tuple(found.transcripts[most].tolist()), float(caught[most] / mass[most])),
    )
