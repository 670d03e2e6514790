"""Commits that cannot be checked: what is checked instead, and what an observer wins with.

The brute force runs the real bisection for every first bad commit and every side of every coin,
and groups the runs by what an observer sees. It shares no code with the audit.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.examples import later
from tests.support.repositories import ENVIRONMENT, git, linear
from tests.support.uneven import Forked

from feint import Domain, Problem
from feint.cli.app import run
from feint.errors import BadState, InvalidValue
from feint.integrations.git import (
    Bisection,
    Exposed,
    History,
    Outcome,
    Session,
    Verdict,
    moved_success,
    planned,
)
from feint.integrations.git.standins import Known
from feint.planning import Plan
from feint.search import Search, coins

Seen = tuple[tuple[tuple[int, bool], ...] | str, ...]
"""The checks of each step, each with whether it was skipped; and "stopped" if the run stopped."""


def verdict_of(commit: int, first: int, broken: Collection[int]) -> Verdict:
    return "skip" if commit in broken else "good" if commit < first else "bad"


def walked(commit: int, broken: Collection[int], known: Known) -> tuple[int, int]:
    """The commit that stands in, and how many checks it took to find it."""
    checks = 0
    while True:
        found, is_last = known.stand_in(commit)
        if is_last and found not in broken:
            return found, checks
        checks += 1
        known.note(found, is_skipped=found in broken)


@pytest.mark.parametrize("seed", range(20))
def test_the_stand_in_is_the_next_older_commit_that_can_be_checked(seed: int) -> None:
    """So the verdict is that of the commit itself, if the first bad one is not skipped."""
    random = Random(seed)
    start, length = random.randint(1, 500), random.randint(1, 400)
    broken = set(range(start, start + length))
    known = Known(1000)
    for number, commit in enumerate(random.sample(range(start, start + length), min(length, 12))):
        found, checks = walked(commit, broken, known)
        assert found == start - 1
        assert checks <= 20 or number  # 3 singly, 8 doublings, 8 to find the end, and itself


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4, 0.8])
def test_scattered_commits_are_passed_over_only_inside_a_run(share: float) -> None:
    random = Random(str(share))
    for _ in range(40):
        broken = {commit for commit in range(1, 200) if random.random() < share}
        known = Known(1000)
        for commit in random.sample(range(1, 200), 30):
            found, _ = walked(commit, broken, known)
            assert found not in broken
            assert found <= commit
            assert known.resolve(commit) == found
            between = set(range(found + 1, commit + 1))
            assert between <= known.passed
            assert not between or {commit, found + 1} <= broken | {found}
        older = {c: max(a for a in range(c + 1) if a not in broken) for c in range(1, 200)}
        short = [c for c in older if c - older[c] <= 3]  # these are tried one by one
        fresh = [walked(commit, broken, Known(1000))[0] for commit in short]
        assert fresh == [older[commit] for commit in short]


def test_what_is_tried_follows_from_what_is_known_alone() -> None:
    """In any order."""
    random = Random(3)
    for _ in range(200):
        facts = [(commit, random.random() < 0.6) for commit in random.sample(range(1, 60), 20)]
        found = list[Any]()
        for _ in range(2):
            random.shuffle(facts)
            known = Known(1000)
            for commit, is_skipped in facts:
                known.note(commit, is_skipped=is_skipped)
            found.append([known.stand_in(commit) for commit in range(60)])
        assert found[0] == found[1]


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
    """One run: what was seen of it, what was meant, and whether it stopped early."""

    seen: Seen
    meant: tuple[int, ...]
    is_stopped: bool
    stops: dict[Any, bool]  # by all that is public: whether the audit stopped it
    outcome: Outcome
    passed: frozenset[int]  # the commits that are taken to be no answer


def run_once(
    plan: Plan, level: int, first: int, broken: Collection[int], known: Collection[int] = ()
) -> Run:
    """Bisect in process, and keep what an observer of the checks sees."""
    course = Bisection(Search(plan, seed=1), skipped=known, level=level)
    seen, stops, is_stopped = list[Any](), dict[Any, bool](), False

    def meant() -> tuple[int, ...]:
        return tuple(course.search.transcript.points[0].tolist())

    while not course.done and not is_stopped:
        state = meant(), frozenset(course.skipped)
        try:
            tests = course.open()
        except Exposed:
            is_stopped = True
        stops[state] = is_stopped
        if is_stopped:
            seen.append("stopped")
            break
        # Two questions may have one stand-in, which is checked once.
        seen.append(tuple(dict.fromkeys((test.commit, test.commit in broken) for test in tests)))
        for test in tests:
            course.tell(test, verdict_of(test.commit, first, broken))
    outcome = course.remaining
    return Run(tuple(seen), meant(), is_stopped, stops, outcome, frozenset(course._known.passed))


def all_runs(
    plan: Plan,
    level: int,
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
        yield run_once(plan, level, first, broken, known), tossed.probability
        scripts += tossed.others


def best_window(masses: dict[int, Fraction], delta: int) -> Fraction:
    return max(
        sum((masses.get(first, Fraction(0)) for first in range(start, start + delta)), Fraction(0))
        for start in masses
    )


@dataclass(frozen=True)
class Truth:
    """What an observer who knows the broken commits wins with.

    Attributes:
        success: Her success over the first bad commits that can be the answer, if she sees the
            checks and knows which commits were meant, too; runs that stop are counted.
        able: The probability that the first bad commit can be the answer.
        stopped: The probability that a run stops.
    """

    success: Fraction
    able: Fraction
    stopped: Fraction


def truth_of(
    delta: int, plan: Plan, level: int, broken: Collection[int], patch: pytest.MonkeyPatch
) -> Truth:
    """Try every first bad commit and every coin."""
    prior = plan.problem.prior
    commits = plan.problem.values or 0
    odds = [1] * commits if prior is None else [*prior[0].weights]
    passed, stops, stopped = set(broken), dict[Any, bool](), Fraction(0)
    runs = list[tuple[int, Run, Fraction]]()
    for first in range(1, commits + 1):
        for each, share in all_runs(plan, level, first, broken, patch):
            runs.append((first, each, share * Fraction(odds[first - 1], sum(odds))))
            passed |= each.passed
            for public, stop in each.stops.items():
                assert stops.setdefault(public, stop) is stop  # never by an answer
            if not each.is_stopped:
                assert each.outcome.first <= first <= each.outcome.last
    heard = defaultdict[Any, dict[int, Fraction]](dict)
    able = Fraction(0)
    for first, each, mass in runs:
        stopped += mass * each.is_stopped
        if first not in passed and mass:
            group = heard[each.seen, each.meant]
            group[first] = group.get(first, Fraction(0)) + mass
            able += mass
    won = sum((best_window(masses, delta) for masses in heard.values()), Fraction(0))
    return Truth(won / able if able else Fraction(0), able, stopped)


def check_case(
    commits: int,
    delta: int,
    level: int,
    broken: Collection[int],
    patch: pytest.MonkeyPatch,
    **wanted: Any,
) -> Truth:
    """Compare the truth with what is promised."""
    effort = planned(commits, level=level, delta=delta, **wanted)
    assert effort.plan is not None
    truth = truth_of(delta, effort.plan, level, broken, patch)
    wrong = f"{commits} commits, delta {delta}, level {level}, {sorted(broken)} cannot be checked"
    if 1 - truth.able <= effort.room:
        assert truth.success * level <= 1, wrong
    success = effort.plan.adversary_success
    assert success is not None
    assert truth.success * truth.able <= success, wrong  # however many there are
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


def test_random_commits_that_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    for _ in range(8):
        commits, delta, level, broken = random_case(random, most=40)
        spare = random.choice([0, Fraction(1, 20), Fraction(1, 5)])
        check_case(commits, delta, level, broken, monkeypatch, spare=spare)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_commits_that_cannot_be_checked(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """25 problems a seed: 500 in all."""
    random = Random(seed)
    for _ in range(25):
        spare = random.choice([0, Fraction(1, 20), Fraction(1, 5)])
        check_case(*random_case(random), monkeypatch, spare=spare)


@pytest.mark.parametrize("seed", later(range(12), range(2, 12)))
def test_with_weights_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a belief that is not uniform the promise is about that belief."""
    random = Random(seed)
    for _ in range(3):
        commits = random.randint(20, 40)
        odds = [random.choice((1, 1, 1, 2)) for _ in range(commits)]
        broken = set(random.sample(range(1, commits), random.randint(1, 4)))
        check_case(commits, 2, random.randint(2, 3), broken, monkeypatch, weights=odds)


