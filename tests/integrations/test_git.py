"""Private bisection: git's own is the reference, and a brute force of its own for what it tells."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.examples import later
from tests.support.repositories import ENVIRONMENT, git, linear, merged, renamed

from feint import InvalidValue
from feint.cli.app import run
from feint.errors import BadState
from feint.integrations.git import (
    Bisection,
    Exposed,
    History,
    Missing,
    Outcome,
    Session,
    Stopped,
    Verdict,
    planned,
    verdict_of,
)
from feint.search import Search

FEINT = [sys.executable, "-m", "feint", "bisect"]


def broken_from(first: int) -> Callable[[int], Verdict]:
    """A check that is always right."""
    return lambda commit: "good" if commit < first else "bad"


def bisected(
    commits: int,
    check: Callable[[int], Verdict],
    *,
    repeats: int = 1,
    plan: Any,
    skipped: Collection[int] = (),
    seed: int | None = None,
    level: int | None = None,
) -> tuple[Outcome, list[int]]:
    """A bisection in process, and the commits that were checked."""
    bisection = Bisection(Search(plan, seed=seed), skipped=skipped, level=level)
    checked = list[int]()
    while not bisection.done:
        for test in bisection.open():
            verdicts = {check(test.commit) for _ in range(repeats)}
            checked.append(test.commit)
            verdict: Verdict = "bad" if "bad" in verdicts else "good"
            bisection.tell(test, "skip" if "skip" in verdicts else verdict)
    return bisection.outcome, checked


def test_every_commit_of_two_hundred_can_be_the_first_bad_one() -> None:
    effort = planned(200, level=8, delta=5)
    counts = set()
    for first in range(1, 201):
        found, checked = bisected(200, broken_from(first), plan=effort.plan)
        assert found == Outcome(first, first)
        assert all(0 < commit < 200 for commit in checked)
        counts.add(len(checked))
    assert max(counts) == effort.checks


@pytest.mark.parametrize("seed", range(8))
def test_with_commits_that_cannot_be_checked_the_candidates_are_gits(seed: int) -> None:
    """Git ends with the commits between the last good and the first bad that it could check."""
    random = Random(seed)
    effort = planned(40, level=1)
    for _ in range(40):
        first = random.randint(1, 40)
        broken = {commit for commit in range(1, 40) if random.random() < 0.3}

        def check(commit: int, first: int = first, broken: set[int] = broken) -> Verdict:
            return "skip" if commit in broken else "good" if commit < first else "bad"

        found, _ = bisected(40, check, plan=effort.plan)
        good = max(commit for commit in range(first) if commit not in broken)
        bad = min(commit for commit in range(first, 41) if commit not in broken)
        assert found == Outcome(good + 1, bad)


def seen_success(commits: int, delta: int, plan: Any, broken: Collection[int]) -> Fraction:
    """What an observer wins with who sees which commits are checked, by trying everything.

    The plan has no coins here, so that every first bad commit leads to one list of checks.
    """
    candidates = defaultdict[tuple[int, ...], list[int]](list)
    able = [first for first in range(1, commits + 1) if first not in broken]
    for first in able:  # the promise is about the commits that can be the answer
        bisection, seen = Bisection(Search(plan, seed=1), skipped=broken, level=1), list[int]()
        while not bisection.done:
            for test in bisection.open():
                seen.append(test.commit)
                bisection.tell(test, "good" if test.commit < first else "bad")
        candidates[tuple(seen)].append(first)
    won = 0
    for possible in candidates.values():
        won += max(
            sum(start <= first < start + delta for first in possible)
            for start in range(1, commits + 1)
        )
    return Fraction(won, len(able))


@pytest.mark.parametrize("seed", later(range(10), {0, *range(4, 10)}))
def test_the_success_with_broken_commits_is_never_understated(seed: int) -> None:
    random = Random(seed)
    delta, level = random.choice([(2, 3), (3, 4), (4, 2), (1, 5)])
    commits = random.randint(30, 60)
    effort = planned(commits, level=level, delta=delta)
    plan = effort.plan
    assert plan is not None
    coinless = _coinless(plan, commits)
    for share in (0, 0.05, 0.2):
        broken = {commit for commit in range(1, commits) if random.random() < share}
        bisection = Bisection(Search(plan), skipped=broken, level=level)
        try:
            stated = bisection.audit()
        except Exposed as exposed:
            stated = exposed.success
            assert stated is not None
            assert stated * level > 1
        else:
            assert stated is not None
            assert stated * level <= 1
        assert stated is not None
        if coinless:
            assert seen_success(commits, delta, plan, broken) <= stated


def _coinless(plan: Any, commits: int) -> bool:
    """Whether two keys give the same checks everywhere."""
    for first in range(1, commits + 1):
        lists = []
        for seed in range(12):
            bisection, seen = Bisection(Search(plan, seed=seed)), list[int]()
            while not bisection.done:
                for test in bisection.open():
                    seen.append(test.commit)
                    bisection.tell(test, "good" if test.commit < first else "bad")
            lists.append(seen)
        if any(each != lists[0] for each in lists):
            return False
    return True


def test_it_stops_before_a_substitute_would_tell_too_much() -> None:
    effort = planned(60, level=4, delta=5)
    broken = set(range(20, 40))

    def check(commit: int) -> Verdict:
        return "skip" if commit in broken else "good" if commit < 30 else "bad"

    with pytest.raises(Exposed, match="1/4 was promised") as stopped:
        bisected(60, check, plan=effort.plan, level=4)
    assert stopped.value.success is not None
    assert stopped.value.success > Fraction(1, 4)


def weighted_success(commits: int, delta: int, plan: Any, odds: list[int]) -> Fraction:
    """What an observer wins with whose belief is weighted, by trying every key there may be.

    A coin is seen by what it leads to; over many keys every one of its sides comes up, and sides
    are equally likely.
    """
    won = Fraction(0)
    seeds = range(24)
    for seed in seeds:
        heard = defaultdict[tuple[int, ...], list[int]](list)
        for first in range(1, commits + 1):
            _, checked = bisected(commits, broken_from(first), plan=plan, seed=seed)
            heard[tuple(checked)].append(first)
        for possible in heard.values():
            won += Fraction(
                max(
                    sum(odds[first - 1] for first in possible if start <= first < start + delta)
                    for start in range(1, commits + 1)
                ),
                sum(odds),
            )
    return won / len(seeds)


def test_with_weights_the_promise_is_about_them() -> None:
    """An observer with the same belief; where the plan has no coins, exactly what is stated."""
    odds = [1 + (place % 7 == 0) * 5 for place in range(60)]
    effort = planned(60, level=4, delta=3, weights=odds)
    plan = effort.plan
    assert plan is not None
    assert plan.private
    assert plan.adversary_success is not None
    assert plan.adversary_success <= Fraction(1, 4)
    if _coinless(plan, 60):
        assert weighted_success(60, 3, plan, odds) == plan.adversary_success
    for first in range(1, 61):
        found, _ = bisected(60, broken_from(first), plan=plan)
        assert found == Outcome(first, first)


def test_weights_of_commits(tmp_path: Path) -> None:
    folder = linear(tmp_path / "repository", 12)
    (folder / "number").write_text("x\n" * 1000)
    (folder / "parser").write_text("new")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "rewrite the Parser")
    history = History.of(folder, good="start", bad="main")
    assert history.weights("equal") is None
    lines = history.weights("lines")
    assert lines is not None
    assert lines[-1] > max(lines[:-1])
    assert history.weights("paths:parser") == [1] * 12 + [10]
    assert history.weights("words:parser|nothing") == [1] * 12 + [10]
    listed = tmp_path / "odds"
    listed.write_text("main~2 7\n\nmain 3\n")
    assert history.weights(str(listed)) == [1] * 10 + [7, 1, 3]
    for wrong in ("main many", "main", "nobody 3"):
        listed.write_text(wrong)
        with pytest.raises(InvalidValue):
            history.weights(str(listed))
    with pytest.raises(InvalidValue, match="paths:PATTERN"):
        history.weights("by size")


def test_exit_codes_are_read_as_git_bisect_run_reads_them() -> None:
    for code in range(256):
        if code == 0:
            assert verdict_of(code, "c") == "good"
        elif code == 125:
            assert verdict_of(code, "c") == "skip"
        elif code == 127:  # git would call every commit that lacks the check bad
            with pytest.raises(Missing):
                verdict_of(code, "c")
        elif code < 128:
            assert verdict_of(code, "c") == "bad"
        else:
            with pytest.raises(Stopped):
                verdict_of(code, "c")
    with pytest.raises(Stopped):
        verdict_of(-9, "c")


def flaky(first: int, wrong: float, fails: float, random: Random) -> Callable[[int], Verdict]:
    """A check that errs on both sides, or fails on bad commits alone, now and then."""

    def check(commit: int) -> Verdict:
        if commit >= first:
            return "bad" if random.random() < fails * (1 - wrong) else "good"
        return "bad" if random.random() < wrong else "good"

    return check


def misses(searches: int, *, commits: int = 200, confidence: str = "0.9", **wanted: Any) -> int:
    """How many of some bisections with a flaky check name another commit."""
    effort, random, wrong = planned(commits, confidence=confidence, **wanted), Random(3), 0
    noise = 1 - wanted.get("p", 1)
    fails = wanted.get("fails_at_least", 1)
    for seed in range(searches):
        first = random.randint(1, commits)
        check = flaky(first, noise, fails, random)
        found, _ = bisected(commits, check, plan=effort.plan, repeats=effort.repeats, seed=seed)
        wrong += found != Outcome(first, first)
    return wrong


FLAKY: list[dict[str, Any]] = [
    {"level": 1, "p": 0.9},
    {"level": 1, "fails_at_least": 0.3},
    {"level": 8, "delta": 5, "fails_at_least": 0.3},
]


@pytest.mark.parametrize("wanted", FLAKY)
def test_flaky_checks_keep_the_confidence(wanted: dict[str, Any]) -> None:
    """Of 60 of which one in ten may miss, 15 or more do with a chance of 0.0007."""
    assert misses(60, **wanted) < 15


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [*FLAKY, {"level": 8, "delta": 5, "p": 0.9}])
def test_a_thousand_bisections_with_flaky_checks(wanted: dict[str, Any]) -> None:
    assert misses(1000, **wanted) <= 100


ONE_SIDED: list[dict[str, Any]] = [
    {"commits": 60, "level": 3, "delta": 2, "fails_at_least": 0.1, "confidence": "0.9"},
    {"commits": 200, "level": 8, "delta": 10, "fails_at_least": 0.3, "confidence": "0.95"},
]


def test_one_sided_misses_are_as_rare_as_is_said() -> None:
    """3 rounds of 33 checks: wrong with probability at most 3·0.9^33 = 0.0927.

    Were the search told every verdict, younger bad commits that are missed too would lead it
    astray, in about 0.14 of all.
    """
    assert misses(300, **ONE_SIDED[0]) <= 0.0927 * 300


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ONE_SIDED)
def test_a_thousand_bisections_with_one_sided_misses(wanted: dict[str, Any]) -> None:
    assert misses(1500, **wanted) <= (1 - float(wanted["confidence"])) * 1500


def test_a_bug_that_comes_goes_and_comes_again_is_named_where_it_comes() -> None:
    """As with git: the commit that is named was seen bad, and the one before it good."""
    random, plan = Random(5), planned(40, level=4, delta=3).plan
    for seed in range(60):
        comes = random.randint(1, 25)
        goes = comes + random.randint(1, 5)
        again = goes + random.randint(1, 8)
        bad = {*range(comes, goes), *range(again, 41)}
        seen: dict[int, Verdict] = {0: "good", 40: "bad"}

        def check(commit: int, bad: set[int] = bad, seen: dict[int, Verdict] = seen) -> Verdict:
            seen[commit] = "bad" if commit in bad else "good"
            return seen[commit]

        found, _ = bisected(40, check, plan=plan, seed=seed)
        assert found.first == found.last
        assert (seen[found.first - 1], seen[found.first]) == ("good", "bad")


def test_with_noise_too_what_cannot_be_checked_is_not_told_apart() -> None:
    def check(commit: int) -> Verdict:
        return "skip" if 11 <= commit <= 14 else "good" if commit < 13 else "bad"

    found, _ = bisected(20, check, plan=planned(20, level=1, p=0.9).plan)
    assert found == Outcome(11, 15)


def test_flaky_arguments_that_do_not_fit() -> None:
    with pytest.raises(InvalidValue, match="fails_at_least"):
        planned(20, level=1, p=0.9, fails_at_least=0.3)
    with pytest.raises(InvalidValue, match="confidence"):
        planned(20, level=1, confidence=0.9)
    with pytest.raises(InvalidValue, match="between 0 and 1"):
        planned(20, level=1, fails_at_least=1.5)


def by_git(folder: Path, check: Path) -> list[str]:
    """The candidates that git's own bisect ends with; it leaves the checkout elsewhere."""
    copy = folder.parent / f"{folder.name}-git"
    git(folder.parent, "clone", "-q", str(folder), str(copy))
    git(copy, "bisect", "start", "--first-parent", "main", "start")
    run = subprocess.run(
        ["git", "bisect", "run", str(check)],
        cwd=copy,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "is the first bad commit" in run.stdout:
        return [run.stdout.split("is the first bad commit")[0].split()[-1]]
    said = run.stdout + run.stderr
    listed = said.split("could be any of:")[1].split()
    return [word for word in listed if len(word) == 40]


def check_file(folder: Path, text: str) -> Path:
    path = folder / "check.sh"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def state_of(folder: Path) -> tuple[str, ...]:
    """All that a bisection must leave as it is."""
    return (
        git(folder, "rev-parse", "HEAD"),
        git(folder, "symbolic-ref", "HEAD"),
        git(folder, "status", "--porcelain"),
        git(folder, "for-each-ref"),
        git(folder, "stash", "list"),
        git(folder, "worktree", "list"),
    )


def feint(folder: Path, *words: str, code: int = 0) -> str:
    run = subprocess.run(
        [*FEINT, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert run.returncode == code, run.stderr
    return run.stdout


REPOSITORIES: dict[str, tuple[Callable[[Path, int], Path], int, str]] = {
    "in a row": (linear, 30, "test $(cat number) -lt 17"),
    "merges": (merged, 14, "test $(cat number) -lt 9"),
    "renames": (renamed, 30, "test $(cat number*) -lt 21"),
    "untestable": (
        linear,
        30,
        "n=$(cat number); case $n in 12|13|16|17) exit 125;; esac; test $n -lt 17",
    ),
}


@pytest.mark.parametrize("name", later(REPOSITORIES, {"in a row", "merges", "renames"}))
def test_through_worktrees_it_names_what_git_bisect_run_names(name: str, tmp_path: Path) -> None:
    make, size, text = REPOSITORIES[name]
    folder, check = make(tmp_path / "repository", size), check_file(tmp_path, text)
    (folder / "untracked").write_text("mine")
    before = state_of(folder)
    words = ["--good", "start", "--level", "2", "--delta", "2", "-j", "2", "--json"]
    if name == "untestable":
        words[3:6] = ["1"]  # what cannot be checked may tell too much at any other level
    found = json.loads(feint(folder, *words, "--", str(check)))
    assert sorted(found["first_bad"]) == sorted(by_git(folder, check))
    assert state_of(folder) == before
    assert not (folder / ".git" / "feint-bisect").exists()


def test_after_a_kill_it_goes_on_and_checks_nothing_twice(tmp_path: Path) -> None:
    folder = linear(tmp_path / "repository", 40)
    record, there = tmp_path / "checked", tmp_path / "there"
    check = check_file(
        tmp_path, f"echo $FEINT_COMMIT >> {record}\nn=$(cat number)\ntest $n -lt 23\n"
    )
    slow = check_file(
        tmp_path / "repository" / ".git",
        f"""
echo $FEINT_COMMIT >> {record}
if test $(wc -l < {record}) -ge 5; then
    echo $$ > {there}.new; mv {there}.new {there}; exec sleep 600
fi
test $(cat number) -lt 23
""",
    )
    words = ["--good", "start", "--level", "3", "--delta", "3", "--", str(slow)]
    process = subprocess.Popen([*FEINT, *words], cwd=folder, env=ENVIRONMENT)
    while not there.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.kill(int(there.read_text()), signal.SIGKILL)  # it outlives who started it
    before = record.read_text().split()
    assert len(git(folder, "worktree", "list").splitlines()) == 2
    found = json.loads(feint(folder, "--resume", "--json", "--", str(check)))
    assert git(folder, "log", "-1", "--format=%s", found["first_bad"][0]).strip() == "commit 23"
    after = record.read_text().split()[len(before) :]
    assert before[-1] in after  # it had no verdict yet
    assert not set(before[:-1]) & set(after)
    assert len(git(folder, "worktree", "list").splitlines()) == 1


def test_an_interrupt_cleans_up_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = linear(tmp_path / "repository", 20)
    check = check_file(tmp_path, f"touch {tmp_path}/there; exec sleep 600")
    words = ["--good", "start", "--level", "2", "--delta", "2", "--", str(check)]
    process = subprocess.Popen(
        [*FEINT, *words], cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "there").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "feint bisect --resume" in said
    assert len(git(folder, "worktree", "list").splitlines()) == 1


def test_what_it_prints_before_and_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(linear(tmp_path / "repository", 20))

    def printed(*words: str) -> str:
        assert run(["bisect", *words]) == 0
        return capsys.readouterr().out

    def refused(*words: str) -> str:
        assert run(["bisect", *words]) == 2
        return capsys.readouterr().err

    words = ["--good", "start", "--level", "2", "--delta", "2", "--trust-ends"]
    listed = printed(*words, "--list", "plain").split()
    assert all(len(name) == 40 for name in listed)
    assert json.loads(printed("--resume", "--list", "json")) == listed
    matrix = printed("--list", "github", "--check-in-clear").removeprefix("matrix=")
    assert json.loads(matrix) == {"include": [{"commit": name, "check": 1} for name in listed]}
    jobs = json.loads(printed("--list", "gitlab", "--check-in-clear"))
    extended = {name for name, job in jobs.items() if "extends" in job}
    assert extended == {f"check-{name[:12]}-1" for name in listed}
    assert json.loads(printed("status", "--json"))["answered"] == 0
    assert "0 of" in printed("status")
    assert printed("log") == ""
    assert "already" in refused(*words, "--", "true")
    assert "pick one" in refused("--list", "xml")
    assert printed("--clean") == "Removed.\n"
    assert printed("--clean") == "There was nothing to remove.\n"
    assert "there is no bisection" in refused("--resume")
    assert "--good v9: git knows no such commit" in refused("--good", "v9", "--level", "2")
    assert "descend" in refused("--good", "main", "--bad", "start", "--level", "2")
    assert "after --" in refused("--good", "start", "--level", "1")


def test_a_check_that_asks_to_stop(tmp_path: Path) -> None:
    folder = linear(tmp_path / "repository", 20)
    check = check_file(tmp_path, "exit 200")
    feint(folder, "--good", "start", "--level", "1", "--", str(check), code=3)
    assert len(git(folder, "worktree", "list").splitlines()) == 1
    good = check_file(tmp_path, "test $(cat number) -lt 5")
    assert "commit 5" in feint(folder, "--resume", "--", str(good))


def test_the_files_kept_are_the_owners_and_have_one_size(tmp_path: Path) -> None:
    sizes = set()
    for first in (3, 11):
        folder = linear(tmp_path / str(first), 20)
        history = History.of(folder, good="start", bad="main")
        effort = planned(len(history), level=2, delta=2)
        session = Session.begin(history, effort)
        tests = session.open()
        for test in tests:
            session.tell(test, "good" if test.commit < first else "bad")
        for path in session.place.iterdir():
            assert path.stat().st_mode & 0o077 == 0
        sizes.add(tuple(sorted(path.stat().st_size for path in session.place.iterdir())))
    assert len(sizes) == 1


def test_one_commit_alone_is_the_answer(tmp_path: Path) -> None:
    folder = linear(tmp_path / "repository", 1)
    assert "commit 1" in feint(folder, "--good", "start", "--level", "4", "--", "true")
    with pytest.raises(BadState):
        Session.begin(
            History.of(folder, good="start", bad="main"), planned(1, level=2, delta=1), ["true"]
        )


def test_the_projects_own_history() -> None:
    """Every commit of it as the first bad one, in process; from a shallow clone, what there is."""
    root = Path(__file__).parents[2]
    listed = subprocess.run(
        ["git", "rev-list", "--first-parent", "--reverse", "HEAD"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    size = max(2, min(len(listed) - 1, 300))
    plan = planned(size, level=2, delta=1).plan
    for first in range(1, size + 1):
        found, _ = bisected(size, broken_from(first), plan=plan)
        assert found == Outcome(first, first)
