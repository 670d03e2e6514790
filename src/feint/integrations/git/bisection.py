"""Choose the commits of a private bisection, and interpret verdicts, without git and files.

Commits are numbered from 1 to m, oldest first. The search is for the number of the first bad one; 0
is known to be good and m to be bad. The question "is it at least q?" is a check of commit q − 1:
good means yes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from feint.errors import InvalidValue
from feint.integrations.git.checks import Verdict
from feint.integrations.git.standins import Known
from feint.planning import Plan
from feint.problem import Query, Told
from feint.search import Search
from feint.simulate.oracles import Bracket
from feint.strategies import UnknownRates

_FEW = 8  # the most commits to try after the search; see `Bisection._narrowing`


class Exposed(Exception):
    """Raised if continuing would reveal more than promised: too many commits cannot be checked.

    Attributes:
        success: The least bound on an observer's success that could be kept if the run continued;
            None: no commit is left that can be the answer.
    """

    def __init__(self, success: Fraction | None, level: int) -> None:
        """Name the observer's possible success and the promised one."""
        found = "any probability"
        if success is not None:
            found = f"probability up to {float(success):.4f}"
        super().__init__(
            f"with the commits that cannot be checked an observer could win with {found}, and"
            f" 1/{level} was promised; name them from the beginning with --skip, or bisect a"
            " shorter history, or a lower level"
        )
        self.success = success


@dataclass(frozen=True)
class Test:
    """One check to make.

    Attributes:
        query: The question that it answers; None: it only narrows down the result.
        commit: The number of the commit to check.
    """

    query: Query | None
    commit: int


@dataclass(frozen=True)
class Outcome:
    """The result of a bisection. Secret.

    Attributes:
        first: The number of the oldest commit that may be the first bad one.
        last: The number of the youngest. It differs only if commits cannot be checked.
    """

    first: int
    last: int


