"""Where frozen searches are kept, and how they are answered."""

from fractions import Fraction
from pathlib import Path

from feint import Query, Search
from feint.journal import Lasting

FOLDER = Path(__file__).parents[1] / "frozen"
NUMBER = Fraction(2, 5)
"""Where X* lies in every stored search, as a share of the range."""

WRONG = 7
"""Under noise, every answer whose number is 5 modulo this is wrong."""


def reply(search: Search, query: Query, share: Fraction, number: int) -> bool:
    """Answer a query when X* lies a given share into the range.

    Args:
        search: Whose query it is.
        query: The query.
        share: Where X* lies in coordinate 0; every other coordinate mirrors it.
        number: How many answers came before, which decides which are wrong under noise.

    Returns:
        The answer.
    """
    domain = search.domains[query.coordinate]
    place = share if query.coordinate == 0 else 1 - share
    above = domain.low + domain.width * place >= query.value
    wrong = search.plan.problem.noisy and number % WRONG == 5
    return (above == (query.yes_means == "at least")) != wrong


def played(search: Search | Lasting, share: Fraction, most: int | None = None) -> list[str]:
    """Ask and answer question by question.

    Args:
        search: The search, in memory, in a file or in a journal.
        share: Where X* lies.
        most: How many questions to answer; None: all that are left.

    Returns:
        The questions that were answered, in order.
    """
    asked = list[str]()
    while not search.done and (most is None or len(asked) < most):
        for query in search.ask()[: None if most is None else most - len(asked)]:
            state = search.search if isinstance(search, Lasting) else search
            answer = reply(state, query, share, state.answered)
            search.tell(query.id, answer)
            asked.append(f"{query.id} {query.shown}")
    return asked
