"""Checks that old commits lack, ends that are wrong, and good ends that are found."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.repositories import ENVIRONMENT, git, linear

from feint.cli.app import run
from feint.errors import InvalidValue
from feint.integrations.git import (
    CheckResult,
    History,
    Session,
    Trees,
    Verdict,
    WrongEnd,
    copy_into,
    doubled_back,
    good_from,
    new_key,
    path_inside,
    planned,
    public_key,
    seal_result,
)

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of forty commits, which commands are run in."""
    made = linear(tmp_path / "repository", 40)
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


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


BEGIN = ["--good", "start", "--level", "3", "--delta", "3"]


def test_a_check_that_no_commit_has_is_copied_into_each(folder: Path, say: Say) -> None:
    script(folder / "tests" / "check.sh", "test $(cat number) -lt 23\n")
    before = git(folder, "status", "--porcelain")
    code, _, said = say(*BEGIN, "--", "tests/check.sh")
    assert code == 2
    assert "copy it with --check" in said
    for words in (
        ["--check", "tests/check.sh"],
        ["--check", "tests", "--", "tests/check.sh"],
        ["--check", "tests/check.sh", "--", "sh", "-c", "exec tests/check.sh"],
    ):
        code, printed, _ = say(*BEGIN, *words)
        assert code == 0
        assert "commit 23" in printed
    assert git(folder, "status", "--porcelain") == before


def test_the_check_is_kept_as_it_was_when_the_bisection_began(
    folder: Path, tmp_path: Path, say: Say
) -> None:
    """From outside of the repository it goes to the top of the worktree."""
    check = script(tmp_path / "elsewhere" / "check.sh", "exit 200\n")
    check.write_text(f"#!/bin/sh\ntest -e {tmp_path}/go || exit 200\ntest $(cat number) -lt 23\n")
    assert say(*BEGIN, "--check", str(check))[0] == 3
    check.unlink()
    (tmp_path / "go").touch()
    code, printed, _ = say("--resume")
    assert code == 0
    assert "commit 23" in printed
    code, _, said = say(*BEGIN, "--check", str(check))
    assert code == 2
    assert "there is no such file" in said


