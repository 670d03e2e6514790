"""The instances of `Oracle`: whoever answers a search's questions."""

from feint.oracles.bracket import Bracket
from feint.oracles.command import Command
from feint.oracles.function import Function, Rounds, yes_or_no
from feint.oracles.hidden import Hidden
from feint.oracles.majority import Majority, promised, reliability, voters_for

__all__ = [
    "Bracket",
    "Command",
    "Function",
    "Hidden",
    "Majority",
    "Rounds",
    "promised",
    "reliability",
    "voters_for",
    "yes_or_no",
]
