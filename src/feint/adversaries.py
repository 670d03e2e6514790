"""The old path of `feint.simulate.adversaries`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.simulate.adversaries import *  # noqa: F403

_moved(__name__, "feint.simulate.adversaries", since="0.2")
