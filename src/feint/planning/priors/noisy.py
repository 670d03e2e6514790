"""Noisy plans under a prior, in the prior's own quantile: there X* is uniform.

With u = F(x) every window of length δ lies in a window of u of length G, the heaviest window's
mass. So a plan for the uniform problem with δ = G keeps its promise; its cells, alike in u, are
shown at the prior's quantiles. Accuracy: where a stretch of u as long as ε_u/2 is at most ε/2 wide
everywhere but on a set of mass τ, a plan that misses ε_u with 1/M − τ misses ε with 1/M
(proofs/quantile.md).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from feint.errors import NoPlan, OutOfRegime, UnknownMethod
from feint.planning.limits import check_cells
from feint.planning.noisy import noisy_methods
from feint.planning.option import Option
from feint.planning.plans import Plan
from feint.planning.priors.layout import MOST_CELLS, Ground, common
from feint.planning.priors.line import QUANTILE
from feint.problem import UNIT, Domain, Prior, Problem, Scale
from feint.strategies import Product

_LEFT = tuple(Fraction(1, 2**k) for k in (2, 3, 4, 5, 6, 8, 10, 14))
_TICKS = 1 << 10  # to a cell, at least: rounding moves a cell's mass by less than this share
"""Shares of what may be missed that are given to where the prior is thin."""


def noisy_prior_plan(
    problem: Problem, units: Domain, method: str, *, rounds: int | None, margin: Fraction
) -> Plan:
    raise NoPlan("p", problem.p, "not yet", "leave it out")
