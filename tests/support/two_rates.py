"""Compute searches under two rates of failed checks by brute force, in exact fractions.

One block of equal parts, all of which are kept. A transcript is how often each boundary of the cut
was checked, and the questions of hiding with their number. The search in a part is one of our own:
it asks at the boundary nearest to the posterior median, and stops when one cell is sure enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import Literal

Rule = Literal["coin", "plain", "early"]
"""How checks of a boundary become a verdict: with the coin, without it, or at the first failure."""


@dataclass(frozen=True)
class Member:
    """A small member, and the true rates.

    `good` and `bad` are the rates that the search believes in and that the coin is made for;
    `true_good` and `true_bad` those that hold.
    """

    good: Fraction
    bad: Fraction
    true_good: Fraction
    true_bad: Fraction
    parts: int
    cells: int
    repeats: int
    error: Fraction
    longest: int
    rule: Rule = "coin"

    def success(self, width: int) -> Fraction:
        """Return the success of the best eavesdropper who names this many neighbouring cells."""
        heard: dict[tuple[object, ...], list[Fraction]] = {}
        size = self.parts * self.cells
        for cell in range(size):
            part, offset = divmod(cell, self.cells)
            for times, found, chance in self.cuts(part):
                side = (found > part) - (found < part)
                for asked, _, more in self.searches(side, offset):
                    row = heard.setdefault((times, asked), [Fraction(0)] * size)
                    row[cell] += chance * more
        caught = Fraction(0)
        for row in heard.values():
            caught += max(sum(row[at : at + width], Fraction(0)) for at in range(size - width + 1))
        return caught / size

    def cuts(self, part: int) -> Iterator[tuple[tuple[int, ...], int, Fraction]]:
        """Yield how often boundaries are checked, the chosen part, and their probability."""
        ways = [
            self.verdicts(self.true_good if part >= at else self.true_bad)
            for at in range(1, self.parts)
        ]
        for way in product(*ways):
            chance = Fraction(1)
            for _, _, more in way:
                chance *= more
            if chance:
                yes = [verdict for _, verdict, _ in way]
                scores = [
                    sum(yes[:at]) + sum(not each for each in yes[at:]) for at in range(self.parts)
                ]
                best = [at for at, score in enumerate(scores) if score == max(scores)]
                for found in (best[0], best[-1]):
                    yield tuple(times for times, _, _ in way), found, chance / 2

    def verdicts(self, rate: Fraction) -> list[tuple[int, bool, Fraction]]:
        """Return the numbers of checks, verdicts (True: good) and probabilities, at a true rate."""
        m = self.repeats
        if self.rule == "early":
            failed = [(n, False, (1 - rate) ** (n - 1) * rate) for n in range(1, m + 1)]
            return [*failed, (m, True, (1 - rate) ** m)]
        good = Fraction(0)
        for fails in range(m + 1):
            chance = comb(m, fails) * rate**fails * (1 - rate) ** (m - fails)
            good += chance * (1 - self.counts_as_bad(fails))
        return [(m, True, good), (m, False, 1 - good)]

    def counts_as_bad(self, fails: int) -> Fraction:
        """Return the probability that this number of failures counts as bad."""
        if self.rule == "plain":
            return Fraction(int(fails > 0))
        threshold, coin = self.coin()
        return Fraction(int(fails > threshold)) if fails != threshold else coin

    def coin(self) -> tuple[int, Fraction]:
        """Return the threshold and its coin that make both errors equal, by trying all of them."""
        m = self.repeats

        def tail(rate: Fraction, least: int) -> Fraction:
            return sum(
                (comb(m, n) * rate**n * (1 - rate) ** (m - n) for n in range(least, m + 1)),
                Fraction(0),
            )

        for threshold in range(m + 1):
            at = [
                tail(rate, threshold) - tail(rate, threshold + 1) for rate in (self.good, self.bad)
            ]
            # above + c·at_good = 1 − tail_bad(threshold + 1) − c·at_bad
            rest = 1 - tail(self.bad, threshold + 1) - tail(self.good, threshold + 1)
            if sum(at) and 0 <= rest / sum(at) <= 1:
                return threshold, rest / sum(at)
        raise ValueError("no coin makes both errors equal")

    def searches(self, side: int, offset: int) -> Iterator[tuple[tuple[int, ...], int, Fraction]]:
        """Yield every course of hiding: its questions, the cell it finds, and its probability.

        Args:
            side: −1 if the part that is followed lies below X*, 1 if above, 0 if X* is in it.
            offset: The place of X* in its part.
        """
        waiting: list[tuple[tuple[int, ...], list[Fraction], Fraction]]
        waiting = [((), [Fraction(1)] * self.cells, Fraction(1))]
        while waiting:
            asked, weights, chance = waiting.pop()
            total = sum(weights, Fraction(0))
            if total - max(weights) <= self.error * total or len(asked) == self.longest:
                yield asked, weights.index(max(weights)), chance
                continue
            point = min(
                range(1, self.cells), key=lambda at: abs(2 * sum(weights[:at], Fraction(0)) - total)
            )
            is_good = side < 0 or (side == 0 and offset >= point)
            rate = self.true_good if is_good else self.true_bad
            for failed in (False, True):
                share = rate if failed else 1 - rate
                if share:
                    factors = (self.good, self.bad) if failed else (1 - self.good, 1 - self.bad)
                    more = [each * factors[at < point] for at, each in enumerate(weights)]
                    if any(more):
                        waiting.append(((*asked, point), more, chance * share))
                    else:
                        yield (*asked, point), 0, chance * share

    def wrong(self) -> Fraction:
        """Return P(a search that stops when sure is wrong), for X* in the followed part.

        It may go on as long as it likes: those that are undecided at the end are not counted.
        """
        found = Fraction(0)
        for offset in range(self.cells):
            for asked, cell, chance in self.searches(0, offset):
                if cell != offset and len(asked) < self.longest:
                    found += chance
        return found / self.cells
