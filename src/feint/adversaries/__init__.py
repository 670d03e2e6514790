"""The instances of `Adversary`, one idea a file: those that need only the transcript."""

from feint.adversaries.function import Function
from feint.adversaries.known import NAMES, check, named, standard
from feint.adversaries.last import LastQuery
from feint.adversaries.learnt import LearntQuery
from feint.adversaries.proportional import Proportional
from feint.adversaries.uniform import UniformGuess

__all__ = [
    "NAMES",
    "Function",
    "LastQuery",
    "LearntQuery",
    "Proportional",
    "UniformGuess",
    "check",
    "named",
    "standard",
]
