"""How many questions plans ask: as many as they did, whatever was changed.

The law behind each figure is tested elsewhere. Here a slip that only costs questions, which no law
forbids, is noticed too. Where a plan got better, `python -m tests.support.lengths` writes the file
anew.
"""

import json
from typing import Any

import pytest
from tests.support.lengths import FILE, NAMES, planned

BEFORE: dict[str, Any] = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_plans_are_as_long_as_before(name: str) -> None:
    assert planned(name) == BEFORE[name]
