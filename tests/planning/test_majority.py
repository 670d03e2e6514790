"""Method "majority": privacy where answers near the number err more often (proofs/samples.md)."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from feint import Domain, Problem, Search, methods, plan
from feint.audit import noisy_exact
from feint.branches import Right
from feint.errors import InvalidValue, NoPlan
from feint.planning import register_method, sample_sizes
from feint.strategies import SequentialNoisy, SequentialShape, vote

Int = NDArray[np.int64]
PROBLEM = Problem("1/16", "1/4", 2, p="0.9", confidence="0.9")
LARGE = Problem("0.001", "0.02", 5, p="0.9", confidence="0.95")


def member(parts: int, kept: int, cells: int, repeats: int, p: str) -> SequentialNoisy:
    """Return a member without narrowing, with `cells` cells in a part."""
    shape = SequentialShape(
        blocks=1,
        parts=parts,
        repeats=repeats,
        kept=kept,
        hide_error=Fraction(1, 50),
        hide_cap=(3, 0),
    )
    problem = Problem("1/100", "1/20", 2, p=p, confidence="0.9")
    return SequentialNoisy(problem, parts * cells, shape)


def logistic(least: float, scale: float, point: Int, cell: Int) -> NDArray[np.float64]:
    """Return how often a majority is right where the share of yes is logistic in the distance."""
    found = 1 / (1 + np.exp(-np.abs(cell + 0.5 - point) / scale))
    return np.asarray(np.maximum(least, found))


def either(least: float, seed: int, point: Int, cell: Int) -> NDArray[np.float64]:
    """Return `least` or nearly 1, drawn for each distance and side: no smooth law at all."""
    far = np.random.default_rng(seed).choice([least, 0.75, 0.999], 200)
    found: NDArray[np.float64] = far[cell - point + 100]
    return found


def laws(least: float) -> list[Right]:
    """Return reliabilities that depend on the distance and side, and are `least` or more."""
    smooth: list[Right] = [partial(logistic, least, scale) for scale in (0.2, 0.5, 1.0, 3.0)]
    return smooth + [partial(either, least, seed) for seed in range(4)]


@pytest.mark.parametrize(
    ("parts", "kept", "cells", "repeats", "p"),
    [(2, 2, 4, 1, "0.7"), (3, 3, 3, 1, "0.7"), (3, 2, 3, 3, "0.6"), (3, 3, 4, 5, "0.6")],
)
def test_a_wrong_part_is_all_that_it_adds(
    parts: int, kept: int, cells: int, repeats: int, p: str
) -> None:
    """1/L' + P{k̂ ≠ k*} at the least p, for windows of every width up to a part."""
    strategy = member(parts, kept, cells, repeats, p)
    most = 1 / kept + vote(parts, repeats, float(p)).error
    for right in laws(float(p)):
        for wide in range(1, cells + 1):
            delta = Fraction(wide, strategy.size)
            assert noisy_exact(strategy, delta=delta, right=right).success <= most + 1e-9


def test_what_a_wrong_part_adds_is_needed() -> None:
    """Windows of a whole part: she wins more often than 1/L' with these answers."""
    strategy = member(2, 2, 4, 1, "0.6")
    won = [noisy_exact(strategy, delta=Fraction(1, 2), right=right).success for right in laws(0.6)]
    assert max(won) > 1 / 2 + 0.1


@pytest.mark.parametrize("problem", [PROBLEM, LARGE])
def test_what_is_planned_and_claimed(problem: Problem) -> None:
    found = plan(problem, method="majority")
    assert isinstance(found.strategy, SequentialNoisy)
    shape = found.strategy.shape
    error = vote(shape.parts, shape.repeats, 0.9).error
    assert shape.blocks == 1
    assert found.private
    assert found.adversary_success is not None
    assert float(found.adversary_success) == pytest.approx(1 / shape.kept + error, abs=1e-9)
    assert found.adversary_success >= 1 / Fraction(shape.kept) + Fraction(error)
    assert "depends only on how far the question is from the number" in found.condition
    assert "equally often" not in found.condition
    assert Search.from_json(Search(found).to_json()).plan.condition == found.condition


def test_whole_values_and_several_numbers() -> None:
    """Of 12 values, uneven parts count; of two numbers, successes multiply."""
    twelve = Domain(1, 12, step=1)
    wanted = twelve.problem(delta=1, level=2, p="0.8", confidence="0.6")
    found = plan(wanted, domain=twelve, method="majority")
    assert isinstance(found.strategy, SequentialNoisy)
    shape = found.strategy.shape
    longest = -(-12 // shape.parts)
    assert found.adversary_success is not None
    assert found.adversary_success > Fraction(shape.parts * longest, 12 * shape.kept)
    assert found.private
    both = plan(Problem("1/16", "1/4", 4, p="0.9", confidence="0.8", dim=2), method="majority")
    assert both.private
    assert both.adversary_success is not None
    assert both.adversary_success <= Fraction(1, 4)


def test_a_refusal_names_rounds_that_are_enough() -> None:
    with pytest.raises(NoPlan, match=r"plans for majorities take \d+ rounds or more") as refused:
        plan(PROBLEM, method="majority", max_rounds=1)
    least = int(str(refused.value).rsplit(" ", 3)[1])
    assert plan(PROBLEM, method="majority", max_rounds=least).rounds <= least
    with pytest.raises(NoPlan):
        plan(PROBLEM, method="majority", max_rounds=least - 1)


def test_it_is_not_listed_but_its_name_is_taken() -> None:
    """It is for answers of another kind than p describes, so no comparison has it."""
    assert "majority" not in methods(PROBLEM)
    with pytest.raises(InvalidValue, match="has a method of this name"):
        register_method("majority", lambda problem: member(2, 2, 2, 1, "0.9"))


def test_samples_are_planned_by_it_but_under_a_prior() -> None:
    """Parts of a prior have different widths: distances would tell which part it is."""
    (only,) = sample_sizes(Problem("1/16", "1/4", 2), "0.4", confidence="0.9", voters=[3]).sizes
    assert only.plan.method == "majority"
    assert only.to_dict()["condition"] == only.plan.condition
    domain = Domain(0, 1)
    prior = domain.prior([3, 4, 3])
    wanted = Problem("1/32", "1/8", 2, prior=prior)
    (other,) = sample_sizes(wanted, "0.4", confidence="0.9", voters=[3]).sizes
    assert other.plan.method == "fixed"
    assert "equally often" in other.plan.condition
