"""SciPy's root finders and minimisers, for functions that somebody else evaluates.

Whoever evaluates a function sees every point, and after plain bisection the last points say where
the root is. Here the points are those of a plan: they tell one place in `level` at best. Nothing
is evaluated but the plan's points and the ends of the bracket, so not the result either: there is
no `fun` in it.
"""

from feint.integrations.scipy.minima import private_minimize, private_minimize_scalar
from feint.integrations.scipy.roots import private_root_scalar

__all__ = ["private_minimize", "private_minimize_scalar", "private_root_scalar"]
