"""Tables as JSON and back, and tables that somebody else wrote."""

import json
from typing import Any

import pytest

from feint import InvalidValue, Problem
from feint.branches import success
from feint.errors import BadState
from feint.planning import Plan
from feint.search.saved import decode, encode, plan_of
from feint.strategies import END, Act, Table, blocks, from_histories, planted, staged, tailed

PROBLEM = Problem("1/16", "1/4", 3)
TABLES = {
    "staged": staged(PROBLEM, 17, narrow=(2,), parts=4, kept=3, hide=(2, 2)),
    "tailed": tailed(PROBLEM, 37, width=5, levels=((3, 2),), kept=3),
    "planted": planted(PROBLEM, 40, left=True, bisected=2, parts=3, steps=(2, 2)),
    "printed": planted(PROBLEM, 40, left=True, bisected=2, parts=3, steps=(2, 2), printed=True),
    "blocks": blocks(PROBLEM, ((1,), (Act(5), tailed(PROBLEM, 16, width=5, kept=2)))),
    "histories": from_histories(PROBLEM, 3, {(): [(1, 1), (2, 3)], ((2, False),): [(1, 1)]}),
    "one cell": blocks(PROBLEM, 1),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_comes_back_as_it_was(name: str) -> None:
    table = TABLES[name]
    text = json.dumps(encode(Plan.of(table)))
    assert plan_of(json.loads(text), 4).strategy == table


def test_a_table_is_saved_by_its_nodes_in_few_words() -> None:
    """A window of kept parts is a range, so a table grows with the parts, not with their square."""
    sizes = []
    for kept in (50, 100, 200):
        table = staged(PROBLEM, 20 * (kept + 1), parts=kept + 1, kept=kept, hide=(2,) * 5)
        saved = encode(table)
        assert sorted(saved) == ["follows_place", "layouts", "nodes", "problem", "size", "type"]
        sizes.append(len(json.dumps(saved, separators=(",", ":"))))
    assert sizes[2] < 2.2 * sizes[1] < 2.2 * 2.2 * sizes[0]
    assert sizes[1] < 15_000


GOOD: dict[str, Any] = encode(TABLES["staged"])


def edited(**fields: Any) -> dict[str, Any]:
    return json.loads(json.dumps(GOOD | fields))  # type: ignore[no-any-return]


ASK = ["hide", [[1]], [[[END, 0, -1], [END, 0, -1]]]]
MOVE = [[-1, 1, 0, 9]]
BROKEN = {
    "no node": edited(nodes=[["hide"]]),
    "a number for a node": edited(nodes=[5]),
    "a text for an offset": edited(nodes=[["hide", [["1"]], ASK[2]]], layouts=[MOVE]),
    "a fraction": edited(nodes=[["hide", [[1.5]], ASK[2]]], layouts=[MOVE]),
    "an edge that leads to itself": edited(
        nodes=[["hide", [[1]], [[[0, 0, -1], [END, 0, -1]]]]], layouts=[MOVE]
    ),
    "an edge that leads back": edited(nodes=[ASK, [[1], [[0, 0, -1]]]], layouts=[MOVE]),
    "an edge past the last node": edited(
        nodes=[["hide", [[1]], [[[1, 0, -1], [END, 0, -1]]]]], layouts=[MOVE]
    ),
    "a layout that is not there": edited(nodes=[ASK], layouts=[]),
    "an edge too few": edited(nodes=[["hide", [[1, 2]], ASK[2]]], layouts=[MOVE]),
    "offsets that fall": edited(nodes=[["hide", [[2, 1]], [[[END, 0, -1]] * 3]]], layouts=[MOVE]),
    "an offset of zero": edited(nodes=[["hide", [[0]], ASK[2]]], layouts=[MOVE]),
    "weights below zero": edited(nodes=[[[1, -1], [[END, 0, -1]] * 2]], layouts=[MOVE]),
    "weights of nothing": edited(nodes=[[[0], [[END, 0, -1]]]], layouts=[MOVE]),
    "weights beyond 2^62": edited(nodes=[[[1 << 62], [[END, 0, -1]]]], layouts=[MOVE]),
    "an empty layout": edited(nodes=[ASK], layouts=[[]]),
    "an offset below zero": edited(nodes=[ASK], layouts=[[[-1, 1, -1, 9]]]),
    "a billion places": edited(nodes=[ASK], layouts=[[[0, 10**9, 0, 9]]]),
    "places out of order": edited(nodes=[ASK], layouts=[[[1, 1, 0, 9], [0, 1, 0, 9]]]),
    "a phase that is a number": edited(nodes=[[7, *ASK[1:]]], layouts=[MOVE]),
    "no lattice": edited(size="17"),
    "a number for a flag": edited(follows_place=1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_table_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BadState, match="must be a plan that feint saved"):
        decode(BROKEN[name])


def plan_with(**fields: Any) -> dict[str, Any]:
    saved = encode(Plan.of(TABLES["staged"]))
    return json.loads(json.dumps(saved | {"strategy": edited(**fields)}))  # type: ignore[no-any-return]


TWO = [[0, 1, 0, 3], [0, 1, 3, 3]]
NEVER_FOLLOWED = {
    "a place that is not there": plan_with(
        nodes=[["cut", [[3]], [[[1, 0, 0], [1, 0, 0]]]], [[1], [[END, 1, -1]]]],
        layouts=[[[0, 1, 0, 3]], [[1, 1, 0, 3]]],
    ),
    "an own place that is not there": plan_with(
        nodes=[["cut", [[3]], [[[END, 0, 0], [END, 0, 2]]]]], layouts=[TWO]
    ),
    "an own place that is not said": plan_with(
        nodes=[["cut", [[3]], [[[1, 0, 0], [1, 0, 1]]]], ["cut", [[1]], [[[END, 1, -1]] * 2]]],
        layouts=[TWO, [[0, 1, 0, 3]]],
    ),
    "a coin that cannot fall": plan_with(
        nodes=[["cut", [[3]], [[[1, 0, 0], [1, 0, 1]]]], [[1], [[2, 1, -1]]], ASK],
        layouts=[TWO, [[0, 1, 0, 3]]],
    ),
    "rows for other places": plan_with(
        nodes=[["cut", [[3]], [[[1, 0, 0], [1, 0, 1]]]], ["hide", [[1]] * 3, [ASK[2][0]] * 3]],
        layouts=[TWO],
    ),
    "too many questions": plan_with(
        nodes=[["grid", [[*range(1, 2000)]], [[[END, 0, -1]] * 2000]]], layouts=[MOVE], size=5000
    ),
    "a lattice of nothing": plan_with(size=0),
}


@pytest.mark.parametrize("name", NEVER_FOLLOWED)
def test_a_table_that_no_search_can_follow_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"nodes\[|saved plan"):
        plan_of(NEVER_FOLLOWED[name], 4, most=1000)


def test_a_table_with_too_many_ways_is_refused_soon() -> None:
    """Sizes that double at every node: 2^40 ways, of which a few million are looked at."""
    nodes, layouts = [], [[[-1, 1, 0, (1 << 61) - 1]]]
    for number in range(40):
        layouts.append([[-1, 1, 1 << number, (1 << 61) - 1]])
        nodes.append(["hide", [[1]], [[[number + 1, 0, -1], [number + 1, number + 1, -1]]]])
    nodes[-1][2] = [[[END, 0, -1]] * 2]
    table = Table(PROBLEM, 1 << 61, layouts, nodes)  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match="must have fewer ways"):
        _ = table.rounds


def test_offsets_past_the_lattice_are_never_asked() -> None:
    """Whatever a table says, what is asked lies inside a place, and places inside the lattice."""
    edge = [END, 0, -1]
    table = Table(PROBLEM, 4, ([[-1, 1, 0, 9]],), (["hide", [[2, 9, 1 << 61]], [[edge] * 4]],))  # type: ignore[arg-type]
    assert table.queries == 1
    assert success(table) == success(staged(PROBLEM, 4, hide=(2,)))
