"""Refuse a saved plan that no search could follow: wrong types, shapes that do not match.

A file may come from someone else, who has its key and can sign anything. So check each value
against the type of its field, and each strategy against the assumptions of its code, before any of
its numbers becomes the length of an array or of a loop.

Strategies that users register (`register_strategy`) are checked only by the types of their fields.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from feint.interfaces import Strategy, columns
from feint.planning import MOST_CELLS, Plan
from feint.problem import Line
from feint.strategies import (
    Product,
    ResponseNoisy,
    SequentialNoisy,
    Staged,
    StagedNoisy,
    Table,
)
from feint.strategies.retired import Blocks, Loose, Padded, Planted, Tabular, Tailed

_FARTHEST = 10**299  # as in `exact.rational`: floats end at 1.8·10^308
_PLACES = 1 << 16  # cells that are weighed one by one: a round takes a millisecond
_ENTRIES = 1 << 22  # entries of a table in memory: about one second of work and 100 MB
_HALVES = re.compile("[\ud800-\udfff]")
_LOSSES = {"allowed", "total"}  # the names of losses that rounding of questions needs


def check_fields(value: Any) -> None:
    """Check that every field of a dataclass has its declared type.

    Raises:
        TypeError: A field has another type.
    """
    kind: Any = type(value)
    hints = _hints(kind)
    for each in fields(value):
        if each.name in hints and not _fits(getattr(value, each.name), hints[each.name]):
            raise TypeError(f"{each.name} has another type")


@lru_cache(maxsize=256)
def _hints(kind: Any) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except NameError:  # a user's class may name types that only type checkers import
        return {}


def _fits(value: Any, hint: Any) -> bool:
    """Return True if a value has a type; True also for types that no saved value has."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in args)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in args)
    if origin is tuple:
        return _fits_tuple(value, args)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(name, args[0]) and _fits(each, args[1]) for name, each in value.items()
        )
    if (origin or hint) is Strategy:  # isinstance does not accept a protocol with fields
        # Look at the class: computing the rounds of a hostile strategy may never end.
        return hasattr(type(value), "rounds") and hasattr(type(value), "estimate")
    if hint is str:  # half of a surrogate pair cannot be encoded
        return type(value) is str and not _HALVES.search(value)
    if hint in (bool, int, NoneType):
        return type(value) is hint
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    return not isinstance(hint, type) or isinstance(value, hint)


def _fits_tuple(value: Any, args: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(args) == 2 and args[1] is Ellipsis:
        return all(_fits(each, args[0]) for each in value)
    return len(value) == len(args) and all(map(_fits, value, args))


def check_plan(plan: Plan, most: int) -> None:
    """Check that a search can follow a plan.

    Args:
        plan: The plan.
        most: The greatest number of questions allowed.

    Raises:
        ValueError, LookupError, RuntimeError: No search can follow it.
    """
    check_strategy(plan.strategy, most)
    cells, dim = plan.strategy.cells, plan.problem.dim
    _require(len(cells) == dim, "one lattice a coordinate")
    # A saved search has room for every column, even for those that it leaves out.
    _check_asked(columns(plan.strategy), most)
    _require(plan.losses is None or plan.losses.keys() >= _LOSSES, "what losses are allowed")
    if plan.scales:
        _require(len(plan.scales) == dim, "one scale a coordinate")
        for scale, size in zip(plan.scales, cells, strict=True):
            _check_scale(scale, size)


def check_strategy(strategy: Any, most: int) -> None:
    """Check that a built-in strategy meets the assumptions of its code and is not too long.

    Args:
        strategy: The strategy.
        most: The greatest number of questions allowed.

    Raises:
        ValueError, LookupError, RuntimeError: An assumption fails, or it is too long.
    """
    check = _CHECKS.get(type(strategy))
    if check is not None:
        check(strategy, most)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"a saved plan must have {what}")


def _check_size(size: int) -> None:
    _require(1 <= size <= MOST_CELLS, "a lattice of 1 to 2^62 cells")