@pytest.mark.parametrize("seed", later(range(8), range(2, 8)))
def test_commits_that_are_known_from_the_beginning_cost_no_room(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no odds, so that the promise of the plan holds, whatever their share is."""
    random = Random(seed)
    commits = random.randint(30, 50)
    broken = set(random.sample(range(1, commits), commits // 4))
    odds = [0 if commit in broken else 1 for commit in range(1, commits + 1)]
    effort = planned(commits, level=3, delta=2, weights=odds, spare=0)
    plan = effort.plan
    assert plan is not None
    truth = truth_of(2, plan, 3, broken, monkeypatch)
    assert truth.able == 1
    assert truth.stopped == 0
    assert truth.success == plan.adversary_success  # exactly what was planned
    assert truth.success * 3 <= 1
    for first in range(1, commits + 1):
        found = run_once(plan, 3, first, broken, broken).outcome
        assert found.first <= first <= found.last
        assert set(range(found.first, found.last)) <= broken


GATES = {0.005: 58, 0.02: 57, 0.05: 55}


@pytest.mark.parametrize("share", later(GATES, [0.005, 0.02]))
@pytest.mark.parametrize(
    ("commits", "level", "delta"), later([(340, 8, 20), (200, 8, 5), (500, 4, 5)], [(500, 4, 5)])
)
def test_private_runs_end_with_the_right_commit(
    commits: int, level: int, delta: int, share: float
) -> None:
    """60 histories; of each, the observer's success is computed over all positions, exactly."""
    effort, right = planned(commits, level=level, delta=delta), 0
    assert effort.plan is not None
    for seed in range(60):
        random = Random(seed)
        broken = {commit for commit in range(1, commits) if random.random() < share}
        first = random.randint(1, commits)
        each = run_once(effort.plan, level, first, broken)
        if not each.is_stopped:
            found = each.outcome
            between = set(range(found.first, found.last))
            right += found.first <= first <= found.last and between <= broken
        able = [max(a for a in range(c + 1) if a not in broken) for c in range(commits + 1)]
        if Fraction(len(broken), commits) <= effort.room:
            assert moved_success(effort.plan, able, excluded=broken) * level <= 1
    assert right >= GATES[share]


def test_four_hundred_in_a_row_take_few_checks_where_nothing_is_hidden() -> None:
    effort, most = planned(1000, level=1), 0
    assert effort.plan is not None
    for start in (100, 300, 555):
        broken = set(range(start, start + 400))
        for first in [*range(7, 1000, 31), start - 1, start, start + 399, start + 400, start + 401]:
            course, checks = Bisection(Search(effort.plan)), 0
            while tests := course.open():
                for test in tests:
                    checks += 1
                    course.tell(test, verdict_of(test.commit, first, broken))
            found = course.outcome
            assert found.first <= first <= found.last
            assert set(range(found.first, found.last)) <= broken  # as narrow as can be
            most = max(most, checks - effort.checks)
    assert most <= 30


def test_four_hundred_in_a_row_take_few_checks_per_part() -> None:
    """Above level 1: at most 30 more for every part that is kept, runs that stop included."""
    effort = planned(1000, level=8, delta=5)
    plan = effort.plan
    assert plan is not None
    for start in (100, 300, 555):
        broken = set(range(start, start + 400))
        for first in range(7, 1000, 62):
            # Level 1 here so that no run stops, and all checks are counted.
            each = run_once(plan, 1, first, broken)
            checks = sum(len(step) for step in each.seen)
            assert checks - plan.queries <= 30 * 9
            assert each.outcome.first <= first <= each.outcome.last


def test_a_run_stops_when_it_has_met_more_than_there_is_room_for() -> None:
    """The share of what was met, by the odds, exceeds 1 − V·level; what has stopped stays so."""
    effort = planned(100, level=4, delta=5, spare=0)
    plan = effort.plan
    assert plan is not None
    success = plan.adversary_success
    assert success is not None
    for seed in range(20):
        random = Random(seed)
        broken, first = set(random.sample(range(1, 100), 12)), random.randint(1, 100)
        course = Bisection(Search(plan, seed=seed), level=4)
        while not course.done:
            course.shown()  # takes in what the checks of a step showed
            share = Fraction(len(course._known.passed), 100)
            assert course.remaining.first <= first <= course.remaining.last
            if share > 1 - 4 * success:
                for _ in range(2):
                    with pytest.raises(Exposed) as stopped:
                        course.open()
                    assert stopped.value.success == success / (1 - share)
                break
            for test in course.open():
                course.tell(test, verdict_of(test.commit, first, broken))


def test_the_order_of_verdicts_makes_no_difference() -> None:
    """Neither to what is checked next nor to whether a run stops."""
    plan = planned(100, level=4, delta=5, max_rounds=3).plan
    assert plan is not None
    for seed in range(12):
        random = Random(seed)
        broken = set(random.sample(range(1, 100), 12))
        first, ends = random.randint(1, 100), list[Any]()
        for shuffled in range(4):
            course, checks = Bisection(Search(plan, seed=1), level=3), list[list[int]]()
            try:
                while tests := course.open():
                    checks.append([test.commit for test in tests])
                    Random(shuffled).shuffle(tests)
                    for test in tests:
                        course.tell(test, verdict_of(test.commit, first, broken))
            except Exposed:
                checks.append([])
            ends.append(checks)
        assert ends[0] == ends[1] == ends[2] == ends[3]


def test_under_noise_other_commits_stand_in_too() -> None:
    effort = planned(60, level=3, delta=4, p="0.99", confidence="0.9")
    plan = effort.plan
    assert plan is not None
    assert effort.room >= Fraction(1, 20)
    for first, broken in ((23, {20, 21, 33}), (50, {49, 7})):
        each = run_once(plan, 3, first, broken)  # the verdicts happen to be right
        assert not each.is_stopped
        assert each.outcome == Outcome(1, 60)  # nothing is excluded by a verdict that may be wrong


def test_commits_that_are_known_beforehand_use_up_room_if_they_have_odds() -> None:
    effort = planned(60, level=4, delta=5)
    plan = effort.plan
    assert plan is not None
    assert plan.adversary_success is not None
    assert Bisection(Search(plan), level=4).audit() == Fraction(1, 4)
    with pytest.raises(Exposed, match="--skip") as stopped:
        Bisection(Search(plan), skipped=range(20, 40), level=4).audit()
    assert stopped.value.success == plan.adversary_success / Fraction(40, 60)
    with pytest.raises(Exposed, match="any probability"):
        Bisection(Search(plan), skipped=range(1, 61), level=4).audit()


@pytest.mark.parametrize("seed", later(range(30), range(6, 30)))
def test_the_success_with_moved_checks_is_exact(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For an observer who knows which commits are meant, also given the questions so far."""
    random = Random(seed)
    commits, delta, level, broken = random_case(random, most=50)
    plan = planned(commits, level=level, delta=delta, spare=0).plan
    assert plan is not None
    moved = [max(a for a in range(c + 1) if a not in broken) for c in range(commits + 1)]
    groups = defaultdict[tuple[int, ...], dict[int, Fraction]](dict)
    for first in range(1, commits + 1):
        for each, share in all_runs(plan, 1, first, broken, monkeypatch, broken):
            group = groups[each.meant]
            group[first] = group.get(first, Fraction(0)) + share

    def success(heard: tuple[int, ...], excluded: Collection[int]) -> Fraction:
        won = total = Fraction(0)
        for meant, masses in groups.items():
            if meant[: len(heard)] == heard:
                able = {first: mass for first, mass in masses.items() if first not in excluded}
                won += best_window(able, delta) if able else 0
                total += sum(able.values(), Fraction(0))
        return won / total

    assert moved_success(plan, moved) == success((), ())
    assert moved_success(plan, moved, excluded=broken) == success((), broken)
    end = 0
    for number in plan.strategy.rounds:
        end += len(number.coordinates)
        heard = random.choice([*groups])[:end]
        assert moved_success(plan, moved, asked=heard) == success(heard, ())
    with pytest.raises(InvalidValue, match="no first bad commit"):
        moved_success(plan, moved, asked=[-1])


@pytest.mark.parametrize("share", [0, Fraction(1, 20), Fraction(1, 4)])
def test_the_plan_leaves_the_room_that_is_asked_for(share: Fraction) -> None:
    for commits, level, delta in ((340, 8, 20), (60, 2, 3), (100, 5, 4)):
        effort = planned(commits, level=level, delta=delta, spare=share)
        assert effort.plan is not None
        assert effort.level == level
        assert effort.plan.adversary_success is not None
        assert effort.plan.adversary_success * level <= 1 - share
        assert effort.room == 1 - effort.plan.adversary_success * level
    with pytest.raises(InvalidValue, match="below 1"):
        planned(60, level=2, spare=1)
    tight = planned(16, level=8, delta=2).plan  # a blind guess wins with 1/8 already
    assert tight is not None
    assert tight.problem.level == 8


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
    truth = truth_of(1, plan, 3, broken, monkeypatch)
    assert truth.success * 3 <= 1
    assert truth.stopped == 0


BROKEN = {28, 62, 70}


def check_of(first: int) -> str:
    return f"case $(cat number) in 28|62|70) exit 125;; esac; test $(cat number) -lt {first}"


@pytest.mark.parametrize("first", later([9, 66, 71], [66]))
def test_a_run_that_is_resumed_after_every_verdict_goes_on_alike(
    first: int, tmp_path: Path
) -> None:
    folder = linear(tmp_path / "repository", 100)
    history = History.of(folder, good="start", bad="main")
    ends = []
    for is_resumed in (False, True):
        session = Session.begin(history, planned(100, level=2, delta=3))
        while tests := session.wanted():
            for test in tests[:1] if is_resumed else tests:
                session.tell(test, verdict_of(test.commit, first, BROKEN))
                if is_resumed:
                    del session  # its file is locked as long as it is there
                    session = Session.resume(folder)
        assert session.bisection.done
        ends.append((sorted(session.checked()), session.candidates()))
        session.clean()
    assert ends[0] == ends[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of a hundred commits, which commands are run in."""
    made = linear(tmp_path / "repository", 100)
    monkeypatch.chdir(made)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return made


def test_known_skips_are_taken_by_name_range_and_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history = History.of(folder, good="start", bad="main")
    listed = tmp_path / "skips"
    listed.write_text("main~2   # does not build\n\nmain~10..main~7\n# all\nstart\n")
    assert history.skipped([str(listed), "main~30"]) == [70, 91, 92, 93, 98]
    assert history.skipped(["main"]) == []  # the end is known to be bad
    for wrong in ("nobody", "nobody..main"):
        with pytest.raises(InvalidValue, match="git knows no such"):
            history.skipped([wrong])
    words = ["bisect", "--good", "start", "--level", "2", "--delta", "3", "--spare", "0"]
    words += ["--skip", "main~73..main~72", "--skip", "main~38", "--skip", "main~30"]
    assert run([*words, "--", "sh", "-c", check_of(29)]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[-1] for line in printed.splitlines()[1:]] == ["28", "29"]


def test_a_bisection_of_version_1_with_skips_is_refused(folder: Path) -> None:
    history = History.of(folder, good="start", bad="main")
    session = Session.begin(history, planned(100, level=2, delta=3))
    session.tell(session.open()[0], "skip")
    place = session.place
    del session
    text = (place / "session.json").read_text()
    text = text.replace('"version": 2', '"version": 1').replace('"goods": [', '"good": [')
    (place / "session.json").write_text(text)
    with pytest.raises(BadState, match="version 1 replaced differently"):
        Session.resume(folder)


def test_paths_of_skips_are_no_option_of_git(folder: Path) -> None:
    history = History.of(folder, good="start", bad="main")
    with pytest.raises(InvalidValue, match="git knows no such"):
        history.skipped(["--output=x..y"])
    assert git(folder, "status", "--porcelain") == ""
