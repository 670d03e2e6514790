"""Find a number in one call, or finish a search that was begun."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from feint.errors import BadState, InvalidValue, OracleFailed
from feint.exact import Number
from feint.interfaces import Oracle, Progress
from feint.oracles import Function, yes_or_no
from feint.planning import Plan
from feint.planning import plan as make_plan
from feint.problem import Domain, Query, Result, Setting, YesMeans
from feint.search import file
from feint.search.search import Search

Answering = Oracle | Callable[..., Any]
"""An Oracle, or any function of a number."""

_FINE = (
    "; no float is near enough to what is asked, so it got a Fraction: compare with it as it is, or"
    " raise epsilon"
)


def find(
    oracle: Answering,
    *,
    low: Number = 0,
    high: Number = 1,
    delta: Number,
    level: Number,
    epsilon: Number | None = None,
    step: Number | None = None,
    tick: Number | None = None,
    setting: Setting = "bayesian",
    p: Number | None = None,
    confidence: Number | None = None,
    dim: int = 1,
    labels: Sequence[str] | None = None,
    domains: Sequence[Domain] | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
    certificate: str = "theorem",
    yes_means: YesMeans = "at least",
    seed: Number | None = None,
    state: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find a number so that whoever hears every question cannot tell it.

    Args:
        oracle: Who answers: a function of the number asked about (and of its coordinate, when there
            are several), or an Oracle. The number is an int or a float; where epsilon is finer than
            floats, a Fraction (`feint.oracles.Function`).
        low: The least the number can be.
        high: The most it can be.
        delta: Full width within which an eavesdropper must not come, in the same units.
        level: L: she does with probability at most 1/L.
        epsilon: Full width of the accuracy; with a step it may be left out.
        step: The number is one of low, low + step, …, high, and is found exactly.
        tick: Questions are put at multiples of this only, such as 0.01 for prices in cents.
        setting: As in Problem.
        p: Probability that an answer is right; None: always.
        confidence: Probability of being accurate under noise.
        dim: How many numbers are sought at once.
        labels: What each of them is called.
        domains: Range and label of each of several numbers, where they differ, in place of low,
            high, step, dim and labels. Epsilon and delta then hold for every one of them, each in
            its own units.
        method: As in `plan`.
        max_rounds: As in `plan`.
        certificate: As in `plan`.
        yes_means: Whether the answer yes says "at least" or "below".
        seed: For experiments only: coins that can be repeated, and foreseen. A search in a file
            goes on only under the seed it began with.
        state: A file to keep the search in; if it exists, the search in it goes on.
        progress: Told what is being done: runs simulated for a calibrated plan, then questions
            answered.

    Returns:
        What was found, what it cost, and what an eavesdropper can do.

    Raises:
        OracleFailed: The oracle raised; the error's `search` has every answer it gave before, and
            `finish(error.search, oracle)` goes on.
        FeintError: The arguments are wrong, or the file holds another search.
    """
    domain, accuracy, secret = Domain(low, high, step=step, tick=tick), epsilon, delta
    if domains is not None:
        domain, dim = _narrowest(domains), len(domains)
        accuracy, secret = _strictest(domains, domain, epsilon, delta)
    problem = domain.problem(
        delta=secret,
        level=level,
        epsilon=accuracy,
        setting=setting,
        p=p,
        confidence=confidence,
        dim=dim,
    )
    plan = make_plan(
        problem,
        domain=domain,
        method=method,
        max_rounds=max_rounds,
        certificate=certificate,
        progress=progress,
    )
    units = named(domain, plan.problem.dim, labels) if domains is None else tuple(domains)
    if state is None:
        search = Search(plan, seed=seed, yes_means=yes_means, domains=units)
    elif not _begun(Path(state)):
        search = file.create(state, plan, seed=seed, yes_means=yes_means, domains=units)
    else:
        search = file.load(state)
        given = labels is not None or domains is not None
        _check_same(search, plan, units if given else None, yes_means, state)
        if not search.drawn_from(seed):
            rule = "holds a search with other coins"
            raise BadState("seed", seed, rule, "give the seed it began with, or name another file")
    return finish(search, oracle, progress=progress)


