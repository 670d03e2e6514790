"""Methods without noise, which turn one coordinate's level into a strategy and its claims.

`_METHODS` lists them by setting. Each takes a `Wish` and returns an `Option`, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple

from feint.errors import TooLarge
from feint.exact import ceil_div, ceil_log2, floor_log2
from feint.planning.costs import mean_queries
from feint.planning.enumeration import enumerated
from feint.planning.lattice import Lattice
from feint.planning.limits import (
    AUDITED_WORK,
    BOUND_ROOM,
    FAR_FEWER,
    LARGEST,
    LATTICE_CELLS,
    LONGEST,
    MOST_SEARCHED,
    MOST_SOLVED,
    PLANTED_QUERIES,
    SINGLE_ROOM,
    TABLES_KEPT,
    TREE_QUERIES,
    TREES_AUDITED,
)
from feint.planning.noiseless.emitted import planted_of, staged_of, table_of
from feint.planning.noiseless.planted import (
    cheapest_planted,
    cheapest_planted_whole,
    opportunistic_planted,
    paper_planted,
)
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import cheapest_factors
from feint.planning.noiseless.uniform import Tree, Wanted, trees
from feint.planning.noiseless.whole import cheapest_whole, success_bound
from feint.planning.optimal import solve, worst_case, worst_case_strategy
from feint.planning.option import Level, Method, Option
from feint.problem import Line, Problem
from feint.strategies import PlantedShape, StagedShape, Table


@dataclass(frozen=True)
class Wish:
    """The requirements on a method.

    Attributes:
        problem: The problem of one coordinate.
        level: The level L of that coordinate.
        rounds: The most rounds; None for any number.
        lattice: The cells to search on, if they are given. With None, an interval is divided into
            as many equal cells as suit the method.
        spare: True if "tight" may leave some parts alone, which takes a coin.
        below: Only plans with fewer questions than this are searched for.
        frugal: True to let her success rise to 1/L if that takes fewer questions on average.
        thorough: True to compare equally long plans by their mean number of questions.
    """

    problem: Problem
    level: Level
    rounds: int | None = None
    lattice: Lattice | None = None
    spare: bool = True
    below: int = LONGEST
    frugal: bool = True
    thorough: bool = False

    @property
    def pieces(self) -> int:
        """The number of intervals that the learner must tell apart."""
        return ceil_div(1, self.problem.epsilon) if self.lattice is None else self.lattice.pieces


def noiseless_methods(
    problem: Problem,
    lattice: Lattice | None = None,
    *,
    spare: bool = True,
    below: int = LONGEST,
    frugal: bool = True,
    thorough: bool = False,
) -> dict[str, Method]:
    """Return the methods of a problem's setting, the recommended one first.

    Args:
        problem: The problem to solve.
        lattice: The cells to search on, if they are given. None stands for the cells of whole
            values, and on an interval for as many cells as suit the method.
        spare: True if "tight" may leave some parts alone, which takes a coin.
        below: Only plans with fewer questions than this are searched for.
        frugal: True to let her success rise to 1/L if that takes fewer questions on average.
        thorough: True to compare equally long plans by their mean number of questions. That takes
            up to twice as long, so it is not for callers who try dozens of levels.
    """
    if lattice is None and problem.values is not None:
        lattice = Lattice.of_values(problem)

    def method(make: _Make, problem: Problem, level: Level, rounds: int | None) -> Option | None:
        return make(Wish(problem, level, rounds, lattice, spare, below, frugal, thorough))

    frugal = frugal and problem.dim == 1  # only the shares that are chosen need it
    wish = Wish(problem, problem.level, lattice=lattice)
    rows = (row for row in _METHODS[problem.setting] if row.exists(wish))
    return {row.name: partial(method, row.make) for row in rows}


def cheapest_of(methods: Sequence[Method]) -> Method:
    """Return the method that takes the cheapest of several; the first wins ties."""

    def best(problem: Problem, level: Level, rounds: int | None) -> Option | None:
        found = (method(problem, level, rounds) for method in methods)
        able = [option for option in found if option is not None]
        return min(able, key=lambda option: option.queries, default=None)

    return best


def most_solved(problem: Problem) -> int:
    """Return the largest number of cells for which the optimum is computed in this setting."""
    return MOST_SOLVED if problem.setting == "bayesian" else MOST_SEARCHED


def _tight(wish: Wish) -> Option | None:
    """Return the cheapest of the closed form and the programme's plans.

    If the search is thorough, the one with fewest questions on average is taken of equally long
    ones.
    """
    problem, lattice, level = wish.problem, wish.lattice, wish.level
    if lattice is None:
        epsilon, delta = problem.epsilon, problem.delta
        shape = cheapest_staged(epsilon, delta, level, rounds=wish.rounds, spare=wish.spare)
    else:
        shape = cheapest_whole(
            lattice.cells,
            lattice.window,
            level * lattice.slack,
            accuracy=lattice.accuracy,
            rounds=wish.rounds,
            spare=wish.spare,
        )
    found = _staged(wish, shape)
    if found is None:
        return None
    best = _tree(wish, found) or found
    # At level 1 nothing is to be hidden, and the closed form is bisection, which people know.
    return _fewer_on_average(wish, best) if wish.thorough and wish.level > 1 else best


def _fewer_on_average(wish: Wish, best: Option) -> Option:
    """Return an equally long tree if it asks far fewer questions on average, else the option.

    A tree may take more rounds. They count less than questions, and `rounds` limits them.
    """
    line = None if wish.lattice is None else wish.lattice.line
    mean = mean_queries(best.strategy, line)
    if mean is None or best.queries >= wish.below:
        return best
    most = mean * FAR_FEWER
    for cells, riders in _trials(wish):
        found = _tree_on(wish, cells, riders, best.queries + 1)
        fewer = None if found is None else mean_queries(found.strategy, line)
        if found is not None and fewer is not None and fewer < most:
            best, most = found, fewer
    return best


def _tree(wish: Wish, other: Option) -> Option | None:
    """Return a tree of blocks if it asks fewer questions than another way."""
    best: Option | None = None
    for cells, riders in _trials(wish):
        below = min((best or other).queries, wish.below)
        found = _tree_on(wish, cells, riders, below)
        best = found or best
    return best


def _trials(wish: Wish) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield numbers of cells to plan trees on, with the numbers of cells that ride at the ends."""
    ends = (0, 0) if wish.lattice is None else wish.lattice.line.cut_short
    for cells in _sizes(wish):
        for riders in dict.fromkeys(((0, 0), ends)):
            yield cells, riders


