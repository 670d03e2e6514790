"""The instances of `Oracle`: whoever answers a search's questions."""

from feint.oracles.command import Command
from feint.oracles.function import Function, Rounds
from feint.oracles.hidden import Hidden

__all__ = ["Command", "Function", "Hidden", "Rounds"]
