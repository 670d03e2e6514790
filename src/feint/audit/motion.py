"""Model the motion of a number between two searches: bounded steps, a random walk, or a jump.

Moves are whole numbers of grains (cells of the lattice, or ticks). At each step, moves that would
leave the range are excluded, and the others renormalized.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.branches import SAFE
from feint.errors import InvalidValue, WrongType
from feint.exact import Number, plain, rational, whole

Kind = Literal["steps", "walk", "jump"]
_FORM = re.compile(r"\s*(steps|walk|jump)\s*\(\s*([^(),]+?)\s*(?:,\s*([^(),]+?)\s*)?\)\s*")
Int = NDArray[np.int64]


class Kernel(NamedTuple):
    """A transition kernel between two searches, on atoms: equal stretches of a line.

    Attributes:
        moves: (first, last): every whole number of strides from first to last is equally likely.
        stride: The number of atoms in a stride.
        times: The number of moves between two searches.
        jump: The probability of being drawn anew.
        fresh: [atoms] the weights of a new draw.
    """

    moves: tuple[tuple[int, int], ...]
    stride: int
    times: int
    jump: Fraction
    fresh: NDArray[Any]

    def moved(self, table: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Move masses [rows, atoms], whole numbers or floats.

        Returns:
            The masses afterwards times a number, and that number.
        """
        times = 1
        for _ in range(self.times):
            table, common = self._step(table)
            times *= common
        if self.jump:
            stays, goes = self.jump.denominator - self.jump.numerator, self.jump.numerator
            odds = self.fresh
            total = int(odds.sum())
            table = _room(table, self.jump.denominator * total * table.shape[1])
            if table.dtype == object:
                odds = odds.astype(object)
            table = table * (stays * total) + table.sum(axis=1, keepdims=True) * (goes * odds)
            times *= self.jump.denominator * total
        return table, times

    def drawn(self, place: Int, atoms: int, random: np.random.Generator) -> Int:
        """Draw [runs] the new atoms of numbers that are at these atoms."""
        for _ in range(self.times):
            left = (random.random(len(place)) * self.inside(atoms)[place]).astype(np.int64)
            moved = place
            for low, count in self._ways(place, atoms):
                mine = (left >= 0) & (left < count)
                moved = np.where(mine, place + (low + left) * self.stride, moved)
                left = np.where(mine, -1, left - count)
            place = moved
        if self.jump:
            odds = self.fresh.astype(float)
            fresh = random.choice(atoms, size=len(place), p=odds / odds.sum())
            place = np.where(random.random(len(place)) < float(self.jump), fresh, place)
        return place

    def inside(self, atoms: int) -> Int:
        """Return [atoms] the number of moves from each that stay on the line.

        Raises:
            InvalidValue: No move stays on the line from some atom.
        """
        count = np.zeros(atoms, np.int64)
        for _, ways in self._ways(np.arange(atoms), atoms):
            count += ways
        if self.moves and (count == 0).any():
            rule = "from some values, every move would leave the range"
            raise InvalidValue("motion", "so long", rule, "make the moves shorter")
        return count

    def _ways(self, place: Int, atoms: int) -> Iterator[tuple[Int, Int]]:
        """Yield the first move that stays on the line, and how many do, for each range of moves."""
        for first, last in self.moves:
            low = np.maximum(first, -(place // self.stride))
            high = np.minimum(last, (atoms - 1 - place) // self.stride)
            yield low, np.maximum(0, high - low + 1)

    def _step(self, table: NDArray[Any]) -> tuple[NDArray[Any], int]:
        atoms, common = table.shape[1], 1
        inside = self.inside(atoms)
        if table.dtype.kind == "f":
            scaled = table / inside
        else:
            common = math.lcm(*map(int, np.unique(inside)))
            table = _room(table, common * atoms * len(self.moves))
            scaled = table * np.array([common // int(each) for each in inside], table.dtype)
        out = np.zeros_like(scaled)
        for first, last in self.moves:
            for start in range(min(self.stride, atoms)):  # only atoms that are whole strides apart
                out[:, start :: self.stride] += _slid(scaled[:, start :: self.stride], first, last)
        return out, common


@dataclass(frozen=True)
class Motion:
    """The motion of a number between two searches, in the user's units.

    Attributes:
        kind: "steps": all distances up to `size` to either side are equally likely; "walk": `size`
            up or down; "jump": with probability `size` it is drawn anew, else it stays.
        size: The distance, or the probability.
        times: A walk's number of moves between two searches.
    """

    kind: Kind
    size: Fraction
    times: int = 1

    @classmethod
    def read(cls, given: Motion | str) -> Motion:
        """Read words such as "steps(2)", "walk(1, 5)" or "jump(0.1)".

        Raises:
            WrongType: The value is neither words nor a Motion.
            InvalidValue: The words are unknown.
        """
        if isinstance(given, Motion):
            return given
        if not isinstance(given, str):
            remedy = "pass 'steps(2)', or leave it out"
            raise WrongType.of("motion", given, "must be words or a Motion", remedy)
        form = _FORM.fullmatch(given)
        if form is None or (form[3] is not None and form[1] != "walk"):
            rule = "must be steps(d), walk(d), walk(d, times) or jump(probability)"
            raise InvalidValue("motion", given, rule, "such as steps(2)")
        if form[1] == "walk":
            return walk(form[2], times=form[3] or 1)
        return steps(form[2]) if form[1] == "steps" else jump(form[2])

    @property
    def words(self) -> str:
        """Return a phrase for the motion between two searches."""
        far = plain(self.size)
        if self.kind == "steps":
            return f"it moves by at most {far} to either side, all distances equally likely"
        if self.kind == "jump":
            return f"it is drawn anew with probability {far}, and otherwise stays"
        often = "" if self.times == 1 else f", {self.times} times"
        return f"it moves up or down by {far}, both equally likely{often}"

    @property
    def reach(self) -> Fraction | None:
        """Return how far the number can move between two searches; None: anywhere."""
        return None if self.kind == "jump" else self.size * self.times

    def kernel(self, grain: Fraction, stride: int, fresh: NDArray[Any]) -> Kernel:
        """Return the motion on a line of atoms.

        Args:
            grain: The unit of moves, in the user's units.
            stride: The number of atoms in a grain.
            fresh: [atoms] the weights of a number that is drawn anew.

        Raises:
            InvalidValue: The distance is less than a grain.
        """
        if self.kind == "jump":
            return Kernel((), stride, 0, self.size, fresh)
        far = self.size // grain
        if far < 1:
            rule = f"moves must be multiples of {plain(grain)}, the finest it is known to"
            raise InvalidValue("motion", self.words, rule, f"let it move {plain(grain)}")
        moves = ((-far, far),) if self.kind == "steps" else ((-far, -far), (far, far))
        return Kernel(moves, stride, self.times, Fraction(0), fresh)


def steps(most: Number) -> Motion:
    """Return the motion by at most this much between two searches, all distances equally likely.

    Args:
        most: The largest distance, in the user's units.

    Returns:
        The motion.

    Raises:
        InvalidValue: The distance is not positive.
    """
    return Motion("steps", _positive(most))


def walk(step: Number, *, times: Number = 1) -> Motion:
    """Return the motion of a random walk: one or more steps up or down between two searches.

    Args:
        step: The length of a step, in the user's units.
        times: The number of steps between two searches.

    Returns:
        The motion.

    Raises:
        InvalidValue: The step or the number of steps is not positive.
    """
    return Motion("walk", _positive(step), whole(times, "motion", least=1, most=1000))


def jump(chance: Number) -> Motion:
    """Return the motion of a number that is drawn anew with some probability, else stays.

    Args:
        chance: The probability.

    Returns:
        The motion.

    Raises:
        InvalidValue: The probability is not a number from 0 to 1.
    """
    read = rational(chance, "motion")
    if not 0 <= read <= 1:
        rule = "the probability of a jump must lie from 0 to 1"
        raise InvalidValue("motion", chance, rule, "values such as 0.1 work")
    return Motion("jump", read)


def _positive(distance: Number) -> Fraction:
    read = rational(distance, "motion")
    if read <= 0:
        raise InvalidValue("motion", distance, "a distance must be positive", "such as steps(2)")
    return read


def _room(table: NDArray[Any], factor: int) -> NDArray[Any]:
    """Return the table; if its products would exceed 62 bits, in Python integers."""
    if table.dtype.kind == "f" or table.dtype == object:
        return table
    large = int(table.max(initial=0)) * factor >= SAFE
    return table.astype(object) if large else table


def _slid(table: NDArray[Any], first: int, last: int) -> NDArray[Any]:
    """Return [rows, places] the sum of the table moved by every distance from first to last."""
    count = table.shape[1]
    cumulative = np.concatenate((np.zeros_like(table[:, :1]), np.cumsum(table, axis=1)), axis=1)
    place = np.arange(count)
    # Mass at y comes from y − last … y − first.
    high = np.clip(place - first + 1, 0, count)
    low = np.clip(place - last, 0, count)
    found: NDArray[Any] = cumulative[:, high] - cumulative[:, np.minimum(low, high)]
    return found