def _tree_on(wish: Wish, cells: int, riders: tuple[int, int], below: int) -> Option | None:
    """Return the cheapest tree on a number of cells.

    Args:
        wish: The requirements.
        cells: The number of cells.
        riders: How many cells ride before the tree and after it: 0 or 1 each. They are set off
            from it and act cells of its first or last part, so she catches nothing of them.
        below: Only trees with fewer questions are considered.
    """
    problem, lattice = wish.problem, wish.lattice
    window, accuracy, slack = problem.delta * cells, 1, Fraction(1)
    if lattice is not None:
        window, accuracy, slack = lattice.window, lattice.accuracy, lattice.slack
    # The range in cells: cells at its ends may reach beyond it.
    size, whole = cells - sum(riders), cells / slack
    target, rounds = whole / wish.level, wish.rounds
    if cells > LARGEST or 2 * wish.level > TREE_QUERIES or window > target:
        return None
    wanted = Wanted(
        window=window,
        accuracy=accuracy,
        spare=wish.spare,
        rounds=None if rounds is None else rounds - sum(riders),
        level=max(8, 1 << ceil_log2(wish.level)),  # rounded, so that near levels share a programme
    )
    tries, below = TREES_AUDITED, min(below, TREE_QUERIES) - sum(riders)
    # Runs stop when they are done, so single values are told apart less often than the bounds say.
    # The bounds are far too high for windows narrower than two values.
    room = BOUND_ROOM if window >= 2 else SINGLE_ROOM
    if below < 2 or (wanted.rounds is not None and wanted.rounds < 1):
        return None
    for tree in trees(size, target, wanted, below=below, room=room, frugal=wish.frugal):
        built = _built(wish, tree, riders)
        if built is None:
            continue
        search, share, exact = built.table, tree.root.caught / whole, None
        if share * wish.level > 1:  # the bound is too high; her exact success may not be
            if not tries:
                continue
            tries -= 1
            exact = built.success
            if exact is None or exact * wish.level > 1:
                continue
            share = exact
        scale = None if lattice is None else lattice.scale
        return Option(
            queries=search.queries,
            share=share,
            strategy=search,
            success=exact,
            scale=scale,
            is_enumerated=exact is not None,
        )
    return None


