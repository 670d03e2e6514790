"""Run a live search: ask, tell, save and resume."""

from feint.search.contradiction import Contradiction
from feint.search.coroutines import find_async
from feint.search.file import Begun, begin, create, create_again, keep, load
from feint.search.finder import Answering, find, finish, named, prepared, worded
from feint.search.private import read_private, sync_folder, write_private
from feint.search.reliability import Agreement
from feint.search.rounds import Event
from feint.search.saved import register_strategy
from feint.search.search import Search
from feint.search.spreadsheet import export_round, import_answers
from feint.search.sureness import sureness_words

__all__ = [
    "Agreement",
    "Answering",
    "Begun",
    "Contradiction",
    "Event",
    "Search",
    "begin",
    "create",
    "create_again",
    "export_round",
    "find",
    "find_async",
    "finish",
    "import_answers",
    "keep",
    "load",
    "named",
    "prepared",
    "read_private",
    "register_strategy",
    "sureness_words",
    "sync_folder",
    "worded",
    "write_private",
]
