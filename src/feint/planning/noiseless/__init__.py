"""Methods for answers that are always right.

`methods` lists them. Four modules find the cheapest member of a family each:

- `staged`: staged searches of an interval;
- `whole`: staged searches of given cells;
- `uniform`: trees of blocks, by the dynamic programme (`tails` counts parts of one width);
- `planted`: the deterministic setting.

`steps` chooses how to divide, and `emitted` turns a shape into a table.
"""

from feint.planning.noiseless.emitted import is_small, staged_of, staged_table
from feint.planning.noiseless.methods import cheapest_of, most_solved, noiseless_methods
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import cheapest_factors
from feint.planning.noiseless.whole import cheapest_whole, success_bound

__all__ = [
    "cheapest_factors",
    "cheapest_of",
    "cheapest_staged",
    "cheapest_whole",
    "is_small",
    "most_solved",
    "noiseless_methods",
    "staged_of",
    "staged_table",
    "success_bound",
]
