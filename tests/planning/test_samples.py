"""Sample sizes: voters on average, against every size there is, and in few rounds."""

from fractions import Fraction

import pytest

from feint import Problem, plan
from feint.errors import InvalidValue, NoPlan
from feint.interfaces import hiding_stage
from feint.planning import Plan, Samples, sample_sizes
from feint.planning.samples import _Sizes
from feint.simulate import run_lengths
from feint.simulate.oracles import GrowingSample, growing_sample, promised, voters_for
from feint.strategies import Product, SequentialNoisy, SequentialShape, StagedNoisy

PROBLEM, MARGIN = Problem("1/16", "1/4", 2), Fraction(2, 5)

SUREST = Fraction(999_999, 1_000_000)


def brute(max_rounds: int | None) -> dict[int, float]:
    """Mean voters by size, for every odd size whose majority errs more than once in 10^6."""
    found = {}
    for voters in range(1, voters_for(SUREST, MARGIN) + 1, 2):
        p = min(promised(voters, MARGIN), SUREST)
        try:
            noisy = Problem("1/16", "1/4", 2, p=p, confidence="0.9")
            planned = plan(noisy, method="majority", max_rounds=max_rounds)
        except NoPlan:
            continue
        asked, size = run_lengths(planned.strategy, 500), growing_sample(voters, MARGIN)
        hidden = asked.hidden.mean()
        fixed = asked.queries.mean() - hidden
        found[voters] = float(voters * fixed + float(size.mean(MARGIN)) * hidden)
    return found


@pytest.mark.parametrize("max_rounds", [None, pytest.param(8, marks=pytest.mark.long)])
def test_no_size_needs_much_fewer_voters(max_rounds: int | None) -> None:
    """Means of 500 runs are right to three parts in a hundred."""
    found = sample_sizes(PROBLEM, MARGIN, confidence="0.9", max_rounds=max_rounds)
    every = brute(max_rounds)
    for each in found.sizes:
        assert each.price == pytest.approx(every[each.voters], rel=0.08)
        assert max_rounds is None or each.plan.rounds <= max_rounds
    assert found.least is not None
    assert found.least <= 1.05 * min(every.values())
    assert found.best.price <= 1.05 * min(every.values()) * Fraction(50, 49)


def test_fewer_rounds_cost_more_voters() -> None:
    """On the frontier both change; the quickest of at most twice the voters is on it."""
    found = sample_sizes(PROBLEM, MARGIN, confidence="0.9")
    by_rounds = sorted(found.frontier, key=lambda each: each.rounds)
    costs = [each.price for each in by_rounds]
    assert costs == sorted(set(costs), reverse=True)
    assert found.best in found.frontier
    assert found.quickest.price <= 2 * found.best.price
    for each in found.sizes:
        beaten = any(
            other.rounds <= each.rounds and other.price <= each.price for other in found.frontier
        )
        assert beaten  # by itself, if it is on the frontier
        if each.price <= 2 * found.best.price:
            assert found.quickest.rounds <= each.rounds


def shape_of(found: Plan) -> SequentialShape:
    """Return the shape of a plan that stops when it is sure."""
    assert isinstance(found.strategy, SequentialNoisy)
    return found.strategy.shape


def test_voters_are_those_of_the_plan() -> None:
    """The most and the mean, with samples that grow and with samples of a fixed size."""
    for batches in (1, 3):
        (only,) = sample_sizes(PROBLEM, MARGIN, confidence="0.9", voters=[5], batches=batches).sizes
        shape, cost = shape_of(only.plan), only.plan.cost
        assert cost is not None
        assert only.fixed_mean is not None
        assert only.p == only.plan.problem.p == promised(5, MARGIN)
        assert (only.growing == GrowingSample(first=5)) == (batches == 1)
        assert only.growing.ends(MARGIN).p >= only.p
        largest = only.growing.largest
        hidden = shape.kept * sum(shape.hide_cap)
        assert only.voters_in_all == 5 * (only.plan.queries - hidden) + largest * hidden
        cut = (shape.parts - 1) * shape.repeats
        assert only.largest_round == max(5 * cut, largest * shape.kept, 5 * (shape.blocks > 1))
        assert only.fixed_mean == pytest.approx(5 * cost.queries)
        saved = (5 - float(only.growing.mean(MARGIN))) * cost.hidden
        assert only.voters_mean == pytest.approx(only.fixed_mean - saved)
        assert (saved > 0) == (batches > 1)


def test_the_questions_of_hiding_are_counted_run_by_run() -> None:
    """With one quantile at once, questions and rounds tell how many rounds hid: L' > 1."""
    planned = plan(Problem("1/64", "1/16", 3, p="0.9", confidence="0.9"))
    found = planned.strategy
    shape, took = shape_of(planned), run_lengths(found, 500)
    assert shape.kept > 1 == shape.at_once
    cut = (shape.parts - 1) * shape.repeats
    rounds = (took.queries - cut - took.rounds + 1) // (shape.kept - 1)
    assert (took.hidden == shape.kept * rounds).all()
    assert took.hidden.max() <= hiding_stage(found).queries


def test_several_numbers_and_plans_of_a_fixed_length_hide_too() -> None:
    """A product adds up what its factors hide; a fixed plan hides in a fixed number of rounds."""
    fixed = plan(Problem("1/16", "1/4", 2, p="0.9", confidence="0.9"), method="fixed")
    assert isinstance(fixed.strategy, StagedNoisy)
    shape = fixed.strategy.shape
    assert fixed.cost is not None
    assert fixed.cost.hidden == shape.kept * shape.hide
    assert (run_lengths(fixed.strategy, 5).hidden == shape.kept * shape.hide).all()
    problem = Problem("1/16", "1/4", 4, p="0.9", confidence="0.8", dim=2)
    both = plan(problem, method="fixed").strategy
    assert isinstance(both, Product)
    shapes = [each.shape for each in both.factors if isinstance(each, StagedNoisy)]
    hidden = [each.kept * each.hide for each in shapes]
    assert len(hidden) == 2
    assert hiding_stage(both).queries == sum(hidden)
    assert (run_lengths(both, 5).hidden == sum(hidden)).all()


def test_no_advised_plan_narrows() -> None:
    """That of method "tight" would narrow to five blocks first."""
    (large,) = sample_sizes(
        Problem("0.001", "0.02", 5), MARGIN, confidence="0.95", voters=[1]
    ).sizes
    assert shape_of(large.plan).blocks == 1
    assert large.plan.private


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
    with pytest.raises(InvalidValue, match="batches = 0"):
        sample_sizes(PROBLEM, MARGIN, batches=0)
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
