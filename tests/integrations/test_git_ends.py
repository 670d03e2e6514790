"""How a bisection ends and goes on: stops, signals, wrong words, other people's worktrees."""

import concurrent.futures
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, get_ident, main_thread
from types import FrameType
from typing import Any

import pytest
from tests.support.repositories import ENVIRONMENT, git, linear

from feint.cli.app import run
from feint.integrations.git import (
    CheckResult,
    History,
    Session,
    Trees,
    Verdict,
    new_key,
    planned,
    public_key,
    seal_result,
)

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of sixty commits, which commands are run in."""
    made = linear(tmp_path / "repository", 60)
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Run `feint bisect`: the exit code, what it printed, what it complained of."""

    def said(*words: str) -> tuple[int, str, str]:
        code = run(["bisect", *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return said


UNCHECKED = ["sh", "-c", "n=$(cat number); test $n -lt 20 -o $n -ge 40 || exit 125; test $n -lt 30"]
BEGIN = ["--good", "start", "--level", "4", "--delta", "5"]


def test_what_stopped_since_it_would_tell_too_much_stays_stopped(folder: Path, say: Say) -> None:
    code, _, said = say(*BEGIN, "--", *UNCHECKED)
    assert code == 3
    assert "1/4 was promised" in said
    assert "--resume" not in said
    checked = say("log")[1]
    in_clear = ["--list", "plain", "--check-in-clear"]
    for words in (["--resume"], in_clear, ["--resume", "--", "true"]):
        code, printed, said = say(*words)
        assert (code, printed) == (3, "")
        assert "1/4 was promised" in said
    assert say("log")[1] == checked
    assert say("status")[0] == 0
    assert "feint bisect candidates lists the commits that are left" in said


@pytest.mark.parametrize("first", [22, 30, 55])
def test_which_commits_are_left_can_be_seen_at_any_time(first: int, folder: Path, say: Say) -> None:
    unchecked = f"n=$(cat number); test $n -lt 20 -o $n -ge 40 || exit 125; test $n -lt {first}"
    assert say(*BEGIN, "--", "sh", "-c", unchecked)[0] == 3
    history = History.of(folder, good="start", bad="main")
    verdicts = [line.split() for line in say("log")[1].splitlines()]
    good = [int(words[-1]) for words in verdicts if words[0] == "good"]
    bad = [int(words[-1]) for words in verdicts if words[0] == "bad"]
    left = range(max(good, default=0) + 1, min(bad, default=60) + 1)
    assert first in left
    code, printed, _ = say("candidates", "--json")
    assert code == 0
    assert json.loads(printed)["first_bad"] == [history.at(number) for number in left]
    printed = say("candidates")[1]
    assert printed.startswith("The first bad commit is one of these:\n")
    assert [int(line.split()[-1]) for line in printed.splitlines()[1:]] == [*left]


def test_what_is_promised_of_commits_that_cannot_be_checked_is_said(folder: Path, say: Say) -> None:
    said = say(*BEGIN, "--list", "plain")[2]
    said = " ".join(said.split())
    assert "names it with probability at most 1 in 4." in said.replace("hits", "names")
    room = planned(60, level=4, delta=5).room
    share = f"{int(room * 1000) / 10:g} %"
    assert f"It is at most 1/4 too if up to {share} of the commits cannot be checked" in said


def test_no_argument_of_git_names_what_was_found(
    folder: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users of the machine see which processes run, and their arguments."""
    history = History.of(folder, good="start", bad="main")
    inner = {history.at(number) for number in range(1, 60)}
    run_command, seen = subprocess.run, list[list[str]]()

    def watched(command: list[str], **more: Any) -> Any:
        seen.append(command)
        return run_command(command, **more)

    monkeypatch.setattr(subprocess, "run", watched)
    code, printed, _ = say(*BEGIN, "--", "sh", "-c", "test $(cat number) -lt 23")
    assert code == 0
    assert history.at(23) in printed
    asked = [words for words in seen if "worktree" not in words]  # which are seen in any case
    assert asked
    assert not any(name in word for words in asked for word in words for name in inner)


def test_a_verdict_that_is_told_may_stop_it_too(folder: Path, tmp_path: Path, say: Say) -> None:
    key, file = tmp_path / "key", tmp_path / "verdict"
    new_key(key)

    def told(code: int) -> tuple[int, str, str]:
        commit = say("--list", "plain")[1].split()[0]
        file.write_bytes(
            seal_result(CheckResult(commit=commit, code=code, log=""), public_key(key))
        )
        return say("--tell", str(file), "--key", str(key))

    assert say(*BEGIN, "--trust-ends", "--list", "plain")[0] == 0
    code, _, said = told(134)
    assert code == 3
    assert "128 and above, which stops" in said
    stopped = next(end for _ in range(60) if (end := told(125))[0])
    assert stopped[0] == 3
    assert "1/4 was promised" in stopped[2]
    assert say("--list", "plain")[0] == 3


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--p", "0.99"], "This holds if all answers are right equally often"),
        (["--fails-at-least", "0.3"], "if every verdict is right; wrong ones add at most 0.05"),
        (
            ["--fails-at-least", "0.3", "--confidence", "0.9"],
            "if every verdict is right; wrong ones add at most 0.1 to it.",
        ),
    ],
)
def test_what_the_promise_needs_of_flaky_checks_is_said(
    flags: list[str], told: str, folder: Path, say: Say
) -> None:
    begun = ["--good", "start", "--level", "2", "--delta", "2", "--list", "json"]
    code, _, said = say(*begun, *flags)
    assert code == 0
    assert told in said
    say("--clean")
    assert "This holds if" not in say(*begun)[2]


def test_a_flaky_commit_is_listed_as_often_as_it_is_checked(
    folder: Path, tmp_path: Path, say: Say
) -> None:
    key, file = tmp_path / "key", tmp_path / "verdict"
    new_key(key)
    begun = say(*BEGIN, "--trust-ends", "--fails-at-least", "0.3", "--list", "json")
    names = json.loads(begun[1])
    (times,) = set(Counter(names).values())
    assert times > 1
    assert f"each commit {times} times" in begun[2]
    matrix = json.loads(say("--list", "github", "--check-in-clear")[1].removeprefix("matrix="))[
        "include"
    ]
    assert [each["commit"] for each in matrix] == names
    assert [each["check"] for each in matrix[:times]] == [*range(1, times + 1)]
    jobs = json.loads(say("--list", "gitlab", "--check-in-clear")[1])
    assert sum("extends" in job for job in jobs.values()) == len(names)
    file.write_bytes(seal_result(CheckResult(names[0], 1, ""), public_key(key)))
    say("--tell", str(file), "--key", str(key))
    assert json.loads(say("--list", "json")[1]) == names[1:]


def test_worktrees_of_others_are_left_alone(tmp_path: Path) -> None:
    """One that is away for the moment, as on a disk that is not mounted, is still git's."""
    folder = linear(tmp_path / "repository", 5)
    git(folder, "worktree", "add", "-q", "--detach", str(tmp_path / "mine"), "start")
    (tmp_path / "mine").rename(tmp_path / "away")
    trees = Trees(folder, folder / ".git" / "feint-bisect" / "trees")
    with trees.tree("main") as path:
        (path / ".git").unlink()  # git does not know it any more
    with trees.tree("main") as path:
        path.rename(tmp_path / "moved")
    trees.clean()
    (tmp_path / "away").rename(tmp_path / "mine")
    listed = git(folder, "worktree", "list").splitlines()
    assert len(listed) == 2
    assert str(tmp_path / "mine") in listed[1]
    assert git(tmp_path / "mine", "status", "--porcelain") == ""


def test_messages_that_are_not_utf8_and_commits_that_are_named_twice(tmp_path: Path) -> None:
    folder = linear(tmp_path / "repository", 2)
    (folder / "number").write_text("3")
    subprocess.run(
        ["git", "-c", "i18n.commitEncoding=UTF-8", "commit", "-qaF", "-"],
        cwd=folder,
        env=ENVIRONMENT,
        input=b"caf\xe9 \xe2\x80\xa8 and \x0b more\r too\n",
        check=True,
    )
    history = History.of(folder, good="start", bad="main")
    texts = history.described([3, 1, 3])
    assert len(texts) == 3
    assert texts[0] == texts[2]
    assert texts[0].endswith("and more too")
    assert texts[1].endswith("commit 1")
    assert history.weights("words:more") == [1, 1, 10]


def test_the_log_of_commits_that_are_checked_several_times(folder: Path, say: Say) -> None:
    history = History.of(folder, good="start", bad="main")
    session = Session.begin(history, planned(60, level=1, fails_at_least="0.5"))
    test = session.open()[0]
    for _ in range(2):
        session.tell(test, "good")
    code, printed, _ = say("log")  # while the session is open
    assert code == 0
    assert len(printed.splitlines()) == 2
    assert json.loads(say("status", "--json")[1])["answered"] == 0
    session.clean()
    session = Session.begin(history, planned(60, level=4, delta=5))
    session.tell(session.open()[0], "bad")
    assert json.loads(say("status", "--json")[1])["answered"] == 1  # of a round that is not whole


def test_outside_a_repository_and_with_a_pattern_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path, say: Say
) -> None:
    code, _, said = say(*BEGIN, "--weights", "words:(", "--", "true")
    assert code == 2
    assert "--weights words:(: git cannot read the pattern" in said
    monkeypatch.chdir(tmp_path)
    for words in (["status"], ["log"], ["--clean"], ["--resume"]):
        code, _, said = say(*words)
        assert code == 2
        assert "in no git repository" in said


def test_wrong_words_are_refused_before_anything_is_kept(folder: Path, say: Say) -> None:
    (folder / "check.sh").write_text("untracked")
    wrong = [
        ([*BEGIN, "-j", "0", "--", "true"], "jobs"),
        ([*BEGIN, "--", "./check.sh"], "untracked"),
        ([*BEGIN, "--", "no-such-command"], "no such command"),
        (["--resume", "--level", "2"], "--resume with --level"),
        (["--level", "2", "--", "true"], "--level without --good"),
        ([*BEGIN, "--confidence", "0.9", "--", "true"], "--fails-at-least"),
    ]
    for words, why in wrong:
        code, _, said = say(*words)
        assert code == 2
        assert why in said
    assert not (folder / ".git" / "feint-bisect").exists()


def test_a_bisection_that_asked_nothing_is_replaced(folder: Path) -> None:
    history = History.of(folder, good="start", bad="main")
    effort = planned(60, level=4, delta=5)
    Session.begin(history, effort)
    Session.begin(history, effort).open()
    with pytest.raises(ValueError, match="already"):
        Session.begin(history, effort)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_by_a_signal_it_cleans_up(folder: Path, tmp_path: Path, number: int) -> None:
    there = tmp_path / "pid"
    check = f"echo $$ > {there}.new; mv {there}.new {there}; exec sleep 600"
    words = [sys.executable, "-m", "feint", "bisect", *BEGIN, "--", "sh", "-c", check]
    process = subprocess.Popen(
        words, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    while not there.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "feint bisect --resume" in said
    assert len(git(folder, "worktree", "list").splitlines()) == 1
    running = Path("/proc", there.read_text().strip(), "cmdline")
    assert not running.exists() or b"sleep" not in running.read_bytes()


def test_a_signal_that_wakes_nobody_ends_the_run_all_the_same(folder: Path) -> None:
    """One that another thread takes, as one does that comes just before the wait begins."""
    history = History.of(folder, good="start", bad="main")
    session = Session.begin(history, planned(60, level=4, delta=5))
    ended, seen = Event(), list[bool]()

    def waits_for_checks() -> bool:
        frame: FrameType | None = sys._current_frames()[main_thread().ident or 0]
        while frame is not None and frame.f_code is not concurrent.futures.wait.__code__:
            frame = frame.f_back
        return frame is not None

    def check(commit: str) -> Verdict:
        while not waits_for_checks():
            time.sleep(0.001)
        signal.pthread_kill(get_ident(), signal.SIGUSR1)
        seen.append(ended.wait(60))
        return "good"

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            session.run(check, end=ended.set)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [True]


@pytest.mark.parametrize("level", [1, 3])
def test_repeats_are_spared_where_nothing_is_hidden(folder: Path, level: int) -> None:
    """Fewer checks of a bad commit would tell the verdict."""
    history = History.of(folder, good="start", bad="main")
    effort = planned(60, level=level, delta=min(level, 2), fails_at_least="0.5")
    counts, lock = Counter[str](), Lock()

    def check(commit: str) -> Verdict:
        with lock:
            counts[commit] += 1
        return "good" if history.number(commit) < 23 else "bad"

    session = Session.begin(history, effort)
    session.run(check)
    assert session.candidates() == [history.at(23)]
    assert not session.contradicted()
    for commit, count in counts.items():
        spared = level == 1 and history.number(commit) >= 23
        assert count == (1 if spared else effort.repeats)


def test_noise_and_commits_that_cannot_be_checked(folder: Path) -> None:
    history = History.of(folder, good="start", bad="main")

    def check(commit: str) -> Verdict:
        number = history.number(commit)
        return "skip" if 28 <= number <= 31 else "good" if number < 30 else "bad"

    session = Session.begin(history, planned(60, level=1, p="0.9"))
    session.run(check)
    assert session.candidates() == [history.at(number) for number in range(28, 33)]
    session.clean()
    session = Session.begin(history, planned(60, level=4, delta=5, p="0.9"))
    session.run(check)  # 4 of 60 commits, for which there is room
    found = session.candidates()
    assert found == [history.at(number) for number in range(28, 33)]


def test_verdicts_that_contradict_each_other_are_spoken_of(folder: Path, say: Say) -> None:
    again = "test $(($(cat number) % 7)) -lt 4"
    code, _, said = say(*BEGIN, "--", "sh", "-c", again)
    assert code == 0
    assert "is the check flaky? --p or --fails-at-least" in said
    code, _, said = say(*BEGIN, "--", "sh", "-c", "test $(cat number) -lt 10")
    assert code == 0
    assert "flaky" not in said
