"""Plan a problem: find the cheapest strategy of a method, with its certificate."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from feint.errors import InvalidValue, NoPlan, TooLarge, UnknownMethod
from feint.exact import Number, bracket, ceil_root, log2, plain, whole
from feint.interfaces import AnyExecutor, Progress, progress_of, switch_of
from feint.planning.checks import check_confidence, check_options, too_many_rounds
from feint.planning.costs import cost
from feint.planning.enumeration import enumerated
from feint.planning.lattice import Lattice
from feint.planning.noiseless import cheapest_of, most_solved, noiseless_methods
from feint.planning.noisy import (
    FIXED,
    MAJORITY,
    crowded,
    fewest_rounds,
    noisy_methods,
    too_slow,
)
from feint.planning.option import Method, Option
from feint.planning.plans import Certificate, Plan
from feint.planning.priors import METHODS, NOISY_METHODS, noisy_prior_plan, prior_plan
from feint.planning.product import multiplied, options, share, together
from feint.planning.registry import FLAWED, OPTIMAL, Make, own_methods
from feint.planning.ticks import check_tick, keeps, laid, multiples, stricter
from feint.problem import (
    UNIT,
    Domain,
    Line,
    Problem,
    Responses,
    check_blind,
    domain_of,
    problem_of,
)
from feint.problem.regime import read_margin
from feint.simulate import executor_of

_BEST = "tight"
_FINE = 10**9  # roots of the room that shares leave are rounded down to multiples of 1/_FINE


def plan(
    problem: Problem,
    *,
    domain: Domain | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
    max_queries: int | None = None,
    repeatable: bool = False,
    certificate: str = "theorem",
    margin: Number = 1,
    seed: int | None = None,
    progress: Progress | None = None,
    executor: AnyExecutor | None = None,
) -> Plan:
    """Find the cheapest strategy of a method.

    Without noise that is the strategy with the smallest maximum number of questions. Under noise,
    method "tight" minimises the mean number of questions, and `max_queries` and `max_rounds` limit
    its longest run.

    Args:
        problem: The problem to plan for.
        domain: The user's units. With a step, X* is one of its values and is found exactly. The
            plan covers the questions as they are shown there, at decimals. None: the unit interval,
            with exact questions.
        method: "tight", the recommended one, or another that `methods` lists. Under noise also
            "majority", for answers that are majorities of samples, which may err more often near
            the number (proofs/samples.md).
        max_rounds: The maximum number of rounds. Only "tight" and, under noise, "fixed" and
            "majority" can trade questions for rounds.
        max_queries: The maximum number of questions. None: no limit.
        repeatable: True if only X* may determine the questions, so that a second search for it
            reveals nothing new, for any key. "tight" then has no spare parts.
        certificate: The certificate of method "fixed" under noise: "theorem", or "calibrated",
            which is sized by simulation and needs fewer questions. Plans for answers that depend
            on the distance are always calibrated.
        margin: The allowed error of the prior. The promise holds for every distribution of X* whose
            density is at most this many times the stated (or uniform) one everywhere, up to one
            part in a million if questions are rounded to decimals.
        seed: The seed for the simulation of a calibrated plan. None: it follows from the problem.
            The failure probability is not valid if you try several seeds and keep the best plan.
        progress: A callback that receives the name of the current step, the work done, and the
            total: simulated runs for a calibrated plan; divisions tried under a prior; levels
            tried for one of several numbers.
        executor: The executor for simulations. None: this process. The plan does not depend on it.

    Returns:
        The plan.

    Raises:
        UnknownMethod: The setting has no such method.
        WrongType: The problem, the domain or the executor has the wrong type.
        InvalidValue: The seed is not a whole number, the confidence is too near to 1 for any
            certificate, or the method has no such certificate.
        OutOfRegime: With this margin a guess without listening already succeeds too often.
        NoPlan: The method needs more rounds than allowed, or is not repeatable.
        TooLarge: The lattice would have more than 2^62 cells, or p is too near 1/2 to calibrate.
    """
    problem = _stepped(problem, domain)
    rounds = None if max_rounds is None else whole(max_rounds, "max_rounds", least=1)
    queries = None if max_queries is None else whole(max_queries, "max_queries", least=1)
    by_distance = isinstance(problem.noise, Responses)
    if certificate == "calibrated" and problem.noisy and method == _BEST and not by_distance:
        method = _fixed_instead(problem)
    start = None if seed is None else whole(seed, "seed", least=0)
    executor_of(executor)  # also raises an error if nothing will be simulated
    check_confidence(problem)
    _check_repeatable(problem, switch_of(repeatable, "repeatable"))
    units = domain or UNIT
    check_tick(problem, units)
    wide = read_margin(margin)
    check_blind(problem, margin=wide, unit=units.width)
    if problem.prior is not None and method not in own_methods():
        return _within(
            _under_prior(
                problem,
                domain,
                method,
                rounds,
                wide,
                certificate,
                progress,
                queries=queries,
                spare=not repeatable,
            ),
            queries,
        )
    available = _methods(
        problem,
        units,
        certificate,
        start,
        progress,
        executor,
        queries=queries,
        spare=not repeatable,
    )
    own = own_methods()
    if method in own:
        made = _own_plan(problem, units, method, own[method], rounds)
        return _repeated(_within(made, queries), repeatable)
    if method not in available:
        raise _unknown(problem, units, method, (*available, *own))
    if by_distance:
        certificate = "calibrated"
    elif certificate == "calibrated" and method != FIXED:
        rule = f"only method {FIXED} is sized by simulation"
        raise InvalidValue("certificate", certificate, rule, f"leave it out, or use method {FIXED}")
    chosen = _choose(problem, method, available[method], rounds, wide, progress_of(progress))
    if chosen is None:
        if queries is not None and problem.noisy:
            free = plan(problem, domain=domain, method=method, max_rounds=rounds, margin=margin)
            settings = certificate, start, None, executor
            raise _budget_refusal(free, queries, method, settings, rounds, wide)
        raise _refusal(problem, units, method, available[method], rounds, wide)
    uniform = problem.setting == "bayesian" and not problem.noisy
    if problem.dim > 1 and method == _BEST and uniform:
        chosen = _frugal(problem, units, chosen, rounds, wide, spare=not repeatable)
    check_options(chosen, units)
    scales: tuple[Line, ...] | None = None
    if domain is not None and problem.values is None:
        how = _How(available[method], rounds, wide, not repeatable)
        chosen = _laid_out(problem, domain, method, chosen, how)
        scales = tuple(each.scale for each in chosen if each.scale is not None)
    found = _made(problem, units, method, chosen, certificate)
    return _repeated(_within(replace(found, scales=scales), queries), repeatable)


def _fixed_instead(problem: Problem) -> str:
    """Warn that a calibrated plan uses method "fixed", and return that name."""
    if problem.prior is None:
        message = (
            'method "tight" is not calibrated since feint 0.2: use method="fixed" with'
            ' certificate="calibrated", which this call does, or leave the certificate out'
        )
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        return FIXED
    return _BEST


def _within(found: Plan, most: int | None) -> Plan:
    """Return the plan if no search asks more questions than allowed."""
    if most is not None and found.queries > most:
        raise _too_many_queries(found.queries, most)
    return found


def _budget_refusal(
    free: Plan,
    most: int,
    method: str,
    made: tuple[str, int | None, Progress | None, AnyExecutor | None],
    rounds: int | None,
    margin: Fraction,
) -> NoPlan:
    """Build the error for too few questions, with a number of questions that suffices.

    Args:
        free: The plan without a limit on questions.
        most: The limit.
        method: The method.
        made: The certificate, the seed, the progress and the executor.
        rounds: The most rounds.
        margin: The margin.
    """
    problem, units = free.problem, free.domain
    if problem.dim > 1 or isinstance(problem.noise, Responses):
        return _too_many_queries(free.queries, most)  # trials would take too long

    def holds(limit: int) -> bool:
        """Return True if there is a plan with so many questions at most."""
        known = _methods(problem, units, *made, queries=limit)
        return _choose(problem, method, known[method], rounds, margin) is not None

    return _too_many_queries(free.queries, most, _enough(holds, most, free.queries))


def _too_many_queries(took: int, most: int, enough: int | None = None) -> NoPlan:
    """Build the error for too few questions.

    Args:
        took: The most questions of the plan without a limit.
        most: The limit.
        enough: A limit that can be kept; None: that of the plan.
    """
    rule = f"this plan takes {took} questions in its longest search"
    shorter = enough or took
    if shorter < took:
        rule = "every plan has longer searches"
    return NoPlan("max_queries", most, rule, f"allow {shorter}, or more rounds, or a lower level")


def _unknown(problem: Problem, units: Domain, method: str, known: Sequence[str]) -> UnknownMethod:
    """Build the error for an unknown method, which lists the known ones."""
    if method == OPTIMAL and (unsolved := optimum_limit(problem, units)) is not None:
        return UnknownMethod("method", method, unsolved, f'use method "{_BEST}"')
    rule = f"the {problem.setting} setting has {', '.join(known)}"
    if problem.values is not None:
        rule += " for whole values"
    elif units.tick is not None:
        rule += " with a tick"
    elif problem.level == 1:
        rule += " at level 1, where nothing is hidden"
    elif problem.delta < 2 * problem.epsilon:
        rule += " where delta is below 2·epsilon"
    return UnknownMethod("method", method, rule, "pick one of them")


def methods(problem: Problem, *, domain: Domain | None = None) -> tuple[str, ...]:
    """Return the methods that exist for a problem.

    Method "majority" is not among them, since it is for answers that p does not describe.

    Args:
        problem: The problem to plan for.
        domain: As in `plan`.

    Returns:
        The names: the recommended method first, those of `register_method` last.
    """
    whole_problem = _stepped(problem, domain)
    if whole_problem.prior is not None and not whole_problem.nearly_uniform:
        return (*(NOISY_METHODS if problem.noisy else METHODS), *own_methods())
    listed = (each for each in _methods(whole_problem, domain or UNIT) if each != MAJORITY)
    return (*listed, *own_methods())


def optimum_limit(problem: Problem, units: Domain) -> str | None:
    """Return why the optimum is not computed for a problem, judging by its size or cells."""
    if problem.noisy or not problem.uniform:
        return None
    if problem.dim > 1:
        return f"it is limited to one number, and there are {problem.dim}"
    lattice = Lattice.of_values(problem)
    if units.tick is not None:
        lattice = Lattice.of_ticks(problem, units, units.tick)
    most = most_solved(problem)
    if problem.setting == "deterministic" and problem.values is None and problem.level > 1:
        wide = f"of width {plain(problem.epsilon * units.width)}"
        if units.tick is None or lattice.accuracy != 1 or lattice.slack != 1:
            rule = "in the deterministic setting it is limited to whole values, or ticks"
            return f"{rule} {wide} that fill the range, at most {most}"
    if lattice.cells <= most:
        return None
    what = "values" if problem.values is not None else "cells"
    return f"it is limited to {most} {what}, and there are {lattice.cells}"


def _check_repeatable(problem: Problem, wanted: bool) -> None:
    """Raise an error if a noisy search should be repeatable, since wrong answers affect it."""
    if wanted and problem.noisy:
        rule = "wrong answers change the next questions, so no search is repeated"
        remedy = "leave it out; an audit of several searches says what each costs"
        raise NoPlan("repeatable", True, rule, remedy)


def _under_prior(
    problem: Problem,
    domain: Domain | None,
    method: str,
    rounds: int | None,
    margin: Fraction,
    certificate: str,
    progress: Progress | None,
    *,
    queries: int | None,
    spare: bool,
) -> Plan:
    """Return the plan for a number with a prior that is not uniform."""
    if certificate != "theorem":
        rule = "plans under a prior are certified by theorem or by enumeration"
        raise InvalidValue("certificate", certificate, rule, "leave it out, or leave the prior out")
    units = domain or UNIT
    if problem.noisy:
        return noisy_prior_plan(
            problem, units, method, rounds=rounds, margin=margin, queries=queries
        )
    if problem.nearly_uniform:
        return _nearly_uniform_plan(problem, domain, method, rounds, margin, progress, spare=spare)
    return prior_plan(
        problem, units, method, rounds=rounds, margin=margin, spare=spare, progress=progress
    )


def _nearly_uniform_plan(
    problem: Problem,
    domain: Domain | None,
    method: str,
    rounds: int | None,
    margin: Fraction,
    progress: Progress | None,
    *,
    spare: bool,
) -> Plan:
    """Return the plan for a uniform number, made for 1/L minus the distance of the prior."""
    wanted = problem.level * margin
    # At level 1 nothing is hidden, so no room is needed; else `check_blind` has left some.
    closer = margin if wanted == 1 else margin / (1 - wanted * problem.distance)
    found = plan(
        replace(problem, prior=None),
        domain=domain,
        method=method,
        max_rounds=rounds,
        repeatable=not spare,
        margin=closer,
        progress=progress,
    )
    kept = replace(found, problem=problem)
    return kept if kept.private else replace(kept, certificate=None)


def _methods(
    problem: Problem,
    units: Domain,
    certificate: str = "theorem",
    seed: int | None = None,
    progress: Progress | None = None,
    executor: AnyExecutor | None = None,
    *,
    queries: int | None = None,
    spare: bool = True,
) -> Mapping[str, Method]:
    if not problem.noisy:
        if certificate != "theorem":
            rule = "plans without noise are certified by theorem or by enumeration"
            raise InvalidValue("certificate", certificate, rule, "leave it out, or give p")
        lattices = [Lattice.of_ticks(problem, units, each) for each in multiples(problem, units)]
        tried = [
            # Several numbers are planned for at dozens of levels each, which would take too long.
            noiseless_methods(problem, each, spare=spare, thorough=problem.dim == 1)
            for each in lattices or (None,)
        ]
        return tried[0] | {_BEST: cheapest_of([each[_BEST] for each in tried])}
    start = _seed_of(problem) if seed is None else seed
    # every coordinate gets the same share
    share = None if queries is None else queries // problem.dim
    return noisy_methods(
        problem, units, certificate, start, progress_of(progress), executor, queries=share
    )


def _seed_of(problem: Problem) -> int:
    """Return the seed of a calibration, which depends only on the problem and cannot be chosen."""
    words = json.dumps(problem.to_dict(), sort_keys=True).encode()
    return int.from_bytes(blake2b(words, digest_size=4, person=b"feint calibrate").digest(), "big")


def _made(
    problem: Problem, units: Domain, method: str, chosen: tuple[Option, ...], certificate: str
) -> Plan:
    if problem.noisy:
        return _noisy_plan(problem, units, method, chosen, certificate)
    return _noiseless_plan(problem, units, method, chosen)


def _repeated(found: Plan, wanted: bool) -> Plan:
    """Return the plan if it is repeatable or need not be."""
    if not wanted or found.repeatable:
        return found
    rule = f"method {found.method} tosses coins, and a second search with others reveals more"
    other = "grid" if found.method == _BEST or not _has_repeatable(found) else _BEST
    remedy = f'use method "{other}", or leave repeatable out and keep the key'
    raise NoPlan("repeatable", True, rule, remedy)


def _has_repeatable(found: Plan) -> bool:
    """Return True if the recommended method has a repeatable plan for a plan's problem."""
    try:
        return plan(found.problem, domain=found.domain, repeatable=True).repeatable
    except InvalidValue:
        return False


