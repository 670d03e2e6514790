"""Describe any finite game: points, questions as sets of points, windows as sets of points.

X* is one of the points. A question is a set: "is X* in it?" The learner must end in one of the
goals. The eavesdropper hears every question and names one of the windows. If p is below 1, each
answer is right with probability p, and the learner names a goal at the end, which must contain X*
with a given confidence. A set is a whole number whose bit i stands for point i.

The tree of positions is built once, and `finite_solver` writes it as a linear programme. The tree
omits moves that no optimal learner needs: proofs/finite.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import NamedTuple, Protocol

from feint.errors import InvalidValue, NoPlan, TooLarge

State = int | tuple[int, ...]
"""The learner's knowledge: the possible points, or the number of answers against each point."""

_LARGEST = 1 << 18  # variables; more would take minutes


@dataclass(frozen=True, kw_only=True)
class FiniteGame:
    """A finite game.

    Attributes:
        points: The number of points.
        questions: The sets that may be asked about.
        windows: The sets that the eavesdropper may name; she wins when X* is in hers.
        queries: n, the number of questions.
        goals: The sets that the learner may end in. Empty: all single points.
        prior: The whole weight of every point. Empty: equal weights.
        p: The probability that an answer is right. 1: always.
        confidence: The required probability that the named goal contains X*, under noise.
        symmetries: Permutations of the points that preserve questions (up to complement), windows,
            goals and prior, including the identity. They make the programme smaller.
    """

    points: int
    questions: tuple[int, ...]
    windows: tuple[int, ...]
    queries: int
    goals: tuple[int, ...] = ()
    prior: tuple[int, ...] = ()
    p: Fraction = Fraction(1)
    confidence: Fraction = Fraction(1)
    symmetries: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        """Fill in the defaults, and check that sets contain only points of the game."""
        if not self.goals:
            object.__setattr__(self, "goals", tuple(1 << i for i in range(self.points)))
        if not self.prior:
            object.__setattr__(self, "prior", (1,) * self.points)
        for name in ("questions", "windows", "goals"):
            for each in getattr(self, name):
                if not 0 < each <= self.everything:
                    rule = f"sets must hold some of the points 0 to {self.points - 1}"
                    raise InvalidValue(name, each, rule, "point i is bit i")
        if len(self.prior) != self.points or min(self.prior) < 0 or not any(self.prior):
            rule = f"must be {self.points} whole weights, not negative and not all zero"
            raise InvalidValue("prior", self.prior, rule, "leave it out for all alike")

    @property
    def everything(self) -> int:
        """Return the set of all points."""
        return (1 << self.points) - 1

    @property
    def noisy(self) -> bool:
        """Return True if answers may be wrong."""
        return self.p < 1

    @cached_property
    def blind(self) -> Fraction:
        """Return the success of the best window without any overheard question."""
        return max(Fraction(self.mass(each), sum(self.prior)) for each in self.windows)

    def mass(self, points: int) -> int:
        """Return the weight of a set."""
        return sum(weight for i, weight in enumerate(self.prior) if points >> i & 1)

    def orbits(self) -> Iterator[tuple[int, int]]:
        """Yield one question of each symmetry class, with the size of the class."""
        known: set[int] = set()
        for number, question in enumerate(self.questions):
            if number not in known:
                moved = {self._canonical(_moved(question, each)) for each in self.symmetries}
                kind = {i for i, one in enumerate(self.questions) if self._canonical(one) in moved}
                known |= kind | {number}
                yield number, max(1, len(kind))

    def _canonical(self, question: int) -> int:
        return min(question, self.everything ^ question)


def _moved(points: int, permutation: Sequence[int]) -> int:
    return sum(1 << to for i, to in enumerate(permutation) if points >> i & 1)


