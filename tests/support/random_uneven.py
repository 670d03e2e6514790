"""Make random searches of different lengths: columns are left out, and some runs end early."""

import random
from fractions import Fraction

from feint import Problem
from feint.interfaces import UNASKED, Round
from feint.strategies import Scalar

Answers = tuple[tuple[bool, ...], ...]


def uneven(seed: int) -> Scalar:
    """Draw a strategy: what it asks follows from its number, the answers and the coins."""
    draw = random.Random(seed)
    size = draw.randrange(4, 14)
    widths = [draw.choice([1, 2, 3]) for _ in range(draw.randrange(1, 4))]
    sides = [draw.choice([1, 1, 2]) for _ in widths]

    def asks(answers: Answers, coins: tuple[int, ...]) -> list[int]:
        done = len(answers)
        before = sum(each > 1 for each in sides[:done])
        nothing = [UNASKED] * widths[done]
        if done and set(asks(answers[:-1], coins[:before])) == {UNASKED}:
            return nothing  # a run that was asked nothing has ended
        choose = random.Random(repr((seed, answers, coins)))
        if choose.random() < 0.25:
            return nothing
        return [
            UNASKED if choose.random() < 0.25 else choose.randrange(1, size)
            for _ in range(len(nothing))
        ]

    problem = Problem(Fraction(1, size), Fraction(2, size), 1)
    return Scalar(problem, size, [Round("ask", (0,) * wide) for wide in widths], asks, sides)
