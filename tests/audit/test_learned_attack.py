"""An eavesdropper who learned from 10^5 transcripts of large noisy plans wins no more than 1/L."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support.attack import success

from feint import Problem, plan
from feint.simulate import clopper_pearson
from feint.strategies import SequentialNoisy
from feint.testing.noisy_specimens import StopsOnConfidence

RUNS = 100_000  # half of them to learn on, half to be measured on
FAILURE = 0.002  # of an interval, so 0.1 % on either side
LARGE = {
    "p = .9": Problem("0.001", "0.02", 5, p="0.9", confidence="0.95"),
    "p = .75": Problem("0.001", "0.02", 5, p="0.75", confidence="0.95"),
    "level 8": Problem("0.0001", "0.01", 8, p="0.9", confidence="0.99"),
}


def rate(strategy: SequentialNoisy, runs: int) -> tuple[float, float]:
    """Return the limits of how often she wins; they are printed for whoever runs this with -s."""
    wins, measured = success(strategy, runs, seed=2026)
    low, high = (float(each) for each in clopper_pearson(wins, measured, FAILURE))
    print(f"wins {wins} of {measured}, between {low:.4f} and {high:.4f}")
    return low, high


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_she_stays_within_the_promise(name: str) -> None:
    """The promise may be used up, so a run contradicts it only if its lower limit is above."""
    found = plan(LARGE[name])
    strategy = found.strategy
    assert isinstance(strategy, SequentialNoisy)
    low, high = rate(strategy, RUNS)
    assert low <= Fraction(1, LARGE[name].level) == found.adversary_success
    assert high > 0.9 / LARGE[name].level  # an attack that finds nothing would show nothing


@pytest.mark.slow
def test_she_catches_a_search_that_stops_on_its_confidence() -> None:
    """The same attack, with a tenth of the transcripts, wins .26 for .2."""
    problem = LARGE["p = .9"]
    strategy = plan(problem).strategy
    assert isinstance(strategy, SequentialNoisy)
    shape = replace(strategy.shape, repeats=2)
    assert rate(StopsOnConfidence(problem, strategy.size, shape), RUNS // 10)[0] > 0.23
