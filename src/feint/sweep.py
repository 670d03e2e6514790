"""The old path of `feint.research.sweep`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.research.sweep import *  # noqa: F403
from feint.research.sweep import SweepTable as Table  # noqa: F401

_moved(__name__, "feint.research.sweep", since="0.2")
