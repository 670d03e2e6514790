"""Random tables, played by feint and by an interpreter that shares no code with it."""

import json
import random
from collections import defaultdict
from fractions import Fraction

import pytest
from tests.support import own_table
from tests.support.examples import later
from tests.support.frozen import LENGTHS
from tests.support.played import Line, figures, played_runs
from tests.support.random_problems import Spec, plan_of

from feint import Problem
from feint.audit import audit
from feint.strategies import Product, Table

HELD: dict[str, Spec] = json.loads(LENGTHS.read_text("utf-8"))
PLAYED = [name for name, case in HELD.items() if case.get("played")]


def by_feint(table: Table, line: Line) -> dict[own_table.Run, Fraction]:
    """Play a table by its methods for every cell and every side of every coin."""
    found: dict[own_table.Run, Fraction] = defaultdict(Fraction)
    for run in played_runs(table, [line]):
        rounds = [
            tuple(int(word[1] * table.size) for word in words if word is not None)
            for words in run.words
        ]
        asked = tuple(points for points in rounds if points)
        assert list(asked) == rounds[: len(asked)], "it goes on after a round that asked nothing"
        found[own_table.Run(run.cell[0], asked, run.low[0], run.high[0])] += run.chance
    return dict(found)


@pytest.mark.parametrize("number", later(range(1000), range(200, 1000)))
def test_a_table_is_played_as_its_nodes_say(number: int) -> None:
    size, layouts, nodes = own_table.drawn(random.Random(f"table {number}"))
    expected = own_table.runs(size, layouts, nodes)
    problem = Problem(Fraction(1, size), Fraction(2, size), 1)
    table = Table(problem, size, layouts, nodes)  # type: ignore[arg-type]
    line = Line(tuple(Fraction(k, size) for k in range(size + 1)))
    assert by_feint(table, line) == expected
    # Answers that contradict earlier ones are counted too, so that it may say more than there are.
    assert table.queries >= max(sum(map(len, run.rounds)) for run in expected)
    assert len(table.rounds) >= max(len(run.rounds) for run in expected)
    if table.asks_all:
        assert {sum(map(len, run.rounds)) for run in expected} == {table.queries}
    success = own_table.success(expected, size, 2)
    assert figures(table, problem.delta, [line]).success == success
    assert audit(table).adversary_success == success


def planned_tables(names: list[str]) -> dict[str, Table]:
    """Return the tables that plans for stored problems follow."""
    found = dict[str, Table]()
    for name in names:
        strategy = plan_of(HELD[name]).strategy
        factors = strategy.factors if isinstance(strategy, Product) else (strategy,)
        tables = [factor for factor in factors if isinstance(factor, Table)]
        found |= {f"{name}, number {k}": table for k, table in enumerate(tables)}
    return found


def check_planned(names: list[str]) -> None:
    """Play the tables of plans both ways, and expect tables of at least a third of the plans."""
    found = planned_tables(names)
    assert len(found) * 3 >= len(names)
    for name, table in found.items():
        nodes, layouts = json.loads(json.dumps([table.nodes, table.layouts]))
        expected = own_table.runs(table.size, layouts, nodes)
        line = Line(tuple(Fraction(k, table.size) for k in range(table.size + 1)))
        assert by_feint(table, line) == expected, name
        assert table.queries == max(sum(map(len, run.rounds)) for run in expected), name
        assert len(table.rounds) == max(len(run.rounds) for run in expected), name


def test_planned_tables_are_played_as_their_nodes_say() -> None:
    check_planned(PLAYED[::30])


@pytest.mark.long
def test_all_planned_tables_are_played_as_their_nodes_say() -> None:
    check_planned(PLAYED)


def test_random_tables_are_of_every_kind() -> None:
    """Many end at different times, branch on coins and ask in several places."""
    ends = coins = several = 0
    for number in range(200):
        size, layouts, nodes = own_table.drawn(random.Random(f"table {number}"))
        found = own_table.runs(size, layouts, nodes)
        ends += len({len(run.rounds) for run in found}) > 1
        coins += len(found) > size
        several += any(len(asked) > 3 for run in found for asked in run.rounds)
    assert min(ends, coins, several) >= 20, (ends, coins, several)
