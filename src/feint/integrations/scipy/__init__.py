"""Find roots and minima as SciPy does, of functions that another party evaluates.

The party that evaluates a function sees every point. After plain bisection, the last points show
where the root is. Here the points are those of a plan, from which the best guess is right at most
1 time in `level`. Only the plan's points and the ends of the bracket are evaluated. The result is
not evaluated, so it has no `fun`.
"""

from feint.integrations.scipy.minima import private_minimize, private_minimize_scalar
from feint.integrations.scipy.roots import private_root_scalar

__all__ = ["private_minimize", "private_minimize_scalar", "private_root_scalar"]
