"""Who hears what: nothing is the blind guess, all is today's audit, and more is never less."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.repeated import repeated, staged_search, stay
from tests.support.strategies import planted, staged

from feint import Domain, Problem, plan
from feint.audit import Hearing, Prior, Report, audit, coordinates
from feint.interfaces import Strategy
from feint.planning import methods
from feint.strategies.retired import (
    Tabular,
)
from feint.testing import SPECIMENS

F = Fraction
SMALL = Problem("1/12", "1/4", 3)


@cache
def every_strategy() -> dict[str, Strategy]:
    """One of every family, and every specimen, on lattices that are quick to walk."""
    worst = Problem("1/12", "1/6", 3, setting="deterministic")
    found: dict[str, Strategy] = {
        f"{problem.setting} {name}": plan(problem, method=name).strategy
        for problem in (SMALL, worst)
        for name in methods(problem)
        if name != "optimal"
    }
    values = Domain(1, 10, step=1)
    found["whole values"] = plan(values.problem(delta=2, level=4), domain=values).strategy
    found["spare parts"] = staged(Problem("1/16", "1/4", 3), 16, (), 4, 3, (2, 2))
    found["planted"] = planted(worst, 12, True, False, 2, 1, (3,))
    found["two coordinates"] = plan(Problem("1/6", "1/3", 4, dim=2)).strategy
    table = {(): [(1, 1), (2, 2)], ((1, True),): [(2, 1)], ((1, False),): [(3, 1)]}
    table |= {((2, True),): [(3, 1)], ((2, False),): [(1, 1)]}
    found["table"] = Tabular.from_histories(Problem("1/4", "1/2", 2), 4, 2, table)
    found |= {f"specimen {name}": each.strategy for name, each in SPECIMENS.items()}
    return found


def questions(strategy: Strategy) -> int:
    return sum(len(each.coordinates) for each in strategy.rounds)


def won(report: Report) -> Fraction:
    assert report.adversary_success is not None
    return report.adversary_success


@cache
def success(name: str, hears: frozenset[int], knows: frozenset[int]) -> Fraction:
    return won(audit(every_strategy()[name], hears=hears, knows=knows))


@pytest.mark.parametrize("name", every_strategy())
def test_nothing_is_the_blind_guess_and_all_is_today(name: str) -> None:
    strategy = every_strategy()[name]
    silent = audit(strategy, hears="nothing")
    assert silent.adversary_success == silent.blind
    everything = frozenset(range(1, questions(strategy) + 1))
    assert success(name, everything, frozenset()) == audit(strategy).adversary_success
    assert audit(strategy, hears="all").to_dict() == audit(strategy).to_dict()


@given(st.data())
@examples(60)
def test_success_rises_with_what_is_heard_and_known(data: Any) -> None:
    name = data.draw(st.sampled_from(sorted(every_strategy())))
    numbers = st.sets(st.integers(1, questions(every_strategy()[name])), max_size=6)
    heard, known = data.draw(numbers), data.draw(numbers)
    more, besides = heard | data.draw(numbers), known | data.draw(numbers)
    less = success(name, frozenset(heard), frozenset(known))
    assert less <= success(name, frozenset(more), frozenset(known))
    assert less <= success(name, frozenset(heard), frozenset(besides))
    assert less >= success(name, frozenset(), frozenset())


def test_each_question_with_a_chance_is_the_mean_over_what_is_heard() -> None:
    """Every subset of the questions by itself, weighed; kinds of questions are not told apart."""
    strategy = staged(Problem("1/16", "1/4", 3), 16, (), 4, 3, (2, 2))
    count, eta, mean = questions(strategy), F(1, 3), F(0)
    for mask in range(1 << count):
        heard = [place + 1 for place in range(count) if mask >> place & 1]
        weight = eta ** len(heard) * (1 - eta) ** (count - len(heard))
        mean += weight * _plain(strategy, heard)
    assert audit(strategy, hears="each(1/3)").adversary_success == mean
    assert audit(strategy, hears="each(0)").adversary_success == F(1, 4)
    assert audit(strategy, hears="each(1)").adversary_success == F(1, 3)


def _plain(strategy: Strategy, heard: list[int]) -> Fraction:
    """The success of one who hears these questions, by brute force."""
    search = staged_search(1, 4, 3, (2, 2))

    def some(cell: int) -> dict[tuple[object, ...], Fraction]:
        found: dict[tuple[object, ...], Fraction] = {}
        for told, chance in search(cell).items():
            part = tuple(told[each] for each in heard)  # told[0] is the block
            found[part] = found.get(part, F(0)) + chance
        return found

    return repeated(16, 4, some, stay, 1)[0]


def test_the_same_key_heard_twice_in_halves_is_heard_more() -> None:
    """Of one transcript, asked twice, each question is missed with the square of the chance."""
    strategy = staged(Problem("1/16", "1/4", 3), 16, (), 4, 3, (2, 2))
    twice = audit(strategy, repeat=2, hears="each(1/2)")
    assert twice.adversary_success == audit(strategy, hears="each(3/4)").adversary_success
    sampled = audit(strategy, repeat=2, hears="each(1/2)", runs=150)
    assert abs(sampled.successes[1] - twice.successes[1]) < F(1, 15)


def test_a_known_answer_may_cost_everything() -> None:
    """By brute force; and in words."""
    problem = Problem("1/64", "1/8", 4)
    strategy = staged(problem, 64, (2,), 4, 4, (2, 2, 2))
    found = audit(strategy, knows="last")
    brute = repeated(64, 8, staged_search(2, 4, 4, (2, 2, 2), answer=14), stay, 1)
    assert [found.adversary_success] == brute
    assert found.adversary_success == F(3, 8)
    assert "(answer: yes)" in found.counterexample
    assert "she knows the answers of the last question only" in found.assumptions
    all_known = audit(strategy, knows="all")
    assert all_known.adversary_success == 1
    hides = "it does not protect the number if they become known"
    assert any(hides in each for each in all_known.notes)
    assert not any(hides in each for each in audit(strategy, hears="every(2)").notes)


def test_rounds_and_coordinates() -> None:
    chosen = plan(Problem("1/6", "1/3", 4, dim=2))
    one = audit(chosen, hears="coordinates(0)")
    alone = won(audit(coordinates(chosen.strategy)[0]))
    assert won(one) == alone * F(1, 3)
    assert one.blind <= won(audit(chosen, hears="rounds(1)")) <= won(audit(chosen))


def test_a_prior_and_what_is_heard() -> None:
    prior = Prior((1, 2, 3, 4, 5, 6))
    strategy = staged(Problem("1/16", "1/4", 3), 16, (), 4, 3, (2, 2))
    silent: Report = audit(strategy, prior=prior, hears="nothing")
    assert silent.adversary_success == silent.blind
    everything = audit(strategy, prior=prior, hears=range(1, 10))
    assert everything.adversary_success == audit(strategy, prior=prior).adversary_success


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        ("all", [1, 2, 3, 4, 5]),
        ("nothing", []),
        ("rounds(2)", [3, 4, 5]),
        ("rounds(1-2)", [1, 2, 3, 4, 5]),
        ("questions(1, 4-5)", [1, 4, 5]),
        ("every(2)", [2, 4]),
        ("last(2)", [4, 5]),
        ("last", [5]),
        ("coordinates(0)", [1, 2, 3, 4, 5]),
    ],
)
def test_words_name_questions(words: str, heard: list[int]) -> None:
    strategy = staged(Problem("1/6", "1/3", 2), 6, (), 3, 3, (2,))
    found = Hearing.read(words, "hears").columns(strategy.rounds, "hears")
    assert (np.flatnonzero(found) + 1).tolist() == heard
    assert Hearing.read(words, "hears").words
