"""git bisect's own scenarios: what git finds, beside what feint finds with the same words."""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.examples import later
from tests.support.repositories import ENVIRONMENT, git, linear, merged

from feint.cli.app import run

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run `feint bisect`: the exit code, what it printed, what it complained of."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    def said(*words: str) -> tuple[int, str, str]:
        code = run(["bisect", *words])
        printed = capsys.readouterr()
        return code, printed.out, " ".join(printed.err.split())

    return said


def touched(folder: Path, commits: int) -> Path:
    """A history in a row, in which every fourth commit also touches the file `part`."""
    linear(folder, 1)
    for number in range(2, commits + 1):
        (folder / "number").write_text(str(number))
        if number % 4 == 0:
            (folder / "part").write_text(str(number))
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"commit {number}")
    return folder


@dataclass(frozen=True)
class Scenario:
    """One way to use git bisect.

    Attributes:
        make: The repository.
        size: The number of its commits, or merges.
        first: The first bad commit, by the number that it holds.
        start: The words after `git bisect start`.
        terms: The words for good and bad.
        skipped: The numbers that cannot be checked.
        is_public: Whether a private run, too, has room for it.
    """

    make: Callable[[Path, int], Path]
    size: int
    first: int
    start: tuple[str, ...] = ("main", "start")
    terms: tuple[str, str] = ("good", "bad")
    skipped: tuple[int, ...] = ()
    is_public: bool = True


SCENARIOS = {
    "linear": Scenario(linear, 30, 17),
    "the oldest": Scenario(linear, 30, 1),
    "the youngest": Scenario(linear, 30, 30),
    "merges": Scenario(merged, 14, 9),
    "skip": Scenario(linear, 30, 17, skipped=(9, 22)),
    "skip beside it": Scenario(linear, 30, 17, skipped=(15, 16, 17), is_public=False),
    "skip in a row": Scenario(linear, 30, 10, skipped=tuple(range(12, 20)), is_public=False),
    "several goods": Scenario(linear, 30, 17, start=("main", "start", "main~25", "main~20")),
    "goods beside the line": Scenario(merged, 14, 9, start=("main", "main~10", "main~8^2~1")),
    "terms": Scenario(
        linear,
        30,
        17,
        start=("--term-old=fast", "--term-new=slow", "main", "start"),
        terms=("fast", "slow"),
    ),
    "old and new": Scenario(linear, 30, 17, terms=("old", "new")),
    "paths": Scenario(touched, 30, 16, start=("main", "start", "--", "part")),
}


