"""The old path of `feint.research.plot`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.research.plot import *  # noqa: F403

_moved(__name__, "feint.research.plot", since="0.2")
