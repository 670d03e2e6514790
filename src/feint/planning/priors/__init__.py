"""Plans for a number that is not uniform: learner and eavesdropper know the same prior.

`places` represents a prior on whole places. `weighted` finds the cheapest tree of blocks by mass,
with the dynamic programme. `stretched` places the closed form for a larger level along the prior,
and `borrowed` takes whole plans for a uniform number, if enumeration shows that they keep the
promise. For a placed closed form a bound is enough if there are too many branches. `layout` emits
the strategy, puts it on ticks and enumerates it. `single` plans one coordinate, `plans` plans all
of them, and `noisy` plans under noise.
"""

from feint.planning.priors.noisy import NOISY_METHODS, noisy_prior_plan
from feint.planning.priors.plans import METHODS, prior_plan

__all__ = ["METHODS", "NOISY_METHODS", "noisy_prior_plan", "prior_plan"]
