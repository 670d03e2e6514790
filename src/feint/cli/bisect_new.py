"""Begin a bisection from its flags, and announce its cost and its promise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from click import UsageError

from feint.cli import show
from feint.cli.bisect_look import print_found
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import flagged
from feint.exact import plain

if TYPE_CHECKING:
    from feint.integrations.git import Crash, Effort, History, Session, Verdict
    from feint.planning import Plan


@dataclass(frozen=True, kw_only=True)
class NewFlags:
    """The flags of a new bisection; None if left out."""

    good: list[str] | None = None
    good_from: str | None = None
    find_good: bool = False
    bad: str | None = None
    check: Path | None = None
    seal_check: str | None = None
    trust_ends: bool = False
    reuse: bool = False
    path: list[str] | None = None
    term_good: str | None = None
    term_bad: str | None = None
    level: str | None = None
    delta: str | None = None
    weights: str | None = None
    skip: list[str] | None = None
    spare: str | None = None
    p: str | None = None
    confidence: str | None = None
    fails_at_least: str | None = None
    good_fails: str | None = None
    bad_fails: str | None = None
    max_rounds: int | None = None

    def refuse(self, *, resume: bool) -> None:
        """Refuse all of these flags, since no new bisection is begun."""
        given = (name for name, value in vars(self).items() if value not in (None, False))
        for flag in map(spelled, given):
            if resume:
                rule = "the bisection continues with its first flags; leave it out"
                raise UsageError(f"--resume with {flag}: {rule}")
            raise UsageError(f"{flag} without --good: a new bisection needs both; add --good")

    @property
    def is_flaky(self) -> bool:
        """Whether a flag says that good commits may fail too, or how often bad ones fail."""
        return (self.p, self.good_fails, self.bad_fails) != (None, None, None)

    @property
    def names_good(self) -> bool:
        """Whether a flag says which commit is good, or how to find one."""
        return bool(self.good or self.good_from or self.find_good)

    def copied(self) -> tuple[Path, str] | None:
        """Return the path that --check names, and its destination in a worktree."""
        from feint.integrations.git import path_inside

        if self.check is None:
            return None
        if not self.check.exists():
            raise UsageError(f"--check {self.check}: there is no such file or folder; name one")
        return self.check.resolve(), path_inside(Path.cwd(), self.check)

    def history(
        self, words: list[str], crash: Crash | None, copied: tuple[Path, str] | None
    ) -> History:
        """Return the commits between the good ones and the bad one.

        Args:
            words: The check, with which --find-good finds a good commit.
            crash: The verdict of a check that crashes.
            copied: The file or folder that is copied into each worktree.
        """
        from feint.integrations.git import History, commit_named, good_from

        here, goods, bad = Path.cwd(), [*(self.good or [])], self.bad or "HEAD"
        if self.good_from is not None:
            with flagged(good_from="--good-from"):
                goods.append(good_from(self.good_from, here))
        if self.find_good:
            goods, bad = self._doubled_back(words, crash, copied, bad)
        with flagged(good="--good", bad="--bad"):
            found = History.of(here, good=goods, bad=bad, paths=self.path or ())
        for name in goods:
            if commit_named(here, name) not in found.goods:
                typer.echo(
                    f"{name} is not before {bad}: where their lines part is taken to be good.",
                    err=True,
                )
        return found

    def _doubled_back(
        self, words: list[str], crash: Crash | None, copied: tuple[Path, str] | None, bad: str
    ) -> tuple[list[str], str]:
        from feint.integrations.git import Checker, Trees, doubled_back, place_of

        if self.good or self.good_from:
            raise UsageError("--find-good with a good commit: it finds one; leave one of them out")
        if self.is_flaky or self.fails_at_least is not None:
            raise UsageError("--find-good with a flaky check: one verdict decides; use --good")
        checker = Checker(words, crash=crash or "stop")
        trees = Trees(Path.cwd(), place_of(Path.cwd()) / "trees", extra=copied)

        def check(commit: str) -> Verdict:
            with trees.tree(commit) as folder:
                return checker.run(folder, commit)

        try:
            with flagged(bad="--bad"):
                good, last = doubled_back(Path.cwd(), bad, check)
        finally:
            trees.clean()
        typer.echo(
            "An observer of these checks knows that the first bad commit lies between the last two"
            " of them. The following checks hide it among the commits in between.",
            err=True,
        )
        return [good], last

    def begin(
        self,
        history: History,
        words: list[str],
        crash: Crash | None,
        copied: tuple[Path, str] | None,
        *,
        json: bool,
        by_hand: bool = False,
    ) -> Session | None:
        """Start a bisection and announce it; return None if there is nothing to search for."""
        from feint.integrations.git import Session, pack, planned

        weights = history.weights(self.weights or "equal")
        with flagged(skip="--skip"):
            skipped = history.skipped(self.skip or [])
        # Skipped commits cannot be the answer, so their odds are 0. A flaky check with nothing to
        # hide accepts no odds; there, skipped commits are passed over on the way.
        if skipped and not (self.is_flaky and (self.level or "1").strip() == "1"):
            weights = weights or [1] * len(history)
            weights = [0 if n in set(skipped) else odds for n, odds in enumerate(weights, 1)]
        effort = planned(
            len(history),
            level=self.level or 1,
            delta=self.delta,
            p=self.p,
            confidence=self.confidence,
            fails_at_least=self.fails_at_least,
            good_fails=self.good_fails,
            bad_fails=self.bad_fails,
            max_rounds=self.max_rounds,
            weights=weights,
            **({} if self.spare is None else {"spare": self.spare}),
        )
        if effort.plan is None:
            print_found(history.described([1]), [history.at(1)], json=json)
            return None
        verified = not self.trust_ends and not self.find_good and not by_hand
        sealed = None
        if self.seal_check is not None:
            if copied is None:
                raise UsageError("--seal-check needs --check: the file or folder to seal")
            with flagged(to="--seal-check"):
                sealed = pack(copied[0], self.seal_check)
        session = Session.begin(
            history,
            effort,
            words,
            crash=crash or "stop",
            copied=copied,
            verified=verified,
            trusted=self.trust_ends or self.find_good,
            skipped=skipped,
            paths=self.path or (),
            terms=(self.term_good or "good", self.term_bad or "bad"),
            sealed=sealed,
            reuse=self.reuse,
        )
        _announce(len(history), effort, ends=len(history.ends) if verified else 0)
        return session


def begin_session(
    new: NewFlags, words: list[str], crash: Crash | None, *, elsewhere: bool, json: bool
) -> Session | None:
    """Start a bisection; return None if there is nothing to search for.

    Args:
        new: The flags of a new bisection.
        words: The check; empty: the file that --check copies.
        crash: The verdict of a check that crashes.
        elsewhere: Whether the checks run elsewhere, such as on a CI.
        json: Whether to print JSON.
    """
    from feint.integrations.git import Checker

    copied = new.copied()
    if not words and copied is not None and copied[0].is_file():
        words = [f"./{copied[1]}"]
    if new.find_good and elsewhere:
        raise UsageError("--find-good with --list or --tell: checks are made here; use --good")
    history = new.history(words, crash, copied)
    if not elsewhere:
        Checker(words).check_found(history, copied=copied[1] if copied else "")
    return new.begin(history, words, crash, copied, json=json)


def _announce(commits: int, effort: Effort, *, ends: int) -> None:
    """Print the cost and the promise of the bisection on stderr, before any commit is checked."""
    plan = effort.plan
    if plan is None:
        return
    times = "" if effort.repeats == 1 else f", each commit {effort.repeats} times"
    most = "" if plan.asks_all else "at most "
    checks = f"{most}{show.count(effort.checks, 'check')}{times}"
    cost = f"{checks}, in {most}{show.count(plan.rounds, 'round')}"
    usual = f"; plain bisection takes {effort.plain}" if effort.plain else ""
    if plan.problem.noisy and not plan.private:
        usual += ", each commit as often as makes it as sure" if effort.plain else ""
        cost += "; it ends when one commit is sure enough"
    lines = [f"{commits} candidates: {cost}{usual}."]
    if ends:
        lines[0] += f" The {ends} commits that are named good and bad are checked first."
    if plan.private:
        lines.append(
            f"An observer who sees which commits are checked and may name {neighbours(plan)} with"
            f" probability at most {show.chance(Fraction(1, effort.level))}."
        )
        lines += [plan.condition] if plan.condition else []
        if effort.wrong:
            lines.append(
                "This holds if every verdict is right; wrong ones add at most"
                f" {plain(effort.wrong)} to it."
            )
        lines.append(_if_skipped(effort))
        lines.append("Publishing the fix, or acting on the commit in public, ends the secret.")
    else:
        lines.append("Nothing is hidden: level 1.")
    for line in lines:
        typer.echo(line, err=True)


def _if_skipped(effort: Effort) -> str:
    """Return the promise if commits cannot be checked."""
    share = math.floor(effort.room * 1000) / 10  # rounded down: more would break the promise
    return (
        f"It is at most 1/{effort.level} too if up to {share:g} % of the commits cannot be checked"
        " (exit code 125), even if the observer knows all of them, for a first bad commit that can"
        " be; the run stops when it has met more."
    )


def neighbours(plan: Plan) -> str:
    """Return what an observer may name, and the verb after it."""
    count = int(plan.problem.delta * (plan.problem.values or 1))
    return "one commit names it" if count == 1 else f"{count} neighbouring commits hits it"
