"""Plans when the number is not uniform: learner and eavesdropper know the same prior.

`places` holds a prior on whole places. `weighted` finds the cheapest tree of blocks by mass, by the
dynamic programme. `stretched` lays the closed form for a larger level along the prior, and
`borrowed` takes whole plans for a uniform number; both are kept only if enumeration says that they
hold. `layout` emits the strategy, puts it on ticks and enumerates it. `single` is one coordinate,
`plans` all of them, and `noisy` plans under noise.
"""

from feint.planning.priors.noisy import NOISY_METHODS, noisy_prior_plan
from feint.planning.priors.plans import METHODS, prior_plan

__all__ = ["METHODS", "NOISY_METHODS", "noisy_prior_plan", "prior_plan"]