class Knowledge(Protocol):
    """The interface of the learner's knowledge: how it grows, and how probable it is."""

    def start(self) -> State:
        """Return the state before the first question."""

    def split(self, state: State, question: int) -> tuple[State, ...]:
        """Return the one or two states that a question can lead to."""

    def choices(self, asked: tuple[int, ...], states: Sequence[State], left: int) -> list[int]:
        """Return the questions worth asking next; none if the position is settled."""

    def live(self, state: State, left: int) -> bool:
        """Return True if the learner can still succeed from this state."""

    def weights(self, state: State, asked: int) -> list[int]:
        """Return the weight of every point after a number of answers, in units of `scale`."""

    def scale(self, asked: int) -> int:
        """Return the sum of all weights at one position, over all states."""


class Certain:
    """Knowledge if every answer is right: the set of possible points."""

    def __init__(self, game: FiniteGame) -> None:
        """Start the knowledge for one game."""
        self.game = game
        self._solvable = cache(self._reaches)

    def start(self) -> State:
        """Return the set of all points, since everything is possible."""
        return self.game.everything

    def split(self, state: State, question: int) -> tuple[State, ...]:
        """Return the nonempty sets of possible points outside and inside the question's set."""
        held, asked = _points(state), self.game.questions[question]
        return tuple(each for each in (held & ~asked, held & asked) if each)

    def choices(self, asked: tuple[int, ...], states: Sequence[State], left: int) -> list[int]:
        """Return questions that cut an open state into live ones; none if all can be asked."""
        open_ = [each for each in states if not self._reached(_points(each))]
        cutting = [
            number
            for number in range(len(self.game.questions))
            if number not in asked and any(len(self.split(each, number)) > 1 for each in open_)
        ]
        if len(cutting) <= left:  # the learner asks all of them, for any answers
            return []
        return [
            number
            for number in cutting
            if any(
                len(parts := self.split(each, number)) > 1
                and all(self.live(part, left - 1) for part in parts)
                for each in open_
            )
        ]

    def live(self, state: State, left: int) -> bool:
        """Return True if the remaining questions can shrink this set into a goal."""
        return self._solvable(_points(state), left)

    def weights(self, state: State, asked: int) -> list[int]:
        """Return the prior weights of the possible points, and 0 for the others."""
        held = _points(state)
        return [weight if held >> i & 1 else 0 for i, weight in enumerate(self.game.prior)]

    def scale(self, asked: int) -> int:
        """Return the sum of the prior."""
        return sum(self.game.prior)

    def _reached(self, held: int) -> bool:
        return any(not held & ~goal for goal in self.game.goals)

    def _reaches(self, held: int, left: int) -> bool:
        if self._reached(held):
            return True
        most = max(goal.bit_count() for goal in self.game.goals)
        if left == 0 or held.bit_count() > most << left:
            return False
        return any(
            held & each
            and held & ~each
            and self._solvable(held & each, left - 1)
            and self._solvable(held & ~each, left - 1)
            for each in self.game.questions
        )


class Doubtful:
    """Knowledge under noise: the number of answers against each point."""

    def __init__(self, game: FiniteGame) -> None:
        """Start the knowledge for one game."""
        self.game = game
        self.right, self.all = game.p.numerator, game.p.denominator

    def start(self) -> State:
        """Return zero answers against every point."""
        return (0,) * self.game.points

    def split(self, state: State, question: int) -> tuple[State, ...]:
        """Return the states after "no" and after "yes"."""
        counts, asked = _counts(state), self.game.questions[question]
        no = tuple(k + (asked >> i & 1) for i, k in enumerate(counts))
        yes = tuple(k + 1 - (asked >> i & 1) for i, k in enumerate(counts))
        return no, yes

    def choices(self, asked: tuple[int, ...], states: Sequence[State], left: int) -> list[int]:
        """Return every question while any are left, since repeating one still helps."""
        return list(range(len(self.game.questions))) if left else []

    def live(self, state: State, left: int) -> bool:
        """Return True, since the confidence depends on all states together."""
        return True

    def weights(self, state: State, asked: int) -> list[int]:
        """Return prior times likelihood for each point."""
        wrong = self.all - self.right
        return [
            weight * self.right ** (asked - k) * wrong**k
            for weight, k in zip(self.game.prior, _counts(state), strict=True)
        ]

    def scale(self, asked: int) -> int:
        """Return the sum of all weights: the prior's sum times the denominator of p per answer."""
        answers: int = self.all**asked
        return sum(self.game.prior) * answers


