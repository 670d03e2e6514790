"""How many questions plans ask, and how much is tried to find them: as before.

The law behind each figure is tested elsewhere. Here a slip that only costs questions or time, which
no law forbids, is noticed too: a bound that passes nothing over, a limit that is never reached.
Where that is on purpose, `python -m tests.support.lengths` writes the files anew.
"""

import json
from functools import partial
from typing import Any

import pytest
from tests.support.effort import counted
from tests.support.examples import later
from tests.support.lengths import COUNTED, EFFORT, FILE, NAMES, planned

BEFORE: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
CALLS: dict[str, dict[str, int]] = json.loads(EFFORT.read_text("utf-8"))
PLAIN = [name for name in NAMES if name not in COUNTED]


@pytest.mark.parametrize(
    "name", later(PLAIN, {"afford 1", "prior 6", "rare 0", "rare 1", "tick 20"})
)
def test_plans_are_as_long_as_before(name: str) -> None:
    assert planned(name) == BEFORE[name]


DEAR = {f"prior {number}" for number in (0, 1, 2, 3, 4, 7)}
DEAR |= {"afford 2", "afford 3", "noisy 3", "whole 12", "whole 15"}


@pytest.mark.parametrize("name", later(COUNTED, DEAR))
def test_plans_are_as_long_as_before_and_found_as_soon(name: str) -> None:
    """Calls by file: more take time, fewer may pass something over."""
    found, calls = counted(partial(planned, name))
    assert found == BEFORE[name]
    assert calls == CALLS[name]
