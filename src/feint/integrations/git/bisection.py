"""The core of a private bisection: which commits to check, what the verdicts say. No git, no files.

Commits are numbered from 1 to m, oldest first, and the first bad one is the number sought; 0 is
known to be good and m to be bad. A question "is it at least q?" is a check of commit q − 1: good
says yes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from feint.branches import Posteriors, branches
from feint.errors import InvalidValue
from feint.integrations.git.checks import Verdict
from feint.interfaces import UNASKED
from feint.planning import Plan
from feint.problem import UNIFORM, Query, Told
from feint.search import Search
from feint.simulate.oracles import Bracket


class Exposed(Exception):
    """Going on would tell more than was promised: too many commits cannot be checked.

    Attributes:
        success: The least bound on an observer's success that could be kept if the run went on;
            None: it cannot be computed, such as under noise.
    """

    def __init__(self, success: Fraction | None, level: int) -> None:
        """Say what an observer could win with, and what was promised."""
        found = "a probability that cannot be computed"
        if success is not None:
            found = f"probability up to {float(success):.4f}"
        super().__init__(
            f"with the commits that cannot be checked an observer could win with {found}, and"
            f" 1/{level} was promised; bisect a shorter history, or a lower level"
        )
        self.success = success


@dataclass(frozen=True)
class Test:
    """One check that is to be made.

    Attributes:
        query: The question that it answers.
        commit: The number of the commit to check.
    """

    query: Query
    commit: int


@dataclass(frozen=True)
class Outcome:
    """What a bisection found. Secret.

    Attributes:
        first: The number of the oldest commit that may be the first bad one.
        last: The number of the youngest; the same, but for commits that cannot be checked.
    """

    first: int
    last: int


class Bisection:
    """A search for the first bad commit.

    Verdicts need not fit each other: a flaky check may pass on a bad commit, and a bug may come,
    go and come again. Once all of a round are in, the search is told answers that do: of several
    changes from good to bad among the commits that can still be the first bad one, the oldest is
    followed. So the commit that is named was seen to be bad and the one before it good, as with
    git; and of a check that never fails on good commits one answer alone decides a round, that of
    the oldest bad commit checked in it. Under noise on both sides the search is told every verdict.

    Attributes:
        search: The search it follows.
        skipped: The numbers of commits that cannot be checked.
    """

    def __init__(self, search: Search, *, skipped: Iterable[int] = ()) -> None:
        """Take over a search whose values are the commits.

        Args:
            search: A search for one of m whole values.
            skipped: The commits that are known not to be checkable. Call `audit` before the first
                check: it raises if they alone tell too much.
        """
        self.search = search
        self.skipped = set(skipped)
        self._known = frozenset(self.skipped)  # the audit starts from what is known beforehand
        self._audited: frozenset[int] | None = None  # the skips of the last audit that passed
        self._commits = _size(search.plan)
        self._held: dict[str, tuple[int, bool]] = {}  # of the open round: the commit, is it good

    @property
    def done(self) -> bool:
        """Whether the first bad commit is found."""
        return self.search.done

    @property
    def answered(self) -> int:
        """How many questions have a verdict."""
        return self.search.answered + len(self._held)

    def open(self) -> list[Test]:
        """Return the checks that the open round still needs, in the order of the commits.

        If some commits of a round cannot be checked, others are checked in their place once all
        checks of the round are in, so that the order of verdicts makes no difference. Questions
        are answered on the way if an end of the history, which is known, is checked in their place.

        Raises:
            Exposed: Commits cannot be checked, and to go on would tell more than was promised.
        """
        while True:
            tests, skipped = self._step()
            if skipped != self._known:  # before another commit is checked or a round is shown
                self.audit()
            if not tests:
                if self.search.done:
                    return []
                self.search.ask()
                continue
            ends = [test for test in tests if test.commit in (0, self._commits)]
            for test in ends:
                self._hold(test, test.commit == 0)
            if len(ends) < len(tests):
                left = [test for test in tests if test not in ends]
                return sorted(left, key=lambda test: (test.commit, test.query.id))

    def shown(self) -> list[Test]:
        """Return the checks that the round shown last still needs; none if none was shown yet."""
        return self._step()[0]

    def _step(self) -> tuple[list[Test], frozenset[int]]:
        """Return the checks that are next in the round shown last, and the skips they react to.

        Skips found meanwhile are reacted to in the next step, when these checks are in. So the
        reaction follows from the questions and from which commits are skipped.
        """
        if self.search.round < 0:
            return [], frozenset(self.skipped)
        *_, known = self._skips_by_round()
        queries = self.search.current
        while True:
            tests = [
                Test(query, _stand_in(_asked(query), self._commits, known)) for query in queries
            ]
            left = [
                test
                for test in tests
                if test.commit not in self.skipped and not self._is_answered(test.query)
            ]
            more = self.skipped & {test.commit for test in tests}
            if left or not more:
                return left, known
            known |= more

    def _is_answered(self, query: Query) -> bool:
        return query.id in self._held or self.search.told(query.id) is not None

    def stand_in(self, commit: int) -> int:
        """Return the nearest commit that can be checked; of two, the older."""
        return _stand_in(commit, self._commits, self.skipped)

    def tell(self, test: Test, verdict: Verdict) -> None:
        """Take a verdict.

        Args:
            test: What was checked.
            verdict: What came out; "skip" only says that the commit cannot be checked.
        """
        if verdict == "skip":
            self.skipped.add(test.commit)
        else:
            self._hold(test, verdict == "good")

    def _hold(self, test: Test, good: bool) -> None:
        """Keep a verdict until its round is whole, and tell the search then."""
        if self.search.told(test.query.id) is not None:
            return
        self._held[test.query.id] = test.commit, good
        if len(self._held) < self.search.open:
            return
        commits, seen = zip(*self._held.values(), strict=True)
        noisy = self.search.plan.problem.noisy
        answers = seen if noisy else self._bracket().take(commits, seen)
        self.search.tell_all(dict(zip(self._held, answers, strict=True)))
        self._held.clear()

    def _bracket(self) -> Bracket:
        """The youngest commit that the search was told is good, and the oldest that is bad."""
        told = [(self.stand_in(_asked(each)), each.answer) for each in self.search.history]
        low = max((commit for commit, good in told if good), default=0)
        high = min((commit for commit, good in told if good is False), default=self._commits)
        return Bracket(low, high)

    def audit(self) -> Fraction | None:
        """Check that going on keeps the promise, for an observer who knows what cannot be checked.

        The observer may know every commit that cannot be checked, also those that this run does
        not meet. Other first bad commits lead to other questions and meet others of them, so the
        success over all positions cannot be computed from what this run meets. Her success *given
        the questions so far* can be: whoever asks these questions meets the same skips. When
        commits turn out not to be checkable, it rises by some amount. The run goes on only while
        the rises so far, added up, are at most the room between the plan's own success and
        1/level. `proofs/skips.md` shows that she then wins with probability at most 1/level over
        all positions, whatever the set of commits that cannot be checked, runs that stop included.

        Only the questions shown and the commits skipped are used, never an answer, so stopping
        tells nothing that the questions do not tell. Skips of a round count once all of its checks
        are in, whatever the order of verdicts.

        Returns:
            What the best observer wins with at most, 1/level; None if nothing is promised.

        Raises:
            Exposed: The promise could not be kept if the run went on.
        """
        plan = self.search.plan
        if not plan.private:
            return None
        level, skipped = plan.problem.level, self._step()[1]
        if plan.problem.noisy:
            if skipped:
                raise Exposed(None, level)
            return plan.adversary_success
        # Without further skips nothing has risen since the last audit.
        if skipped and skipped != self._audited:
            try:
                used = self._room_used(skipped)
            except InvalidValue:  # the prior excludes every position that leads here
                raise Exposed(None, level) from None
            if used * level > 1:
                raise Exposed(used, level)
            self._audited = skipped
        return Fraction(1, level)

    def _room_used(self, skipped: frozenset[int]) -> Fraction:
        """Return the plan's success with the commits known at first, plus every rise since."""
        before, *after = [*self._skips_by_round(), skipped]
        used = self._success(before, [])
        for number, known in enumerate(after):
            if known != before:
                heard = self._heard(number + 1)
                used += self._success(known, heard) - self._success(before, heard)
            before = known
        return used

    def _skips_by_round(self) -> list[frozenset[int]]:
        """Return the skips known before each round shown so far.

        They follow from the questions: the commits nearer to one than its stand-in were all tried.
        """
        found = [self._known]
        for number in range(self.search.round):
            asked = self._heard(number + 1)
            tried = {near for commit in asked if commit != UNASKED for near in self._tried(commit)}
            found.append(self._known | tried)
        return found

    def _heard(self, rounds: int) -> list[int]:
        """Return the commits that the first rounds asked about."""
        widths = (len(each.coordinates) for each in self.search.plan.strategy.rounds[:rounds])
        asked: list[int] = self.search.transcript.points[0].tolist()
        return asked[: sum(widths)]

    def _tried(self, commit: int) -> Iterator[int]:
        """Yield the commits that were tried in vain before the one that stands in."""
        for near in _nearest(commit, self._commits):
            if near not in self.skipped:
                return
            yield near

    def _success(self, skipped: frozenset[int], asked: Sequence[int]) -> Fraction:
        everything = range(self._commits + 1)
        moved = [_stand_in(number, self._commits, skipped) for number in everything]
        return moved_success(self.search.plan, moved, asked=asked)

    @property
    def remaining(self) -> Outcome:
        """The commits that can still be the first bad one, by the verdicts so far. Secret.

        Under noise on both sides no verdict excludes a commit, and it is all of them.
        """
        if self.search.plan.problem.noisy:
            return Outcome(1, self._commits)
        bracket = self._bracket()
        if self._held:
            bracket.take(*zip(*self._held.values(), strict=True))
        return Outcome(int(bracket.low) + 1, int(bracket.high))

    @property
    def outcome(self) -> Outcome:
        """What was found, once it is done.

        Raises:
            NotDone: Questions are open.
        """
        first = int(self.search.result.estimate)
        return Outcome(self.stand_in(first - 1) + 1, self.stand_in(first))


