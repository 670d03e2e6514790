"""The instances of `Strategy`, one idea a file, and the laws they are built from."""

from feint.strategies.blocks import Block, Blocks
from feint.strategies.cuts import Int, Piece, cut, longest, part
from feint.strategies.loose import Loose, LooseShape, Play
from feint.strategies.padded import Padded
from feint.strategies.planted import Planted, PlantedShape
from feint.strategies.product import Product
from feint.strategies.pursuit import RULES, Pursuit, PursuitState
from feint.strategies.scalar import Scalar
from feint.strategies.staged import Staged, StagedShape, StagedState
from feint.strategies.staged_noisy import CREDIBLE, NoisyShape, StagedNoisy, StagedNoisyState
from feint.strategies.tabular import NOWHERE, Node, Tabular
from feint.strategies.tailed import Located, Tailed, TailedShape, divided, halvings, located
from feint.strategies.votes import astray, law, vote

__all__ = [
    "CREDIBLE",
    "NOWHERE",
    "RULES",
    "Block",
    "Blocks",
    "Int",
    "Located",
    "Loose",
    "LooseShape",
    "Node",
    "NoisyShape",
    "Padded",
    "Piece",
    "Planted",
    "PlantedShape",
    "Play",
    "Product",
    "Pursuit",
    "PursuitState",
    "Scalar",
    "Staged",
    "StagedNoisy",
    "StagedNoisyState",
    "StagedShape",
    "StagedState",
    "Tabular",
    "Tailed",
    "TailedShape",
    "astray",
    "cut",
    "divided",
    "halvings",
    "law",
    "located",
    "longest",
    "part",
    "vote",
]
