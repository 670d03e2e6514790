"""List the boundaries that the first rounds of a `Table` may ask about, for pictures."""

from __future__ import annotations

from collections.abc import Collection

from feint.strategies.nodes import END, Ask, edges_of, moves_all, places
from feint.strategies.table import Table

_WALKED = 10_000  # the most nodes with places that are examined: about 0.1 seconds


def boundaries_asked(table: Table, phases: Collection[str]) -> dict[str, list[int]]:
    """Return the boundaries that rounds of some phases may ask.

    Args:
        table: The table.
        phases: The phases, such as "narrow" and "cut". Nodes after a round of another
            phase are ignored.

    Returns:
        The sorted boundaries of each phase; incomplete if there are too many nodes.
    """
    found = {phase: set[int]() for phase in phases}
    waiting = list[tuple[int, tuple[int, ...]]]([(0, (0,))] if table.nodes else [])
    seen = set(waiting)
    while waiting and len(seen) < _WALKED:
        number, starts = waiting.pop()
        node = table.nodes[number]
        if isinstance(node, Ask):
            if node.phase not in found:
                continue
            rows = node.offsets * len(starts) if len(node.offsets) == 1 else node.offsets
            asked = {start + at for start, row in zip(starts, rows, strict=True) for at in row}
            found[node.phase] |= {each for each in asked if each < table.size}
        for edge in edges_of(node):
            layout = table.layouts[edge.layout]
            new = [(old, layout[0][2], 0) for old in range(len(starts))]
            new = new if moves_all(layout) else places(layout)
            after = edge.node, tuple(starts[old] + at for old, at, _ in new)
            if edge.node != END and after not in seen:
                seen.add(after)
                waiting.append(after)
    return {phase: sorted(each) for phase, each in found.items()}
