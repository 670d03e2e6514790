"""Define the values that a search returns: its questions, its transcript and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, NamedTuple

from feint.errors import InvalidValue
from feint.exact import text
from feint.picture import (
    bars,
    heights,
    lanes_svg,
    paragraphs,
    played,
    questions,
    ruler,
    strip,
    strip_svg,
    table,
)
from feint.problem import words
from feint.problem.domain import Domain
from feint.problem.wording import MARK, with_unit

if TYPE_CHECKING:  # NumPy is slow to load, and problems and bounds do not need it
    import numpy as np
    from numpy.typing import NDArray

_WIDTH = 79  # the width of a transcript as text
YesMeans = Literal["at least", "below"]
"""The meaning of the answer yes for the number."""

YES_MEANS: tuple[YesMeans, ...] = ("at least", "below")
"""The possible meanings of the answer yes, the default first."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """The overheard part of runs: every query, which ones were left out, and no answer.

    Transcripts are compared by identity, because comparing arrays gives no single truth value.

    Attributes:
        points: [runs, columns] the boundaries asked about, in the order of asking; −1
            (`feint.interfaces.UNASKED`) in a column that a run left out.
        coordinates: The coordinate of each column.
        rounds: The round of each column.
        cells: The lattice, one size per coordinate.
    """

    points: NDArray[np.int64]
    coordinates: tuple[int, ...]
    rounds: tuple[int, ...]
    cells: tuple[int, ...]

    def lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of questions and of rounds of each run, [runs] each.

        Rounds are counted up to the last one with a question.
        """
        import numpy as np  # already loaded, since the points are an array

        counts, ends = (np.zeros(len(self.points), np.int64) for _ in range(2))
        # Column by column, as transcripts are laid out: along rows it takes five times as long.
        for column, number in enumerate(self.rounds):  # columns are in the order of rounds
            asked = self.points[:, column] >= 0
            counts += asked
            ends[asked] = number + 1
        return counts, ends

    def shares(self, *, run: int = 0, coordinate: int = 0) -> list[list[float]]:
        """Return the places of one run's questions about a coordinate, as shares of the range.

        Args:
            run: The number of the run.
            coordinate: The number of the coordinate.

        Returns:
            One list per round, up to the last round with a question. The list is empty if a round
            asks nothing about the coordinate.
        """
        asked = zip(self.points[run].tolist(), self.rounds, strict=True)
        last = max((number for point, number in asked if point >= 0), default=-1)
        places: list[list[float]] = [[] for _ in range(last + 1)]
        columns = zip(self.points[run].tolist(), self.coordinates, self.rounds, strict=True)
        for point, about, number in columns:
            if about == coordinate and point >= 0:  # the run left the other columns out
                places[number].append(point / self.cells[coordinate])
        return places

    def __str__(self) -> str:
        """Draw the transcript as text: one run by rounds, or several runs in one picture."""
        lines = wrap(self._title(), _WIDTH)
        for coordinate, size in enumerate(self.cells):
            lines += [f"Number {coordinate + 1}:"] if len(self.cells) > 1 else []
            if len(self.points) == 1:
                asked = self.shares(coordinate=coordinate)
                lines += strip(asked, _boundary(size), width=_WIDTH)
            elif len(self.points):
                places = self._all_places(coordinate)
                lines += [heights(places, _WIDTH, signs=False), ruler("0", str(size), _WIDTH)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Draw the transcript for a notebook."""
        if len(self.points) == 1:
            return paragraphs([self._title()]) + "".join(
                lanes_svg(played(self.shares(coordinate=coordinate), 0.0), _boundary(size))
                for coordinate, size in enumerate(self.cells)
            )
        drawn = [
            (f"number {coordinate + 1}" if len(self.cells) > 1 else "questions", questions(places))
            for coordinate in range(len(self.cells))
            if (places := self._all_places(coordinate))
        ]
        end = str(self.cells[0]) if len(set(self.cells)) == 1 else "end"
        picture = strip_svg(drawn, ends=("0", end), title="what she sees")
        return paragraphs([self._title()]) + (picture if drawn else "")

    def _title(self) -> str:
        runs, (asked, ends) = len(self.points), self.lengths()
        cells = " by ".join(map(str, self.cells))
        most = len(self.rounds), len(set(self.rounds))
        means: tuple[float, float] = most
        if runs:
            most = int(asked.max()), int(ends.max())
            means = float(asked.mean()), float(ends.mean())
        heard = f"Overheard in {words.count_words(runs, 'run')}"
        return f"{heard}: {words.length_words(*most, means)}, on {cells} cells; no answer."

    def _all_places(self, coordinate: int) -> list[float]:
        """Return the places of all runs' questions about a coordinate, as shares of the range."""
        columns = [column for column, about in enumerate(self.coordinates) if about == coordinate]
        points = self.points[:, columns].ravel()
        places: list[float] = (points[points >= 0] / self.cells[coordinate]).tolist()
        return places


def _boundary(cells: int) -> Callable[[float], str]:
    """Return the number of the boundary that is nearest to a place on a lattice."""
    return lambda share: str(round(share * cells))


@dataclass(frozen=True)
class Query:
    """One question of a live search, in the user's units. It is overheard; its answer is not.

    Attributes:
        id: The key of the answer. It depends only on the plan.
        round: The round it is asked in, from 0.
        phase: The purpose of the round.
        coordinate: The coordinate that it is about, from 0.
        label: The name of the number, such as "price".
        value: The exact value that it asks about.
        shown: The value as a decimal. If steps are not decimals, and in searches saved before
            version 3, it is rounded by less than a thousandth of a cell (proofs/rounding.md).
        number: The value that a function receives: an int if it is whole; a float if that is exact
            or off by less than a billionth of a cell; else the value itself. With a step, the float
            is not above the value.
        yes_means: The meaning of yes: the number is "at least" the value, or "below" it.
        sample: Under noise, the number of this question among those about the same value, from 1.
        samples: Under noise, the number of questions about the same value up to the end of the
            round.
        unit: The unit of the number.
        question: The template of the question; None: the default wording.
    """

    id: str
    round: int
    phase: str
    coordinate: int
    label: str | None
    value: Fraction
    shown: str
    number: int | float | Fraction
    yes_means: YesMeans
    sample: int = 1
    samples: int = 1
    unit: str | None = None
    question: str | None = None

    @property
    def text(self) -> str:
        """The question in words."""
        return "".join(self.parts)

    @property
    def parts(self) -> tuple[str, str, str]:
        """The question up to its value, the value as shown, and the rest.

        >>> from feint import Domain, Search, plan
        >>> market = Domain(20, 100, question="Would you buy this at €{value}?")
        >>> made = plan(market.problem(within="0.5", delta=5, level=4), domain=market)
        >>> before, value, after = Search(made, seed=1).ask()[0].parts
        >>> before, after
        ('Would you buy this at €', '?')
        """
        if self.question is not None:
            before, _, after = self.question.partition(MARK)
            return before, self.shown, after
        about = f"Is the {self.label or 'number'} {self.yes_means} "
        return about, with_unit(self.shown, self.unit), "?"

    @property
    def meaning(self) -> str:
        """The meaning of yes, for the owner: a custom question may have either meaning."""
        value = with_unit(self.shown, self.unit)
        return f"yes means that the {self.label or 'number'} is {self.yes_means} {value}"

    @property
    def note(self) -> str:
        """A request for a fresh sample if the value is asked about several times; else empty."""
        return f"fresh sample {self.sample} of {self.samples}" if self.samples > 1 else ""

    def to_dict(self) -> dict[str, str | int | float | None]:
        """Return the query for JSON, with the exact value as a string and its nearest number."""
        return {
            "id": self.id,
            "round": self.round,
            "phase": self.phase,
            "coordinate": self.coordinate,
            "label": self.label,
            "value": text(self.value),
            "number": None if isinstance(self.number, Fraction) else self.number,
            "yes_means": self.yes_means,
            "text": self.text,
            "note": self.note,
        }


class Told(NamedTuple):
    """One question of a search with its answer, in the user's units. Secret.

    Rows of this kind make a table: `pandas.DataFrame(search.history)`.

    Attributes:
        id: The id of the query.
        round: The round it was asked in, from 0.
        coordinate: The coordinate that it is about, from 0.
        label: The name of the number.
        value: The value that it asks about: an int if it is whole, a float, or a Fraction if the
            search is finer than floats.
        answer: True for yes, False for no; None: there is no answer yet.
    """

    id: str
    round: int
    coordinate: int
    label: str | None
    value: int | float | Fraction
    answer: bool | None


@dataclass(frozen=True)
class Found:
    """The result of a search for one number, in the user's units.

    Attributes:
        label: The user's name for it.
        estimate: The estimate. If there are whole values, it is the value itself.
        low: The number is at least this.
        high: The number is below this, or at most this if there are whole values. Under noise, low
            and high are the ends of the credible interval.
        domain: The range that was searched.
        sure: Under noise, the probability that the number lies from low to high, given the answers;
            None: answers are never wrong.
        alike: The common answer if every answer about this number was the same. Then the number is
            at an end of the range, which also happens if the range is wrong or yes and no are
            swapped. None: both answers occurred.
        name: Its name in a sentence: its label, "number", or its place among several.
    """

    label: str | None
    estimate: Fraction
    low: Fraction
    high: Fraction
    domain: Domain | None = None
    sure: Fraction | None = None
    alike: bool | None = None
    name: str = "number"

    @property
    def x(self) -> float:
        """The estimate as the nearest float, or an int if there are whole values."""
        units = self.domain
        whole = units is not None and units.step is not None and units.step.denominator == 1
        return (
            int(self.estimate) if whole and self.estimate.denominator == 1 else float(self.estimate)
        )

    @property
    def interval(self) -> tuple[float, float]:
        """The floats nearest to low and high."""
        return float(self.low), float(self.high)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The estimate in words, and its interval if that says more. Secret."""
        step = None if self.domain is None else self.domain.step
        ends = self.low, self.high
        unit = None if self.domain is None else self.domain.unit
        return words.found(self.name, self.estimate, ends, step=step, sure=self.sure, unit=unit)

    @property
    def warning(self) -> str | None:
        """A warning that every answer about it was the same; None if they were not. Secret."""
        if self.alike is None or self.domain is None:
            return None
        low = self.estimate - self.domain.low <= self.domain.high - self.estimate
        return words.alike(self.name, self.alike, "low" if low else "high")


@dataclass(frozen=True)
class Result:
    """The result of a search, with its cost and what an eavesdropper can do. Secret.

    Attributes:
        coordinates: The result for each number.
        queries: The number of questions of this search.
        rounds: The number of rounds.
        method: The method's name.
        certificate: The reason why the guarantee holds; None: nothing is guaranteed.
        adversary_success: The best eavesdropper's largest success if X* is uniform, or distributed
            by the bins of the prior.
        places: Deterministic setting: the number of places, δ apart, that stay possible.
        consistent: Whether all answers can be right; not checked under noise.
        seeded: Whether the coins came from a seed. Such a search is an experiment: it hides nothing
            from a person who knows the seed.
        history: Every question with its answer, in the order of asking. It is ignored when results
            are compared.
        adversary_wins: The way an eavesdropper wins, such as "come within 2.5 of it".
        promised: Her largest success under the prior as stated, before binning. Without a prior it
            equals `adversary_success`. None: unknown.
        agreement: Under noise, the number of answers that agree with the result, and of all
            answers.
        warning: Under noise, a warning that far fewer agree than was promised; None: no warning.
        promise: A sentence that says how closely the owner and a watcher learn the number.
    """

    coordinates: tuple[Found, ...]
    queries: int
    rounds: int
    method: str
    certificate: str | None
    adversary_success: Fraction | None
    places: int | None
    consistent: bool
    seeded: bool
    history: tuple[Told, ...] = field(default=(), repr=False, compare=False)
    adversary_wins: str = field(default="come near enough", repr=False, compare=False)
    promised: Fraction | None = field(default=None, repr=False, compare=False)
    agreement: tuple[int, int] | None = field(default=None, repr=False, compare=False)
    warning: str | None = field(default=None, repr=False, compare=False)
    promise: str = field(default="", repr=False, compare=False)

    @property
    def deal(self) -> str:
        """The cost and the promise of the search, in words."""
        both = (self.queries, self.rounds)
        return f"It took {words.length_words(*both, both)}. {self.promise}".strip()

    @property
    def x(self) -> float | tuple[float, ...]:
        """The estimate as a float; for several numbers, a tuple of floats."""
        estimates = tuple(number.x for number in self.coordinates)
        return estimates[0] if len(estimates) == 1 else estimates

    @property
    def estimate(self) -> Fraction:
        """The estimate, if the search was for one number."""
        return self._only.estimate

    @property
    def low(self) -> Fraction:
        """The lower end of the interval, if the search was for one number."""
        return self._only.low

    @property
    def high(self) -> Fraction:
        """The upper end of the interval, if the search was for one number."""
        return self._only.high

    @property
    def interval(self) -> tuple[float, float]:
        """The floats nearest to low and high, if the search was for one number."""
        return self._only.interval

    def __str__(self) -> str:
        """Return the result, its cost and what an eavesdropper can do, in words. Secret."""
        lines = list[str]()
        for number in self.coordinates:
            lines += [] if number.warning is None else [number.warning]
            lines += number.sentences
        lines += [] if self.warning is None else [self.warning]
        lines += [] if self.agreement is None else [words.agreed(*self.agreement)]
        return "\n".join([*lines, *self._cost()])

    def _repr_html_(self) -> str:
        """Return the result for a notebook, with a picture of the questions and the number."""
        rows = [
            [number.name, *(f"{value:.10g}" for value in (number.x, *number.interval))]
            for number in self.coordinates
        ]
        warnings = (*(number.warning for number in self.coordinates), self.warning)
        notes = [warning for warning in warnings if warning is not None]
        notes += [] if self.agreement is None else [words.agreed(*self.agreement)]
        pictures = (self._lanes(index) for index in range(len(self.coordinates)))
        grid = table(("", "estimate", "from", "to"), rows)
        return "".join([paragraphs(notes), grid, paragraphs(self._cost()), *pictures])

    def _cost(self) -> list[str]:
        """Return a sentence about the cost of the search and one about its guarantee."""
        took = words.length_words(self.queries, self.rounds, (self.queries, self.rounds))
        lines = [f"It took {took}, method {self.method}."]
        lines += [self.promise] if self.promise else []
        if not self.consistent:
            lines.append("The answers do not fit together: the result may be wrong.")
        if self.seeded:
            lines.append("Seeded: an experiment, hidden from nobody who knows the seed.")
        return lines

    def _lanes(self, index: int) -> str:
        """Draw the questions about one number above its estimate, for a notebook."""
        number = self.coordinates[index]
        asked = [float(row.value) for row in self.history if row.coordinate == index]
        if number.domain is None or not asked:
            return ""
        low, high = float(number.domain.low), float(number.domain.high)
        place = (number.x - low) / (high - low)
        lanes = [
            ("overheard", questions((value - low) / (high - low) for value in asked)),
            ("only you know", bars([(place, place)])),
        ]
        title = f"{number.name}: the questions overheard, and the number only you know"
        return strip_svg(lanes, ends=(f"{low:.6g}", f"{high:.6g}"), title=title)

    @property
    def _only(self) -> Found:
        if len(self.coordinates) != 1:
            rule = "only a search for one number has one estimate"
            raise InvalidValue("dim", len(self.coordinates), rule, "use coordinates")
        return self.coordinates[0]

    def to_dict(self) -> dict[str, object]:
        """Return the result for JSON, with rationals as strings. Secret."""
        success = self.adversary_success
        return {
            "secret": "this holds what was sought: do not share it",  # as in all stored results
            "coordinates": [
                {
                    "label": number.label,
                    "estimate": text(number.estimate),
                    "low": text(number.low),
                    "high": text(number.high),
                    "x": number.x,
                    "interval": list(number.interval),
                    "alike": number.alike,
                }
                for number in self.coordinates
            ],
            "queries": self.queries,
            "rounds": self.rounds,
            "deal": self.deal,
            "method": self.method,
            "certificate": self.certificate,
            "adversary_success": None if success is None else text(success),
            "promised": None if self.promised is None else text(self.promised),
            "places": self.places,
            "consistent": self.consistent,
            "seeded": self.seeded,
        } | ({} if self.agreement is None else {"agreement": [*self.agreement]})


class NumberResult(Result):
    """The result of a search for one number: `x` is a float.

    >>> from feint import find
    >>> found = find(lambda x: x <= 73.42, low=20, high=100, within="0.5", delta=5, level=4)
    >>> abs(found.x - 73.42) <= 0.5
    True
    """

    @property
    def x(self) -> float:
        """The estimate as a float, or an int if there are whole values."""
        return self._only.x
