"""Find a number in one call, or finish a search."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from feint.errors import BadState, InvalidValue, OracleFailed, OutOfRegime, WrongType
from feint.exact import Number, plain
from feint.interfaces import Oracle, Progress
from feint.planning import Plan
from feint.planning import plan as make_plan
from feint.problem import Domain, NoiseLike, NumberResult, Query, Result, Setting, YesMeans
from feint.search import file
from feint.search.kinds import args_of, domains_of, path_of
from feint.search.ranges import Each, narrowest, ranges, strictest
from feint.search.search import Search, search_of
from feint.simulate.oracles import Function, yes_or_no

T = TypeVar("T", bound=str | None)
Answering = Oracle | Callable[..., Any]
"""An Oracle, or any function of a number."""

_FINE = (
    "; no float is close enough to the number asked about, so it got a Fraction: compare with it as"
    " it is, or raise epsilon"
)


@overload
def find(
    oracle: Answering,
    *,
    args: tuple[Any, ...] = ...,
    low: Number = ...,
    high: Number = ...,
    delta: Number,
    level: Number,
    epsilon: Number | None = ...,
    within: Number | None = ...,
    step: Number | None = ...,
    tick: Number | None = ...,
    setting: Setting = ...,
    p: NoiseLike | None = ...,
    confidence: Number | None = ...,
    prior: object = ...,
    dim: Literal[1] | None = ...,
    labels: str | None = ...,
    domains: None = ...,
    method: str = ...,
    max_rounds: int | None = ...,
    certificate: str = ...,
    margin: Number = ...,
    yes_means: YesMeans = ...,
    seed: Number | None = ...,
    state: str | os.PathLike[str] | None = ...,
    progress: Progress | None = ...,
) -> NumberResult: ...


@overload
def find(
    oracle: Answering,
    *,
    args: tuple[Any, ...] = ...,
    low: Each = ...,
    high: Each = ...,
    delta: Number,
    level: Number,
    epsilon: Number | None = ...,
    within: Number | None = ...,
    step: Each | None = ...,
    tick: Each | None = ...,
    setting: Setting = ...,
    p: NoiseLike | None = ...,
    confidence: Number | None = ...,
    prior: object = ...,
    dim: int | None = ...,
    labels: Sequence[str] | None = ...,
    domains: Sequence[Domain] | None = ...,
    method: str = ...,
    max_rounds: int | None = ...,
    certificate: str = ...,
    margin: Number = ...,
    yes_means: YesMeans = ...,
    seed: Number | None = ...,
    state: str | os.PathLike[str] | None = ...,
    progress: Progress | None = ...,
) -> Result: ...


def find(
    oracle: Answering,
    *,
    args: tuple[Any, ...] = (),
    low: Each = 0,
    high: Each = 1,
    delta: Number,
    level: Number,
    epsilon: Number | None = None,
    within: Number | None = None,
    step: Each | None = None,
    tick: Each | None = None,
    setting: Setting = "bayesian",
    p: NoiseLike | None = None,
    confidence: Number | None = None,
    prior: object = None,
    dim: int | None = None,
    labels: Sequence[str] | None = None,
    domains: Sequence[Domain] | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
    certificate: str = "theorem",
    margin: Number = 1,
    yes_means: YesMeans = "at least",
    seed: Number | None = None,
    state: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find a number so that an eavesdropper who hears every question cannot tell it.

    Args:
        oracle: A function that answers, given the number asked about (and its coordinate if there
            are several), or an Oracle. The number is an int or a float, or a Fraction if epsilon is
            finer than floats (`feint.simulate.oracles.Function`).
        args: Further arguments of the function, after those.
        low: The smallest possible value of the number; a list if several numbers differ in it.
        high: The largest possible value; or a list.
        delta: The full width of the interval that an eavesdropper must hit, in the same units. Each
            of several numbers has its own units.
        level: L. She hits with probability at most 1/L.
        epsilon: The full width of the accuracy, in the same units. With a step it may be left out.
        within: Half of epsilon, to give instead of it: you learn the number to within ± this.
        step: The number is one of low, low + step, …, high, and is found exactly; or a list.
        tick: Questions are asked only at multiples of this, such as 0.01 for prices in cents.
        setting: As in Problem.
        p: The probability that an answer is right, a range such as (0.6, 0.95) or "unknown"; None:
            answers are always right.
        confidence: The probability of being accurate under noise.
        prior: The distribution of the number, as in `Domain.problem`; None: uniform.
        dim: The number of numbers to find at once. Default: one, or one per range.
        labels: The name of each number; for one number, a string.
        domains: The range and label of each number if they differ, instead of low, high, step, dim
            and labels. Epsilon and delta then hold for each of them in its own units.
        method: As in `plan`.
        max_rounds: As in `plan`.
        certificate: As in `plan`.
        margin: As in `plan`.
        yes_means: The meaning of the answer yes: "at least" or "below".
        seed: For experiments only: makes the coins repeatable and predictable. A search in a file
            resumes only with its own seed.
        state: A file that keeps the search. If it exists, its search is resumed. If that is another
            search without answers, its file is renamed (`begin`).
        progress: A callback that receives progress: runs simulated for a calibrated plan, then
            questions answered.

    Returns:
        The number found, the cost, and the success of an eavesdropper.

    Raises:
        OracleFailed: The oracle raised an error. The error's `search` has all earlier answers, and
            `finish(error.search, oracle)` continues it. The oracle's message is in `for_owner`, and
            its error is the `__cause__`.
        FeintError: An argument is wrong, or the file holds another search.
    """
    _oracle(oracle, args, several=False)  # before anything is planned
    if domains is None:
        domains = ranges(low=low, high=high, step=step, tick=tick, labels=labels)
    plan, units = prepared(
        low=low,
        high=high,
        delta=delta,
        level=level,
        epsilon=epsilon,
        within=within,
        step=step,
        tick=tick,
        setting=setting,
        p=p,
        confidence=confidence,
        prior=prior,
        dim=dim,
        labels=labels,
        domains=domains,
        method=method,
        max_rounds=max_rounds,
        certificate=certificate,
        margin=margin,
        progress=progress,
    )
    given = labels is not None or domains is not None
    if state is None:
        search = Search(plan, seed=seed, yes_means=yes_means, domains=units)
    else:
        search = _kept(path_of(state), plan, units, given, yes_means, seed)
    return finish(search, oracle, args=args, progress=progress)


