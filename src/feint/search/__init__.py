"""One live search: ask and tell, stop and go on."""

from feint.search.contradiction import Contradiction
from feint.search.file import create, load
from feint.search.find import find, finish, named
from feint.search.search import Search

__all__ = ["Contradiction", "Search", "create", "find", "finish", "load", "named"]
