"""Plans when answers are always right.

`methods` names them; `staged` (an interval), `whole` (whole values), `blocks` (a tree of blocks)
and `planted` (the deterministic setting) find the cheapest member of each family; `steps` divides.
"""

from feint.planning.noiseless.methods import cheapest_of, most_solved, noiseless_methods
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.whole import cheapest_whole, success_bound

__all__ = [
    "cheapest_of",
    "cheapest_staged",
    "cheapest_whole",
    "most_solved",
    "noiseless_methods",
    "success_bound",
]
