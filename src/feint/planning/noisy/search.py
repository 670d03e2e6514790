"""Search for the cheapest member of the staged family under noise.

There are four nested loops: over numbers of parts C, blocks c₁, cells per part and repeats m. Each
inner loop ends as soon as a lower bound on the questions reaches the best so far or 2^24. The bound
is K₁ + (C−1)m + L'K₂ with every unknown at its least. In the innermost loop c₁, C, m and so L' are
fixed, and `_share` divides the loss that is still allowed between the two searches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from feint.exact import bracket, ceil_div
from feint.interfaces import NEVER, Misses, Rule
from feint.planning.checks import too_long
from feint.planning.limits import LONGEST
from feint.planning.noisy.claims import Division, Member, claimed, noise_of
from feint.planning.noisy.votes import votes_of
from feint.problem import Problem
from feint.strategies import NoisyShape

# Cells per ε to try if the error is on average: a cell of width 2ε uses the whole allowance.
_FINER = [Fraction(each, 8) for each in (5, 6, 7, 8, 10, 12, 16)]
_SCANNED = 1024  # answers up to which every way to share the losses is tried
_SHARES = [2 ** (each / 4) for each in range(-6, 7)]  # beyond, multiples of the best share
_GRAIN = 1e-4  # with a smaller share for the second search, the first gains nothing
_LARGE = 1 << 11  # numbers of repeats beyond this are even, and tried in larger steps
_MOST_PARTS = 256  # more parts than this are not tried for the sake of rounds


class NoisySearch:
    """A search for the member with the fewest queries within some rounds, or the fewest rounds.

    Attributes:
        best: The best member so far; None before one is found.
        shortest: A lower bound on the queries of the shortest member, if none is short enough.
    """

    def __init__(
        self,
        problem: Problem,
        level: Fraction | int,
        misses: Misses,
        *,
        rounds: int | None = None,
        quickest: bool = False,
        ticks: int | None = None,
    ) -> None:
        """Prepare the search; `all` and `divide` run it.

        Args:
            problem: The problem of one coordinate. Its level is ignored.
            level: The level L of this coordinate.
            misses: The certificate, which gives the number of answers a search needs.
            rounds: The most rounds; None for any number.
            quickest: True to find the member with the fewest rounds, and of those the one with the
                fewest queries.
            ticks: The number of ticks of the range, if every cell must have a whole number of them.
        """
        self.ticks = ticks
        self.problem, self.level, self.misses = problem, level, misses
        self.votes = votes_of(noise_of(problem))
        self.rounds, self.quickest = rounds, quickest
        self.best: Member | None = None
        self.shortest = NEVER  # queries of the members that are too long
        self._fewest: dict[int, int] = {}

    @property
    def _negligible(self) -> float:
        """An error so small that more repeats gain nothing."""
        sure = self.problem.confidence
        return 1e-3 * float(self.problem.epsilon if sure is None else 1 - sure)

    @property
    def queries(self) -> float:
        """The number of queries that a member must stay below."""
        return LONGEST + 1 if self.best is None or self.quickest else self.best.queries

    def all(self) -> Member | None:
        """Try every number of parts and of blocks.

        Returns:
            The best member, or None if none is private enough or quick enough.

        Raises:
            TooLarge: All such members ask more than 2^24 queries.
        """
        for blocks, parts in self.divisions():
            self.divide(blocks, parts)
        if self.best is None and self.shortest < NEVER:
            raise too_long(self.shortest)
        return self.best

    def divisions(self) -> Iterator[tuple[int, int]]:
        """Yield numbers of blocks and parts as long as they may beat the best so far."""
        for parts in self._part_counts():
            if not self._worth(parts):
                return
            for blocks in self._block_counts(parts):
                if self.ticks is None or self.ticks % (blocks * parts) == 0:
                    yield blocks, parts

    def _part_counts(self) -> Iterator[int]:
        """Yield numbers of parts.

        Beyond 1.5 times the level, blocks divide more cheaply than parts do, and at level 1 only
        one part needs a try. There are two exceptions: any number of parts takes one round only,
        and among whole values equal parts hide best.
        """
        parts = math.ceil(self.level)
        while parts <= (1 if self.level == 1 else self.level * 3 / 2 + 2):
            yield parts
            parts += max(1, parts // 64)
        most, values = min(_MOST_PARTS, int(1 / self.problem.delta)), self.problem.values
        if self.quickest or self.rounds is not None:
            while parts < most:
                yield parts
                parts += max(1, parts // 5)
            if most > math.ceil(self.level * 3 / 2 + 2):
                yield most
        elif values is not None and self.level > 1:
            yield from (each for each in range(parts, most + 1) if values % each == 0)

    def _block_counts(self, parts: int) -> Iterator[int]:
        """Yield numbers of blocks: all from the most down to half of it, or about two dozen."""
        most = int(1 / (parts * self.problem.delta)) if parts > 1 and not self.quickest else 1
        step = max(1, most // 48)
        tried = {*range(most, max(0, most // 2 - 1), -step), *range(1, min(most, 8) + 1)}
        yield from sorted(tried, reverse=True)

    def _worth(self, parts: int) -> bool:
        """Return True if the parts fit and their cut alone asks less than the best so far."""
        if parts * self.problem.delta > 1:
            return False
        return self._short((parts - 1) * max(1, self._fewest_repeats(parts)))

    def _short(self, queries: float) -> bool:
        """Return True if a member that asks at least this many queries may still be the best."""
        if queries >= self.queries and self.best is None:
            self.shortest = min(self.shortest, math.ceil(queries))
        return queries < self.queries

    def divide(self, blocks: int, parts: int) -> None:
        """Try every number of cells per part, for one number of blocks and of parts."""
        for cells in cell_numbers(self.problem, blocks, parts):
            if self.ticks is not None:
                cells = dividing(self.ticks // (blocks * parts), cells)
            self._try_repeats(Division(self.problem, blocks, parts, cells))

    def _try_repeats(self, division: Division) -> None:
        """Try every number of repeats that may pay, for one way to divide."""
        first, third = division.most()
        narrow, hide = self._narrowed(division, first)[0], self._hidden(division, third)[0]
        parts, full = division.parts, math.ceil(self.level)
        if self.rounds is not None and narrow + (parts > 1) + hide > self.rounds:
            return
        for repeats in self._repeat_counts(parts):
            cut = (parts - 1) * repeats
            if not self._short(narrow + cut + full * hide):
                return
            if self._promising(division, repeats, full, narrow):
                kept = division.least_kept(repeats, self.level)
                if kept <= parts and self._promising(division, repeats, kept, narrow):
                    self._share(division, repeats, kept, narrow)
            if self.votes.vote(parts, repeats).error <= self._negligible:
                return

    def _promising(self, division: Division, repeats: int, kept: int, least: int) -> bool:
        """Return True if, by a lower bound, a vote with these kept parts may still be the best.

        Each search alone may lose no more than an upper bound on what the vote leaves.
        """
        total = division.allowed(repeats, at_most=True)
        if total <= 0:
            return False
        hide = self._hidden(division, min(1.0, total / division.weight))[0]
        if hide >= NEVER:  # lengths by two rules; one rule may suffice at a smaller loss
            return True
        asked = (division.parts - 1) * repeats + kept * hide
        if not self._short(asked + least):
            return False
        return self._short(asked + max(least, self._narrowed(division, total)[0]))

    def _share(self, division: Division, repeats: int, kept: int, least: int) -> None:
        """Try the ways to divide the allowed loss between the two searches.

        Let t be the allowed total loss and w the weight of a miss of the second search. The pair
        (e₁, e₃) must satisfy (1−e₁)(1−e₃) ≥ 1−t (high probability) or e₁ + w·e₃ ≤ t (average). An
        answer costs L' queries in K₂ and one in K₁. So K₂ begins at the fewest possible answers
        (e₃ = t/w, nothing left for e₁) and grows one answer at a time. Each time the first search
        takes all that is left (`_try`). The loop ends in one of three cases: L'K₂ alone is too
        long; the first search needs only `least` answers, its fewest under any share; or the second
        loses so little that its whole share cannot save the first an answer. If K₂ is in the
        thousands, both follow ⌈log(cells/e)/−log ρ⌉. Their sum with weights 1 and L' is least at
        e₁ : w·e₃ = 1 : L', so only a few shares around that one are tried.

        Args:
            division: The blocks, parts and cells.
            repeats: The number m of repeats.
            kept: The number L' of kept parts.
            least: The fewest answers that the first search needs if it gets the whole loss.
        """
        total, weight = division.allowed(repeats), division.weight
        if total <= 0:
            return
        most, asked = min(1.0, total / weight), (division.parts - 1) * repeats
        hide, third, rule = self._hidden(division, most)
        if hide > _SCANNED and division.blocks > 1:
            # On BZ bounds alone the second search has the share L'/(L'+1).
            for each in _SHARES:
                if each < kept + 1:
                    found = self._hidden(division, most * (1 - each / (kept + 1)))
                    self._try(division, (repeats, kept), total, *found)
            return
        while hide < NEVER and self._short(asked + least + kept * hide):
            narrow = self._try(division, (repeats, kept), total, hide, third, rule)
            if narrow <= least or weight * third <= _GRAIN * total:  # its minimum
                return
            more, third, rule = self._hidden(division, third * (1 - 1e-9))
            hide = max(more, hide + 1)

    def _try(
        self,
        division: Division,
        cut: tuple[int, int],
        total: float,
        hide: int,
        third: float,
        rule: Rule,
    ) -> int:
        """Give the first search the rest of the loss, and keep the member if it is the best.

        Returns:
            The number of answers that the first search takes.
        """
        repeats, kept = cut
        first = division.rest(total, division.weight * third)
        narrow, lost, other = self._narrowed(division, first)
        if self._short((division.parts - 1) * repeats + narrow + kept * hide):
            shape = NoisyShape(
                blocks=division.blocks,
                narrow=narrow,
                parts=division.parts,
                repeats=repeats,
                kept=kept if hide else division.parts,  # all cost the same if there is no search
                hide=hide,
                rules=(other, rule),
            )
            if self._better(shape):
                self.best = claimed(division, shape, lost, third)
        return narrow

    def _better(self, found: NoisyShape) -> bool:
        """Return True if a shape that is short enough is also quick enough."""
        if self.rounds is not None and found.rounds > self.rounds:
            return False
        best = self.best
        if best is None or not self.quickest:
            return True
        return (found.rounds, found.queries) < (best.rounds, best.queries)

    def _repeat_counts(self, parts: int) -> Iterator[int]:
        """Yield numbers of repeats worth trying, from the fewest that may suffice."""
        if parts == 1:
            yield 0
            return
        repeats = self._fewest_repeats(parts)
        while True:
            yield repeats
            repeats += max(1, repeats // 64) if repeats < _LARGE else repeats // 32 * 2

    def _fewest_repeats(self, parts: int) -> int:
        """Return the fewest repeats with which the vote alone does not use up the allowed loss."""
        if parts not in self._fewest:
            self._fewest[parts] = self._find_fewest_repeats(parts) if parts > 1 else 0
        return self._fewest[parts]

    def _find_fewest_repeats(self, parts: int) -> int:
        sure = self.problem.confidence
        wide = self.problem.epsilon / (4 * self.problem.delta)  # an error spans two parts or more
        allowed = float(wide if sure is None else 1 - sure)

        def enough(repeats: int) -> bool:  # two parts err least and are quick to compute
            return all(self.votes.vote(each, repeats).error <= allowed for each in (2, parts))

        low, high = (
            0,
            max(self._fewest.values(), default=0) or 1,
        )  # about the number for fewer parts
        while not enough(high):
            if (parts - 1) * high > LONGEST:
                return high
            low, high = high, 2 * high
        low, _ = bracket(enough, low, high, relative=256)
        least = max(1, low - 1)  # an odd number may suffice even if the next even one does not
        return least if least < _LARGE else least // 2 * 2

    def _narrowed(self, division: Division, miss: float) -> tuple[int, float, Rule]:
        """Return the number of answers that find the block, for unequal blocks too."""
        more = division.lean.block
        count, lost, rule = self.misses.answers(division.blocks, miss / more)
        return count, lost * more, rule

    def _hidden(self, division: Division, miss: float) -> tuple[int, float, Rule]:
        """Return the number of answers that find the place in a part, for unequal places too.

        A shorter block may have a shorter longest part. Then one rule must suit both lengths.
        """
        more = division.lean.place
        count, lost, rule = self.misses.answers(division.part_cells, miss / more)
        values = self.problem.values
        if values is not None and count < NEVER and division.part_cells > 2:
            least = ceil_div(values // division.blocks, division.parts)
            if least < division.part_cells:
                other, missed, same = self.misses.answers(least, miss / more)
                count = max(count, other) if same == rule else NEVER
                lost = max(lost, missed)
        return count, lost * more, rule


def dividing(ticks: int, cells: int) -> int:
    """Return the fewest cells, at least `cells`, that divide a part of this many ticks."""
    least, root = min(cells, ticks), math.isqrt(ticks)
    for each in range(least, root + 1):
        if ticks % each == 0:
            return each
    # Each divisor above the root is paired with one below it.
    few = next(q for q in range(min(root, ticks // least), 0, -1) if ticks % q == 0)
    return ticks // few


def cell_numbers(problem: Problem, blocks: int, parts: int) -> Iterator[int]:
    """Yield numbers of cells per part: as few as ε allows, or finer ones for errors on average."""
    if problem.values is not None:
        longest = ceil_div(problem.values, blocks)
        if (problem.values // blocks) // parts >= max(1, int(problem.delta * problem.values)):
            yield ceil_div(longest, parts)
        return
    width = Fraction(1, blocks * parts)
    if problem.confidence is not None:
        yield ceil_div(width, problem.epsilon)
        return
    yield from {max(2, ceil_div(width * finer, problem.epsilon)) for finer in _FINER}
