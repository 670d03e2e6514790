"""The methods without noise: from one coordinate's level to a strategy and what it claims."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from feint.exact import ceil_div, ceil_log2, floor_log2
from feint.optimal import solve
from feint.planning.grain import Grain
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
from feint.problem import Problem, Scale
from feint.strategies import Blocks, Planted, PlantedShape, Staged, StagedShape

_SOLVED = 9  # cells up to which the optimum is computed


def noiseless_methods(
    problem: Problem, grain: Grain | None = None, *, spare: bool = True
) -> dict[str, Method]:
    """The methods of a problem's setting, the recommended one first.

    Args:
        problem: What is wanted.
        grain: The cells to search on, where they are given; None: those of whole values, or of an
            interval as many as suit the method.
        spare: Whether "tight" may leave some parts alone, which takes a coin.
    """
    if grain is None and problem.values is not None:
        grain = Grain.of_values(problem)
    if grain is not None:
        return _given(problem, grain, spare)
    return _bayesian(problem, spare) if problem.setting == "bayesian" else _deterministic(problem)


def _given(problem: Problem, grain: Grain, spare: bool) -> dict[str, Method]:
    """The methods on given cells."""

    def tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        if problem.setting == "deterministic":
            return _planted_tight(problem, level, rounds, grain)
        wanted = level * grain.slack
        shape = cheapest_whole(
            grain.cells,
            grain.window,
            wanted,
            accuracy=grain.accuracy,
            rounds=rounds,
            spare=spare,
        )
        found = _staged(problem, shape, grain=grain)
        return _by_blocks(problem, level, rounds, shape, grain, spare=spare) or found

    def bisection(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        return _bisection(problem, level, rounds, grain)

    def grid(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        return _grid(problem, level, rounds, grain)

    def optimal(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        return _optimal(problem, level, rounds, grain, tight)

    found: dict[str, Method] = {"tight": tight, "bisection": bisection, "grid": grid}
    small = problem.dim == 1 and grain.cells <= _SOLVED and problem.setting == "bayesian"
    return found | ({"optimal": optimal} if small else {})


def _bayesian(problem: Problem, spare: bool = True) -> dict[str, Method]:
    """The methods of the Bayesian setting, the recommended one first."""

    def tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        epsilon, delta = problem.epsilon, problem.delta
        shape = cheapest_staged(epsilon, delta, level, rounds=rounds, spare=spare)
        by_blocks = _by_blocks(problem, level, rounds, shape, spare=spare)
        return by_blocks or _staged(problem, shape)

    small = problem.dim == 1 and ceil_div(1, problem.epsilon) <= _SOLVED
    optimal: dict[str, Method] = {"optimal": _optimal} if small else {}
    return {
        "tight": tight,
        "paper": _paper,
        "replicated": _replicated,
        "bisection": _bisection,
        "grid": _grid,
        **optimal,
    }


def _deterministic(problem: Problem) -> dict[str, Method]:
    """The methods of the deterministic setting, the recommended one first."""
    return {
        "tight": _planted_tight,
        "paper": _planted_paper,
        "opportunistic": _opportunistic,
        "bisection": _bisection,
        "grid": _grid,
        "printed": _printed,
    }


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


def _bisection(
    problem: Problem, level: Level, rounds: int | None, grain: Grain | None = None
) -> Option | None:
    shape = StagedShape(hide=(2,) * ceil_log2(_pieces(problem, grain)))
    return _staged(problem, shape, rounds, grain)


def _grid(
    problem: Problem, level: Level, rounds: int | None, grain: Grain | None = None
) -> Option | None:
    return _staged(problem, StagedShape(hide=(_pieces(problem, grain),)), rounds, grain)


def _pieces(problem: Problem, grain: Grain | None) -> int:
    """How many intervals the learner must tell apart."""
    if grain is None:
        return ceil_div(1, problem.epsilon)
    return ceil_div(grain.cells, grain.accuracy)


def _by_blocks(
    problem: Problem,
    level: Level,
    rounds: int | None,
    shape: StagedShape | None,
    grain: Grain | None = None,
    *,
    spare: bool = True,
) -> Option | None:
    """A tree of blocks, where it asks fewer questions than the shape."""
    if shape is None:
        return None
    best: Option | None = None
    wanted = level if grain is None else level * grain.slack
    for cells in _lattices(problem, grain):
        below = shape.queries if best is None else best.queries
        window = problem.delta * cells if grain is None else grain.window
        found = cheapest_tree(cells, window, wanted, below=below, spare=spare)
        if found is None:
            continue
        search = Blocks(problem, cells, found.blocks)
        if rounds is None or len(search.rounds) <= rounds:
            best = Option(
                queries=found.queries,
                share=found.success if grain is None else found.success * grain.slack,
                strategy=search,
                success=None,
                scale=_sticking_out(grain),
            )
    return best


def _lattices(problem: Problem, grain: Grain | None) -> list[int]:
    """Numbers of cells to search block by block: as few as may be, and rounder ones.

    On an interval finer cells are no worse an answer, and a tree may cut them more evenly. A tree
    ends in single cells, so given cells are taken where every one must be told apart.
    """
    if grain is not None:
        return [grain.cells] if grain.accuracy == 1 and grain.cells <= MOST_CELLS else []
    fewest = ceil_div(1, problem.epsilon)
    units = [1, problem.delta.denominator, *(1 << j for j in range(1, fewest.bit_length()))]
    found = {ceil_div(fewest, unit) * unit for unit in units}
    return sorted(each for each in found if each <= MOST_CELLS)


def _optimal(
    problem: Problem,
    level: Level,
    rounds: int | None,
    grain: Grain | None = None,
    tight: Method | None = None,
) -> Option | None:
    """The best there is on the lattice of ⌈1/ε⌉ cells; `tight` where nothing is shorter."""
    on = Grain.of_values(problem) if grain is None else grain
    other = (tight or _bayesian(problem)["tight"])(problem, level, rounds)
    window, wanted = ceil_div(on.window, 1), level * on.slack
    if other is None or window * wanted > on.cells:
        return other
    most = other.queries if rounds is None else min(other.queries, rounds + 1)
    for queries in range(max(1, ceil_log2(ceil_div(on.cells, on.accuracy))), most):
        found = solve(on.cells, on.accuracy, window, queries)
        if found.upper * wanted <= 1:
            strategy = replace(found.strategy, problem=problem)
            share = found.upper * on.slack
            return Option(
                queries=queries,
                share=share,
                strategy=strategy,
                success=None,
                scale=_sticking_out(on),
            )
    return replace(other, success=None)  # to be enumerated


def _planted_tight(
    problem: Problem, level: Level, rounds: int | None, grain: Grain | None = None
) -> Option | None:
    guesses, pieces = math.ceil(level), _pieces(problem, grain)
    if guesses == 1:
        steps = factors(pieces, fewest(pieces, rounds), rounds)
        return _staged(problem, StagedShape(hide=steps), grain=grain)
    if grain is None:
        found = cheapest_planted(problem.epsilon, problem.delta, guesses, rounds=rounds)
    else:
        window = ceil_div(grain.window, 1)
        found = cheapest_planted_whole(
            grain.cells, window, guesses, accuracy=grain.accuracy, rounds=rounds
        )
    if found is None or pieces - 1 < found.queries:
        return _grid(problem, level, rounds, grain)
    return _planted(problem, found, grain=grain)


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
    problem: Problem,
    shape: StagedShape | None,
    rounds: int | None = None,
    grain: Grain | None = None,
) -> Option | None:
    if shape is None or (rounds is not None and shape.rounds > rounds):
        return None
    if grain is None:
        size, success = shape.size, shape.success(problem.delta)
    else:
        size = grain.cells
        success = min(Fraction(1), success_bound(shape, size, grain.window) * grain.slack)
    search, asked = Staged(problem, size, shape), shape.queries
    if problem.setting == "bayesian":
        if grain is None:
            return Option(queries=asked, share=success, strategy=search, success=success)
        scale = _sticking_out(grain)  # a bound on uneven parts: to be enumerated
        return Option(queries=asked, share=success, strategy=search, success=None, scale=scale)
    # In the worst case one grid leaves everything possible, and any halving only one place.
    places = math.ceil(1 / problem.delta) if shape.rounds == 1 else 1
    return Option(queries=asked, share=Fraction(1, places), strategy=search, success=success)


def _sticking_out(grain: Grain | None) -> Scale | None:
    """Where cells lie that stick out of the range: success must then be measured in its units."""
    return None if grain is None or grain.slack == 1 else grain.scale


def _planted(
    problem: Problem,
    found: PlantedShape | None,
    rounds: int | None = None,
    grain: Grain | None = None,
) -> Option | None:
    if found is None or (rounds is not None and found.rounds > rounds):
        return None
    search = Planted(problem, found.size if grain is None else grain.cells, found)
    share = Fraction(1, found.guesses)
    return Option(queries=found.queries, share=share, strategy=search, success=None)
