"""`audit`: which audit fits, and what its figures say of the promise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

from feint.adversaries import Function, Guess, named, standard
from feint.audit import explain
from feint.audit.exact import LIMIT, Measured, coordinates, measure
from feint.audit.lemma import lemmas as measure_lemmas
from feint.audit.noisy import RUNS, noisily
from feint.audit.report import Report, chance
from feint.audit.sampled import Sampled, sample
from feint.branches import UNIFORM, Prior, blind_success
from feint.errors import InvalidValue
from feint.exact import plain
from feint.interfaces import Adversary, Strategy
from feint.planning import Plan
from feint.problem import UNIT, Domain, Problem
from feint.simulate import Executor

Progress = Callable[[float], None]
_FAILURE = 1e-6


def audit(
    subject: Plan | Strategy,
    *,
    problem: Problem | None = None,
    domain: Domain | None = None,
    prior: Prior = UNIFORM,
    runs: int | None = None,
    adversaries: Sequence[Adversary | Guess | str] | None = None,
    failure: float | None = None,
    seed: int | None = None,
    limit: int = LIMIT,
    lemmas: bool = False,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Report:
    """Find what the best eavesdropper can do against a plan, or a strategy of one's own.

    Without `runs` every branch is walked and the figures are exact. With `runs` adversaries are
    measured on so many runs; a leak may then be found, but privacy is never certified.

    Args:
        subject: A plan or a strategy; under noise, of the staged family, whose best eavesdropper
            is computed exactly for each of `runs` simulated transcripts.
        problem: What is promised; the subject's own problem by default.
        domain: The user's units; the plan's by default.
        prior: Where X* may be, in every coordinate.
        runs: How many runs to sample.
        adversaries: Who listens to the samples, by name, as themselves or as plain functions; all
            that are known.
        failure: The probability that a sampled verdict may be wrong; 1e-6 by default.
        seed: Where the samples' coins come from; 0 by default.
        limit: Branches beyond which an exact audit refuses.
        lemmas: Whether to measure the theory's lemmas too; exact audits only.
        progress: Called with the share of the work that is done.
        executor: Who follows noisy transcripts; None: this process, which does all else too.

    Returns:
        The report.

    Raises:
        TooLarge: There are more branches than the limit: sample runs instead.
        InvalidValue: The arguments do not fit.
    """
    strategy = subject.strategy if isinstance(subject, Plan) else subject
    wanted = problem or (subject.problem if isinstance(subject, Plan) else strategy.problem)
    units = domain or (subject.domain if isinstance(subject, Plan) else UNIT)
    theorem = _theorem(subject, wanted, prior) if isinstance(subject, Plan) else ""
    _fits(strategy, wanted)
    if wanted.noisy:
        _plain_noise(prior, adversaries, lemmas)
        return noisily(
            strategy,
            wanted,
            units,
            theorem,
            runs=RUNS if runs is None else runs,
            failure=_FAILURE if failure is None else failure,
            seed=0 if seed is None else seed,
            progress=progress,
            executor=executor,
        )
    if wanted.values is not None and not prior.uniform and prior.bins != wanted.values:
        rule = f"must have one weight for each of the {wanted.values} values"
        raise InvalidValue("prior", f"{prior.bins} weights", rule, "give as many as there are")
    case = _Case(strategy, wanted, units, prior, theorem)
    if runs is None:
        given = {"adversary": adversaries, "failure": failure, "seed": seed}
        for name, value in given.items():
            if value is not None:
                rule = "this is for an audit measured on runs, and no number of runs was given"
                raise InvalidValue(name, "given", rule, "say how many runs to sample")
        return case.exactly(limit, lemmas, progress)
    if lemmas:
        rule = "lemmas are measured exactly, not on runs"
        raise InvalidValue("lemmas", True, rule, "leave out the number of runs")
    wrong = _FAILURE if failure is None else failure
    return case.sampled(runs, adversaries, wrong, seed or 0, progress)


def _fits(strategy: Strategy, problem: Problem) -> None:
    """Whether a strategy could be meant for a problem at all."""
    if len(strategy.cells) != problem.dim:
        rule = f"the strategy searches {len(strategy.cells)} coordinates"
        raise InvalidValue("dim", problem.dim, rule, "audit it against a problem with as many")
    if problem.values is not None and set(strategy.cells) != {problem.values}:
        rule = f"the strategy searches {max(strategy.cells)} cells, and values are found one a cell"
        raise InvalidValue("values", problem.values, rule, "audit it against as many values")
    if problem.p != strategy.problem.p:
        told = strategy.problem.p
        answers = "always right" if told is None else f"right with probability {plain(told)}"
        rule = f"the strategy is for answers that are {answers}"
        shown = None if problem.p is None else plain(problem.p)
        raise InvalidValue("p", shown, rule, "audit it against a problem with the same p")


def _listener(who: Adversary | Guess | str, problem: Problem, cells: Sequence[int]) -> Adversary:
    """An adversary by its name, as itself, or as a plain function."""
    if isinstance(who, str):
        return named(who, problem, cells)
    if isinstance(getattr(who, "name", None), str) and hasattr(who, "guess"):
        return cast(Adversary, who)
    if callable(who):
        return Function(getattr(who, "__name__", type(who).__name__), who)
    rule = "must be a name, an adversary or a function of a transcript"
    raise InvalidValue("adversaries", who, rule, "see feint.adversaries")


def _plain_noise(prior: Prior, adversaries: object, lemmas: bool) -> None:
    """Under noise X* is uniform, and the best eavesdropper is the only one who listens."""
    for name, given in (
        ("prior", not prior.uniform),
        ("adversary", adversaries is not None),
        ("lemmas", lemmas),
    ):
        if given:
            rule = "under noise only the best eavesdropper of a uniform X* is audited"
            raise InvalidValue(name, "given", rule, "leave it out")


def _theorem(plan: Plan, problem: Problem, prior: Prior) -> str:
    if problem != plan.problem:
        return "none: the plan was made for another promise than this one"
    if not plan.private:
        return f"none: method {plan.method} does not promise this"
    why = "enumerated when it was planned"
    if plan.certificate == "calibrated":
        why = "its misses sized by simulation, its privacy proved in proofs/"
    if plan.certificate == "theorem":
        why = "proved for its family in proofs/"
    drawn = "" if prior.uniform or plan.problem.setting == "deterministic" else ", X* uniform"
    return f"method {plan.method}, {why}{drawn}"


class _Case:
    """What is on trial."""

    def __init__(
        self, strategy: Strategy, problem: Problem, domain: Domain, prior: Prior, theorem: str
    ) -> None:
        self.strategy, self.problem, self.domain = strategy, problem, domain
        self.prior, self.theorem = prior, theorem
        self.queries = sum(len(each.coordinates) for each in strategy.rounds)
        self.blind = blind_success(prior, problem.delta) ** len(strategy.cells)

    def exactly(self, limit: int, lemmas: bool, progress: Progress | None) -> Report:
        """Walk every branch, coordinate by coordinate: successes and covering numbers multiply."""
        parts = coordinates(self.strategy)
        known: dict[int, Measured] = {}
        found: list[Measured] = []
        for each in parts:
            twin = next((i for i, other in enumerate(parts[: len(found)]) if other is each), None)
            index = len(found) if twin is None else twin
            if index not in known:
                known[index] = measure(
                    each, self.problem.delta, prior=self.prior, limit=limit, progress=progress
                )
            found.append(known[index])
        success = math.prod((each.success for each in found), start=Fraction(1))
        covering = math.prod(each.covering for each in found)
        worst = max(each.accuracy for each in found)
        accurate = worst <= self.problem.epsilon
        worst_case = self.problem.setting == "deterministic"
        private = (
            covering >= self.problem.level if worst_case else success * self.problem.level <= 1
        )
        return Report(
            self.problem,
            self.domain,
            explain.claim(self.problem, self.domain),
            "every branch walked, exactly"
            + (", coordinate by coordinate" if len(found) > 1 else ""),
            self.theorem,
            explain.assumptions(self.problem, self.prior),
            True,
            self.queries,
            worst,
            success,
            self.blind,
            covering,
            math.prod(each.transcripts for each in found),
            math.prod(each.branches for each in found),
            private,
            accurate,
            _verdict(private, accurate),
            self._counterexample(found, private, accurate),
            self._notes(success, covering),
            exhibits=tuple((each.tightest if worst_case else each.telling) for each in found),
            lemmas=measure_lemmas(self.strategy, self.problem, limit=limit) if lemmas else (),
        )

    def sampled(
        self,
        runs: int,
        adversaries: Sequence[Adversary | Guess | str] | None,
        failure: float,
        seed: int,
        progress: Progress | None,
    ) -> Report:
        """Measure adversaries on runs."""
        cells = self.strategy.cells
        listeners = (
            standard(self.problem, cells)
            if adversaries is None
            else tuple(_listener(each, self.problem, cells) for each in adversaries)
        )
        promise = Fraction(1, self.problem.level)
        worst_case = self.problem.setting == "deterministic"
        found = sample(
            self.strategy,
            listeners,
            runs=runs,
            promise=Fraction(1) if worst_case else promise,
            delta=self.problem.delta,
            failure=failure,
            prior=self.prior,
            seed=seed,
            progress=progress,
        )
        accurate = None if found.worst <= self.problem.epsilon else False
        best = max(found.rates, key=lambda rate: rate.wins)
        verdict = "leaks" if found.leak else "no leak found"
        if worst_case:
            verdict = "cannot be told from samples"
        if accurate is False:
            verdict += ", and inaccurate"
        return Report(
            self.problem,
            self.domain,
            explain.claim(self.problem, self.domain),
            f"{found.runs:,} sampled runs, after {found.taught:,} that taught; the limits of all"
            f" {len(listeners)} adversaries and {found.planned} looks hold together but for a"
            f" probability of {failure:g}",
            self.theorem,
            explain.assumptions(self.problem, self.prior),
            False,
            self.queries,
            found.worst,
            best.rate,
            self.blind,
            None,
            None,
            None,
            False if found.leak else None,
            accurate,
            verdict,
            self._caught(found, failure),
            self._sampled_notes(found, best.rate),
            found.rates,
        )

    def _counterexample(self, found: Sequence[Measured], private: bool, accurate: bool) -> str:
        lines = []
        if not private:
            worst_case = self.problem.setting == "deterministic"
            shown = [each.tightest if worst_case else each.telling for each in found]
            lines += [explain.leak(shown, self.problem, self.domain)]
        if not accurate:
            index = max(range(len(found)), key=lambda i: found[i].accuracy)
            cells, miss = self.strategy.cells[index], found[index].miss
            where = _where(index, found)
            lines += [explain.missed(miss, cells, self.problem, self.domain, where=where)]
        return "\n".join(lines)

    def _notes(self, success: Fraction, covering: int) -> tuple[str, ...]:
        notes = []
        if self.problem.setting == "deterministic":
            notes += [explain.worst_case(covering, self.problem.level)]
            if success * self.problem.level > 1:
                notes += [explain.averaging(self.problem, chance(success))]
        elif not self.prior.uniform and self.blind * self.problem.level > 1:
            notes += [
                f"with this prior a guess without listening already wins with probability"
                f" {chance(self.blind)}: no plan can keep the promise"
            ]
        return tuple(notes)

    def _caught(self, found: Sampled, failure: float) -> str:
        if not found.leak:
            return ""
        worst = max(found.rates, key=lambda rate: rate.low)
        return (
            f"The adversary '{worst.name}' wins with probability at least {worst.low:.4g}, where"
            f" 1/{self.problem.level} is promised; this is wrong with probability at most"
            f" {failure:g}."
        )

    def _sampled_notes(self, found: Sampled, best: Fraction) -> tuple[str, ...]:
        notes = ["samples can show a leak but never that there is none"]
        if self.problem.setting == "deterministic":
            notes += ["what stays possible in the worst case cannot be told from samples"]
            if best * self.problem.level > 1:
                notes += [explain.averaging(self.problem, chance(best))]
        return tuple(notes)


def _verdict(private: bool, accurate: bool) -> str:
    if private:
        return "private" if accurate else "private, but inaccurate"
    return "leaks" if accurate else "leaks, and inaccurate"


def _where(index: int, found: Sequence[Measured]) -> str:
    return f" in coordinate {index}" if len(found) > 1 else ""
