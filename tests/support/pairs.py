"""Make pairs of searches with the same questions and different answers.

There are two kinds: numbers that are asked about alike under their keys, and answers of the last
round, which decide no question. Those are drawn at random, so that they contradict each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from tests.support.uneven import Forked

from feint import Domain, Plan, Problem, Search, plan
from feint.problem import Query

Answers = dict[str, bool]
_KEYS = [bytes([number]) * 32 for number in range(2)]


class Case(NamedTuple):
    """A search: its plan, its key, and the answer to every question."""

    plan: Plan
    key: bytes
    answers: Answers
    asked: tuple[tuple[int, ...], ...]


def _planned(domain: Domain, *, method: str = "tight", **wanted: Any) -> Plan:
    return plan(domain.problem(**wanted), domain=domain, method=method)


@cache
def plans() -> tuple[Plan, ...]:
    """Return plans of every kind, whose results have decimals of various lengths."""
    return (
        _planned(Domain(10, 20, label="price"), epsilon="10/64", delta="10/12", level=3),
        _planned(Domain(1, 140, step=1), delta=9, level=4),
        _planned(Domain(-3, 3, step="1/3"), delta="2/3", level=2),
        _planned(Domain(-20, 130, tick="1/2", label='hö"he, m'), epsilon=5, delta=15, level=3),
        _planned(Domain("1/7", "22/7"), epsilon="1/16", delta="1/4", level=3),
        _planned(Domain(0, 10**25), epsilon=10**23, delta=10**24, level=3),
        _planned(Domain(0, 100), epsilon=10, delta=30, level=2, dim=2),
        _planned(Domain(0, 8), epsilon=1, delta=2, level=3, method="grid"),
        _planned(Domain(0, 100), epsilon=5, delta=15, level=2, prior=[1, 2, 3, 4, 3, 2, 1, 1]),
        _planned(Domain(0, 100), epsilon=2, delta=10, level=3, setting="deterministic"),
        _planned(Domain(1, 12, step=1), delta=3, level=2, p="0.95", confidence="0.6"),
        plan(Problem("1/12", "1/3", 2, p="0.99", confidence="0.5")),
        _planned(
            Domain(0, 100),
            epsilon=3,
            delta=13,
            level=2,
            p="0.99",
            confidence="0.5",
            prior=[7, 11, 13, 13, 13, 11, 7],
        ),
        Plan.of(Forked(), domain=Domain(0, 15, step=1)),  # its searches have two lengths
        plan(Problem("1/48", "1/8", 4)),
    )


def answered(chosen: Plan, key: bytes, says: Callable[[Query], bool]) -> Case:
    """Return the search in which every question has this answer."""
    search, answers = Search(chosen, key=key), Answers()
    while not search.done:
        for query in search.ask():
            answers[query.id] = says(query)
            search.tell(query.id, answers[query.id])
    asked = tuple(map(tuple, search.transcript.points.tolist()))
    return Case(chosen, key, answers, asked)


def _right(target: Fraction) -> Callable[[Query], bool]:
    return lambda query: bool(query.value <= target)


@cache
def twins(number: int) -> list[tuple[Case, Case]]:
    """Return searches by a plan for two numbers with the same questions, if there are any."""
    chosen = plans()[number]
    if chosen.problem.dim > 1:
        return []
    heard = defaultdict[Any, list[Case]](list)
    domain, (size,) = chosen.domain, chosen.cells
    for key in _KEYS:
        for cell in range(size):
            target = domain.line(size).at(cell)
            target += 0 if domain.step is not None else domain.width / size / 2
            case = answered(chosen, key, _right(target))
            heard[case.asked].append(case)
    alike = [pair for cases in heard.values() for pair in combinations(cases, 2)]
    return [pair for pair in alike if pair[0].answers != pair[1].answers]


def loose(chosen: Plan, random: Random) -> tuple[Case, Case]:
    """Return two copies up to the last round, in which both answer at random."""
    domain, key, number = chosen.domain, random.randbytes(32), Fraction(random.random())
    target = domain.low + domain.width * number
    right = answered(chosen, key, _right(target))
    last = max(int(id[1:].partition(".")[0]) for id in right.answers)

    def says(query: Query) -> bool:
        return random.random() < 0.5 if query.round == last else bool(query.value <= target)

    while True:
        one, other = answered(chosen, key, says), answered(chosen, key, says)
        if one.answers != other.answers and one.asked == other.asked:
            return one, other


def pairs(count: int) -> Iterator[tuple[Case, Case]]:
    """Yield this many pairs, from all plans in turn, of both kinds if possible."""
    random = Random(30)
    for number in range(count):
        turn, place = divmod(number, len(plans()))
        chosen = plans()[place]
        # Plans have pairs of either kind in turn, and so has every plan.
        alike = twins(place) if (turn + place) % 2 else []
        if alike:
            yield random.choice(alike)
        else:
            yield loose(chosen, random)
