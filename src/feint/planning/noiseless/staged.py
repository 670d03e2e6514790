"""The cheapest member of the staged family on an interval.

Let a be the width of a piece before the last step. If a ≤ δ, every kept part counts fully and
L_p = L. If a > δ, fewer parts suffice, and then all steps but the last belong in the narrowing,
where they cost one question instead of L_p. So the family is searched over L_p. There are T parts
in all, with T ≤ 1/δ and T ≤ L_p/(Lδ), and each is finished to width ε. `cheapest_cut` makes the T
parts. See proofs/hiding.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

from feint.exact import ceil_div
from feint.planning.limits import HIDE_TRIES, LONGEST, MANY_KEPT
from feint.planning.noiseless.steps import (
    Cut,
    cheapest_cut,
    cut_bound,
    factors,
    fewest,
    largest_product,
)
from feint.strategies import StagedShape


def cheapest_staged(
    epsilon: Fraction,
    delta: Fraction,
    level: Fraction | int,
    *,
    rounds: int | None = None,
    spare: bool = True,
) -> StagedShape | None:
    """Return the member of the family with the fewest questions, within a number of rounds.

    Args:
        epsilon: The full width of the accuracy.
        delta: The full width of the interval that the eavesdropper must hit.
        level: L, any rational of at least 1.
        rounds: The most rounds; None for any number.
        spare: True if some parts may be left alone. If False, there is no coin.

    Returns:
        The shape, or None if the blind guess already wins too often or all shapes are too long.
    """
    if level * delta > 1:
        return None
    free = _cheapest(epsilon, delta, Fraction(level), None, spare)
    if rounds is None or (free is not None and free.rounds <= rounds):
        return free
    return _cheapest(epsilon, delta, Fraction(level), rounds, spare)


@lru_cache(maxsize=4096)  # other coordinates, levels and numbers of rounds ask for the same again
def _cheapest(
    epsilon: Fraction, delta: Fraction, level: Fraction, rounds: int | None, spare: bool
) -> StagedShape | None:
    return _Search(epsilon, delta, level, rounds, spare).run()


class _Search:
    def __init__(
        self,
        epsilon: Fraction,
        delta: Fraction,
        level: Fraction,
        rounds: int | None,
        spare: bool,
    ) -> None:
        self.epsilon, self.delta, self.level, self.rounds = epsilon, delta, level, rounds
        self.spare = spare
        self.full = math.ceil(level)
        self.best: StagedShape | None = None

    def run(self) -> StagedShape | None:
        self.hide_fully()
        self.hide_partly()
        return self.best

    @property
    def below(self) -> int:
        return LONGEST + 1 if self.best is None else self.best.queries

    def hide_fully(self) -> None:
        """Try L_p = ⌈L⌉ parts no narrower than δ, with any number of steps in each.

        Without spare parts L_p may be larger: U·L_p parts in all may fit even if U·⌈L⌉ do not.
        """
        most = int(1 / self.delta)
        last = 1 if self.rounds is None else self.rounds - (self.full > 1)
        for kept in range(self.full, (self.full if self.spare else most) + 1):
            if 2 * kept - 1 > self.below:  # each part takes a question, as does each cut
                return
            for steps in range(last, 0, -1):
                allowed = None if self.rounds is None else steps
                spare = None if self.rounds is None else last - steps
                self._hide(kept, most, allowed, spare)

    def hide_partly(self) -> None:
        """Try fewer parts, longer than δ, each finished by one grid."""
        ratio = self.level * self.delta
        if ratio / self.epsilon - 1 >= self.below:
            return
        fine, coarse = self.epsilon.denominator, self.epsilon.numerator
        ranked = []
        for kept in self._few():
            most = kept * ratio.denominator // ratio.numerator
            grid = -(-fine // (coarse * most))
            least = -(-fine // (coarse * grid))
            ranked.append((kept * (grid - 1) + cut_bound(least, kept), kept, most))
        for floor, kept, most in sorted(ranked):
            if floor > self.below - 1 + 1e-9:
                return
            spare = None if self.rounds is None else self.rounds - 1 - (kept > 1)
            if spare is None or spare >= 0:
                self._hide(kept, most, 1, spare)

    def _few(self) -> Iterable[int]:
        """Return numbers of parts to keep: all, or if there are many, the least for each grid."""
        last = min(self.full - 1, self.below)
        ratio = self.level * self.delta
        middle = max(MANY_KEPT, math.isqrt(int(ratio / self.epsilon)) + 1)
        if last <= middle:
            return range(1, last + 1)
        found = set(range(1, middle))
        for grid in range(2, middle):
            parts = -(-self.epsilon.denominator // (self.epsilon.numerator * grid))
            kept = -(-ratio.numerator * parts // ratio.denominator)
            found.update((kept, kept + 1))
        return (kept for kept in found if 1 <= kept <= last)

    def _hide(self, kept: int, most: int, steps: int | None, spare: int | None) -> None:
        """Try every number of questions per part that can still win, the likeliest first."""
        most = 1 if kept == 1 and spare == 0 else most
        first = fewest(ceil_div(1, self.epsilon * most), steps) or 1
        enough = fewest(ceil_div(1, self.epsilon * kept), steps)
        last = max(first, min(enough, (self.below - kept) // kept))

        def least(each: int) -> int:
            return ceil_div(1, self.epsilon * largest_product(each, steps))

        def bound(each: int) -> float:
            rounds = None if spare is None else spare + (kept == 1)
            return kept * each + cut_bound(least(each), kept, rounds)

        centre = _lowest(bound, first, last)
        for direction in (range(centre, last + 1), range(centre - 1, first - 1, -1)):
            for each in direction[:HIDE_TRIES]:
                if bound(each) > self.below - 1 + 1e-9:
                    break
                self._cut(kept, (least(each), most), (each, steps), spare)
                if each >= centre and least(each) <= kept:
                    break

    def _cut(
        self, kept: int, total: tuple[int, int], hide: tuple[int, int | None], spare: int | None
    ) -> None:
        least, most = total
        each, steps = hide
        limit = self.below - kept * each
        if kept == 1:
            cut = _narrowed(least, most, spare, limit)
        else:
            cut = cheapest_cut(least, most, kept, rounds=spare, below=limit, spare=self.spare)
        if cut is not None:
            enough = ceil_div(1, self.epsilon * math.prod(cut.narrow) * cut.parts)
            self.best = StagedShape(
                narrow=cut.narrow,
                parts=cut.parts,
                kept=kept,
                hide=factors(enough, each, steps),
            )


def _narrowed(least: int, most: int, rounds: int | None, below: float) -> Cut | None:
    """Return the shape that keeps one part: to cut and keep the true part narrows once more."""
    if rounds == 0:
        return Cut(0, (), 1) if least == 1 and below > 0 else None
    fewer = None if rounds is None else rounds - 1
    cut = cheapest_cut(least, most, 1, rounds=fewer, below=below)
    if cut is None or cut.parts == 1:
        return cut
    return Cut(cut.questions, (*cut.narrow, cut.parts), 1)


def _lowest(bound: Callable[[int], float], low: int, high: int) -> int:
    """Return about where a function that falls and then rises is lowest."""
    while high - low > 2:
        third = (high - low) // 3
        if bound(low + third) <= bound(high - third):
            high -= third
        else:
            low += third
    return min(range(low, high + 1), key=bound, default=low)
