"""The instances of `Adversary`, one idea a file: those that need only the transcript."""

from feint.adversaries.blind import BlindGuess
from feint.adversaries.function import Function, Guess
from feint.adversaries.last import LastQuery
from feint.adversaries.learned import LearnedQuery
from feint.adversaries.proportional import Proportional, first_queries
from feint.adversaries.registry import (
    NAMES,
    Listener,
    check_listeners,
    check_names,
    listeners,
    named,
    standard,
)
from feint.adversaries.uniform import UniformGuess

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
