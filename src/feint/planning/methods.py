"""Every method of every setting: from one coordinate's level to a strategy and what it claims."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from feint.errors import TooLarge
from feint.exact import ceil_div, ceil_log2, floor_log2, rounded
from feint.optimal import solve
from feint.planning import blocks, planted, staged, whole
from feint.planning.planted import Planting
from feint.planning.product import Option
from feint.planning.staged import LONGEST, Shape
from feint.planning.steps import factors, fewest
from feint.problem import Domain, Problem
from feint.strategies.blocks import Blocks
from feint.strategies.planted import Planted
from feint.strategies.staged import Staged

Level = Fraction | int
Method = Callable[[Problem, Level, int | None], Option | None]
"""(problem, level of one coordinate, most rounds) → the way to search it, if there is one."""

_SOLVED = 9  # cells up to which the optimum is computed
_LARGEST, _FINEST = 1 << 62, 60


def bayesian(problem: Problem) -> dict[str, Method]:
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


def deterministic(problem: Problem) -> dict[str, Method]:
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
    shape = staged.tight(problem.epsilon, problem.delta, level, rounds=rounds)
    return _by_blocks(problem, level, rounds, shape) or _shaped(problem, shape)


def _paper(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    parts = math.ceil(level)
    narrow = floor_log2(1 / (parts * problem.delta))
    hide = ceil_log2(problem.delta / problem.epsilon) + 1
    return _shaped(problem, Shape((2,) * narrow, parts, parts, (2,) * hide), rounds)


def _replicated(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    parts = math.ceil(level)
    hide = max(1, ceil_log2(1 / (parts * problem.epsilon)))
    return _shaped(problem, Shape((), parts, parts, (2,) * hide), rounds)


def _bisection(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    cells = problem.values or ceil_div(1, problem.epsilon)
    return _shaped(problem, Shape((), 1, 1, (2,) * ceil_log2(cells)), rounds)


def _grid(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    cells = problem.values or ceil_div(1, problem.epsilon)
    return _shaped(problem, Shape((), 1, 1, (cells,)), rounds)


def _whole_tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    values, reach = _whole(problem)
    shape = whole.tight(values, reach, level, rounds=rounds)
    return _by_blocks(problem, level, rounds, shape) or _shaped(problem, shape)


def _by_blocks(
    problem: Problem, level: Level, rounds: int | None, shape: Shape | None
) -> Option | None:
    """A tree of blocks, where it asks fewer questions than the shape."""
    if shape is None:
        return None
    best: Option | None = None
    for cells in _lattices(problem):
        below = shape.queries if best is None else best.queries
        found = blocks.tight(cells, problem.delta * cells, level, below=below)
        if found is None:
            continue
        search = Blocks(problem, cells, found.blocks)
        if rounds is None or len(search.rounds) <= rounds:
            best = Option(found.queries, found.success, search, None)
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
    return sorted(each for each in found if each <= blocks.LARGEST)


def _optimal(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    """The best there is on the lattice of ⌈1/ε⌉ cells; `tight` where nothing is shorter."""
    cells, reach = _whole(problem)
    tight = bayesian(problem)["tight"](problem, level, rounds)
    if tight is None or reach * level > cells:
        return tight
    most = tight.queries if rounds is None else min(tight.queries, rounds + 1)
    for queries in range(max(1, ceil_log2(cells)), most):
        found = solve(cells, 1, reach, queries)
        if found.upper * level <= 1:
            return Option(queries, found.upper, replace(found.strategy, problem=problem), None)
    return replace(tight, success=None)  # to be enumerated


def _planted_tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    guesses = math.ceil(level)
    cells = problem.values or ceil_div(1, problem.epsilon)
    if guesses == 1:
        return _shaped(problem, Shape((), 1, 1, factors(cells, fewest(cells, rounds), rounds)))
    if problem.values is None:
        found = planted.tight(problem.epsilon, problem.delta, guesses, rounds=rounds)
    else:
        found = planted.tight_whole(*_whole(problem), guesses, rounds=rounds)
    if found is None or cells - 1 < found.queries:
        return _grid(problem, level, rounds)
    return _planting(problem, found)


def _planted_paper(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    found = planted.paper(problem.epsilon, problem.delta, math.ceil(level))
    return _planting(problem, found, rounds)


def _opportunistic(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    found = planted.opportunistic(problem.epsilon, math.ceil(level))
    return _planting(problem, found, rounds)


def _printed(problem: Problem, level: Level, rounds: int | None) -> Option | None:
    option = _planted_paper(problem, level, rounds)
    if option is None or not isinstance(option.strategy, Planted):
        return option
    return replace(option, strategy=replace(option.strategy, printed=True), share=Fraction(1))


def _shaped(problem: Problem, shape: Shape | None, rounds: int | None = None) -> Option | None:
    if shape is None or (rounds is not None and shape.rounds > rounds):
        return None
    if problem.values is None:
        size, success = shape.cells, shape.success(problem.delta)
    else:
        size = problem.values
        success = min(Fraction(1), whole.success_bound(shape, *_whole(problem)))
    search = Staged(problem, size, shape.narrow, shape.parts, shape.kept, shape.hide)
    if problem.setting == "bayesian":
        return Option(shape.queries, success, search, success)
    # In the worst case one grid leaves everything possible, and any halving only one place.
    places = math.ceil(1 / problem.delta) if shape.rounds == 1 else 1
    return Option(shape.queries, Fraction(1, places), search, success)


def _planting(problem: Problem, found: Planting | None, rounds: int | None = None) -> Option | None:
    if found is None or (rounds is not None and found.rounds > rounds):
        return None
    size = problem.values or found.cells
    search = Planted(
        problem, size, found.left, found.right, found.bisected, found.parts, found.steps
    )
    return Option(found.queries, Fraction(1, found.guesses), search, None)


def _whole(problem: Problem) -> tuple[int, int]:
    values = problem.values or ceil_div(1, problem.epsilon)
    return values, math.ceil(problem.delta * values)


def too_fine(cells: int, units: Domain, finest: int) -> TooLarge:
    """What is said of a lattice of so many cells; 2^-finest of the units always fits."""
    width = units.width / (1 << finest)
    fits = f"2^-{finest}" if units.width == 1 else rounded(width, width / 4)
    rule = "the lattice may have at most 2^62 cells, each no wider than epsilon"
    return TooLarge("epsilon", f"one of {cells} cells", rule, f"epsilon = {fits} always fits")


def check(option: Option, units: Domain) -> None:
    """Refuse a lattice or a plan that is too large to run."""
    if max(option.strategy.cells) > _LARGEST:
        raise too_fine(max(option.strategy.cells), units, _FINEST)
    if option.queries > LONGEST:
        rule = "a plan may ask at most 2^24 questions"
        remedy = "raise epsilon, lower the level, or allow more rounds"
        raise TooLarge("queries", option.queries, rule, remedy)
