"""Compute the errors of the cut, at a known p or averaged over a belief about it."""

from __future__ import annotations

from functools import lru_cache

from feint.problem import Between, Noise, Rates, decision
from feint.strategies import Vote, astray, vote


class Votes:
    """The chances of votes under a noise model.

    If there is only a belief about p, errors are averaged over it from above, since they fall as p
    rises. The loss of an end part is then taken as 1, so a bound that rises with it holds for every
    p.
    """

    is_even = True
    """Whether answers on both sides of X* are right equally often."""

    def __init__(self, noise: Noise) -> None:
        """Prepare the averages."""
        self._slices = [(float(p), mass) for p, mass in noise.slices()]
        self._believed = isinstance(noise, Between)
        self._votes = dict[tuple[int, int], Vote]()
        self._astray = dict[tuple[int, int], float]()

    def vote(self, parts: int, repeats: int) -> Vote:
        """Return the chances of a vote among parts, with `repeats` answers per boundary."""
        if not self._believed:
            return vote(parts, repeats, self._slices[0][0])
        key = parts, repeats
        if key not in self._votes:
            found = [(mass, vote(parts, repeats, p)) for p, mass in self._slices]
            error = sum(mass * each.error for mass, each in found)
            worst = sum(mass * each.worst for mass, each in found)
            self._votes[key] = Vote(1.0 if parts > 1 else 0.0, error, worst)
        return self._votes[key]

    def astray(self, parts: int, repeats: int) -> float:
        """Return how far an error of the vote may lead, as `feint.strategies.astray` does."""
        if not self._believed:
            return astray(parts, repeats, self._slices[0][0])
        key = parts, repeats
        if key not in self._astray:
            self._astray[key] = sum(mass * astray(parts, repeats, p) for p, mass in self._slices)
        return self._astray[key]


class RateVotes(Votes):
    """The chances of votes in which all checks of a boundary give one verdict.

    At known rates, a verdict is wrong equally often on both sides. If the rates are only bounded,
    it is wrong at most that often on either side, and the results are upper bounds.
    """

    def __init__(self, rates: Rates) -> None:
        """Keep the rates."""
        super().__init__(rates)
        self.rates, self.is_even = rates, rates.is_known

    def vote(self, parts: int, repeats: int) -> Vote:
        """Return the chances of a vote among parts, with `repeats` checks per boundary."""
        return vote(parts, 1, self._right(repeats))

    def astray(self, parts: int, repeats: int) -> float:
        """Return how far an error of the vote may lead, as `feint.strategies.astray` does."""
        return astray(parts, 1, self._right(repeats))

    def _right(self, repeats: int) -> float:
        return float(1 - decision(self.rates, repeats).error)


@lru_cache(maxsize=64)
def votes_of(noise: Noise) -> Votes:
    """Return the chances of votes under a noise model, with a cache of earlier results."""
    return RateVotes(noise) if isinstance(noise, Rates) else Votes(noise)