class Bisection:
    """A search for the first bad commit.

    Verdicts need not be consistent: a flaky check may pass on a bad commit, and a bug may disappear
    and return. Once all verdicts of a round are known, the search gets consistent answers: it
    follows the oldest of several changes from good to bad among the commits that can still be the
    first bad one. So the result failed its check and the commit before it passed, as with git. If a
    check never fails on good commits, a single answer decides a round, that of the oldest bad
    commit checked in it. Under noise on both sides the search gets every verdict.

    Attributes:
        search: The search that the bisection follows.
        skipped: The numbers of commits that cannot be checked.
        level: L. The promise is that an observer wins with probability at most 1/L.
    """

    def __init__(
        self, search: Search, *, skipped: Iterable[int] = (), level: int | None = None
    ) -> None:
        """Take over a search whose values are the commits.

        Args:
            search: A search for one of m whole values.
            skipped: The commits that are known not to be checkable. Call `audit` before the first
                check: it raises if they alone reveal too much.
            level: L; None: the level of the plan. A plan for a higher level leaves room for commits
                that cannot be checked.
        """
        self.search = search
        self.skipped = set(skipped)
        self.level = search.plan.problem.level if level is None else level
        self._rounds = 0  # rounds whose answering commits are known
        self._answering: dict[int, int] = {}  # by the commit of the question
        self._commits = _size(search.plan)
        self._known = Known(self._commits, self.skipped)
        self._verdicts: dict[tuple[str, int], bool] = {}  # by question (under noise) and commit

    @property
    def done(self) -> bool:
        """Whether the first bad commit is found."""
        return self.search.done and not self._narrowing()

    @property
    def answered(self) -> int:
        """The number of questions with a verdict."""
        open_ = [each for each in self.search.current if self.search.told(each.id) is None]
        known = ((each.id, self._known.stand_in(_asked(each))[0]) for each in open_)
        return self.search.answered + sum(self._verdict(*each) is not None for each in known)

    @property
    def checks_ends(self) -> bool:
        """Whether the ends of the history may be checked again, to learn how often checks fail."""
        return isinstance(self.search.plan.strategy, UnknownRates)

    @property
    def _is_noisy(self) -> bool:
        return self.search.plan.problem.noisy

    @property
    def is_plain(self) -> bool:
        """Whether nothing is hidden and verdicts are right, so that any commit may be checked."""
        return not self.search.plan.private and not self._is_noisy

    def open(self) -> list[Test]:
        """Return the checks that the open round still needs, in the order of the commits.

        If some commits of a round cannot be checked, others are checked in their place once all
        earlier checks are known, so that the order of verdicts makes no difference. Questions whose
        verdict is already known are answered on the way.

        Raises:
            Exposed: Commits cannot be checked, and continuing would reveal more than promised.
        """
        while True:
            tests = self.shown()
            if not tests and self.search.done:
                return self._narrowing()
            self.audit()  # check this before another commit is checked or a round is shown
            if tests:
                return sorted(tests, key=lambda test: test.commit)
            self.search.ask()

    def shown(self) -> list[Test]:
        """Return the missing checks of the round shown last; none if none was shown yet."""
        if self.search.round < 0:
            return []
        if self.is_plain:
            return self._next_plain()
        if self._rounds < self.search.round:
            self._replay()
        queries = self.search.current
        asked, names = [_asked(each) for each in queries], [each.id for each in queries]
        found, is_settled = self._settle(asked, names)
        pairs = list(zip(queries, found, strict=True))
        if is_settled:
            self._hold([each for each in pairs if self.search.told(each[0].id) is None])
            return []
        return [Test(*each) for each in pairs if not self._is_in(each[0].id, each[1])]

    def _next_plain(self) -> list[Test]:
        """Return the next check of a plain bisection, if its verdict does not follow already."""
        found = self._bracket()
        for query in self.search.current:
            commit = _asked(query)
            if self.search.told(query.id) is not None:
                continue
            stand_in, is_last = self._known.stand_in(commit)
            is_good = self._verdict("", stand_in) if is_last else None
            if not found.low < commit < found.high:
                is_good = commit <= found.low
            if is_good is None:
                return [Test(query, stand_in)]
            self.search.tell(query.id, is_good)
        return []

    def _replay(self) -> None:
        """Find the commits that answered the questions of complete rounds."""
        rounds = defaultdict[int, list[int]](list)
        for each in self.search.history:
            rounds[each.round].append(_asked(each))
        for number in range(self._rounds, self.search.round):
            self._settle(rounds[number], [""] * len(rounds[number]), is_past=True)
        self._rounds = self.search.round

    def _settle(
        self, asked: Sequence[int], names: Sequence[str], *, is_past: bool = False
    ) -> tuple[list[int], bool]:
        """Find the commits that answer the questions of a round, given the verdicts so far.

        This proceeds in steps. The results of a step are used once all of its checks are made. So
        the checks depend only on the questions and on which commits cannot be checked.

        Args:
            asked: The commits of the questions.
            names: The questions.
            is_past: Whether the round is complete, so that all verdicts are known.

        Returns:
            The commits of the last step, and whether they answer all questions.
        """
        while True:
            found = [self._known.stand_in(commit) for commit in asked]
            commits = [commit for commit, _ in found]
            pairs = zip(names, commits, strict=True)
            if not is_past and not all(self._is_in(*each) for each in pairs):
                return commits, False
            for commit in commits:
                self._known.note(commit, is_skipped=commit in self.skipped)
            if all(is_last for _, is_last in found) and not self.skipped.intersection(commits):
                for each in asked:
                    self._answering[each] = self._known.resolve(each)
                return commits, True

    def _is_in(self, name: str, commit: int) -> bool:
        """Return True if a question needs no further check of a commit."""
        return commit in self.skipped or self._verdict(name, commit) is not None

    def _verdict(self, name: str, commit: int) -> bool | None:
        """Return the verdict on a commit for a question; under noise, of that question's checks."""
        if commit in (0, self._commits) and not self.checks_ends:
            return commit == 0
        return self._verdicts.get((name if self._is_noisy else "", commit))

    def tell(self, test: Test, verdict: Verdict) -> None:
        """Take a verdict.

        Args:
            test: The check.
            verdict: Its result; "skip" means only that the commit cannot be checked.
        """
        name = "" if test.query is None else test.query.id
        self.recall(name, test.commit, verdict)
        self.shown()

    def recall(self, name: str, commit: int, verdict: Verdict) -> None:
        """Store a verdict of an earlier run for a question, for use when it is needed."""
        if self.is_plain:  # otherwise the verdict counts at the end of its step
            self._known.note(commit, is_skipped=verdict == "skip")
        if verdict == "skip":
            self.skipped.add(commit)
        else:
            self._verdicts[name if self._is_noisy else "", commit] = verdict == "good"

    def _hold(self, pairs: Sequence[tuple[Query, int]]) -> None:
        """Answer the questions of a complete round in the search."""
        if not pairs:
            return
        commits = [commit for _, commit in pairs]
        seen = [bool(self._verdict(query.id, commit)) for query, commit in pairs]
        answers = seen if self._is_noisy else self._told().take(commits, seen)
        names = [query.id for query, _ in pairs]
        self.search.tell_all(dict(zip(names, answers, strict=True)))

    def _told(self) -> Bracket:
        """Return the youngest good and the oldest bad commit according to the search's answers."""
        if self.is_plain:  # the search has no other answers than those from verdicts
            return Bracket(0, self._commits)
        answered = (each for each in self.search.history if each.answer is not None)
        told = [(self._answering[_asked(each)], each.answer) for each in answered]
        low = max((commit for commit, good in told if good), default=0)
        high = min((commit for commit, good in told if not good), default=self._commits)
        return Bracket(low, high)

    def _bracket(self) -> Bracket:
        """Return the youngest good and the oldest bad commit, by all verdicts between them."""
        found = self._told()
        if self._verdicts:
            found.take([commit for _, commit in self._verdicts], [*self._verdicts.values()])
        return found

    def _narrowing(self) -> list[Test]:
        """Return the check that narrows down the result of a plain bisection.

        Commits that were passed over may be among the candidates. A few of them are tried. If there
        are many, they are almost certainly a run of commits that cannot be checked.
        """
        if not self.is_plain:
            return []
        found = self._bracket()
        between = range(int(found.low) + 1, int(found.high))
        left = [commit for commit in between if commit not in self.skipped]
        return [Test(None, left[len(left) // 2])] if 0 < len(left) <= _FEW else []

    def columns(self, round_: int, commit: int) -> tuple[int, ...]:
        """Return the columns of the questions of a complete round that a commit answered."""
        self.shown()
        asked = [each for each in self.search.history if each.round == round_]
        found = [each for each in asked if self._answering.get(_asked(each)) == commit]
        return tuple(int(each.id.partition(".")[2]) for each in found)

    @property
    def passed(self) -> frozenset[int]:
        """The commits that are taken to be no answer: skipped, or passed over among such."""
        return frozenset(self._known.passed)

    def audit(self) -> Fraction | None:
        """Check that continuing keeps the promise, given the commits that cannot be checked.

        The promise is about first bad commits that can be the answer: those that can be checked
        themselves and are not passed over. For these, every question gets the answer it would get
        if all commits could be checked. So an observer, who may know all of the others, wins with
        at most the plan's success, divided by the probability that the first bad commit is not
        one of the others (`proofs/skips.md`). The run continues while that is at most 1/level for
        the commits known so far that cannot be checked or were passed over.

        Only the questions shown and the commits skipped are used, never an answer, so stopping
        reveals nothing that the questions do not. Skips of a step count once all of its checks are
        made, so the order of verdicts does not matter.

        Returns:
            The largest success of the best observer, 1/level; None if nothing is promised.

        Raises:
            Exposed: The promise could not be kept if the run continued.
        """
        plan = self.search.plan
        if not plan.private:
            return None
        prior, success = plan.problem.prior, plan.adversary_success
        if success is None:
            success = Fraction(1, plan.problem.level)
        odds = [1] * self._commits if prior is None else prior[0].weights
        lost = sum(odds[commit - 1] for commit in self._known.passed)
        if lost == sum(odds):
            raise Exposed(None, self.level)
        used = success / (1 - Fraction(lost, sum(odds)))
        if used * self.level > 1:
            raise Exposed(used, self.level)
        return Fraction(1, self.level)

    @property
    def remaining(self) -> Outcome:
        """The commits that can still be the first bad one, by the verdicts so far. Secret.

        Under noise on both sides no verdict excludes a commit, so these are all of them.
        """
        if self._is_noisy:
            return Outcome(1, self._commits)
        found = self._bracket()
        return Outcome(int(found.low) + 1, int(found.high))

    @property
    def outcome(self) -> Outcome:
        """The result, once the bisection is done.

        Raises:
            NotDone: Some questions are open.
        """
        first = int(self.search.result.estimate)
        if not self._is_noisy:
            return self.remaining
        low, _ = self._known.stand_in(first - 1)
        high = next(each for each in range(first, self._commits + 1) if each not in self.skipped)
        return Outcome(low + 1, high)


def _size(plan: Plan) -> int:
    values = plan.problem.values
    if values is None or plan.problem.dim != 1:
        rule = "must be for whole values in one dimension"
        raise InvalidValue("plan", plan.method, rule, "make it with feint.integrations.git.planned")
    return values


def _asked(query: Query | Told) -> int:
    """Return the commit whose check answers a question."""
    return int(query.value) - 1