@dataclass(frozen=True)
class _Built:
    """The table of a tree.

    Attributes:
        table: The table.
        line: The cells; None for equal ones.
    """

    table: Table
    line: Line | None

    @cached_property
    def success(self) -> Fraction | None:
        """Her exact success; None if it takes too long to enumerate."""
        return enumerated(self.table, self.line, limit=AUDITED_WORK, work=AUDITED_WORK)


def _built(wish: Wish, tree: Tree, riders: tuple[int, int]) -> _Built | None:
    """Return the table of a tree, from a cache if the same trees recur at other levels."""
    problem, line = wish.problem, None if wish.lattice is None else wish.lattice.line
    key, known = (tree.queries, riders, problem, line), tree.programme.built
    if wish.frugal:  # such a tree depends on the level too
        known = {}
    if key not in known:
        if len(known) == TABLES_KEPT:
            known.clear()
        table = table_of(problem, tree.root, riders)
        known[key] = None if table is None else _Built(table, line)
    built: _Built | None = known[key]
    return built


def _sizes(wish: Wish) -> list[int]:
    """Return numbers of cells to search block by block: the fewest possible, and rounder ones.

    On an interval, finer cells answer the question as well, and a tree may cut them more evenly.
    """
    if wish.lattice is not None:
        return [wish.lattice.cells]
    fewest_cells = wish.pieces
    powers = (1 << j for j in range(1, fewest_cells.bit_length()))
    units = [1, wish.problem.delta.denominator, *powers]
    found = {ceil_div(fewest_cells, unit) * unit for unit in units}
    return sorted(cells for cells in found if cells <= LATTICE_CELLS)


def _paper(wish: Wish) -> Option | None:
    problem, parts = wish.problem, math.ceil(wish.level)
    narrow = floor_log2(1 / (parts * problem.delta))
    hide = ceil_log2(problem.delta / problem.epsilon) + 1
    shape = StagedShape(narrow=(2,) * narrow, parts=parts, kept=parts, hide=(2,) * hide)
    return _staged(wish, shape)


def _replicated(wish: Wish) -> Option | None:
    parts = math.ceil(wish.level)
    hide = max(1, ceil_log2(1 / (parts * wish.problem.epsilon)))
    return _staged(wish, StagedShape(parts=parts, kept=parts, hide=(2,) * hide))


def _bisection(wish: Wish) -> Option | None:
    return _staged(wish, StagedShape(hide=(2,) * ceil_log2(wish.pieces)))


def _grid(wish: Wish) -> Option | None:
    return _staged(wish, StagedShape(hide=(wish.pieces,)))


def _optimal(wish: Wish) -> Option | None:
    """Return the optimum on the lattice, or `tight` if nothing is shorter."""
    lattice = wish.lattice or Lattice.of_values(wish.problem)
    other = _tight(wish)
    window, wanted = ceil_div(lattice.window, 1), wish.level * lattice.slack
    if other is None or window * wanted > lattice.cells:
        return other
    most = other.queries if wish.rounds is None else min(other.queries, wish.rounds + 1)
    for queries in range(max(1, ceil_log2(lattice.pieces)), most):
        found = solve(lattice.cells, lattice.accuracy, window, queries)
        if found.upper * wanted <= 1:
            return Option(
                queries=queries,
                share=found.upper * lattice.slack,
                strategy=replace(found.strategy, problem=wish.problem),
                success=None,
                scale=lattice.scale,
                is_enumerated=True,
            )
    return replace(other, success=None)  # None: must be enumerated


