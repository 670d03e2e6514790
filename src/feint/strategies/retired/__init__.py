"""Keep the strategies of earlier versions, unchanged, for files that were saved with them.

A saved search must continue with the same questions, so do not change what this code does. New
searches are planned with `feint.strategies.Table` and its builders instead.
"""

from feint.strategies.retired.blocks import Block, Blocks
from feint.strategies.retired.loose import Loose, LooseShape, Play
from feint.strategies.retired.padded import Padded
from feint.strategies.retired.planted import Planted
from feint.strategies.retired.tabular import NOWHERE, Node, Tabular
from feint.strategies.retired.tailed import Tailed, TailedShape

__all__ = [
    "NOWHERE",
    "Block",
    "Blocks",
    "Loose",
    "LooseShape",
    "Node",
    "Padded",
    "Planted",
    "Play",
    "Tabular",
    "Tailed",
    "TailedShape",
]
