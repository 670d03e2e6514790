"""The auditor against brute force over every cell and coin."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.support.brute import Brute, Run, brute, figures, runs
from tests.support.examples import later
from tests.support.strategies import planted, staged

from feint import Problem
from feint.audit import Prior, audit, measure
from feint.interfaces import Strategy
from feint.planning import methods, plan
from feint.problem import SETTINGS
from feint.strategies import (
    Staged,
)
from feint.strategies.retired import (
    Node,
    Planted,
    Tabular,
)
from feint.testing import SPECIMENS

ANY = Problem("1/8", "1/4", 2)


def problems(cells: int) -> Iterator[Problem]:
    """Every problem whose ε is one of so many cells and whose δ is a whole number of them."""
    for width in range(1, cells):
        for level in range(2, cells // width + 1):
            for setting in SETTINGS:
                shape = (Fraction(1, cells), Fraction(width, cells), level)
                yield Problem(*shape, setting=setting, values=cells)
                if width >= 2:  # on an interval δ = ε is too little
                    yield Problem(*shape, setting=setting)


def bare(strategy: Strategy) -> Strategy:
    """The same strategy whatever it is for, so that equal ones are run once."""
    if isinstance(strategy, Staged | Planted):
        return replace(strategy, problem=ANY)
    return strategy


def agree(strategy: Strategy, expected: Brute, delta: Fraction, prior: Prior | None = None) -> None:
    found = measure(strategy, delta) if prior is None else measure(strategy, delta, prior=prior)
    assert found.success == expected.success
    assert found.covering == expected.covering == found.narrowest.covering
    assert found.accuracy == expected.accuracy
    assert found.transcripts == expected.transcripts
    assert found.telling.window.probability >= found.success
    assert sum(piece.probability for piece in found.telling.pieces) == 1


@pytest.mark.parametrize("cells", later(range(2, 13), {10, 11, 12}))
def test_all_problems_with_at_most_twelve_cells(cells: int) -> None:
    tables = dict[Strategy, list[Run]]()
    checked = dict[tuple[Strategy, Fraction], Brute]()
    for problem in problems(cells):
        for method in set(methods(problem)) - {"optimal"}:  # it has tests of its own, and is slow
            found = plan(problem, method=method)
            key = (bare(found.strategy), problem.delta)
            if key not in checked:
                if key[0] not in tables:
                    tables[key[0]] = runs(key[0])
                checked[key] = figures(tables[key[0]], found.cells[0], problem.delta)
                agree(found.strategy, checked[key], problem.delta)
            report = audit(found)
            assert report.adversary_success == checked[key].success
            assert report.covering_number == checked[key].covering
            assert report.holds or not found.private
            assert report.private is (
                checked[key].success * problem.level <= 1
                if problem.setting == "bayesian"
                else checked[key].covering >= problem.level
            )
    assert checked


def drawn(random: np.random.Generator) -> tuple[Strategy, Fraction]:
    """Any strategy on at most 64 cells, private or not, and any δ, on the lattice or off it."""
    size = int(random.integers(2, 65))
    delta = Fraction(int(random.integers(1, 3 * size)), 3 * size)
    kind = random.integers(4)
    if kind == 3:
        return _planned(max(4, size), random)
    if kind == 0:
        narrow = tuple(int(k) for k in random.integers(2, 4, size=random.integers(3)))
        parts = int(random.integers(1, 7))
        kept = int(random.integers(1, parts + 1))
        hide = tuple(int(k) for k in random.integers(2, 5, size=random.integers(1, 4)))
        return staged(ANY, size, narrow, parts, kept, hide), delta
    if kind == 1:
        left, right, printed = (bool(each) for each in random.integers(2, size=3))
        bisected, parts = int(random.integers(4)), int(random.integers(1, 5))
        steps = (2,) * int(random.integers(4))
        shape = (left, right, bisected, parts, steps)
        return planted(ANY, size, *shape, printed=printed), delta
    return _tabular(size, int(random.integers(1, 5)), random), delta


def _planned(size: int, random: np.random.Generator) -> tuple[Strategy, Fraction]:
    """Any method's plan for a random problem whose ε is a cell of so many."""
    level = int(random.integers(2, max(3, size // 2)))
    delta = Fraction(max(2, int(random.integers(1 + size // level))), size)
    problem = Problem(
        Fraction(1, size),
        delta,
        min(level, size // int(delta * size)),
        setting=SETTINGS[random.integers(2)],
        values=size if random.integers(2) else None,
    )
    found = plan(problem, method=methods(problem)[random.integers(3)])
    return found.strategy, delta


def _tabular(size: int, queries: int, random: np.random.Generator) -> Tabular:
    """A random tree of random choices, with uneven coins."""
    nodes = list[Node]()
    count = sum(4**depth for depth in range(queries))
    for number in range(count):
        points = random.integers(0, size + 1, size=2).tolist()
        weights = random.integers(1, 4, size=2).tolist()
        inner = 4 * number + 4 < count
        first = 4 * number + 1
        children = ((first, first + 1), (first + 2, first + 3)) if inner else ((-1, -1),) * 2
        nodes.append(Node(tuple(zip(points, weights, strict=True)), children))
    return Tabular(ANY, size, queries, tuple(nodes))


def compare(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    for turn in range(count):
        strategy, delta = drawn(random)
        size = strategy.cells[0]
        known = runs(strategy)
        agree(strategy, figures(known, size, delta), delta)
        if turn % 3 == 0:
            weights = random.integers(0, 5, size=size)
            weights[random.integers(size)] += 1
            prior = Prior(weights.tolist())
            agree(strategy, figures(known, size, delta, weights.tolist()), delta, prior)


def test_random_strategies_on_up_to_sixty_four_cells() -> None:
    compare(50, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_two_thousand_random_strategies(seed: int) -> None:
    compare(250, 100 + seed)


@pytest.mark.parametrize("name", SPECIMENS)
def test_specimens(name: str) -> None:
    strategy = SPECIMENS[name].strategy
    delta = strategy.problem.delta
    agree(strategy, brute(strategy, delta), delta)


@pytest.mark.parametrize("bins", [2, 3, 5, 12])
def test_bins_that_end_inside_a_cell(bins: int) -> None:
    """On a lattice so fine that bins and cells both fit, the prior has one weight a cell."""
    weights = [1 + 3 * place % 7 for place in range(bins)]
    coarse = staged(ANY, 8, (2,), 2, 2, (2,))
    fine = math.lcm(8, bins)
    each = [weights[cell * bins // fine] for cell in range(fine)]
    table = [
        (points, fine // 8 * cell + more, chance, fine // 8 * low, fine // 8 * high)
        for points, cell, chance, low, high in runs(coarse)
        for more in range(fine // 8)
    ]
    found = measure(coarse, Fraction(2, 7), prior=Prior(weights))
    assert found.success == figures(table, fine, Fraction(2, 7), each).success
