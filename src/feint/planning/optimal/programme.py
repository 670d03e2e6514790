"""Build the sequence-form linear programme of a game, shape by shape, and solve it with HiGHS.

The variable x(position, interval, query) is the probability that this query comes next, jointly
with all earlier ones, given that X* lies in the interval. The variable z(position), at settled
positions, is the weight that the best window catches. Flow is conserved at every live interval of
every position, and z is at least what each window catches. The objective is the sum of z, which is
minimised. With mirror symmetry only one of two mirrored positions is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from feint.errors import TooLarge
from feint.planning.optimal.game import Choice, Game, Int, Shape, shape
from feint.planning.optimal.highs import Entries, Float, minimise

_LARGEST = 1 << 20  # variables; more would take too long


class Move(NamedTuple):
    """A choice at every position of a block.

    Attributes:
        choice: The query, and the intervals that may ask it.
        first: The number of its first variable, in the order [positions, askers].
        target: The number of the block it leads to.
        row: The row of the target block where the first of these positions continues.
    """

    choice: Choice
    first: int
    target: int
    row: int


@dataclass(kw_only=True)
class Block:
    """All positions with one set of queries.

    Attributes:
        shape: The state that the set of queries leaves.
        inflow: [positions, intervals] the variable for the probability of the position.
        moves: The choices that may come next.
        z: The number of the first z, for settled positions.
        windows: [windows, intervals] what each window catches, for settled positions.
        bound: The number of the first inequality, in the order [positions, windows].
    """

    shape: Shape
    inflow: Int
    moves: list[Move]
    z: int = -1
    windows: Int | None = None
    bound: int = -1


@dataclass(frozen=True)
class Solved:
    """A solution in floats, which certifies nothing.

    Attributes:
        value: The optimum.
        x: The value of every variable.
        catch: The dual of every window inequality.
    """

    value: float
    x: Float
    catch: Float


class Programme:
    """The programme of one game.

    Attributes:
        game: The game.
        blocks: The blocks, ordered by the number of queries asked. The first is the start.
        size: The number of variables.
    """

    def __init__(self, game: Game) -> None:
        """Build the blocks.

        Args:
            game: The game.

        Raises:
            TooLarge: The programme has more than 2^20 variables.
        """
        self.game = game
        self.blocks: list[Block] = []
        self.size = 1  # variable 0 is the constant 1: the probability of the start
        self._flows: Entries = []
        self._equations = 0
        self._bounds: Entries = []
        self._inequalities = 0
        self._cost: list[tuple[int, int, int]] = []
        self._closed: list[Int] = []
        waiting: dict[tuple[int, ...], list[Int]] = {(): [np.zeros((1, 1), np.int64)]}
        for left in range(game.queries, -1, -1):
            waiting = self._level(waiting, left)

    def _level(
        self, waiting: dict[tuple[int, ...], list[Int]], left: int
    ) -> dict[tuple[int, ...], list[Int]]:
        """Build the blocks with one number of remaining queries.

        Args:
            waiting: The inflows of the positions, for each set of queries asked.
            left: The number of queries left.

        Returns:
            The inflows after the next query, in the same form.
        """
        next_level = len(self.blocks) + len(waiting)
        after: dict[tuple[int, ...], list[Int]] = {}
        number: dict[tuple[int, ...], int] = {}
        for asked, pieces in waiting.items():
            block = Block(
                shape=shape(self.game, asked, left), inflow=np.concatenate(pieces), moves=[]
            )
            self.blocks.append(block)
            if block.shape.settled:
                self._settle(block)
                continue
            for choice in self.kept(block.shape):
                count = len(block.inflow) * len(choice.askers)
                own = np.arange(self.size, self.size + count).reshape(len(block.inflow), -1)
                target = number.setdefault(choice.after, len(number))
                row = sum(map(len, after.get(choice.after, [])))
                block.moves.append(Move(choice, self.size, next_level + target, row))
                after.setdefault(choice.after, []).append(own[:, choice.parent])
                self.size += count
            self._conserve(block)
            if self.size > _LARGEST:
                rule = f"the programme would have more than {_LARGEST} variables"
                remedy = "take fewer cells or queries; 12 cells with 6 queries fit"
                raise TooLarge("queries", self.game.queries, rule, remedy)
        return after

    def kept(self, shape: Shape) -> Iterator[Choice]:
        """Yield the choices to build: only the lower one of two mirrored choices."""
        middle = self.central(shape)
        for choice in shape.choices:
            if not middle or 2 * choice.query <= self.game.cells:
                yield choice

    def central(self, shape: Shape) -> bool:
        """Return True if a shape is its own mirror image: at most the middle was asked."""
        own = all(2 * query == self.game.cells for query in shape.asked)
        return self.game.mirrored and own

    def twin(self, shape: Shape, interval: int) -> int:
        """Return the number of an interval's mirror image in a central shape."""
        return shape.intervals.index(self.game.mirror(shape.intervals[interval]))

    def _conserve(self, block: Block) -> None:
        """Add the equations of a block: the outflow of every interval equals its inflow."""
        positions, intervals = block.inflow.shape
        rows = self._equations + np.arange(positions * intervals).reshape(positions, -1)
        self._equations += positions * intervals
        ones = np.ones(positions * intervals)
        self._flows.append((rows.ravel(), block.inflow.ravel(), -ones))
        central = self.central(block.shape)
        for choice, first, _, _ in block.moves:
            own = first + np.arange(positions * len(choice.askers))
            at = rows[:, choice.askers].ravel()
            self._flows.append((at, own, np.ones(len(own))))
            if central and 2 * choice.query != self.game.cells:  # add the mirrored query
                twins = np.array([self.twin(block.shape, each) for each in choice.askers], np.int64)
                self._flows.append((rows[:, twins].ravel(), own, np.ones(len(own))))

    def _settle(self, block: Block) -> None:
        """Add z and its inequalities at a settled block: z is at least what each window catches."""
        positions, intervals = block.inflow.shape
        windows = self.game.catches(block.shape.intervals)
        block.z, block.windows, block.bound = self.size, windows, self._inequalities
        self.size += positions
        rows = self._inequalities + np.arange(positions * len(windows)).reshape(positions, -1)
        self._inequalities += positions * len(windows)
        z = np.broadcast_to(block.z + np.arange(positions)[:, None], rows.shape)
        self._bounds.append((rows.ravel(), z.ravel(), -np.ones(rows.size)))
        full = (positions, len(windows), intervals)
        caught = np.broadcast_to(windows[None] / sum(self.game.prior), full)
        self._bounds.append(
            (
                np.broadcast_to(rows[:, :, None], full)[caught > 0],
                np.broadcast_to(block.inflow[:, None, :], full)[caught > 0],
                caught[caught > 0],
            )
        )
        twice = self.game.mirrored and not self.central(block.shape)
        self._cost.append((block.z, positions, 2 if twice else 1))
        if self.game.plain:  # intervals that are too long count as not found
            long = [high - low > self.game.accuracy for low, high in block.shape.intervals]
            self._closed.append(block.inflow[:, np.array(long, bool)].ravel())

    def solve(self, **options: Any) -> Solved:
        """Solve the programme by HiGHS.

        Args:
            options: Options of `scipy.optimize.linprog`.

        Returns:
            The solution in floats, which certifies nothing.

        Raises:
            RuntimeError: HiGHS stopped before it found a solution.
        """
        cost = np.zeros(self.size)
        for first, count, weight in self._cost:
            cost[first : first + count] = weight
        limits = np.stack((np.zeros(self.size), np.full(self.size, np.inf)), axis=1)
        limits[0] = 1, 1
        for closed in self._closed:
            limits[closed, 1] = 0
        found = minimise(
            cost,
            limits,
            equal=(self._flows, np.zeros(self._equations)),
            at_most=(self._bounds, np.zeros(self._inequalities)),
            options=options,
        )
        return Solved(*found)
