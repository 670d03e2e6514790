"""The implementations of `Strategy`: tables and builders, a closed form, noisy ones, products."""

from typing import TYPE_CHECKING

from feint.exact.stability import retired_names
from feint.strategies.batch import SequentialState
from feint.strategies.building import (
    Act,
    Choices,
    History,
    PlantedShape,
    Tree,
    blocks,
    from_choices,
    from_histories,
    planted,
    staged,
    tailed,
)
from feint.strategies.closed import Staged, StagedShape, StagedState
from feint.strategies.cuts import Int, Piece, cut, longest, part
from feint.strategies.marks import boundaries_asked
from feint.strategies.nodes import END, SAME, Ask, Coin, Edge, Layout
from feint.strategies.product import Product
from feint.strategies.pursuit import RULES, Pursuit, PursuitState
from feint.strategies.rates import information
from feint.strategies.response_votes import PlacedVote, placed_privacy, placed_vote
from feint.strategies.responses import LOG_UNIT, ResponseNoisy, ResponseShape, ResponseState
from feint.strategies.scalar import Scalar
from feint.strategies.schedule import Schedule, SequentialShape
from feint.strategies.sequential import SequentialNoisy
from feint.strategies.staged_noisy import NoisyShape, StagedNoisy, StagedNoisyState
from feint.strategies.stages import CREDIBLE
from feint.strategies.table import Table, TableState
from feint.strategies.tails import Located, divided, halvings, located
from feint.strategies.unknown_rates import UnknownRates
from feint.strategies.votes import Vote, astray, law, vote

__all__ = [
    "CREDIBLE",
    "END",
    "LOG_UNIT",
    "RULES",
    "SAME",
    "Act",
    "Ask",
    "Choices",
    "Coin",
    "Edge",
    "History",
    "Int",
    "Layout",
    "Located",
    "NoisyShape",
    "Piece",
    "PlacedVote",
    "PlantedShape",
    "Product",
    "Pursuit",
    "PursuitState",
    "ResponseNoisy",
    "ResponseShape",
    "ResponseState",
    "Scalar",
    "Schedule",
    "SequentialNoisy",
    "SequentialShape",
    "SequentialState",
    "Staged",
    "StagedNoisy",
    "StagedNoisyState",
    "StagedShape",
    "StagedState",
    "Table",
    "TableState",
    "Tree",
    "UnknownRates",
    "Vote",
    "astray",
    "blocks",
    "boundaries_asked",
    "cut",
    "divided",
    "from_choices",
    "from_histories",
    "halvings",
    "information",
    "law",
    "located",
    "longest",
    "part",
    "placed_privacy",
    "placed_vote",
    "planted",
    "staged",
    "tailed",
    "vote",
]

_REPLACED_BY = {
    "NOWHERE": "END",
    "Block": "blocks",
    "Blocks": "blocks",
    "Loose": "tailed",
    "LooseShape": "tailed",
    "Node": "from_choices",
    "Padded": "UNASKED of feint.interfaces: a run may leave columns out",
    "Planted": "planted",
    "Play": "tailed",
    "Tabular": "from_histories",
    "Tailed": "tailed",
    "TailedShape": "tailed",
}

if not TYPE_CHECKING:  # otherwise a type checker would believe that any name is here
    __getattr__ = retired_names(__name__, f"{__name__}.retired", _REPLACED_BY, since="0.2")
