"""Share a small search, and its answers, among tests of journals."""

from contextlib import suppress

from feint import Domain, Problem, Result, SearchDone, plan
from feint.journal import Lasting

KEY = bytes(range(32))
PLAN = plan(Problem("1/64", "1/12", 3), domain=Domain(10, 20, label="price"))
NUMBER = 13


def finished(search: Lasting) -> Result:
    """Answer all of it, also where others answer it too."""
    with suppress(SearchDone):
        while not search.done:
            for query in search.ask():
                search.tell(query.id, query.value <= NUMBER)
    return search.result