def _check_asked(queries: int, most: int) -> None:
    _require(0 <= queries <= most, "a number of questions that can be asked")


def _check_parts(parts: int, kept: int, queries: int, most: int) -> None:
    """Check that at least one part is kept and that the strategy is not too long."""
    _require(1 <= kept <= parts <= most + 1, "parts of which some are kept")
    _check_asked(queries, most)


def _check_staged(strategy: Staged, most: int) -> None:
    shape = strategy.shape
    _check_size(strategy.size)
    _require(min((*shape.narrow, *shape.hide, 1)) >= 1, "steps into one part or more")
    _require(bool(shape.hide), "a last step")
    _check_parts(shape.parts, shape.kept, shape.queries, most)


def _check_planted(strategy: Planted, most: int) -> None:
    shape = strategy.shape
    _check_size(strategy.size)
    _require(min((*shape.steps, 1)) >= 1, "steps into one part or more")
    _check_asked(shape.bisected, most)
    _check_parts(shape.parts, 1, shape.queries, most)


def _check_noisy(strategy: StagedNoisy, most: int) -> None:
    shape = strategy.shape
    _check_size(strategy.size)
    _require(strategy.problem.noisy, "a p, if answers may be wrong")
    _require(1 <= shape.blocks <= strategy.size, "blocks of one cell or more")
    _require(min(shape.narrow, shape.repeats, shape.hide) >= 0, "numbers of answers")
    _check_asked(shape.narrow + shape.hide, most)
    _check_parts(shape.parts, shape.kept, shape.queries, most)


def _check_sequential(strategy: SequentialNoisy, most: int) -> None:
    shape = strategy.shape
    _check_size(strategy.size)
    _require(strategy.problem.noisy, "a p, if answers may be wrong")
    _require(1 <= shape.blocks <= strategy.size, "blocks of one cell or more")
    _require(min(*shape.narrow_cap, *shape.hide_cap) >= 0, "numbers of answers")
    _require(min(shape.narrow_error, shape.hide_error) > 0, "errors above zero")
    _require(1 <= shape.at_once <= most, "questions at once")
    _require(shape.parts == 1 or shape.repeats >= 1, "a cut that asks something")
    _check_asked(sum((*shape.narrow_cap, *shape.hide_cap)), most)
    _check_parts(shape.parts, shape.kept, shape.queries, most)


def _check_responses(strategy: ResponseNoisy, most: int) -> None:
    shape = strategy.shape
    _require(1 <= strategy.size <= _PLACES, "a lattice of 1 to 2^16 cells")
    _require(0 < shape.hide_error < 1, "an error between 0 and 1")
    _require(1 <= shape.at_once <= most and shape.most >= 1, "questions of hiding")
    _require(shape.repeats >= (shape.parts > 1), "a cut that asks something")
    _check_asked(shape.at_once * shape.most, most)
    _check_parts(shape.parts, shape.kept, shape.queries, most)


def _check_tailed(strategy: Tailed, most: int) -> None:
    shape = strategy.shape
    _check_size(strategy.size)
    _require(1 <= shape.width <= strategy.size, "parts of one cell or more")
    _require(1 <= shape.accuracy <= strategy.size, "an accuracy of one cell or more")
    _require(all(min(each) >= 1 for each in shape.levels), "groups of one part or more")
    _require(shape.kept >= 1, "a part that is kept")
    found = strategy.located
    _check_parts(max(found.most, 1), shape.kept, sum(found.asked), most)


