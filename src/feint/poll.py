"""The old path of `feint.journal.polls`: it keeps working, and warns."""

from feint.exact.stability import moved as _moved
from feint.journal.polls import *  # noqa: F403

_moved(__name__, "feint.journal.polls", since="0.2")
