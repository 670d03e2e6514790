"""Commits that cannot be checked: an observer who knows which they are wins no more than is said.

The brute force runs the real bisection for every first bad commit and every side of every coin,
and groups the runs by what an observer sees. It shares no code with the audit.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.examples import later
from tests.support.repositories import linear
from tests.support.uneven import Forked

from feint import Domain, Problem
from feint.errors import InvalidValue
from feint.integrations.git import (
    Bisection,
    Exposed,
    History,
    Session,
    Verdict,
    bisection,
    moved_success,
    planned,
)
from feint.planning import Plan
from feint.search import Search, coins

Seen = tuple[tuple[tuple[int, bool], ...] | str, ...]
"""The checks of each pass, each with whether it was skipped; and "stopped" if the run stopped."""


@dataclass
class Coins:
    """Coins whose sides follow a script; beyond it, the first side that may come up.

    Attributes:
        script: The sides of the first tosses.
        sides: Every toss of the run: the side, and the probability of it.
        others: The scripts that take another side at a toss beyond the script.
    """

    script: tuple[int, ...]
    sides: dict[tuple[int, int], tuple[int, Fraction]] = field(default_factory=dict)
    others: list[tuple[int, ...]] = field(default_factory=list)

    def side(self, key: bytes, number: int, toss: int, weights: Any) -> int:
        """Stand in for `feint.search.coins.side`."""
        if (number, toss) not in self.sides:
            past = tuple(side for side, _ in self.sides.values())
            possible = [side for side, weight in enumerate(weights) if weight]
            taken = possible[0]
            if len(past) < len(self.script):
                taken = self.script[len(past)]
            else:
                self.others += [(*past, side) for side in possible[1:]]
            share = Fraction(int(weights[taken]), sum(map(int, weights)))
            self.sides[number, toss] = taken, share
        return self.sides[number, toss][0]

    @property
    def probability(self) -> Fraction:
        product = Fraction(1)
        for _, share in self.sides.values():
            product *= share
        return product


@dataclass(frozen=True)
class Run:
    """One run: what was seen of it, what was meant, and the success that it claimed."""

    seen: Seen
    meant: tuple[int, ...]
    claim: Fraction | None
    stops: dict[Any, bool]  # by all that is public: whether the audit stopped it


def run_once(plan: Plan, first: int, broken: Collection[int], known: Collection[int] = ()) -> Run:
    """Bisect in process, and keep what an observer of the checks sees."""
    course = Bisection(Search(plan, seed=1), skipped=known)
    seen, stops = list[Any](), dict[Any, bool]()

    def meant() -> tuple[int, ...]:
        return tuple(course.search.transcript.points[0].tolist())

    while not course.done:
        state = meant(), frozenset(course.skipped)
        try:
            tests = course.open()
        except Exposed:
            stops[state] = True
            return Run((*map(tuple, seen), "stopped"), meant(), None, stops)
        stops[state] = False
        # Two questions may have one stand-in, which is checked once.
        seen.append(dict.fromkeys((test.commit, test.commit in broken) for test in tests))
        for test in tests:
            verdict: Verdict = "good" if test.commit < first else "bad"
            course.tell(test, "skip" if test.commit in broken else verdict)
    claim = None if known else course.audit()
    return Run(tuple(map(tuple, seen)), meant(), claim, stops)


def all_runs(
    plan: Plan,
    first: int,
    broken: Collection[int],
    patch: pytest.MonkeyPatch,
    known: Collection[int] = (),
) -> Iterator[tuple[Run, Fraction]]:
    """Run with every side of every coin; each run comes with its probability."""
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        tossed = Coins(scripts.pop())
        patch.setattr(coins, "side", tossed.side)
        run = run_once(plan, first, broken, known)
        yield run, tossed.probability
        scripts += tossed.others


def remembered(success: Callable[..., Fraction], plan: Plan) -> Callable[..., Fraction]:
    """Compute each success of a plan once."""
    found = dict[Any, Fraction]()

    def looked_up(_: Plan, moved: list[int], **more: Any) -> Fraction:
        key = tuple(moved), *map(tuple, more.values())
        if key not in found:
            found[key] = success(plan, moved, **more)
        return found[key]

    return looked_up


def best_window(masses: dict[int, Fraction], delta: int) -> Fraction:
    return max(
        sum((masses.get(first, Fraction(0)) for first in range(start, start + delta)), Fraction(0))
        for start in masses
    )


@dataclass(frozen=True)
class Truth:
    """What an observer who knows the broken commits wins with, and what runs claim.

    Attributes:
        seen: Her success if she sees the checks.
        meant: Her success if she knows which commits were meant, too.
        claims: Every success that a run claimed which did not stop.
        stopped: The probability that a run stops.
    """

    seen: Fraction
    meant: Fraction
    claims: set[Fraction]
    stopped: Fraction


def truth_of(
    commits: int,
    delta: int,
    plan: Plan,
    broken: Collection[int],
    patch: pytest.MonkeyPatch,
    odds: list[int] | None = None,
) -> Truth:
    """Try every first bad commit and every coin."""
    odds = odds or [1] * commits
    # An audit is a function of its arguments, and many runs ask for the same one.
    patch.setattr(bisection, "moved_success", remembered(moved_success, plan))
    seen = defaultdict[Any, dict[int, Fraction]](dict)
    meant = defaultdict[Any, dict[int, Fraction]](dict)
    claims, stops, stopped = set[Fraction](), dict[Any, bool](), Fraction(0)
    for first in range(1, commits + 1):
        for run, share in all_runs(plan, first, broken, patch):
            mass = share * Fraction(odds[first - 1], sum(odds))
            for groups, key in ((seen, run.seen), (meant, (run.seen, run.meant))):
                groups[key][first] = groups[key].get(first, Fraction(0)) + mass
            for public, stop in run.stops.items():
                assert stops.setdefault(public, stop) is stop  # never by an answer
            if run.claim is None:
                stopped += mass
            else:
                claims.add(run.claim)
    success = [sum(best_window(each, delta) for each in by.values()) for by in (seen, meant)]
    return Truth(Fraction(success[0]), Fraction(success[1]), claims, stopped)


def check_case(
    commits: int,
    delta: int,
    level: int,
    broken: Collection[int],
    patch: pytest.MonkeyPatch,
    odds: list[int] | None = None,
) -> Truth:
    """Compare the truth with every claim made."""
    plan = planned(commits, level=level, delta=delta, weights=odds).plan
    assert plan is not None
    truth = truth_of(commits, delta, plan, broken, patch, odds)
    wrong = f"{commits} commits, delta {delta}, level {level}, {sorted(broken)} cannot be checked"
    assert truth.seen <= min(truth.claims, default=Fraction(1)), wrong
    assert truth.meant * level <= 1, wrong  # runs that stop are counted, too
    return truth


def random_case(random: Random, *, most: int = 120) -> tuple[int, int, int, set[int]]:
    """Draw a problem that has a plan, and commits that cannot be checked; half of them cluster."""
    while True:
        commits, delta = random.randint(8, most), random.randint(1, 5)
        level = random.randint(2, 6)
        if delta * level <= commits:  # or a blind guess wins more often
            break
    count, start = random.randint(1, 6), random.randint(1, commits - 1)
    if random.random() < 0.5:
        near = range(max(1, start - 5), min(commits, start + 6))
        return commits, delta, level, set(random.sample(near, min(count, len(near))))
    return commits, delta, level, set(random.sample(range(1, commits), count))


FEW = {28, 62, 70}
MANY = {
    1,
    7,
    10,
    16,
    19,
    25,
    28,
    34,
    38,
    41,
    42,
    44,
    50,
    54,
    60,
    66,
    72,
    78,
    81,
    82,
    88,
    91,
    92,
    96,
}


@pytest.mark.parametrize("broken", [FEW, MANY])
def test_an_observer_who_knows_what_cannot_be_checked(
    broken: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the skips of each run audited alone she won with .51 and with .69, at level 2."""
    truth = check_case(100, 3, 2, broken, monkeypatch)
    if broken == FEW:
        assert 0 < truth.stopped < 1
        assert truth.claims == {Fraction(1, 2)}