def test_what_is_copied_never_leaves_the_worktree(folder: Path, tmp_path: Path) -> None:
    """A commit may have links where the check goes, or a file where its folder goes."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "check.sh").write_text("mine")
    for name, target in (("tests", outside), ("check.sh", outside / "check.sh")):
        (folder / name).symlink_to(target)
    (folder / "deep").write_text("a file")
    (folder / "both" / "check.sh").mkdir(parents=True)
    (folder / "both" / "check.sh" / "file").write_text("in a folder")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "in the way")
    source = script(tmp_path / "new" / "check.sh", "true\n")
    (tmp_path / "new" / "below").mkdir()
    (tmp_path / "new" / "below" / "data").write_text("data")
    trees = Trees(folder, tmp_path / "trees")
    paths = ("tests/check.sh", "check.sh", "deep/down/check.sh", "both/check.sh")
    with trees.tree("main") as path:
        for inside in paths:
            copy_into(path, source, inside)
            assert (path / inside).read_text() == source.read_text()
            assert os.access(path / inside, os.X_OK)
        copy_into(path, tmp_path / "new", "tests/more")
        assert (path / "tests" / "more" / "below" / "data").read_text() == "data"
    assert (outside / "check.sh").read_text() == "mine"
    assert [each.name for each in outside.iterdir()] == ["check.sh"]


def test_where_a_check_goes(folder: Path, tmp_path: Path) -> None:
    (folder / "tests").mkdir()
    assert path_inside(folder / "tests", folder / "tests" / "check.sh") == "tests/check.sh"
    assert path_inside(folder, tmp_path / "check.sh") == "check.sh"
    assert path_inside(folder, folder / ".git" / "check.sh") == "check.sh"
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare")
    assert path_inside(tmp_path / "bare", tmp_path / "check.sh") == "check.sh"


def test_a_check_that_is_not_found_is_no_verdict(folder: Path, say: Say) -> None:
    """Git would call every commit that lacks it bad, and name a wrong one."""
    missing = "test $(cat number) -gt 20 || exec ./not-there; test $(cat number) -lt 30"
    code, _, said = say(*BEGIN, "--trust-ends", "--", "sh", "-c", missing)
    assert code == 3
    assert "exit code 127" in said
    assert "--check FILE" in said
    assert "--crash-is" not in said
    code, printed, _ = say("--resume", "--", "sh", "-c", "test $(cat number) -lt 30")
    assert code == 0
    assert "commit 30" in printed


WRONG = {
    "the good commit fails": ("false", "0", "was said to be good, and fails the check"),
    "the bad commit passes": ("true", "40", "was said to be bad, and passes the check"),
    "the good commit cannot be checked": ("exit 125", "0", "good, and cannot be checked"),
}


@pytest.mark.parametrize("name", WRONG)
def test_ends_are_checked_first(name: str, folder: Path, tmp_path: Path, say: Say) -> None:
    check, number, why = WRONG[name]
    line = f"echo $(cat number) >> {tmp_path}/seen; {check}"
    code, _, said = say(*BEGIN, "-j", "1", "--", "sh", "-c", line)
    assert code == 3
    assert why in said
    assert (tmp_path / "seen").read_text().split()[-1] == number
    assert set((tmp_path / "seen").read_text().split()) <= {"0", "40"}
    code, printed, _ = say(*BEGIN, "--", "sh", "-c", "test $(cat number) -lt 23")
    assert code == 0  # no round was shown, so another bisection may begin
    assert "commit 23" in printed


def test_ends_of_flaky_checks(folder: Path) -> None:
    """A bad commit may pass some of its checks, a good one may not fail any."""
    history = History.of(folder, good=["start", "main~39"], bad="main")
    session = Session.begin(
        history, planned(39, level=1, fails_at_least="0.5", confidence="0.9"), verified=True
    )
    good, other, *bad = dict.fromkeys(session.ends())
    assert [each.commit for each in (good, other, *bad)] == [0, -1, 39]
    with pytest.raises(WrongEnd, match="said to be good, and fails"):
        session.tell(good, "bad")
    for end in (good, other, *bad):
        for _ in range(session.left(end)):
            session.tell(end, "good")
    with pytest.raises(WrongEnd, match="said to be bad, and passes"):
        session.ends()
    session.clean()
    session = Session.begin(history, planned(39, level=1, p="0.9"), verified=True)
    for end in session.ends():
        session.tell(end, "good")  # right nine times in ten
    assert session.ends() == []


def test_ends_are_listed_with_the_first_round(folder: Path, tmp_path: Path, say: Say) -> None:
    key, history = tmp_path / "key", History.of(folder, good="start", bad="main")
    new_key(key)
    said = say(*BEGIN, "--list", "json")
    assert "The 2 commits that are named good and bad are checked first." in said[2]
    jobs = json.loads(said[1])
    ends = {history.good, history.at(40)}
    assert ends < set(jobs)

    def told(commit: str, code: int) -> tuple[int, str, str]:
        file = tmp_path / "box"
        file.write_bytes(seal_result(CheckResult(commit, code, ""), public_key(key)))
        return say("--tell", str(file), "--key", str(key))

    for commit in jobs:
        if commit not in ends:
            assert told(commit, 127)[0] == 3
            assert told(commit, int(int(git(folder, "show", f"{commit}:number")) >= 23))[0] == 0
    assert "said to be good, and fails the check" in told(history.good, 1)[2]
    assert ends < set(json.loads(say("--list", "json")[1]))  # they stay until they are right
    assert told(history.good, 0)[0] == 0
    assert told(history.at(40), 1)[0] == 0
    after = json.loads(say("--list", "json")[1])
    assert after
    assert not ends & set(after)


@pytest.mark.parametrize("first", [1, 2, 17, 32, 39, 40])
def test_a_good_commit_is_found_by_doubling_back(first: int, folder: Path) -> None:
    """Checked are 0, 1, 2, 4, 8 … commits before the bad one; skips are passed over."""
    history, seen = History.of(folder, good="start", bad="main"), list[int]()

    def check(commit: str) -> Verdict:
        number = history.number(commit) if commit != history.good else 0
        seen.append(number)
        return "skip" if number == 36 else "good" if number < first else "bad"

    good, last = doubled_back(folder, "main", check)
    away = next(each for each in (1, 2, 4, 8, 16, 32, 40) if 40 - each < first and each != 4)
    assert seen == [40, *(40 - each for each in (1, 2, 4, 8, 16, 32, 40) if each <= away)]
    low = 0 if good == history.good else history.number(good)
    assert low == 40 - away
    assert low < first <= history.number(last)


def test_doubling_back_that_finds_nothing(folder: Path) -> None:
    with pytest.raises(InvalidValue, match="the oldest included"):
        doubled_back(folder, "main", lambda _: "bad")
    with pytest.raises(WrongEnd, match="said to be bad, and passes"):
        doubled_back(folder, "main", lambda _: "good")


def test_bisect_finds_the_good_commit_itself(folder: Path, say: Say) -> None:
    check = ["--", "sh", "-c", "test $(cat number) -lt 23"]
    code, printed, said = say("--find-good", "--level", "2", *check)
    assert code == 0
    assert "commit 23" in printed
    assert (
        "16 candidates" in said
    )  # commit 8, 32 before the bad one, is good; 24, 16 before it, bad
    assert "lies between the last two" in said
    for words, why in (
        (["--good", "start"], "leave one of them out"),
        (["--p", "0.9"], "flaky"),
        (["--list", "plain"], "checks are made here"),
    ):
        code, _, said = say("--find-good", "--level", "2", *words, *check)
        assert code == 2
        assert why in said
    assert "worktree" not in say("--find-good", "--", "true")[2]
    assert len(git(folder, "worktree", "list").splitlines()) == 1


def test_a_file_or_a_command_names_the_good_commit(folder: Path, tmp_path: Path, say: Say) -> None:
    green = tmp_path / "green"
    green.write_text(f"{git(folder, 'rev-parse', 'main~30').strip()}  last green run\n")
    assert good_from(str(green), folder) == git(folder, "rev-parse", "main~30").strip()
    assert good_from("git rev-parse main~3", folder) == git(folder, "rev-parse", "main~3").strip()
    check = ["--", "sh", "-c", "test $(cat number) -lt 23"]
    code, printed, said = say("--good-from", str(green), "--level", "2", *check)
    assert code == 0
    assert "30 candidates" in said
    assert "commit 23" in printed
    for source, why in (("exit 3", "fails with exit code 3"), ("true", "gives no commit")):
        code, _, said = say("--good-from", source, "--level", "2", *check)
        assert code == 2
        assert f"--good-from {source}: " in said
        assert why in said


@pytest.mark.parametrize("is_reused", [False, True])
def test_what_was_built_is_reused_if_asked_for(
    is_reused: bool, folder: Path, tmp_path: Path, say: Say
) -> None:
    """Each commit is checked as it is, tracked files included; only untracked ones are left."""
    built, seen = tmp_path / "built", tmp_path / "seen"
    line = f"test -e out || echo >> {built}; touch out; echo $(cat number) >> {seen}"
    line += "; git diff --quiet || exit 200; n=$(cat number); echo > number; test $n -lt 23"
    words = ["--reuse"] if is_reused else []
    code, printed, _ = say(*BEGIN, *words, "--", "sh", "-c", line)
    assert code == 0
    assert "commit 23" in printed
    checks, builds = (len(path.read_text().splitlines()) for path in (seen, built))
    assert builds == (1 if is_reused else checks)
    assert len(set(seen.read_text().split())) == checks
    assert len(git(folder, "worktree", "list").splitlines()) == 1