def _narrowest(domains: Sequence[Domain]) -> Domain:
    """The domain in whose units a plan for several is made."""
    if not domains:
        raise InvalidValue("domains", "none", "there must be one a number", "give at least one")
    narrowest = min(domains, key=lambda each: each.width)
    return Domain(narrowest.low, narrowest.high, step=narrowest.step)


def _strictest(
    domains: Sequence[Domain], domain: Domain, epsilon: Number | None, delta: Number
) -> tuple[Fraction, Fraction]:
    """The widths, in a domain's units, with which epsilon and delta hold in every one of several.

    A plan has one epsilon and one delta, shares of the range: the smallest share that epsilon is
    of any range, and the largest that delta is.
    """
    both = [each.widths(epsilon=epsilon, delta=delta) for each in domains]
    shares = [
        (accuracy / each.width, secret / each.width)
        for (accuracy, secret), each in zip(both, domains, strict=True)
    ]
    accuracy, secret = min(one for one, _ in shares), max(one for _, one in shares)
    return accuracy * domain.width, secret * domain.width


def _begun(path: Path) -> bool:
    """Whether a file holds a search; an empty one was killed before it began."""
    return path.exists() and not (path.is_file() and path.stat().st_size == 0)


def _check_same(
    search: Search,
    plan: Plan,
    domains: tuple[Domain, ...] | None,
    yes_means: YesMeans,
    state: str | os.PathLike[str],
) -> None:
    """See that the search in a file is the one asked for; labels that are not given may differ."""
    held = search.domains
    if domains is None:
        domains = named(plan.domain, len(held), [each.label for each in held])
    if (search.plan, held, search.yes_means) != (plan, domains, yes_means):
        rule = "holds a search for something else"
        raise BadState("state", state, rule, "name another file, or ask for the same")


def finish(search: Search, oracle: Answering, *, progress: Progress | None = None) -> Result:
    """Answer every question that a search has left.

    Args:
        search: The search.
        oracle: Who answers, as in `find`.
        progress: Told how many questions are answered, after every answer.

    Returns:
        What was found.

    Raises:
        OracleFailed: The oracle raised, or gave too few answers; the search can go on.
        Contradictory: The answers lead nowhere.
    """
    answering = _oracle(oracle, several=len(search.domains) > 1)
    while not search.done:
        queries = search.ask()
        for id, answer in _answers(answering, queries, search):
            search.tell(id, answer)
            if progress is not None:
                progress("questions", search.answered, search.plan.queries)
    return search.result


def named(domain: Domain, dim: int, labels: Sequence[str | None] | None) -> tuple[Domain, ...]:
    """The domain once for each coordinate, under its label.

    Raises:
        InvalidValue: There are more or fewer labels than coordinates.
    """
    if labels is None or not len(labels):
        return (domain,) * dim
    if len(labels) != dim:
        rule = f"there are {dim} coordinates"
        raise InvalidValue("labels", ", ".join(map(str, labels)), rule, "give one for each")
    return tuple(
        Domain(domain.low, domain.high, step=domain.step, label=label, tick=domain.tick)
        for label in labels
    )


def _oracle(oracle: Answering, *, several: bool) -> Oracle:
    if isinstance(oracle, Oracle):
        return oracle
    return Function(oracle, several=several)


def _answers(
    oracle: Oracle, queries: Sequence[Query], search: Search
) -> Iterator[tuple[str, bool]]:
    """Each query's id with its answer, as they come."""
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
        except Exception as error:  # what it said stays with the error it raised
            kind = type(error).__name__
            hint = _FINE if kind == "TypeError" and isinstance(query.number, Fraction) else ""
            raise OracleFailed(f"the oracle raised {kind}{hint}", search) from error
        yield query.id, answer
