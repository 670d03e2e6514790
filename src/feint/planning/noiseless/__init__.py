"""Plans when answers are always right.

`methods` names them; `staged` (an interval), `whole` (whole values), `blocks` (a tree of blocks)
and `planted` (the deterministic setting) find the cheapest member of each family; `steps` divides.
"""

from feint.planning.noiseless.methods import noiseless_methods
from feint.planning.noiseless.whole import success_bound

__all__ = ["noiseless_methods", "success_bound"]
