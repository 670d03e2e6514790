"""What a search shows, what is overheard, and what was found."""

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

if TYPE_CHECKING:  # numpy is heavy, and problems and bounds do without it
    import numpy as np
    from numpy.typing import NDArray

_WIDTH = 79  # columns of a transcript in words
YesMeans = Literal["at least", "below"]
"""What the answer yes says of the number."""

YES_MEANS: tuple[YesMeans, ...] = ("at least", "below")
"""What the answer yes may say of the number: the choices, the default first."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """What is overheard: every query of every run, which ones were left out, and no answer.

    Two are equal only when they are the same object: arrays have no single truth to compare.

    Attributes:
        points: [runs, columns] the boundaries asked about, in the order of asking; −1
            (`feint.interfaces.UNASKED`) in a column that a run left out.
        coordinates: The coordinate that each column asks about.
        rounds: The round that each column belongs to.
        cells: The lattice, one size a coordinate.
    """

    points: NDArray[np.int64]
    coordinates: tuple[int, ...]
    rounds: tuple[int, ...]
    cells: tuple[int, ...]

    def lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many questions each run asked, and in how many rounds, [runs] each.

        Rounds are counted up to the last one that asked something.
        """
        import numpy as np  # it is loaded: the points are an array

        asked = self.points >= 0
        counts = np.count_nonzero(asked, axis=1)
        if not self.rounds:
            return counts, counts
        last = len(self.rounds) - 1 - np.argmax(asked[:, ::-1], axis=1)  # columns are in order
        return counts, np.where(counts > 0, np.array(self.rounds, np.int64)[last] + 1, 0)

    def shares(self, *, run: int = 0, coordinate: int = 0) -> list[list[float]]:
        """Where the questions of one run about one coordinate were put, as shares of the range.

        Args:
            run: Which run.
            coordinate: Which coordinate.

        Returns:
            One list a round, up to the last one that the run asked anything; a round that asks
            nothing of the coordinate has an empty one.
        """
        asked = zip(self.points[run].tolist(), self.rounds, strict=True)
        last = max((number for point, number in asked if point >= 0), default=-1)
        found: list[list[float]] = [[] for _ in range(last + 1)]
        columns = zip(self.points[run].tolist(), self.coordinates, self.rounds, strict=True)
        for point, about, number in columns:
            if about == coordinate and point >= 0:  # others were left out
                found[number].append(point / self.cells[coordinate])
        return found

    def __str__(self) -> str:
        """What is overheard, drawn: of one run round by round, of several where they all fell."""
        lines = wrap(self._title(), _WIDTH)
        for coordinate, size in enumerate(self.cells):
            lines += [f"Number {coordinate + 1}:"] if len(self.cells) > 1 else []
            if len(self.points) == 1:
                asked = self.shares(coordinate=coordinate)
                lines += strip(asked, _boundary(size), width=_WIDTH)
            elif len(self.points):
                fell = self._fell(coordinate)
                lines += [heights(fell, _WIDTH, signs=False), ruler("0", str(size), _WIDTH)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        if len(self.points) == 1:
            return paragraphs([self._title()]) + "".join(
                lanes_svg(played(self.shares(coordinate=coordinate), 0.0), _boundary(size))
                for coordinate, size in enumerate(self.cells)
            )
        drawn = [
            (f"number {coordinate + 1}" if len(self.cells) > 1 else "questions", questions(fell))
            for coordinate in range(len(self.cells))
            if (fell := self._fell(coordinate))
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

    def _fell(self, coordinate: int) -> list[float]:
        """Where the questions of all runs about a coordinate were put, as shares of the range."""
        mine = [column for column, about in enumerate(self.coordinates) if about == coordinate]
        points = self.points[:, mine].ravel()
        fell: list[float] = (points[points >= 0] / self.cells[coordinate]).tolist()
        return fell


def _boundary(cells: int) -> Callable[[float], str]:
    """What a place on a lattice is called: the nearest boundary."""
    return lambda share: str(round(share * cells))


@dataclass(frozen=True)
class Query:
    """One question of a live search, in the user's units. It is overheard; its answer is not.

    Attributes:
        id: What to tell the answer by. It depends on the plan alone.
        round: The round it is asked in, from 0.
        phase: What the round is for.
        coordinate: Which number it is about, from 0.
        label: What that number is called, such as "price".
        value: Where the question is put, exactly.
        shown: The value as a decimal. Of steps that are no decimals, and in searches saved before
            version 3, it is rounded by less than a thousandth of a cell (proofs/rounding.md).
        number: The value as a function gets it: an int when it is whole; a float when that is as
            good, exact or nearer than a billionth of a cell; else the value itself. With a step,
            the float is not above the value.
        yes_means: What the answer yes says of the number: "at least" the value, or "below" it.
        sample: Under noise, which time the value is asked about, from 1.
        samples: Under noise, how many times it is, up to the end of the round.
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

    @property
    def text(self) -> str:
        """The question in words."""
        return f"Is the {self.label or 'number'} {self.yes_means} {self.shown}?"

    @property
    def note(self) -> str:
        """That the value is asked about again, and wants a fresh sample; empty where it is not."""
        return f"fresh sample {self.sample} of {self.samples}" if self.samples > 1 else ""

    def to_dict(self) -> dict[str, str | int | float | None]:
        """The query for JSON: the value exactly, as a string, and as a number if one will do."""
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
        id: The query's.
        round: The round it was asked in, from 0.
        coordinate: Which number it is about, from 0.
        label: What that number is called.
        value: Where the question was put: an int when it is whole, a float, or a Fraction where
            the search is finer than floats.
        answer: Yes or no, as it was told; None while there is no answer.
    """

    id: str
    round: int
    coordinate: int
    label: str | None
    value: int | float | Fraction
    answer: bool | None


@dataclass(frozen=True)
class Found:
    """What a search found of one number, in the user's units.

    Attributes:
        label: What the user calls it.
        estimate: The estimate; of whole values, the value itself.
        low: The number is at least this.
        high: The number is below this; of whole values, at most this. Under noise the two are the
            credible interval's ends.
        domain: The range that it was sought in.
        sure: Under noise, the probability with which it lies from low to high, given the answers;
            None: answers are never wrong.
        alike: The answer, where every answer about this number was the same, yes or no. Then it is
            an end of the range, which is also what a range or a yes that is the wrong way round
            leads to. None: both came.
        name: What it is called in a sentence: its label, "number", or which of several it is.
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
        """The estimate as the nearest float; of whole values, an int."""
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
        """What it is in words, and from where to where if that says more. Secret."""
        step = None if self.domain is None else self.domain.step
        ends = self.low, self.high
        return words.found(self.name, self.estimate, ends, step=step, sure=self.sure)

    @property
    def warning(self) -> str | None:
        """That every answer about it was the same, in words; None where they were not. Secret."""
        if self.alike is None or self.domain is None:
            return None
        low = self.estimate - self.domain.low <= self.domain.high - self.estimate
        return words.alike(self.name, self.alike, "low" if low else "high")


@dataclass(frozen=True)
class Result:
    """What a search found, what it cost, and what an eavesdropper can do. Secret.

    Attributes:
        coordinates: What was found of each number.
        queries: How many questions were asked in this search.
        rounds: In how many rounds.
        method: The method's name.
        certificate: Why the promise holds; None: nothing is promised.
        adversary_success: What the best eavesdropper wins with when X* is uniform, or by the bins
            of the prior, at most.
        places: Deterministic setting: how many places, δ apart, stay possible.
        consistent: Whether all answers can be right; under noise it is not asked.
        seeded: Whether the coins came from a seed: an experiment, hidden from nobody who knows it.
        history: Every question with its answer, in the order of asking. Two results that differ in
            nothing else are equal.
        adversary_wins: What the eavesdropper does who wins, in words.
        promised: What she wins with, at most, under a prior as it was stated, before it was read
            into bins; the same as `adversary_success` where there is none. None: not known.
        agreement: Under noise, how many answers agree with what was found, and how many there are.
        warning: Under noise, that this is far less than was promised, in words; None: it is not.
        needs: Under noise, what the promise of privacy needs of the answers, in words.
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
    needs: str = field(default=words.EQUALLY, repr=False, compare=False)

    @property
    def x(self) -> float | tuple[float, ...]:
        """The estimate as a float; of several numbers, a tuple of them."""
        found = tuple(each.x for each in self.coordinates)
        return found[0] if len(found) == 1 else found

    @property
    def estimate(self) -> Fraction:
        """The estimate of the one number there is."""
        return self._only.estimate

    @property
    def low(self) -> Fraction:
        """The lower end of the one number there is."""
        return self._only.low

    @property
    def high(self) -> Fraction:
        """The upper end of the one number there is."""
        return self._only.high

    @property
    def interval(self) -> tuple[float, float]:
        """The floats nearest to low and high of the one number there is."""
        return self._only.interval

    def __str__(self) -> str:
        """What was found, what it cost and what an eavesdropper can do, in words. Secret."""
        lines = list[str]()
        for each in self.coordinates:
            lines += [*each.sentences] if each.warning is None else [each.warning, *each.sentences]
        lines += [] if self.warning is None else [self.warning]
        lines += [] if self.agreement is None else [words.agreed(*self.agreement)]
        return "\n".join([*lines, *self._cost()])

    def _repr_html_(self) -> str:
        """The same for a notebook, over a picture of what was overheard and what was found."""
        rows = [
            [each.name, *(f"{value:.10g}" for value in (each.x, *each.interval))]
            for each in self.coordinates
        ]
        warnings = (*(each.warning for each in self.coordinates), self.warning)
        warned = [each for each in warnings if each is not None]
        warned += [] if self.agreement is None else [words.agreed(*self.agreement)]
        pictures = (self._lanes(number) for number in range(len(self.coordinates)))
        grid = table(("", "estimate", "from", "to"), rows)
        told = paragraphs(warned), grid, paragraphs(self._cost())
        return "".join([*told, *pictures])

    def _cost(self) -> list[str]:
        """What the search took, and what it promises, a sentence each."""
        took = words.length_words(self.queries, self.rounds, (self.queries, self.rounds))
        lines = [f"It took {took}, method {self.method}."]
        if self.certificate is None:
            lines.append("Whoever heard every question may know it: nothing is promised.")
        elif self.places is not None:
            left = f"{self.places} places to choose from"
            lines.append(f"Whoever heard every question still has {left}.")
        elif self.adversary_success is not None:
            most = f"{100 * float(self.promised or self.adversary_success):.3g} %"
            who = f"Whoever heard every question can {self.adversary_wins}"
            noisy = any(each.sure is not None for each in self.coordinates)
            needs = f", {self.needs}" if noisy else ""
            lines.append(f"{who} with a probability of at most {most}{needs}.")
        if not self.consistent:
            lines.append("The answers do not fit together: the result may be wrong.")
        if self.seeded:
            lines.append("Seeded: an experiment, hidden from nobody who knows the seed.")
        return lines

    def _lanes(self, number: int) -> str:
        """What was overheard of one number over what was found, for a notebook."""
        found = self.coordinates[number]
        heard = [float(each.value) for each in self.history if each.coordinate == number]
        if found.domain is None or not heard:
            return ""
        low, high = float(found.domain.low), float(found.domain.high)
        place = (found.x - low) / (high - low)
        drawn = [
            ("overheard", questions((value - low) / (high - low) for value in heard)),
            ("only you know", bars([(place, place)])),
        ]
        title = f"{found.name}: what was overheard, and what only you know"
        return strip_svg(drawn, ends=(f"{low:.6g}", f"{high:.6g}"), title=title)

    @property
    def _only(self) -> Found:
        if len(self.coordinates) != 1:
            rule = "only a search for one number has one estimate"
            raise InvalidValue("dim", len(self.coordinates), rule, "use coordinates")
        return self.coordinates[0]

    def to_dict(self) -> dict[str, object]:
        """The result for JSON: rationals as strings. Secret."""
        success = self.adversary_success
        return {
            "secret": "this holds what was sought: do not share it",
            "coordinates": [
                {
                    "label": each.label,
                    "estimate": text(each.estimate),
                    "low": text(each.low),
                    "high": text(each.high),
                    "x": each.x,
                    "interval": list(each.interval),
                    "alike": each.alike,
                }
                for each in self.coordinates
            ],
            "queries": self.queries,
            "rounds": self.rounds,
            "method": self.method,
            "certificate": self.certificate,
            "adversary_success": None if success is None else text(success),
            "promised": None if self.promised is None else text(self.promised),
            "places": self.places,
            "consistent": self.consistent,
            "seeded": self.seeded,
        } | ({} if self.agreement is None else {"agreement": [*self.agreement]})
