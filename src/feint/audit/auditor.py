"""Provide `audit`, which checks its arguments and chooses the right audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from feint.audit.accuracy import RUNS
from feint.audit.case import Case, Course
from feint.audit.exact import LIMIT
from feint.audit.hearing import ALL, NOTHING, Hearing
from feint.audit.motion import Motion
from feint.audit.report import Report
from feint.audit.verdict import adversaries_report, exact_report, sampled_report
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import (
    AnyExecutor,
    Executor,
    Progress,
    Strategy,
    no_prior,
    progress_of,
    strategy_of,
    switch_of,
)
from feint.planning import Plan
from feint.problem import UNIFORM, UNIT, Domain, Prior, Problem, domain_of, off_by, problem_of
from feint.simulate import executor_of, failure_probability
from feint.simulate.adversaries import Listener, listeners

FAILURE = 1e-6
"""The probability that a verdict from samples may be wrong, if none is given."""


def audit(
    subject: Plan | Strategy,
    *,
    problem: Problem | None = None,
    domain: Domain | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    runs: int | None = None,
    adversaries: Iterable[Listener] | None = None,
    failure: Number | None = None,
    seed: int | None = None,
    limit: int = LIMIT,
    lemmas: bool = False,
    repeat: Number = 1,
    fresh_keys: bool = False,
    motion: Motion | str | None = None,
    hears: Hearing | str | Iterable[int] = ALL,
    knows: Hearing | str | Iterable[int] = NOTHING,
    progress: Progress | None = None,
    executor: AnyExecutor | None = None,
) -> Report:
    """Compute what the best eavesdropper can do against a plan or a strategy.

    Without noise and without `runs` every branch is walked, and the figures are exact. Otherwise
    runs are simulated. They may show a leak, but they never certify privacy. For a single noiseless
    search, adversaries are measured. Under noise, over several searches, or if she hears less or
    knows more than the questions, her exact success after each run is averaged.

    Args:
        subject: A plan or a strategy; under noise, of the staged family.
        problem: The promise to check; None: the subject's own problem.
        domain: The user's units; None: the plan's.
        prior: The distribution of X*, of every coordinate or one per coordinate; None: the
            problem's, or uniform if it has none.
        runs: The number of runs to sample; under noise the number of transcripts, 1000 by default.
        adversaries: The adversaries for samples: names, adversaries, or functions; None: all named
            ones.
        failure: The probability that a verdict from samples may be wrong; None: 1e-6.
        seed: The seed of the samples; None: 0.
        limit: The most branches of an exact audit.
        lemmas: True to measure the theory's lemmas too; exact audits only.
        repeat: The number of searches for the same number. The report is about the number at the
            time of the last search.
        fresh_keys: True if each search has its own key, False if all share one.
        motion: How the number moves between two searches: a `Motion`, or words such as "steps(2)",
            "walk(1)" or "jump(0.1)", distances in the domain's units; None: it stays.
        hears: The questions she hears: a `Hearing`; words such as "rounds(1-3)", "coordinates(0)",
            "every(2)", "each(1/2)" or "nothing"; or the numbers of questions.
        knows: The questions whose answers she knows, in the same form, such as "last"; none by
            default.
        progress: A callback that receives the name of the step, the work done, and the total.
        executor: An `Executor` or any `concurrent.futures.Executor` that simulates runs; None: this
            process, which always does exact audits. The report does not depend on it.

    Returns:
        The report.

    Raises:
        TooLarge: There are more branches than the limit; sample runs instead.
        WrongType: An argument has the wrong type.
        InvalidValue: The arguments do not fit each other, or the subject.
    """
    strategy = strategy_of(subject)
    wanted = subject.problem if problem is None else problem_of(problem)
    units = domain_of(domain)
    laws = _laws(prior, wanted)
    given = {"motion": motion, "hears": hears, "knows": knows}
    with _as_given(given):
        course = Course.read(
            repeat=repeat, fresh_keys=fresh_keys, motion=motion, hears=hears, knows=knows
        )
    case = Case(
        strategy=strategy,
        problem=wanted,
        domain=units or (subject.domain if isinstance(subject, Plan) else UNIT),
        prior=laws,
        theorem=_theorem(subject, wanted, laws) if isinstance(subject, Plan) else "",
        scales=subject.scales if isinstance(subject, Plan) and units is None else None,
        course=course,
    )
    _check_match(case)
    with _as_given(given):
        return _audited(
            case,
            runs=runs,
            adversaries=adversaries,
            failure=failure,
            seed=seed,
            limit=whole(limit, "limit", least=1),
            lemmas=switch_of(lemmas, "lemmas"),
            progress=progress_of(progress),
            executor=executor_of(executor),
        )


def _audited(
    case: Case,
    *,
    runs: int | None,
    adversaries: Iterable[Listener] | None,
    failure: Number | None,
    seed: int | None,
    limit: int,
    lemmas: bool,
    progress: Progress | None,
    executor: Executor,
) -> Report:
    """Run the right audit: exact, of the best eavesdropper on runs, or of adversaries on runs.

    Raises:
        InvalidValue: The right audit does not accept one of the arguments.
    """
    wrong = failure_probability(FAILURE if failure is None else failure)
    only_best = ""
    if not case.course.is_single:
        only_best = "of several searches, or who hears what, only the best eavesdropper is audited"
    elif case.problem.noisy:
        only_best = "under noise only the best eavesdropper is audited"
    if only_best:
        _refuse(only_best, adversaries=adversaries, lemmas=lemmas or None)
    if runs is None and not case.problem.noisy:
        _refuse_without_runs(adversaries=adversaries, failure=failure, seed=seed)
        return exact_report(case, limit=limit, lemmas=lemmas, progress=progress)
    sampling: dict[str, Any] = {
        "runs": RUNS if runs is None else runs,
        "failure": wrong,
        "seed": seed or 0,
        "progress": progress,
        "executor": executor,
    }
    if only_best:
        return sampled_report(case, **sampling)
    if lemmas:
        rule = "lemmas are measured exactly, not on runs"
        raise InvalidValue("lemmas", True, rule, "leave runs out, or lemmas")
    who = listeners(adversaries, case.problem, case.strategy.cells)
    return adversaries_report(case, who, **sampling)


def _check_match(case: Case) -> None:
    """Refuse a strategy or a prior for another kind of problem than the promised one."""
    strategy, problem = case.strategy, case.problem
    if len(strategy.cells) != problem.dim:
        own = len(strategy.cells)
        rule = f"the strategy searches {own} coordinate{'s' if own > 1 else ''}"
        remedy = f"audit it against a problem with dim = {own}"
        raise InvalidValue("dim", problem.dim, rule, remedy)
    if problem.values is not None and set(strategy.cells) != {problem.values}:
        rule = f"the strategy searches {max(strategy.cells)} cells, and values are found one a cell"
        raise InvalidValue("values", problem.values, rule, "audit it against as many values")
    if problem.p != strategy.problem.p:
        told = strategy.problem.noise
        answers = "always right" if told is None else f"right with probability {told.words}"
        rule = f"the strategy is for answers that are {answers}"
        shown = None if problem.noise is None else problem.noise.words
        raise InvalidValue("p", shown, rule, "audit it against a problem with the same p")
    whole_values = problem.values is not None and not problem.noisy
    for law in case.prior:
        if whole_values and not law.uniform and law.bins != problem.values:
            rule = f"must have one weight for each of the {problem.values} values"
            raise InvalidValue(
                "prior", f"{law.bins} weights", rule, f"give {problem.values} weights"
            )


def _laws(prior: object, problem: Problem) -> tuple[Prior, ...]:
    """Return one prior per coordinate."""
    if prior is None:
        return problem.prior or (UNIFORM,) * problem.dim
    listed = [prior] * problem.dim if isinstance(prior, Prior) else prior
    if not isinstance(listed, Sequence) or not all(isinstance(each, Prior) for each in listed):
        raise no_prior(prior)
    laws = tuple(listed)
    if len(laws) != problem.dim:
        rule = f"must be one prior, or one for each of the {problem.dim} coordinates"
        raise InvalidValue("prior", f"{len(laws)} of them", rule, "give as many")
    return laws


@contextmanager
def _as_given(given: Mapping[str, object]) -> Iterator[None]:
    """Show text arguments as the caller wrote them in errors about them.

    Raises:
        InvalidValue: As in the block, with the original text instead of the parsed value.
    """
    try:
        yield
    except InvalidValue as error:
        words = given.get(error.argument)
        if not isinstance(words, str):
            raise
        raise type(error)(error.argument, words, error.rule, error.remedy) from None


def _refuse(rule: str, **given: object) -> None:
    """Refuse arguments that this audit does not accept.

    Raises:
        InvalidValue: One of these arguments is given.
    """
    for name, value in given.items():
        if value is not None:
            raise InvalidValue(name, _shown(value), rule, f"leave {name} out")


def _refuse_without_runs(**given: object) -> None:
    """Refuse arguments that only a sampled audit accepts."""
    for name, value in given.items():
        if value is not None:
            rule = "only an audit measured on runs has this, and no number of runs is given"
            remedy = f"give runs = 10000, or leave {name} out"
            raise InvalidValue(name, _shown(value), rule, remedy)


def _shown(value: object) -> object:
    """Return a value for an error message; several are separated by commas."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _theorem(plan: Plan, problem: Problem, laws: tuple[Prior, ...]) -> str:
    """Return the reason for a plan's promise, or why it has none."""
    if problem != plan.problem:
        return "none: the plan was made for another promise than this one"
    if not plan.private:
        return f"none: method {plan.method} does not promise this"
    why = "enumerated when it was planned"
    if plan.certificate == "calibrated":
        why = "its misses sized by simulation, its privacy proved in proofs/"
    if plan.certificate == "theorem":
        why = "proved for its family in proofs/"
    planned = plan.problem.prior or (UNIFORM,) * problem.dim
    same = laws == planned or all(each.uniform for each in laws + planned)
    same = same and off_by(laws) <= off_by(planned)  # the plan already allows for its own distance
    drawn = "" if same or plan.problem.setting == "deterministic" else ", the number uniform"
    if drawn and plan.problem.prior is not None:
        drawn = ", the number by the prior it was planned for"
    return f"method {plan.method}, {why}{drawn}"
