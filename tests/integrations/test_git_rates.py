"""Flaky checks that fail at two rates: `--good-fails` and `--bad-fails`, from flag to result."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.repositories import ENVIRONMENT, linear

from feint.cli.app import run
from feint.errors import InvalidValue
from feint.integrations.git import Bisection, History, Session, Verdict, WrongEnd, planned
from feint.problem import Rate, Rates, read_noise
from feint.search import Search

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of twenty commits, which commands are run in."""
    made = linear(tmp_path / "repository", 20)
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


def verdict(commit: int, first: int, rates: tuple[float, float], random: Random) -> Verdict:
    """What a flaky check says."""
    return "bad" if random.random() < rates[commit >= first] else "good"


def bisected(
    effort: Any, first: int, rates: tuple[float, float], seed: int
) -> tuple[int, int, str | None]:
    """The commit that is found, the number of checks, and the warning."""
    bisection, random, checks = Bisection(Search(effort.plan, seed=seed)), Random(seed), 0
    while not bisection.done:
        for test in bisection.open():
            bisection.tell(test, verdict(test.commit, first, rates, random))
            checks += 1
    return bisection.outcome.first, checks, bisection.search.warning


WANTED: list[dict[str, Any]] = [
    {"good_fails": "0.05", "bad_fails": "0.6"},
    {"bad_fails": "0.3+"},
    {"good_fails": "0.05-", "bad_fails": "0.6+"},
    {"good_fails": "unknown", "bad_fails": "unknown"},
    {"good_fails": "0", "bad_fails": "unknown"},
    {"level": 3, "delta": 2, "good_fails": "0.05", "bad_fails": "0.6"},
    {"level": 3, "delta": 2, "good_fails": "0.05-", "bad_fails": "0.6+"},
]


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("searches", [4, pytest.param(60, marks=pytest.mark.long)])
def test_the_right_commit_is_found(wanted: dict[str, Any], searches: int) -> None:
    """Of 60 of which one in 100 may miss, 6 or more do with a chance of .00003; of 4, 2: .0006."""
    usual: dict[str, Any] = {"level": 1, "confidence": "0.99"}
    effort = planned(40, **usual | wanted)
    good = 0.0 if wanted.get("good_fails", "0") == "0" else 0.05
    found = [bisected(effort, 7 + seed % 30, (good, 0.6), seed) for seed in range(searches)]
    wrong = sum(first != 7 + seed % 30 for seed, (first, _, _) in enumerate(found))
    assert wrong < (2 if searches == 4 else 6)
    assert all(warning is None for _, _, warning in found)


def test_verdicts_that_contradict_the_rates_are_warned_of() -> None:
    """Good commits fail 3 times in 10, and 1 in 20 is stated; only the owner's search says so."""
    effort = planned(40, level=3, delta=2, good_fails="0.05", bad_fails="0.6", confidence="0.95")
    found = [bisected(effort, 30, (0.3, 0.6), seed)[2] for seed in range(6)]
    assert sum(each is not None for each in found) >= 3
    assert "good commits fail: 0.05" in next(each for each in found if each)


