"""Plans that are known to be too long: better ones exist, and these must never get longer.

Each row has the number of questions today and the number of a plan that is known to exist. When a
plan gets shorter, its first number falls; once it is the second, the row is done.
"""

from fractions import Fraction

import pytest

from feint import Problem, plan
from feint.audit import audit
from feint.problem import Prior

NEARLY_UNIFORM = [
    # values, delta, level, the value that is 0.1 % less likely than any other: today, known
    (151, 46, 3, 0, 21, 21),
    (151, 46, 3, 75, 21, 21),
    (25, 8, 3, 3, 12, 12),
    (27, 8, 3, 24, 13, 13),
    (33, 8, 3, 0, 13, 13),
    (41, 8, 3, 29, 13, 13),
    (49, 8, 4, 47, 17, 17),
    (66, 8, 4, 53, 17, 17),
    (41, 8, 2, 36, 9, 9),
    (45, 5, 4, 10, 17, 17),
    (33, 5, 2, 32, 9, 9),
    (35, 3, 4, 33, 13, 13),
    (29, 3, 3, 15, 10, 10),
    (21, 2, 4, 3, 9, 9),
]
FEW_ROUNDS = [
    # values, delta, level, rounds: today, known
    (34, 1, 9, 4, 11, 11),
]


@pytest.mark.parametrize(("values", "window", "level", "rare", "today", "known"), NEARLY_UNIFORM)
def test_a_prior_that_is_nearly_uniform(
    values: int, window: int, level: int, rare: int, today: int, known: int
) -> None:
    """A plan for a uniform number is known to be private under the prior, too.

    It has a margin for the rare value, or it may let her win with exactly 1/level to ask fewer
    questions on average.
    """
    weights = [1000] * values
    weights[rare] -= 1
    size = Fraction(1, values), Fraction(window, values), level
    believed = Problem(*size, values=values, prior=Prior(weights))
    uniform = plan(Problem(*size, values=values), margin="1.001")
    assert uniform.queries <= known
    assert audit(uniform, problem=believed).holds
    found = plan(believed)
    assert known <= found.queries <= today
    assert audit(found).holds


@pytest.mark.parametrize(("values", "window", "level", "rounds", "today", "known"), FEW_ROUNDS)
def test_few_rounds(
    values: int, window: int, level: int, rounds: int, today: int, known: int
) -> None:
    """The same family is known to have a plan of fewer questions in as many rounds."""
    problem = Problem(Fraction(1, values), Fraction(window, values), level, values=values)
    found = plan(problem, max_rounds=rounds)
    assert found.rounds <= rounds
    assert known <= found.queries <= today
    assert audit(found).holds