def prepared(
    *,
    low: Each = 0,
    high: Each = 1,
    delta: Number,
    level: Number,
    epsilon: Number | None = None,
    within: Number | None = None,
    step: Each | None = None,
    tick: Each | None = None,
    setting: Setting = "bayesian",
    p: NoiseLike | None = None,
    confidence: Number | None = None,
    prior: object = None,
    dim: int | None = None,
    labels: Sequence[str] | None = None,
    domains: Sequence[Domain] | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
    certificate: str = "theorem",
    margin: Number = 1,
    repeatable: bool = False,
    progress: Progress | None = None,
) -> tuple[Plan, tuple[Domain, ...]]:
    """Return the plan that `find` follows, with the domain of each coordinate.

    Args:
        low: As in `find`, and so are the others.
        high: As there.
        delta: As there.
        level: As there.
        epsilon: As there.
        within: As there.
        step: As there.
        tick: As there.
        setting: As there.
        p: As there.
        confidence: As there.
        prior: As there.
        dim: As there.
        labels: As there.
        domains: As there.
        method: As there.
        max_rounds: As there.
        certificate: As there.
        margin: As there.
        repeatable: As in `plan`.
        progress: As in `find`.

    Returns:
        The plan and the domains, for `Search` and `feint.journal.begin`.

    Raises:
        FeintError: An argument is wrong, or no plan keeps the promise.
    """
    if domains is None:
        domains = ranges(low=low, high=high, step=step, tick=tick, labels=labels)
    if domains is None:
        one: dict[str, Any] = {"low": low, "high": high, "step": step, "tick": tick}  # not lists
        domain = Domain(**one)
    else:
        domain = narrowest(domains_of(domains, dim))
        epsilon, delta = strictest(domains, domain, epsilon, delta, within)
        within = None
        dim = len(domains)
    with _in_units(domain, domains):
        problem = domain.problem(
            delta=delta,
            level=level,
            epsilon=epsilon,
            within=within,
            setting=setting,
            p=p,
            confidence=confidence,
            prior=prior,
            dim=1 if dim is None else dim,
            margin=margin,
        )
    plan = make_plan(
        problem,
        domain=domain,
        method=method,
        max_rounds=max_rounds,
        certificate=certificate,
        margin=margin,
        repeatable=repeatable,
        progress=progress,
    )
    return plan, named(domain, plan.problem.dim, labels) if domains is None else tuple(domains)


