"""The old path of `feint.planning.optimal`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.planning.optimal import *  # noqa: F403

_moved(__name__, "feint.planning.optimal", since="0.2")
