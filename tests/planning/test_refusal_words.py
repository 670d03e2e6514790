"""What is refused, word by word: the argument, the value, the rule and a remedy."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from feint import Domain, InvalidValue, NoPlan, Plan, Problem, TooLarge, WrongType, plan
from feint.planning import compare, register_method, sample_sizes
from feint.planning.limits import LONGEST
from feint.planning.noisy.certificates.theorem import Theorem
from feint.planning.noisy.refusals import crowded
from feint.planning.noisy.search import NoisySearch
from feint.problem import UNIT

LONG = "a plan may ask at most 2^24 questions; raise epsilon or p, or lower the level"
SURE = (
    "to plan, must be below 1 by 10^-11 or more for each number: no certificate is finer; "
    "the nearest that works is confidence = 0.99999999999"
)


def sure(miss: Fraction) -> Plan:
    return plan(Problem("0.005", "0.02", 2, p="0.9", confidence=1 - miss))


def whole_numbers(method: str) -> Plan:
    domain = Domain(0, 2**63, step=1)
    return plan(domain.problem(delta=2**40, level=2), domain=domain, method=method)


def hardly_known(method: str) -> Plan:
    """An answer tells next to nothing: 10^-4 better than a coin."""
    problem = Problem("0.001", "0.02", 5, p="0.5001", confidence="0.95")
    return plan(problem, method=method)


def believed() -> Plan:
    problem = Problem("1/20", "1/5", 2, prior=UNIT.prior([1, 2]))
    return plan(problem, certificate="calibrated")


def third(rounds: int) -> Plan:
    """A range that no decimal divides: equal cells of 1/48 are as wide as epsilon."""
    domain = Domain(0, "1/3")
    problem = domain.problem(epsilon="1/48", delta="1/24", level=2)
    return plan(problem, domain=domain, method="bisection", max_rounds=rounds)


def coarse() -> Plan:
    domain = Domain(0, 50, tick=5)
    return plan(domain.problem(epsilon=4, delta=10, level=2), domain=domain)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: sure(Fraction(99, 10**13)), InvalidValue, f"confidence = 0.9999999999901: {SURE}"),
        (lambda: sure(Fraction(1, 10**14)), InvalidValue, f"confidence = 0.99999999999999: {SURE}"),
        (
            lambda: whole_numbers("grid"),
            TooLarge,
            "step = 1: the range has about 9.2e+18 values, and at most 2^62 can be told apart; "
            "a step of 8 or more always fits",
        ),
        (lambda: hardly_known("tight"), TooLarge, f"queries = {2**25} or more: {LONG}"),
        (
            lambda: plan(Problem("1/20", "1/5", 2, p="0.9"), repeatable=True),
            NoPlan,
            "repeatable = True: wrong answers change the next questions, so no search is repeated; "
            "leave it out; an audit of several searches says what each costs",
        ),
        (
            believed,
            InvalidValue,
            "certificate = calibrated: plans under a prior are certified by theorem or by "
            "enumeration; leave it out, or leave the prior out",
        ),
        (
            lambda: third(4),
            NoPlan,
            "max_rounds = 4: method bisection takes 5 rounds; "
            'allow that many, or use method "tight"',
        ),
        (
            coarse,
            InvalidValue,
            "tick = 5: questions that far apart cannot tell a number to epsilon = 4; "
            "tick = 4 works",
        ),
        (
            lambda: sample_sizes(Problem("1/16", "1/4", 2), "1e-14", voters=[3]),
            TooLarge,
            "margin = 1/100000000000000: so small a margin needs more questions than a plan may "
            "have; ask more voters per question",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], Any], kind: type[InvalidValue], words: str) -> None:
    with pytest.raises(kind) as refused:
        call()
    assert type(refused.value) is kind
    assert str(refused.value) == words


def test_the_papers_plan_is_refused_by_the_questions_that_it_asks() -> None:
    """7L = 35 parts of one block: log(3·20/δ)/c₃ + 34·log(12·20)/c₄ + 35·log(12·20·δ/ε)/c₃."""
    with pytest.raises(TooLarge) as refused:
        hardly_known("paper")
    assert str(refused.value) == f"queries = {refused.value.value}: {LONG}"
    asked, more = str(refused.value.value).split(" ", 1)
    assert more == "or more"
    c3, c4 = 1e-8 / math.log(2), -math.log1p(-4e-8) / math.log(2) / 2
    expected = math.log2(3000) / c3 + 34 * math.log2(240) / c4 + 35 * math.log2(4800) / c3
    assert int(asked) == pytest.approx(expected, rel=1e-7)


def test_the_rounds_that_a_refusal_names_are_enough() -> None:
    """Rounded to decimals a fifth halving is needed, where equal cells need four."""
    assert third(5).rounds == 5
    problem = Problem("1/16", "1/8", 2)
    assert plan(problem, method="bisection", max_rounds=4).rounds == 4


@pytest.mark.parametrize("margin", [1, 2])
@pytest.mark.parametrize("method", ["paper", "replicated"])
def test_the_rounds_of_a_method_are_those_it_takes_at_the_level_asked_for(
    method: str, margin: int
) -> None:
    problem = Problem("1/200", "1/40", 5)
    took = plan(problem, method=method, margin=margin).rounds
    assert plan(problem, method=method, max_rounds=took, margin=margin).rounds == took
    with pytest.raises(NoPlan) as refused:
        plan(problem, method=method, max_rounds=took - 1, margin=margin)
    assert refused.value.rule == f"method {method} takes {took} rounds"


@pytest.mark.parametrize("method", ["paper", "opportunistic", "grid"])
def test_guesses_that_fill_a_range_of_thirds_leave_no_room_for_decimals(method: str) -> None:
    """Four guesses that are a fourth of it apart; the delta that is named can be had."""
    range_ = Domain(0, "1/3")

    def planned(delta: str) -> Plan:
        wanted = range_.problem(epsilon="1/192", delta=delta, level=4, setting="deterministic")
        return plan(wanted, domain=range_, method=method)

    with pytest.raises(NoPlan) as refused:
        planned("1/12")
    assert str(refused.value) == (
        "delta = 1/12: no decimal divides this range, and so near to 1/level questions cannot be "
        "rounded; delta = 0.08333317 works, or a range that decimals divide"
    )
    assert planned("0.08333317").problem.level == 4


@pytest.mark.parametrize("method", ["tight", "bisection"])
def test_decimals_of_thirds_make_no_lattice_that_is_too_large(method: str) -> None:
    """Equal cells would be 2^62, the most there may be; rounded to decimals they are more."""
    range_, fine = Domain(0, "1/3"), Fraction(1, 3 << 62)
    wanted = range_.problem(epsilon=fine, delta=Fraction(1, 24), level=2)
    with pytest.raises(TooLarge, match="cells, and it may have at most 2"):
        plan(wanted, domain=range_, method=method)


def test_a_name_of_a_method_is_a_word() -> None:
    name: Any = 3
    with pytest.raises(WrongType) as refused:
        register_method(name, lambda problem: plan(problem).strategy)
    assert str(refused.value) == 'name = 3: must be a word; pass a name such as "mine"'


def test_the_methods_that_a_tick_rules_out_are_named() -> None:
    """Those that there would be without it, each once; the others have a plan."""
    domain, told = Domain(0, 1, tick="1/40"), list[tuple[str, str]]()
    problem = domain.problem(epsilon="1/20", delta="1/5", level=2)
    plans = compare(
        problem, domain=domain, refused=lambda name, error: told.append((name, str(error)))
    )
    assert [each.method for each in plans] == ["tight", "bisection", "grid"]
    rule = "it divides the range evenly, not at multiples of a tick; leave the tick out"
    assert told == [
        ("paper", f"method = paper: {rule}"),
        ("replicated", f"method = replicated: {rule}"),
        (
            "optimal",
            "method = optimal: it is limited to 9 cells, and there are 40; leave it out",
        ),
    ]


def takes(rounds: dict[Fraction, int]) -> Callable[[Problem], int | None]:
    """The rounds that a problem takes, by its delta; the others have no plan."""
    return lambda problem: rounds.get(problem.delta)


@pytest.mark.parametrize(
    ("works", "rounds", "remedy"),
    [
        ({"1/3": 5, "1/4": 5}, None, "epsilon = 10/3 with delta = 40/3 works"),
        ({"1/3": 5, "1/4": 5}, 5, "epsilon = 10/3 with delta = 40/3 works"),
        ({"1/3": 5, "1/4": 5}, 4, "max_rounds = 5 with epsilon = 10/3 with delta = 40/3 works"),
        ({"1/4": 7, "1/6": 5}, 6, "max_rounds = 7 with epsilon = 2.5 with delta = 10 works"),
        ({"1/6": 5}, None, "epsilon = 5/3 with delta = 20/3 works"),
        ({}, None, "take a finer step"),
    ],
)
def test_a_narrower_secret_is_named_with_all_that_it_takes(
    works: dict[str, int], rounds: int | None, remedy: str
) -> None:
    """One, two or four spare parts beside the two of level 2, epsilon a fourth of delta at most."""
    units = Domain(0, 40)
    problem = units.problem(epsilon=5, delta=20, level=2, p="0.9", confidence="0.9")
    known = {Fraction(delta): took for delta, took in works.items()}
    error = crowded(problem, units, takes(known), rounds)
    rule = "no noisy plan is private enough so near to delta = 20"
    assert str(error) == f"delta = 20: {rule}; {remedy}"


@pytest.mark.parametrize(
    ("values", "window", "tried"),
    [
        (40, 20, [13, 12, 6, 1]),  # a spare part: ⌊40/3⌋ values
        (40, 13, [12, 11, 6, 1]),  # one value fewer than was asked for
        (12, 3, [2, 1]),
    ],
)
def test_fewer_neighbouring_values_are_tried_the_most_first(
    values: int, window: int, tried: list[int]
) -> None:
    problem = Problem(
        Fraction(1, values), Fraction(window, values), 2, values=values, p="0.9", confidence="0.9"
    )
    seen: list[Problem] = []

    def never(other: Problem) -> None:
        seen.append(other)

    error = crowded(problem, UNIT, never, None)
    assert [each.delta * values for each in seen] == tried
    assert {each.epsilon for each in seen} == {problem.epsilon}
    assert error.remedy == "take a finer step"


@pytest.mark.parametrize("parts", [2, 3, 5])
def test_votes_that_no_plan_can_afford_are_not_counted_to_the_end(parts: int) -> None:
    """Doubled until the cut alone asks more than a plan may, and no further."""
    p = Fraction(1, 2) + Fraction(1, 10**7)
    problem = Problem("1/100", "1/10", 2, p=p, confidence="0.6")
    repeats = NoisySearch(problem, 2, Theorem(p))._find_fewest_repeats(parts)
    assert LONGEST / 2 <= (parts - 1) * repeats / 2 <= LONGEST < (parts - 1) * repeats
