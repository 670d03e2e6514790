"""Oracles: functions, commands and simulated respondents that answer a search's questions."""

from feint.simulate.oracles.bracket import Bracket
from feint.simulate.oracles.command import Command
from feint.simulate.oracles.customers import Customers
from feint.simulate.oracles.function import Function, Rounds, yes_or_no
from feint.simulate.oracles.growing import GrowingSample, SampleEnds, growing_sample
from feint.simulate.oracles.hidden import Hidden
from feint.simulate.oracles.majority import Majority, promised, reliability, voters_for

__all__ = [
    "Bracket",
    "Command",
    "Customers",
    "Function",
    "GrowingSample",
    "Hidden",
    "Majority",
    "Rounds",
    "SampleEnds",
    "growing_sample",
    "promised",
    "reliability",
    "voters_for",
    "yes_or_no",
]
