"""Share votes, and pairs of numbers with equal questions, among tests of polls."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

from tests.support.journals import KEY, PLAN

from feint import Search
from feint.journal.polls import Ballot, Polls
from feint.planning import Plan
from feint.search import finish
from feint.simulate.oracles import Hidden

Says = Callable[[str, Ballot], bool]
"""How a respondent votes on a question."""


Told = dict[str, bool]
"""The answer to each question, by its id."""


def honest(number: Fraction | int) -> Says:
    """Let all respondents vote truthfully."""
    return lambda _, ballot: Fraction(ballot.value) <= number


def seat(polls: Polls, name: str, *people: str) -> None:
    """Make respondents of a poll under ids of the test's own; they have no tokens."""
    with polls._store.transaction(name) as held:
        for number, person in enumerate(people, 1):
            held.put("person", person, {"label": person, "number": number, "hash": ""})


def vote_all(polls: Polls, name: str, people: Iterable[str], says: Says) -> None:
    """Let all respondents vote on their open questions, in turn, until the poll is done."""
    people = list(people)
    while polls.status(name)["standing"] == "open":
        for person in people:
            for ballot in polls.sheet(name, person).ballots:
                if ballot.vote is None:
                    polls.vote(name, person, ballot.id, says(person, ballot))


def answered_alike(
    plan: Plan, *, decoys: bool = True
) -> tuple[tuple[bytes, Told], tuple[bytes, Told]]:
    """Return two keys and answers whose searches ask the same and get other answers.

    The numbers differ: they lie at the same place in two parts that are kept. Of a noisy search
    that stops when it is sure the answers of decoys may differ instead: none of them changes what
    is asked.

    Args:
        plan: The plan of both.
        decoys: Whether the decoys are answered otherwise under noise, instead of the cut.
    """
    if plan.problem.noisy and decoys:
        return (KEY, _decoys_told(plan, True)), (KEY, _decoys_told(plan, False))
    key, number, other_key, other = twins(plan)
    return (key, _told(plan, key, number)), (other_key, _told(plan, other_key, other))


def _told(plan: Plan, key: bytes, number: Fraction) -> Told:
    search = Search(plan, key=key)
    _ = finish(search, Hidden(number))
    return {each.id: each.answer is True for each in search.history}


def _decoys_told(plan: Plan, decoys: bool) -> Told:
    """Return answers for a number at two fifths of the range, with one answer for all decoys."""
    search, number = Search(plan, key=KEY), plan.domain.low + plan.domain.width * Fraction(2, 5)
    while not search.done:
        queries = search.ask()
        hiding = search.phases[-1] == "hide"
        own = search._course._state.column[0] if hiding else None
        for column, query in enumerate(queries):
            is_decoy = hiding and column != own
            search.tell(query.id, decoys if is_decoy else query.number <= number)
    return {each.id: each.answer is True for each in search.history}


@cache
def twins(plan: Plan = PLAN) -> tuple[bytes, Fraction, bytes, Fraction]:
    """Return two keys and numbers whose searches have the same questions and different answers."""
    heard: dict[tuple[int, ...], tuple[bytes, Fraction]] = {}
    (size,) = plan.cells
    for seed in range(6):
        key = bytes([seed]) * 32
        for cell in range(size):
            number = 10 + 10 * Fraction(2 * cell + 1, 2 * size)
            search = Search(plan, key=key)
            _ = finish(search, Hidden(number))
            asked = tuple(search.transcript.points[0].tolist())
            found, other = heard.setdefault(asked, (key, number))
            if abs(other - number) > 1:
                return found, other, key, number
    raise RuntimeError("every number is asked about by itself")
