"""Builders of tables: they take integers and return a `Table`.

Call them as follows. Sizes, widths and offsets are in cells; steps are numbers of near-equal parts.

    staged(problem, size, narrow=(2, 2), parts=5, kept=4, hide=(2, 2, 3))
    tailed(problem, size, width=7, levels=((3, 2),), kept=4, accuracy=1)
    planted(problem, size, left=True, bisected=2, parts=3, steps=(2, 2))
    from_histories(problem, size, {(): [(3, 1), (5, 1)], ((3, False),): [(1, 1)], ...})
    blocks(problem, tree)

The tree of `blocks` is a table for each block, a number of cells if nothing more is asked, or a
cut: (offsets, subtrees). A cut asks the offsets in one round, relative to its own start, and
continues in one of the subtrees. A table in a tree is moved to its block; its own problem is not
used. Equal tables of equal size share their nodes.

    left = staged(problem, 48, parts=6, kept=5, hide=(2, 2, 2))
    right = tailed(problem, 49, width=7, kept=5)
    blocks(problem, ((48,), (left, right)))

`Act(cell)` in a tree is one cell whose run looks like a run in another cell of the same cut. That
other cell is counted from the start of the cut. Tables have no padding: a block that is finished
stops, and an offset past the end of a shorter part is left out.

`table.queries` is the most questions of one run, `table.rounds` the most rounds. In memory the
windows of kept parts have parts × kept entries, so a table has at most about 1,000 parts. For more,
use `feint.strategies.Staged`, the closed form of `staged`. The size of the JSON grows with the
number of parts.
"""

from feint.strategies.building.blocks import Act, Tree, blocks
from feint.strategies.building.histories import Choices, History, from_choices, from_histories
from feint.strategies.building.planted import PlantedShape, planted
from feint.strategies.building.staged import staged
from feint.strategies.building.tailed import tailed

__all__ = [
    "Act",
    "Choices",
    "History",
    "PlantedShape",
    "Tree",
    "blocks",
    "from_choices",
    "from_histories",
    "planted",
    "staged",
    "tailed",
]
