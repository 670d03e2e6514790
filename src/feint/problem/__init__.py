"""Define the values of a search: problems, units, questions and results.

All widths are full widths: an estimate is ε-accurate if it lies within **ε/2** of X*, and an
eavesdropper wins if she comes within **δ/2** of it.
"""

from typing import TYPE_CHECKING

from feint.exact.stability import renamed_names
from feint.problem.domain import UNIT, WINNING, Domain, Winning
from feint.problem.kinds import domain_of, problem_of
from feint.problem.laws import FORMS
from feint.problem.line import Line, refine
from feint.problem.noise import UNKNOWN, AtLeast, Between, Exactly, Noise, NoiseLike, read_noise
from feint.problem.prior import NAMES, UNIFORM, Prior
from feint.problem.problem import SETTINGS, Problem, Setting, check_blind, off_by
from feint.problem.rates import Decision, Rate, Rates, decision
from feint.problem.records import (
    YES_MEANS,
    Found,
    NumberResult,
    Query,
    Result,
    Told,
    Transcript,
    YesMeans,
)
from feint.problem.responses import Responses
from feint.problem.wording import MARK, Preface, with_unit
from feint.problem.words import (
    EQUALLY,
    agreed,
    averaged,
    count_words,
    equally_right,
    halved,
    length_words,
    mean_words,
    needed,
    right_by_distance,
    unreliable,
    wins,
)

__all__ = [
    "EQUALLY",
    "FORMS",
    "MARK",
    "NAMES",
    "SETTINGS",
    "UNIFORM",
    "UNIT",
    "UNKNOWN",
    "WINNING",
    "YES_MEANS",
    "AtLeast",
    "Between",
    "Decision",
    "Domain",
    "Exactly",
    "Found",
    "Line",
    "Noise",
    "NoiseLike",
    "NumberResult",
    "Preface",
    "Prior",
    "Problem",
    "Query",
    "Rate",
    "Rates",
    "Responses",
    "Result",
    "Setting",
    "Told",
    "Transcript",
    "Winning",
    "YesMeans",
    "agreed",
    "averaged",
    "check_blind",
    "count_words",
    "decision",
    "domain_of",
    "equally_right",
    "halved",
    "length_words",
    "mean_words",
    "needed",
    "off_by",
    "problem_of",
    "read_noise",
    "refine",
    "right_by_distance",
    "unreliable",
    "wins",
    "with_unit",
]

if not TYPE_CHECKING:  # hidden from type checkers, which would accept any name
    __getattr__ = renamed_names(__name__, {"Scale": "Line"}, since="0.2")
