"""Sample sizes: voters in all, against every size there is, and in few rounds."""

from fractions import Fraction

import pytest
from tests.support.fixed import plan

from feint import Problem
from feint.errors import InvalidValue, NoPlan
from feint.planning import Samples, sample_sizes
from feint.planning.samples import _Sizes
from feint.simulate.oracles import promised, voters_for

PROBLEM, MARGIN = Problem("1/16", "1/4", 2), Fraction(2, 5)

SUREST = Fraction(999_999, 1_000_000)


def brute(max_rounds: int | None) -> dict[int, int]:
    """Voters in all by size, for every odd size whose majority errs more than once in 10^6."""
    found = {}
    for voters in range(1, voters_for(SUREST, MARGIN) + 1, 2):
        p = min(promised(voters, MARGIN), SUREST)
        try:
            planned = plan(Problem("1/16", "1/4", 2, p=p, confidence="0.9"), max_rounds=max_rounds)
        except NoPlan:
            continue
        found[voters] = voters * planned.queries
    return found


@pytest.mark.parametrize("max_rounds", [None, 8])
def test_no_size_needs_much_fewer_voters(max_rounds: int | None) -> None:
    found = sample_sizes(PROBLEM, MARGIN, confidence="0.9", max_rounds=max_rounds)
    every = brute(max_rounds)
    for each in found.sizes:
        assert each.voters_in_all == every[each.voters]
        assert max_rounds is None or each.plan.rounds <= max_rounds
    assert found.least is not None
    assert found.least <= min(every.values())
    assert found.best.voters_in_all <= min(every.values()) * Fraction(50, 49)


def test_fewer_rounds_cost_more_voters() -> None:
    """On the frontier both change; the quickest of at most twice the voters is on it."""
    found = sample_sizes(PROBLEM, MARGIN, confidence="0.9")
    by_rounds = sorted(found.frontier, key=lambda each: each.plan.rounds)
    costs = [each.voters_in_all for each in by_rounds]
    assert costs == sorted(set(costs), reverse=True)
    assert found.best in found.frontier
    assert found.quickest.voters_in_all <= 2 * found.best.voters_in_all
    for each in found.sizes:
        beaten = any(
            other.plan.rounds <= each.plan.rounds and other.voters_in_all <= each.voters_in_all
            for other in found.frontier
        )
        assert beaten  # by itself, if it is on the frontier
        if each.voters_in_all <= 2 * found.best.voters_in_all:
            assert found.quickest.plan.rounds <= each.plan.rounds


def test_rounds_and_their_voters_are_those_of_the_plan() -> None:
    (only,) = sample_sizes(PROBLEM, MARGIN, voters=[5]).sizes
    widths = [len(each.coordinates) for each in only.plan.strategy.rounds]
    assert only.voters_in_all == 5 * sum(widths)
    assert only.largest_round == 5 * max(widths)
    assert only.p == only.plan.problem.p == promised(5, MARGIN)


def test_progress_counts_plans() -> None:
    told: list[tuple[str, int, int]] = []
    found = sample_sizes(
        PROBLEM, MARGIN, confidence="0.9", progress=lambda *words: told.append(words)
    )
    assert [done for _, done, _ in told] == list(range(2, len(told) + 2))
    assert {what for what, _, _ in told} == {"sample sizes"}
    assert isinstance(found, Samples)
    assert all(done <= wanted for _, done, wanted in told)


def test_refusals() -> None:
    noisy = Problem("1/16", "1/4", 2, p="0.9")
    with pytest.raises(InvalidValue, match="p = 9/10: follows from the sample size"):
        sample_sizes(noisy, MARGIN)
    with pytest.raises(InvalidValue, match="plan without p, and ask one voter"):
        sample_sizes(PROBLEM, "1/2")
    with pytest.raises(InvalidValue, match="must be odd"):
        sample_sizes(PROBLEM, MARGIN, voters=[4])
    with pytest.raises(NoPlan, match="rounds or more"):
        sample_sizes(PROBLEM, MARGIN, max_rounds=1)
    with pytest.raises(InvalidValue, match="Bayesian"):
        sample_sizes(Problem("1/16", "1/4", 2, setting="deterministic"), MARGIN)


def test_a_size_without_a_plan_is_tried_once_and_left_out() -> None:
    """Three voters so near to a coin are right in half of all cases, to six decimals."""
    told: list[int] = []
    problem = Problem("1/16", "1/4", 2, p="0.9", confidence="0.9")
    sizes = _Sizes(
        problem, Fraction(1, 10**8), None, None, lambda what, done, wanted: told.append(done)
    )
    for _ in range(2):
        sizes._try(3)
    assert sizes.made == {3: None}
    assert told == [1]
    assert sizes._found(None).sizes == ()
