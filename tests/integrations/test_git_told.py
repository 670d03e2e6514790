"""Checks that crash, and rounds that are listed for a CI and told: there is a way on."""

import json
import math
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.repositories import ENVIRONMENT, git, linear, merged

from feint.cli import git_bisect
from feint.cli.app import run
from feint.errors import InvalidValue
from feint.integrations.git import (
    Bisection,
    Checker,
    CheckResult,
    History,
    Missing,
    Outcome,
    Session,
    Stopped,
    new_key,
    planned,
    public_key,
    seal_result,
    verdict_of,
)
from feint.search import Search

Say = Callable[..., tuple[int, str, str]]

BEGIN = ["--good", "start", "--level", "4", "--delta", "5", "--trust-ends", "--spare", "0"]
CRASHES = "n=$(cat number); test $n -lt 23 || kill -SEGV $$"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of sixty commits, which commands are run in."""
    made = linear(tmp_path / "repository", 60)
    monkeypatch.chdir(made)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Run `feint bisect`: the exit code, what it printed, what it complained of."""

    def said(*words: str) -> tuple[int, str, str]:
        code = run(["bisect", *words])
        printed = capsys.readouterr()
        return code, printed.out, " ".join(printed.err.split())

    return said


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """The file of a private key."""
    new_key(tmp_path / "key")
    return tmp_path / "key"


def sealed(key: Path, commits: list[str], codes: list[int]) -> list[str]:
    """Files with the verdicts of a round, as words of the command."""
    words = []
    for number, (commit, code) in enumerate(zip(commits, codes, strict=True)):
        file = key.parent / f"{commit}-{number}.sealed"
        file.write_bytes(seal_result(CheckResult(commit, code, ""), public_key(key)))
        words += ["--tell", str(file)]
    return [*words, "--key", str(key)]


def test_what_a_crash_says() -> None:
    for code in (-11, -9, 128, 139, 255):
        assert verdict_of(code, "c", crash="bad") == "bad"
        assert verdict_of(code, "c", crash="skip") == "skip"
        with pytest.raises(Stopped):
            verdict_of(code, "c", crash="stop")
    for code, verdict in ((0, "good"), (125, "skip"), (1, "bad"), (126, "bad")):
        assert verdict_of(code, "c", crash="skip") == verdict
    for crash in ("bad", "skip", "stop"):  # 127: the command was not found, which says nothing
        with pytest.raises(Missing, match="--check FILE"):
            verdict_of(127, "c", crash=crash)


def test_a_check_that_we_end_is_no_crash(tmp_path: Path) -> None:
    checker = Checker(["sh", "-c", "kill -TERM $$"], crash="bad")
    assert checker.run(tmp_path, "c") == "bad"
    checker.end()
    with pytest.raises(Stopped):
        checker.run(tmp_path, "c")


def test_a_crash_stops_a_local_run_until_the_owner_says_what_it_is(folder: Path, say: Say) -> None:
    code, _, said = say(*BEGIN, "--", "sh", "-c", CRASHES)
    assert code == 3
    assert "asked to stop" in said
    assert "--resume (with --crash-is bad or skip" in said
    code, _, said = say("--resume", "--crash-is", "worse")
    assert code == 2
    assert "--crash-is worse: must be one of bad, skip, stop; pick one" in said
    code, printed, _ = say("--resume", "--crash-is", "bad")
    assert code == 0
    assert "commit 23" in printed


def test_what_a_crash_is_from_the_beginning_is_kept(folder: Path, say: Say) -> None:
    assert say(*BEGIN, "--crash-is", "bad", "--list", "plain")[0] == 0
    code, printed, _ = say("--resume", "--", "sh", "-c", CRASHES)
    assert code == 0
    assert "commit 23" in printed


def test_a_sealed_crash_can_be_told(folder: Path, key: Path, say: Say) -> None:
    commits = say(*BEGIN, "--max-rounds", "2", "--list", "plain")[1].split()
    assert len(commits) > 1
    words = sealed(key, commits, [-11, *[0] * (len(commits) - 1)])
    code, _, said = say(*words)
    assert code == 3
    again = f"--tell {words[1]} --key {key}"
    assert f"feint bisect {again} --crash-is bad" in said
    assert "--resume" not in said
    assert say("--list", "plain")[1].split() == commits[:1]  # the others are kept
    code, printed, _ = say(*shlex.split(again), "--crash-is", "bad")
    assert code == 0
    assert "the round is complete" in printed
    assert "bad " in say("log")[1]


@pytest.mark.parametrize("flaky", [[], ["--fails-at-least", "0.3"]])
def test_what_is_still_open_is_counted_in_jobs(
    folder: Path, key: Path, say: Say, flaky: list[str]
) -> None:
    jobs = say(*BEGIN, *flaky, "--max-rounds", "2", "--list", "plain")[1].split()
    told = sealed(key, jobs, [0] * len(jobs))
    first, rest = [*told[:2], *told[-2:]], told[2:]
    code, printed, _ = say(*first)
    left = "1 check" if len(jobs) == 2 else f"{len(jobs) - 1} checks"
    assert (code, printed) == (0, f"Read; {left} of this round still open.\n")
    assert say("--list", "plain")[1].split() == jobs[1:]
    code, printed, _ = say(*rest)
    after = say("--list", "plain")[1].split()
    assert code == 0
    assert printed.startswith(f"Read; the round is complete, and the next has {len(after)} checks")