def _check_loose(strategy: Loose, most: int) -> None:
    shape, plays = strategy.shape, strategy.shape.plays
    _check_size(strategy.size)
    _require(2 <= shape.width <= strategy.size, "parts of two cells or more")
    _require(strategy.size % shape.width > 0, "a tail")
    parts = strategy.size // shape.width
    _require(bool(plays) and parts * len(plays) <= _ENTRIES, "plays that fit in memory")
    first, nodes = plays[0], len({each.asked for each in plays}) * (1 + len(plays[0].asked))
    _require(nodes * nodes * (1 + parts) <= _ENTRIES, "plays that fit in memory")
    for play in plays:
        _require(len(play.places) == len(first.places) >= 1, "plays that keep as many places")
        _require([*map(len, play.asked)] == [*map(len, first.asked)], "plays of one shape")
        _require(all(1 <= end <= parts for some in play.asked for end in some), "ends of parts")
        _require(play.places == tuple(sorted({*play.places})), "places in order")
        _require(0 <= play.places[0] <= play.places[-1] <= parts, "places there are")
        _require(0 <= play.mass <= MOST_CELLS, "masses")
        told = {0, parts + 1, *(end for some in play.asked for end in some)}
        _require(all({each, each + 1} <= told for each in play.places), "places told apart")


def _check_blocks(strategy: Blocks, most: int) -> None:
    _check_size(strategy.size)
    starts = {each.start for each in strategy.blocks}
    end = batches = 0
    for block in strategy.blocks:
        _require(block.start == end and block.size >= 1, "blocks side by side")
        end += block.size
        _require(all(0 <= each < strategy.size for each in block.path), "a path on the lattice")
        ahead = {each for each in block.path if each > block.start}
        _require(ahead <= starts, "a path to blocks")
        _require(block.acts is None or 0 <= block.acts < strategy.size, "a cell to act")
        _require(not getattr(block.shape, "narrow", ()), "no steps within a block but its own")
    _require(end == strategy.size, "blocks that are everything")
    for block, inner in zip(strategy.blocks, strategy.searches, strict=True):
        check_strategy(inner, most)
        batches += len(block.path) + len(inner.rounds)
    _check_asked(strategy.queries, most)
    _require(batches * len(strategy.blocks) <= _ENTRIES, "blocks that fit in memory")


def _check_product(strategy: Product, most: int) -> None:
    _require(bool(strategy.factors), "a factor")
    for each in strategy.factors:
        check_strategy(each, most)
    asked = sum(len(each.coordinates) for one in strategy.factors for each in one.rounds)
    _check_asked(asked, most)


def _check_tabular(strategy: Tabular, most: int) -> None:
    _check_size(strategy.size)
    _check_asked(strategy.queries, most)
    _require(not strategy.queries or bool(strategy.nodes), "a first node")
    widest = max((len(each.choices) for each in strategy.nodes), default=0)
    _require(widest * len(strategy.nodes) <= _ENTRIES, "a table that fits in memory")


def _check_table(strategy: Table, most: int) -> None:
    _check_size(strategy.size)
    _check_asked(strategy.queries, most)


def _check_scale(scale: Line, size: int) -> None:
    _require(scale.size == size and scale.low < scale.high, "a scale as long as its lattice")
    _require(max(abs(scale.low), abs(scale.high)) <= _FARTHEST, "a scale within 10^299 of zero")
    _require(scale.tick is None or scale.tick > 0, "a tick above zero")
    ends = scale.clip
    _require(ends is None or scale.low <= ends[0] < ends[1] <= scale.high, "a range on its scale")
    if scale.marks is not None:
        _require(scale.tick is not None and len(scale.marks) == size - 1, "a mark a boundary")
        _require(list(scale.marks) == sorted(scale.marks), "marks in order")
        reach = max(abs(scale.marks[0]), abs(scale.marks[-1])) if scale.marks else 0
        _require(reach * (scale.tick or 0) <= _FARTHEST, "marks within 10^299 of zero")


_CHECKS: dict[type[Any], Callable[[Any, int], None]] = {
    Staged: _check_staged,
    Planted: _check_planted,
    StagedNoisy: _check_noisy,
    SequentialNoisy: _check_sequential,
    ResponseNoisy: _check_responses,
    Tailed: _check_tailed,
    Loose: _check_loose,
    Blocks: _check_blocks,
    Product: _check_product,
    Table: _check_table,
    Tabular: _check_tabular,
    Padded: lambda strategy, most: check_strategy(strategy.inner, most),
}