@contextmanager
def _in_units(domain: Domain, domains: Sequence[Domain] | None) -> Iterator[None]:
    """Name the range whose units an error about widths uses, if ranges differ.

    Raises:
        OutOfRegime: As in the block, with the range in its rule.
    """
    try:
        yield
    except OutOfRegime as error:
        if len({each.width for each in domains or ()}) < 2:
            raise
        where = f"in the narrowest range, {plain(domain.low)} to {plain(domain.high)}"
        rule = f"{where}, it {error.rule}"
        raise OutOfRegime(error.argument, error.value, rule, error.remedy) from None


def _kept(
    state: Path,
    plan: Plan,
    units: tuple[Domain, ...],
    labelled: bool,
    yes_means: YesMeans,
    seed: Number | None,
) -> Search:
    """Return the search in a file if it is the requested one, or create it.

    Raises:
        BadState: The file holds another search that has answers.
    """
    if not _begun(state):
        return file.create(state, plan, seed=seed, yes_means=yes_means, domains=units)
    search = file.load(state)
    why = _other(search, plan, units if labelled else None, yes_means, seed, state)
    if why is None:
        return search
    if search.answered:
        raise BadState(*why)
    del search  # which has the file open
    return file.begin(state, plan, seed=seed, yes_means=yes_means, domains=units).search


def _begun(path: Path) -> bool:
    """Return True if a file holds a search. An empty file is from a search killed at its start."""
    return path.exists() and not (path.is_file() and path.stat().st_size == 0)


def _other(
    search: Search,
    plan: Plan,
    domains: tuple[Domain, ...] | None,
    yes_means: YesMeans,
    seed: Number | None,
    state: Path,
) -> tuple[str, object, str, str] | None:
    """Explain why the search in a file is not the requested one. Omitted labels may differ.

    Returns:
        The arguments of the error; None if it is the requested one.
    """
    held = search.domains
    if domains is None:
        own = plan.domain
        domains = tuple(
            replace(own, label=each.label, unit=each.unit, question=each.question) for each in held
        )
    if search.wanted != (plan, domains, yes_means):
        rule = "holds a search for something else"
        return "state", state, rule, "name another file, or ask for the same"
    if not search.drawn_from(seed):
        rule = "holds a search with other coins"
        return "seed", seed, rule, "give the seed it began with, or name another file"
    return None


def finish(
    search: Search,
    oracle: Answering,
    *,
    args: tuple[Any, ...] = (),
    progress: Progress | None = None,
) -> Result:
    """Answer all remaining questions of a search.

    Args:
        search: The search.
        oracle: The oracle, as in `find`.
        args: As in `find`.
        progress: A callback that receives the number of answered questions and their maximum after
            each answer.

    Returns:
        The result.

    Raises:
        OracleFailed: The oracle raised an error or gave too few answers. The search can continue.
        Contradictory: The answers contradict each other, and the strategy cannot continue.
    """
    answering = _oracle(oracle, args, several=len(search_of(search).domains) > 1)
    while not search.done:
        queries = search.ask()
        for id, answer in _answers(answering, queries, search):
            search.tell(id, answer)
            if progress is not None:
                progress("questions", search.answered, search.answered + search.left)
    return search.result