def test_all_verdicts_of_a_round_can_be_told_at_once(folder: Path, key: Path, say: Say) -> None:
    """At level 1 the first failure decides, and the other checks of the commit are not needed."""
    begin = ["--good", "start", "--fails-at-least", "0.5"]
    jobs = say(*begin, "--list", "plain")[1].split()
    for _ in range(8):
        last = git(folder, "rev-parse", "main").strip()
        codes = [int(job == last) for job in jobs]
        code, printed, said = say(*sealed(key, jobs, codes))
        assert code == 0, said
        if "first bad commit" in printed:
            break
        jobs = say("--list", "plain")[1].split()
    assert printed.startswith("The first bad commit is")
    assert "commit 60" in printed


def test_more_jobs_than_a_matrix_takes_are_in_several(folder: Path, say: Say) -> None:
    begin = ["--good", "start", "--level", "8", "--fails-at-least", "0.1"]
    begin += ["--max-rounds", "1"]
    code, printed, said = say(*begin, "--list", "github", "--check-in-clear")
    assert code == 0
    jobs = json.loads(say("--list", "json")[1])
    assert len(jobs) > 256
    lines = dict(line.split("=", 1) for line in printed.splitlines())
    assert [*lines] == ["matrix", *(f"matrix_{n}" for n in range(2, len(lines) + 1))]
    parts = [json.loads(line)["include"] for line in lines.values()]
    assert all(len(part) <= 256 for part in parts)
    assert [each["commit"] for part in parts for each in part] == jobs
    marks = [(each["commit"], each["check"]) for part in parts for each in part]
    assert len(set(marks)) == len(marks)
    assert f"{len(jobs)} jobs, and GitHub takes 256 in a matrix" in said
    assert "start the workflow once with each" in said


def test_what_level_one_would_not_look_at_is_refused(folder: Path, say: Say) -> None:
    wrong = [
        (["--max-rounds", "2"], "--max-rounds 2: level 1 is bisection, which takes 6 rounds here"),
        (
            ["--weights", "lines", "--p", "0.9"],
            "--weights odds of 60 commits: if verdicts may be wrong",
        ),
        (["--delta", "3"], "--delta 3: is what an observer may name, and level 1 hides nothing"),
        (["--delta", "0"], "--delta 0: must be a whole number of at least 1; the nearest"),
    ]
    for words, why in wrong:
        code, _, said = say("--good", "start", "--level", "1", *words, "--", "true")
        assert code == 2
        assert why in said
    code, _, said = say(*BEGIN, "--delta", "0", "--", "true")
    assert code == 2
    assert "--delta 0: must be a whole number of at least 1; the nearest that works is 1" in said
    words = ["--good", "start", "--level", "1", "--max-rounds", "6"]
    assert say(*words, "--", "sh", "-c", "test $(cat number) -lt 23")[0] == 0


def test_what_cannot_be_read_is_not_said_to_be_written(
    folder: Path, key: Path, say: Say, tmp_path: Path
) -> None:
    code, _, said = say(*BEGIN, "--weights", ".", "--", "true")
    assert code == 2
    assert "--weights .: cannot be read (Is a directory)" in said
    (job, *_) = say(*BEGIN, "--list", "plain")[1].split()
    told = sealed(key, [job], [0])[1]
    for words, why in (
        (["--tell", "/nowhere", "--key", str(key)], "--tell /nowhere: cannot be read (No such"),
        (["--tell", ".", "--key", str(key)], "--tell .: cannot be read (Is a directory)"),
        (["--tell", told, "--key", "/nowhere"], "--key /nowhere: there is no such file"),
        (["--tell", told, "--key", str(tmp_path)], f"--key {tmp_path}: "),
    ):
        code, _, said = say(*words)
        assert code == 2
        assert why in said
    assert say("--tell", told, "--key", str(key))[0] == 0


def test_h_prints_the_help_of_a_command_of_git(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["git-feint-bisect", "-h"])
    with pytest.raises(SystemExit) as left:
        git_bisect()
    assert not left.value.code
    assert "Find the first bad commit" in capsys.readouterr().out


