"""Write questions and results in the user's units, as decimals, floats and labels.

The `Line` of a coordinate maps boundaries to places. This module only formats them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from feint.errors import InvalidValue
from feint.exact import FINEST_FLOAT, decimal, near, near_places, plain, text_width
from feint.interfaces import Estimate
from feint.planning import Plan, finest, scale_for
from feint.problem import Domain, Found, Line, Query, Told, YesMeans
from feint.search.kinds import domains_of
from feint.strategies import CREDIBLE

_NEAR, _NEAREST = 1e-3, 1e-12  # share of a cell between a boundary and the decimal shown to people
# share of a cell between a boundary and the float passed to a function
_NEARER = Fraction(1, 10**9)


class Asked(NamedTuple):
    """A query in the strategy's coordinates.

    Attributes:
        round: The number of the round.
        column: Its place in the round.
        point: The boundary it asks about.
    """

    round: int
    column: int
    point: int

    @property
    def id(self) -> str:
        """Return its id, which no spreadsheet reads as a number or a date."""
        return f"q{self.round}.{self.column}"


def place(id: object) -> tuple[int, int] | None:
    """Return the round and column of an id; None if it is not an id."""
    if not isinstance(id, str):
        return None
    number, _, column = id[1:].partition(".")
    try:
        found = Asked(int(number), int(column), 0)
    except ValueError:
        return None
    return (found.round, found.column) if found.id == id else None


@dataclass(frozen=True)
class Units:
    """A formatter of a plan's questions and results in the user's units.

    Attributes:
        plan: The plan.
        domains: The domain of each coordinate.
        yes_means: The meaning of the answer yes.
    """

    plan: Plan
    domains: tuple[Domain, ...]
    yes_means: YesMeans

    def query(self, asked: Asked, *, sample: int = 1, samples: int = 1) -> Query:
        """Return the question in the user's units.

        Args:
            asked: The query.
            sample: As in `Query`.
            samples: As in `Query`.
        """
        round_ = self.plan.strategy.rounds[asked.round]
        coordinate = round_.coordinates[asked.column]
        value = self._lines[coordinate].at(asked.point)
        return Query(
            id=asked.id,
            round=asked.round,
            phase=round_.phase,
            coordinate=coordinate,
            label=self._label(coordinate),
            value=value,
            shown=_planned(value) if self._as_planned else self._shown(coordinate, asked.point),
            number=self._number(coordinate, value),
            yes_means=self.yes_means,
            sample=sample,
            samples=samples,
            unit=self.domains[coordinate].unit,
            question=self.domains[coordinate].question,
        )

    def _label(self, coordinate: int) -> str | None:
        """Return the label of a number, or its position if several numbers have no labels."""
        label = self.domains[coordinate].label
        if label is None and len(self.domains) > 1:
            return f"{_ordinal(coordinate + 1)} number"
        return label

    def told(self, asked: Asked, answer: bool | None) -> Told:
        """Return a question with its answer, as a row of a table."""
        coordinate = self.plan.strategy.rounds[asked.round].coordinates[asked.column]
        value = self._lines[coordinate].at(asked.point)
        number = self._number(coordinate, value)
        if isinstance(number, float):
            number = float(value)
        return Told(asked.id, asked.round, coordinate, self._label(coordinate), number, answer)

    def starts(self, coordinate: int, point: int) -> bool:
        """Return True if a boundary is shown at the start of the range."""
        return self._lines[coordinate].at(point) <= self.domains[coordinate].low

    def ends(self, coordinate: int, point: int) -> bool:
        """Return True if a boundary is shown past the end of the range."""
        return self._lines[coordinate].at(point) > self.domains[coordinate].high

    @property
    def _as_planned(self) -> bool:
        """Return True if questions are shown exactly at their boundaries."""
        return self.plan.scales != () and self.plan.problem.values is None

    @cached_property
    def _lines(self) -> tuple[Line, ...]:
        """Return the line of each coordinate: planned, or of decimals near an even division."""
        plan, own = self.plan, self.plan.domain
        if plan.scales == ():
            pairs = zip(self.domains, plan.cells, strict=True)
            return tuple(domain.line(size) for domain, size in pairs)
        planned = plan.scales or (None,) * len(plan.cells)
        found = []
        for domain, scale, size in zip(self.domains, planned, plan.cells, strict=True):
            if scale is not None and (domain.low, domain.high) == (own.low, own.high):
                found.append(scale)
            elif scale is not None and scale.marks is not None:
                rule = "the plan was made for a prior on another range"
                shown = f"one from {plain(domain.low)} to {plain(domain.high)}"
                raise InvalidValue("domains", shown, rule, "plan for this range")
            else:
                fine = finest(plan.problem, plan.losses, size)
                found.append(scale_for(domain, size, fine=fine))
        return tuple(found)

    def _shown(self, coordinate: int, point: int) -> str:
        """Return the decimal shown for a boundary that was not planned at a decimal.

        It is within a thousandth of a cell, or closer. Of stepped values it is never above the
        boundary, so that the value there is at least the decimal.
        """
        domain, line = self.domains[coordinate], self._lines[coordinate]
        value, unit = line.at(point), line.cell
        shown = near(value, unit if domain.step is not None else unit * self._fineness)
        if domain.step is not None and Fraction(shown) > value:
            return near(value - unit / 2000, unit / 2)
        return shown

    @cached_property
    def _fineness(self) -> Fraction:
        """Return how much closer than a thousandth of a cell decimals must be under noise.

        The cost of rounding is among the plan's losses. If each shown boundary is within τ cells of
        the true one, X* lies between them with probability at most τ, and all of these may be
        misses. For average accuracy, cells gain at most 2τ of their weight, and X* is τ cells from
        its apparent place.
        """
        losses, problem = self.plan.losses, self.plan.problem
        if losses is None:
            return Fraction(1)
        spare, cost = losses["allowed"] - losses["total"], 1.0
        if problem.confidence is None:
            cost = 2 * losses["total"] + 1 / min(self.plan.cells)
        nearest = min(max(spare / (cost * problem.dim), _NEAREST), _NEAR)
        return Fraction(nearest / _NEAR)

    def _number(self, coordinate: int, value: Fraction) -> int | float | Fraction:
        """Return a boundary for functions: an int or float if close enough, else the exact value.

        Of stepped values a float is never above the boundary, so that the value there is at least
        the float, also if a function compares it with the value's own float.
        """
        if value.denominator == 1:
            return int(value)
        number = float(value)
        if number == value or self._floats[coordinate]:
            above = self.domains[coordinate].step is not None and number > value
            return math.nextafter(number, -math.inf) if above else number
        return value

    @cached_property
    def _floats(self) -> tuple[bool, ...]:
        """Return True for each coordinate whose boundaries are all close enough to floats.

        If a float is within τ cells of its boundary, X* lies between the two with probability at
        most τ, as in `_fineness`. Stepped values must stay distinct as floats.
        """
        near = min(_NEARER, self._fineness * Fraction(_NEAR))
        return tuple(
            2 * _spacing(domain) <= (domain.step or 4 * near * domain.width / cells)
            for domain, cells in zip(self.domains, self.plan.cells, strict=True)
        )

    def found(self, estimate: Estimate, alike: Sequence[bool | None]) -> tuple[Found, ...]:
        """Return the results of a single run.

        Args:
            estimate: The strategy's estimate.
            alike: The common answer of each coordinate, as in `Found`.
        """
        arrays = (estimate.cell, estimate.rest, estimate.low, estimate.high)
        runs = enumerate(zip(*(each[0].tolist() for each in arrays), strict=True))
        return tuple(
            Found(
                self.domains[number].label,
                *self._found(number, *each),
                domain=self.domains[number],
                sure=self._sure,
                alike=alike[number],
                name=self._label(number) or "number",
            )
            for number, each in runs
        )

    @property
    def _sure(self) -> Fraction | None:
        """Return the probability that a number lies in its interval, or a lower bound of it."""
        problem = self.plan.problem
        if not problem.noisy:
            return None
        return Fraction(str(CREDIBLE)) if problem.confidence is None else problem.confidence

    def _found(
        self, coordinate: int, cell: int, rest: float, low: int, high: int
    ) -> tuple[Fraction, Fraction, Fraction]:
        """Return the estimate and both ends of its interval."""
        line, noisy = self._lines[coordinate], self.plan.problem.noisy
        if self.domains[coordinate].step is not None:
            return line.at(cell if noisy else low), line.at(low), line.at(high - 1)
        if not self._as_planned:
            ends = min(self._either(coordinate, low)), max(self._either(coordinate, high))
            return line.between(cell, Fraction(rest)), *ends
        bottom, top = line.at(low), line.at(high)
        return line.between(cell, Fraction(rest)) if noisy else (bottom + top) / 2, bottom, top

    def widest(self, coordinate: int) -> tuple[int, int]:
        """Return the lengths of the longest texts of an estimate and of an end of its interval.

        They bound the texts of `found` for a coordinate and all possible answers: the size and the
        denominator of a number limit its text (`text_width`).

        - Ends are boundaries of the lattice, or decimals near them. A boundary is low + cell·k, a
          multiple of the tick, or an end of the range. So a common denominator of these four values
          is a denominator of every boundary.
        - An estimate is a boundary, the middle of two boundaries or of a cell (with twice the
          denominator), or under noise a float's share of a cell (with 2^1074 times the
          denominator). Under a prior it may be a quantile. By `Prior.quantile` that is a share of
          the range whose denominator is at most 2^1074 times the product of the cells, the bins and
          the heaviest weight.
        - Contradictory answers may put an end one cell outside the range, and rounding to ticks
          half a tick outside. So a cell and a tick are added to the largest size.
        """
        domain, line = self.domains[coordinate], self._lines[coordinate]
        cell = domain.width / self.plan.cells[coordinate]
        marks = [domain.low, cell, line.low, line.cell, *(line.clip or ()), *_tick(line)]
        below = math.lcm(*(mark.denominator for mark in marks))
        sizes = [abs(end) for end in (domain.low, domain.low + domain.width, line.low, line.high)]
        most = max(sizes) + cell + line.cell + sum(_tick(line))
        share = FINEST_FLOAT if self.plan.problem.noisy else 2
        places = near_places(cell * self._fineness)
        ends = max(text_width(most, below), text_width(most, 10**places))
        prior = line.prior
        if prior is not None:
            below *= line.size * prior.bins * max(prior.weights) * line.low.denominator
            below *= (line.high - line.low).denominator
        return text_width(most, below * share), ends

    def _either(self, coordinate: int, point: int) -> tuple[Fraction, ...]:
        """Return the possible places of a boundary: the exact one, and the decimal shown for it.

        They differ by less than a thousandth of a cell if no short decimal is exact.
        """
        line = self._lines[coordinate]
        if point in (0, line.size):  # the ends of the range are never asked about
            return (line.at(point),)
        return line.at(point), Fraction(self._shown(coordinate, point))


def _tick(line: Line) -> tuple[Fraction, ...]:
    return () if line.tick is None else (line.tick,)


def _spacing(domain: Domain) -> Fraction:
    """Return the widest gap between neighbouring floats within a domain."""
    furthest = max(abs(domain.low), abs(domain.high))
    number = float(furthest)
    if number >= furthest:  # boundaries lie below the end
        number = math.nextafter(number, 0)
    return Fraction(math.ulp(number))


def _planned(value: Fraction) -> str:
    """Return the planned decimal of a boundary."""
    return decimal(value) or plain(value)


def _ordinal(count: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(count, f"{count}th")


def read_domains(plan: Plan, domains: Sequence[Domain] | None) -> tuple[Domain, ...]:
    """Return one domain per coordinate, after checking that their values match the plan.

    Raises:
        WrongType: An element is not a domain.
        InvalidValue: Their number or their values do not match the plan.
    """
    dim, values = plan.problem.dim, plan.problem.values
    if domains is None:
        stepless = values is not None and plan.domain.values is None  # values without units
        return (Domain(0, values - 1, step=1) if stepless and values else plan.domain,) * dim
    for domain in domains_of(domains, dim):
        if domain.values != values:
            rule = f"must have as many values as the plan, {values}"
            shown = f"one from {plain(domain.low)} to {plain(domain.high)}"
            raise InvalidValue("domains", shown, rule, "give it the step that was planned with")
    return tuple(domains)
