"""List the possible stages of runs of a sequential noisy search by round; all are public."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from feint.interfaces import HidingStage, Round

NARROW, NARROW_CAP, CUT, HIDE, HIDE_CAP, ENDED = range(6)
"""The stages of a run; the caps are the searches of fixed length that finally decide."""

_STOPS = 24
"""The approximate number of rounds in which a cut may come.

Each of them is as wide as a cut, and transcripts and saved searches have room for all. So a long
narrowing stops only after numbers of rounds in geometric progression. At p = 0.6 that costs about
one question in a hundred.
"""


@dataclass(frozen=True, kw_only=True)
class SequentialShape:
    """The integers and limits that select a member of the family.

    Attributes:
        blocks: c₁, the number of blocks that the first search chooses among.
        narrow_error: e₁: narrowing stops when one block is wrong with at most this probability.
        narrow_cap: (T, K): after T undecided answers, rounded up to whole rounds, a search of K
            answers decides.
        parts: C, the number of parts that the block is cut into.
        repeats: m, the number of questions about each inner boundary.
        kept: L', the number of parts that are searched.
        hide_error: e₃: with a confidence, hiding stops when one cell of part k̂ is wrong with at
            most this probability, given that part and the answers in it alone. On average, it
            stops when the posterior mean absolute error is at most this share of the longest part.
        hide_cap: The cap of hiding, of the same form.
        at_once: b, the number of quantiles of the posterior that are asked about at once.
    """

    blocks: int = 1
    narrow_error: Fraction = Fraction(1, 100)
    narrow_cap: tuple[int, int] = (0, 0)
    parts: int = 1
    repeats: int = 0
    kept: int = 1
    hide_error: Fraction = Fraction(1, 100)
    hide_cap: tuple[int, int] = (0, 0)
    at_once: int = 1

    @property
    def queries(self) -> int:
        """Return the most questions of a run."""
        fixed, tilted = self.narrow_rounds
        narrowing = self.at_once * fixed + tilted
        return narrowing + (self.parts - 1) * self.repeats + self.hiding_stage.queries

    @property
    def hiding_stage(self) -> HidingStage:
        """Return the largest size of the hiding stage."""
        fixed, tilted = self.hide_rounds
        queries = self.kept * (self.at_once * fixed + tilted)
        return HidingStage(queries, self.kept * self.at_once)

    @property
    def rounds(self) -> int:
        """Return the most rounds of a run."""
        return sum(self.narrow_rounds) + (self.parts > 1) + sum(self.hide_rounds)

    @property
    def narrow_rounds(self) -> tuple[int, int]:
        """Return the most rounds of narrowing: until its cap, and after it."""
        return self._rounds(self.narrow_cap) if self.blocks > 1 else (0, 0)

    @property
    def hide_rounds(self) -> tuple[int, int]:
        """Return the most rounds of hiding: until its cap, and after it."""
        return self._rounds(self.hide_cap)

    def _rounds(self, cap: tuple[int, int]) -> tuple[int, int]:
        return -(-cap[0] // self.at_once), cap[1]


@dataclass(frozen=True)
class Schedule:
    """The public timetable of the rounds of a member.

    Attributes:
        shape: The member of the family.
        odds: p/(1 − p), the largest factor by which one answer changes the odds of two cells.
    """

    shape: SequentialShape
    odds: float

    @cached_property
    def stops(self) -> frozenset[int]:
        """Return the numbers of rounds after which narrowing may be sure, or at its cap."""
        fixed, tilted = self.shape.narrow_rounds
        if not fixed:
            return frozenset((tilted,))
        least = min(fixed, -(-self._fewest_answers() // self.shape.at_once))
        numbers = range(least, fixed)
        if self.shape.parts > 1 and len(numbers) > _STOPS:
            pace = (fixed / max(least, 1)) ** (1 / _STOPS)
            steps = (math.ceil(max(least, 1) * pace**step) for step in range(_STOPS))
            return frozenset((*(each for each in steps if each < fixed), fixed, fixed + tilted))
        return frozenset((*numbers, fixed, fixed + tilted))

    @cached_property
    def stages(self) -> tuple[tuple[int, ...], ...]:
        """Return for each round the stages that runs may be in."""
        found: list[set[int]] = [set() for _ in range(self.shape.rounds)]

        def add(stage: int, first: int, last: int) -> None:
            for number in range(first, last):
                found[number].add(stage)

        fixed, tilted = self.shape.narrow_rounds
        add(NARROW, 0, fixed)
        add(NARROW_CAP, fixed, fixed + tilted)
        is_cut = self.shape.parts > 1
        if is_cut:
            for number in self.stops:
                found[number].add(CUT)
        first, last = min(self.stops) + is_cut, max(self.stops) + is_cut
        fixed, tilted = self.shape.hide_rounds
        add(HIDE, first, last + fixed if fixed else first)
        add(HIDE_CAP, first + fixed, last + fixed + tilted if tilted else first)
        return tuple(tuple(sorted(each)) for each in found)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """Return the most rounds there can be; the name of a mixed one joins its phases."""
        hide = "hide" if self.shape.kept > 1 else "narrow"
        phases = {NARROW: "narrow", NARROW_CAP: "narrow", CUT: "cut", HIDE: hide, HIDE_CAP: hide}
        widths = {stage: self.width(stage) for stage in phases}
        return tuple(
            Round(
                "/".join(dict.fromkeys(phases[stage] for stage in stages)),
                (0,) * max(widths[stage] for stage in stages),
            )
            for stages in self.stages
        )

    @cached_property
    def phase_limits(self) -> tuple[tuple[str, int, int], ...]:
        """Return each phase of a run with its most rounds and its most questions."""
        shape, narrow, hide = self.shape, self.shape.narrow_rounds, self.shape.hide_rounds
        later = "hide" if shape.kept > 1 else "narrow"
        stages = (
            ("narrow", sum(narrow), shape.at_once * narrow[0] + narrow[1]),
            ("cut", int(shape.parts > 1), self.width(CUT)),
            (later, sum(hide), shape.kept * (shape.at_once * hide[0] + hide[1])),
        )
        return tuple(each for each in stages if each[1])

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """Return the number of sides of each round's coin; 0: it has none."""
        cut = 2 if self.shape.kept == self.shape.parts else 2 * self.shape.kept
        sides = {NARROW: 0, NARROW_CAP: 2, CUT: cut, HIDE: 0, HIDE_CAP: 2}
        return tuple(max(sides[stage] for stage in stages) for stages in self.stages)

    def width(self, stage: int) -> int:
        """Return the number of questions in a round of one stage."""
        return {
            NARROW: self.shape.at_once,
            NARROW_CAP: 1,
            CUT: (self.shape.parts - 1) * self.shape.repeats,
            HIDE: self.shape.kept * self.shape.at_once,
            HIDE_CAP: self.shape.kept,
        }[stage]

    def _fewest_answers(self) -> int:
        """Return the fewest answers that make a block sure; each changes odds by p/(1 − p)."""
        error = float(self.shape.narrow_error)
        others = (self.shape.blocks - 1) * (1 - error) / max(error, 1e-300)
        return max(0, math.ceil(math.log(max(others, 1.0)) / math.log(self.odds) - 1e-9))
