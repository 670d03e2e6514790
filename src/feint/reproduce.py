"""The old path of `feint.research.reproduce`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.research.reproduce import *  # noqa: F403

_moved(__name__, "feint.research.reproduce", since="0.2")