class _How(NamedTuple):
    """The way in which a plan was chosen.

    Attributes:
        method: The method.
        rounds: The most rounds; None for any number.
        margin: The allowed error of the prior.
        spare: True if some parts may be left alone.
    """

    method: Method
    rounds: int | None
    margin: Fraction
    spare: bool


def _laid_out(
    problem: Problem, domain: Domain, method: str, chosen: tuple[Option, ...], how: _How
) -> tuple[Option, ...]:
    """Return options whose questions are at decimals, or at multiples of the domain's tick.

    Their guarantees cover the questions as they are shown.
    """
    if domain.tick is not None:
        line = Lattice.of_ticks(problem, domain, domain.tick).line
        # A cell of an option may be several ticks wide.
        return tuple(
            replace(each, scale=each.scale or replace(line, size=each.strategy.cells[0]))
            for each in chosen
        )
    found = _on_decimals(problem, domain, method, chosen, how)
    if found is None:  # rounding needs room that equal cells do not leave
        closer = stricter(problem, domain)
        again = _choose(closer, method, how.method, how.rounds, how.margin)
        if again is None:
            raise _refusal(closer, domain, method, how.method, how.rounds, how.margin)
        check_options(again, domain)
        own = problem if problem.dim == 1 else _factor(problem)
        moved = (replace(cast(Any, each.strategy), problem=own) for each in again)
        pairs = zip(again, moved, strict=True)
        chosen = tuple(replace(each, strategy=strategy) for each, strategy in pairs)
        found = _on_decimals(problem, domain, method, chosen, how)
    if found is None:
        rule = "is too small for questions that are shown as decimals"
        raise TooLarge(
            "epsilon",
            problem.epsilon,
            rule,
            "raise epsilon, or choose a range that decimals divide",
        )
    return found


