"""The methods without noise: from one coordinate's level to a strategy and what it claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from feint.exact import ceil_div, ceil_log2, floor_log2
from feint.interfaces import Strategy
from feint.planning.grain import Grain
from feint.planning.noiseless.blocks import MOST_CELLS, cheapest_tree
from feint.planning.noiseless.forest import LARGEST, cheapest_forest
from feint.planning.noiseless.planted import (
    cheapest_planted,
    cheapest_planted_whole,
    opportunistic_planted,
    paper_planted,
)
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import factors, fewest
from feint.planning.noiseless.tails import cheapest_tailed, ridden
from feint.planning.noiseless.whole import cheapest_whole, success_bound
from feint.planning.optimal import solve, worst_case, worst_case_strategy
from feint.planning.option import Level, Method, Option
from feint.problem import Problem
from feint.strategies import Blocks, Planted, PlantedShape, Staged, StagedShape, Tailed

_SOLVED = 9  # cells up to which the optimum is computed
_SEARCHED = 12  # cells up to which it is searched for in the deterministic setting


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


def cheapest_of(methods: Sequence[Method]) -> Method:
    """The method that takes the cheapest of several, of equal ones the first."""

    def best(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        found = (each(problem, level, rounds) for each in methods)
        able = [each for each in found if each is not None]
        return min(able, key=lambda each: each.queries, default=None)

    return best


def most_solved(problem: Problem) -> int:
    """The most cells on which the optimum is worked out, in the problem's setting."""
    return _SOLVED if problem.setting == "bayesian" else _SEARCHED


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
        if grain.cells <= MOST_CELLS:
            found = _by_blocks(problem, level, rounds, found, grain, spare=spare) or found
            return _by_tail(problem, level, rounds, found, grain, spare=spare) or found
        found = _by_tail(problem, level, rounds, found, grain, spare=spare) or found
        return _by_blocks(problem, level, rounds, found, grain, spare=spare) or found

    def bisection(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        return _bisection(problem, level, rounds, grain)

    def grid(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        return _grid(problem, level, rounds, grain)

    def optimal(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        if problem.setting == "deterministic":
            return _searched(problem, level, rounds, grain)
        return _optimal(problem, level, rounds, grain, tight)

    found: dict[str, Method] = {"tight": tight, "bisection": bisection, "grid": grid}
    if problem.setting == "deterministic":
        small = problem.dim == 1 and _searchable(grain)
    else:
        small = problem.dim == 1 and grain.cells <= _SOLVED
    return found | ({"optimal": optimal} if small else {})


def _bayesian(problem: Problem, spare: bool = True) -> dict[str, Method]:
    """The methods of the Bayesian setting, the recommended one first."""

    def tight(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        epsilon, delta = problem.epsilon, problem.delta
        shape = cheapest_staged(epsilon, delta, level, rounds=rounds, spare=spare)
        found = _staged(problem, shape)
        return _by_blocks(problem, level, rounds, found, spare=spare) or found

    small = problem.dim == 1 and ceil_div(1, problem.epsilon) <= _SOLVED
    optimal: dict[str, Method] = {"optimal": _optimal} if small else {}
    theirs: dict[str, Method] = {"paper": _paper, "replicated": _replicated}
    if problem.level == 1 or problem.delta < 2 * problem.epsilon:  # their proofs end there
        theirs = {}
    return {
        "tight": tight,
        **theirs,
        "bisection": _bisection,
        "grid": _grid,
        **optimal,
    }


def _deterministic(problem: Problem) -> dict[str, Method]:
    """The methods of the deterministic setting, the recommended one first."""
    ours: dict[str, Method] = {"tight": _planted_tight}
    plain: dict[str, Method] = {"bisection": _bisection, "grid": _grid}
    if problem.level == 1:  # nothing to plant
        return ours | plain
    theirs: dict[str, Method] = {"paper": _planted_paper, "opportunistic": _opportunistic}
    return ours | theirs | plain | {"printed": _printed}


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
    other: Option | None,
    grain: Grain | None = None,
    *,
    spare: bool,
) -> Option | None:
    """A tree of blocks, where it asks fewer questions than another way."""
    if other is None:
        return None
    best: Option | None = None
    wanted = level if grain is None else level * grain.slack
    for loose, cells in product((False, True)[: 1 + spare], _lattices(problem, grain)):
        below = other.queries if best is None else best.queries
        window = problem.delta * cells if grain is None else grain.window
        if cells <= MOST_CELLS:
            found = cheapest_tree(cells, window, wanted, below=below, spare=spare, loose=loose)
        elif not spare:
            continue
        else:
            found = cheapest_forest(cells, window, wanted, below=below, loose=loose)
        if found is None:
            continue
        search = Blocks(problem, cells, found.blocks)
        if rounds is None or len(search.rounds) <= rounds:
            best = Option(
                queries=found.queries,
                share=found.success if grain is None else found.success * grain.slack,
                strategy=search,
                success=None,
                scale=None if grain is None else grain.scale,
            )
    return best


def _by_tail(
    problem: Problem,
    level: Level,
    rounds: int | None,
    other: Option | None,
    grain: Grain,
    *,
    spare: bool,
) -> Option | None:
    """Parts of one width and a tail, where that asks fewer questions than another way.

    Cells that stick out of the range are searched like the others, or ride: then they leave no
    slack.
    """
    if other is None or not spare:  # where a tail joins, a coin decides
        return None
    best: Option | None = None
    for riders, slack in {(0, 0): grain.slack, grain.cut_short: Fraction(1)}.items():
        kept, window = math.ceil(level * slack), math.ceil(grain.window)
        size = grain.cells - sum(riders)
        if kept < 2 or kept * window > size:
            continue
        below = (best or other).queries - sum(riders)
        found = cheapest_tailed(size, window, kept, below=below, accuracy=grain.accuracy)
        if found is None:
            continue
        search: Strategy = Tailed(problem, size, found.shape)
        if any(riders):
            search = Blocks(problem, grain.cells, ridden(size, found.shape, riders))
        if rounds is None or len(search.rounds) <= rounds:
            best = Option(
                queries=found.queries + sum(riders),
                share=Fraction(1, kept) * slack,
                strategy=search,
                success=None,
                scale=grain.scale,
            )
    return best


def _lattices(problem: Problem, grain: Grain | None) -> list[int]:
    """Numbers of cells to search block by block: as few as may be, and rounder ones.

    On an interval finer cells are no worse an answer, and a tree may cut them more evenly. A tree
    ends in single cells, so given cells are taken where every one must be told apart.
    """
    if grain is not None:
        return [grain.cells] if grain.accuracy == 1 and grain.cells <= LARGEST else []
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
                scale=on.scale,
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
    choices = [_planted(problem, found, grain=grain)] if found else []
    choices += [_narrowed_grid(problem, level, rounds, grain)]
    if grain is not None and _searchable(grain):
        choices += [_searched(problem, level, rounds, grain)]
    able = [each for each in choices if each is not None]
    return min(able, key=lambda each: each.queries, default=None)


def _narrowed_grid(
    problem: Problem, level: Level, rounds: int | None, grain: Grain | None
) -> Option | None:
    """Halvings, then a grid: all of the last block stays possible, as proofs/planted.md says."""
    best: Option | None = None
    pieces = _pieces(problem, grain)
    most = pieces.bit_length() if rounds is None else min(pieces.bit_length(), rounds)
    for halvings in range(most):
        shape = StagedShape(narrow=(2,) * halvings, hide=(ceil_div(pieces, 1 << halvings),))
        found = _staged(problem, shape, rounds, grain)
        if found is None or found.share * level > 1:
            break
        if best is None or found.queries < best.queries:
            best = found
    return best


def _searchable(grain: Grain) -> bool:
    """Whether the deterministic optimum on given cells can be searched for."""
    return grain.cells <= _SEARCHED and grain.accuracy == 1 and grain.slack == 1


def _searched(problem: Problem, level: Level, rounds: int | None, grain: Grain) -> Option | None:
    """The fewest questions of all on a few whole values, in the deterministic setting."""
    window, places = ceil_div(grain.window, 1), math.ceil(level)
    if places > grain.cells // window:
        return None
    queries = worst_case(grain.cells, window, places)
    if rounds is not None and queries > rounds:
        return None
    strategy = replace(worst_case_strategy(grain.cells, window, places), problem=problem)
    return Option(queries=queries, share=Fraction(1, places), strategy=strategy, success=None)


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
        scale = grain.scale  # a bound on uneven parts: to be enumerated
        return Option(queries=asked, share=success, strategy=search, success=None, scale=scale)
    places = 1
    sticks_out = grain is not None and grain.slack != 1 and shape.rounds > 1
    if shape.kept == shape.parts == 1 and not sticks_out:
        # Nobody hears the last answers, so all of their block is left; unless it may stick out.
        heard = math.prod((*shape.narrow, *shape.hide[:-1]))
        block = Fraction(1, heard) if grain is None else Fraction(size // heard, size)
        places = max(1, math.ceil(block / problem.delta))
    return Option(queries=asked, share=Fraction(1, places), strategy=search, success=success)


def _planted(
    problem: Problem,
    found: PlantedShape | None,
    rounds: int | None = None,
    grain: Grain | None = None,
) -> Option | None:
    if found is None or (rounds is not None and found.rounds > rounds):
        return None
    search = Planted(problem, found.size if grain is None else grain.cells, found)
    share, scale = Fraction(1, found.guesses), None if grain is None else grain.scale
    # Her success is enumerated on the scale: ends of the range may cut cells short.
    return Option(queries=found.queries, share=share, strategy=search, success=None, scale=scale)
