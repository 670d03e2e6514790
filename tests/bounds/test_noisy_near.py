"""Lower bounds under noise: known numbers, and never above what can be done."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import comb

import pytest

from feint import NoPlan, Problem, plan
from feint.bounds import lower_bound, meta_converse_lower, near_noisy_lower
from feint.errors import OutOfRegime
from feint.problem import Prior


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "p", "confidence", "least"),
    [
        (".001", ".02", 5, ".9", ".95", 38.6),
        (".001", ".02", 5, ".75", ".95", 104.7),
        (".001", ".02", 5, ".6", ".95", 663.1),
        (".0001", ".01", 8, ".9", ".99", 101.0),
        (".0001", ".005", 20, ".9", ".95", 193.8),
    ],
)
def test_known_numbers(
    epsilon: str, delta: str, level: int, p: str, confidence: str, least: float
) -> None:
    """The five rows of the table of variable lengths, worked out with a calculator."""
    problem = Problem(epsilon, delta, level, p=p, confidence=confidence)
    assert near_noisy_lower(problem) == pytest.approx(least, abs=0.06)


@pytest.mark.parametrize(("cells", "p"), [(2, 0.9), (3, 0.8), (4, 0.75), (5, 0.9), (8, 0.7)])
def test_the_converse_by_exact_sums(cells: int, p: float) -> None:
    """Right answers are binomial: the best test takes the runs with most of them, in fractions."""
    right, sure = Fraction(p).limit_denominator(100), Fraction(9, 10)

    def beta(answers: int) -> Fraction:
        power, coins = Fraction(0), Fraction(0)
        for count in range(answers, -1, -1):
            own = comb(answers, count) * right**count * (1 - right) ** (answers - count)
            fair = Fraction(comb(answers, count), 2**answers)
            if power + own >= sure:
                return coins + fair * (sure - power) / own
            power, coins = power + own, coins + fair
        raise AssertionError

    least = next(answers for answers in range(100) if beta(answers) * cells <= 1)
    problem = Problem(
        Fraction(1, cells), Fraction(1, cells), 1, values=cells, p=right, confidence=sure
    )
    assert meta_converse_lower(problem) == least


@cache
def best(masses: tuple[Fraction, ...], right: Fraction, left: int) -> Fraction:
    """Return with what mass the best adaptive search of so many answers names the right cell."""
    if not left:
        return max(masses)

    def told(query: int, answer: bool) -> Fraction:
        likely = (right if (cell >= query) == answer else 1 - right for cell in range(len(masses)))
        after = tuple(mass * chance for mass, chance in zip(masses, likely, strict=True))
        return best(after, right, left - 1)

    return max(told(query, True) + told(query, False) for query in range(1, len(masses)))


@pytest.mark.parametrize("p", ["0.9", "0.75"])
@pytest.mark.parametrize(
    "weights", [[1, 1], [1] * 3, [1] * 4, [1, 3], [8, 1, 1], [1, 2, 4], [2, 0, 5], [1, 1, 1, 5]]
)
def test_the_converse_is_never_above_the_best_search(weights: list[int], p: str) -> None:
    """The best adaptive search of so many answers on a few cells, by recursion over all of them."""
    right, cells, cell = Fraction(p), len(weights), Fraction(1, len(weights))
    masses = tuple(Fraction(weight, sum(weights)) for weight in weights)
    for answers in range(5):
        sure = best(masses, right, answers)
        if sure < Fraction(1, 2):  # no confidence that a problem may state
            continue
        problem = Problem(
            cell, cell, 1, values=cells, p=right, confidence=sure, prior=Prior(weights)
        )
        assert meta_converse_lower(problem) <= answers
    assert meta_converse_lower(replace(problem, confidence=Fraction(999, 1000))) > 2


@pytest.mark.parametrize("seed", range(12))
def test_never_above_a_noisy_plan(seed: int) -> None:
    draw = random.Random(seed)
    held = 0
    while held < 5:
        level = draw.choice([1, 2, 3, 5, 8])
        delta = Fraction(1, level * draw.randint(2, 30))
        problem = Problem(
            delta / draw.randint(4, 60),
            delta,
            level,
            p=draw.choice(["0.7", "0.8", "0.9", "0.95"]),
            confidence=draw.choice([None, "0.9", "0.99"]),
        )
        try:
            asked = plan(problem).queries
        except NoPlan:
            continue
        least = lower_bound(problem)
        assert least is not None or problem.confidence is None
        assert least is None or 0 < least <= asked
        held += 1


def test_on_average_some_confidence_counts() -> None:
    """Markov: a mean error of ε/2 is one within kε/2 with probability 1 − 1/k."""
    mean = Problem(".0001", ".02", 5, p=".9")
    sure = Problem(".0004", ".02", 5, p=".9", confidence=".75")
    assert near_noisy_lower(mean) >= near_noisy_lower(sure) > 0


def test_other_problems_are_refused() -> None:
    for bound in (near_noisy_lower, meta_converse_lower):
        with pytest.raises(OutOfRegime, match="p = None"):
            bound(Problem("1/64", "1/12", 3))
    for other in ({"dim": 2}, {"prior": Prior([1, 2, 2, 1])}):
        (argument,) = other
        with pytest.raises(OutOfRegime, match=argument):
            near_noisy_lower(Problem("1/64", "1/12", 3, p="0.9", **other))


def test_the_converse_needs_a_confidence() -> None:
    with pytest.raises(OutOfRegime, match="confidence"):
        meta_converse_lower(Problem("1/64", "1/12", 3, p="0.9"))
