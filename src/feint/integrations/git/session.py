"""A bisection that is kept in the repository's git folder, and goes on after any end."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from feint.errors import BadState
from feint.integrations.git.bisection import Bisection, Test
from feint.integrations.git.checks import Crash, Verdict
from feint.integrations.git.effort import Effort
from feint.integrations.git.ends import WrongEnd
from feint.integrations.git.history import History
from feint.integrations.git.storage import (
    VERSION,
    Asked,
    kept_log,
    load_search,
    mend,
    place_of,
    private,
    read_session,
    write_whole,
)
from feint.integrations.git.trees import Trees
from feint.interfaces import Progress
from feint.problem import Rates
from feint.search import Search, create

_WAKE = 0.2  # seconds: a signal may come just before a wait, which it then does not end

Check = Callable[[str], Verdict]
"""From the name of a commit to what a check of it says."""


@dataclass(frozen=True)
class End:
    """One check of a commit that was said to be good, or of the bad one.

    Attributes:
        commit: The number of the commit; 0 and below are good.
    """

    commit: int


class Session:
    """One bisection of a repository.

    Attributes:
        asked: What it was begun with.
        history: The commits.
        bisection: Where it stands.
        trees: Its worktrees.
    """

    def __init__(self, place: Path, asked: Asked, history: History, bisection: Bisection) -> None:
        """Use `begin` or `resume`."""
        self.place, self.asked, self.history = place, asked, history
        self.bisection = bisection
        extra = (place / "check", asked.copied) if asked.copied else None
        self.trees = Trees(history.folder, place / "trees", extra=extra, are_reused=asked.reuse)
        self._counts: dict[str, Counter[str]] = {}

    @classmethod
    def begin(
        cls,
        history: History,
        effort: Effort,
        command: Sequence[str] = (),
        *,
        crash: Crash = "stop",
        copied: tuple[Path, str] | None = None,
        verified: bool = False,
        skipped: Sequence[int] = (),
        paths: Sequence[str] = (),
        terms: tuple[str, str] = ("good", "bad"),
        sealed: bytes | None = None,
        reuse: bool = False,
    ) -> Session:
        """Keep a new bisection.

        Args:
            history: The commits.
            effort: The plan.
            command: The check; none where it is run elsewhere.
            crash: What a check that crashes says, as in `verdict_of`.
            copied: A file or folder that is copied into each worktree, and its path there. It is
                kept as it is now.
            verified: Whether the good commits and the bad one are checked first.
            skipped: The numbers of commits that are known not to be checkable.
            paths: The paths that the history was read with.
            terms: The words for good and bad.
            sealed: The check, sealed for the jobs of a CI.
            reuse: Whether worktrees are kept between checks, with what was built in them.

        Returns:
            The session; no question is shown yet.

        Raises:
            BadState: There is one in this repository already, and it has shown questions.
        """
        place = place_of(history.folder)
        if effort.plan is None:
            raise BadState(
                "commits", 1, "there is one candidate alone", "nothing is to be searched"
            )
        if (place / "session.json").exists() and load_search(place).round >= 0:
            rule = "there is a bisection in this repository already"
            remedy = "go on with --resume; --clean removes it, and another one tells more"
            raise BadState("bisection", place, rule, remedy)
        shutil.rmtree(place, ignore_errors=True)  # of one that ended before it asked anything
        place.mkdir(mode=0o700)
        asked = Asked(
            goods=history.goods,
            bad=history.commits[-1],
            repeats=effort.repeats,
            command=tuple(command),
            crash=crash,
            copied=copied[1] if copied else "",
            verified=verified,
            level=effort.level,
            skipped=tuple(history.at(number) for number in skipped),
            paths=tuple(paths),
            terms=terms,
            reuse=reuse,
        )
        if copied:
            keep = shutil.copytree if copied[0].is_dir() else shutil.copy
            keep(copied[0], place / "check")
        if sealed is not None:
            (place / "check.sealed").write_bytes(sealed)
        search = create(place / "search.jsonl", effort.plan)
        write_whole(place / "session.json", json.dumps({"version": VERSION, **vars(asked)}))
        return cls(place, asked, history, _bisection_of(search, asked, history))

    @classmethod
    def resume(cls, folder: Path) -> Session:
        """Go on with the bisection of a repository.

        Args:
            folder: The repository, or a folder in it.

        Returns:
            The session where it stood, with what an earlier run left behind removed.

        Raises:
            BadState: There is none, or its files are damaged.
            InvalidValue: Its commits are gone.
        """
        place, asked, history = read_session(folder)
        session = cls(place, asked, history, _bisection_of(load_search(place), asked, history))
        mend(place / "checks.jsonl")
        session.trees.clean()
        session._read()
        return session

    @classmethod
    def look(cls, folder: Path) -> Session:
        """See where the bisection of a repository stands, also while another process goes on.

        Args:
            folder: The repository, or a folder in it.

        Returns:
            The session as it stands, to be read alone: what it is told is not kept.

        Raises:
            BadState, InvalidValue: As in `resume`.
        """
        place, asked, history = read_session(folder)
        with TemporaryDirectory(dir=place) as copy:
            shutil.copy(place / "search.jsonl", copy)
            search = load_search(Path(copy))
            session = cls(place, asked, history, _bisection_of(search, asked, history))
            session._read()
        return session

    def run(
        self,
        check: Check,
        *,
        jobs: int = 1,
        end: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Make every check that is left.

        Args:
            check: What makes one; it may be called from several threads at once.
            jobs: How many are made at the same time.
            end: Called when something ends the run early, to end the checks that are being made.
            progress: Told how many questions are answered.

        Raises:
            Exposed: Commits that cannot be checked would tell more than was promised.
            Stopped: A check asked to stop.
            WrongEnd: A commit that was said to be good is not, or the bad one is not bad.
        """
        with ThreadPoolExecutor(jobs) as pool:
            try:
                while tests := self.ends() or self.wanted():
                    self._checked(tests, check, pool, jobs, progress)
            except BaseException:
                if end is not None:
                    end()
                raise

    def _checked(
        self,
        tests: Sequence[Test | End],
        check: Check,
        pool: Executor,
        jobs: int,
        progress: Progress | None,
    ) -> None:
        """Make the checks of a round, and tell what came out.

        A check begins when there is room for it, so that none is made that is not needed any more.
        """
        search = self.bisection.search
        queue = deque(tests)
        waiting = dict[Future[Verdict], Test | End]()
        while queue or waiting:
            while queue and len(waiting) < jobs:
                test = queue.popleft()
                if self.left(test):
                    waiting[pool.submit(check, self.history.at(test.commit))] = test
            for future in wait(waiting, _WAKE, return_when=FIRST_COMPLETED).done:
                self.tell(waiting.pop(future), future.result())
                if progress is not None:
                    done = self.bisection.answered
                    progress("questions", done, search.answered + search.left)

    def open(self) -> list[Test]:
        """Return the checks that the open round needs, one for each question.

        Raises:
            Exposed: Commits that cannot be checked would tell more than was promised.
        """
        return self.bisection.open()

    def sealed_check(self) -> bytes | None:
        """Return the check as it may be given to a CI; None if it was not sealed."""
        path = self.place / "check.sealed"
        return path.read_bytes() if path.exists() else None

    def ends(self) -> list[Test | End]:
        """Return the checks of the ends of the history that are still to be made.

        Raises:
            WrongEnd: The bad commit has passed all of its checks.
        """
        if not self.asked.verified:
            return []
        found = list[Test | End]()
        for number in self.history.ends:
            end = End(number)
            found += [end] * self.left(end)
            passed = not self.left(end) and not self._counts[self._key(end)]["bad"]
            if number > 0 and passed and not self.bisection.search.plan.problem.noisy:
                raise WrongEnd(self.history.at(number), said="bad", verdict="good")
        return found

    def wanted(self) -> list[Test | End]:
        """Return the checks that are still to be made now: a test as often as is needed.

        These are those of the open round and those of the ends, which are known to be on the list.

        Raises:
            Exposed: As in `open`.
            WrongEnd: As in `ends`.
        """
        tests = {self._key(each): each for each in self.open()}  # two may have one stand-in
        return self.ends() + [each for each in tests.values() for _ in range(self.left(each))]

    def left(self, test: Test | End) -> int:
        """How many checks of a test are still to be made."""
        return self._left(self._key(test))

    def _left(self, key: str) -> int:
        counts = self._counts.get(key, Counter())
        if counts["skip"] or (counts["bad"] and not self.bisection.search.plan.private):
            return 0
        return max(0, self.asked.repeats - counts.total())

    def knows(self, once: str) -> bool:
        """Whether the verdict of the box with this mark was taken before."""
        return any(held.get("once") == once for held in self._lines())

    def tell(self, test: Test | End, verdict: Verdict, *, once: str = "") -> None:
        """Take the verdict of one check, and keep it on the disk.

        Args:
            test: What was checked.
            verdict: What came out.
            once: The mark of the box that it came in, if it came in one.

        Raises:
            WrongEnd: An end is not what it was said to be. Nothing is kept then.
        """
        if isinstance(test, End):
            self._check_end(test, verdict)
        elif verdict == "skip" and test.commit in (0, len(self.history)):
            said = "bad" if test.commit else "good"
            raise WrongEnd(self.history.at(test.commit), said=said, verdict=verdict)
        key = self._key(test)
        line = {"check": key, "commit": test.commit, "verdict": verdict, "once": once}
        line["round"] = self.bisection.search.round
        with open(self.place / "checks.jsonl", "a", opener=private) as file:
            # Every line of a history has one length, whatever the verdict.
            file.write(json.dumps(line).ljust(len(key) + 110) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._count(key, verdict)
        if isinstance(test, Test) and not self.left(test):
            self.bisection.tell(test, self._verdict(key))

    def _check_end(self, end: End, verdict: Verdict) -> None:
        """Refuse a verdict that cannot be. A bad commit may pass some of several checks."""
        said: Verdict = "bad" if end.commit > 0 else "good"
        noise = self.bisection.search.plan.problem.noise
        may_err = noise is not None
        if isinstance(noise, Rates):
            may_err = noise.bad.low < 1 if end.commit > 0 else noise.good.high > 0
        may_pass = said == "bad" and self.asked.repeats > 1 and verdict == "good"
        if verdict == "skip" or (verdict != said and not may_err and not may_pass):
            raise WrongEnd(self.history.at(end.commit), said=said, verdict=verdict)

    @classmethod
    def undo(cls, folder: Path) -> tuple[Session, int, Verdict]:
        """Take back the last verdict.

        Where something is hidden, questions that were asked because of it cannot be unasked. So it
        is taken back only while its round is open.

        Args:
            folder: The repository, or a folder in it.

        Returns:
            The session without it; the number of the commit, and what was said of it.

        Raises:
            BadState: There is no verdict, or its round is over.
        """
        session = cls.resume(folder)
        search, rows = session.bisection.search, session._lines()
        if not rows:
            raise BadState("undo", "no verdict", "there is none yet", "give one first")
        last = rows[-1]
        is_open = last.get("round") == search.round and search.open > 0
        if search.plan.private and not is_open:
            rule = "its round is over, and what was asked because of it cannot be unasked"
            remedy = "begin again with --clean, which tells more"
            raise BadState("undo", "the last verdict", rule, remedy)
        place, asked, history = session.place, session.asked, session.history
        text = (place / "checks.jsonl").read_text()
        write_whole(
            place / "checks.jsonl", text[: text.rindex("\n", 0, -1) + 1] if rows[1:] else ""
        )
        if not search.plan.private:  # its questions follow from the verdicts alone
            (place / "search.jsonl").unlink()
            search = create(place / "search.jsonl", search.plan)
        again = cls(place, asked, history, _bisection_of(search, asked, history))
        again._read()
        return again, last["commit"], last["verdict"]

    def log(self) -> str:
        """Return what was checked, as `feint bisect replay` reads it. Secret."""
        ends = [self.asked.bad, *self.asked.goods]
        more = [f"--term-good={self.asked.terms[0]}", f"--term-bad={self.asked.terms[1]}"]
        more = more if self.asked.terms != ("good", "bad") else []
        paths = ["--", *self.asked.paths] if self.asked.paths else []
        words = dict(zip(("good", "bad"), self.asked.terms, strict=True))
        lines = [shlex.join(["feint", "bisect", "start", *more, *ends, *paths])]
        width = max(map(len, ("skip", *self.asked.terms)))
        for number, verdict in self.checked():
            name, word = self.history.at(number), words.get(verdict, verdict)
            # The size of a file, which others may see, does not tell the verdicts.
            lines.append(f"feint bisect {word.ljust(width)} {name}")
        return "".join(f"{line}\n" for line in lines)

    def keep_log(self) -> None:
        """Keep the log when the bisection ends, for the owner's eyes alone."""
        write_whole(kept_log(self.history.folder), self.log())

    def checked(self) -> list[tuple[int, str]]:
        """Every check that was made: the commit's number and the verdict, in order. Secret."""
        return [(held["commit"], held["verdict"]) for held in self._lines()]

    def clean(self) -> None:
        """Remove everything that the bisection kept; what was asked cannot be unasked."""
        self.trees.clean()
        shutil.rmtree(self.place, ignore_errors=True)

    def candidates(self) -> list[str]:
        """The commits of which one is the first bad one, oldest first. Secret.

        Raises:
            NotDone: It is not found yet.
        """
        found = self.bisection.outcome
        return [self.history.at(number) for number in range(found.first, found.last + 1)]

    def contradicted(self) -> bool:
        """Whether verdicts do not fit each other, or what was found. Secret.

        Where commits are checked several times a bad one may pass all of them, and a commit that
        passes is no surprise; one that fails and is older than what was found is. Under noise on
        both sides anything may come.

        Raises:
            NotDone: It is not found yet.
        """
        if self.bisection.search.plan.problem.noisy:
            return False
        rows = self.checked()
        bad = {commit for commit, verdict in rows if verdict == "bad"}
        good = {commit for commit, verdict in rows if verdict == "good"} - bad
        oldest = min(bad, default=len(self.history))
        passed = 0 if self.asked.repeats > 1 else max(good, default=0)
        return oldest < max(passed, self.bisection.outcome.first)

    def _key(self, test: Test | End) -> str:
        """What a check is counted under: under noise every question has checks of its own."""
        name = self.history.at(test.commit)
        if isinstance(test, End) or test.query is None:
            return name
        noisy = self.bisection.search.plan.problem.noisy
        return f"{test.query.id} {name}" if noisy else name

    def _verdict(self, key: str) -> Verdict:
        counts = self._counts[key]
        if counts["skip"]:
            return "skip"
        return "bad" if counts["bad"] else "good"

    def _count(self, key: str, verdict: str) -> None:
        self._counts.setdefault(key, Counter())[verdict] += 1

    def _lines(self) -> list[dict[str, Any]]:
        path = self.place / "checks.jsonl"
        if not path.exists():
            return []
        whole = path.read_text().split("\n")[:-1]  # the last line may be cut off
        return [json.loads(line) for line in whole]

    def _read(self) -> None:
        numbers = dict[str, int]()
        for held in self._lines():
            self._count(held["check"], held["verdict"])
            numbers[held["check"]] = held["commit"]
        for key, commit in numbers.items():
            name, _, _ = key.rpartition(" ")
            is_open = 0 < commit < len(self.history) or (name and self.bisection.checks_ends)
            if is_open and not self._left(key):
                self.bisection.recall(name, commit, self._verdict(key))
        self.bisection.shown()


def _bisection_of(search: Search, asked: Asked, history: History) -> Bisection:
    """Return the bisection that follows a search."""
    skipped = [history.number(commit) for commit in asked.skipped]
    return Bisection(search, skipped=skipped, level=asked.level)
