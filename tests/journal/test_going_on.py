"""A search that is begun once and gone on with by its name, and finished by whoever answers."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.price import price_plan

from feint.errors import BadState, OracleFailed
from feint.interfaces import Journal
from feint.journal import Folder, Memory, going_on
from feint.problem import Query
from feint.simulate.oracles import Hidden

PLAN = price_plan()
NUMBER = Fraction(73)


class Tiring:
    """Answers truly, round after round, until it fails."""

    def __init__(self, rounds: int) -> None:
        self.rounds, self.asked = rounds, list[tuple[Fraction, ...]]()

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        self.asked.append(tuple(query.value for query in queries))
        if len(self.asked) > self.rounds:
            raise OSError("away")
        return [query.value <= NUMBER for query in queries]


def journals(folder: Path) -> list[Any]:
    return [Memory(), Folder(folder)]


@pytest.mark.parametrize("kind", [0, 1])
def test_it_goes_on_where_it_was(tmp_path: Path, kind: int) -> None:
    journal: Journal = journals(tmp_path)[kind]
    first, second = Tiring(2), Tiring(99)
    with pytest.raises(OracleFailed):
        going_on(journal, "price", PLAN).finish(first)
    told: list[int] = []
    found = going_on(journal, "price", PLAN).finish(
        second, progress=lambda what, done, wanted: told.append(done)
    )
    assert second.asked[0] == first.asked[-1]
    assert len(first.asked) + len(second.asked) == PLAN.rounds + 1
    assert found.low <= NUMBER < found.high
    assert told[-1] == PLAN.queries
    assert going_on(journal, "price", PLAN).result.estimate == found.estimate


def test_another_search_under_its_name_is_refused() -> None:
    journal = Memory()
    going_on(journal, "price", PLAN, seed=1).finish(Hidden(NUMBER))
    for plan, seed in ((price_plan(max_rounds=4), 1), (PLAN, 2)):
        with pytest.raises(BadState, match="something else, or with other coins"):
            going_on(journal, "price", plan, seed=seed)
