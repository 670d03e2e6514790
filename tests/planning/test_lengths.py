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


# Those that take longest of each kind; every kind keeps others.
DEAR = {"afford 1", "prior 6", "rare 0", "rare 1", "noisy 0", "noisy 17"}
DEAR |= {f"dims {number}" for number in (11, 20, 21, 22)}
DEAR |= {f"tick {number}" for number in (10, 11, 15, 19, 20, 22)}
DEAR |= {f"whole {number}" for number in (16, 18, 22, 25, 27, 28, 33, 37)}
DEAR |= {f"whole {number}" for number in (38, 40, 43, 47, 51, 56, 57)}


@pytest.mark.parametrize("name", later(PLAIN, DEAR))
def test_plans_are_as_long_as_before(name: str) -> None:
    assert planned(name) == BEFORE[name]


DEAR_TO_COUNT = {f"prior {number}" for number in (0, 1, 2, 3, 4, 7)}
DEAR_TO_COUNT |= {f"noisy {number}" for number in (3, 9, 10, 13, 16, 18, 19, 20)}
DEAR_TO_COUNT |= {f"interval {number}" for number in (10, 14, 18)}
DEAR_TO_COUNT |= {f"whole {number}" for number in (12, 14, 15)}
DEAR_TO_COUNT |= {"afford 2", "afford 3", "believed 1", "tick 7"}


@pytest.mark.parametrize("name", later(COUNTED, DEAR_TO_COUNT))
def test_plans_are_as_long_as_before_and_found_as_soon(name: str) -> None:
    """Calls by file: more take time, fewer may pass something over."""
    found, calls = counted(partial(planned, name))
    assert found == BEFORE[name]
    assert calls == CALLS[name]