def _planted_tight(wish: Wish) -> Option | None:
    """Return the cheapest of planted guesses, a grid after halvings and, if small, the optimum."""
    problem, lattice, rounds = wish.problem, wish.lattice, wish.rounds
    guesses, pieces = math.ceil(wish.level), wish.pieces
    if guesses == 1:
        steps = cheapest_factors(pieces, rounds)
        return _staged(wish, StagedShape(hide=steps))
    if lattice is None:
        shape = cheapest_planted(problem.epsilon, problem.delta, guesses, rounds=rounds)
    else:
        window = ceil_div(lattice.window, 1)
        shape = cheapest_planted_whole(
            lattice.cells, window, guesses, accuracy=lattice.accuracy, rounds=rounds
        )
    choices = [_planted(wish, shape), _narrowed_grid(wish)]
    if _is_searchable(wish):
        choices += [_searched(wish)]
    able = [option for option in choices if option is not None]
    # Of equally long ones, take the one that leaves the most places possible.
    return min(able, key=lambda option: (option.queries, option.share), default=None)


def _narrowed_grid(wish: Wish) -> Option | None:
    """Return halvings and a grid, which leave the last block possible (proofs/planted.md)."""
    best: Option | None = None
    most = wish.pieces.bit_length()
    for halvings in range(most if wish.rounds is None else min(most, wish.rounds)):
        grid = ceil_div(wish.pieces, 1 << halvings)
        found = _staged(wish, StagedShape(narrow=(2,) * halvings, hide=(grid,)))
        if found is None or found.share * wish.level > 1:
            break
        if best is None or found.queries < best.queries:
            best = found
    return best


def _searched(wish: Wish) -> Option | None:
    """Return the optimum on a few whole values in the deterministic setting."""
    lattice, places = wish.lattice, math.ceil(wish.level)
    if lattice is None or places > lattice.cells // (window := ceil_div(lattice.window, 1)):
        return None
    queries = worst_case(lattice.cells, window, places)
    if wish.rounds is not None and queries > wish.rounds:
        return None
    strategy = replace(worst_case_strategy(lattice.cells, window, places), problem=wish.problem)
    return Option(queries=queries, share=Fraction(1, places), strategy=strategy, success=None)


def _planted_paper(wish: Wish) -> Option | None:
    problem = wish.problem
    return _planted(wish, paper_planted(problem.epsilon, problem.delta, math.ceil(wish.level)))


def _opportunistic(wish: Wish) -> Option | None:
    return _planted(wish, opportunistic_planted(wish.problem.epsilon, math.ceil(wish.level)))


def _printed(wish: Wish) -> Option | None:
    problem = wish.problem
    shape = paper_planted(problem.epsilon, problem.delta, math.ceil(wish.level))
    found = _planted(wish, shape, printed=True)
    return None if found is None else replace(found, share=Fraction(1))