def moved_success(plan: Plan, moved: list[int], *, asked: Sequence[int] = ()) -> Fraction:
    """Return what the best observer wins with when every check is made at another commit.

    Args:
        plan: A noiseless plan for m whole values.
        moved: For each number from 0 to m, the commit that is checked in its place.
        asked: The commits that whole rounds have asked about so far, in order. Her success is then
            the conditional one, given that these were asked.

    Returns:
        Her success, exactly, under the prior that was planned for. She is taken to know `moved`,
        and which commit was meant by each check, so it is never too small.

    Raises:
        InvalidValue: No first bad commit leads to these questions.
    """
    table, values = np.array(moved, np.int64), len(moved) - 1
    prior = UNIFORM if plan.problem.prior is None else plan.problem.prior[0]
    length, won, heard = int(plan.problem.delta * values), Fraction(0), Fraction(0)
    for part in branches(plan.strategy):
        laid = replace(part, low=table[part.low], high=table[part.high])
        posteriors = Posteriors.of(laid, values, 1, prior=prior)
        fits = (part.transcripts[:, : len(asked)] == np.array(asked, np.int64)).all(axis=1)
        won += Fraction(int(posteriors.caught(length)[fits].sum()), part.total)
        heard += Fraction(int(posteriors.total()[fits].sum()), part.total)
    if not heard:
        rule = "no first bad commit leads to these questions"
        raise InvalidValue("asked", len(asked), rule, "give the questions of one run")
    return won / heard


def _nearest(commit: int, commits: int) -> Iterator[int]:
    """Yield the commits from 0 to `commits`, the nearest first; of two, the older."""
    for away in range(commits + 1):
        for near in dict.fromkeys((commit - away, commit + away)):
            if 0 <= near <= commits:
                yield near


def _stand_in(commit: int, commits: int, skipped: Container[int]) -> int:
    for near in _nearest(commit, commits):
        if near not in skipped:
            return near
    raise InvalidValue("skipped", commits + 1, "the ends are known", "leave them out")


def _size(plan: Plan) -> int:
    values = plan.problem.values
    if values is None or plan.problem.dim != 1:
        rule = "must be for whole values in one dimension"
        raise InvalidValue("plan", plan.method, rule, "make it with feint.integrations.git.planned")
    return values


def _asked(query: Query | Told) -> int:
    """The commit whose check answers a question."""
    return int(query.value) - 1