def _on_decimals(
    problem: Problem, domain: Domain, method: str, chosen: tuple[Option, ...], how: _How
) -> tuple[Option, ...] | None:
    """Return every option placed on decimals, equal ones once; None if one does not fit."""
    own = problem if problem.dim == 1 else _factor(problem)

    def one(option: Option) -> Option | None:
        wanted = 1 / (problem.level * how.margin)
        most = max(option.share, wanted) if problem.dim == 1 else option.share

        def planned(lattice: Lattice) -> Option | None:
            made = noiseless_methods(own, lattice, spare=how.spare, thorough=problem.dim == 1)
            found = made[_BEST](own, 1 / most, how.rounds)
            return found if found is None or found.share <= most else None

        free = method == _BEST and not problem.noisy and problem.setting == "bayesian"
        return laid(problem, domain, option, most, planned if free else None)

    known = {id(each): one(each) for each in {id(each): each for each in chosen}.values()}
    found = tuple(here for each in chosen if (here := known[id(each)]) is not None)
    return found if len(found) == len(chosen) else None


def _own_plan(
    problem: Problem, domain: Domain, method: str, make: Make, rounds: int | None
) -> Plan:
    """Return the plan by a registered method."""
    found = Plan.of(make(problem), domain=domain, method=method)
    if rounds is not None and found.rounds > rounds:
        raise too_many_rounds(method, found.rounds, rounds)
    return found


