"""The old path of `feint.research.sweep`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.research.sweep import *  # noqa: F403

_moved(__name__, "feint.research.sweep", since="0.2")
