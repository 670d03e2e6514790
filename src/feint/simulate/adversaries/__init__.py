"""Adversaries that need only the transcript, one per file."""

from feint.simulate.adversaries.blind import BlindGuess
from feint.simulate.adversaries.function import Function, Guess
from feint.simulate.adversaries.last import LastQuery
from feint.simulate.adversaries.learned import LearnedQuery
from feint.simulate.adversaries.proportional import Proportional, first_queries
from feint.simulate.adversaries.registry import (
    NAMES,
    Listener,
    check_listeners,
    check_names,
    listeners,
    named,
    standard,
)
from feint.simulate.adversaries.uniform import UniformGuess

__all__ = [
    "NAMES",
    "BlindGuess",
    "Function",
    "Guess",
    "LastQuery",
    "LearnedQuery",
    "Listener",
    "Proportional",
    "UniformGuess",
    "check_listeners",
    "check_names",
    "first_queries",
    "listeners",
    "named",
    "standard",
]