def _stepped(problem: Problem, domain: Domain | None) -> Problem:
    """Return the problem; a domain with a step makes it a problem of whole values.

    Raises:
        WrongType: `problem` or `domain` has the wrong type.
        InvalidValue: The problem and the domain have different values.
    """
    problem, domain = problem_of(problem), domain_of(domain)
    if domain is None or domain.values == problem.values:
        return problem
    if problem.values is not None:
        rule = f"the domain has {domain.values or 'no such'} values"
        raise InvalidValue("values", problem.values, rule, "make the problem by domain.problem")
    return replace(problem, values=domain.values)


def _choose(
    problem: Problem,
    name: str,
    method: Method,
    rounds: int | None,
    margin: Fraction = Fraction(1),
    progress: Progress | None = None,
) -> tuple[Option, ...] | None:
    """Return one option per coordinate."""
    wanted = problem.level if margin == 1 else problem.level * margin
    if problem.dim == 1:
        option = method(problem, wanted, rounds)
        return None if option is None else (option,)
    factor, parts = _factor(problem), ceil_root(math.ceil(wanted), problem.dim)
    if name == _BEST or (name in (FIXED, MAJORITY) and problem.noisy):
        found = options(
            lambda level: method(factor, level, rounds),
            wanted,
            problem.dim,
            parts,
            near=problem.noisy,
            progress=progress,
        )
        return share(found, wanted, problem.dim) if found else None
    option = method(factor, parts, rounds)
    return None if option is None else (option,) * problem.dim


