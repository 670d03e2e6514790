"""A table on a finer lattice: each cell is divided into equal ones, and all is asked as before."""

from __future__ import annotations

from dataclasses import replace

from feint.strategies.nodes import FAR, Coin, Layout, Node
from feint.strategies.table import Table


def refined(table: Table, times: int) -> Table:
    """Return a table that asks the same questions on a lattice with smaller cells.

    Args:
        table: The table.
        times: Into how many equal cells each of its cells is divided.

    Returns:
        The table of the finer lattice. It never asks inside a cell of the coarser one.
    """
    if times == 1:
        return table
    layouts = tuple(_finer_layout(layout, times) for layout in table.layouts)
    nodes = tuple(_finer_node(node, times) for node in table.nodes)
    return replace(table, size=table.size * times, layouts=layouts, nodes=nodes)


def _finer_layout(layout: Layout, times: int) -> Layout:
    # The largest size stands for "all that is left", and must stay a valid one.
    return tuple(
        (first, many, at * times, min(most * times, FAR - 1)) for first, many, at, most in layout
    )


def _finer_node(node: Node, times: int) -> Node:
    if isinstance(node, Coin):
        return node
    return node._replace(offsets=tuple(tuple(at * times for at in row) for row in node.offsets))