def _staged(wish: Wish, shape: StagedShape | None) -> Option | None:
    """Return the option of a staged shape if it has few enough rounds."""
    if shape is None or (wish.rounds is not None and shape.rounds > wish.rounds):
        return None
    problem, lattice = wish.problem, wish.lattice
    if lattice is None:
        size, bound = shape.size, shape.success(problem.delta)
    else:
        size = lattice.cells
        bound = min(Fraction(1), success_bound(shape, size, lattice.window) * lattice.slack)
    search = staged_of(problem, size, shape)
    asked = search.queries if isinstance(search, Table) else shape.queries
    if problem.setting == "bayesian":
        scale = None if lattice is None else lattice.scale
        return Option(
            queries=asked,
            share=bound,
            strategy=search,
            # On given cells parts may be uneven. Then the bound is too high, and who needs her
            # exact success must enumerate it.
            success=bound if lattice is None else None,
            scale=scale,
            shape=shape,
        )
    places = 1
    sticks_out = lattice is not None and lattice.slack != 1 and shape.rounds > 1
    if shape.kept == shape.parts == 1 and not sticks_out:
        # The eavesdropper does not hear the last answers, so the whole block stays possible, unless
        # the block may reach beyond the range.
        heard = math.prod((*shape.narrow, *shape.hide[:-1]))
        block = Fraction(1, heard) if lattice is None else Fraction(size // heard, size)
        places = max(1, math.ceil(block / problem.delta))
    share = Fraction(1, places)
    return Option(queries=asked, share=share, strategy=search, success=bound, shape=shape)


def _planted(wish: Wish, shape: PlantedShape | None, *, printed: bool = False) -> Option | None:
    """Return the option of a planted shape if it has few enough rounds."""
    if shape is None or (wish.rounds is not None and shape.rounds > wish.rounds):
        return None
    if shape.queries > PLANTED_QUERIES:
        rule = f"a plan for the worst case asks at most {PLANTED_QUERIES} questions of one number"
        remedy = "raise epsilon, lower the level, or allow more rounds"
        raise TooLarge("queries", shape.queries, rule, remedy)
    size = shape.size if wish.lattice is None else wish.lattice.cells
    search = planted_of(wish.problem, size, shape, printed=printed)
    share = Fraction(1, shape.guesses)
    scale = None if wish.lattice is None else wish.lattice.scale
    # Her success is enumerated on the scale, because ends of the range may cut cells short.
    return Option(
        queries=search.queries,
        share=share,
        strategy=search,
        success=None,
        scale=scale,
        shape=shape,
    )


def _is_free(wish: Wish) -> bool:
    return wish.lattice is None


def _is_proved_free(wish: Wish) -> bool:
    """Return True if the paper's proofs apply: free choice of cells, L > 1 and δ ≥ 2ε."""
    problem = wish.problem
    return _is_free(wish) and problem.level > 1 and problem.delta >= 2 * problem.epsilon


def _hides_free(wish: Wish) -> bool:
    return _is_free(wish) and wish.problem.level > 1


def _is_solvable(wish: Wish) -> bool:
    """Return True if the Bayesian optimum can be computed."""
    cells = wish.pieces if wish.lattice is None else wish.lattice.cells
    return wish.problem.dim == 1 and cells <= MOST_SOLVED


def _is_searchable(wish: Wish) -> bool:
    """Return True if the deterministic optimum can be searched for."""
    lattice = wish.lattice
    if lattice is None or lattice.cells > MOST_SEARCHED:
        return False
    return lattice.accuracy == 1 and lattice.slack == 1


def _is_searchable_alone(wish: Wish) -> bool:
    return wish.problem.dim == 1 and _is_searchable(wish)


def _always(wish: Wish) -> bool:
    return True


_Make = Callable[[Wish], Option | None]


class _Row(NamedTuple):
    """A method: its name, the function that makes its options, and the test if it applies."""

    name: str
    make: _Make
    exists: Callable[[Wish], bool] = _always


_METHODS: dict[str, tuple[_Row, ...]] = {
    "bayesian": (
        _Row("tight", _tight),
        _Row("paper", _paper, _is_proved_free),
        _Row("replicated", _replicated, _is_proved_free),
        _Row("bisection", _bisection),
        _Row("grid", _grid),
        _Row("optimal", _optimal, _is_solvable),
    ),
    "deterministic": (
        _Row("tight", _planted_tight),
        _Row("paper", _planted_paper, _hides_free),
        _Row("opportunistic", _opportunistic, _hides_free),
        _Row("bisection", _bisection),
        _Row("grid", _grid),
        _Row("printed", _printed, _hides_free),
        _Row("optimal", _searched, _is_searchable_alone),
    ),
}
"""The methods by setting, the recommended one first."""