def test_random_commits_that_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    for _ in range(8):
        commits, delta, level, broken = random_case(random, most=40)
        check_case(commits, delta, level, broken, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_commits_that_cannot_be_checked(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """25 problems a seed: 500 in all."""
    random = Random(seed)
    for _ in range(25):
        check_case(*random_case(random), monkeypatch)


@pytest.mark.parametrize("seed", later(range(12), range(2, 12)))
def test_with_weights_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a belief that is not uniform the promise is about that belief."""
    random = Random(seed)
    for _ in range(3):
        commits = random.randint(20, 40)
        odds = [random.choice((1, 1, 1, 2)) for _ in range(commits)]
        broken = set(random.sample(range(1, commits), random.randint(1, 4)))
        check_case(commits, 2, random.randint(2, 3), broken, monkeypatch, odds)


def test_positions_that_the_weights_exclude(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of what she believes there, so a skip stops the run."""
    odds = [1] * 20 + [0] * 20
    plan = planned(40, level=2, delta=2, weights=odds).plan
    assert plan is not None
    stopped = [first for first in range(1, 41) if run_once(plan, first, {30}).claim is None]
    assert all(first > 20 for first in stopped)
    check_case(40, 2, 2, {10, 30}, monkeypatch, odds)


def nearest(commit: int, commits: int, broken: Collection[int]) -> int:
    able = (each for each in range(commits + 1) if each not in broken)
    return min(able, key=lambda each: (abs(each - commit), each))


Groups = dict[tuple[int, ...], dict[int, Fraction]]


def all_groups(plan: Plan, broken: Collection[int], patch: pytest.MonkeyPatch) -> Groups:
    """Return how likely each position leads to each sequence of questions, by enumeration.

    The commits that cannot be checked are known beforehand, so no run stops.
    """
    groups = defaultdict[tuple[int, ...], dict[int, Fraction]](dict)
    with patch.context() as patched:
        for first in range(1, (plan.problem.values or 0) + 1):
            for run, share in all_runs(plan, first, broken, patched, broken):
                groups[run.meant][first] = groups[run.meant].get(first, Fraction(0)) + share
    return groups


def success_given(groups: Groups, delta: int, heard: tuple[int, ...]) -> Fraction:
    """Return what she wins with who hears all questions, given that they begin like this."""
    alike = [masses for meant, masses in groups.items() if meant[: len(heard)] == heard]
    won = sum((best_window(masses, delta) for masses in alike), Fraction(0))
    return won / sum((sum(masses.values(), Fraction(0)) for masses in alike), Fraction(0))


@pytest.mark.parametrize("seed", later(range(30), range(6, 30)))
def test_the_success_with_moved_checks_is_exact(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For an observer who knows which commits are meant, also given the questions so far."""
    random = Random(seed)
    commits, delta, level, broken = random_case(random, most=50)
    plan = planned(commits, level=level, delta=delta).plan
    assert plan is not None
    moved = [nearest(commit, commits, broken) for commit in range(commits + 1)]
    groups = all_groups(plan, broken, monkeypatch)
    assert moved_success(plan, moved) == success_given(groups, delta, ())
    end = 0
    for number in plan.strategy.rounds:
        end += len(number.coordinates)
        heard = random.choice([*groups])[:end]
        assert moved_success(plan, moved, asked=heard) == success_given(groups, delta, heard)
    with pytest.raises(InvalidValue, match="no first bad commit"):
        moved_success(plan, moved, asked=[-1])


@pytest.mark.parametrize("seed", later(range(40), {*range(6, 40)} - {9, 30}))
def test_a_run_stops_exactly_when_the_rises_exceed_the_room(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule of the proof, computed by enumeration; what has stopped stays so."""
    random = Random(seed)
    commits, delta, level, broken = random_case(random, most=40)
    plan = planned(commits, level=level, delta=delta).plan
    assert plan is not None
    known = dict[frozenset[int], Groups]()

    def success(skipped: frozenset[int], heard: tuple[int, ...]) -> Fraction:
        if skipped not in known:
            known[skipped] = all_groups(plan, skipped, monkeypatch)
        return success_given(known[skipped], delta, heard)

    for first in random.sample(range(1, commits + 1), min(commits, 8)):
        course = Bisection(Search(plan, seed=seed))
        room, rise, number, start = Fraction(1, level), Fraction(0), -1, frozenset[int]()
        room -= success(start, ())
        while rise <= room and not course.done:
            for test in course.open():
                verdict: Verdict = "good" if test.commit < first else "bad"
                course.tell(test, "skip" if test.commit in broken else verdict)
                if course.search.round > number:
                    number, room, rise = course.search.round, room - rise, Fraction(0)
                    start = frozenset(course.skipped) - {test.commit}
            heard = tuple(course.search.transcript.points[0].tolist())
            rise = success(frozenset(course.skipped), heard) - success(start, heard)
        if rise > room:
            with pytest.raises(Exposed) as stopped:
                course.open()
            assert stopped.value.success == Fraction(1, level) + rise - room
            force_on(course, first)
            with pytest.raises(Exposed):
                course.audit()


def force_on(course: Bisection, first: int) -> None:
    """Answer a round past the bisection, and show the next."""
    for query in course.search.ask():
        course.search.tell(query.id, first >= int(query.value))
    if not course.done:
        course.search.ask()


def test_every_further_skip_of_a_round_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    """If each skip cost a sixth, the fourth would exceed 1/2."""

    def sixths(_: Plan, moved: list[int], **more: object) -> Fraction:
        return Fraction(sum(number != commit for number, commit in enumerate(moved)), 6)

    monkeypatch.setattr(bisection, "moved_success", sixths)
    plan = planned(100, level=2, delta=3).plan
    assert plan is not None
    course = Bisection(Search(plan, seed=1))
    for skipped in range(4):
        tests = course.open()
        assert len(course.skipped) == skipped
        course.tell(tests[0], "skip")
    with pytest.raises(Exposed) as stopped:
        course.open()
    assert stopped.value.success == Fraction(4, 6)


def test_the_order_of_verdicts_makes_no_difference() -> None:
    """Neither to what is checked next nor to whether a run stops."""
    plan = planned(100, level=4, delta=5, max_rounds=3).plan
    assert plan is not None
    for seed in range(12):
        random = Random(seed)
        broken = set(random.sample(range(1, 100), 12))
        first, ends = random.randint(1, 100), list[Any]()
        for shuffled in range(4):
            course, checks = Bisection(Search(plan, seed=1)), list[list[int]]()
            try:
                while tests := course.open():
                    checks.append([test.commit for test in tests])
                    Random(shuffled).shuffle(tests)
                    for test in tests:
                        verdict: Verdict = "good" if test.commit < first else "bad"
                        course.tell(test, "skip" if test.commit in broken else verdict)
            except Exposed:
                checks.append([])
            ends.append(checks)
        assert ends[0] == ends[1] == ends[2] == ends[3]


def test_commits_that_are_known_beforehand_use_up_room_at_once() -> None:
    plan = planned(60, level=4, delta=5).plan
    assert plan is not None
    assert Bisection(Search(plan)).audit() == Fraction(1, 4)
    with pytest.raises(Exposed) as stopped:
        Bisection(Search(plan), skipped=range(20, 40)).audit()
    moved = [nearest(commit, 60, range(20, 40)) for commit in range(61)]
    assert stopped.value.success == moved_success(plan, moved)


@pytest.mark.parametrize("first", later([9, 66], [9]))
def test_a_run_that_is_resumed_after_every_verdict_stops_or_goes_on_alike(
    first: int, tmp_path: Path
) -> None:
    folder = linear(tmp_path / "repository", 100)
    history = History.of(folder, good="start", bad="main")
    ends = []
    for resumed in (False, True):
        session = Session.begin(history, planned(100, level=2, delta=3))
        stopped = False
        try:
            while tests := session.wanted():
                for test in tests[:1] if resumed else tests:
                    skip = test.commit in FEW
                    verdict: Verdict = "good" if test.commit < first else "bad"
                    session.tell(test, "skip" if skip else verdict)
                    if resumed:
                        del session  # its file is locked as long as it is there
                        session = Session.resume(folder)
        except Exposed:
            stopped = True
        ends.append((sorted(session.checked()), stopped, session.bisection.remaining))
        session.clean()
    assert ends[0] == ends[1]
    assert ends[0][1] == (first == 66)


@pytest.mark.parametrize("broken", [(), (5,), (13,), (2, 13)])
def test_bisections_that_end_early_keep_their_promise(
    broken: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right of commit 12 a bisection takes a question and a round less, and whoever sees it, sees
    that."""
    problem = Problem("1/16", "1/16", 3, values=16)
    plan = Plan(
        problem=problem,
        domain=Domain(1, 16, step=1),
        method="own",
        strategy=Forked(problem),
        certificate="exact",
        adversary_success=Fraction(1, 4),
    )
    truth = truth_of(16, 1, plan, broken, monkeypatch)
    assert truth.seen <= min(truth.claims, default=Fraction(1))
    assert truth.meant * 3 <= 1
    assert truth.stopped < 1