def test_a_search_that_ends_without_further_checks_gives_the_result(
    tmp_path: Path, key: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In place of commit 1 the good end stands, whose verdict is known."""
    monkeypatch.chdir(linear(tmp_path / "short", 2))
    words = ["--good", "start", "--level", "1", "--trust-ends", "--list", "plain"]
    (job,) = say(*words)[1].split()
    code, printed, _ = say(*sealed(key, [job], [125]))
    assert code == 0
    assert "The first bad commit is one of these" in printed
    assert "commit 1" in printed


def test_listing_a_bisection_that_is_done_says_how_to_see_the_result(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill between the last verdict and the result."""
    repository = linear(tmp_path / "short", 2)
    monkeypatch.chdir(repository)
    history = History.of(repository, good="start", bad="main")
    session = Session.begin(history, planned(2, level=1))
    session.tell(session.open()[0], "bad")
    del session  # its file is locked as long as it is there
    code, printed, said = say("--list", "plain")
    assert (code, printed) == (0, "")
    assert "no check is left; print the result with feint bisect --resume" in said
    assert "commit 1" in say("--resume")[1]


def test_several_good_commits(tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidates are those that git lists, whichever good commit comes first."""
    repository = merged(tmp_path / "merges", 6)
    monkeypatch.chdir(repository)
    goods = ["main~2^2~1", "main~4", "start"]
    span = [f"^{name}" for name in goods]
    listed = git(repository, "rev-list", "--first-parent", "--reverse", "main", *span).split()
    for order in (goods, goods[::-1]):
        assert [*History.of(repository, good=order, bad="main").commits] == listed
    words = [word for name in goods for word in ("--good", name)]
    code, printed, said = say(*words, "--level", "1", "--", "sh", "-c", "test $(cat number) -lt 6")
    assert code == 0
    assert (len(listed), said.split()[0]) == (3, "3")
    assert git(repository, "log", "-1", "--format=%s", printed.split()[-1]).strip() == "merge 6"
    with pytest.raises(InvalidValue, match="descend from the good commit"):
        History.of(repository, good=["start", "main"], bad="main~1")
    with pytest.raises(InvalidValue, match="must name a commit"):
        History.of(repository, good=[], bad="main")


def test_at_level_one_the_odds_are_halved() -> None:
    """Likely commits take fewer questions: on average at most one above the entropy."""
    odds = [40] * 4 + [1] * 40
    effort = planned(44, level=1, weights=odds)
    plan = effort.plan
    assert plan is not None
    assert not plan.private
    total, entropy = sum(odds), 0.0
    asked = 0.0
    for first, weight in enumerate(odds, 1):
        course = Bisection(Search(plan))
        while not course.done:
            for test in course.open():
                course.tell(test, "good" if test.commit < first else "bad")
        assert course.outcome == Outcome(first, first)
        asked += course.search.answered * weight / total
        entropy -= weight / total * math.log2(weight / total)
    assert entropy <= asked < entropy + 1
    assert asked < 5  # plain bisection takes 5 or 6
    unlikely = planned(44, level=1, weights=[0] * 43 + [1]).plan
    assert unlikely is not None
    assert unlikely.rounds <= 8  # what is excluded is halved too
    with pytest.raises(InvalidValue, match="must be 44 odds of at least 0"):
        planned(44, level=1, weights=[1] * 43 + [-1])


def test_a_session_of_before_goes_on(folder: Path, say: Say) -> None:
    """Version 1 kept one good commit."""
    assert say(*BEGIN, "--list", "plain")[0] == 0
    path = folder / ".git" / "feint-bisect" / "session.json"
    held = json.loads(path.read_text())
    (held["good"],) = held.pop("goods")
    path.write_text(json.dumps(held | {"version": 1}))
    code, printed, _ = say("--resume", "--", "sh", "-c", "test $(cat number) -lt 23")
    assert code == 0
    assert "commit 23" in printed


@pytest.mark.parametrize(
    ("commits", "level", "width"), [(340, 8, 20), (60, 4, 7), (10, 2, 2), (100_000, 8, 20)]
)
def test_without_delta_the_observer_may_name_several_commits(
    commits: int, level: int, width: int
) -> None:
    """20, or as many as a blind guess hits with 1/(2L): commits // (2 level)."""
    plan = planned(commits, level=level).plan
    assert plan is not None
    assert plan.problem.delta * commits == width == max(1, min(20, commits // (2 * level)))
    assert plan.adversary_success is not None
    assert plan.adversary_success * level <= 1


def test_without_delta_the_odds_count_too() -> None:
    odds = [1] * 20 + [5] * 4 + [1] * 20
    plan = planned(44, level=3, weights=odds).plan
    assert plan is not None
    width = int(plan.problem.delta * 44)
    best = [max(sum(odds[k : k + each]) for k in range(44)) for each in (width, width + 1)]
    assert best[0] * 6 <= sum(odds) < best[1] * 6


def test_how_many_commits_may_be_named_is_said(folder: Path, say: Say) -> None:
    sentence = "An observer who sees which commits are checked and may name "
    said = say("--good", "start", "--level", "4", "--list", "plain")[2]
    assert f"{sentence}7 neighbouring commits hits it with probability at most 1 in 4." in said
    assert say("--clean")[0] == 0
    said = say("--good", "start", "--level", "4", "--delta", "1", "--list", "plain")[2]
    assert f"{sentence}one commit names it with probability at most" in said


@pytest.mark.parametrize("commits", [2, 3, 4, 8, 9])
def test_at_level_one_nothing_is_promised_of_short_histories_either(commits: int) -> None:
    """Whoever sees a bisection of a few commits may win with 1/2 at most, by chance."""
    plan = planned(commits, level=1).plan
    assert plan is not None
    assert not plan.private