def named(domain: Domain, dim: int, labels: Sequence[str | None] | None) -> tuple[Domain, ...]:
    """Return a domain for each coordinate, with its label.

    Raises:
        InvalidValue: The number of labels differs from that of the coordinates.
    """
    words = _for_each("labels", labels, dim)
    return tuple(replace(domain, label=label) for label in words) or (domain,) * dim


def worded(
    domains: Sequence[Domain],
    *,
    units: Sequence[str] | None = None,
    questions: Sequence[str] | None = None,
) -> tuple[Domain, ...]:
    """Return the domains with their units and question templates.

    Args:
        domains: One per coordinate.
        units: The unit of each; a single one is for all of them.
        questions: The question template of each, as in `Domain`.

    Returns:
        The domains. Units and questions that are not given stay unchanged.

    Raises:
        InvalidValue: The number of units or questions is wrong, or one of them cannot be read.
    """
    found = tuple(domains)
    if units := _for_each("units", units, len(found), shared=True):
        pairs = zip(found, units, strict=True)
        found = tuple(replace(each, unit=unit) for each, unit in pairs)
    if questions := _for_each("questions", questions, len(found)):
        both = zip(found, questions, strict=True)
        found = tuple(replace(each, question=question) for each, question in both)
    return found


def _for_each(name: str, given: Sequence[T] | None, dim: int, *, shared: bool = False) -> list[T]:
    """Return the items, one per coordinate; an empty list stays empty.

    Raises:
        InvalidValue: The number of items is wrong.
    """
    words: list[Any] = [given] if isinstance(given, str) else list(() if given is None else given)
    if shared and len(words) == 1:
        words *= dim
    if words and len(words) != dim:
        rule = f"there are {dim} coordinates"
        raise InvalidValue(name, ", ".join(map(str, words)), rule, "give one for each")
    return words


def _oracle(oracle: object, args: tuple[Any, ...], *, several: bool) -> Oracle:
    """Return the given oracle, or wrap a function in one.

    Raises:
        WrongType: The argument is neither an Oracle nor a function, or it is an Oracle and there
            are args.
    """
    given = args_of(args)
    if isinstance(oracle, Oracle) and not isinstance(oracle, type):
        if given:
            rule = "an Oracle is asked about queries, and takes no other arguments"
            raise WrongType.of("args", args, rule, "leave them out, or pass a function")
        return oracle
    if not callable(oracle) or (isinstance(oracle, type) and hasattr(oracle, "answer")):
        remedy = "pass one such as lambda x: x <= 73.42, or an Oracle such as Hidden(73.42)"
        raise WrongType.of("oracle", oracle, "must be a function of a number", remedy)
    return Function(oracle, several=several, args=given)


def _answers(
    oracle: Oracle, queries: Sequence[Query], search: Search
) -> Iterator[tuple[str, bool]]:
    """Yield each query's id with its answer."""
    answers = None
    for query in queries:
        try:
            answers = iter(oracle.answer(queries)) if answers is None else answers
            answer = yes_or_no(next(answers), query)
        except OracleFailed as failed:
            failed.search = search
            raise
        except StopIteration:
            said = "the oracle gave fewer answers than it was asked for"
            raise OracleFailed(said, search) from None
        except Exception as error:  # the oracle's message stays with its own error
            raise _failed(error, query, search) from error
        yield query.id, answer


def _failed(error: Exception, query: Query, search: Search) -> OracleFailed:
    """Build the error for an oracle that raised one. The oracle's message is for the owner only."""
    kind = type(error).__name__
    hint = _FINE if kind == "TypeError" and isinstance(query.number, Fraction) else ""
    failure = OracleFailed(f"the oracle raised {kind}{hint}", search)
    failure.for_owner = f"{kind}: {error}"
    return failure