def _points(state: State) -> int:
    return state if isinstance(state, int) else 0


def _counts(state: State) -> tuple[int, ...]:
    return state if isinstance(state, tuple) else ()


class Move(NamedTuple):
    """A question at a position.

    Attributes:
        question: The number of the question.
        askers: The states that may ask it.
        variables: The probabilities that it comes next, one variable per asker.
        target: The number of the next position.
        parts: The numbers of the next states, for each asker.
    """

    question: int
    askers: tuple[int, ...]
    variables: range
    target: int
    parts: tuple[tuple[int, ...], ...]


@dataclass(kw_only=True)
class Position:
    """A sequence of questions, which everyone hears.

    Attributes:
        asked: The numbers of the questions.
        states: The possible states of the learner's knowledge.
        inflow: The variables whose sum is the probability of a state, for each state.
        kinds: The number of symmetric positions that this one represents.
        moves: The possible next questions; none if the position is settled.
        z: The variable for what the eavesdropper catches, if the position is settled.
    """

    asked: tuple[int, ...]
    states: tuple[State, ...]
    inflow: tuple[tuple[int, ...], ...]
    kinds: int
    moves: list[Move]
    z: int = -1


class Tree:
    """The tree of all positions of a game; each position follows the one that leads to it.

    Attributes:
        game: The game.
        knowledge: The model of the learner's knowledge.
        positions: The positions; the first is the start.
        size: The number of variables. Variable 0 is the constant 1.
    """

    def __init__(self, game: FiniteGame) -> None:
        """Build the tree.

        Args:
            game: The game.

        Raises:
            NoPlan: The questions are too few to reach a goal.
            TooLarge: There are more than 2^18 variables.
        """
        self.game = game
        self.knowledge: Knowledge = Doubtful(game) if game.noisy else Certain(game)
        self.size = 1
        start = self.knowledge.start()
        if not self.knowledge.live(start, game.queries):
            rule = "these questions are too few to reach a goal for every X*"
            raise NoPlan("queries", game.queries, rule, "allow more, or larger goals")
        root = Position(asked=(), states=(start,), inflow=((0,),), kinds=1, moves=[])
        self.positions = [root]
        done = 0
        while done < len(self.positions):
            self._grow(self.positions[done])
            done += 1
            if self.size > _LARGEST:
                rule = f"the programme would have more than {_LARGEST} variables"
                raise TooLarge("queries", game.queries, rule, "take fewer points or questions")

    def _grow(self, position: Position) -> None:
        left = self.game.queries - len(position.asked)
        choices = self.knowledge.choices(position.asked, position.states, left)
        if not choices:
            position.z, self.size = self.size, self.size + 1
            return
        kinds = dict(self.game.orbits()) if not position.asked else {}
        for question in choices:
            if position.asked or question in kinds:
                self._ask(position, question, left - 1, kinds.get(question, position.kinds))

    def _ask(self, position: Position, question: int, left: int, kinds: int) -> None:
        """Add a question and the position after it."""
        askers: list[int] = []
        after: list[tuple[State, ...]] = []
        for number, state in enumerate(position.states):
            parts = self.knowledge.split(state, question)
            if all(self.knowledge.live(part, left) for part in parts):
                askers.append(number)
                after.append(parts)
        variables = range(self.size, self.size + len(askers))
        self.size += len(askers)
        inflow: dict[State, list[int]] = {}
        for variable, parts in zip(variables, after, strict=True):
            for part in parts:
                inflow.setdefault(part, []).append(variable)
        place = {state: number for number, state in enumerate(inflow)}
        parts_ = tuple(tuple(place[part] for part in parts) for parts in after)
        move = Move(question, tuple(askers), variables, len(self.positions), parts_)
        position.moves.append(move)
        self.positions.append(
            Position(
                asked=(*position.asked, question),
                states=tuple(inflow),
                inflow=tuple(map(tuple, inflow.values())),
                kinds=kinds,
                moves=[],
            )
        )
