"""Check laws of strategies and journals, and define specimens that break them.

One line checks all laws for a strategy:

    feint.testing.check(strategy)
"""

from feint.errors import LawBroken
from feint.testing.journals import check_journal, check_store
from feint.testing.laws import Driven, check, drive, information
from feint.testing.noisy_specimens import NOISY_SPECIMENS, NoisySpecimen
from feint.testing.specimens import SPECIMENS, Specimen

__all__ = [
    "NOISY_SPECIMENS",
    "SPECIMENS",
    "Driven",
    "LawBroken",
    "NoisySpecimen",
    "Specimen",
    "check",
    "check_journal",
    "check_store",
    "drive",
    "information",
]
