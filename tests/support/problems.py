"""Draw random problems, and plan each by every method."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from feint import Problem
from feint.planning import Plan, methods, plan

SPECIMENS = ("printed",)


@st.composite
def problems(draw: Any) -> Problem:
    """Draw a noiseless problem whose runs ask at most some thousand questions."""
    setting = draw(st.sampled_from(["bayesian", "deterministic"]))
    level, dim = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    share = next(g for g in range(1, 13) if g**dim >= level)
    if draw(st.booleans()):
        reach = draw(st.integers(1, 50))
        values = draw(st.integers(max(2, share * reach), max(2, share * reach) + 400))
        delta = Fraction(reach, values)
        return Problem(Fraction(1, values), delta, level, setting=setting, dim=dim, values=values)
    delta = draw(st.fractions(Fraction(1, 10**6), Fraction(1, share)))
    epsilon = delta / draw(st.fractions(2, 10**4))
    return Problem(epsilon, delta, level, setting=setting, dim=dim)


def plans(problem: Problem) -> list[Plan]:
    """Return one plan per method, including specimens, without those that take too long."""
    cells, most = problem.values or 1 / problem.epsilon, {"grid": 3000, "optimal": 5}
    names = [name for name in methods(problem) if cells <= most.get(name, cells)]
    return [plan(problem, method=name) for name in names]