def _frugal(
    problem: Problem,
    units: Domain,
    chosen: tuple[Option, ...],
    rounds: int | None,
    margin: Fraction,
    *,
    spare: bool,
) -> tuple[Option, ...]:
    """Return options that ask fewer questions on average, if the shares leave room for that.

    The options were chosen with the least shares that their questions allow. Equal options get
    equal parts of the room that is left below 1/L.
    """
    own = _factor(problem)
    method = _methods(own, units, spare=spare)[_BEST]
    room = 1 / (problem.level * margin * multiplied(each.share for each in chosen))
    better = dict[int, Option]()
    for option in {id(each): each for each in chosen}.values():
        count = sum(each is option for each in chosen)
        more = int(_FINE * 2 ** (log2(room) / count) * (1 - 1e-9))  # the root, or a little less
        most = option.share * max(Fraction(1), Fraction(more, _FINE))
        found = method(own, 1 / most, rounds)
        if found is None or found.share > most or not _asks_less(found, option):
            found = option
        room *= (option.share / found.share) ** count
        better[id(option)] = found
    return tuple(better[id(each)] for each in chosen)


def _asks_less(one: Option, other: Option) -> bool:
    """Return True if an option asks fewer questions on average, and at most as many."""
    means = [cost(each.strategy, None) for each in (one, other)]
    if one.queries > other.queries or means[0] is None or means[1] is None:
        return False
    return means[0].queries < means[1].queries


