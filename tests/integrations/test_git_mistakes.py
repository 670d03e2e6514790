"""A verdict that is taken back after the next round was shown: what an observer wins with.

The brute force plays the real bisection twice, with the same marks of every coin: once with a wrong
verdict, up to the round that follows it, and once without. It shares no code with the audit.
"""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pytest
from tests.support.examples import later

from feint.errors import TooLarge
from feint.integrations.git import Bisection, Mistake, planned, success_after
from feint.planning import Plan
from feint.search import Search, coins

Shown = tuple[tuple[int, ...], ...]


class Marks:
    """Coins whose marks follow a script; beyond it they are 0, and `counts` says of how many."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script, self.places, self.counts = script, dict[tuple[int, int], int](), list[int]()

    def side(self, key: bytes, number: int, toss: int, weights: Any) -> int:
        """Stand in for `feint.search.coins.side`."""
        ends = list(accumulate(map(int, weights)))
        if (number, toss) not in self.places:
            self.places[number, toss] = len(self.counts)
            self.counts.append(ends[-1])
        place = self.places[number, toss]
        assert self.counts[place] == ends[-1]
        mark = self.script[place] if place < len(self.script) else 0
        return next(side for side, end in enumerate(ends) if end > mark)


def played(
    plan: Plan, first: int, wrong: Mistake | None, marks: Marks, patch: pytest.MonkeyPatch
) -> Shown:
    """The rounds of a run; with a mistake, only the one that follows it."""
    patch.setattr(coins, "side", marks.side)
    course, shown = Bisection(Search(plan, seed=1), level=1), list[tuple[int, ...]]()
    while tests := course.open():
        number = course.search.round
        if wrong is not None and number > wrong.round:
            break
        queries = course.search.current
        shown.append(tuple(int(each.value) for each in queries))
        flipped = {
            int(each.value) - 1
            for each in queries
            if wrong is not None and int(each.id.split(".")[1]) in wrong.columns
        }
        is_wrong = wrong is not None and number == wrong.round
        for test in tests:
            is_good = (test.commit < first) is not (is_wrong and test.commit in flipped)
            course.tell(test, "good" if is_good else "bad")
    if wrong is None:
        return tuple(shown)
    if course.done:
        return ((),)
    return (tuple(int(each.value) for each in course.search.current),)


def all_marks(
    plan: Plan, first: int, wrong: list[Mistake], patch: pytest.MonkeyPatch
) -> Iterator[tuple[Shown, Fraction]]:
    """What is seen with every mark of every coin, and the probability of it."""
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        marks = Marks(script)
        seen = played(plan, first, None, marks, patch)
        for each in wrong:
            seen += played(plan, first, each, marks, patch)
        fixed, counts = len(script), marks.counts
        if len(counts) > fixed:  # one more coin than the script has: all of its marks
            scripts += [(*script, mark) for mark in range(counts[fixed])]
            continue
        share = Fraction(1)
        for count in counts:
            share /= count
        yield seen, share


def brute(plan: Plan, delta: int, wrong: list[Mistake], patch: pytest.MonkeyPatch) -> Fraction:
    commits = plan.problem.values or 0
    groups = defaultdict[Shown, dict[int, Fraction]](dict)
    for first in range(1, commits + 1):
        for seen, share in all_marks(plan, first, wrong, patch):
            held = groups[seen]
            held[first] = held.get(first, Fraction(0)) + share / commits
    won = Fraction(0)
    for masses in groups.values():
        sums = (
            sum((masses.get(start + k, Fraction(0)) for k in range(delta)), Fraction(0))
            for start in masses
        )
        won += max(sums)
    return won


CASES = [(30, 3, 3, 1), (30, 3, 3, 8), (60, 4, 5, 8)]


@pytest.mark.parametrize(("commits", "level", "delta", "most"), later(CASES, CASES[1:]))
def test_what_an_observer_wins_with_who_saw_one_round_more(
    commits: int, level: int, delta: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each of the first wrong verdicts of a round, and after two of one round."""
    plan = planned(commits, level=level, delta=delta).plan
    assert plan is not None
    found = list[Fraction]()
    for number, each in enumerate(plan.strategy.rounds[:-1]):
        width = len(each.coordinates)
        for columns in [(column,) for column in range(min(width, most))]:
            wrong = Mistake(number, columns)
            found.append(success_after(plan, [wrong], ()))
            assert found[-1] == brute(plan, delta, [wrong], monkeypatch)
        if width > 1 and most > 1:
            some = [Mistake(number, each) for each in ((0,), (1,), (0, 1))]
            largest = max(brute(plan, delta, [each], monkeypatch) for each in some)
            assert success_after(plan, [some[-1]], ()) == largest
    assert plan.adversary_success is not None
    assert min(found) >= plan.adversary_success  # who sees more never wins less often
    assert max(found) > plan.adversary_success


@pytest.mark.long
def test_after_several_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(30, level=3, delta=3).plan
    assert plan is not None
    wrong = [Mistake(0, (0,)), Mistake(1, (2,)), Mistake(1, (1,))]
    assert success_after(plan, wrong, ()) == brute(plan, 3, wrong, monkeypatch)


def test_commits_that_cannot_be_the_answer_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(30, level=3, delta=3).plan
    assert plan is not None
    every = success_after(plan, [Mistake(1, (0,))], ())
    assert success_after(plan, [Mistake(1, (0,))], range(1, 11)) != every


def test_what_takes_too_long_is_refused() -> None:
    plan = planned(60, level=4, delta=5).plan
    assert plan is not None
    with pytest.raises(TooLarge, match="16 sets"):
        success_after(plan, [Mistake(2, (0, 1, 2, 3, 4))], ())
