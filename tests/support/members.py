"""Define a small noisy member that stops when it is sure, for several tests."""

from fractions import Fraction

from feint import Problem
from feint.strategies import SequentialNoisy, SequentialShape

SHAPE = SequentialShape(
    blocks=2,
    narrow_error=Fraction(1, 10),
    narrow_cap=(4, 2),
    parts=3,
    repeats=2,
    kept=2,
    hide_error=Fraction(1, 6),
    hide_cap=(5, 3),
)


def small_member(p: str, confidence: str | None = None) -> SequentialNoisy:
    """Return the member for 48 cells with this p; without a confidence, accurate on average."""
    return SequentialNoisy(Problem("1/48", "1/12", 2, p=p, confidence=confidence), 48, SHAPE)