def _factor(problem: Problem) -> Problem:
    """Return the problem of one coordinate by itself."""
    sure, epsilon = problem.confidence, problem.epsilon
    if sure is not None:
        sure = 1 - (1 - sure) / problem.dim  # probabilities of a miss add up
    elif problem.noisy:
        epsilon = epsilon / problem.dim  # the mean of the largest error is at most the sum
    return replace(problem, epsilon=epsilon, level=problem.parts, confidence=sure, dim=1)


def _noiseless_plan(
    problem: Problem, domain: Domain, method: str, chosen: tuple[Option, ...]
) -> Plan:
    """Return the plan, certified by theorem, or by enumeration if that is quick.

    "exact" says that her success is exactly what is stated. If it was enumerated for some numbers
    only, the product is a bound, and the certificate is "theorem" (proofs/product.md).
    """
    share = multiplied(each.share for each in chosen)
    exact = _success(chosen)
    scales = [each.scale for each in chosen]
    certificate: Certificate | None = "theorem" if keeps(share, problem, scales) else None
    success, places = exact, None
    if method == FLAWED:
        certificate = None
    elif problem.setting == "deterministic":
        places = int(1 / share)
    elif exact is not None and (
        problem.values is not None
        or any(each.success is None or each.is_enumerated for each in chosen)
    ):
        certificate = "exact" if keeps(exact, problem, scales) else None
    else:
        success = share
    return Plan(
        problem=problem,
        domain=domain,
        method=method,
        strategy=together(problem, chosen),
        certificate=certificate,
        adversary_success=success,
        places=places,
    )


