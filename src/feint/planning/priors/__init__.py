"""Plans when the number is not uniform: learner and eavesdropper know the same prior.

`places` holds a prior on whole places. `weighted` finds the cheapest tree of blocks by mass, by the
dynamic programme. `raised` stretches the closed form for a larger level along the prior, and
`uniform` takes whole plans for a uniform number; both are kept only if they pass the exact audit.
`layout` puts what was found on ticks and computes her exact success. `single` is one coordinate,
`plans` all of them, and `noisy` plans under noise.
"""

from feint.planning.priors.noisy import NOISY_METHODS, noisy_prior_plan
from feint.planning.priors.plans import METHODS, prior_plan

__all__ = ["METHODS", "NOISY_METHODS", "noisy_prior_plan", "prior_plan"]
