"""Bound the distance between a distribution and its binned version from values of its cdf.

The values of a cdf at the ends of a piece prove nothing about its inside: all of the mass may lie
at one point. So each piece is probed. A probe halves the piece repeatedly. One path follows the
denser half and finds atoms and spikes; the other follows the thinner half and finds gaps. If no
probe finds a density outside the range of the neighbours, the density is assumed to stay in that
range, which bounds the distance. If a probe does find one, the piece is odd. It is split, and if it
stays odd, all of its mass counts as lying at one point. No distribution can differ by more, so an
odd piece is never understated.

Probes miss structure that is finer than they reach: an atom of less than `_UNSEEN`, or a density
that alternates below 2^-`_DEEP` of a piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from feint.problem.binned import both_apart, neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Float = NDArray[np.float64]

# The error that a cdf may have. Numerical integration is about this accurate; with a smaller value
# its errors would look like atoms.
_UNSEEN = 1e-10
_DEEP = 16  # halvings of a sampled piece; with more, rounding of the cdf hides the density
_SHALLOW = 4  # halvings of every piece; 2 if there are many pieces, 1 if the cdf is slow
_MANY = 1 << 16  # pieces; above this each is so short that two halvings are enough
_SAMPLED = 1024  # pieces probed deeply, spread evenly over the mass
_RESAMPLED = 256  # the same, of the pieces that splitting makes
_SLIGHT = 1e-5  # share of a sample's mass by which deep probes may raise its distance unheeded
_ODD = 1 / 8  # share by which a density may leave its neighbours' range; beyond, it is odd
_SPLIT = 8  # parts that an odd piece is split into
_SPLITS = 6  # splits of a piece at most; an atom is then alone in 8^-6 of the piece
_MOST = 2_000_000  # cdf values that splitting may compute; a fortieth of that if slow
_NARROW = 64  # float spacings; narrower pieces are not split, since floats run out

Values = Callable[["Float"], "Float"]
"""A function that returns a cdf at many places."""


@dataclass(frozen=True)
class Pieces:
    """Hold neighbouring pieces of a range, their masses, and the densities that probes found.

    Attributes:
        ends: [n + 1] the ends, increasing.
        heap: [n + 1] the share of the mass at or below each end.
        rate: [n] the density of the binned version.
        dense: [n] the greatest density that a probe found.
        thin: [n] the least density that a probe found.
    """

    ends: Float
    heap: Float
    rate: Float
    dense: Float
    thin: Float

    @property
    def masses(self) -> Float:
        """Return the mass of each piece."""
        import numpy as np

        return np.maximum(np.diff(self.heap), 0)

    def bounds(self) -> tuple[Float, NDArray[np.bool_]]:
        """Return a bound on the distance within each piece, and which pieces are odd."""
        import numpy as np

        widths, masses = np.diff(self.ends), self.masses
        density, even = masses / widths, self.rate * widths
        left, right = neighbours(density)
        most = np.maximum(np.maximum(left, right), density)
        least = np.minimum(np.minimum(left, right), density)
        beyond = np.maximum(self.dense - most, 0) + np.maximum(least - self.thin, 0)
        odd = beyond > _ODD * most
        plainly, inner = both_apart(density, self.rate)
        near = (plainly + inner + 2 * beyond) * widths  # twice: a probe may miss the peak
        worst = (masses + even) / 2
        return np.where(odd, worst, np.minimum(near, worst)), odd

    def probed(self, which: NDArray[np.intp], cdf: Values, times: int) -> Pieces:
        """Return the pieces after probing some of them by `times` halvings."""
        dense, thin = self.dense.copy(), self.thin.copy()
        found = _probe(self.ends, self.heap, which, cdf, times)
        dense[which], thin[which] = found
        return replace(self, dense=dense, thin=thin)

    def searched(
        self, which: NDArray[np.intp], cdf: Values, reach: tuple[int, int, int], budget: int | None
    ) -> tuple[Pieces, int]:
        """Probe some of the pieces, and all of them deeply if a sample shows that it matters.

        Args:
            which: The pieces.
            cdf: The cdf.
            reach: The number of halvings of each piece, that of each sampled piece, and the number
                of sampled pieces, which are spread evenly over the mass.
            budget: The most values of the cdf to use; None: any number. If they are not enough, all
                of the mass of these pieces counts as lying at points.

        Returns:
            The probed pieces, and the number of cdf values used after the first probes.
        """
        import numpy as np

        shallow, deep, size = reach
        pieces = self.probed(which, cdf, shallow)
        heap = np.cumsum(pieces.masses[which])
        if deep <= shallow or not heap[-1] > 0:
            return pieces, 0
        shares = (np.arange(size) + 0.5) / size * heap[-1]
        sample = which[np.unique(np.minimum(np.searchsorted(heap, shares), len(which) - 1))]
        before = pieces.bounds()[0][sample]
        pieces = pieces.probed(sample, cdf, deep)
        rise = (pieces.bounds()[0][sample] - before).sum() / pieces.masses[sample].sum()
        used = 2 * deep * len(sample)
        if rise <= _SLIGHT:
            return pieces, used
        # The other pieces may have structure that is as fine as that of the sample.
        if budget is None or used + 2 * deep * len(which) <= budget:
            return pieces.probed(which, cdf, deep), used + 2 * deep * len(which)
        dense = pieces.dense.copy()
        dense[which] = np.inf
        return replace(pieces, dense=dense), used

    def split(self, which: NDArray[np.intp], cdf: Values) -> tuple[Pieces, NDArray[np.intp]]:
        """Return the pieces after splitting some of them, and the indices of new pieces."""
        import numpy as np

        low, high = self.ends[which], self.ends[which + 1]
        shares = np.arange(1, _SPLIT) / _SPLIT
        places = (low[:, None] + (high - low)[:, None] * shares).ravel()
        after = np.repeat(which + 1, _SPLIT - 1)
        times = np.ones(len(self.rate), np.intp)
        times[which] = _SPLIT
        fresh = np.zeros(len(self.rate), bool)
        fresh[which] = True
        made = Pieces(
            np.insert(self.ends, after, places),
            np.insert(self.heap, after, cdf(places)),
            *(np.repeat(each, times) for each in (self.rate, self.dense, self.thin)),
        )
        return made, np.flatnonzero(np.repeat(fresh, times))


def bound_distance(ends: Float, heap: Float, read: Float, cdf: Values, *, slow: bool) -> float:
    """Return a bound on the total variation distance from the version that is even in each piece.

    Args:
        ends: [n + 1] the ends of the pieces.
        heap: [n + 1] the cdf there, 0 at the first and 1 at the last.
        read: [n] the mass of each piece in the binned version.
        cdf: Computes the same cdf at any places in between.
        slow: True if it computes one place at a time. Then fewer places are probed.

    Returns:
        The bound, under the assumptions in the docstring of this module.
    """
    import numpy as np

    count = len(read)
    rate, none = read / np.diff(ends), np.zeros(count)
    pieces = Pieces(ends, heap, rate, none, np.full(count, np.inf))
    shallow = 1 if slow else 2 if count > _MANY else _SHALLOW
    # A slow cdf of many pieces would take minutes. Beyond the limit, mass counts as points.
    limit = _MOST // 2 if slow else None
    pieces, _ = pieces.searched(np.arange(count), cdf, (shallow, _DEEP, _SAMPLED), limit)
    budget = _MOST // 40 if slow else _MOST
    times = 1 if slow else 2
    each = _SPLIT - 1 + _SPLIT * (min(times, 2) * times)  # places that one more split takes
    for number in range(_SPLITS):
        bounds, odd = pieces.bounds()
        wide = np.diff(pieces.ends) > _NARROW * np.spacing(np.abs(pieces.ends[1:]))
        chosen = np.flatnonzero(odd & wide & (bounds > _UNSEEN))
        if not len(chosen) or budget < each:
            break
        heaviest = np.argsort(bounds[chosen], kind="stable")[-(budget // each) :]
        chosen = np.sort(chosen[heaviest])
        budget -= each * len(chosen)
        pieces, fresh = pieces.split(chosen, cdf)
        # Reach the same fineness as before: a split replaces three halvings.
        deep = max(times, _DEEP - 3 * (number + 1))
        pieces, used = pieces.searched(fresh, cdf, (times, deep, _RESAMPLED), budget)
        budget -= used
    return float(pieces.bounds()[0].sum())


def _probe(
    ends: Float, heap: Float, which: NDArray[np.intp], cdf: Values, times: int
) -> tuple[Float, Float]:
    """Return the greatest and the least density on a dense and a thin path into each piece."""
    import numpy as np

    paths = 1 if times == 1 else 2  # both paths begin with the same two halves
    low, high, below, above = (
        np.tile(each, paths)
        for each in (ends[which], ends[which + 1], heap[which], heap[which + 1])
    )
    dense = ((above - below) / (high - low))[: len(which)]
    thin, to_dense = dense, np.arange(len(low)) < len(which)
    tiny = np.finfo(float).tiny  # in place of a width of 0, where floats run out
    for _ in range(times):
        middle = low + (high - low) / 2
        here = cdf(middle)
        masses = np.stack((here - below, above - here))
        widths = np.maximum(np.stack((middle - low, high - middle)), tiny)
        shape = (2 * paths, len(which))
        dense = np.maximum(dense, ((masses - _UNSEEN) / widths).reshape(shape).max(axis=0))
        thin = np.minimum(thin, ((masses + _UNSEEN) / widths).reshape(shape).min(axis=0))
        first = (masses[0] / widths[0] > masses[1] / widths[1]) == to_dense
        low, below = np.where(first, low, middle), np.where(first, below, here)
        high, above = np.where(first, middle, high), np.where(first, here, above)
    return dense, thin