def by_git(copy: Path, scenario: Scenario) -> tuple[set[str], str]:
    """The candidates that git ends with, and its log."""
    words = scenario.start
    git(copy, "bisect", "start", "--first-parent", *words)
    check = f"n=$(cat number); case $n in {'|'.join(map(str, scenario.skipped)) or 'none'}) "
    check += f"exit 125;; esac; test $n -lt {scenario.first}"
    if "--" in words:  # the bad end touches the path, too: the next one that does
        check = f"test $(cat number) -lt {scenario.first}"
    done = subprocess.run(
        ["git", "bisect", "run", "sh", "-c", check],
        cwd=copy,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    log = git(copy, "bisect", "log")
    if found := re.search(r"(\w{40}) is the first", done.stdout):
        return {found[1]}, log
    said = done.stdout + done.stderr
    listed = said.split("could be any of:")[1].split()
    return {word for word in listed if len(word) == 40}, log


def number_of(folder: Path, commit: str) -> int:
    return int(git(folder, "show", f"{commit}:number"))


def by_hand(folder: Path, say: Say, scenario: Scenario, *flags: str) -> set[str]:
    """The candidates that feint ends with, each verdict given by hand."""
    good, bad = scenario.terms
    code, printed, said = say("start", *flags, *scenario.start)
    assert code == 0, said
    for _ in range(200):
        if "first bad commit" in printed:
            names = [word for word in printed.split() if len(word) == 40] or [
                git(folder, "rev-parse", line.split()[0]).strip()
                for line in printed.splitlines()[1:]
            ]
            return set(names)
        commit = printed.splitlines()[0].split()[1]
        number = number_of(folder, commit)
        word = "skip" if number in scenario.skipped else good if number < scenario.first else bad
        code, printed, said = say(word, commit)
        assert code == 0, said
    raise AssertionError("no end")


LONGER = {"the oldest", "the youngest", "goods beside the line", "old and new", "skip in a row"}


@pytest.mark.parametrize("name", later(SCENARIOS, LONGER))
def test_feint_ends_where_git_does(
    name: str, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = SCENARIOS[name]
    folder = scenario.make(tmp_path / "repository", scenario.size)
    git(tmp_path, "clone", "-q", str(folder), "copy")
    theirs, log = by_git(tmp_path / "copy", scenario)
    monkeypatch.chdir(folder)
    before = git(folder, "status", "--porcelain"), git(folder, "rev-parse", "HEAD")
    assert by_hand(folder, say, scenario) == theirs
    if scenario.is_public:
        assert by_hand(folder, say, scenario, "--level", "2", "--delta", "2") == theirs
    (tmp_path / "log").write_text(log)
    code, printed, _ = say("replay", str(tmp_path / "log"))
    assert code == 0
    assert {word for word in printed.split() if len(word) == 40} | {
        git(folder, "rev-parse", line.split()[0]).strip()
        for line in printed.splitlines()[1:]
        if len(line.split()) > 1
    } == theirs
    assert (git(folder, "status", "--porcelain"), git(folder, "rev-parse", "HEAD")) == before


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of thirty commits, which commands are run in."""
    made = linear(tmp_path / "repository", 30)
    monkeypatch.chdir(made)
    return made


def test_without_a_level_it_is_git_bisect_run(folder: Path, say: Say) -> None:
    for words in (["--good", "start", "--"], ["--good", "start", "run", "--"]):
        code, printed, said = say(*words, "sh", "-c", "test $(cat number) -lt 17")
        assert code == 0
        assert "commit 17" in printed
        assert "5 checks" in said
        assert "Nothing is hidden: level 1." in said


def test_the_log_outlives_the_bisection_and_can_be_repeated(
    folder: Path, tmp_path: Path, say: Say
) -> None:
    assert say("--good", "start", "--", "sh", "-c", "test $(cat number) -lt 17")[0] == 0
    code, printed, _ = say("log")
    assert code == 0
    assert printed.startswith("feint bisect start ")
    kept = folder / ".git" / "feint-bisect.log"
    assert kept.stat().st_mode & 0o077 == 0
    assert len({len(line) for line in printed.splitlines()[1:]}) == 1  # no size tells a verdict
    (tmp_path / "log").write_text(printed)
    (tmp_path / "some").write_text("\n".join(printed.splitlines()[:3]))
    code, again, _ = say("replay", str(tmp_path / "log"))
    assert code == 0
    assert "commit 17" in again
    code, again, _ = say("replay", str(tmp_path / "some"))
    assert code == 0
    assert again.startswith("Check ")
    code, again, _ = say("run", "--", "sh", "-c", "test $(cat number) -lt 17")
    assert code == 0
    assert "commit 17" in again
    assert say("reset")[1] == "Removed.\n"
    assert not kept.exists()
    (tmp_path / "log").write_text("feint bisect start main start\nfeint bisect better main~3\n")
    code, _, said = say("replay", str(tmp_path / "log"))
    assert code == 2
    assert "better is not a verdict" in said
    code, _, said = say("replay", str(tmp_path / "nothing"))
    assert code == 2
    assert "cannot be read" in said


def test_a_wrong_verdict_is_taken_back(folder: Path, say: Say) -> None:
    """At level 1 at any time, and as often as there are verdicts."""
    shown = [say("start", "main", "start")[1]]
    for first in (17, 17, 17):
        commit = shown[-1].split()[1]
        word = "good" if number_of(folder, commit) < first else "bad"
        shown.append(say(word, commit)[1])
    for before in shown[-2::-1]:
        code, printed, _ = say("undo")
        assert code == 0
        assert printed.startswith("Taken back: ")
        assert printed.endswith(before)
    code, _, said = say("undo")
    assert code == 2
    assert "there is none yet" in said


def test_where_something_is_hidden_it_is_taken_back_while_the_round_is_open(
    folder: Path, say: Say
) -> None:
    words = ["--level", "3", "--delta", "3", "--max-rounds", "2"]
    printed = say("start", *words, "main", "start")[1]
    jobs = [line.split()[1] for line in printed.splitlines()]
    assert len(jobs) > 1
    assert say("good", jobs[0])[1].splitlines() == printed.splitlines()[1:]
    code, again, _ = say("undo")
    assert code == 0
    assert again.splitlines()[1:] == printed.splitlines()
    code, _, said = say(
        "good", "main~1" if jobs[0] not in git(folder, "rev-parse", "main~1") else "main~2"
    )
    assert code == 2
    assert "has no check due now" in said
    for job in jobs:
        printed = say("good", job)[1]
    code, _, said = say("undo")
    assert code == 2
    assert "its round is over" in said
    shown = printed
    code, printed, said = say("undo", "--even-if-seen")
    assert code == 0
    assert said.startswith("An observer who saw what was asked because of it, and may name 3 neigh")
    assert said.endswith("if it was wrong; 1/3 was promised.")
    assert printed.splitlines()[1:] == [f"Check {each}" for each in described(folder, jobs[-1:])]
    code, _, said = say("undo")  # its round was open before, and is again
    assert code == 2
    assert "its round is over" in said
    assert say("undo", "--even-if-seen")[0] == 0
    for job in jobs[-2:]:
        printed = say("good", job)[1]
    assert printed == shown  # the same coins: what is asked is the same if it was right after all
    code, _, said = say("status", "--even-if-seen")
    assert code == 2
    assert "is for undo" in said


def described(folder: Path, names: list[str]) -> list[str]:
    listed = git(folder, "log", "--no-walk=unsorted", "--format=%h %cs %s", *names)
    return listed.splitlines()


def test_which_commit_a_verdict_is_about(folder: Path, say: Say) -> None:
    """The one that is checked out, or the only one; at level 1 any may be named."""
    printed = say("start", "main", "start")[1]
    assert say("next")[1] == printed
    commit = printed.split()[1]
    assert say("bad")[0] == 0
    assert commit in say("log")[1]
    assert say("good", "main~25")[0] == 0
    assert say("skip", "main~24..main~22")[0] == 0
    log = say("log")[1].splitlines()
    assert [line.split()[0] for line in log] == ["bad", "good", "skip", "skip"]
    left = json.loads(say("candidates", "--json")[1])["first_bad"]
    listed = git(folder, "rev-list", "--reverse", f"main~25..{commit}").split()
    assert left == listed
    shown = say("visualize")[1].splitlines()
    assert [line.split()[0] for line in shown] == [name[:7] for name in listed]
    assert "Author:" in say("view", "--", "--format=medium")[1]


def test_inside_the_merge_that_was_found(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = merged(tmp_path / "repository", 6)
    monkeypatch.chdir(folder)
    check = ["--", "sh", "-c", "test $(cat number) -lt 5"]
    code, printed, said = say("--good", "start", *check)
    assert code == 0
    assert "merge 5" in printed
    hint = said.split("feint bisect ")[1].split(" (")[0].split()
    code, printed, _ = say(*hint, *check)
    assert code == 0
    assert "side 5" in printed
    assert "side 5." not in printed


def test_going_on_inside_the_merge_that_was_found(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = merged(tmp_path / "repository", 6)
    monkeypatch.chdir(folder)
    check = ["--", "sh", "-c", "test $(cat number) -lt 5"]
    code, printed, said = say("--good", "start", "--inside", *check)
    assert code == 0
    first, second = (line for line in printed.splitlines() if "The first bad commit is" in line)
    assert "merge 5" in first
    assert second.endswith(" side 5")
    assert "going on inside" in said
    assert "To go on inside" not in said


def test_a_merge_that_is_at_fault_itself(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line is good to the end; the merge breaks what both lines had right."""
    folder = merged(tmp_path / "repository", 3)
    monkeypatch.chdir(folder)
    check = ["--", "sh", "-c", "! git log -1 --format=%s | grep -q '^merge [34]'"]
    code, printed, said = say("--good", "start", "--inside", *check)
    assert code == 0
    assert "merge 3" in printed
    assert "the merge itself is at fault" in said
    assert not list((folder / ".git").glob("feint-bisect/*"))


@pytest.mark.parametrize(
    "flags", [["--level", "3", "--delta", "1"], ["--list", "json"], ["--resume"]]
)
def test_inside_is_refused_where_it_tells_or_cannot_be(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    monkeypatch.chdir(linear(tmp_path / "repository", 20))
    good = [] if flags == ["--resume"] else ["--good", "start"]
    code, _, said = say(*good, "--inside", *flags, "--", "true")
    assert code == 2
    assert "--inside" in said


def test_the_ends_may_be_named_one_by_one(folder: Path, say: Say) -> None:
    """`start` alone waits for both; without a name they are what is checked out."""
    code, printed, _ = say("start", "--term-old=fast", "--term-new=slow")
    assert (code, printed.split(":")[0]) == (0, "Waiting for fast and slow commits")
    assert say("next")[1] == printed
    assert "Waiting for fast commits" in say("slow")[1]
    assert "Waiting for fast commits" in say("skip", "main~2", "main~5..main~3")[1]
    code, _, said = say("fast", "main~9..main~8")
    assert code == 2
    assert "is a range" in said
    begun = say("fast", "start")
    assert begun[1].startswith("Check ")
    assert "30 candidates" in begun[2]
    assert say("terms")[1] == "Your terms are fast for good commits and slow for bad ones.\n"
    assert "3 commits cannot be checked" in say("status")[1]
    code, _, said = say("start")
    assert code == 2
    assert "already" in said
    assert say("reset")[1] == "Removed.\n"
    assert "Waiting for good commits" in say("start", "main")[1]
    assert say("reset")[1] == "Removed.\n"
    code, _, said = say("bad")
    assert code == 2
    assert "there is no bisection" in said


@pytest.mark.parametrize("begin", [["--good", "start"], ["start", "main", "start"]])
def test_words_after_run_are_the_command(folder: Path, say: Say, begin: list[str]) -> None:
    """Options too, as with git, and with `--` between them or not."""
    check = ["sh", "-c", "test $(cat number) -lt 17"]
    for between in ([], ["--"]):
        if begin[0] == "start":
            assert say(*begin)[0] == 0
            code, printed, _ = say("run", *between, *check)
        else:
            code, printed, _ = say(*begin, "run", *between, *check)
        assert code == 0
        assert "commit 17" in printed


def test_a_branch_may_be_named_run(folder: Path, say: Say) -> None:
    git(folder, "branch", "run", "main~2")
    code, _, said = say("--good", "start", "--bad", "run", "--", "sh", "-c", "exit 1")
    assert code == 3
    assert "28 candidates" in said
    assert say("visualize", "--oneline", "-n", "2")[1].count("\n") == 2


def test_what_is_run_after_start_is_tried_on_the_ends_first(
    folder: Path, tmp_path: Path, say: Say
) -> None:
    """A check that fails everywhere names no commit."""
    check = tmp_path / "check"
    check.write_text("#!/bin/sh\nexit 1\n")
    check.chmod(0o755)
    assert say("start", "main", "start", "--check", str(check))[0] == 0
    code, printed, said = say("run")
    assert (code, printed) == (3, "")
    assert "was said to be good, and fails the check" in said
    assert say("reset")[0] == 0
    assert say("start", "main", "start", "--trust-ends")[0] == 0
    code, printed, said = say("run", "sh", "-c", "test $(cat number) -lt 17")
    assert code == 0
    assert "are checked first" not in said


def test_a_good_commit_beside_the_line_stands_for_where_the_lines_part(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with git, which checks that commit first; and so does `run`."""
    folder = linear(tmp_path / "repository", 30)
    git(folder, "checkout", "-q", "-b", "release", "main~20")
    git(folder, "commit", "-q", "--allow-empty", "-m", "release")
    git(folder, "checkout", "-q", "main")
    git(tmp_path, "clone", "-q", str(folder), "copy")
    theirs, _ = by_git(
        tmp_path / "copy", Scenario(linear, 30, 17, start=("main", "origin/release"))
    )
    monkeypatch.chdir(folder)
    check = ["run", "sh", "-c", "test $(cat number) -lt 17"]
    code, _, said = say("start", "main", "release")
    assert code == 0
    assert "release is not before main: where their lines part is taken to be good" in said
    assert "20 candidates" in said
    code, printed, _ = say(*check)
    assert code == 0
    assert printed.split()[-1] in theirs
    code, _, said = say("--good", "release", "run", "sh", "-c", "test $(cat number) -lt 5")
    assert code == 3
    base = git(folder, "rev-parse", "main~20").strip()
    assert f"{base[:12]} was said to be good, and fails the check" in said