def _noisy_plan(
    problem: Problem, domain: Domain, method: str, chosen: tuple[Option, ...], certificate: str
) -> Plan:
    """Return the plan; coordinates are independent, so successes multiply and losses add up."""
    losses = dict[str, float]()
    for each in chosen:
        for stage, lost in each.losses:
            losses[stage] = losses.get(stage, 0.0) + lost
    reason: Certificate | None = "calibrated" if certificate == "calibrated" else "theorem"
    if not losses or losses["total"] > losses["allowed"]:
        reason = None
    return Plan(
        problem=problem,
        domain=domain,
        method=method,
        strategy=together(problem, chosen),
        certificate=reason,
        adversary_success=multiplied(each.share for each in chosen),
        losses=losses or None,
    )


def _refusal(
    problem: Problem,
    units: Domain,
    name: str,
    method: Method,
    rounds: int | None,
    margin: Fraction,
) -> NoPlan | TooLarge:
    """Build the error for a method without a plan within the rounds, with a remedy that works."""
    if problem.noisy and (rounds is None or name in (_BEST, FIXED, MAJORITY)):
        other = _BEST if problem.known_p is None else FIXED
        return _noisy_refusal(problem, units, rounds, MAJORITY if name == MAJORITY else other)
    if name == _BEST:
        rule = "every such plan asks more than 2^24 questions"
        remedy = "raise epsilon, lower the level, or allow more rounds"
        return TooLarge("level", problem.level, rule, remedy)
    free = _choose(problem, name, method, None, margin) or ()
    check_options(free, units)
    took = len(free[0].strategy.rounds) if free else 0  # every coordinate takes the same number
    return too_many_rounds(name, took, rounds or 0)


def _noisy_refusal(problem: Problem, units: Domain, rounds: int | None, name: str) -> NoPlan:
    """Build the error for a noisy problem without a plan, with a remedy that was tried."""

    def takes(other: Problem) -> int | None:
        """Return the smallest number of rounds for a problem, or None if there is no plan."""
        try:
            method = _methods(other, units)[name]
            free = _choose(other, name, method, None)
        except TooLarge:
            return None
        if free is None:
            return None
        most = max(len(each.strategy.rounds) for each in free)
        if name == MAJORITY:  # planning finds the minimum, since nothing else gives it
            return bracket(lambda r: _choose(other, name, method, r) is not None, 0, most)[1]
        if rounds is None or isinstance(other.noise, Responses):
            return most  # with customers every trial would simulate a plan
        if other.known_p is None:  # planning finds the minimum, since nothing else gives it
            return _enough(lambda r: _choose(other, name, method, r) is not None, rounds, most)
        fewest = fewest_rounds(other if other.dim == 1 else _factor(other), other.parts)
        return fewest or most

    fewest = None if rounds is None else takes(problem)
    if rounds is None or fewest is None:
        return crowded(problem, units, takes, rounds)
    if problem.known_p is None:
        rule = "too few for searches that must end for every p"
        return NoPlan("max_rounds", rounds, rule, f"{fewest} are enough")
    return too_slow(rounds, fewest, "plans for majorities" if name == MAJORITY else "noisy plans")


def _enough(holds: Callable[[int], bool], limit: int, most: int) -> int:
    """Return a limit that can be kept, an eighth above the smallest at most.

    It is searched for upwards, since few members keep a small limit, which makes trials quick.

    Args:
        holds: Returns True if a plan keeps a limit.
        limit: The limit that was asked for.
        most: A limit that can be kept.
    """
    low, high = 0, limit
    while high < most and not holds(high):
        low, high = high, 2 * high
    return bracket(holds, low, min(high, most), relative=8)[1]


def _success(chosen: Sequence[Option]) -> Fraction | None:
    """Return her success for a uniform X*, if proved or small enough to enumerate."""
    known, kinds = dict[int, Fraction](), {id(each): each for each in chosen}
    for number, each in kinds.items():
        success = each.success
        if success is None or (each.strategy.problem.values is not None and not each.is_enumerated):
            success = enumerated(each.strategy, each.scale)
        if success is None:
            return None
        known[number] = success
    return multiplied(known[id(each)] for each in chosen)