def test_unknown_is_refused_where_something_is_hidden() -> None:
    for name, wanted in (("good_fails", ("unknown", "0.6")), ("bad_fails", ("0.05", "unknown"))):
        with pytest.raises(InvalidValue, match="needs known rates") as raised:
            planned(40, level=3, delta=2, good_fails=wanted[0], bad_fails=wanted[1])
        assert raised.value.argument == name


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"good_fails": "0.6", "bad_fails": "0.5"}, "must fail more often than a good one"),
        ({"good_fails": "0.1+", "bad_fails": "0.5"}, "must fail more often than a good one"),
        ({"good_fails": "0", "bad_fails": "1"}, "is not flaky"),
        ({"good_fails": "1.5"}, "must be a probability"),
        ({"bad_fails": "0.5", "p": "0.9"}, "is another way"),
        ({"bad_fails": "0.5", "fails_at_least": "0.9"}, "is another way"),
        ({"bad_fails": "0.5", "weights": [1] * 40}, "level 1 takes all commits"),
        ({"bad_fails": "0.5", "delta": 3}, "level 1 hides nothing"),
        ({"bad_fails": "unknown", "max_rounds": 3}, "there may be 1000 rounds"),
    ],
)
def test_rates_that_make_no_sense_are_refused(wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        planned(40, **{"level": 1} | wanted)


@pytest.mark.parametrize("good", ["0", "1/20", "0.05-", "0.01..0.1", "unknown"])
@pytest.mark.parametrize("bad", ["1/2", "0.3+", "0.3..0.6", "unknown"])
def test_rates_are_read_as_they_are_written(good: str, bad: str) -> None:
    rates = Rates.of(good, bad)
    assert read_noise(rates.text) == rates == Rates.of(rates.good, rates.bad)
    assert Rate.of(rates.bad.text, "bad_fails") == rates.bad


@pytest.mark.parametrize("rates", [("0.05", "0.6"), ("unknown", "unknown")])
def test_a_session_goes_on_after_any_check(folder: Path, rates: tuple[str, str]) -> None:
    """Every check is on the disk: a session that is opened again wants the same one."""
    history = History.of(folder, good="start", bad="main")
    effort = planned(20, level=1, good_fails=rates[0], bad_fails=rates[1], confidence="0.9")
    session, random = Session.begin(history, effort, ["true"]), Random(5)
    while wanted := session.wanted():
        told = session.checked()
        del session
        session = Session.resume(folder)
        assert (session.checked(), session.wanted()) == (told, wanted)
        session.tell(wanted[0], verdict(wanted[0].commit, 12, (0.05, 0.6), random))
    assert session.candidates() == [history.at(12)]


def test_an_end_may_be_checked_again_where_rates_are_unknown(folder: Path) -> None:
    """It tells how often such commits fail; it cannot be skipped."""
    history = History.of(folder, good="start", bad="main")
    effort = planned(20, level=1, good_fails="unknown", bad_fails="unknown")
    session = Session.begin(history, effort, ["true"])
    while (test := session.wanted()[0]).commit not in (0, 20):
        session.tell(test, "good")
    with pytest.raises(WrongEnd, match="cannot be checked"):
        session.tell(test, "skip")
    session.tell(test, "bad")
    del session
    assert Session.resume(folder).checked()[-1] == (test.commit, "bad")


def test_the_command_finds_the_commit(folder: Path, say: Say) -> None:
    """A check that never errs does too, and nothing is complained of."""
    flags = ["--good-fails", "0.05-", "--bad-fails", "0.6+", "--confidence", "0.9"]
    check = ["--", "sh", "-c", "test $(cat number) -lt 12"]
    code, printed, said = say("--good", "start", "--skip", "main~3", *flags, *check)
    assert code == 0
    assert "The first bad commit is" in printed
    assert "commit 12" in printed
    assert "it ends when one commit is sure enough" in said
    assert "contradict" not in said


def test_a_good_end_that_fails_where_good_commits_never_do_is_refused(
    folder: Path, say: Say
) -> None:
    code, _, said = say("--good", "start", "--bad-fails", "0.5+", "--", "sh", "-c", "exit 1")
    assert code == 3
    assert "was said to be good, and fails the check" in said


def test_unknown_above_level_1_is_one_clear_error(folder: Path, say: Say) -> None:
    flags = ["--good-fails", "unknown", "--bad-fails", "0.6", "--level", "3"]
    code, _, said = say("--good", "start", *flags, "--", "true")
    assert code == 2
    assert "--good-fails unknown: above level 1" in said


@pytest.mark.parametrize("rates", [("0.05", "0.6"), ("unknown", "unknown")])
def test_every_verdict_can_be_taken_back_where_nothing_is_hidden(
    folder: Path, rates: tuple[str, str]
) -> None:
    """Of several rounds too; then the same checks are wanted as before each of them."""
    history = History.of(folder, good="start", bad="main")
    effort = planned(20, level=1, good_fails=rates[0], bad_fails=rates[1])
    session, before = Session.begin(history, effort, ["true"]), list[int]()
    for said in ("bad", "good", "bad", "good"):
        before.append(session.wanted()[0].commit)
        session.tell(session.wanted()[0], said)
    for commit in reversed(before):
        del session
        session = Session.undo(folder).session
        assert [each.commit for each in session.wanted()] == [commit]


@pytest.mark.parametrize(
    "wanted", [{"p": "0.9"}, {"good_fails": "0.1", "bad_fails": "0.9"}, {"p": "0.9+"}]
)
def test_verdicts_that_disagree_with_the_result_are_counted(
    folder: Path, wanted: dict[str, Any]
) -> None:
    """Of a check that says something else each time about half do, where one in ten is stated."""
    history = History.of(folder, good="start", bad="main")
    session = Session.begin(history, planned(20, level=1, **wanted), ["true"])
    said = dict[int, Verdict]()
    while tests := session.wanted():
        commit = tests[0].commit
        said[commit] = "good" if said.get(commit) == "bad" else "bad"
        session.tell(tests[0], said[commit])
    found, first = session.disagreement(), session.bisection.outcome.first
    assert found is not None
    rows = session.checked()
    wrong = sum((commit >= first) != (verdict == "bad") for commit, verdict in rows)
    assert (found.wrong, found.told) == (wrong, len(rows))
    assert found.expected == pytest.approx(len(rows) / 10)
    tail = sum(
        math.comb(len(rows), k) * 0.1**k * 0.9 ** (len(rows) - k)
        for k in range(wrong, len(rows) + 1)
    )
    assert found.chance == pytest.approx(tail)
    assert found.chance < 0.01


def test_the_result_says_how_many_verdicts_disagree_with_it(folder: Path, say: Say) -> None:
    for flags in (["--p", "0.9"], ["--p", "unknown"], ["--good-fails", "unknown"]):
        check = ["sh", "-c", "test $(cat number) -lt 12"]
        code, _, said = say("--good", "start", "--trust-ends", *flags, "--", *check)
        assert code == 0
        found = re.search(r"0 of (\d+) verdicts disagree with this result(; about (\S+) do)?", said)
        assert found is not None
        assert (found[3] is None) is ("unknown" in flags)
        if found[3] is not None:
            assert float(found[3]) == pytest.approx(int(found[1]) / 10, abs=0.06)
        assert "may well be wrong" not in said
