"""The old path of `feint.simulate.oracles`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.simulate.oracles import *  # noqa: F403

_moved(__name__, "feint.simulate.oracles", since="0.2")
