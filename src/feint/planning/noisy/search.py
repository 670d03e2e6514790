"""The search for the member of the staged family under noise that asks the least.

Four nested loops: numbers of parts C, of blocks c₁, of cells a part, of repeats m. Each inner loop
is left as soon as a lower bound on the questions, K₁ + (C−1)m + L'K₂ with every unknown at its
least, reaches the best so far or 2^24. At the bottom (c₁, C, m and so L' are fixed) what may still
be lost is shared between the two searches: `_share`.
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

# Cells an ε that are tried when the error is on average: one of width 2ε loses all that may be.
_FINER = [Fraction(each, 8) for each in (5, 6, 7, 8, 10, 12, 16)]
_SCANNED = 1024  # answers up to which every way to share the losses is tried
_SHARES = [2 ** (each / 4) for each in range(-6, 7)]  # beyond, these times the rest at best
_GRAIN = 1e-4  # when the second search loses less than this share, the first has all the rest
_LARGE = 1 << 11  # numbers of repeats beyond this are even, and tried in larger steps
_MOST_PARTS = 256  # more parts than this are not tried for the sake of rounds


class NoisySearch:
    """The member with the fewest queries within a number of rounds, or that with the fewest rounds.

    Attributes:
        best: The best member so far; None before one is found.
        shortest: Where no member is short enough, a lower bound on what the shortest asks.
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
            problem: What is wanted of one coordinate; its level is not looked at.
            level: L of this coordinate.
            misses: How many answers a search needs: the certificate.
            rounds: The most rounds there may be; None: any number.
            quickest: Whether the member with the fewest rounds is sought, and of those the one with
                the fewest queries.
            ticks: How many ticks the range has, where every cell must have a whole number of them.
        """
        self.ticks = ticks
        self.problem, self.level, self.misses = problem, level, misses
        self.votes = votes_of(noise_of(problem))
        self.rounds, self.quickest = rounds, quickest
        self.best: Member | None = None
        self.shortest = NEVER  # of what was left out because it is too long
        self._fewest: dict[int, int] = {}

    @property
    def _negligible(self) -> float:
        """With an error as small as this, more repeats gain nothing."""
        sure = self.problem.confidence
        return 1e-3 * float(self.problem.epsilon if sure is None else 1 - sure)

    @property
    def queries(self) -> float:
        """The number of queries that a member must stay below."""
        return LONGEST + 1 if self.best is None or self.quickest else self.best.queries

    def all(self) -> Member | None:
        """Try every number of parts and of blocks.

        Returns:
            The best member, or None where none is private enough or quick enough.

        Raises:
            TooLarge: Those that are ask more than 2^24 queries.
        """
        for blocks, parts in self.divisions():
            self.divide(blocks, parts)
        if self.best is None and self.shortest < NEVER:
            raise too_long(self.shortest)
        return self.best

    def divisions(self) -> Iterator[tuple[int, int]]:
        """Numbers of blocks and parts, as long as they may beat the best so far."""
        for parts in self._part_counts():
            if not self._worth(parts):
                return
            for blocks in self._block_counts(parts):
                if self.ticks is None or self.ticks % (blocks * parts) == 0:
                    yield blocks, parts

    def _part_counts(self) -> Iterator[int]:
        """Numbers of parts.

        Past half as many again as the level, blocks cut finer more cheaply than parts do, and one
        part is all there is to try at level 1; but parts take one round, however many, and of whole
        values those that are all alike hide best.
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
        """Numbers of blocks: every one from the most down to half of it, or some two dozen."""
        most = int(1 / (parts * self.problem.delta)) if parts > 1 and not self.quickest else 1
        step = max(1, most // 48)
        tried = {*range(most, max(0, most // 2 - 1), -step), *range(1, min(most, 8) + 1)}
        yield from sorted(tried, reverse=True)

    def _worth(self, parts: int) -> bool:
        """Whether this number of parts fits, and its cut alone asks less than the best so far."""
        if parts * self.problem.delta > 1:
            return False
        return self._short((parts - 1) * max(1, self._fewest_repeats(parts)))

    def _short(self, queries: float) -> bool:
        """Whether a member that asks at least this many queries may still be the best."""
        if queries >= self.queries and self.best is None:
            self.shortest = min(self.shortest, math.ceil(queries))
        return queries < self.queries

    def divide(self, blocks: int, parts: int) -> None:
        """Try every number of cells a part, for one number of blocks and of parts."""
        for cells in cell_numbers(self.problem, blocks, parts):
            if self.ticks is not None:
                cells = dividing(self.ticks // (blocks * parts), cells)
            self._repeat(Division(self.problem, blocks, parts, cells))

    def _repeat(self, division: Division) -> None:
        """Try every number of repeats that may pay, for one way to divide."""
        first, third = division.most()
        narrow, hide = self._narrowed(division, first)[0], self._hidden(division, third)[0]
        parts, full = division.parts, math.ceil(self.level)
        if self.rounds is not None and narrow + (parts > 1) + hide > self.rounds:
            return
        for repeats in self._repeats(parts):
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
        """Whether a vote with this number of kept parts may still be the best, by a lower bound.

        Each search alone may lose no more than what the vote leaves at most.
        """
        total = division.allowed(repeats, at_most=True)
        if total <= 0:
            return False
        hide = self._hidden(division, min(1.0, total / division.weight))[0]
        if hide >= NEVER:  # two lengths by two rules, which may be one rule at a smaller loss
            return True
        asked = (division.parts - 1) * repeats + kept * hide
        if not self._short(asked + least):
            return False
        return self._short(asked + max(least, self._narrowed(division, total)[0]))

    def _share(self, division: Division, repeats: int, kept: int, least: int) -> None:
        """Try the ways to share what may be lost between the two searches.

        With t the total that may be lost and w what a miss of the second search counts, the pair
        (e₁, e₃) must satisfy (1−e₁)(1−e₃) ≥ 1−t (high probability) or e₁ + w·e₃ ≤ t (average).
        K₂ costs L' queries an answer and K₁ one, so K₂ begins at the fewest answers that are
        possible at all (e₃ = t/w, nothing left for e₁) and grows one answer at a time; each time
        the first search takes all that is left (`_try`). It ends when L'K₂ alone is too long, when
        the first search has come down to `least` answers, its fewest under any share, or when the
        second loses so little that giving up the rest of it cannot save the first an answer.
        Where K₂ is in the thousands both follow ⌈log(cells/e)/−log ρ⌉, whose sum with weights 1
        and L' is least at e₁ : w·e₃ = 1 : L'; then a few shares around that one are tried.

        Args:
            division: Blocks, parts and cells.
            repeats: m.
            kept: L'.
            least: The fewest answers the first search needs when it may lose everything.
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
            if narrow <= least or weight * third <= _GRAIN * total:  # it cannot take fewer
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
        """Give the first search what the second leaves, and keep the member if it is the best.

        Returns:
            How many answers the first search takes.
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
                kept=kept if hide else division.parts,  # all are as cheap where none is searched
                hide=hide,
                rules=(other, rule),
            )
            if self._better(shape):
                self.best = claimed(division, shape, lost, third)
        return narrow

    def _better(self, found: NoisyShape) -> bool:
        """Whether a shape that is short enough is quick enough, too."""
        if self.rounds is not None and found.rounds > self.rounds:
            return False
        best = self.best
        if best is None or not self.quickest:
            return True
        return (found.rounds, found.queries) < (best.rounds, best.queries)

    def _repeats(self, parts: int) -> Iterator[int]:
        """Numbers of repeats worth trying, from the fewest that may do."""
        if parts == 1:
            yield 0
            return
        repeats = self._fewest_repeats(parts)
        while True:
            yield repeats
            repeats += max(1, repeats // 64) if repeats < _LARGE else repeats // 32 * 2

    def _fewest_repeats(self, parts: int) -> int:
        """The fewest repeats with which the vote alone does not lose all that may be lost."""
        if parts not in self._fewest:
            self._fewest[parts] = self._least_repeats(parts) if parts > 1 else 0
        return self._fewest[parts]

    def _least_repeats(self, parts: int) -> int:
        sure = self.problem.confidence
        wide = self.problem.epsilon / (4 * self.problem.delta)  # an error spans two parts or more
        allowed = float(wide if sure is None else 1 - sure)

        def enough(repeats: int) -> bool:  # two parts err least, and are quick to ask about
            return all(self.votes.vote(each, repeats).error <= allowed for each in (2, parts))

        low, high = 0, max(self._fewest.values(), default=0) or 1  # about that of fewer parts
        while not enough(high):
            if (parts - 1) * high > LONGEST:
                return high
            low, high = high, 2 * high
        low, _ = bracket(enough, low, high, relative=256)
        least = max(1, low - 1)  # an odd number may do where the next even one does not
        return least if least < _LARGE else least // 2 * 2

    def _narrowed(self, division: Division, miss: float) -> tuple[int, float, Rule]:
        """How many answers find the block; some blocks may be likelier than others."""
        more = division.lean.block
        count, lost, rule = self.misses.answers(division.blocks, miss / more)
        return count, lost * more, rule

    def _hidden(self, division: Division, miss: float) -> tuple[int, float, Rule]:
        """How many answers find the place in a part; some places may be likelier than others.

        A shorter block may have a shorter longest part: then both lengths must do by one rule.
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
    """Return the fewest cells, no fewer than wanted, that divide a part of this many ticks."""
    least, root = min(cells, ticks), math.isqrt(ticks)
    for each in range(least, root + 1):
        if ticks % each == 0:
            return each
    # Beyond the root divisors come in pairs with those below it.
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
