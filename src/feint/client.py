"""The old path of `feint.server.client`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.server.client import *  # noqa: F403

_moved(__name__, "feint.server.client", since="0.2")
