"""Store a bisection in the repository's git folder, so that it can continue after any end."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import BadState, TooLarge
from feint.integrations.git.bisection import Bisection, Test
from feint.integrations.git.checks import Crash, Verdict
from feint.integrations.git.effort import Effort
from feint.integrations.git.ends import WrongEnd
from feint.integrations.git.history import History
from feint.integrations.git.mistakes import Mistake, success_after
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
from feint.problem import Rates, read_noise
from feint.search import Search, create, keep

_WAKE = 0.2  # seconds: a signal just before a wait does not interrupt it, so waits are short

Check = Callable[[str], Verdict]
"""A function that checks a commit, given its name, and returns the verdict."""


@dataclass(frozen=True)
class End:
    """One check of a commit that was named good, or of the bad one.

    Attributes:
        commit: The number of the commit; 0 and below are good.
    """

    commit: int


class Undone(NamedTuple):
    """The result of taking back a verdict.

    Attributes:
        session: The session without it.
        commit: The number of its commit.
        verdict: The verdict.
        success: The success of the best observer who saw the round that followed it; None if no
            round did, nothing is hidden, or it cannot be computed.
    """

    session: Session
    commit: int
    verdict: Verdict
    success: Fraction | None


class Disagreement(NamedTuple):
    """How many verdicts disagree with the result.

    Attributes:
        wrong: Their number.
        told: The number of all verdicts.
        expected: The number at the stated rates, on average, or at the worst of them; None if a
            rate is unknown.
        chance: The probability of so many or more at these rates.
    """

    wrong: int
    told: int
    expected: float | None
    chance: float


class Session:
    """One bisection of a repository.

    Attributes:
        asked: The arguments that it began with.
        history: The commits.
        bisection: The state of the bisection.
        trees: Its worktrees.
    """

    def __init__(self, place: Path, asked: Asked, history: History, bisection: Bisection) -> None:
        """Store the parts of a session. To get one, call `begin` or `resume`."""
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
        trusted: bool = False,
        skipped: Sequence[int] = (),
        paths: Sequence[str] = (),
        terms: tuple[str, str] = ("good", "bad"),
        sealed: bytes | None = None,
        reuse: bool = False,
    ) -> Session:
        """Start and store a new bisection.

        Args:
            history: The commits.
            effort: The plan.
            command: The check; empty if it runs elsewhere.
            crash: The verdict of a check that crashes, as in `verdict_of`.
            copied: A file or folder that is copied into each worktree, and its path there. Its
                current content is stored.
            verified: Whether the good commits and the bad one are checked first.
            trusted: Whether `verify` does nothing.
            skipped: The numbers of commits that are known not to be checkable.
            paths: The paths that the history was read with.
            terms: The words for good and bad.
            sealed: The check, sealed for the jobs of a CI.
            reuse: Whether worktrees are kept between checks, with their build results.

        Returns:
            The session; no question is shown yet.

        Raises:
            BadState: The repository already has a bisection that has shown questions.
        """
        place = place_of(history.folder)
        if effort.plan is None:
            raise BadState(
                "commits", 1, "there is only one candidate", "there is nothing to search"
            )
        if (place / "session.json").exists() and load_search(place).round >= 0:
            rule = "this repository already has a bisection"
            remedy = "continue it with --resume; --clean removes it, and a second one tells more"
            raise BadState("bisection", place, rule, remedy)
        # files of a bisection that ended before its first question
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
        asked = Asked(
            goods=history.goods,
            bad=history.commits[-1],
            repeats=effort.repeats,
            command=tuple(command),
            crash=crash,
            copied=copied[1] if copied else "",
            verified=verified,
            trusted=trusted,
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
        _write(place, asked)
        return cls(place, asked, history, _bisection_of(search, asked, history))

    @classmethod
    def resume(cls, folder: Path) -> Session:
        """Continue the bisection of a repository.

        Args:
            folder: The repository, or a folder in it.

        Returns:
            The session in its last state, without the leftovers of an earlier run.

        Raises:
            BadState: There is no bisection, or its files are damaged.
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
        """See the state of the bisection of a repository, even while another process runs it.

        Args:
            folder: The repository, or a folder in it.

        Returns:
            The current session, for reading only: new verdicts are not stored.

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
        """Run every remaining check.

        Args:
            check: Runs one check; it may be called from several threads at once.
            jobs: The number of parallel checks.
            end: A callback that ends the running checks if the run ends early.
            progress: A callback that receives the number of answered questions.

        Raises:
            Exposed: Commits that cannot be checked would reveal more than promised.
            Stopped: A check asked to stop.
            WrongEnd: A commit that was named good is not, or the bad one is not bad.
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
        """Run the checks of a round, and take their verdicts.

        A check starts only when a job is free, so that checks that become unnecessary do not run.
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
            Exposed: Commits that cannot be checked would reveal more than promised.
        """
        return self.bisection.open()

    def sealed_check(self) -> bytes | None:
        """Return the sealed check for a CI; None if it was not sealed."""
        path = self.place / "check.sealed"
        return path.read_bytes() if path.exists() else None

    def verify(self) -> bool:
        """Check the ends from now on, unless they are trusted; return True if that is new."""
        if self.asked.verified or self.asked.trusted:
            return False
        self.asked = replace(self.asked, verified=True)
        _write(self.place, self.asked)
        return bool(self.ends())

    def ends(self) -> list[Test | End]:
        """Return the remaining checks of the ends of the history.

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
        """Return the checks that are due now, each as often as needed.

        These are the checks of the open round and of the ends.

        Raises:
            Exposed: As in `open`.
            WrongEnd: As in `ends`.
        """
        # two commits may have the same stand-in
        tests = {self._key(each): each for each in self.open()}
        return self.ends() + [each for each in tests.values() for _ in range(self.left(each))]

    def left(self, test: Test | End) -> int:
        """Return the number of remaining checks of a test."""
        return self._left(self._key(test))

    def _left(self, key: str) -> int:
        counts = self._counts.get(key, Counter())
        if counts["skip"] or (counts["bad"] and not self.bisection.search.plan.private):
            return 0
        return max(0, self.asked.repeats - counts.total())

    def knows(self, once: str) -> bool:
        """Return True if the verdict of the box with this mark was taken before."""
        return any(held.get("once") == once for held in self._lines())

    def tell(self, test: Test | End, verdict: Verdict, *, once: str = "") -> None:
        """Take the verdict of one check, and store it durably.

        Args:
            test: The check.
            verdict: Its result.
            once: The mark of its box, if it came in one.

        Raises:
            WrongEnd: An end is not as named. Nothing is stored then.
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
            # Every line has the same length, so that the size of the file does not reveal verdicts.
            file.write(json.dumps(line).ljust(len(key) + 110) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._count(key, verdict)
        if isinstance(test, Test) and not self.left(test):
            self.bisection.tell(test, self._verdict(key))

    def _check_end(self, end: End, verdict: Verdict) -> None:
        """Refuse an impossible verdict. A bad commit may pass some of several checks."""
        said: Verdict = "bad" if end.commit > 0 else "good"
        noise = self.bisection.search.plan.problem.noise
        may_err = noise is not None
        if isinstance(noise, Rates):
            may_err = noise.bad.low < 1 if end.commit > 0 else noise.good.high > 0
        may_pass = said == "bad" and self.asked.repeats > 1 and verdict == "good"
        if verdict == "skip" or (verdict != said and not may_err and not may_pass):
            raise WrongEnd(self.history.at(end.commit), said=said, verdict=verdict)

    @classmethod
    def undo(cls, folder: Path, *, even_if_seen: bool = False) -> Undone:
        """Undo the last verdict.

        In a private search, questions that depend on a verdict stay visible. So it is undone only
        while its round is open, unless the owner accepts what the next round has shown.

        Args:
            folder: The repository, or a folder in it.
            even_if_seen: Whether to undo it although the next round was shown.

        Raises:
            BadState: There is no verdict; or its round is complete, and the owner does not accept
                that, or the verdict is a skip, or more rounds followed.
        """
        session = cls.resume(folder)
        search, rows = session.bisection.search, session._lines()
        if not rows:
            raise BadState("undo", "no verdict", "there is none yet", "give one first")
        last, success = rows[-1], None
        number = last.get("round", search.round)
        mistakes = session._mistakes()
        is_again = any(each.round == number for each in mistakes)
        is_end = last["commit"] in session.history.ends  # nothing that was asked depends on it
        is_over = number < search.round or not search.open or is_again
        if search.plan.private and is_over and not is_end:
            if not even_if_seen:
                rule = "its round is over, and what was asked because of it cannot be unasked"
                remedy = "--even-if-seen does it, and says what an observer may win with then"
                raise BadState("undo", "the last verdict", rule, remedy)
            mistakes = session._mistaken(mistakes, number, last)
            success = session._success_after(mistakes)
            write_whole(session.place / "mistakes.json", json.dumps([vars(m) for m in mistakes]))
        place, asked, history = session.place, session.asked, session.history
        if not search.plan.private:  # its questions follow from the verdicts alone
            again = Search(search.plan)
        else:
            past = search.events()
            shown = [at for at, each in enumerate(past) if each.get("round") == number]
            if shown and not is_end:  # answers of its round and what followed are left out
                past = past[: shown[0] + 1]
            again = Search.replayed(search.header(), past)
        del session, search  # its file is locked
        (place / "search.again").unlink(missing_ok=True)
        keep(place / "search.again", again)
        (place / "search.again").replace(place / "search.jsonl")
        text = (place / "checks.jsonl").read_text()
        write_whole(
            place / "checks.jsonl", text[: text.rindex("\n", 0, -1) + 1] if rows[1:] else ""
        )
        del again
        session = cls(place, asked, history, _bisection_of(load_search(place), asked, history))
        session._read()
        return Undone(session, last["commit"], last["verdict"], success)

    @property
    def has_mistakes(self) -> bool:
        """Return True if a verdict was taken back after the next round was shown."""
        return bool(self._mistakes())

    def _mistakes(self) -> list[Mistake]:
        path = self.place / "mistakes.json"
        held = json.loads(path.read_text()) if path.exists() else []
        return [Mistake(each["round"], tuple(each["columns"])) for each in held]

    def _mistaken(
        self, mistakes: list[Mistake], number: int, last: dict[str, Any]
    ) -> list[Mistake]:
        """Return the mistakes with the last verdict; refuse one that cannot be audited."""
        search = self.bisection.search
        remedy = "begin again with --clean, which tells more"
        if last["verdict"] == "skip":
            rule = "it was a skip, and other commits were tried in its place"
            raise BadState("undo", "the last verdict", rule, remedy)
        if search.round - number > 1:
            rule = "more than one round followed it"
            raise BadState("undo", "the last verdict", rule, remedy)
        columns = self.bisection.columns(number, last["commit"])
        if number < search.round:
            return [*mistakes, Mistake(number, columns)]
        *before, open_ = mistakes  # the round is open again; this verdict was given before, too
        return [*before, Mistake(number, (*open_.columns, *columns))]

    def _success_after(self, mistakes: Sequence[Mistake]) -> Fraction | None:
        """Return the success of an observer who saw what followed mistakes; None if unknown."""
        plan = self.bisection.search.plan
        if plan.problem.noisy:
            return None
        try:
            return success_after(plan, mistakes, self.bisection.passed)
        except TooLarge:
            return None

    def log(self) -> str:
        """Return the checks in the form that `feint bisect replay` reads. Secret."""
        ends = [self.asked.bad, *self.asked.goods]
        more = [f"--term-good={self.asked.terms[0]}", f"--term-bad={self.asked.terms[1]}"]
        more = more if self.asked.terms != ("good", "bad") else []
        paths = ["--", *self.asked.paths] if self.asked.paths else []
        words = dict(zip(("good", "bad"), self.asked.terms, strict=True))
        lines = [shlex.join(["feint", "bisect", "start", *more, *ends, *paths])]
        width = max(map(len, ("skip", *self.asked.terms)))
        for number, verdict in self.checked():
            name, word = self.history.at(number), words.get(verdict, verdict)
            # Others may see the size of a file, so it must not reveal the verdicts.
            lines.append(f"feint bisect {word.ljust(width)} {name}")
        return "".join(f"{line}\n" for line in lines)

    def keep_log(self) -> None:
        """Keep the log at the end of the bisection, for the owner only."""
        write_whole(kept_log(self.history.folder), self.log())

    def checked(self) -> list[tuple[int, str]]:
        """Return the commit's number and the verdict of every check, in order. Secret."""
        return [(held["commit"], held["verdict"]) for held in self._lines()]

    def clean(self) -> None:
        """Remove all files of the bisection. Checks that others observed stay exposed."""
        self.trees.clean()
        shutil.rmtree(self.place, ignore_errors=True)

    def candidates(self) -> list[str]:
        """Return the commits among which is the first bad one, oldest first. Secret.

        Raises:
            NotDone: The search is not done yet.
        """
        found = self.bisection.outcome
        return [self.history.at(number) for number in range(found.first, found.last + 1)]

    def contradicted(self) -> bool:
        """Return True if verdicts contradict each other, or the result. Secret.

        If commits are checked several times, a bad one may pass all checks, so only a failure of a
        commit that is older than the result is a contradiction. Under noise on both sides, no
        verdict is one.

        Raises:
            NotDone: The search is not done yet.
        """
        if self.bisection.search.plan.problem.noisy:
            return False
        rows = self.checked()
        bad = {commit for commit, verdict in rows if verdict == "bad"}
        good = {commit for commit, verdict in rows if verdict == "good"} - bad
        oldest = min(bad, default=len(self.history))
        passed = 0 if self.asked.repeats > 1 else max(good, default=0)
        return oldest < max(passed, self.bisection.outcome.first)

    def disagreement(self) -> Disagreement | None:
        """Return how many verdicts disagree with the result; None if none may be wrong. Secret.

        Raises:
            NotDone: The search is not done yet.
        """
        noise, first = self.bisection.search.plan.problem.noise, self.bisection.outcome.first
        if noise is None:
            return None
        rows = [
            (commit >= first, said == "bad") for commit, said in self.checked() if said != "skip"
        ]
        counts = Counter(rows)
        wrong = counts[False, True] + counts[True, False]
        good = bad = float(1 - noise.least)
        if isinstance(noise, Rates):
            good, bad = float(noise.good.high), float(1 - noise.bad.low)
        if noise == read_noise("unknown") or good == 1 or bad == 1:  # nothing is said of a rate
            return Disagreement(wrong, len(rows), None, 1.0)
        passed, failed = counts[False, False], counts[True, True]
        goods, bads = passed + counts[False, True], failed + counts[True, False]
        chances = np.convolve(_binomial(goods, good), _binomial(bads, bad))
        return Disagreement(
            wrong, len(rows), goods * good + bads * bad, float(chances[wrong:].sum())
        )

    def _key(self, test: Test | End) -> str:
        """Return the key that counts a check. Under noise every question has separate checks."""
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
        whole = path.read_text().split("\n")[:-1]  # the last line may be incomplete
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


def _binomial(count: int, chance: float) -> NDArray[np.float64]:
    from scipy.stats import binom

    found: NDArray[np.float64] = binom.pmf(np.arange(count + 1), count, chance)
    return found


def _write(place: Path, asked: Asked) -> None:
    write_whole(place / "session.json", json.dumps({"version": VERSION, **vars(asked)}))


def _bisection_of(search: Search, asked: Asked, history: History) -> Bisection:
    """Return the bisection that follows a search."""
    skipped = [history.number(commit) for commit in asked.skipped]
    return Bisection(search, skipped=skipped, level=asked.level)
