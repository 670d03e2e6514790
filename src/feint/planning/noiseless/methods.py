"""The methods without noise: from one coordinate's level to a strategy and what it claims."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from feint.exact import ceil_div, ceil_log2, floor_log2
from feint.optimal import solve
from feint.planning.noiseless.blocks import MOST_CELLS, cheapest_tree
from feint.planning.noiseless.planted import (
    cheapest_planted,
    cheapest_planted_whole,
    opportunistic_planted,
    paper_planted,
)
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import factors, fewest
from feint.planning.noiseless.whole import cheapest_whole, success_bound
from feint.planning.option import Level, Method, Option
from feint.problem import Problem
from feint.strategies import Blocks, Planted, PlantedShape, Staged, StagedShape

_SOLVED = 9  # cells up to which the optimum is computed


def noiseless_methods(problem: Problem) -> dict[str, Method]:
    """The methods of a problem's setting, the recommended one first."""
    return _bayesian(problem) if problem.setting == "bayesian" else _deterministic(problem)


def _bayesian(problem: Problem) -> dict[str, Method]:
    """The methods of the Bayesian setting, the recommended one first."""
    small = problem.dim == 1 and ceil_div(1, problem.epsilon) <= _SOLVED
    optimal: dict[str, Method] = {"optimal": _optimal} if small else {}
    if problem.values is not None:
        return {"tight": _whole_tight, "bisection": _bisection, "grid": _grid, **optimal}
    return {
        "tight": _tight,
        "paper": _paper,
        "replicated": _replicated,
        "bisection": _bisection,
        "grid": _grid,
        **optimal,
    }


def _deterministic(problem: Problem) -> dict[str, Method]:
    """The methods of the deterministic setting, the recommended one first."""
    if problem.values is not None:
        return {"tight": _planted_tight, "bisection": _bisection, "grid": _grid}
    return {
        "tight": _planted_tight,
        "paper": _planted_paper,
        "opportunistic": _opportunistic,
        "bisection": _bisection,
        "grid": _grid,
        "printed": _printed,
    }


def _tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    shape = cheapest_staged(problem.epsilon, problem.delta, level, rounds=rounds)
    return _by_blocks(problem, level, rounds, shape) or _staged(problem, shape)


def _paper(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    parts = math.ceil(level)
    narrow = floor_log2(1 / (parts * problem.delta))
    hide = ceil_log2(problem.delta / problem.epsilon) + 1
    return _staged(
        problem,
        StagedShape(narrow=(2,) * narrow, parts=parts, kept=parts, hide=(2,) * hide),
        rounds,
    )


def _replicated(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    parts = math.ceil(level)
    hide = max(1, ceil_log2(1 / (parts * problem.epsilon)))
    return _staged(problem, StagedShape(parts=parts, kept=parts, hide=(2,) * hide), rounds)


def _bisection(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    cells = problem.values or ceil_div(1, problem.epsilon)
    return _staged(problem, StagedShape(hide=(2,) * ceil_log2(cells)), rounds)


def _grid(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    cells = problem.values or ceil_div(1, problem.epsilon)
    return _staged(problem, StagedShape(hide=(cells,)), rounds)


def _whole_tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    values, window = _whole(problem)
    shape = cheapest_whole(values, window, level, rounds=rounds)
    return _by_blocks(problem, level, rounds, shape) or _staged(problem, shape)


def _by_blocks(
    problem: Problem, level: Level, rounds: int | None, shape: StagedShape | None
) -> Option | None:
    """A tree of blocks, where it asks fewer questions than the shape."""
    if shape is None:
        return None
    best: Option | None = None
    for cells in _lattices(problem):
        below = shape.queries if best is None else best.queries
        found = cheapest_tree(cells, problem.delta * cells, level, below=below)
        if found is None:
            continue
        search = Blocks(problem, cells, found.blocks)
        if rounds is None or len(search.rounds) <= rounds:
            best = Option(queries=found.queries, share=found.success, strategy=search, success=None)
    return best


def _lattices(problem: Problem) -> list[int]:
    """Numbers of cells to search block by block: as few as may be, and rounder ones.

    On an interval finer cells are no worse an answer, and a tree may cut them more evenly.
    """
    fewest = problem.values or ceil_div(1, problem.epsilon)
    units = [1]
    if problem.values is None:
        units += [problem.delta.denominator, *(1 << j for j in range(1, fewest.bit_length()))]
    found = {ceil_div(fewest, unit) * unit for unit in units}
    return sorted(each for each in found if each <= MOST_CELLS)


def _optimal(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    """The best there is on the lattice of ⌈1/ε⌉ cells; `tight` where nothing is shorter."""
    cells, window = _whole(problem)
    tight = _bayesian(problem)["tight"](problem, level, rounds)
    if tight is None or window * level > cells:
        return tight
    most = tight.queries if rounds is None else min(tight.queries, rounds + 1)
    for queries in range(max(1, ceil_log2(cells)), most):
        found = solve(cells, 1, window, queries)
        if found.upper * level <= 1:
            strategy = replace(found.strategy, problem=problem)
            return Option(queries=queries, share=found.upper, strategy=strategy, success=None)
    return replace(tight, success=None)  # to be enumerated


def _planted_tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    guesses = math.ceil(level)
    cells = problem.values or ceil_div(1, problem.epsilon)
    if guesses == 1:
        steps = factors(cells, fewest(cells, rounds), rounds)
        return _staged(problem, StagedShape(hide=steps))
    if problem.values is None:
        found = cheapest_planted(problem.epsilon, problem.delta, guesses, rounds=rounds)
    else:
        found = cheapest_planted_whole(*_whole(problem), guesses, rounds=rounds)
    if found is None or cells - 1 < found.queries:
        return _grid(problem, level, rounds)
    return _planted(problem, found)


def _planted_paper(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    found = paper_planted(problem.epsilon, problem.delta, math.ceil(level))
    return _planted(problem, found, rounds)


def _opportunistic(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    found = opportunistic_planted(problem.epsilon, math.ceil(level))
    return _planted(problem, found, rounds)


def _printed(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    option = _planted_paper(problem, level, rounds)
    if option is None or not isinstance(option.strategy, Planted):
        return option
    return replace(option, strategy=replace(option.strategy, printed=True), share=Fraction(1))


def _staged(
    problem: Problem, shape: StagedShape | None, rounds: int | None = None
) -> Option | None:
    if shape is None or (rounds is not None and shape.rounds > rounds):
        return None
    if problem.values is None:
        size, success = shape.size, shape.success(problem.delta)
    else:
        size = problem.values
        success = min(Fraction(1), success_bound(shape, *_whole(problem)))
    search, asked = Staged(problem, size, shape), shape.queries
    if problem.setting == "bayesian":
        return Option(queries=asked, share=success, strategy=search, success=success)
    # In the worst case one grid leaves everything possible, and any halving only one place.
    places = math.ceil(1 / problem.delta) if shape.rounds == 1 else 1
    return Option(queries=asked, share=Fraction(1, places), strategy=search, success=success)


def _planted(
    problem: Problem, found: PlantedShape | None, rounds: int | None = None
) -> Option | None:
    if found is None or (rounds is not None and found.rounds > rounds):
        return None
    search = Planted(problem, problem.values or found.size, found)
    share = Fraction(1, found.guesses)
    return Option(queries=found.queries, share=share, strategy=search, success=None)


def _whole(problem: Problem) -> tuple[int, int]:
    values = problem.values or ceil_div(1, problem.epsilon)
    return values, math.ceil(problem.delta * values)
