"""Laws and specimens: for us, and for authors of new strategies.

One line runs every law over a strategy of one's own:

    feint.testing.check(strategy)
"""

from feint.errors import LawBroken
from feint.testing.laws import Driven, check, drive, information
from feint.testing.specimens import SPECIMENS, Specimen

__all__ = [
    "SPECIMENS",
    "Driven",
    "LawBroken",
    "Specimen",
    "check",
    "drive",
    "information",
]
