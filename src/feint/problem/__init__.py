"""The values that travel: what is asked for, in which units, what is shown and what was found.

Widths are full widths, everywhere: an estimate is ε-accurate when it lies within **ε/2** of X*,
and an eavesdropper wins when she comes within **δ/2** of it.
"""

from feint.problem.domain import UNIT, WINNING, Domain, Winning
from feint.problem.kinds import domain_of, problem_of
from feint.problem.laws import FORMS
from feint.problem.prior import NAMES, UNIFORM, Prior
from feint.problem.problem import SETTINGS, Problem, Setting, check_blind, off_by
from feint.problem.records import YES_MEANS, Found, Query, Result, Told, Transcript, YesMeans
from feint.problem.scale import Scale
from feint.problem.words import EQUALLY, equally_right, halved, wins

__all__ = [
    "EQUALLY",
    "FORMS",
    "NAMES",
    "SETTINGS",
    "UNIFORM",
    "UNIT",
    "WINNING",
    "YES_MEANS",
    "Domain",
    "Found",
    "Prior",
    "Problem",
    "Query",
    "Result",
    "Scale",
    "Setting",
    "Told",
    "Transcript",
    "Winning",
    "YesMeans",
    "check_blind",
    "domain_of",
    "equally_right",
    "halved",
    "off_by",
    "problem_of",
    "wins",
]
