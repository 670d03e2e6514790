"""Plans when the number is not uniform: what is believed of it is known to both sides.

`line` holds a prior on whole places; `tree` finds the cheapest tree of blocks with weights,
`raised` the uniform family for a larger level; `layout` puts either on ticks and says exactly what
she wins with; `single` is one coordinate, `plans` all of them.
"""

from feint.planning.priors.noisy import NOISY_METHODS, noisy_prior_plan
from feint.planning.priors.plans import METHODS, prior_plan

__all__ = ["METHODS", "NOISY_METHODS", "noisy_prior_plan", "prior_plan"]
